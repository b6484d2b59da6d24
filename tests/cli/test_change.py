"""`dhruva cancel`, `rerun`, `abandon`, `resume` and `discard`: the same rules and refusals as the API."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from dhruva import Authority, Change
from dhruva.runtime.operate import Operator, StillRaises
from dhruva.runtime.outcomes import NotAllowed
from tests.cli.stores import Night, Other, asked, put_aside, run


def status(store: object, task: object) -> str:
    return str(asked("show", store, task)["status"])


@pytest.mark.cites("LIF-8")
def test_a_pending_task_is_cancelled_with_a_message(made: Night) -> None:
    answer = run("cancel", made.store, made.blocked.number, "--message", "no longer needed")
    assert (answer.exit_code, answer.stdout) == (0, '"report" is cancelled\n')
    shown = asked("show", made.store, made.blocked.number)
    assert (shown["status"], shown["error"]) == ("cancelled", "no longer needed")


@pytest.mark.cites("LIF-8", "SHL-8b")
def test_cancelling_what_has_ended_is_refused_with_rule_and_route(made: Night) -> None:
    answer = run("cancel", made.store, made.done.number)
    assert answer.exit_code == 1
    assert answer.stdout == ""
    assert "refused: -32006" in answer.stderr
    assert "LIF-1" in answer.stderr
    assert "allowed after reexecute (completed to pending)" in answer.stderr
    assert status(made.store, made.done.number) == "completed"
    said = json.loads(run("cancel", made.store, made.done.number, "--json").stdout)["refused"]
    assert (said["code"], said["rule"], said["state"]) == (-32006, "LIF-1", "completed")
    assert [leg["on"] for leg in said["route"]] == ["reexecute"]


@pytest.mark.cites("LIF-9", "LIF-10")
def test_a_failed_task_is_to_run_again(made: Night) -> None:
    assert asked("rerun", made.store, made.failed.number) == {"reset": made.failed.number, "skipped": []}
    assert status(made.store, made.failed.number) == "pending"
    assert asked("why", made.store, made.blocked.number)["reason"] == "dependencies"
    again = run("rerun", made.store, made.failed.number)
    assert again.exit_code == 1
    assert "-32006" in again.stderr


def test_a_change_beside_another_process_reaches_it(tmp_path: Path) -> None:
    """The body ignores its signal: the task is cancelled, and its body is said to run on."""
    other = Other(tmp_path / "work.db")
    try:
        said = run("cancel", tmp_path / "work.db", other.task).stdout
        assert said == '"stubborn" is cancelled; its body was asked to end and still runs\n'
        assert other.line() == "ended"  # told in the other process
        why = asked("why", tmp_path / "work.db", other.task)
        assert (why["reason"], why["because"]) == ("stopping", "cancelled")
        assert why["process"]["state"] == "lives"
    finally:
        other.kill()
    assert asked("why", tmp_path / "work.db", other.task)["process"]["state"] == "gone"
    assert "is gone: the next process that serves" in run("why", tmp_path / "work.db", other.task).stdout
    for lock in tmp_path.glob("work.db-owner-*"):
        lock.unlink()
    assert asked("why", tmp_path / "work.db", other.task)["process"]["state"] == "unknown"


@pytest.mark.cites("SHL-6a", "SHL-6b", "SHL-6c", "ACT-16", "ACT-18")
def test_an_attempt_is_abandoned_with_actor_and_reason(tmp_path: Path) -> None:
    """While its process lives and its body goes on: the slot is free, the task failed, who did it is kept."""
    store, other = tmp_path / "work.db", Other(tmp_path / "work.db")
    try:
        (attempt,) = asked("ls", store, "attempts")["attempts"]
        said = run("abandon", store, attempt["id"], "--reason", "it hangs", "--actor", "anna")
        assert (said.exit_code, said.stdout) == (0, f'attempt {attempt["id"]} of "stubborn" is abandoned\n')
        shown = asked("show", store, other.task)
        assert (shown["status"], shown["error"]) == ("failed", "abandoned")
        assert asked("ls", store, "attempts")["attempts"] == []
        assert other.line() == "ended"
    finally:
        other.kill()
    again = run("abandon", store, attempt["id"], "--reason", "twice")
    assert again.exit_code == 2  # the attempt has ended and left nothing behind
    assert [row[:2] for row in overrides(store)] == [(f"override:attempt:{attempt['id']}", "anna")]
    assert run("replay", store).exit_code == 0


def overrides(store: Path) -> list[tuple[str, str, str]]:
    with sqlite3.connect(store) as db:
        rows = db.execute("SELECT name, value FROM payloads WHERE name LIKE 'override:%'").fetchall()
    db.close()
    kept = [(name, json.loads(value)) for name, value in rows]
    return [(name, said["actor"], said["reason"]) for name, said in kept]


def test_the_newest_attempt_of_a_task_is_meant_by_the_task(tmp_path: Path) -> None:
    other = Other(tmp_path / "work.db")
    try:
        assert run("abandon", tmp_path / "work.db", other.task, "--reason", "it hangs").exit_code == 0
    finally:
        other.kill()


def test_a_task_of_which_nothing_runs_cannot_be_abandoned(made: Night) -> None:
    answer = run("abandon", made.store, "load sales", "--reason", "it hangs")
    assert (answer.exit_code, answer.stderr) == (2, "error: no attempt of 'load sales' lives\n")


@pytest.mark.cites("SHL-5", "SHL-6a", "SHL-6b")
def test_what_was_put_aside_is_resumed(made: Night) -> None:
    parked = put_aside(made)
    answer = run("resume", made.store, parked, "--reason", "the bug is mended", "--actor", "anna")
    assert (answer.exit_code, answer.stdout) == (0, f"{parked} was given again\n")
    assert status(made.store, made.blocked.number) == "cancelled"
    assert asked("ls", made.store, "parked")["parked"] == []
    assert overrides(Path(made.store)) == [(f"override:parked:{parked}", "anna", "the bug is mended")]


@pytest.mark.cites("SHL-5", "SHL-6a", "SHL-6b")
def test_what_was_put_aside_is_discarded(made: Night) -> None:
    parked = put_aside(made)
    assert run("discard", made.store, parked, "--reason", "asked for twice").exit_code == 0
    assert status(made.store, made.blocked.number) == "pending"
    assert asked("ls", made.store, "parked")["parked"] == []
    assert run("resume", made.store, parked, "--reason", "too late").exit_code == 2


@pytest.mark.cites("SHL-6a", "SHL-8b")
def test_what_is_refused_now_stays_put_aside(made: Night) -> None:
    parked = put_aside(made)
    assert run("cancel", made.store, made.blocked.number).exit_code == 0
    answer = run("resume", made.store, parked, "--reason", "try")
    assert answer.exit_code == 1
    assert "cancel is refused by LIF-1" in answer.stderr
    assert [one["id"] for one in asked("ls", made.store, "parked")["parked"]] == [str(parked)]
    assert overrides(Path(made.store)) == []


@pytest.mark.cites("SHL-5", "SHL-6a")
def test_what_raises_again_stays_put_aside(made: Night) -> None:
    parked = put_aside(made)

    def raises(_read: object, _given: object) -> Change:
        raise ZeroDivisionError("still")

    async def resume() -> None:
        async with Authority.open(made.store) as authority:
            operator = Operator(authority, "anna")
            authority.kernel = authority.kernel._replace(step=raises)
            await operator.resume(parked, "try")

    with pytest.raises(StillRaises, match="raises again, and stays put aside: ZeroDivisionError: still"):
        asyncio.run(resume())
    assert [one["id"] for one in asked("ls", made.store, "parked")["parked"]] == [str(parked)]


@pytest.mark.parametrize("field", ["actor", "reason"])
@pytest.mark.parametrize("text", ["", "  ", "x" * 3000], ids=["empty", "blank", "long"])
def test_an_override_needs_a_name_and_a_reason(made: Night, field: str, text: str) -> None:
    parked = put_aside(made)
    words = {"actor": "anna", "reason": "asked twice"} | {field: text}
    answer = run("discard", made.store, parked, "--reason", words["reason"], "--actor", words["actor"])
    assert answer.exit_code == 2
    assert f"{field} has" in answer.stderr
    assert run("discard", made.store, parked).exit_code == 2


@pytest.mark.parametrize(
    ("command", "what"),
    [("cancel", "no task"), ("rerun", "no task"), ("abandon", "no attempt"), ("resume", "was not put aside")],
)
def test_a_thing_of_another_kind_is_named(made: Night, command: str, what: str) -> None:
    (scope,) = asked("ls", made.store, "scopes")["scopes"]
    extra = [] if command in ("cancel", "rerun") else ["--reason", "why not"]
    answer = run(command, made.store, scope["id"], *extra)
    assert answer.exit_code == 2
    assert what in answer.stderr


@pytest.mark.cites("SHL-6a")
def test_the_api_refuses_what_the_command_refuses(made: Night) -> None:
    async def discard() -> None:
        async with Authority.open(made.store) as authority:
            await Operator(authority, "anna").discard(999, "no such thing")

    with pytest.raises(NotAllowed, match="parked 999 is not there: discard is refused by SHL-5"):
        asyncio.run(discard())
