"""The names of things: refs, priorities and statuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.ids import ENDED, OwnerId, Priority, Ref, TaskStatus

numbers = st.integers(1, 3)
refs = st.builds(Ref, numbers.map(OwnerId), numbers, numbers)


@pytest.mark.cites("ACT-8a")
@settings(deadline=None, max_examples=200)
@given(refs, refs)
def test_two_refs_are_one_iff_owner_run_and_number_are(one: Ref, other: Ref) -> None:
    same = (one.owner, one.run, one.number) == (other.owner, other.run, other.number)
    assert (one == other) is same
    assert len({one, other}) == (1 if same else 2)


@pytest.mark.cites("ACT-8a")
@settings(deadline=None)
@given(refs)
def test_a_ref_is_immutable(ref: Ref) -> None:
    for field in ("owner", "run", "number", "another"):
        with pytest.raises(AttributeError):
            setattr(ref, field, 9)


@pytest.mark.cites("LIF-6a", "LIF-17c")
def test_priorities_are_those_of_the_contract_and_lower_goes_first() -> None:
    assert {priority.name: priority.value for priority in Priority} == {
        "URGENT": 0,
        "HIGH": 1,
        "NORMAL": 2,
        "LOW": 3,
    }
    assert sorted(Priority) == [Priority.URGENT, Priority.HIGH, Priority.NORMAL, Priority.LOW]


@pytest.mark.cites("LIF-1a")
def test_statuses_are_those_of_the_contract() -> None:
    assert set(TaskStatus) == {"pending", "in_progress", "completed", "failed", "cancelled"}


@pytest.mark.cites("LIF-1a", "LIF-4b")
def test_ended_is_completed_failed_or_cancelled() -> None:
    assert {"completed", "failed", "cancelled"} == ENDED
