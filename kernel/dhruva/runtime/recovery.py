"""What a process that is gone has left: attempts end as `owner_gone`, queued requests are withdrawn (LIF-15).

A worker, handler or stream that outlived its attempt has ended with its process (ACT-16).

A process is gone when its lock can be taken, and by nothing else. Whoever takes it gives the inputs, each a
step like any other, and strikes the process off last; cut short at any point, the next one finds the rest.
It costs what was in flight. A process whose lock file is missing is reported, and nothing is guessed.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from dhruva.cells import FollowUp, Key, Kind
from dhruva.inputs import OwnerGone, ResourceEvent, Withdraw
from dhruva.runtime import codec, mail
from dhruva.runtime.calls import Answer, Call, Done, Facts, Outcome
from dhruva.runtime.engine import OWNERS, SERVES, Engine
from dhruva.runtime.owner import Gone, Unproven, clear_away, prove_gone
from dhruva.runtime.store import Transaction

AT_ONCE: Final = 256  # of what it left, settled in one transaction
ENDED: Final = {"worker": "exited", "handler": "stopped", "stream": "abort"}
Left = tuple[Any, Any]  # an input, and the cell it is about as it was then
log: Final = logging.getLogger("dhruva.runtime")


class Recovery:
    """Watches over the other processes of a store."""

    def __init__(self, engine: Engine, store: Path) -> None:
        self._engine, self._store = engine, store
        self._reported: set[int] = set()

    def run(self, told: Callable[[Outcome], None]) -> None:
        """Settle what every process has left that is proven gone. `told` hears of each transaction."""
        for process, nonce in self._reading(self._engine.owners):
            if process != self._engine.process and process not in self._reported:
                self._look(process, nonce, told)

    def clear_away(self) -> None:
        """Lock files of processes that were never enrolled."""
        enrolled = self._reading(self._engine.owners)
        clear_away(self._store, [nonce for _, nonce in enrolled])

    def _look(self, process: int, nonce: str, told: Callable[[Outcome], None]) -> None:
        proof = prove_gone(self._store, nonce)
        if isinstance(proof, Gone):
            try:
                settled = self._settle(process, told)
            except BaseException:
                proof.leave()
                raise
            (proof.settled if settled else proof.leave)()
        elif proof == Unproven.UNKNOWN and (process, nonce) in self._reading(self._engine.owners):
            self._report(process, "its lock file is missing: whether it lives is not known")

    def _settle(self, process: int, told: Callable[[Outcome], None]) -> bool:
        """Whether nothing of this process is left. What follow-ups have yet to move is there once more."""
        self._engine.resume()
        found: set[Any] = set()
        before: list[Left] = []
        while left := self._reading(lambda transaction: _left(transaction, process)):
            if left == before:
                self._report(process, f"{len(left)} of what it left cannot be settled")
                return False
            for at in range(0, len(left), AT_ONCE):
                told(self._engine.run([_call(given) for given, _ in left[at : at + AT_ONCE]]))
            found.update(given for given, _ in left)
            before = left
        struck = self._engine.run([Call(lambda facts: _strike_off(facts, process), _unheard)])
        told(struck)
        if found:
            log.warning("%s: process %d is gone and left %d things", self._store, process, len(found))
        return isinstance(struck.answers[0][1], Done)

    def _report(self, process: int, why: str) -> None:
        self._reported.add(process)
        log.error("%s: process %d: %s", self._store, process, why)

    def _reading(self, look: Callable[[Transaction], Any]) -> Any:
        transaction = self._engine.store.begin()
        try:
            return look(transaction)
        finally:
            transaction.rollback()


def _left(transaction: Transaction, process: int) -> list[Left]:
    """Its requests, its attempts and what outlived them; only what lives has such a cell."""

    def its(kind: Kind, word: FollowUp | None = None) -> list[tuple[Key, Any]]:
        return [(key, cell) for key, cell in transaction.scan(kind, word) if cell.process == process]

    attempts = {key[1]: cell for key, cell in its(Kind.ATTEMPT)}
    return [
        *((Withdraw(key[1]), cell) for key, cell in its(Kind.REQUEST)),
        *((Withdraw(key[2]), cell) for key, cell in its(Kind.FOLLOW, FollowUp.ASK_AGAIN)),
        *((OwnerGone(ref), cell) for ref, cell in attempts.items()),
        *((_ended(key, cell), cell) for key, cell in its(Kind.RESOURCE) if key[1] not in attempts),
    ]


def _ended(key: Key, cell: Any) -> Any:
    """What the evidence says of a worker, handler or stream (ACT-16)."""
    return codec.make(ResourceEvent, key[1], key[2], ENDED[cell.kind])


def _strike_off(facts: Facts, process: int) -> tuple[()]:
    """It is enrolled no longer, has no executors, and its letters are nobody's."""
    facts.put(f"{OWNERS}{process}", None)
    for name, _ in facts.named(SERVES):
        if name.endswith(f":{process}"):
            facts.put(name, None)
    for name, _ in facts.named(mail.box(process)):
        facts.put(name, None)
    return ()


def strike_off(engine: Engine) -> bool:
    """The last transaction of a process that leaves in order. False: something of it is left."""
    transaction = engine.store.begin()
    left = _left(transaction, engine.process)
    transaction.rollback()
    if left:
        return False
    struck = engine.run([Call(lambda facts: _strike_off(facts, engine.process), _unheard)])
    return isinstance(struck.answers[0][1], Done)


def _call(given: Any) -> Call:
    return Call(lambda _facts: (given,), _unheard)


def _unheard(_answer: Answer) -> None:
    """Nobody is left who asked."""
