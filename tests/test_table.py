"""Row, Machine, Refused: each check of a table with the fault that it must catch."""

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhruva.machines import MACHINES
from dhruva.table import Because, Machine, Refused, Row, Symbol, TableError, UnknownName, faults


class Light(StrEnum):
    RED = "red"
    GREEN = "green"
    OFF = "off"


class Turn(StrEnum):
    GO = "go"
    STOP = "stop"
    BREAK = "break"


class Power(Symbol):
    ON = "power_on", "there is power"
    BEEP = "beep", "it beeps"


R, G, OFF = Light
GO, STOP, BREAK = Turn
ROWS = (
    Row(R, GO, G, (Power.ON,), (), "ACT-5"),
    Row(G, STOP, R, (), (Power.BEEP,), "ACT-5"),
    Row(G, BREAK, OFF, (), (), "ACT-5 ACT-6"),
    Row(OFF, BREAK, OFF, (), (), "ACT-5"),
)


def light(**changes: Any) -> Machine[Light, Turn]:
    facts: dict[str, Any] = {
        "name": "light",
        "initial": R,
        "final": {OFF},
        "rows": ROWS,
        "closed_by": "ACT-5",
    }
    return Machine(**(facts | changes))


CALLABLE: Any = (len,)
ROW = Row(G, BREAK, OFF, (), (), "ACT-5")
PLANTED: dict[str, tuple[Callable[[], object], str, str]] = {
    "two rows for one pair": (lambda: light(rows=(*ROWS, ROW)), "row green -break-> off", "second row"),
    "leaves a final state": (
        lambda: light(rows=(*ROWS, Row(OFF, GO, R, (), (), "ACT-5"))),
        "row off -go-> red",
        "leaves a final state",
    ),
    "unreachable state": (
        lambda: light(rows=(*ROWS[:2], Row(R, BREAK, R, (), (), "ACT-5"))),
        "state off",
        "cannot be reached",
    ),
    "unused event": (lambda: light(rows=ROWS[:2], states=(R, G), final=()), "event break", "no row uses it"),
    "cites nothing": (
        lambda: light(rows=(*ROWS[:3], replace(ROWS[3], cites=" "))),
        "row off -break-> off",
        "cites",
    ),
    "undeclared state": (lambda: light(states=(R, G)), "row green -break-> off", "does not declare"),
    "undeclared event": (lambda: light(events=(GO, STOP)), "row green -break-> off", "does not declare"),
    "final is left out": (lambda: light(final=()), "state off", "it is not final"),
    "initial unknown": (lambda: light(initial="blue"), "state blue", "not one that the machine declares"),
    "no start": (lambda: light(initial=None), "the whole table", "neither an initial nor an entry state"),
    "no rows": (lambda: light(rows=()), "the whole table", "has no row"),
    "a callable in a cell": (
        lambda: light(rows=(replace(ROWS[0], when=CALLABLE), *ROWS[1:])),
        "row red -go-> green",
        "something else than symbols",
    ),
}


@pytest.mark.cites("VER-1")
@pytest.mark.parametrize("fault", PLANTED)
def test_a_faulty_table_cannot_be_built(fault: str) -> None:
    build, where, what = PLANTED[fault]
    with pytest.raises(TableError) as caught:
        build()
    assert caught.value.machine == "light"
    assert caught.value.where == where
    assert what in caught.value.fault
    assert where in str(caught.value)


def test_every_shipped_table_passes_its_checks() -> None:
    assert [list(faults(machine)) for machine in MACHINES.values()] == [[]] * len(MACHINES)


def test_step_gives_the_row_or_a_refusal_with_fields() -> None:
    machine = light()
    assert machine.step(R, GO) is ROWS[0]
    assert machine.step(R, STOP) == Refused("light", "red", "stop", "ACT-5", Because.NO_ROW)


@pytest.mark.parametrize(
    ("state", "event", "because"), [("blue", GO, Because.UNKNOWN_STATE), (R, "fly", Because.UNKNOWN_EVENT)]
)
def test_an_unknown_word_is_refused_by_name(state: Any, event: Any, because: Because) -> None:
    assert light().step(state, event) == Refused("light", state, event, "ACT-5", because)


@pytest.mark.parametrize("word", ["", "RED", "réd", "red ", 7, None])
def test_a_wrong_word_names_field_value_and_what_is_known(word: Any) -> None:
    with pytest.raises(UnknownName) as caught:
        light().state(word)
    assert (caught.value.field, caught.value.value, caught.value.known) == ("state", word, tuple(Light))
    with pytest.raises(UnknownName, match=r"has no event .*; it knows go, stop, break"):
        light().event(word)


def test_a_right_word_gives_the_member() -> None:
    assert light().state("red") is R
    assert light().event("stop") is STOP


def test_a_table_is_frozen_and_hashable() -> None:
    machine = light()
    assert machine == light()
    assert hash(machine) == hash(light())
    with pytest.raises(FrozenInstanceError):
        machine.name = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        ROWS[0].target = OFF  # type: ignore[misc]


CELL_CHANGES: dict[str, Machine[Light, Turn]] = {
    "target": light(rows=(replace(ROWS[0], target=R), Row(R, STOP, G, (), (), "ACT-5"), *ROWS[1:])),
    "guard": light(rows=(replace(ROWS[0], when=()), *ROWS[1:])),
    "effect": light(rows=(*ROWS[:1], replace(ROWS[1], then=()), *ROWS[2:])),
    "row less": light(rows=ROWS[:3]),
    "row more": light(rows=(*ROWS, Row(R, BREAK, OFF, (), (), "ACT-5"))),
    "name": light(name="lamp"),
    "entries": light(entries={G}),
}


@pytest.mark.parametrize("changed", CELL_CHANGES)
def test_the_digest_changes_with_any_cell_and_diff_says_where(changed: str) -> None:
    other = CELL_CHANGES[changed]
    assert other.digest != light().digest
    assert light().diff(other)
    assert str(light().diff(other))


def test_the_digest_ignores_citations_and_the_order_of_writing() -> None:
    recited = light(rows=tuple(replace(row, cites="VER-1") for row in reversed(ROWS)))
    assert recited.digest == light().digest
    assert not light().diff(recited)


def test_a_mutant_is_built_without_the_checks() -> None:
    mutant = light().unchecked((*ROWS, Row(OFF, GO, R, (), (), "")))
    assert mutant.step(OFF, GO) == Row(OFF, GO, R, (), (), "")
    assert [fault.fault for fault in faults(mutant)] == ["leaves a final state", "cites no requirement"]
    assert mutant != light()
    assert mutant.digest != light().digest


def test_a_diff_names_rows_added_removed_and_changed() -> None:
    more = Row(R, BREAK, OFF, (), (), "ACT-5")
    other = light(rows=(replace(ROWS[0], when=()), ROWS[1], ROWS[2], more))
    diff = light().diff(other)
    assert (diff.added, diff.removed) == ((more,), (ROWS[3],))
    assert diff.changed == ((ROWS[0], replace(ROWS[0], when=())),)
    assert diff.header == ()


def test_a_table_prints_aligned() -> None:
    assert str(light()).splitlines() == [
        "from   on     to     when      then  cites",
        "red    go     green  power_on        ACT-5",
        "green  stop   red              beep  ACT-5",
        "green  break  off                    ACT-5 ACT-6",
        "off    break  off                    ACT-5",
    ]


def test_a_table_serializes_to_plain_json() -> None:
    text = json.dumps(light().to_json())
    assert json.loads(text)["rows"][2] == {
        "from": "green",
        "on": "break",
        "to": "off",
        "when": [],
        "then": [],
        "cites": ["ACT-5", "ACT-6"],
    }


@pytest.mark.cites("ACT-5", "LIF-1")
@given(data=st.data())
def test_any_walk_of_any_table_stays_inside_it(data: st.DataObject) -> None:
    """From its starts, a machine only ever reaches states that it declares, and refusals move nothing."""
    machine = data.draw(st.sampled_from(list(MACHINES.values())))
    starts = sorted(machine.entries) if machine.initial is None else [machine.initial]
    state = data.draw(st.sampled_from(starts))
    for event in data.draw(st.lists(st.sampled_from(machine.events), max_size=30)):
        answer = machine.step(state, event)
        if isinstance(answer, Refused):
            assert (answer.machine, answer.state, answer.event) == (machine.name, state, event)
        else:
            assert (answer.source, answer.on) == (state, event)
            state = answer.target
        assert state in machine.states
