"""`check`: run an engine, confirm what it found, and say what may be claimed."""

from __future__ import annotations

import time
from collections.abc import Callable

from dhruva.explore import reference
from dhruva.explore.errors import ModelError, UsageError
from dhruva.explore.model import Claim, Model, Sometimes
from dhruva.explore.replay import confirm, replay
from dhruva.explore.report import CUT_SHORT, HOLDS, UNKNOWN, VIOLATED, PropertyReport, Report
from dhruva.explore.search import Budget, Plan, Search

ENGINES = ("auto", "vector", "reference")


def check(
    model: Model,
    engine: str = "auto",
    *,
    max_states: int | None = None,
    max_memory: int | None = None,
    max_seconds: float | None = None,
    keep_going: bool = False,
    audit: bool = True,
    progress: Callable[[int, int, int], None] | None = None,
) -> Report:
    """Visit every reachable state of the model, within the budgets (`max_memory` in MiB).

    The search ends with the level of the first violation; with `keep_going` it visits everything.
    """
    name, search = _engine(engine)
    for option, value in {
        "max_states": max_states,
        "max_memory": max_memory,
        "max_seconds": max_seconds,
    }.items():
        if value is not None and not value > 0:  # nor "not a number"
            raise UsageError(f"{option} must be positive, not {value}")
    model.validate()
    started = time.perf_counter()
    budget = Budget(max_states, max_memory, max_seconds, started)
    try:
        found = search(model, Plan(budget, keep_going, audit, progress=progress))
    except ModelError as error:
        if error.path is not None:
            error.trace = replay(model, error.path)
        raise
    properties = tuple(_property(model, claim, found) for claim in model.claims())
    return Report(
        model=model.name,
        engine=name,
        verdict=_verdict(properties, found),
        distinct=found.distinct,
        transitions=found.transitions,
        depth=found.depth,
        seconds=time.perf_counter() - started,
        bounds=model.bounds,
        properties=properties,
        coverage=found.coverage,
        complete=found.complete,
        cut=found.cut,
        unexpanded=found.unexpanded,
        deadlock_allowed=model.deadlock_allowed,
        notes=found.notes,
        calls=found.calls,
        stored_bytes=found.stored_bytes,
    )


def _engine(name: str) -> tuple[str, Callable[[Model, Plan], Search]]:
    """The engine by name; `auto` is the fast one where numpy is installed."""
    if name not in ENGINES:
        raise UsageError(f"there is no engine {name!r}; choose one of {', '.join(ENGINES)}")
    if name != "reference":
        try:
            from dhruva.explore import vector
        except ImportError as error:
            if name == "vector":
                raise UsageError(
                    f"the vector engine needs numpy: install dhruva[explore] ({error})"
                ) from error
        else:
            return "vector", vector.search
    return "reference", reference.search


def _property(model: Model, claim: Claim, found: Search) -> PropertyReport:
    path = found.paths.get(claim.name)
    trace = None
    if path is not None:
        loop = found.loops.get(claim.name)
        confirm(model, claim, path, loop)
        trace = replay(model, path, loop)
    shown = path is not None
    if isinstance(claim, Sometimes):
        verdict = HOLDS if shown else VIOLATED if found.complete else UNKNOWN
    else:
        verdict = VIOLATED if shown else HOLDS if found.complete else UNKNOWN
    reached = found.reached.get(claim.name)
    return PropertyReport(claim.name, claim.kind, verdict, claim.cites, claim.sentence, trace, reached)


def _verdict(properties: tuple[PropertyReport, ...], found: Search) -> str:
    if any(one.verdict == VIOLATED for one in properties):
        return VIOLATED
    return HOLDS if found.cut is None else CUT_SHORT
