"""How far a search has come: one line that is rewritten on a terminal, a plain line now and then
elsewhere."""

from __future__ import annotations

import time
from typing import TextIO

from dhruva.explore.search import resident

_ON_TERMINAL = 0.5
_ELSEWHERE = 10.0


class Progress:
    """Called by an engine as it goes; writes at most as often as the stream deserves."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rewrites = stream.isatty()
        self._every = _ON_TERMINAL if self._rewrites else _ELSEWHERE
        self._started = self._last = time.perf_counter()
        self._width = 0

    def __call__(self, distinct: int, frontier: int, depth: int) -> None:
        now = time.perf_counter()
        if now - self._last < self._every:
            return
        self._last = now
        rate = distinct / (now - self._started)
        line = (
            f"{distinct:,} states, {rate:,.0f}/s, depth {depth}, "
            f"{frontier:,} in this level, {resident():,} MiB, {now - self._started:.0f} s"
        )
        if self._rewrites:
            self._stream.write("\r" + line.ljust(self._width))
            self._width = len(line)
        else:
            self._stream.write(line + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Take the line off the terminal."""
        if self._rewrites and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
