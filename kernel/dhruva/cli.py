"""The `dhruva` command: the same words as the API.

Exit codes: 0 holds, 1 violated or refused, 2 usage, 3 cut short.
"""

import json
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from dhruva import __version__
from dhruva.assume import ASSUMPTIONS
from dhruva.explore import ModelError, command
from dhruva.machines import MACHINES
from dhruva.verify import report
from dhruva.verify.models import Broken, Checked, check_broken, check_models
from dhruva.verify.tables import TableReport, check_tables

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
        report.aligned(
            [
                head,
                *((m.name, len(m.states), len(m.events), len(m.rows), m.digest) for m in MACHINES.values()),
            ]
        )
    )


@app.command()
def verify(
    folder: Annotated[Path, typer.Option("--models", help="The folder of the models.")] = Path("models"),
    engine: Annotated[str, typer.Option(help="auto, vector or reference.")] = "reference",
    as_json: AsJson = False,
) -> None:
    """Re-check everything from nothing: tables, models, and the models that are broken on purpose."""
    reports = check_tables(MACHINES.values())
    try:
        checked = check_models(folder, engine, _progress)
        found = check_broken(folder / "broken", engine, _progress)
    except (FileNotFoundError, ModelError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    against = list(report.failures(reports, checked, found))
    if as_json:
        typer.echo(json.dumps(_as_json(reports, checked, found), indent=2))
    else:
        parts = (
            report.tables(reports),
            report.models(checked),
            report.broken(found),
            report.assumptions(),
            report.CLAIM,
        )
        typer.echo("\n\n".join(parts))
    for line in against:
        typer.echo(f"\n{line}", err=True)
    raise typer.Exit(1 if against else 0)


def _as_json(
    reports: Sequence[TableReport], checked: Sequence[Checked], found: Sequence[Broken]
) -> dict[str, object]:
    return {
        "tables": [one._asdict() for one in reports],
        "models": [one.report.to_dict() for one in checked],
        "broken": [
            {
                "model": b.path.stem,
                "fails": b.must_fail,
                "steps": b.took,
                "caught": b.caught,
                "trace": b.story,
            }
            for b in found
        ],
        "assumptions": [{"name": one.name, "who": one.who} for one in ASSUMPTIONS],
    }


def _progress(line: str) -> None:
    typer.echo(line, err=True)


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
        typer.echo(f"error: --set takes NAME=VALUE, not {text!r}", err=True)
        raise typer.Exit(2)
    return name, value
