"""The data model at the edge: what comes in from people and files, and what they get to see (LIF-16, LIF-17).

Strict and frozen: a value of the wrong type is an error that names the field and the value, an
unknown field too. Inside the kernel there are no such objects; `decide` and `step` see integers
and enums, which these records are translated into.
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import UUID4, AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from dhruva.decide.fields import Fields, misfit
from dhruva.ids import Priority, TaskStatus
from dhruva.limits import (
    MILLI,
    NAME_LENGTH_MAX,
    RETRY_CAP_MS,
    RETRY_INITIAL_MS,
    RETRY_MAX_ATTEMPTS,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _utc(stamp: datetime) -> datetime:
    if stamp.tzinfo is None:
        raise ValueError("a stamp needs a time zone")
    if stamp < EPOCH:
        raise ValueError("a stamp before 1970-01-01T00:00:00Z")
    return stamp.astimezone(UTC)


Stamp = Annotated[datetime, AfterValidator(_utc)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
"""A part of a whole, 0 to 1. Not a number and infinity are no shares."""
Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX)]
Urgency = Annotated[int, Field(ge=Priority.URGENT, le=Priority.LOW)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]


def milli(share: float) -> int:
    """A share in thousandths, rounded to the nearest: the form in which rules compare it."""
    return round(share * MILLI)


class Record(BaseModel):
    """Frozen, strict, closed."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class ExecutionRequest(Record):
    """What asks an authority for execution (ACT-1)."""

    id: UUID
    scope: Name
    timestamp: Stamp
    priority: Urgency = Priority.NORMAL


class RetryPolicy(Record):
    """When a failure is tried again (LIF-14). The first attempt counts."""

    max_attempts: Positive = RETRY_MAX_ATTEMPTS
    backoff: Literal["exponential"] = "exponential"
    initial_delay_ms: Positive = RETRY_INITIAL_MS
    max_delay_ms: Positive = RETRY_CAP_MS
    on_timeout: bool = False

    @model_validator(mode="after")
    def _delays_in_order(self) -> Self:
        if self.initial_delay_ms > self.max_delay_ms:
            raise ValueError(
                f"initial_delay_ms {self.initial_delay_ms} is above max_delay_ms {self.max_delay_ms}"
            )
        return self


class ScopePolicy(Record):
    """The limits of a scope (ACT-13). What is not set is not limited."""

    max_concurrent: Positive | None = None
    max_spawns: Positive | None = None
    timeout_ms: Positive | None = None
    retry: Count | None = None
    queue: bool = False
    max_queued: Count = 0
    queue_wait_ms: Positive | None = None

    @model_validator(mode="after")
    def _queue_has_room(self) -> Self:
        if self.queue != (self.max_queued > 0):
            raise ValueError(
                f"queue is {self.queue} and max_queued is {self.max_queued}: set both or neither"
            )
        return self


class Pressure(Record):
    """A snapshot of what the process is under, each part 0 to 1 (DSP-10)."""

    memory: Share
    queue_depth: Share
    spawn_saturation: Share


class Dispatch(Record):
    """What a task declares about its dispatch, once (DSP-14)."""

    intent: Name | None = None
    spawn_budget: Count
    max_retry_depth: Count


class DependsOn(Record):
    """One dependency of a task (LIF-4)."""

    id: UUID4
    required: bool = True


class Origin(StrEnum):
    """Where a task comes from (LIF-12)."""

    CREATE = "create"
    LINK = "link"
    COPY = "copy"
    ARCHIVE = "archive"


class ScheduleForm(StrEnum):
    """How a schedule is written (LIF-13)."""

    ONCE = "once"
    INTERVAL = "interval"
    CRON = "cron"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


class Schedule(Record):
    """When a task is triggered (LIF-13)."""

    form: ScheduleForm
    expression: Name
    zone: Name = "UTC"
    start: Stamp | None = None
    end: Stamp | None = None
    max_runs: Positive | None = None
    run_count: Count = 0
    enabled: bool = True

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if self.max_runs is not None and self.run_count > self.max_runs:
            raise ValueError(f"run_count {self.run_count} is above max_runs {self.max_runs}")
        if self.start is not None and self.end is not None and self.start > self.end:
            raise ValueError(f"start {self.start.isoformat()} is after end {self.end.isoformat()}")
        return self


class TaskDefinition(Record):
    """What a task is; it never changes while the task lives (LIF-17)."""

    id: UUID4
    name: Name
    executor: Name
    parent: UUID4 | None = None
    user_id: Name | None = None
    priority: Urgency = Priority.NORMAL
    inputs: dict[str, JsonValue] = Field(default_factory=dict)
    schemas: dict[str, JsonValue] = Field(default_factory=dict)
    params: dict[str, JsonValue] = Field(default_factory=dict)
    dependencies: tuple[DependsOn, ...] = ()
    retry: RetryPolicy = RetryPolicy()
    dispatch: Dispatch | None = None
    schedule: Schedule | None = None
    origin: Origin = Origin.CREATE
    original: UUID4 | None = None

    @model_validator(mode="after")
    def _origin_names_its_source(self) -> Self:
        if (self.origin == Origin.CREATE) != (self.original is None):
            raise ValueError(f"origin {self.origin!s} and original {self.original} do not fit")
        return self

    @model_validator(mode="after")
    def _dependencies_are_distinct_others(self) -> Self:
        ids = [dependency.id for dependency in self.dependencies]
        if self.id in ids:
            raise ValueError(f"dependencies: {self.id} depends on itself")
        seen: set[UUID] = set()
        for id_ in ids:
            if id_ in seen:
                raise ValueError(f"dependencies: {id_} is named twice")
            seen.add(id_)
        return self


class TaskRecord(Record):
    """A task as people see it: its definition and how far it has come. Fields fit the status (LIF-16)."""

    definition: TaskDefinition
    status: TaskStatus
    progress: Share
    result: dict[str, JsonValue] | None
    error: Annotated[str, Field(min_length=1)] | None
    created_at: Stamp
    started_at: Stamp | None
    completed_at: Stamp | None
    updated_at: Stamp

    @model_validator(mode="after")
    def _fields_fit_status(self) -> Self:
        wrong = misfit(self.status, self._fields())
        if wrong is not None:
            value: Any = getattr(self, wrong, "created <= started <= completed <= updated is broken")
            raise ValueError(f"{wrong} does not fit status {self.status!s}: {value!r}")
        return self

    def _fields(self) -> Fields:
        return Fields(
            created=_ms(self.created_at),
            started=None if self.started_at is None else _ms(self.started_at),
            completed=None if self.completed_at is None else _ms(self.completed_at),
            updated=_ms(self.updated_at),
            result=self.result is not None,
            error=self.error is not None,
            progress=milli(self.progress),
        )


def _ms(stamp: datetime) -> int:
    return round((stamp - EPOCH).total_seconds() * MILLI)
