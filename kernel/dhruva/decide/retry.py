"""How often and when a failure is tried again (LIF-14); the same backoff serves workflow steps (WFL-15).

Whether it may be at all is settled with the failure itself, in `outcome`.
"""

from typing import Final

from dhruva.limits import BACKOFF_DOUBLINGS_MAX


def tries_left(tries: int, max_attempts: int) -> bool:
    """The first attempt counts, and so does one whose owner crashed (LIF-14, LIF-15)."""
    return tries < max_attempts


def backoff_ms(tries: int, initial_ms: int, cap_ms: int) -> int:
    """How long to wait after so many tries: the initial delay, doubled per further try, up to the cap."""
    delay = min(initial_ms, cap_ms)
    for earlier in _DOUBLINGS:
        if earlier >= tries:
            break
        delay = min(delay * 2, cap_ms)
    return delay


_DOUBLINGS: Final = tuple(range(1, BACKOFF_DOUBLINGS_MAX + 1))
