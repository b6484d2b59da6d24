"""Ids as people write them: which thing of a store is meant."""

import re
from typing import Final
from uuid import UUID

from dhruva.cells import Key, Kind
from dhruva.cli.app import stop
from dhruva.ids import OwnerId, Ref
from dhruva.runtime.store import Query, Reader

REF: Final = re.compile(r"(\d{1,18})\.(\d{1,9})\.(\d{1,9})")
NUMBER: Final = re.compile(r"\d{1,18}")
NUMBERED: Final = (Kind.TASK, Kind.REQUEST, Kind.SCOPE, Kind.PARKED)
"""Ids come from one supply, so that a number names one thing, whatever it is."""
HELP: Final = "The number of a thing, the id or name of a task, the name of a scope, or an attempt (12.1.3)."
SAME_NAME_MAX: Final = 5  # tasks of one name that are listed


def find(reader: Reader, text: str) -> Key:
    """The key of what is meant; ends with a usage error if nothing is known under that."""
    key = _looked_up(reader, text)
    if key is None:
        stop(f"nothing is known here under {text!r}; give {HELP[0].lower()}{HELP[1:]}")
    return key


def find_task(reader: Reader, text: str) -> Key:
    key = find(reader, text)
    if key[0] != Kind.TASK:
        stop(f"{text!r} is no task but a {key[0]}")
    return key


def find_attempt(reader: Reader, text: str) -> Key:
    """An attempt by its ref, or the newest one of a task."""
    key = find(reader, text)
    if key[0] == Kind.TASK:
        cell = reader.read(key)
        if cell is None or not cell.alive:
            stop(f"no attempt of {text!r} lives")
        key = (Kind.ATTEMPT, Ref(key[1], cell.run, cell.number))
    if key[0] != Kind.ATTEMPT:
        stop(f"{text!r} is no attempt but a {key[0]}")
    return key


def find_parked(reader: Reader, text: str) -> Key:
    key = find(reader, text)
    if key[0] != Kind.PARKED:
        stop(f"{text!r} was not put aside: it is a {key[0]}")
    return key


def _looked_up(reader: Reader, text: str) -> Key | None:
    ref = REF.fullmatch(text)
    if ref is not None:
        owner, run, number = map(int, ref.groups())
        key = (Kind.ATTEMPT, Ref(OwnerId(owner), run, number))
        return None if reader.read(key) is None else key
    if NUMBER.fullmatch(text):
        keys = ((kind, int(text)) for kind in NUMBERED)
        return next((key for key in keys if reader.read(key) is not None), None)
    uuid = _uuid(text)
    if uuid is not None:
        number_of_it = reader.find(uuid.bytes)
        return None if number_of_it is None else (Kind.TASK, number_of_it)
    return _called(reader, text)


def _called(reader: Reader, name: str) -> Key | None:
    """What has this very name, if nothing else has it."""
    scope = reader.payload(f"scope:{name}")
    if scope is not None:
        return (Kind.SCOPE, int(scope))
    found = reader.page(Query(name=name, limit=SAME_NAME_MAX)).tasks if name else ()
    same = [number for number in found if (row := reader.task(number)) is not None and row.name == name]
    if len(same) > 1:
        stop(f"several tasks are called {name!r}; give a number: {', '.join(map(str, same))}")
    return (Kind.TASK, same[0]) if same else None


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
