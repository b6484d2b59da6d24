"""An implementation that follows its table passes, and each way to leave the table is named."""

import re
import unittest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from dhruva.machines import MACHINES
from dhruva.machines.task import TASK
from dhruva.table import Machine, Refused, UnknownName
from dhruva.testing import Departure, Subject, machine_test, tour

PAGE = Path(__file__).parents[1] / "docs" / "extend" / "conformance.md"


def on_the_page() -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "page"}
    exec("\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)), space)
    return space


class Walking:
    """Follows a table by asking it; what a guard says is what was arranged."""

    table: Machine[Any, Any] = TASK

    def __init__(self) -> None:
        assert self.table.initial is not None
        self.state: str = self.table.initial
        self.said: dict[str, bool] = {}

    def arrange(self, guard: str, holds: bool) -> None:
        self.said[guard] = holds

    def fire(self, event: str) -> bool:
        row = self.table.step(self.state, event)
        said, self.said = self.said, {}
        if isinstance(row, Refused) or not all(said[guard] for guard in row.when):
            return False
        self.state = row.target
        return True


class Forgetful(Walking):
    """A cancel of a completed task is let through."""

    def fire(self, event: str) -> bool:
        if (self.state, event) == ("completed", "cancel"):
            self.state = "cancelled"
            return True
        return super().fire(event)


class Hasty(Walking):
    """Starts before its dependencies are met."""

    def arrange(self, guard: str, holds: bool) -> None:
        super().arrange(guard, holds or guard == "unmet_zero")


class Silent(Walking):
    """Says that it refused, and moved."""

    def fire(self, event: str) -> bool:
        return super().fire(event) and event != "fail"


class Late(Walking):
    """Begins where it should not."""

    def __init__(self) -> None:
        super().__init__()
        self.state = "failed"


class Vague(Walking):
    """Answers with something else than yes or no."""

    def fire(self, event: str) -> bool:
        super().fire(event)
        return None  # type: ignore[return-value]


def walks(case: Any, number: int) -> Any:
    """The same walks every time, and no shrinking: whether something is found is all we ask."""
    case.settings = settings(
        max_examples=number, stateful_step_count=20, derandomize=True, database=None, phases=[Phase.generate]
    )
    return case


TestWalking = walks(machine_test(TASK, Walking), 20)
TestPage = walks(on_the_page()["TestMine"], 20)


@pytest.mark.cites("VER-1")
@pytest.mark.parametrize(
    ("subject", "said"),
    [
        (
            Forgetful,
            "task, completed -cancel->: the table says refused, and still completed; the impl",
        ),
        (
            Hasty,
            "task, pending -start->, unmet_zero broken: the table says refused, and still pending; the impl",
        ),
        (
            Silent,
            "task, in_progress -fail->: the table says failed; the implementation refused, and now failed",
        ),
        (Late, "task: a new implementation is in 'failed', and not in pending"),
    ],
)
def test_a_departure_is_named(subject: type[Walking], said: str) -> None:
    with pytest.raises(Departure) as found:
        tour(TASK, subject)
    assert str(found.value).startswith(said)


@pytest.mark.parametrize("subject", [Forgetful, Hasty, Silent, Late])
def test_random_walks_find_it_too(subject: type[Walking]) -> None:
    result = unittest.TestResult()
    walks(machine_test(TASK, subject), 200)("test_random_walks").run(result)
    assert "Departure" in result.failures[0][1]


def test_an_answer_that_is_no_answer() -> None:
    with pytest.raises(TypeError, match=r"fire\('start'\) answered None; it must say True or False"):
        tour(TASK, Vague)


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_every_table_can_be_toured(name: str) -> None:
    table = MACHINES[name]
    start = table.initial if table.initial is not None else min(table.entries)

    class Follows(Walking):
        def __init__(self) -> None:
            self.table, self.state, self.said = table, start, {}

    made = tour(table, Follows, start=start)
    assert made >= len(table.events)


def test_a_table_without_an_initial_state_asks_where_to_begin() -> None:
    several = [table for table in MACHINES.values() if table.initial is None]
    for table in several:
        with pytest.raises(ValueError, match="has no initial state: give start, one of"):
            machine_test(table, Walking)


def test_an_unknown_start_is_named() -> None:
    with pytest.raises(UnknownName, match="machine 'task' has no state 'nowhere'"):
        machine_test(TASK, Walking, start="nowhere")  # type: ignore[arg-type]


def test_what_the_page_prints() -> None:
    """The line on the page is what a fault gives."""
    with pytest.raises(Departure) as found:
        tour(TASK, Forgetful)
    assert f"```text\n{found.value}\n```" in PAGE.read_text()


def test_the_protocol_is_met() -> None:
    subject: Subject = Walking()
    assert subject.state == "pending"
