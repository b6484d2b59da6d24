"""A schedule: it triggers, and decides nothing else (LIF-13)."""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class ScheduleState(StrEnum):
    ARMED = "armed"
    DISABLED = "disabled"
    ENDED = "ended"


class ScheduleEvent(StrEnum):
    FIRE = "fire"
    EXHAUST = "exhaust"
    DISABLE = "disable"
    ENABLE = "enable"


class ScheduleEffect(Symbol):
    TRIGGER = "trigger", "the scheduled tree or chain is started, or re-executed if it has ended"


S, E = ScheduleState, ScheduleEvent
TRIGGER = (ScheduleEffect.TRIGGER,)

SCHEDULE: Final = Machine(
    name="schedule",
    initial=S.ARMED,
    final={S.ENDED},
    closed_by="LIF-13",
    rows=(
        #   from        on         to          when  then     cites
        Row(S.ARMED,    E.FIRE,    S.ARMED,    (),   TRIGGER, "LIF-13"),
        Row(S.ARMED,    E.EXHAUST, S.ENDED,    (),   (),      "LIF-13"),
        Row(S.ARMED,    E.DISABLE, S.DISABLED, (),   (),      "LIF-13"),
        Row(S.DISABLED, E.ENABLE,  S.ARMED,    (),   (),      "LIF-13"),
    ),
)  # fmt: skip
