"""One process serves a store: it holds an advisory lock for as long as it lives.

`flock`, never a POSIX record lock: those are dropped when any descriptor of the file is closed. That
the lock is granted proves that whoever held it before is gone (LIF-15).
"""

import fcntl
import os
from pathlib import Path

from dhruva.runtime.store import StoreError, StoreInUse


class Owner:
    """Holds `<store>-owner`. The file stays; the lock ends with the process or with `release`."""

    def __init__(self, store: Path) -> None:
        path = store.with_name(f"{store.name}-owner")
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._file = os.open(path, flags, 0o600)
        except OSError as fault:
            raise StoreError(f"{path} cannot be opened: {fault.strerror}") from fault
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise StoreInUse(f"{store} is served by another process, or opened twice in this one") from None

    def release(self) -> None:
        os.close(self._file)
