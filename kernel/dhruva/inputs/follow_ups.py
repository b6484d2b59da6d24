"""Inputs of follow-ups and of what was put aside (SHL)."""

from typing import Any, NamedTuple

from dhruva.ids import ParkedId, UserId


class Handle(NamedTuple):
    """Do the next cell of a follow-up (SHL-3)."""

    key: tuple[Any, ...]


class Park(NamedTuple):
    """Something was put aside with its error (SHL-5)."""

    parked: ParkedId


class ResumeParked(NamedTuple):
    parked: ParkedId
    actor: UserId | None
    reasoned: bool


class DiscardParked(NamedTuple):
    parked: ParkedId
    actor: UserId | None
    reasoned: bool
