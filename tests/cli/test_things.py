"""Whatever is given as a store or an id: an answer, or one line that says what is wrong."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.stores import Night, night, run

COMMANDS = {
    "ls": (),
    "show": ("1",),
    "why": ("1",),
    "replay": (),
    "cancel": ("1",),
    "rerun": ("1",),
    "abandon": ("1.1.1", "--reason", "gone"),
    "resume": ("1", "--reason", "mended"),
    "discard": ("1", "--reason", "twice"),
}
"""Every command on a store, with what it needs besides."""


def no_store(folder: Path) -> Path:
    return folder / "nothing.db"


def a_folder(folder: Path) -> Path:
    return folder


def a_text(folder: Path) -> Path:
    (folder / "text").write_text("no database " * 100)
    return folder / "text"


def an_empty_file(folder: Path) -> Path:
    (folder / "empty").touch()
    return folder / "empty"


def another_program(folder: Path) -> Path:
    with sqlite3.connect(folder / "other.db") as db:
        db.execute("CREATE TABLE meta (name, value)")
    db.close()
    return folder / "other.db"


def other_tables(folder: Path) -> Path:
    store = night(folder).store
    with sqlite3.connect(store) as db:
        db.execute("UPDATE meta SET value = 'abc' WHERE name = 'tables'")
    db.close()
    return Path(store)


def a_link(folder: Path) -> Path:
    (folder / "link.db").symlink_to(night(folder).store)
    return folder / "link.db"


def damaged(folder: Path) -> Path:
    store = Path(night(folder).store)
    data = bytearray(store.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    (folder / "damaged.db").write_bytes(data)
    return folder / "damaged.db"


WRONG = {
    no_store: "no such file or directory",
    a_folder: "is no plain file",
    a_text: "is no store",
    an_empty_file: "is empty",
    another_program: "is a database of another program",
    other_tables: "was written with tables abc",
    a_link: "is no plain file",
    damaged: "damaged",
}


@pytest.mark.usefixtures("tampered")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_what_is_no_store_is_said_in_one_line(tmp_path: Path, command: str, wrong: Any) -> None:
    answer = run(command, wrong(tmp_path), *COMMANDS[command])
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert WRONG[wrong] in answer.stderr
    assert len(answer.stderr.splitlines()) == 1
    assert answer.stdout == ""
    assert not no_store(tmp_path).exists()


NO_UUID = "2f343add-d7a3-4b3b-a44f-c8d5b04a773c"


@pytest.mark.parametrize("command", [name for name, words in COMMANDS.items() if words])
@pytest.mark.parametrize(
    "id_", ["999", "9.9.9", "nobody", "2f343add-d7a3-4b3b-a44f-c8d5b04a773c", "", "9" * 40]
)
def test_what_is_not_known_is_named(made: Night, command: str, id_: str) -> None:
    answer = run(command, made.store, id_, *COMMANDS[command][1:])
    assert answer.exit_code == 2
    assert answer.stderr.startswith(f"error: nothing is known here under {id_!r}; give the number of a thing")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    text = run(command, "--help").stdout
    assert f"Example: dhruva {command} work.db" in text
    assert "--json" in text


@pytest.mark.parametrize("words", [("show", "\udcff"), ("ls", "--name", "\udcff")])
def test_what_is_no_text_is_said(made: Night, words: tuple[str, ...]) -> None:
    answer = run(words[0], made.store, *words[1:])
    assert answer.exit_code == 2
    assert "is no text" in answer.stderr


@given(st.text(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_any_text_is_an_answer_or_a_usage_error(made: Night, text: str) -> None:
    answer = run("why", made.store, "--", text)
    assert answer.exit_code in (0, 2)
