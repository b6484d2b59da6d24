"""Model files from a shell: load one, check it, print the answer, return the exit code.

Exit codes: 0 holds, 1 violated or the model is wrong, 2 usage, 3 cut short.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TextIO

from dhruva.explore import exports
from dhruva.explore.checker import check
from dhruva.explore.errors import EngineError, ModelError, UsageError
from dhruva.explore.model import Bound, Model
from dhruva.explore.progress import Progress
from dhruva.explore.report import CUT_SHORT, HOLDS, VIOLATED

EXIT = {HOLDS: 0, VIOLATED: 1, CUT_SHORT: 3}
EXIT_MODEL, EXIT_USAGE = 1, 2

_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def load(path: str | Path, sets: Mapping[str, str] | None = None) -> Model:
    """The model that a file defines, with its bounds set. Raises UsageError with a message for its author."""
    file = Path(path)
    build = _builder(file)
    arguments = _bounds(file, build, sets or {})
    try:
        model = build(**arguments)
    except ModelError as error:
        raise UsageError(f"{file}: {error.message}") from error
    except (Exception, SystemExit) as error:
        bounds = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        raise UsageError(f"{file}: model({bounds}) raised {_where(error, file)}") from error
    if not isinstance(model, Model):
        raise UsageError(f"{file}: model() returned {model!r}, not a Model")
    try:
        model.validate()
    except ModelError as error:
        raise UsageError(f"{file}: {error.message}") from error
    return model


def run(
    path: str | Path,
    *,
    engine: str = "auto",
    sets: Mapping[str, str] | None = None,
    max_states: int | None = None,
    max_memory: int | None = None,
    max_seconds: float | None = None,
    keep_going: bool = False,
    audit: bool = True,
    as_json: bool = False,
    progress: bool = False,
    tests: str | Path | None = None,
    dot: str | Path | None = None,
    graph: str | Path | None = None,
    promela: str | Path | None = None,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Check the model in a file, print the report, and return the exit code.

    `tests` names a pytest file to write counterexamples to; `dot`, `graph` and `promela` name files for the
    state graph as DOT and as JSON, and for the learned model.
    """
    out, err = out or sys.stdout, err or sys.stderr
    shown = Progress(err) if progress else None
    try:
        model = load(path, sets)
        report = check(
            model,
            engine,
            max_states=max_states,
            max_memory=max_memory,
            max_seconds=max_seconds,
            keep_going=keep_going,
            audit=audit,
            progress=shown,
        )
        if tests is not None:
            _write(tests, exports.counterexample_tests(report, str(path), sets or {}))
        if dot is not None:
            _write(dot, exports.graph_dot(model))
        if graph is not None:
            _write(graph, exports.graph_json(model))
        if promela is not None:
            _write(promela, _promela(model, max_states))
    except (ModelError, EngineError) as error:
        if as_json:
            out.write(json.dumps({"error": str(error)}) + "\n")
        err.write(f"error: {error}\n")
        return EXIT_USAGE if isinstance(error, UsageError) else EXIT_MODEL
    finally:
        if shown is not None:
            shown.close()
    out.write((report.to_json() if as_json else str(report)) + "\n")
    return EXIT[report.verdict]


def _promela(model: Model, max_states: int | None) -> str:
    # The learned model needs numpy, as the fast engine does.
    from dhruva.explore.promela import promela

    return promela(model, max_states)


def _write(path: str | Path, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error}") from error


def _builder(file: Path) -> Callable[..., object]:
    build = getattr(module(file), "model", None)
    if not callable(build):
        raise UsageError(f"{file} defines no function model(...) that returns a Model")
    return build  # type: ignore[no-any-return]


def module(file: Path) -> ModuleType:
    """The module of a model file, run with the current folder as a source root."""
    if not file.is_file():
        raise UsageError(f"there is no model file {file}")
    spec = importlib.util.spec_from_file_location(f"_model_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is not a Python file")
    loaded = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name; models of a repository import each other from its root.
    sys.modules[spec.name] = loaded
    root = str(Path.cwd())
    sys.path.insert(0, root)
    try:
        spec.loader.exec_module(loaded)
    except ModelError as error:
        raise UsageError(f"{file}: {error.message}") from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"{file} raised {_where(error, file)} on import") from error
    finally:
        sys.path.remove(root)
    return loaded


def _bounds(file: Path, build: Callable[..., object], sets: Mapping[str, str]) -> dict[str, Bound]:
    defaults: dict[str, Bound] = {}
    for name, parameter in inspect.signature(build).parameters.items():
        if callable(parameter.default) and parameter.default is not inspect.Parameter.empty:
            continue  # not a bound: what the model is about, such as a step function under test
        if not isinstance(parameter.default, int | str):
            raise UsageError(
                f"{file}: bound {name!r} of model(...) needs a default that is an int, bool or str"
            )
        defaults[name] = parameter.default
    for name in sets:
        if name not in defaults:
            known = ", ".join(defaults) or "none"
            raise UsageError(f"{file}: there is no bound {name!r} to set; bounds of this model: {known}")
    return {name: _parse(name, sets[name], old) if name in sets else old for name, old in defaults.items()}


def _parse(name: str, text: str, default: Bound) -> Bound:
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text.lower() not in _BOOLEANS:
            raise UsageError(f"bound {name!r} is true or false, not {text!r}")
        return _BOOLEANS[text.lower()]
    try:
        number = int(text)
    except ValueError:
        raise UsageError(f"bound {name!r} is a whole number, not {text!r}") from None
    if number < 0:
        raise UsageError(f"bound {name!r} cannot be negative: {number}")
    return number


def _where(error: BaseException, file: Path) -> str:
    """The error and the last line of the model file on its way."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == file.absolute():
            line = trace.tb_lineno
        trace = trace.tb_next
    text = f"{type(error).__name__}: {error}"
    return text if line is None else f"{text} (line {line})"
