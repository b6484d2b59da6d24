"""The grids notice: a fault of each kind, planted in a copy of the scope's table, is caught."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count, product
from typing import Any, TypeAlias

import pytest

from dhruva.machines.scope import SCOPE, ScopeEvent, ScopeState
from dhruva.table import Machine, Refused, Row
from tests.machines.test_scope import GRID
from tests.spec.grid import AnyMachine, grid, header_faults, pair_faults, walk

S, E = ScopeState, ScopeEvent
Answer: TypeAlias = Row[ScopeState, ScopeEvent] | Refused
EXTRA = Row(S.DISPOSED, E.MOUNTED, S.ATTACHED, (), (), "ACT-5")


def faults(machine: AnyMachine) -> list[str]:
    """All that the grid of the scope finds in this table."""
    pairs = product(GRID.states, GRID.events)
    return header_faults(GRID, machine) + [
        fault for state, event in pairs for fault in pair_faults(GRID, machine, state, event)
    ]


def with_row(source: ScopeState, on: ScopeEvent, **cells: Any) -> AnyMachine:
    """The scope with other cells in one row."""
    rows = (replace(row, **cells) if (row.source, row.on) == (source, on) else row for row in SCOPE.rows)
    return replace(SCOPE, rows=tuple(rows))


def without(*words: str) -> AnyMachine:
    """The scope without every row that has one of these words, and without the words."""
    return replace(
        SCOPE,
        rows=tuple(row for row in SCOPE.rows if not {row.source, row.on, row.target} & set(words)),
        states=tuple(state for state in SCOPE.states if state not in words),
        events=tuple(event for event in SCOPE.events if event not in words),
    )


def lying(lie: Callable[[AnyMachine, Answer], Answer]) -> AnyMachine:
    """The scope's table with a step that tampers with its answers."""

    class Liar(Machine[ScopeState, ScopeEvent]):
        def step(self, state: ScopeState, event: ScopeEvent) -> Answer:
            return lie(self, super().step(state, event))

    return Liar(SCOPE.name, SCOPE.initial, SCOPE.final, SCOPE.rows, SCOPE.closed_by)


def on_refusal(**fields: str) -> Callable[[AnyMachine, Answer], Answer]:
    """A lie: refusals say something else in these fields."""
    return lambda _, answer: answer._replace(**fields) if isinstance(answer, Refused) else answer


def loses_a_row(machine: AnyMachine, answer: Answer) -> Answer:
    """A lie: a refusal changes the table."""
    if isinstance(answer, Refused):
        object.__setattr__(machine, "rows", machine.rows[:-1])
    return answer


def answers_with_the_first_row(machine: AnyMachine, answer: Answer) -> Answer:
    """A lie: whatever is accepted, the answer is one and the same row."""
    return answer if isinstance(answer, Refused) else machine.rows[0]


@pytest.mark.cites("ACT-5")
def test_the_table_itself_is_without_fault() -> None:
    assert faults(SCOPE) == []


@pytest.mark.cites("ACT-5")
@pytest.mark.parametrize(
    ("machine", "found"),
    [
        pytest.param(
            with_row(S.SUSPENDED, E.RESUME, target=S.ATTACHED),
            "SUSPENDED resume: target: the contract says RUNNING, the table ATTACHED",
            id="wrong-target",
        ),
        pytest.param(
            replace(
                SCOPE, rows=tuple(row for row in SCOPE.rows if str(row) != "row INIT -dispose-> DISPOSING")
            ),
            "INIT dispose: the contract says DISPOSING, the table refuses",
            id="missing-row",
        ),
        pytest.param(
            replace(SCOPE, rows=(*SCOPE.rows, Row(S.INIT, E.SUSPEND, S.SUSPENDED, (), (), "ACT-5"))),
            "INIT suspend: the contract refuses, the table has row INIT -suspend-> SUSPENDED",
            id="extra-row",
        ),
        pytest.param(
            with_row(S.DISPOSING, E.DRAINED, when=()),
            "DISPOSING drained: guards: the contract says ('empty',), the table ()",
            id="dropped-guard",
        ),
        pytest.param(
            with_row(S.INIT, E.MOUNTED, then=()),
            "INIT mounted: effects: the contract says ('wake_lanes',), the table ()",
            id="dropped-effect",
        ),
        pytest.param(
            replace(SCOPE, rows=(*SCOPE.rows, EXTRA), final=frozenset()),
            "final: the contract says ['DISPOSED'], the table []",
            id="wrong-final",
        ),
        pytest.param(
            replace(SCOPE, initial=S.ATTACHED, entries={S.INIT}),
            "initial: the contract says INIT, the table ATTACHED",
            id="wrong-initial",
        ),
        pytest.param(
            replace(SCOPE, entries={S.RUNNING}),
            "entries: the contract says [], the table ['RUNNING']",
            id="wrong-entries",
        ),
        pytest.param(
            replace(SCOPE, name="scopes"),
            "name: the contract says scope, the table scopes",
            id="wrong-name",
        ),
        pytest.param(
            without("SUSPENDED", "suspend", "resume"),
            "states: the contract says ['ATTACHED', 'DISPOSED', 'DISPOSING', 'INIT', 'RUNNING', 'SUSPENDED']",
            id="missing-state",
        ),
        pytest.param(
            without("SUSPENDED", "suspend", "resume"),
            "SUSPENDED dispose: the table does not know this state or event",
            id="pair-of-a-missing-state",
        ),
        pytest.param(
            without("task_started"),
            "events: the contract says ['dispose', 'drained', 'mounted', 'resume', 'suspend', 'task_started'",
            id="missing-event",
        ),
    ],
)
def test_a_wrong_table_is_caught(machine: AnyMachine, found: str) -> None:
    assert [fault for fault in faults(machine) if fault.startswith(found)]


@pytest.mark.cites("ACT-5k")
@pytest.mark.parametrize(
    ("lie", "found"),
    [
        pytest.param(on_refusal(machine="task"), "the refusal names task, INIT, suspend", id="machine"),
        pytest.param(on_refusal(state="RUNNING"), "the refusal names scope, RUNNING, suspend", id="state"),
        pytest.param(on_refusal(event="resume"), "the refusal names scope, INIT, resume", id="event"),
        pytest.param(on_refusal(rule="ACT"), "the refusal cites 'ACT', which is no requirement", id="rule"),
        pytest.param(on_refusal(because="empty"), "refused because of empty, not no_row", id="because"),
        pytest.param(loses_a_row, "a refusal changed the table", id="changed"),
    ],
)
def test_a_wrong_refusal_is_caught(lie: Callable[[AnyMachine, Answer], Answer], found: str) -> None:
    assert pair_faults(GRID, lying(lie), "INIT", "suspend") == [f"INIT suspend: {found}"]


@pytest.mark.cites("ACT-5k")
def test_a_refusal_that_differs_the_second_time_is_caught() -> None:
    numbers = count(1)
    machine = lying(lambda _, answer: on_refusal(rule=f"ACT-{next(numbers)}")(SCOPE, answer))
    assert pair_faults(GRID, machine, "INIT", "suspend") == [
        "INIT suspend: the second refusal differs from the first"
    ]


@pytest.mark.cites("ACT-5")
def test_an_answer_with_the_row_of_another_pair_is_caught() -> None:
    found = pair_faults(GRID, lying(answers_with_the_first_row), "DISPOSED", "dispose")
    assert "DISPOSED dispose: the table answers with row INIT -mounted-> ATTACHED" in found


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        pytest.param("go\na b c\nb .", "line a: 2 targets for 1 events", id="ragged"),
        pytest.param("go\na .\na .", "a state twice", id="state-twice"),
        pytest.param("go go\na . .", "an event twice", id="event-twice"),
        pytest.param("go\na b", "a state that has no line", id="unknown-target"),
        pytest.param("go\na .", "symbols for a pair that is refused", id="symbols"),
        pytest.param("go\na .\n\nstop\nb .", "each block has the same states", id="blocks"),
    ],
)
def test_a_malformed_grid_is_refused(table: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        grid("toy", table, initial="a", final="", symbols={("a", "go"): ("", "ring")})


def test_blocks_add_events_to_the_same_states() -> None:
    read = grid("toy", "go\na b\nb .\n\nstop\na .\nb a", initial="a", final="")
    assert (read.states, read.events) == (("a", "b"), ("go", "stop"))
    assert {pair: cell.target for pair, cell in read.cells.items()} == {("a", "go"): "b", ("b", "stop"): "a"}


def test_a_walk_takes_the_rows_and_passes_over_what_is_refused() -> None:
    taken = walk(SCOPE, "INIT", ["resume", "mounted", "no such event", "suspend"])
    assert [row.target for row in taken] == ["ATTACHED", "SUSPENDED"]
