"""Inputs of dispatch and of effects (DSP, SHL-4)."""

from typing import Any, NamedTuple

from dhruva.decide.admission import OutcomeSignal
from dhruva.ids import Ref, UserId


class Admit(NamedTuple):
    """A committed attempt is to be dispatched, under this pressure (DSP-10)."""

    ref: Ref
    cost: int
    memory: int
    queue_depth: int
    saturation: int


class WithdrawCooperative(NamedTuple):
    ref: Ref
    spawn: int
    number: int


class CommitCarrier(NamedTuple):
    ref: Ref
    spawn: int


class Outcome(NamedTuple):
    """An outcome signal for a dispatch that is over (DSP-7)."""

    ref: Ref
    spawn: int
    signal: OutcomeSignal
    cost: int
    memory: int
    queue_depth: int
    saturation: int


class Take(NamedTuple):
    key: tuple[Any, ...]


class Ack(NamedTuple):
    key: tuple[Any, ...]


class EffectFailed(NamedTuple):
    key: tuple[Any, ...]


class Lost(NamedTuple):
    """Whoever took the effect is gone, and nobody knows how far it came."""

    key: tuple[Any, ...]


class Resolve(NamedTuple):
    key: tuple[Any, ...]
    done: bool
    actor: UserId | None
    reasoned: bool
