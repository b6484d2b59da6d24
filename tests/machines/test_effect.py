"""The effect's table against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

EFFECT = MACHINES["effect"]

GRID = grid(
    "effect",
    """
                   take   withdraw   ack   fail    lost           lost_idempotent
    pending        taken  withdrawn  .     .       .              .
    taken          .      .          done  failed  indeterminate  pending
    indeterminate  .      .          done  failed  .              .
    done           .      .          .     .       .              .
    failed         .      .          .     .       .              .
    withdrawn      .      .          .     .       .              .

                   resolve_done  resolve_failed
    pending        .             .
    taken          .             .
    indeterminate  done          failed
    done           .             .
    failed         .             .
    withdrawn      .             .
    """,
    initial="pending",
    final="done failed withdrawn",
    symbols={
        ("indeterminate", "resolve_done"): ("override", ""),
        ("indeterminate", "resolve_failed"): ("override", ""),
    },
)


@pytest.mark.cites("SHL-4a")
def test_header() -> None:
    assert header_faults(GRID, EFFECT) == []


@pytest.mark.cites("SHL-4b", "SHL-4c", "SHL-4d")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, EFFECT, state, event) == []


@pytest.mark.cites("SHL-4e")
def test_only_an_effect_that_is_idempotent_by_key_is_performed_again() -> None:
    assert {(row.source, row.on) for row in EFFECT.rows if row.target == "pending"} == {
        ("taken", "lost_idempotent")
    }
