"""Rows written by few statements of fixed sizes, each of which is prepared once."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

SIZES: Final = (64, 32, 16, 8, 4, 2, 1)  # rows per statement


def flat(rows: Mapping[int, Any]) -> Iterator[Sequence[Any]]:
    """Rows by their numbers, None where one is removed."""
    return ((task, None) if row is None else (task, *row) for task, row in rows.items())


def put(db: sqlite3.Connection, table: str, key: str, places: str, rows: Iterable[Sequence[Any]]) -> None:
    """Rows by their key, which comes first; None after it: the row is removed."""
    kept, gone = [], []
    for row in rows:
        if row[1] is None:
            gone.append(row[:1])
        else:
            kept.append(row)
    _many(db, f"REPLACE INTO {table} VALUES {{}}", places, kept)
    _many(db, f"DELETE FROM {table} WHERE {key} IN ({{}})", "?", gone)


def _many(db: sqlite3.Connection, statement: str, place: str, rows: Iterable[Sequence[Any]]) -> None:
    """All rows, with as few statements as the fixed sizes allow."""
    left = list(rows)
    for size in SIZES:
        while len(left) >= size:
            now, left = left[:size], left[size:]
            values = [value for row in now for value in row]
            db.execute(statement.format(", ".join([place] * size)), values)
