"""What an execution does to a record, in plain values: the same as the decisions say."""

import pytest

from dhruva.decide.fields import FIELD_ACTIONS, apply
from dhruva.decide.outcome import Failure
from dhruva.effects import FieldChange
from dhruva.ids import OwnerId, TaskId
from dhruva.limits import RETRY_CAP_MS, RETRY_INITIAL_MS
from dhruva.requests.execution import NO_MESSAGE, created, error_text, moved, retry_delay_ms

TASK = TaskId(OwnerId(7))


@pytest.mark.cites("LIF-2")
@pytest.mark.parametrize("event", FIELD_ACTIONS, ids=str)
def test_a_field_change_does_what_its_transition_does(event: object) -> None:
    fields = created(1_000)._replace(started=1_100, updated=1_200, progress=300)
    change = FieldChange(TASK, FIELD_ACTIONS[event], None)  # type: ignore[index]
    for now in (500, 1_200, 9_000):
        assert moved(fields, change, now) == apply(fields, event, now)  # type: ignore[arg-type]


@pytest.mark.cites("LIF-8", "LIF-16")
def test_an_error_begins_with_its_word_and_is_never_empty() -> None:
    assert error_text(Failure.ERROR, "ValueError: x") == "error: ValueError: x"
    assert error_text(Failure.INTERRUPTED, None) == "interrupted"
    assert error_text(None, "not needed") == "not needed"
    assert error_text(Failure.CANCELLED, "") == error_text(None, None) == NO_MESSAGE


@pytest.mark.cites("LIF-14")
def test_a_retry_waits_twice_as_long_each_time_up_to_the_cap() -> None:
    waits = [retry_delay_ms(tries, RETRY_INITIAL_MS, RETRY_CAP_MS) for tries in range(1, 9)]
    assert waits == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
