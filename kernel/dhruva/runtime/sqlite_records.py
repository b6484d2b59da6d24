"""The rows of tasks in SQLite: what people see of a task, and the indexes by which it is found.

What a task was created with and how it stands are two tables, so that a transition rewrites a short row.
Every listing walks one index in its order, from where the last page ended.
"""

import sqlite3
from contextlib import closing
from typing import Any, Final

from dhruva.runtime.listing import Line, examine
from dhruva.runtime.store import Found, Query, State, TaskRow

SCHEMA: Final = (
    "CREATE TABLE tasks (id INTEGER PRIMARY KEY, uuid BLOB NOT NULL, name TEXT NOT NULL,"
    " executor TEXT NOT NULL, parent INTEGER, links BLOB NOT NULL, definition BLOB NOT NULL)",
    "CREATE UNIQUE INDEX tasks_uuid ON tasks (uuid)",
    "CREATE INDEX tasks_name ON tasks (name, id)",
    "CREATE INDEX tasks_parent ON tasks (parent, id) WHERE parent IS NOT NULL",
    "CREATE TABLE states (id INTEGER PRIMARY KEY, status TEXT NOT NULL, created INTEGER NOT NULL,"
    " started INTEGER, completed INTEGER, updated INTEGER NOT NULL, progress INTEGER NOT NULL, result BLOB,"
    " error TEXT, retry_initial INTEGER NOT NULL, retry_cap INTEGER NOT NULL)",
    "CREATE INDEX states_status ON states (status, id)",
)
TASK_PLACES: Final = f"(?, {', '.join('?' * len(TaskRow._fields))})"
STATE_PLACES: Final = f"(?, {', '.join('?' * len(State._fields))})"
LAST: Final = chr(0x10FFFF)  # sorts after every character: the end of all names that begin alike


def task(db: sqlite3.Connection, number: int) -> TaskRow | None:
    found = db.execute("SELECT * FROM tasks WHERE id = ?", (number,)).fetchone()
    return None if found is None else TaskRow._make(found[1:])


def state(db: sqlite3.Connection, number: int) -> State | None:
    found = db.execute("SELECT * FROM states WHERE id = ?", (number,)).fetchone()
    return None if found is None else State._make(found[1:])


def find(db: sqlite3.Connection, uuid: bytes) -> int | None:
    found = db.execute("SELECT id FROM tasks WHERE uuid = ?", (uuid,)).fetchone()
    return None if found is None else int(found[0])


def page(db: sqlite3.Connection, query: Query) -> Found:
    statement, values = _statement(query)
    with closing(db.execute(statement, values)) as rows:
        return examine(query, map(Line._make, rows))


def _statement(query: Query) -> tuple[str, list[Any]]:
    """One filter picks the index that is walked; `examine` looks at the others."""
    where, values = _driving(query)
    if query.after is not None:
        onward = "<" if query.newest else ">"
        by_name = query.name is not None
        where.append(f"(t.name, t.id) {onward} (?, ?)" if by_name else f"{_id(query)} {onward} ?")
        values += query.after if by_name else query.after[1:]
    tables = "states s CROSS JOIN tasks t" if _by_status(query) else "tasks t CROSS JOIN states s"
    down = " DESC" if query.newest else ""
    order = f"t.name{down}, t.id{down}" if query.name is not None else f"{_id(query)}{down}"
    asked = " AND ".join([*where, "t.id = s.id"])
    return (
        f"SELECT t.id, t.name, t.executor, t.parent, s.status FROM {tables} WHERE {asked} ORDER BY {order}",
        values,
    )


def _driving(query: Query) -> tuple[list[str], list[Any]]:
    if query.name is not None:
        return ["t.name >= ?", "t.name < ?"], [query.name, query.name + LAST]
    if query.parent is not None:
        return ["t.parent = ?"], [query.parent]
    return (["s.status = ?"], [query.status]) if query.status is not None else ([], [])


def _by_status(query: Query) -> bool:
    return query.name is None and query.parent is None and query.status is not None


def _id(query: Query) -> str:
    return "s.id" if _by_status(query) else "t.id"
