"""What a process that is gone has left: attempts end as `owner_gone`, queued requests are withdrawn (LIF-15).

Whoever runs this holds the lock of the store, so everything that lives in it belonged to someone who
is gone. It may be cut short at any point: what was not done is found again the next time. Its cost is
that of what was in flight.
"""

from typing import Any

from dhruva.cells import Kind
from dhruva.inputs import OwnerGone, Withdraw
from dhruva.runtime.batch import Answer, Call, Engine


def recover(engine: Engine) -> int:
    """How many attempts and requests were left."""
    engine.resume()
    found = 0
    while True:
        left = _left(engine)
        if not left and not engine.more:
            return found
        engine.run([_call(given) for given in left])
        found += len(left)


def _left(engine: Engine) -> list[Any]:
    transaction = engine.store.begin()
    requests: list[Any] = [Withdraw(key[1]) for key, _ in transaction.scan(Kind.REQUEST)]
    attempts = [OwnerGone(key[1]) for key, _ in transaction.scan(Kind.ATTEMPT)]
    transaction.rollback()
    return requests + attempts


def _call(given: Any) -> Call:
    return Call(lambda _facts: (given,), _unheard)


def _unheard(_answer: Answer) -> None:
    """Nobody is left who asked."""
