"""What a step looks up is noted: rows, missing ones too, wires, decisions and the rules themselves."""

from typing import Any

from dhruva.cells import FollowUp, Key, Kind
from dhruva.ids import OwnerId, ProcessId, RequestId, ScopeId
from dhruva.inputs import Ask, CreateScope, Handle, Mount, Suspend
from dhruva.step import BOOK, step
from dhruva.table import Refused
from dhruva.verify.watch import DECISION, HANDLER, RULE, Switch, Watch


def test_rows_missing_rows_wires_and_decisions_are_noted() -> None:
    watch = Watch(BOOK)
    cells: dict[Key, Any] = {}
    made = watch.step(cells.get, CreateScope(ScopeId(1)))
    assert not isinstance(made, Refused)
    cells |= made.writes
    assert ("scope", "INIT", "mounted") in watch.take()
    assert isinstance(watch.step(cells.get, Mount(ScopeId(1))), Refused)
    assert watch.take() == {(RULE, "Mount"), ("scope", "ATTACHED", "mounted")}
    here = (Kind.FOLLOW, FollowUp.TELL, 1)
    assert isinstance(watch.step(cells.get, Handle(here)), Refused)
    assert watch.take() == {(RULE, "Handle"), (HANDLER, "tell")}
    asked = watch.step(cells.get, Ask(RequestId(OwnerId(10)), ScopeId(1), ProcessId(9)))
    assert not isinstance(asked, Refused)
    seen = watch.take()
    assert {(DECISION, "authorize"), ("request", "commit"), ("scope", "ATTACHED", "task_started")} <= seen
    assert watch.take() == frozenset()


def test_a_watched_step_says_what_the_step_says() -> None:
    cells: dict[Key, Any] = {}
    for given in (CreateScope(ScopeId(1)), Suspend(ScopeId(1)), Mount(ScopeId(2))):
        said = Watch(BOOK).step(cells.get, given)
        assert said == step(cells.get, given)
        cells |= {} if isinstance(said, Refused) else said.writes


def test_a_switch_can_be_turned() -> None:
    switch = Switch(step)
    switch.step = lambda _read, _given: Refused("a", "b", "c", "d", "e")
    nothing: dict[Key, Any] = {}
    assert switch(nothing.get, CreateScope(ScopeId(1))).machine == "a"
