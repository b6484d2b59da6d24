"""Timers of retries: rows of the store, so that a crash loses none, whoever set them (LIF-14).

Cells hold no clock value; when a timer goes off it returns as the input Due. Every process looks at the
earliest one. The first to say it is heard, the others are told that it is stale.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple

from dhruva.effects import Timer
from dhruva.ids import OwnerId, TaskId
from dhruva.inputs import Due
from dhruva.requests.execution import retry_delay_ms
from dhruva.runtime.calls import Answer, Asking, Call, Done, Facts
from dhruva.runtime.environment import Cancellable, Environment
from dhruva.runtime.store import Reader, State
from dhruva.table import Refused

SPACE: Final = "timer:"
AT_ONCE: Final = 100  # timers looked at in one go
AGAIN: Final = 1.0  # seconds until a timer is said again that the store did not take


class Set(NamedTuple):
    """A timer that was set: when it is due, and how long it was to wait."""

    name: str
    due: int
    delay: int
    gives: Due


def written(effect: Timer, state: State, now: int) -> tuple[str, bytes]:
    """The payload of a new timer. Names sort by when they are due."""
    delay = retry_delay_ms(effect.tries, state.retry_initial, state.retry_cap)
    return f"{SPACE}{now + delay:015d}:{effect.task}:{effect.run}:{effect.tries}", str(delay).encode()


def earliest(reader: Reader, limit: int = AT_ONCE) -> list[Set]:
    return [_read(name, value) for name, value in reader.named(SPACE, limit)]


def _read(name: str, value: bytes) -> Set:
    due, task, run, tries = map(int, name.removeprefix(SPACE).split(":"))
    return Set(name, due, int(value), Due(TaskId(OwnerId(task)), run, tries))


def milliseconds(now: datetime) -> int:
    return round(now.timestamp() * 1000)


class Timers:
    """The timers of a store, as one process watches them: it is woken for the earliest."""

    def __init__(self, submit: Callable[[Asking], None], environment: Environment) -> None:
        self._submit, self._environment = submit, environment
        self._armed: Cancellable | None = None
        self._closed = False

    def look(self) -> None:
        """What is due is said, and the next one waited for."""
        if self._closed:
            return
        found: list[Set] = []

        def inputs(facts: Facts) -> tuple[()]:
            found[:] = earliest(facts)
            return ()

        self._submit(Call(inputs, lambda _answer: self._seen(found)))

    def _seen(self, found: list[Set]) -> None:
        if self._armed is not None:
            self._armed.cancel()
            self._armed = None
        now = milliseconds(self._environment.now())
        for timer in found:
            wait = timer.due - now
            if 0 < wait <= timer.delay:
                self._armed = self._environment.later(wait / 1000, self.look)
                return
            self._say(timer)  # due; or the clock went back, and nobody knows better
        if len(found) == AT_ONCE:
            self.look()

    def _say(self, timer: Set) -> None:
        def inputs(facts: Facts) -> tuple[Due]:
            facts.put(timer.name, None)
            return (timer.gives,)

        def answered(answer: Answer) -> None:
            if isinstance(answer, Refused):  # the task went on without it
                self._submit(Call(_removing(timer.name), _unheard))
            elif not isinstance(answer, Done) and not self._closed:
                self._environment.later(AGAIN, self.look)

        self._submit(Call(inputs, answered))

    def close(self) -> None:
        self._closed = True
        if self._armed is not None:
            self._armed.cancel()


def _removing(name: str) -> Callable[[Facts], tuple[()]]:
    def inputs(facts: Facts) -> tuple[()]:
        facts.put(name, None)
        return ()

    return inputs


def _unheard(_answer: Answer) -> None:
    """Nobody asked."""
