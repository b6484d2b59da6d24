"""`dhruva ls`, `show`, `why` and `replay` on real stores."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dhruva import Authority
from dhruva.cli.app import WIDTH
from tests.cli.stores import Night, Other, asked, night, put_aside, run


def test_ls_shows_what_each_task_waits_for(made: Night) -> None:
    lines = run("ls", made.store).stdout.splitlines()
    assert lines[0].split() == ["id", "name", "status", "updated", "waits"]
    by_name = {line.split("  ")[1].strip(): line for line in lines[1:]}
    assert list(by_name) == ["load sales", "load stock", "report", "mail"]
    assert 'is blocked: it needs "load stock"' in by_name["report"]
    assert all(len(line) <= WIDTH for line in lines)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--status", "pending"], ["report", "mail"]),
        (["--name", "load"], ["load sales", "load stock"]),
        (["--executor", "_unheard"], ["mail"]),
        (["--newest", "--limit", "1"], ["mail"]),
        (["--status", "cancelled"], []),
    ],
)
def test_ls_finds_by_what_is_asked(made: Night, words: list[str], names: list[str]) -> None:
    assert [task["name"] for task in asked("ls", made.store, *words)["tasks"]] == names


def test_ls_of_nothing_says_so(made: Night) -> None:
    assert run("ls", made.store, "--status", "cancelled").stdout == "no tasks\n"
    assert run("ls", made.store, "parked").stdout == "no parked\n"


def pages(*words: object) -> list[Any]:
    found: list[Any] = []
    after: str | None = None
    while True:
        page = asked("ls", *words, *([] if after is None else ["--after", after]))
        onward = page.pop("next")
        (rows,) = page.values()
        found += rows
        if onward is None:
            return found
        after = onward


def test_pages_show_everything_once(made: Night) -> None:
    assert [task["name"] for task in pages(made.store, "--limit", 3)] == [
        "load sales",
        "load stock",
        "report",
        "mail",
    ]


def test_pages_of_scopes_show_everything_once(tmp_path: Path) -> None:
    async def create() -> None:
        async with Authority.open(tmp_path / "work.db") as authority:
            for name in ("a", "b", "c"):
                await authority.scope(name).open()

    asyncio.run(create())
    names = [scope["name"] for scope in pages(tmp_path / "work.db", "scopes", "--limit", 1)]
    assert names == ["the root scope", 'scope "a"', 'scope "b"', 'scope "c"']


def test_a_page_reads_what_it_shows(tmp_path: Path) -> None:
    """With ten times as many tasks a page takes as many steps of SQLite; a scan would take ten times more."""
    assert steps(tmp_path, 300) <= 1.5 * steps(tmp_path, 30)


async def idle(_inputs: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(60)
    return {}


def steps(folder: Path, tasks: int) -> int:
    store = folder / f"{tasks}.db"

    async def create() -> None:
        async with Authority.open(store, limit=1) as authority:
            authority.executor(idle)
            root = authority.define("root", idle)
            rest = [authority.define(f"task {n}", idle, parent=root) for n in range(tasks)]
            await authority.create_tree([root, *rest])

    asyncio.run(create())
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1

    real = sqlite3.connect

    def counted(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = real(*arguments, **named)
        connection.set_progress_handler(step, 1)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", counted)
        assert len(asked("ls", store, "--limit", 10)["tasks"]) == 10
    return taken


def test_a_task_is_shown_by_its_id_and_by_its_number(made: Night) -> None:
    by_id, by_number = (
        asked("show", made.store, made.failed.id),
        asked("show", made.store, made.failed.number),
    )
    assert by_id == by_number
    assert (by_id["name"], by_id["status"], by_id["inputs"]) == ("load stock", "failed", {"breaks": True})
    assert "no such table" in by_id["error"]
    text = run("show", made.store, made.failed.number).stdout
    assert "load stock" in text
    assert "None" not in text


def test_a_name_that_several_have_is_no_id(tmp_path: Path) -> None:
    async def create() -> None:
        async with Authority.open(tmp_path / "work.db") as authority:
            authority.executor(idle)
            for name in ("load", "load", "load more"):
                await authority.create(name, idle)

    asyncio.run(create())
    answer = run("show", tmp_path / "work.db", "load")
    assert answer.exit_code == 2
    assert "several tasks are called 'load'; give a number: " in answer.stderr
    assert asked("show", tmp_path / "work.db", "load more")["name"] == "load more"


def test_scopes_attempts_and_the_rest_are_shown(tmp_path: Path) -> None:
    other = Other(tmp_path / "work.db")
    try:
        (attempt,) = asked("ls", tmp_path / "work.db", "attempts")["attempts"]
        assert attempt["state"] == "running"
        assert asked("show", tmp_path / "work.db", attempt["id"])["kind"] == "task"
        assert asked("why", tmp_path / "work.db", attempt["id"])["reason"] == "body"
        (scope,) = asked("ls", tmp_path / "work.db", "scopes")["scopes"]
        shown = asked("show", tmp_path / "work.db", scope["id"])
        assert (shown["active"], shown["policy"]["max_concurrent"]) == (1, "no limit")
    finally:
        other.kill()


@pytest.mark.cites("SHL-8a")
def test_why_in_words_and_as_values(made: Night) -> None:
    text = run("why", made.store, made.blocked.number).stdout
    assert text.startswith('"report" is blocked: it needs "load stock", which is failed (since ')
    assert "moved by  re-execution, from whoever asks for it" in text
    value = asked("why", made.store, made.blocked.id)
    assert (value["reason"], value["because"], value["rule"]) == ("blocked", "failed", ["LIF-5"])
    assert value["on"] == [{"kind": "task", "id": str(made.failed.number), "name": '"load stock"'}]
    assert value["ways"] == [{"input": "Reset", "from": "whoever asks for it"}]
    assert (value["process"], value["served_by"]) == (None, [])
    assert "served by nobody" in text


@pytest.mark.cites("SHL-8a", "LIF-3")
def test_why_names_the_living_processes_that_could_run_a_task(tmp_path: Path) -> None:
    other = Other(tmp_path / "work.db")

    async def create() -> None:
        async with Authority.open(tmp_path / "work.db") as authority:
            await authority.create("later", "stubborn", after=[other.task])

    try:
        asyncio.run(create())
        process = asked("why", tmp_path / "work.db", "stubborn")["process"]
        assert process["state"] == "lives"
        assert asked("why", tmp_path / "work.db", "later")["served_by"] == [process["id"]]
        assert f"served by {process['id']}" in run("why", tmp_path / "work.db", "later").stdout
    finally:
        other.kill()
    assert asked("why", tmp_path / "work.db", "later")["served_by"] == []


@pytest.mark.cites("SHL-8a", "SHL-5")
def test_what_was_put_aside_is_listed_with_its_error(made: Night) -> None:
    parked = put_aside(made)
    (listed,) = asked("ls", made.store, "parked")["parked"]
    assert (listed["id"], listed["waits"]) == (str(parked), "ZeroDivisionError: a fault of the kernel")
    assert asked("show", made.store, parked)["input"] == f"Cancel {made.blocked.number}"
    assert asked("why", made.store, parked)["reason"] == "operator"


@pytest.mark.cites("SHL-7")
def test_replay_tells_what_was_stepped_and_the_head(made: Night) -> None:
    said = asked("replay", made.store)
    assert said["bad"] is None
    assert said["links"] == said["head"]["number"] > 0
    head = f"{said['head']['number']}:{said['head']['hash']}"
    assert run("replay", made.store, "--head", head).exit_code == 0
    assert f"head {head}" in run("replay", made.store).stdout


@pytest.mark.usefixtures("tampered")
@pytest.mark.cites("SHL-7e", "SHL-7f")
@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            "UPDATE journal SET body = CAST(body || x'00' AS BLOB) WHERE number = 2",
            "its hash is not that of its body",
        ),
        ("DELETE FROM journal WHERE number = 2", "link 2 is missing"),
        ("DELETE FROM cells WHERE key = (SELECT min(key) FROM cells)", "is not there"),
    ],
)
def test_replay_names_the_first_bad_record(tmp_path: Path, statement: str, named: str) -> None:
    store = night(tmp_path).store
    with sqlite3.connect(store) as db:
        db.execute(statement)
    db.close()
    answer = run("replay", store)
    assert answer.exit_code == 1
    assert named in answer.stdout
    assert "allowed: " in answer.stdout
    assert run("replay", store, "--json").exit_code == 1


@pytest.mark.cites("SHL-7g")
def test_a_cut_tail_is_seen_against_a_head_kept_elsewhere(tmp_path: Path) -> None:
    store = night(tmp_path).store
    answer = run("replay", store, "--head", "999:00")
    assert answer.exit_code == 1
    assert "were cut off" in answer.stdout
    wrong = run("replay", store, "--head", "9f")
    assert (wrong.exit_code, wrong.stderr) == (
        2,
        "error: --head takes NUMBER:HASH, as replay prints it, not '9f'\n",
    )


@pytest.mark.usefixtures("tampered")
@pytest.mark.parametrize(
    ("statement", "command"),
    [
        ("UPDATE cells SET cell = x'ff'", "why"),
        ("UPDATE cells SET cell = x'ff'", "show"),
        ("UPDATE cells SET cell = x'ff'", "ls"),
        ("UPDATE tasks SET definition = x'ff'", "show"),
        ("UPDATE tasks SET links = x'ff'", "ls"),
        ("UPDATE payloads SET value = x'ff'", "show"),
        ("DELETE FROM cells", "show"),
        ("DELETE FROM states", "show"),
    ],
)
def test_a_damaged_row_is_said_in_one_line(tmp_path: Path, statement: str, command: str) -> None:
    here = night(tmp_path)
    with sqlite3.connect(here.store) as db:
        db.execute(statement)
    db.close()
    answer = run(command, here.store, *([] if command == "ls" else [here.blocked.id]))
    assert answer.exit_code == 2
    assert "is damaged: " in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


def test_looking_writes_nothing(made: Night) -> None:
    def copied() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in Path(made.store).parent.iterdir()}

    before = copied()
    for command in ("ls", "replay"):
        run(command, made.store)
    run("why", made.store, made.blocked.number)
    run("show", made.store, made.blocked.number)
    after = copied()
    assert {name: data for name, data in after.items() if not name.endswith(("-shm", "-wal"))} == before


def test_a_store_that_cannot_be_written_can_be_looked_at(made: Night, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    shutil.copy(made.store, folder / "work.db")
    (folder / "work.db").chmod(0o400)
    assert len(asked("ls", folder / "work.db")["tasks"]) == 4


def test_names_do_not_steer_a_terminal(tmp_path: Path) -> None:
    async def create() -> None:
        async with Authority.open(tmp_path / "work.db") as authority:
            authority.executor(idle)
            await authority.create("\x1b[2J" + "x" * 200, idle)

    asyncio.run(create())
    text = run("ls", tmp_path / "work.db").stdout
    number = text.splitlines()[1].split()[0]
    assert "\x1b" not in text + run("show", tmp_path / "work.db", number).stdout
    assert "\x1b" not in run("why", tmp_path / "work.db", number).stdout
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert json.dumps(asked("ls", tmp_path / "work.db")["tasks"][0]["name"]).startswith('"\\u001b')


@pytest.mark.parametrize("what", ["tasks", "scopes"])
def test_a_page_begins_where_another_ended_and_nowhere_else(made: Night, what: str) -> None:
    answer = run("ls", made.store, what, "--after", "somewhere")
    assert answer.exit_code == 2
    assert "'somewhere'" in answer.stderr
