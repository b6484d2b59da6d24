"""`dhruva ls`, `show`, `why` and `replay`: a store as it stands. Nothing is changed, whoever serves it."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from dhruva.cells import Kind
from dhruva.cli import things
from dhruva.cli.app import REFUSED, AsJson, app, clean, say_json, stop, table
from dhruva.cli.shown import listed, runs_in, served_by, shown, task_line
from dhruva.ids import TaskStatus
from dhruva.runtime import codec, listing
from dhruva.runtime.reading import Look, Process, reading
from dhruva.runtime.replay import replay as replay_journal
from dhruva.runtime.shipped import shipped
from dhruva.runtime.store import Head, Query, StoreError
from dhruva.runtime.waits import why_of

StorePath = Annotated[Path, typer.Argument(metavar="STORE", help="The file of a store.")]
Thing = Annotated[str, typer.Argument(metavar="ID", help=things.HELP)]


class What(StrEnum):
    """What can be listed."""

    TASKS = "tasks"
    SCOPES = "scopes"
    ATTEMPTS = "attempts"
    PARKED = "parked"


KINDS: Final = {What.SCOPES: Kind.SCOPE, What.ATTEMPTS: Kind.ATTEMPT, What.PARKED: Kind.PARKED}


@contextmanager
def looking(store: Path) -> Iterator[Look]:
    """The store for reading; what is wrong with it is said in one line."""
    try:
        with reading(store) as look:
            yield look
    except StoreError as fault:
        stop(str(fault))
    except UnicodeEncodeError as fault:
        stop(f"{fault.object!r} is no text")
    except (codec.Undecodable, ValueError) as fault:  # of the rows: whoever wrote them was not this program
        stop(f"{store} is damaged: {fault}")


@app.command(epilog="Example: dhruva ls work.db --status pending --limit 5")
def ls(
    store: StorePath,
    what: Annotated[What, typer.Argument(help="What to list.")] = What.TASKS,
    status: Annotated[TaskStatus | None, typer.Option(help="Tasks in this status.")] = None,
    name: Annotated[str | None, typer.Option(help="Tasks whose name begins so.")] = None,
    executor: Annotated[str | None, typer.Option(help="Tasks of this executor.")] = None,
    parent: Annotated[str | None, typer.Option(metavar="ID", help="Children of this task.")] = None,
    newest: Annotated[bool, typer.Option("--newest", help="The newest first.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many on a page.")] = 20,
    after: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
    as_json: AsJson = False,
) -> None:
    """List tasks, scopes, living attempts, or what was put aside."""
    with looking(store) as look:
        if what != What.TASKS:
            page = listed(look, KINDS[what], limit, after)
        else:
            above = None if parent is None else things.find_task(look, parent)[1]
            try:
                at = listing.from_cursor(after)
            except ValueError as fault:
                stop(str(fault))
            found = look.page(Query(status, name, above, executor, newest, at, limit))
            rows = [task_line(look, number) for number in found.tasks]
            page = rows, listing.to_cursor(found.after)
    _print_page(*page, what, as_json)


def _print_page(rows: list[dict[str, Any]], onward: str | None, what: What, as_json: bool) -> None:
    if as_json:
        say_json({str(what): rows, "next": onward})
        return
    if not rows:
        typer.echo(f"no {what}")
    else:
        head = [name for name in rows[0] if name != "uuid"]
        typer.echo(table(head, ([row[name] for name in head] for row in rows)))
    if onward is not None:
        typer.echo(f"more: --after {onward}", err=True)


@app.command(epilog='Example: dhruva show work.db 12, or with a name: dhruva show work.db "nightly"')
def show(store: StorePath, thing: Thing, as_json: AsJson = False) -> None:
    """Print all that is known of one thing."""
    with looking(store) as look:
        facts = shown(look, things.find(look, thing))
    if as_json:
        say_json(facts)
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        for at, each in enumerate(_lines(value)):
            typer.echo(f"{'' if at else name:{width}}  {clean(each)}")


def _lines(value: Any) -> list[str]:
    """A fact for people: nothing where there is nothing to say."""
    if isinstance(value, dict):
        return [f"{name}: {each}" for name, each in value.items() if each is not None]
    if isinstance(value, list):
        return [str(each) for each in value]
    return [] if value is None else str(value).splitlines()


@app.command(epilog="Example: dhruva why work.db 12")
def why(store: StorePath, thing: Thing, as_json: AsJson = False) -> None:
    """Say what a thing waits for now, and who could move it on."""
    with looking(store) as look:
        answer = why_of(look, things.find(look, thing))
        process, servers = runs_in(look, answer.why), served_by(look, answer.why)
    if as_json:
        say_json(answer.to_json() | {"process": process, "served_by": servers})
        return
    since = "" if answer.since is None else f" (since {answer.since:%Y-%m-%d %H:%M:%S} UTC)"
    typer.echo(clean(f"{answer.name} {answer}{since}"))
    typer.echo(f"rule      {answer.why.rule}")
    for way in answer.ways:
        typer.echo(f"moved by  {way}")
    if servers is not None:
        typer.echo(f"served by {', '.join(map(str, servers)) or NOBODY}")
    if process is not None:
        typer.echo(f"process   {process['id']} {OF_PROCESS[process['state']]}")


NOBODY: Final = "nobody: no living process has its executor"
OF_PROCESS: Final = {
    Process.LIVES: "lives",
    Process.GONE: "is gone: the next process that serves the store settles this",
    Process.UNKNOWN: "left no lock: whether it lives is not known; see `dhruva abandon`",
}


@app.command(epilog="Example: dhruva replay work.db --head 42:9f2c…")
def replay(
    store: StorePath,
    head: Annotated[
        str | None,
        typer.Option(metavar="NUMBER:HASH", help="The newest link that is known to have been written."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Step the journal again from nothing, and name the first bad record."""
    with looking(store) as look:
        report = replay_journal(look.store, shipped(), _head(head))
    if as_json:
        bad = None if report.bad is None else report.bad._asdict()
        newest = {"number": report.head.number, "hash": report.head.hash.hex()}
        say_json({"links": report.links, "inputs": report.inputs, "head": newest, "bad": bad})
    else:
        typer.echo(f"{report.links} transactions with {report.inputs} inputs were stepped again")
        typer.echo(f"head {report.head.number}:{report.head.hash.hex()}")
        typer.echo("every one is as the tables have it" if report.bad is None else f"bad: {report.bad}")
    raise typer.Exit(0 if report.bad is None else REFUSED)


def _head(text: str | None) -> Head | None:
    if text is None:
        return None
    number, _, digest = text.partition(":")
    try:
        return Head(int(number), bytes.fromhex(digest))
    except ValueError:
        stop(f"--head takes NUMBER:HASH, as replay prints it, not {text!r}")
