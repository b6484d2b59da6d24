"""`dhruva tables` and `dhruva check`: the rules on a page, and models of one's own."""

import json
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from dhruva.cli.app import AsJson, app, stop
from dhruva.explore import command
from dhruva.machines import MACHINES
from dhruva.verify import report


@app.command()
def tables(
    name: Annotated[str | None, typer.Argument(help="A machine; all are listed without one.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the machines, or print the table of one."""
    if name is None:
        _list_tables(as_json)
        return
    machine = MACHINES.get(name)
    if machine is None:
        near = get_close_matches(name, MACHINES, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        stop(f"no machine is named {name!r}.{hint} Known: {', '.join(MACHINES)}.")
    typer.echo(json.dumps(machine.to_json(), indent=2) if as_json else str(machine))


def _list_tables(as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([machine.to_json() for machine in MACHINES.values()], indent=2))
        return
    head = ("machine", "states", "events", "rows", "digest")
    typer.echo(
        report.aligned(
            [
                head,
                *((m.name, len(m.states), len(m.events), len(m.rows), m.digest) for m in MACHINES.values()),
            ]
        )
    )


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A Python file with a function model(...).")],
    engine: Annotated[str, typer.Option(help="auto, vector or reference.")] = "auto",
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a bound of the model.")
    ] = None,
    max_states: Annotated[int | None, typer.Option(help="Stop after so many states.")] = None,
    max_memory: Annotated[int | None, typer.Option(help="Stop at so many MiB.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds.")] = None,
    keep_going: Annotated[bool, typer.Option(help="Do not end with the first violation.")] = False,
    audit: Annotated[bool, typer.Option(help="Ask actions again on other states.")] = True,
    tests: Annotated[Path | None, typer.Option(help="Write counterexamples as a pytest file.")] = None,
    dot: Annotated[Path | None, typer.Option(help="Write the state graph as DOT.")] = None,
    graph: Annotated[Path | None, typer.Option(help="Write the state graph as JSON.")] = None,
    promela: Annotated[Path | None, typer.Option(help="Write the learned model for Spin.")] = None,
    as_json: AsJson = False,
) -> None:
    """Explore every reachable state of a model, and print what holds and what does not."""
    code = command.run(
        file,
        engine=engine,
        sets=dict(_pair(text) for text in sets or ()),
        max_states=max_states,
        max_memory=max_memory,
        max_seconds=max_seconds,
        keep_going=keep_going,
        audit=audit,
        progress=not as_json,
        tests=tests,
        dot=dot,
        graph=graph,
        promela=promela,
        as_json=as_json,
    )
    raise typer.Exit(code)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        stop(f"--set takes NAME=VALUE, not {text!r}")
    return name, value
