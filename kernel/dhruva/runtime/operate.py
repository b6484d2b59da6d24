"""Overrides: abandon an attempt, resume or discard what was put aside, with a name and a reason (SHL-6).

An override is an input like any other: `step` says whether it is allowed, its row stands in the journal, and
who did it and why is stored in the same transaction.
"""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Protocol

import msgspec

from dhruva.cells import Key, Kind
from dhruva.ids import ParkedId, Ref, UserId
from dhruva.inputs import Abandon, DiscardParked, ResumeParked
from dhruva.runtime import codec
from dhruva.runtime.calls import Answer, Done, Facts, Kernel
from dhruva.runtime.outcomes import NotAllowed
from dhruva.runtime.running import error_of
from dhruva.runtime.store import Reader
from dhruva.runtime.waits import name_id
from dhruva.table import Refused

REASON_MAX: Final = 2_000  # characters
ACTOR_MAX: Final = 255  # characters


class Serves(Protocol):
    """What an operator needs of an authority."""

    @property
    def kernel(self) -> Kernel: ...

    async def say(self, inputs: Callable[[Facts], Sequence[Any]]) -> Answer: ...


class StillRaises(Exception):
    """What was put aside raises again, so it was left where it is."""

    def __init__(self, parked: int, error: str) -> None:
        super().__init__(f"{parked} raises again, and stays put aside: {error}")
        self.parked, self.error = parked, error


class Operator:
    """Someone who overrides, by name.

    Operator(authority, "anna").abandon(ref, reason="the machine it ran on is gone")
    """

    def __init__(self, authority: Serves, actor: str) -> None:
        self._authority, self.actor = authority, _text("actor", actor, ACTOR_MAX)

    async def abandon(self, ref: Ref, reason: str) -> None:
        """Give an attempt up: its slot is free, its task fails, and what its body still does is refused."""
        why = _text("reason", reason, REASON_MAX)
        await self._say((Kind.ATTEMPT, ref), why, lambda _facts, actor: (Abandon(ref, actor, True),))

    async def resume(self, parked: int, reason: str) -> None:
        """Give what was put aside again. It is left there if that would raise again, or is refused."""
        why = _text("reason", reason, REASON_MAX)

        def inputs(facts: Facts, actor: UserId) -> Sequence[Any]:
            return ResumeParked(ParkedId(parked), actor, True), *self._again(facts, parked)

        await self._say((Kind.PARKED, parked), why, inputs)

    async def discard(self, parked: int, reason: str) -> None:
        """What was put aside is forgotten."""
        why = _text("reason", reason, REASON_MAX)
        discard = DiscardParked(ParkedId(parked), UserId(0), True)
        await self._say((Kind.PARKED, parked), why, lambda _facts, actor: (discard._replace(actor=actor),))

    def _again(self, facts: Facts, parked: int) -> tuple[Any, ...]:
        """The input that was put aside, if the step takes it now. Trying it does nothing."""
        stored = facts.payload(f"parked:{parked}")
        plain, _, result, error = (None,) * 4 if stored is None else msgspec.msgpack.decode(stored)
        if plain is None:
            return ()
        facts.say(result, error)
        given = codec.from_plain(plain)
        try:
            answer = self._authority.kernel.step(facts.read, given)
        except Exception as fault:
            raise StillRaises(parked, f"{type(fault).__name__}: {fault}") from fault
        if isinstance(answer, Refused):
            raise NotAllowed(f"what was put aside as {parked}", answer)
        return (given,)

    async def _say(self, key: Key, reason: str, make: Callable[[Facts, UserId], Sequence[Any]]) -> None:
        fault: list[Exception] = []

        def inputs(facts: Facts) -> Sequence[Any]:
            actor = _user(facts, self.actor)
            at = datetime.fromtimestamp(facts.now / 1000, UTC).isoformat()
            facts.put(_record(key), json.dumps({"actor": self.actor, "reason": reason, "at": at}).encode())
            try:
                return make(facts, actor)
            except (StillRaises, NotAllowed) as refused:
                fault.append(refused)
                facts.put(_record(key), None)
                return ()

        answer = await self._authority.say(inputs)
        if fault:
            raise fault[0]
        if not isinstance(answer, Done):
            raise error_of(answer, f"{key[0]} {name_id(key)}")


def override_of(reader: Reader, key: Key) -> dict[str, Any] | None:
    """Who overrode this, why and when; None if nobody did."""
    found = reader.payload(_record(key))
    return None if found is None else json.loads(found)


def _record(key: Key) -> str:
    return f"override:{key[0]}:{name_id(key)}"


def _user(facts: Facts, actor: str) -> UserId:
    """The number under which this name stands in the journal: the same for all that someone does."""
    known = facts.payload(f"user:{actor}")
    number = facts.new_id() if known is None else int(known)
    if known is None:
        facts.put(f"user:{actor}", str(number).encode())
    return UserId(number)


def _text(field: str, value: str, most: int) -> str:
    text = value.strip()
    if not text or len(text) > most:
        raise ValueError(f"{field} has {len(text)} characters; an override needs 1 to {most}")
    return text
