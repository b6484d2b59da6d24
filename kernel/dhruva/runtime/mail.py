"""Effects for another process: they wait in the store until that process takes them.

Who performs an effect is the process that runs what it is about. Written in the transaction of the step that
gave it, it is neither lost nor delivered twice; one for a process that is gone goes with it (SHL-4).
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from dhruva.cells import FollowUp, Kind, Read
from dhruva.effects import AbortSignal, Effect, EndResource, Rejected, StartBody
from dhruva.ids import ProcessId
from dhruva.runtime import codec

EVERYONE: Final = ProcessId(0)  # no process has this id


def addressee(effect: Effect, before: Read) -> ProcessId | None:
    """Who performs it, from the cells as they were before its step. None: whoever took the step."""
    if isinstance(effect, StartBody):
        return effect.process
    if isinstance(effect, AbortSignal | EndResource):
        attempt = before((Kind.ATTEMPT, effect.ref))
        return EVERYONE if attempt is None else _process(attempt)
    if isinstance(effect, Rejected):
        asked = before((Kind.REQUEST, effect.request))
        asked = asked or before((Kind.FOLLOW, FollowUp.ASK_AGAIN, effect.request))
        return None if asked is None else _process(asked)
    return None


def _process(cell: Any) -> ProcessId:
    return ProcessId(cell.process)


def box(process: int) -> str:
    """What the names of all letters to this process begin with."""
    return f"mail:{process}:"


def letters(effect: Effect, to: Iterable[int], new_id: Callable[[], int]) -> dict[str, bytes]:
    """One for each; their names keep the order in which they were written."""
    return {f"{box(process)}{new_id():020d}": codec.to_bytes(effect) for process in to}
