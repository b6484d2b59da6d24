"""Variables that a model could do without: `python -m tests.models.variables [MODEL ...]`.

A variable is a cell or a ghost that a model has from the start or comes to write. Each is taken away (it is
absent for good, whatever is written) from every quick run of its model, small ones first. It is needed if
then a property fails or shows nothing, a step or claim raises, a row of a table is no longer taken, or a
broken model of the family is no longer caught. What is printed is needed by none of these.

It explores each model once per variable, which takes many minutes, so that it is not one of the tests.
"""

import argparse
import importlib
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dhruva.cells import Change
from dhruva.explore import Model, ModelError, check
from dhruva.explore.command import load
from dhruva.explore.model import Action
from dhruva.explore.values import show_key
from dhruva.step import stepping
from dhruva.verify.manifest import QUICK, read
from dhruva.verify.mutants import mutants
from dhruva.walk import SETTINGS

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "models" / "broken"
Key = Any
Make = Callable[[], Model]


def without(model: Model, key: Key | None, seen: set[Key]) -> Model:
    """The model without a variable; `seen` gets the keys of the others."""
    seen |= model.cells.keys()
    model.cells.pop(key, None)
    model.actions = [Action(one.name, _dropping(one.run, key, seen)) for one in model.actions]
    return model


def _dropping(run: Callable[..., Any], key: Key | None, seen: set[Key]) -> Callable[..., Any]:
    def kept(writes: Mapping[Key, Any]) -> dict[Key, Any]:
        seen.update(writes)
        return {one: cell for one, cell in writes.items() if one != key}

    def dropped(read: Any) -> Any:
        answer = run(read)
        if isinstance(answer, Change):
            return answer._replace(writes=kept(answer.writes))
        return kept(answer) if isinstance(answer, Mapping) else answer

    return dropped


def rows(model: Model) -> set[Any] | None:
    """The rows that the model takes; None if it does not hold."""
    try:
        report = check(model, "vector")
    except (ModelError, Exception):  # noqa: BLE001 - a claim or a step may raise whatever it likes
        return None
    if report.verdict != "holds" or any(p.is_vacuous for p in report.properties):
        return None
    edges: Iterable[Any] = (count.what for count in report.coverage.edges)
    return {(edge.machine, edge.source, edge.on) for edge in edges}


def is_needed(key: Key, whole: list[tuple[Make, set[Any]]], broken: list[Make]) -> bool:
    for make, taken in whole:
        left = rows(without(make(), key, set()))
        if left is None or taken - left:
            return True
    return any(not _is_caught(without(make(), key, set())) for make in broken)


def _is_caught(model: Model) -> bool:
    try:
        return check(model, "vector").verdict == "violated"
    except ModelError:
        return False


def faults(family: str) -> Iterator[Make]:
    """The broken models of a family, asked about the claim that each must fail."""
    for path in sorted(BROKEN.glob("*.py")):
        said = importlib.import_module(f"models.broken.{path.stem}")
        of = getattr(getattr(said, "family", None), "__name__", None)
        if of == f"models.{family}":
            yield partial(_asked, said.model, said.FAILS)
    named = {mutant.name: mutant for mutant in mutants()}
    of_family = importlib.import_module(f"models.{family}")
    for one in tomllib.loads((BROKEN / "planted.toml").read_text())["planted"]:
        if one["model"] == family:
            book = named[one["fault"]].book(getattr(of_family, "SETTINGS", SETTINGS))
            make = partial(of_family.model, **one["bounds"], step=stepping(book))
            yield partial(_asked, make, one["claim"])


def _asked(make: Make, claim: str) -> Model:
    model = make()
    model.properties = [one for one in model.properties if one.name == claim]
    model.allow_deadlock("asked about one claim")
    return model


def needless(family: str, runs: list[Any]) -> Iterator[Key]:
    """The variables of a model that it could do without."""
    keys: set[Key] = set()
    whole: list[tuple[Make, set[Any]]] = []
    for run in sorted(runs, key=lambda run: run.pin.distinct):
        make = partial(load, ROOT / "models" / f"{family}.py", run.sets)
        taken = rows(without(make(), None, keys))
        assert taken is not None, f"{run.name} does not hold"
        whole.append((make, taken))
    broken = list(faults(family))
    yield from (key for key in sorted(keys, key=show_key) if not is_needed(key, whole, broken))


def main() -> int:
    manifest = read(ROOT / "models" / "manifest.toml")
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("models", nargs="*", default=manifest.models)
    left = 0
    for family in asked.parse_args().models:
        for key in needless(family, [run for run in manifest.runs(QUICK) if run.model == family]):
            left += 1
            sys.stdout.write(f"{family}: {show_key(key)} is needed by nothing\n")
            sys.stdout.flush()
    return left


if __name__ == "__main__":
    sys.exit(main())
