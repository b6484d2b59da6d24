"""The manifest: at which bounds each model is explored, quick and full, and what that must count.

One file of the models (`manifest.toml`), one entry per run:

    [scope_gate]
    leaves_out = "tasks and dispatch, which have models of their own"

    [[scope_gate.quick]]
    bounds = { queued = 0, resources = 0 }   # those that are not the model's own
    because = "no queue: what is over the limit is rejected"
    verdict = "holds"
    distinct = 129
    transitions = 755
    depth = 7

`leaves_out` and `because` are prose for people, and may be missing. The last four are the pin: a run without
them is explored and not compared. `dhruva verify --pin` writes the file again with what was counted.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dhruva.explore import Report
from dhruva.explore.model import Bound

QUICK, FULL = "quick", "full"
SIZES = (QUICK, FULL)
PIN = ("verdict", "distinct", "transitions", "depth")
HEAD = """\
# At which bounds each model is explored, and what that must count: written by `dhruva verify --pin`.
# A changed count is a changed meaning: look at what became possible, or impossible, before you pin it.
"""


class ManifestError(ValueError):
    """A manifest that says something it cannot mean."""


class Pin(NamedTuple):
    """What a run must come to."""

    verdict: str
    distinct: int
    transitions: int
    depth: int


class Run(NamedTuple):
    """One model at one set of bounds."""

    model: str  # the name of its file, without .py
    size: str
    bounds: tuple[tuple[str, Bound], ...] = ()
    because: str = ""
    pin: Pin | None = None

    @property
    def name(self) -> str:
        return " ".join([self.model, *(f"{name}={value}" for name, value in self.bounds)])

    @property
    def sets(self) -> dict[str, str]:
        """The bounds as `dhruva check --set` takes them."""
        return {name: str(value) for name, value in self.bounds}


class Manifest(NamedTuple):
    """All runs, in the order of the file, and what each model leaves out."""

    every: tuple[Run, ...]
    leaves_out: Mapping[str, str]

    def runs(self, size: str) -> list[Run]:
        return [run for run in self.every if run.size == size]

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(run.model for run in self.every))

    def pinned(self, counted: Mapping[Run, Pin]) -> "Manifest":
        """The same runs with what was counted; a run that was not explored keeps its pin."""
        every = tuple(run._replace(pin=counted.get(run, run.pin)) for run in self.every)
        return self._replace(every=every)


def pin(report: Report) -> Pin:
    return Pin(report.verdict, report.distinct, report.transitions, report.depth)


def read(path: Path) -> Manifest:
    """The manifest in a file; ManifestError says what is wrong with which entry."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ManifestError(f"there is no manifest {path}: run this at the root of the repository") from error
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"{path}: {error}") from error
    every, leaves_out = [], {}
    for model, about in said.items():
        _table(path, model, about, (*SIZES, "leaves_out"))
        leaves_out[model] = _typed(path, model, about, "leaves_out", str, "")
        for size in SIZES:
            entries = _typed(path, model, about, size, list, [])
            every += [_run(f"{path}: {model}.{size}[{at}]", model, size, e) for at, e in enumerate(entries)]
    _refuse_twins(path, every)
    return Manifest(tuple(every), {model: text for model, text in leaves_out.items() if text})


def _run(where: str, model: str, size: str, said: Any) -> Run:
    _table(where, "the run", said, ("bounds", "because", *PIN))
    bounds = _typed(where, "the run", said, "bounds", dict, {})
    for name, value in bounds.items():
        if not isinstance(value, int | str):
            raise ManifestError(
                f"{where}: bound {name} must be a whole number, true, false or a text: {value!r}"
            )
    missing = [name for name in PIN if name not in said]
    if missing and len(missing) < len(PIN):
        raise ManifestError(f"{where}: a pin is whole or not there: {', '.join(missing)} missing")
    return Run(
        model, size, tuple(bounds.items()), said.get("because", ""), None if missing else _pin(where, said)
    )


def _pin(where: str, said: Mapping[str, Any]) -> Pin:
    verdict = _typed(where, "the run", said, "verdict", str, "")
    if verdict != "holds":
        raise ManifestError(f"{where}: verdict {verdict!r}: a model of the kernel holds, or it is not pinned")
    return Pin(verdict, *(_typed(where, "the run", said, name, int, 0) for name in PIN[1:]))


def _table(where: Path | str, what: str, said: Any, known: Iterable[str]) -> None:
    if not isinstance(said, dict):
        raise ManifestError(f"{where}: {what} must be a table, not {said!r}")
    for name in said:
        if name not in known:
            raise ManifestError(f"{where}: {what} has no field {name!r}; it has {', '.join(known)}")


def _typed(where: Path | str, what: str, said: Mapping[str, Any], name: str, kind: type, absent: Any) -> Any:
    value = said.get(name, absent)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ManifestError(f"{where}: {name} of {what} must be of type {kind.__name__}, not {value!r}")
    return value


def _refuse_twins(path: Path, every: Iterable[Run]) -> None:
    seen: set[tuple[str, str]] = set()
    for run in every:
        if (run.size, run.name) in seen:
            raise ManifestError(f"{path}: {run.model}.{run.size} has two runs at {dict(run.bounds)}")
        seen.add((run.size, run.name))


def write(manifest: Manifest, path: Path) -> None:
    path.write_text(text(manifest), encoding="utf-8")


def text(manifest: Manifest) -> str:
    """The file, whole: models in order, what each leaves out, its quick runs, its full runs."""
    parts = [HEAD]
    for model in dict.fromkeys([*manifest.leaves_out, *manifest.models]):
        if model in manifest.leaves_out:
            parts.append(f"[{model}]\nleaves_out = {_toml(manifest.leaves_out[model])}\n")
        parts += [_entry(run) for size in SIZES for run in manifest.runs(size) if run.model == model]
    return "\n".join(parts)


def _entry(run: Run) -> str:
    lines = [f"[[{run.model}.{run.size}]]"]
    bounds = ", ".join(f"{name} = {_toml(value)}" for name, value in run.bounds)
    lines.append(f"bounds = {{ {bounds} }}" if bounds else "bounds = {}")
    if run.because:
        lines.append(f"because = {_toml(run.because)}")
    if run.pin is not None:
        lines += [f"{name} = {_toml(value)}" for name, value in run.pin._asdict().items()]
    return "\n".join(lines) + "\n"


def _toml(value: Bound) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:_}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


Told = Callable[[str], None]
