"""The scope's table against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from dhruva.machines.scope import ALIVE, CAN_EXECUTE
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

SCOPE = MACHINES["scope"]

GRID = grid(
    "scope",
    """
               mounted   task_started  suspend    resume   dispose    drained
    INIT       ATTACHED  .             .          .        DISPOSING  .
    ATTACHED   .         RUNNING       SUSPENDED  .        DISPOSING  .
    RUNNING    .         RUNNING       SUSPENDED  .        DISPOSING  .
    SUSPENDED  .         .             .          RUNNING  DISPOSING  .
    DISPOSING  .         .             .          .        DISPOSING  DISPOSED
    DISPOSED   .         .             .          .        DISPOSED   .
    """,
    initial="INIT",
    final="DISPOSED",
    symbols={
        ("INIT", "mounted"): ("", "wake_lanes"),
        ("SUSPENDED", "resume"): ("", "wake_lanes"),
        ("INIT", "dispose"): ("", "abort_each reject_queued"),
        ("ATTACHED", "dispose"): ("", "abort_each reject_queued"),
        ("RUNNING", "dispose"): ("", "abort_each reject_queued"),
        ("SUSPENDED", "dispose"): ("", "abort_each reject_queued"),
        ("DISPOSING", "drained"): ("empty", ""),
    },
)


@pytest.mark.cites("ACT-5")
def test_header() -> None:
    assert header_faults(GRID, SCOPE) == []


@pytest.mark.cites(
    "ACT-5a", "ACT-5b", "ACT-5c", "ACT-5d", "ACT-5e", "ACT-5f", "ACT-5g", "ACT-5h", "ACT-5i", "ACT-5k"
)
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, SCOPE, state, event) == []


@pytest.mark.cites("ACT-6a")
def test_can_execute_only_in_attached_and_running() -> None:
    assert set(CAN_EXECUTE) == {"ATTACHED", "RUNNING"}


@pytest.mark.cites("ACT-6b")
def test_alive_in_all_but_disposing_and_disposed() -> None:
    assert set(ALIVE) == {"INIT", "ATTACHED", "RUNNING", "SUSPENDED"}


@pytest.mark.cites("ACT-6a")
def test_a_task_starts_only_where_the_scope_can_execute() -> None:
    assert {row.source for row in SCOPE.rows if row.on == "task_started"} == set(CAN_EXECUTE)


@pytest.mark.cites("ACT-5j")
def test_running_never_falls_back_to_attached() -> None:
    assert {row.source for row in SCOPE.rows if row.target == "ATTACHED"} == {"INIT"}
