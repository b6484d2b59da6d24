"""The answer: one frozen record, readable as text and as JSON.

The verdict of a property is "holds", "violated" or "unknown"; the latter is all that can be said where the
search did not end and absence would have to be claimed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dhruva.explore.model import Bound
from dhruva.explore.replay import Trace
from dhruva.explore.search import Count, Coverage
from dhruva.explore.values import show

HOLDS, VIOLATED, CUT_SHORT, UNKNOWN = "holds", "violated", "cut short", "unknown"


@dataclass(frozen=True)
class PropertyReport:
    """What became of one property. `trace` refutes it, or witnesses a `sometimes`.

    `reached` is the number of states in which the `when` of an `always` held; None where there is no `when`.
    """

    name: str
    kind: str
    verdict: str
    cites: tuple[str, ...]
    sentence: str
    trace: Trace | None
    reached: int | None = None

    @property
    def is_vacuous(self) -> bool:
        """It holds, of nothing."""
        return self.verdict == HOLDS and self.reached == 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "verdict": self.verdict,
            "cites": list(self.cites),
            "sentence": self.sentence,
            "reached": self.reached,
            "trace": None if self.trace is None else self.trace.to_dict(),
        }


@dataclass(frozen=True)
class Report:
    """The result of `check`. Two reports are equal if they say the same, however long the search took."""

    model: str
    engine: str
    verdict: str
    distinct: int
    transitions: int
    depth: int
    seconds: float = field(compare=False)
    bounds: dict[str, Bound]
    properties: tuple[PropertyReport, ...]
    coverage: Coverage
    complete: bool
    cut: str | None
    unexpanded: int
    deadlock_allowed: str | None
    notes: tuple[str, ...] = ()
    # How the engine worked, not what it found: left out of comparisons and of JSON.
    calls: int = field(default=0, compare=False)
    stored_bytes: int = field(default=0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "engine": self.engine,
            "verdict": self.verdict,
            "distinct": self.distinct,
            "transitions": self.transitions,
            "depth": self.depth,
            "seconds": round(self.seconds, 3),
            "bounds": self.bounds,
            "complete": self.complete,
            "cut": self.cut,
            "unexpanded": self.unexpanded,
            "deadlock_allowed": self.deadlock_allowed,
            "notes": list(self.notes),
            "properties": [one.to_dict() for one in self.properties],
            "coverage": {
                "actions": [_count(one) for one in self.coverage.actions],
                "edges": [_count(one) for one in self.coverage.edges],
                "refusals": [_count(one) for one in self.coverage.refusals],
                "untaken": list(self.coverage.untaken),
            },
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        bounds = ", ".join(f"{name}={value}" for name, value in self.bounds.items())
        yield f"{self.model}{f' ({bounds})' if bounds else ''}: {self.verdict}"
        yield (
            f"{self.distinct:,} distinct states, {self.transitions:,} transitions, depth {self.depth}; "
            f"{self.engine} engine, {self.seconds:.2f} s"
        )
        yield from self._scope()
        yield ""
        width = max((len(one.kind) for one in self.properties), default=0)
        for one in self.properties:
            note = ", but of nothing: its `when` was never reached" if one.is_vacuous else ""
            yield f"  {one.verdict:8}  {one.kind:{width}}  {one.name}{note}"
        for one in self.properties:
            if one.verdict == VIOLATED:
                yield from _failure(one)
        idle = [str(one.what) for one in self.coverage.actions if one.fired == 0]
        if idle and self.complete:
            yield ""
            yield f"never enabled: {', '.join(idle)}"
        if self.coverage.untaken:
            yield ""
            yield f"branches never taken: {len(self.coverage.untaken):,} (--json lists them)"

    def _scope(self) -> Iterator[str]:
        if self.cut is not None:
            yield (
                f"cut short by {self.cut}: the steps of {self.unexpanded:,} states were not taken, "
                "and what no visited state shows is not claimed"
            )
        elif not self.complete:
            yield "the search ended with the level of the first violation"
        yield from self.notes
        if self.deadlock_allowed is not None:
            yield f"deadlocks were not looked for: {self.deadlock_allowed}"


def _failure(one: PropertyReport) -> Iterator[str]:
    yield ""
    if one.trace is None:
        yield f"{one.name}: no reachable state shows it"
    else:
        yield f"{one.name}: violated after {len(one.trace)} step{'' if len(one.trace) == 1 else 's'}"
    if one.sentence:
        yield f"  {one.sentence}"
    if one.trace is not None:
        yield one.trace.story()


def _count(one: Count) -> dict[str, Any]:
    return {
        "name": one.what if isinstance(one.what, str) else show(one.what),
        "fired": one.fired,
        "new": one.new,
    }
