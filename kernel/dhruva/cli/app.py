"""The app that all commands hang on, and what every command has: options, errors, tables, JSON.

Exit codes: 0 holds, 1 violated or refused, 2 usage, 3 cut short.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, NoReturn

import typer

from dhruva import __version__

HOLDS: Final = 0
REFUSED: Final = 1
USAGE: Final = 2
WIDTH: Final = 100  # columns that a table may take
CELL: Final = 28  # and each of its cells but the last

app = typer.Typer(
    name="dhruva",
    help="An execution kernel with verified semantics: what runs is what was checked.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
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


def stop(message: str, code: int = USAGE) -> NoReturn:
    """One line that says what is wrong, and the end."""
    typer.echo(clean(f"error: {message}"), err=True)
    raise typer.Exit(code)


def say_json(value: object) -> None:
    typer.echo(json.dumps(value, indent=2, default=str, ensure_ascii=False))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Aligned columns within WIDTH: the last one takes what is left, and shows what was cut off."""
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    lines = [[*(cut(cell, CELL) for cell in line[:-1]), line[-1]] for line in cells]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    widths[-1] -= max(sum(widths) + 2 * (len(widths) - 1) - WIDTH, 0)
    return "\n".join("  ".join(map(_fitted, line, widths)).rstrip() for line in lines)


def _fitted(cell: str, width: int) -> str:
    return cut(cell, width).ljust(width)


def cut(cell: str, width: int) -> str:
    """Within so many columns; what was cut off is shown to be."""
    plain = clean(cell)
    return plain if len(plain) <= width else plain[: width - 1] + "…"


def clean(text: str) -> str:
    """Text that steers no terminal, whoever wrote it."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
