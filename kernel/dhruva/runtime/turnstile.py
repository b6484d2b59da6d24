"""The turnstile: processes that write to one store go one after the other, in the order in which they came.

SQLite's own lock is taken by whoever asks at the right moment, so a busy process could keep another out.
`flock` is fair, but waits without a bound; a thread of ours does that waiting, so that who waits can
give up: the process in front may have been stopped.
"""

import fcntl
import os
import queue
import threading
from contextlib import suppress
from pathlib import Path

from dhruva.runtime.store import StoreBusy, StoreError

PRIVATE = 0o600


def private(path: Path, flags: int = os.O_CREAT) -> int:
    """A descriptor of this file, which is its owner's alone. Links are not followed."""
    try:
        return os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | flags, PRIVATE)
    except OSError as fault:
        raise StoreError(f"{path} cannot be opened: {fault.strerror}") from fault


class Turnstile:
    """Holds `<store>-turn` while its process writes. The file stays."""

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(f"{store.name}-turn")
        self._file = private(self.path)
        self._asked: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._granted = threading.Semaphore(0)
        self._mutex = threading.Lock()
        self._waits = False  # the thread waits for the lock
        self._wanted = False  # and somebody waits for the thread
        self._thread: threading.Thread | None = None

    def enter(self, seconds: float) -> None:
        """Waits for its turn. StoreBusy, if it does not come in time."""
        if not self._waits:
            with suppress(BlockingIOError):
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
        self._ask()
        if self._granted.acquire(timeout=seconds):
            return
        with self._mutex:
            self._wanted = False
            if self._granted.acquire(blocking=False):  # it came just now
                return
        raise StoreBusy(f"{self.path}: another process has been writing for {seconds:g} s, or was stopped")

    def _ask(self) -> None:
        with self._mutex:
            self._wanted = True
            if self._waits:
                return
            self._waits = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._take, name="dhruva-turnstile", daemon=True)
            self._thread.start()
        self._asked.put(True)

    def _take(self) -> None:
        while self._asked.get():
            fcntl.flock(self._file, fcntl.LOCK_EX)
            with self._mutex:
                self._waits = False
                if self._wanted:
                    self._granted.release()
                else:
                    self.leave()

    def leave(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """A thread that still waits keeps the file; it ends with the process."""
        if self._thread is None:
            os.close(self._file)
        elif not self._waits:
            self._asked.put(False)
            self._thread.join()
            os.close(self._file)
