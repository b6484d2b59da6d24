"""Each claim can fail: a planted fault that it refutes, with a world told in the words of the kernel."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from dhruva.cells import Change, FollowUp
from dhruva.decide import authority
from dhruva.decide.admission import Admission
from dhruva.decide.authority import Verdict
from dhruva.decide.signal import Freshness
from dhruva.ids import TaskStatus
from dhruva.inputs import Stopped
from dhruva.machines import MACHINES
from dhruva.machines.attempt import AttemptState
from dhruva.machines.effect import EffectState
from dhruva.machines.release import ReleaseState
from dhruva.machines.scope import ScopeState
from dhruva.rules import attempts, follow_ups, keys, lanes
from dhruva.rules.deeds import DEEDS
from dhruva.rules.guards import GUARDS
from dhruva.step import Step
from dhruva.walk import DECISIONS
from dhruva.wiring import WIRING, Do, Does, Fire
from proofs.prove import CLAIMS, prove
from proofs.shapes import SHAPES
from proofs.worlds import proved_kernel


class Plant(NamedTuple):
    """A fault, the claim that must notice it, and an input on which it does."""

    claim: str
    shape: str
    step: Callable[[], Step]


def _row(machine: str, source: str, on: str, **changed: Any) -> Callable[[], Step]:
    """One row changed."""
    table = MACHINES[machine]
    rows = [replace(r, **changed) if (r.source, r.on) == (source, on) else r for r in table.rows]
    return lambda: proved_kernel(tables={**MACHINES, machine: table.unchecked(rows)}, checked=False)


def _deed(does: Does, deed: Any) -> Callable[[], Step]:
    return lambda: proved_kernel(deeds={**DEEDS, does: deed})


def _without(does: Does) -> Callable[[], Step]:
    rest = tuple(wire for wire in WIRING if not (isinstance(wire, Do) and wire.does == does))
    return lambda: proved_kernel(wiring=rest, checked=False)


def _guard(*name: str) -> Callable[[], Step]:
    """A guard that always holds."""
    guards: Mapping[Any, Any] = {**GUARDS, name: lambda *_: True}
    return lambda: proved_kernel(guards=guards)


def _decide(**decisions: Any) -> Callable[[], Step]:
    return lambda: proved_kernel(decisions=DECISIONS._replace(**decisions))


def _authorize(*ignored: Verdict) -> Callable[[], Step]:
    """An authority that does not mind these reasons."""

    def authorize(facts: authority.Facts) -> Verdict:
        answer = authority.authorize(facts)
        return Verdict.AUTHORIZED if answer in ignored else answer

    return _decide(authorize=authorize)


def _raises(*_: Any) -> None:
    raise KeyError


def _forget_number(walk: Any, key: Any, task: Any, _given: Any) -> None:
    walk.put(key, task._replace(run=task.run + 1, tries=0, due=True, number=0))


def _other_policy(walk: Any, key: Any, _scope: Any, _given: Any) -> None:
    policy = walk.get((keys.POLICY, key[1]))
    walk.put((keys.POLICY, key[1]), policy._replace(retry=policy.retry + 1))


def _no_policy(walk: Any, key: Any, _scope: Any, _given: Any) -> None:
    walk.put((keys.POLICY, key[1]), None)


def _nowhere(walk: Any, key: Any, _scope: Any, _given: Any) -> None:
    walk.put(keys.follow(FollowUp.ABORT_EACH, key[1]), lanes.BEGIN)


def _no_task_started() -> Step:
    rest = tuple(w for w in WIRING if not (isinstance(w, Fire) and (w.machine, w.to) == ("task", "scope")))
    return proved_kernel(wiring=rest, checked=False)


def _hears_the_dead() -> Step:
    step = proved_kernel()

    def deaf(read: Any, given: Any) -> Any:
        said = step(read, given)
        heard = isinstance(given, Stopped) and not isinstance(said, Change)
        return Change({}, (), (), (), ()) if heard else said

    return deaf


PLANTS = (
    Plant("total", "Resume", _deed(Does.WAKE, _raises)),
    Plant("slots are living attempts", "Stopped", _without(Does.FREE_SLOT)),
    Plant("slots within the limit", "Wake", _authorize(Verdict.CONCURRENCY_LIMIT)),
    Plant("spawns within the limit", "Wake", _authorize(Verdict.SPAWN_LIMIT)),
    Plant("one gate", "Wake", _no_task_started),
    Plant("a ref is new", "Handle (reset)", _deed(Does.NEW_RUN, _forget_number)),
    Plant("a dead ref changes nothing", "Stopped", _hears_the_dead),
    Plant(
        "a slot is held to the end",
        "Abort",
        _row("attempt", "aborting", "abort", target=AttemptState.RUNNING),
    ),
    Plant("a scope goes one way", "Resume", _row("scope", "SUSPENDED", "resume", target=ScopeState.ATTACHED)),
    Plant("one attempt per task", "Handle (reset)", _guard("reexecution", "no_attempt_alive")),
    Plant("ended tasks stay", "Cancel", _row("task", "pending", "cancel", target=TaskStatus.COMPLETED)),
    Plant("a retried failure is not seen", "Fail", _guard("task", "tries_left")),
    Plant("start", "Wake", _guard("task", "unmet_zero")),
    Plant("declared once", "Resume", _deed(Does.WAKE, _other_policy)),
    Plant("spawn budget and depth", "Admit", _decide(admit=lambda *_: Admission.DISPATCH)),
    Plant("one primary at a time", "CommitCarrier", _guard("carrier-primary", "cooperatives_withdrawn")),
    Plant("performed once", "Lost (dispatch)", _row("effect", "taken", "lost", target=EffectState.PENDING)),
    Plant("one holder", "Takeover", _guard("lock", "stale")),
    Plant(
        "released once",
        "Observe",
        _row("release-after-send-final", "released", "send-final", target=ReleaseState.HOLDING),
    ),
    Plant("tokens and versions", "SliceCompleted", _without(Does.RAISE_VERSION)),
    Plant("stale changes nothing", "Signal", _decide(freshness=lambda *_: Freshness.FRESH)),
    Plant("well-formed cells", "Dispose", _deed(Does.ABORT_EACH, _nowhere)),
    Plant("pairs of cells", "Resume", _deed(Does.WAKE, _no_policy)),
)
IN_RULES = frozenset({"resources of a running attempt", "unmet counts links", "slots within the cap"})
"""Claims whose fault no argument of `kernel` can plant: the rule itself is changed below."""


def _broken(claim: str, shape: str, step: Step) -> str | None:
    (claimed,) = (c for c in CLAIMS if c.name == claim)
    (shaped,) = (s for s in SHAPES if s.name == shape)
    (found,) = prove(shaped, step, [claimed], first=True).found
    return found.broken


@pytest.mark.cites("VER-5b")
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.claim)
def test_a_planted_fault_is_refuted(plant: Plant) -> None:
    told = _broken(plant.claim, plant.shape, plant.step())
    assert told is not None
    assert told.startswith("Refuted: ")
    assert "counterexample to induction" in told
    assert f"input   {plant.shape.split()[0]}(" in told


def test_a_rule_that_adds_in_any_scope_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "CAN_EXECUTE", frozenset(ScopeState))
    assert _broken("resources of a running attempt", "AddWorker", proved_kernel())


def test_a_rule_that_counts_no_dependency_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(walk: Any, key: Any, link: Any, met: bool) -> None:
        walk.put(key, link._replace(met=met))

    monkeypatch.setattr(follow_ups, "_count", count)
    monkeypatch.setattr(lanes, "ready", lambda *_: None)
    assert _broken("unmet counts links", "Handle (recall)", proved_kernel())


def test_a_cap_that_is_not_asked_is_refuted() -> None:
    """Under an authority that sees no cap."""

    def authorize(facts: authority.Facts) -> Verdict:
        return authority.authorize(facts._replace(active_overall=0, max_overall=1))

    step = proved_kernel(decisions=DECISIONS._replace(authorize=authorize))
    assert _broken("slots within the cap", "Ask", step)


def test_every_claim_has_a_plant() -> None:
    assert {plant.claim for plant in PLANTS} | IN_RULES == {claim.name for claim in CLAIMS}


HOLDS = ("CreateScope", "Dispose", "Stopped", "AddWorker", "Signal", "Takeover", "Observe", "CommitCarrier")


@pytest.mark.parametrize("name", HOLDS)
def test_the_kernel_that_we_ship_keeps_every_claim(name: str) -> None:
    """A sample; `python -m proofs` runs all."""
    (shape,) = (s for s in SHAPES if s.name == name)
    answer = prove(shape, proved_kernel())
    assert [found for found in answer.found if found.broken] == []
    assert answer.accepted > 0
