"""Pages of tables: every row and every refusal is on them."""

import re

import pytest

from dhruva import show
from dhruva.machines import MACHINES
from dhruva.machines.scope import SCOPE
from dhruva.wiring import WIRING, Fire


@pytest.mark.parametrize("name", MACHINES)
def test_a_page_shows_every_row_and_every_pair(name: str) -> None:
    machine = MACHINES[name]
    page = show.page(machine)
    for row in machine.rows:
        assert f"| {row.source} | {row.on} | {row.target} |" in page
    grid = show.grid(machine)
    cells = [cell for line in grid.splitlines()[2:] for cell in re.findall(r"\| ([^|]*?) (?=\|)", line)[1:]]
    assert len(cells) == len(machine.states) * len(machine.events)
    assert sum(1 for cell in cells if cell != ".") == len(machine.rows)


def test_mermaid_draws_each_row_with_guard_and_effect() -> None:
    lines = show.mermaid(SCOPE).splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert "    [*] --> INIT" in lines
    assert "    DISPOSING --> DISPOSED: drained [empty]" in lines
    assert "    INIT --> ATTACHED: mounted / wake_lanes" in lines
    assert "    DISPOSED --> [*]" in lines
    assert len(lines) == 1 + 1 + len(SCOPE.rows) + len(SCOPE.final)


def test_dot_draws_each_row_and_marks_initial_and_final() -> None:
    text = show.dot(SCOPE)
    assert text.count("->") == len(SCOPE.rows)
    assert '"DISPOSED" [peripheries=2];' in text
    assert '"INIT" [style="rounded,bold"];' in text


def test_the_index_lists_every_machine() -> None:
    page = show.index(MACHINES.values())
    assert all(f"[{name}]({name}.md)" in page for name in MACHINES)


def test_the_wiring_page_shows_every_wire() -> None:
    page = show.wiring(WIRING)
    fires = [wire for wire in WIRING if isinstance(wire, Fire)]
    events, deeds = page.split("## Events")[1].split("## Deeds")
    assert events.count("\n| ") == len(fires) + 2
    assert deeds.count("\n| ") == len(WIRING) - len(fires) + 2
    for wire in fires:
        arrow = "-.->" if wire.optional else "-->"
        assert f'{wire.machine}["{wire.machine}"] {arrow}|' in page
