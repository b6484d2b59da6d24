"""A delivery sees the end of its child and releases nothing: the target is locked for ever."""

from dhruva.explore import Model
from dhruva.machines.lock import LockEvent
from dhruva.step import kernel
from dhruva.wiring import WIRING, Fire
from models import lock_release as family

FAILS = "what is observed releases (20)"
LENGTH = 5


def model() -> Model:
    wiring = tuple(w for w in WIRING if not isinstance(w, Fire) or w.events != (LockEvent.RELEASE,))
    return family.model(nonces=2, live=1, step=kernel(wiring=wiring, checked=False))
