"""Things of a store as plain facts, for tables and JSON."""

import json
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from dhruva.cells import Key, Kind
from dhruva.cli.app import stop
from dhruva.ids import TaskStatus
from dhruva.limits import UNBOUNDED
from dhruva.runtime.operate import override_of
from dhruva.runtime.reading import Look
from dhruva.runtime.store import NotAStore
from dhruva.runtime.waits import Names, name_id, why_of
from dhruva.why import Why

NO_LIMIT: Final = "no limit"
HIDDEN: Final = frozenset({"newer", "older", "before", "behind", "newest"})  # links between cells


def task_line(look: Look, number: int) -> dict[str, Any]:
    """A task as one line of a listing."""
    row, state = look.task(number), look.state(number)
    if row is None or state is None:
        raise NotAStore(f"{look.store.path} is damaged: the record of task {number} is missing")
    waits = "" if state.status == TaskStatus.COMPLETED else str(why_of(look, (Kind.TASK, number)))
    return {
        "id": number,
        "uuid": str(UUID(bytes=row.uuid)),
        "name": row.name,
        "status": state.status,
        "updated": _stamp(state.updated),
        "waits": waits,
    }


def listed(look: Look, kind: Kind, limit: int, after: str | None) -> tuple[list[dict[str, Any]], str | None]:
    """A page of things that are not tasks, by their ids."""
    try:
        found = look.some(kind, limit + 1, None if after is None else bytes.fromhex(after))
    except ValueError:
        stop(f"--after takes what the page before said, not {after!r}")
    rows = [_cell_line(look, key, cell) for _, key, cell in found[:limit]]
    return rows, found[limit - 1][0].hex() if len(found) > limit else None


def _cell_line(look: Look, key: Key, cell: Any) -> dict[str, Any]:
    said = {"id": name_id(key), "name": Names(look)(key), "state": str(cell[0])}
    if key[0] == Kind.PARKED:
        return said | {"waits": parked(look, key)["error"]}
    return said | {"waits": str(why_of(look, key))}


def shown(look: Look, key: Key) -> dict[str, Any]:
    """All that is known of a thing."""
    facts = _task(look, key) if key[0] == Kind.TASK else _other(look, key)
    done = override_of(look, key)
    waits = why_of(look, key)
    said = {"waits": str(waits), "moved by": list(waits.ways), "runs in": runs_in(look, waits.why)}
    return facts | said | {"served by": served_by(look, waits.why), "override": done}


def runs_in(look: Look, why: Why) -> dict[str, Any] | None:
    """The process that an attempt runs in, or the one that a task waits for, and whether it lives."""
    attempts = [key for key in (why.key, *why.on) if key[0] == Kind.ATTEMPT]
    cell = look.read(attempts[0]) if len(attempts) == 1 else None
    return None if cell is None else {"id": cell.process, "state": look.process(cell.process)}


def served_by(look: Look, why: Why) -> list[int] | None:
    """The living processes that could start a pending task; None for what is no pending task."""
    if why.key[0] != Kind.TASK or why.state != TaskStatus.PENDING:
        return None
    return look.servers(look.read((Kind.SPEC, why.key[1])).executor)


def _task(look: Look, key: Key) -> dict[str, Any]:
    row, state, cell = look.task(key[1]), look.state(key[1]), look.read(key)
    spec = look.read((Kind.SPEC, key[1]))
    if row is None or state is None or cell is None or spec is None:
        raise NotAStore(f"{look.store.path} is damaged: a part of task {key[1]} is missing")
    definition = json.loads(row.definition)
    names = Names(look)
    return {
        "id": definition.pop("id", None),
        "number": key[1],
        "name": definition.pop("name", row.name),
        "status": state.status,
        "progress": state.progress / 1000,
        "result": None if state.result is None else json.loads(state.result),
        "error": state.error,
        "scope": names((Kind.SCOPE, spec.scope)),
        "run": cell.run,
        "tries": cell.tries,
        "attempts": cell.number,
        "body runs": cell.alive,
        "created": _stamp(state.created),
        "started": _stamp(state.started),
        "completed": _stamp(state.completed),
        "updated": _stamp(state.updated),
        **definition,
    }


def _other(look: Look, key: Key) -> dict[str, Any]:
    facts = {"id": name_id(key), "name": Names(look)(key)} | _fields(look.read(key))
    if key[0] == Kind.SCOPE:
        policy = look.read((Kind.POLICY, key[1]))
        return facts | {"policy": None if policy is None else _fields(policy)}
    return facts | parked(look, key) if key[0] == Kind.PARKED else facts


def parked(look: Look, key: Key) -> dict[str, Any]:
    """The input that was put aside, by its name and ids alone, and what it raised."""
    found = look.payload(f"parked:{key[1]}")
    plain, error = (None, "?") if found is None else msgspec.msgpack.decode(found)[:2]
    return {"input": None if plain is None else " ".join(map(str, plain)), "error": error}


def _fields(cell: Any) -> dict[str, Any]:
    plain = {name: value for name, value in cell._asdict().items() if name not in HIDDEN}
    return {name: NO_LIMIT if value == UNBOUNDED else _word(value) for name, value in plain.items()}


def _word(value: Any) -> Any:
    """Enums by their word, refs as people write them."""
    if isinstance(value, tuple):
        return ".".join(map(str, value))
    return str(value) if isinstance(value, str) else value


def _stamp(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M:%S}"
