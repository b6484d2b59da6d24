"""The `dhruva` command: the same words as the API.

Exit codes: 0 holds, 1 violated or refused, 2 usage, 3 cut short.
"""

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Annotated

import typer

from dhruva import __version__
from dhruva.machines import MACHINES
from dhruva.verify.tables import check_tables

app = typer.Typer(
    name="dhruva",
    help="An execution kernel with verified semantics: what runs is what was checked.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def main() -> None:
    app()


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dhruva {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options that stand before every command."""


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
        typer.echo(f"error: no machine is named {name!r}.{hint} Known: {', '.join(MACHINES)}.", err=True)
        raise typer.Exit(2)
    typer.echo(json.dumps(machine.to_json(), indent=2) if as_json else str(machine))


def _list_tables(as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([machine.to_json() for machine in MACHINES.values()], indent=2))
        return
    head = ("machine", "states", "events", "rows", "digest")
    typer.echo(
        _aligned(
            [
                head,
                *((m.name, len(m.states), len(m.events), len(m.rows), m.digest) for m in MACHINES.values()),
            ]
        )
    )


@app.command()
def verify(as_json: AsJson = False) -> None:
    """Re-check every table from nothing and print what was checked."""
    reports = check_tables(MACHINES.values())
    failed = [report for report in reports if report.faults]
    if as_json:
        typer.echo(json.dumps([report._asdict() for report in reports], indent=2))
    else:
        rows = [(*report[:-1], "FAULT" if report.faults else "sound") for report in reports]
        head = ("machine", "states", "events", "rows", "refused", "guarded", "digest", "verdict")
        typer.echo(_aligned([head, *rows]))
        for report in failed:
            for fault in report.faults:
                typer.echo(f"fault: {fault}", err=True)
        typer.echo(
            "\nChecked of each table: one row per state and event; no row leaves a final state; final\n"
            "lists exactly the states that are never left; every state is reachable; every event is used;\n"
            "every row cites a requirement. Not checked here: what the machines do together."
        )
    raise typer.Exit(1 if failed else 0)


def _aligned(rows: Iterable[Sequence[object]]) -> str:
    """Columns as wide as they need to be; numbers to the right."""
    grid = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if cell.isdigit() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in grid
    )
