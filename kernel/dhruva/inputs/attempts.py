"""Inputs of attempts and of what they hold (ACT)."""

from typing import NamedTuple

from dhruva.ids import Ref, UserId
from dhruva.machines.attempt import AbortReason
from dhruva.machines.resources import HandlerEvent, StreamEvent, WorkerEvent


class Succeed(NamedTuple):
    ref: Ref


class Fail(NamedTuple):
    """The body raised. `retry_safe`: trying again repeats nothing (LIF-14)."""

    ref: Ref
    retry_safe: bool = True


class Abort(NamedTuple):
    """Ask an attempt to end: timeout, shutdown, or the caller of a one-off request."""

    ref: Ref
    reason: AbortReason


class Stopped(NamedTuple):
    """The body of an aborting attempt was seen to end."""

    ref: Ref


class OwnerGone(NamedTuple):
    """The process that runs the attempt is proven gone (LIF-15)."""

    ref: Ref


class Abandon(NamedTuple):
    ref: Ref
    actor: UserId | None
    reasoned: bool


class AddWorker(NamedTuple):
    ref: Ref


class AddHandler(NamedTuple):
    ref: Ref


class AddStream(NamedTuple):
    ref: Ref


class ResourceEvent(NamedTuple):
    """Something was observed of a worker, handler or stream: its own event, whatever the attempt did."""

    ref: Ref
    number: int
    event: WorkerEvent | HandlerEvent | StreamEvent
