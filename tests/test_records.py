"""Records at the edge: what does not fit is refused with its field and its value."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dhruva.decide.fields import Fields, apply, created
from dhruva.ids import TaskStatus
from dhruva.machines.task import TaskEvent
from dhruva.records import (
    DependsOn,
    Dispatch,
    ExecutionRequest,
    Origin,
    Pressure,
    Record,
    RetryPolicy,
    Schedule,
    ScheduleForm,
    ScopePolicy,
    TaskDefinition,
    TaskRecord,
    milli,
)

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
ID = UUID("6f9619ff-8b86-4d01-b42d-00cf4fc964ff")
OTHER = UUID("7c9e6679-7425-40de-944b-e07fc1f90ae7")
DEFINITION: dict[str, Any] = {"id": ID, "name": "load", "executor": "load"}
REQUEST: dict[str, Any] = {"id": ID, "scope": "insights", "timestamp": NOW}
PRESSURE: dict[str, Any] = {"memory": 0.1, "queue_depth": 0.2, "spawn_saturation": 0.3}
DISPATCH: dict[str, Any] = {"spawn_budget": 3, "max_retry_depth": 2}
SCHEDULE: dict[str, Any] = {"form": ScheduleForm.CRON, "expression": "0 5 * * *"}
RECORD: dict[str, Any] = {
    "definition": TaskDefinition(**DEFINITION),
    "status": TaskStatus.PENDING,
    "progress": 0.0,
    "result": None,
    "error": None,
    "created_at": NOW,
    "started_at": None,
    "completed_at": None,
    "updated_at": NOW,
}

BAD: list[tuple[type[Record], dict[str, Any], str, Any]] = [
    (TaskDefinition, DEFINITION, "priority", 7),
    (TaskDefinition, DEFINITION, "priority", -1),
    (TaskDefinition, DEFINITION, "priority", 1.0),
    (TaskDefinition, DEFINITION, "priority", "2"),
    (TaskDefinition, DEFINITION, "priority", True),
    (TaskDefinition, DEFINITION, "name", "n" * 256),
    (TaskDefinition, DEFINITION, "name", ""),
    (TaskDefinition, DEFINITION, "name", 3),
    (TaskDefinition, DEFINITION, "id", UUID("c232ab00-9414-11ec-b3c8-9f6bdeced846")),
    (TaskDefinition, DEFINITION, "id", "not a uuid"),
    (TaskDefinition, DEFINITION, "inputs", [1]),
    (TaskDefinition, DEFINITION, "unknown_field", 1),
    (Pressure, PRESSURE, "memory", float("nan")),
    (Pressure, PRESSURE, "memory", float("inf")),
    (Pressure, PRESSURE, "queue_depth", 1.5),
    (Pressure, PRESSURE, "spawn_saturation", -0.1),
    (Dispatch, DISPATCH, "spawn_budget", -1),
    (Dispatch, DISPATCH, "max_retry_depth", -1),
    (Dispatch, DISPATCH, "spawn_budget", 2.5),
    (ExecutionRequest, REQUEST, "timestamp", datetime(1969, 12, 31, tzinfo=UTC)),
    (ExecutionRequest, REQUEST, "timestamp", datetime(2026, 1, 1)),  # noqa: DTZ001
    (ExecutionRequest, REQUEST, "priority", 4),
    (RetryPolicy, {}, "max_attempts", 0),
    (RetryPolicy, {}, "backoff", "linear"),
    (ScopePolicy, {}, "max_concurrent", 0),
    (Schedule, SCHEDULE, "form", "hourly"),
]


@pytest.mark.cites("LIF-17", "DSP-10", "DSP-14", "ACT-1")
@pytest.mark.parametrize(("record", "good", "field", "value"), BAD, ids=lambda item: str(item)[:24])
def test_bad_input_is_named_by_field_and_value(
    record: type[Record], good: dict[str, Any], field: str, value: Any
) -> None:
    record(**good)
    with pytest.raises(ValidationError) as caught:
        record(**(good | {field: value}))
    (error,) = caught.value.errors()
    assert error["loc"] == (field,)
    assert error["input"] is value


ACROSS: list[tuple[type[Record], dict[str, Any], str]] = [
    (RetryPolicy, {"initial_delay_ms": 10, "max_delay_ms": 5}, "initial_delay_ms 10 is above max_delay_ms 5"),
    (ScopePolicy, {"queue": True}, "max_queued is 0"),
    (ScopePolicy, {"max_queued": 3}, "queue is False"),
    (Schedule, SCHEDULE | {"max_runs": 2, "run_count": 3}, "run_count 3 is above max_runs 2"),
    (Schedule, SCHEDULE | {"start": NOW, "end": NOW - timedelta(1)}, "is after end"),
    (TaskDefinition, DEFINITION | {"dependencies": (DependsOn(id=ID),)}, "depends on itself"),
    (TaskDefinition, DEFINITION | {"dependencies": (DependsOn(id=OTHER),) * 2}, "is named twice"),
    (TaskDefinition, DEFINITION | {"origin": Origin.LINK}, "origin link and original None"),
    (TaskDefinition, DEFINITION | {"original": OTHER}, "origin create and original"),
]


@pytest.mark.cites("LIF-17", "LIF-12", "LIF-14", "ACT-13")
@pytest.mark.parametrize(("record", "given", "message"), ACROSS, ids=lambda item: str(item)[:24])
def test_fields_that_do_not_go_together(record: type[Record], given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        record(**given)


@pytest.mark.cites("LIF-16")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("started_at", NOW),
        ("completed_at", NOW),
        ("result", {"rows": 3}),
        ("error", "boom"),
        ("progress", 0.5),
        ("updated_at", NOW - timedelta(seconds=1)),
    ],
)
def test_a_pending_record_with_a_field_that_does_not_fit(field: str, value: Any) -> None:
    TaskRecord(**RECORD)
    with pytest.raises(ValidationError, match="does not fit status pending"):
        TaskRecord(**(RECORD | {field: value}))


@pytest.mark.cites("LIF-2", "LIF-16")
@given(
    path=st.sampled_from(
        [
            (),
            (TaskEvent.START,),
            (TaskEvent.CANCEL,),
            (TaskEvent.START, TaskEvent.SUCCEED),
            (TaskEvent.START, TaskEvent.FAIL),
            (TaskEvent.START, TaskEvent.CANCEL),
            (TaskEvent.START, TaskEvent.FAIL, TaskEvent.RETRY),
        ]
    ),
    clock=st.lists(st.integers(0, 10**12), min_size=4, max_size=4),
)
def test_what_the_field_rules_produce_is_a_valid_record(
    path: tuple[TaskEvent, ...], clock: list[int]
) -> None:
    """The rules of LIF-2 and the check of LIF-16 agree, also when the clock goes back."""
    status = {
        (): "pending",
        (TaskEvent.START,): "in_progress",
        (TaskEvent.CANCEL,): "cancelled",
        (TaskEvent.START, TaskEvent.SUCCEED): "completed",
        (TaskEvent.START, TaskEvent.FAIL): "failed",
        (TaskEvent.START, TaskEvent.CANCEL): "cancelled",
        (TaskEvent.START, TaskEvent.FAIL, TaskEvent.RETRY): "pending",
    }[path]
    fields = created(clock[0])
    for event, now in zip(path, clock[1:], strict=False):
        fields = apply(fields, event, now)
    record = TaskRecord(**_shown(TaskStatus(status), fields))
    assert TaskRecord.model_validate_json(record.model_dump_json()) == record


def _shown(status: TaskStatus, fields: Fields) -> dict[str, Any]:
    stamps = {
        "created_at": fields.created,
        "started_at": fields.started,
        "completed_at": fields.completed,
        "updated_at": fields.updated,
    }
    return {
        "definition": TaskDefinition(**DEFINITION),
        "status": status,
        "progress": fields.progress / 1000,
        "result": {} if fields.result else None,
        "error": "failed" if fields.error else None,
        **{
            name: None if ms is None else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
            for name, ms in stamps.items()
        },
    }


def test_records_are_frozen_and_read_back_from_json() -> None:
    task = TaskDefinition(**DEFINITION, dependencies=(DependsOn(id=uuid4()),))
    with pytest.raises(ValidationError, match="frozen"):
        task.name = "other"
    assert TaskDefinition.model_validate_json(json.dumps(task.model_dump(mode="json"))) == task


@pytest.mark.cites("LIF-2")
def test_stamps_are_kept_in_utc() -> None:
    east = datetime(2026, 11, 18, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    stamp = ExecutionRequest(**(REQUEST | {"timestamp": east})).timestamp
    assert (stamp, stamp.tzinfo) == (NOW, UTC)


@pytest.mark.cites("DSP-10")
@given(st.floats(0.0, 1.0))
def test_a_share_in_thousandths_is_the_nearest(share: float) -> None:
    assert abs(milli(share) - share * 1000) <= 0.5
    assert 0 <= milli(share) <= 1000
