"""What every engine is given and what it hands back: the contract that makes engines comparable.

A transition is (state, action, successor), self-loops included: two outcomes of one action that lead to
the same successor are one transition. Depth counts levels from 0. The search goes level by level. Without
`keep_going` it ends with the first level by which a property is refuted, so that even then two engines
visit the same states.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from dhruva.explore.errors import Path
from dhruva.explore.values import show

# Asking the system for memory costs as much as a state; so often, in seconds, is enough.
_MEMORY_EVERY = 0.05


@dataclass
class Budget:
    """When to give up. Memory is in MiB of this process; seconds count from `started`."""

    max_states: int | None = None
    max_memory: int | None = None
    max_seconds: float | None = None
    started: float = field(default_factory=time.perf_counter)
    memory_asked: float = 0.0

    def spent(self, distinct: int) -> str | None:
        """Which budget is used up, in words, or None."""
        now = time.perf_counter()
        if self.max_states is not None and distinct > self.max_states:
            return f"max_states={self.max_states}"
        if self.max_seconds is not None and now - self.started >= self.max_seconds:
            return f"max_seconds={self.max_seconds:g}"
        if self.max_memory is not None and now - self.memory_asked >= _MEMORY_EVERY:
            self.memory_asked = now
            if resident() >= self.max_memory:
                return f"max_memory={self.max_memory}"
        return None


def resident() -> int:
    """Memory of this process in MiB; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            pages = int(statm.read().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGESIZE") // 2**20


# How often an audit calls a function again in one state: hidden state and chance rarely repeat themselves.
AUDIT_CALLS = 3


@dataclass(frozen=True)
class Plan:
    """How to search. The audit calls functions again where their answer is known, and compares."""

    budget: Budget
    keep_going: bool = False
    audit: bool = True
    liveness: bool = True
    # Called now and then with the number of states, the size of the level, and the depth.
    progress: Callable[[int, int, int], None] | None = None


@dataclass(frozen=True)
class Count:
    """How often something happened, and how many states were first met that way."""

    what: object
    fired: int
    new: int


@dataclass(frozen=True)
class Coverage:
    """What was exercised: each action in the order of the model, each edge and refusal that occurred.

    `untaken` lists, for engines that record, the values that an action never met where it reads a cell.
    """

    actions: tuple[Count, ...]
    edges: tuple[Count, ...]
    refusals: tuple[Count, ...]
    untaken: tuple[str, ...] = ()


class Tally:
    """Counts under construction."""

    def __init__(self, what: Iterable[object] = ()) -> None:
        self._counts: dict[object, list[int]] = {one: [0, 0] for one in what}

    def add(self, what: object, fired: int, new: int = 0) -> None:
        count = self._counts.setdefault(what, [0, 0])
        count[0] += fired
        count[1] += new

    def counts(self) -> tuple[Count, ...]:
        return tuple(Count(what, fired, new) for what, (fired, new) in self._counts.items())

    def by_name(self) -> tuple[Count, ...]:
        return tuple(sorted(self.counts(), key=lambda count: show(count.what)))


@dataclass(frozen=True)
class Search:
    """The result of an engine. `paths` holds, per property, a shortest way to refute (or witness) it.

    `cut` is the budget that ended it; `unexpanded` states were met but their steps not taken.
    `calls` counts calls of the model's functions, `stored_bytes` what is kept for all states; 0 if unknown.
    """

    distinct: int
    transitions: int
    depth: int
    paths: dict[str, Path]
    reached: dict[str, int]
    coverage: Coverage
    complete: bool
    cut: str | None
    unexpanded: int = 0
    calls: int = 0
    stored_bytes: int = 0
    notes: tuple[str, ...] = ()
    # For a run that goes on for ever: after how many steps of its path the part begins that is repeated.
    loops: dict[str, int] = field(default_factory=dict)
