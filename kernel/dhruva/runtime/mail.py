"""Effects for another process: they wait in the store until that process takes them.

Who performs an effect is the process that runs what it is about. Written in the transaction of the step that
gave it, it is neither lost nor delivered twice; one for a process that is gone goes with it (SHL-4).
"""

from collections.abc import Callable
from typing import Any

from dhruva.cells import FollowUp, Kind, Read
from dhruva.effects import AbortSignal, Effect, EndResource, Rejected, StartBody
from dhruva.ids import ProcessId
from dhruva.runtime import codec


def addressee(effect: Effect, before: Read) -> ProcessId | None:
    """Who performs it, from the cells as they were before its step. None: whoever took the step."""
    if isinstance(effect, StartBody):
        return effect.process
    if isinstance(effect, AbortSignal):
        return _process(before((Kind.ATTEMPT, effect.ref)))
    if isinstance(effect, EndResource):
        return _process(before((Kind.RESOURCE, effect.ref, effect.number)))
    if isinstance(effect, Rejected):
        asked = before((Kind.REQUEST, effect.request))
        asked = asked or before((Kind.FOLLOW, FollowUp.ASK_AGAIN, effect.request))
        return _process(asked)
    return None


def _process(cell: Any) -> ProcessId | None:
    return None if cell is None else cell.process


def box(process: int) -> str:
    """What the names of all letters to this process begin with."""
    return f"mail:{process}:"


def letter(effect: Effect, to: int, new_id: Callable[[], int]) -> dict[str, bytes]:
    """Their names keep the order in which they were written."""
    return {f"{box(to)}{new_id():020d}": codec.to_bytes(effect)}
