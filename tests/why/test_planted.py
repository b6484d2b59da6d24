"""Faults planted in `why`: each is seen by the comparison with `step`, so that comparison can fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dhruva.machines.task import TaskGuard
from dhruva.rules import lanes
from dhruva.table import Refused
from dhruva.walk import Walk
from dhruva.why import scopes, tasks
from dhruva.why.answer import Reason, Why
from dhruva.why.asking import Asking
from tests.why.test_agreement import faults, known, starting

Plant = Callable[[pytest.MonkeyPatch], None]


def the_timer_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    real = Walk.allows

    def allows(self: Walk, *asked: Any) -> Refused | None:
        refused = real(self, *asked)
        return None if refused is not None and refused.because == TaskGuard.DUE else refused

    patch.setattr(Walk, "allows", allows)


def everyone_is_first(patch: pytest.MonkeyPatch) -> None:
    real = lanes.head

    def in_line(asking: Asking, key: Any, state: str, scope: Any) -> Why:
        first = real(asking.walk, scope)
        with pytest.MonkeyPatch.context() as other:
            mine = None if first is None else first._replace(owner=key[1])
            other.setattr(lanes, "head", lambda _walk, _scope: mine)
            return kept(asking, key, state, scope)

    kept = scopes.in_line
    patch.setattr(scopes, "in_line", in_line)


def a_full_scope_is_not_seen(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        scopes,
        "held_back",
        lambda asking, key, state, scope, _verdict: scopes.in_line(asking, key, state, scope),
    )


def nobody_is_named(patch: pytest.MonkeyPatch) -> None:
    real = tasks._dependencies
    patch.setattr(
        tasks,
        "_dependencies",
        lambda *asked: real(*asked)._replace(on=(), more=0, reason=Reason.DEPENDENCIES, ways=()),
    )


def a_way_that_is_refused(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Asking, "accepts", lambda _self, _given: True)


@pytest.mark.parametrize(
    ("plant", "name"),
    [
        (the_timer_is_forgotten, "tasks"),
        (everyone_is_first, "executors"),
        (a_full_scope_is_not_seen, "gate"),
        (nobody_is_named, "kernel"),
        (a_way_that_is_refused, "gate"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_planted_fault_is_seen(monkeypatch: pytest.MonkeyPatch, plant: Plant, name: str) -> None:
    all_of_it = known(name)
    plant(monkeypatch)
    said, done = starting(all_of_it)
    assert said != done or next(faults(all_of_it), None) is not None
