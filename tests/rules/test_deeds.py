"""Each deed is used by some wire, and there is no other; the fields follow the transitions (LIF-2)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.decide.fields import FIELD_ACTIONS
from dhruva.machines.task import TaskEvent
from dhruva.rules.deeds import DEEDS
from dhruva.wiring import WIRING, Do, Does
from tests.rules.cast import RUN, TASK, running, scope, task, wake
from tests.rules.play import accept, begin


@pytest.mark.cites("VER-1a")
def test_deeds_are_total_and_none_is_unused() -> None:
    assert set(DEEDS) == set(Does)
    assert {wire.does for wire in WIRING if isinstance(wire, Do)} == set(Does)


FIELDS: dict[str, tuple[tuple[Any, ...], Any, tuple[TaskEvent, ...]]] = {
    "start": ((scope(), task()), wake(), (TaskEvent.START,)),
    "succeed": (running(), i.Succeed(RUN), (TaskEvent.SUCCEED,)),
    "fail": (running(), i.Fail(RUN), (TaskEvent.FAIL,)),
    "fail and retry": (running(max_attempts=2), i.Fail(RUN), (TaskEvent.FAIL, TaskEvent.RETRY)),
    "cancel": (running(), i.Cancel(TASK), (TaskEvent.CANCEL,)),
}


@pytest.mark.cites("LIF-2a", "LIF-2b", "LIF-2c", "LIF-2d", "LIF-2e", "LIF-2f", "LIF-14e")
@pytest.mark.parametrize("name", FIELDS)
def test_each_transition_says_what_becomes_of_the_fields(name: str) -> None:
    setup, given, events = FIELDS[name]
    change = accept(begin(*setup), given)
    assert [payload.actions for payload in change.payloads] == [FIELD_ACTIONS[event] for event in events]
    assert {payload.task for payload in change.payloads} == {TASK}
