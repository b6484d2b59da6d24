"""The record of a task as it moves: what a transition does to its row (LIF-2).

Which fields change, and how, is decided elsewhere (`requests.execution`); here values and stamps are
filled in.
"""

from typing import NamedTuple

from dhruva.effects import FieldChange
from dhruva.requests.execution import Fields, created, error_text, moved
from dhruva.runtime.store import State

ERROR_MAX = 10_000  # characters of an error that a record keeps


class Said(NamedTuple):
    """What a call brings for the record: the result of a body, or what is known of a failure."""

    result: bytes | None = None
    error: str | None = None


def first(status: str, now: int, retry_initial: int, retry_cap: int) -> State:
    """The row of a task that was just created."""
    new = created(now)
    return State(
        status,
        new.created,
        new.started,
        new.completed,
        new.updated,
        new.progress,
        None,
        None,
        retry_initial,
        retry_cap,
    )


def after(state: State, status: str, change: FieldChange, now: int, said: Said) -> State:
    """The row after this transition, which led to this status."""
    before = Fields(
        state.created,
        state.started,
        state.completed,
        state.updated,
        state.result is not None,
        state.error is not None,
        state.progress,
    )
    new = moved(before, change, now)
    result, error = state.result, state.error
    if new.result != before.result:
        result = (said.result or b"{}") if new.result else None
    if new.error != before.error:
        error = error_text(change.failure, said.error)[:ERROR_MAX] if new.error else None
    return State(
        status,
        new.created,
        new.started,
        new.completed,
        new.updated,
        new.progress,
        result,
        error,
        state.retry_initial,
        state.retry_cap,
    )
