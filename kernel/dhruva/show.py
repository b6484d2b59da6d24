"""Tables as Markdown, Mermaid and DOT. The pages under docs/generated that show rules come from here."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from dhruva.table import Machine, Row, Symbol
from dhruva.wiring import Do, Fire, Wire

AnyMachine = Machine[Any, Any]
AnyRow = Row[Any, Any]

NOTICE: Final = "<!-- Generated from the code by `make docs`; never edited. -->"


def page(machine: AnyMachine) -> str:
    """One machine as a page: picture, rows, what is refused, what the symbols mean."""
    parts = [
        NOTICE,
        f"# {machine.name}",
        _header(machine),
        f"```mermaid\n{mermaid(machine)}\n```",
        "## Rows",
        markdown(machine),
        "## Every pair",
        "A dot is a refusal: the pair has no row, nothing changes, and the answer names "
        f"{machine.closed_by}.",
        grid(machine),
    ]
    symbols = _symbols(machine)
    if symbols:
        parts += ["## Words", _markdown_table(("word", "means"), [(f"`{s}`", s.sentence) for s in symbols])]
    return "\n\n".join(parts) + "\n"


def markdown(machine: AnyMachine) -> str:
    """The rows, in the order of the table."""
    return _markdown_table(
        ("from", "on", "to", "when", "then", "cites"),
        [
            (row.source, row.on, row.target, _words(row.when), _words(row.then), row.cites)
            for row in machine.rows
        ],
    )


def grid(machine: AnyMachine) -> str:
    """Every state by every event: the target, or a dot."""
    target = {(row.source, row.on): row.target for row in machine.rows}
    return _markdown_table(
        ("", *machine.events),
        [(state, *(target.get((state, event), ".") for event in machine.events)) for state in machine.states],
    )


def mermaid(machine: AnyMachine) -> str:
    """The state diagram, as GitHub draws it."""
    lines = ["stateDiagram-v2"]
    if machine.initial is not None:
        lines.append(f"    [*] --> {machine.initial}")
    lines += [f"    {row.source} --> {row.target}: {_label(row)}" for row in machine.rows]
    lines += [f"    {state} --> [*]" for state in machine.states if state in machine.final]
    return "\n".join(lines)


def dot(machine: AnyMachine) -> str:
    """The state diagram for Graphviz; final states have a double border, the initial one is bold."""
    lines = [f'digraph "{machine.name}" {{', "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    for state in machine.states:
        marks = [
            *(["peripheries=2"] if state in machine.final else []),
            *(['style="rounded,bold"'] if state == machine.initial else []),
        ]
        lines.append(f'  "{state}" [{", ".join(marks)}];' if marks else f'  "{state}";')
    lines += [f'  "{row.source}" -> "{row.target}" [label="{_label(row)}"];' for row in machine.rows]
    return "\n".join([*lines, "}"])


def index(machines: Iterable[AnyMachine]) -> str:
    """The list of all machines, with links to their pages."""
    rows = [
        (
            f"[{m.name}]({m.name}.md)",
            str(len(m.states)),
            str(len(m.events)),
            str(len(m.rows)),
            f"`{m.digest}`",
        )
        for m in machines
    ]
    table = _markdown_table(("machine", "states", "events", "rows", "digest"), rows)
    return f"{NOTICE}\n\n# The machines\n\n{table}\n"


def _header(machine: AnyMachine) -> str:
    facts = [
        f"Initial: `{machine.initial}`." if machine.initial is not None else "No initial state.",
        f"Entered at: {_states(machine, machine.entries)}." if machine.entries else "",
        f"Final: {_states(machine, machine.final)}." if machine.final else "No final state.",
        f"Digest: `{machine.digest}`.",
    ]
    return " ".join(fact for fact in facts if fact)


def _states(machine: AnyMachine, chosen: Iterable[StrEnum]) -> str:
    some = set(chosen)
    return ", ".join(f"`{state}`" for state in machine.states if state in some)


def _symbols(machine: AnyMachine) -> list[Symbol]:
    found = {symbol: None for row in machine.rows for symbol in row.when + row.then}
    return list(found)


def _label(row: AnyRow) -> str:
    guard = f" [{', '.join(row.when)}]" if row.when else ""
    effect = f" / {', '.join(row.then)}" if row.then else ""
    return f"{row.on}{guard}{effect}"


def _words(symbols: tuple[Symbol, ...]) -> str:
    return ", ".join(f"`{symbol}`" for symbol in symbols)


def _markdown_table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def wiring(wires: Iterable[Wire]) -> str:
    """The wiring as a page: who tells whom what, and every wire."""
    every = list(wires)
    parts = [
        NOTICE,
        "# The wiring",
        "The only table where machines meet. A line is an event that one machine sends to another; a dotted "
        "line is optional: if it is refused, nothing else is.",
        f"```mermaid\n{_flow(every)}\n```",
        "## Events",
        _markdown_table(
            ("from", "on", "to", "event", "which cell", "optional", "cites"),
            [_fire_row(wire) for wire in every if isinstance(wire, Fire)],
        ),
        "## Deeds",
        _markdown_table(
            ("machine", "on", "does", "cites"),
            [
                (wire.machine, f"`{wire.on}`", wire.does.sentence, wire.cites)
                for wire in every
                if isinstance(wire, Do)
            ],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _flow(wires: Iterable[Wire]) -> str:
    """One line per pair of machines, with all events that pass between them."""
    passed: dict[tuple[str, str, bool], list[str]] = {}
    for wire in wires:
        if isinstance(wire, Fire):
            events = passed.setdefault((wire.machine, wire.to, wire.optional), [])
            events += [event for event in wire.events if event not in events]
    lines = ["flowchart LR"]
    for (source, target, optional), events in passed.items():
        arrow = "-.->" if optional else "-->"
        lines.append(f'    {source}["{source}"] {arrow}|"{", ".join(events)}"| {target}["{target}"]')
    return "\n".join(lines)


def _fire_row(wire: Fire) -> tuple[str, ...]:
    return (
        wire.machine,
        f"`{wire.on}`",
        wire.to,
        ", ".join(f"`{event}`" for event in wire.events),
        wire.which.sentence,
        "yes" if wire.optional else "",
        wire.cites,
    )
