"""`machine_test`: a consumer's own implementation of a table, tested against the table itself.

    TestDoor = machine_test(DOOR, Door)

gives a test case with two tests. One tours the table: it goes the shortest way to every row, and there tries
the row, the row with each guard broken, and every event that has no row. The other walks at random, with
Hypothesis, and shrinks what it finds. What is expected is read off the table, never written twice (VER-1).
Needs the extra `dhruva[testing]`.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from unittest import TestCase

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from dhruva.table import Machine, Refused, Row, Symbol

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)


class Subject(Protocol):
    """An implementation, as the test drives it. A new one is made for each walk, in the initial state."""

    @property
    def state(self) -> str:
        """The state it is in, in the table's words."""

    def arrange(self, guard: str, holds: bool) -> None:
        """Bring about circumstances in which this guard holds, or does not. Asked before each event."""

    def fire(self, event: str) -> bool:
        """Let the event happen. Whether it was accepted; a refusal is False, never an exception."""


class Departure(AssertionError):
    """The implementation and the table part: names the pair, what the table says, what was seen."""


class Try(NamedTuple, Generic[S, E]):
    """One event, with what each guard of its row is arranged to say."""

    event: E
    guards: dict[Symbol, bool]


def machine_test(
    machine: Machine[S, E], subject: Callable[[], Subject], *, start: S | None = None
) -> type[TestCase]:
    """A test case for an implementation of this table; `subject` makes a new one.

    `start` is the state it is made in: the initial one, unless the table has several entries.
    """
    begins = _begin(machine, start)

    class Walk(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.subject = _fresh(machine, subject, begins)

        @rule(data=st.data())
        def event(self, data: st.DataObject) -> None:
            """Half of the events have a row, and at most one guard of it is broken: so walks get far."""
            state = machine.state(self.subject.state)
            rows = {row.on: row for row in machine.rows if row.source == state}
            known = st.sampled_from([*rows] or machine.events)
            event = data.draw(known | st.sampled_from(machine.events), label="event")
            when = rows[event].when if event in rows else ()
            broken = data.draw(st.sampled_from([None, *when]), label="broken guard") if when else None
            attempt(machine, self.subject, Try(event, {guard: guard is not broken for guard in when}))

    base: Any = Walk.TestCase

    class Conformance(base):  # type: ignore[misc]  # Hypothesis makes this class when it is asked for it
        def test_every_row_and_every_refusal(self) -> None:
            tour(machine, subject, start=begins)

        def test_random_walks(self) -> None:
            self.runTest()

    Conformance.__name__ = Conformance.__qualname__ = f"Test_{machine.name.replace('-', '_')}"
    return Conformance


def tour(machine: Machine[S, E], subject: Callable[[], Subject], *, start: S | None = None) -> int:
    """Every row, every guard of it broken, and every pair without a row, each on a new subject.

    Returns how many tries were made. States that cannot be reached from `start` are not toured.
    """
    begins = _begin(machine, start)
    made = 0
    for state, way in _ways(machine, begins).items():
        for last in _tries(machine, state):
            driven = _fresh(machine, subject, begins)
            for row in way:
                attempt(machine, driven, _taken(row))
            attempt(machine, driven, last)
            made += 1
    return made


def attempt(machine: Machine[S, E], subject: Subject, made: Try[S, E]) -> None:
    """One event; raises Departure unless the subject does what the table says."""
    before = machine.state(subject.state)
    row = machine.step(before, made.event)
    for guard, holds in made.guards.items():
        subject.arrange(guard, holds)
    taken = row if not isinstance(row, Refused) and all(made.guards.values()) else None
    target = before if taken is None else taken.target
    accepted = subject.fire(made.event)
    if not isinstance(accepted, bool):
        raise TypeError(f"fire({str(made.event)!r}) answered {accepted!r}; it must say True or False")
    if accepted != (taken is not None) or subject.state != target:
        broken = [str(guard) for guard, holds in made.guards.items() if not holds]
        where = f"{before} -{made.event}->" + (f", {' and '.join(broken)} broken" if broken else "")
        says = str(target) if taken else f"refused, and still {before}"
        seen = f"{'accepted' if accepted else 'refused'}, and now {subject.state}"
        raise Departure(f"{machine.name}, {where}: the table says {says}; the implementation {seen}")


def _begin(machine: Machine[S, E], start: S | None) -> S:
    begins = machine.initial if start is None else machine.state(start)
    if begins is None:
        entries = ", ".join(sorted(machine.entries))
        raise ValueError(f"machine {machine.name!r} has no initial state: give start, one of {entries}")
    return begins


def _fresh(machine: Machine[S, E], subject: Callable[[], Subject], begins: S) -> Subject:
    made = subject()
    if made.state != begins:
        raise Departure(f"{machine.name}: a new implementation is in {made.state!r}, and not in {begins}")
    return made


def _taken(row: Row[S, E]) -> Try[S, E]:
    return Try(row.on, dict.fromkeys(row.when, True))


def _tries(machine: Machine[S, E], state: S) -> Iterator[Try[S, E]]:
    for event in machine.events:
        row = machine.step(state, event)
        if isinstance(row, Refused):
            yield Try(event, {})
        else:
            yield _taken(row)
            for broken in row.when:
                yield Try(event, {guard: guard is not broken for guard in row.when})


def _ways(machine: Machine[S, E], begins: S) -> dict[S, tuple[Row[S, E], ...]]:
    """For each state that can be reached, the rows of a shortest way to it."""
    ways: dict[S, tuple[Row[S, E], ...]] = {begins: ()}
    edge = [begins]
    while edge:
        beyond: list[S] = []
        for state in edge:
            for row in machine.rows:
                if row.source == state and row.target not in ways:
                    ways[row.target] = (*ways[state], row)
                    beyond.append(row.target)
        edge = beyond
    return ways
