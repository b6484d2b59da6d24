"""What the tests of the runtime share: stores of each kind, on real files, and what is written to them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dhruva.cells import Key
from dhruva.runtime import codec
from dhruva.runtime.calls import Kernel
from dhruva.runtime.memory import MemoryStore
from dhruva.runtime.replay import Bad, replay
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import Link, Store, Writes

DIGEST = "tables of this test"
KINDS = ("memory", "sqlite")
Opened = Callable[[], Store]


def opener(kind: str, folder: Path) -> Opened:
    """Opens the store of that kind; for a durable one, the same each time."""
    if kind == "memory":
        return MemoryStore
    return lambda: SqliteStore(folder / "work.db", DIGEST)


def writes(
    cells: Mapping[Key, Any] | None = None,
    payloads: Mapping[str, bytes | None] | None = None,
    link: Link | None = None,
) -> Writes:
    return Writes(cells or {}, codec.rows(cells or {}), payloads or {}, link)


def bad_record(path: Path, kernel: Kernel) -> Bad | None:
    """The first bad record of the store in this file, opened anew."""
    store = SqliteStore(path, kernel.tables)
    try:
        return replay(store, kernel).bad
    finally:
        store.close()
