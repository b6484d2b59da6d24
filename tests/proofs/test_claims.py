"""Each claim can fail: a planted fault that it refutes, with a world told in the words of the kernel."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from dhruva.cells import Change, FollowUp, OwnerKind
from dhruva.decide import authority, readiness
from dhruva.decide.admission import Admission
from dhruva.decide.authority import Verdict
from dhruva.decide.signal import Freshness
from dhruva.ids import Priority, TaskStatus
from dhruva.inputs import ForceRelease, Outcome, Stopped, Succeed
from dhruva.machines import MACHINES
from dhruva.machines.attempt import AttemptState
from dhruva.machines.carrier import CarrierState
from dhruva.machines.effect import EffectState
from dhruva.machines.instance import InstanceState
from dhruva.machines.lock import LockEvent
from dhruva.machines.release import ReleaseState
from dhruva.machines.scope import ScopeState
from dhruva.rules import RULES, attempts, flows, follow_ups, keys, lanes, lists
from dhruva.rules import authority as authority_rules
from dhruva.rules.deeds import DEEDS
from dhruva.rules.guards import GUARDS
from dhruva.step import Step
from dhruva.walk import DECISIONS, NOTHING, Given, replaced
from dhruva.wiring import WIRING, Do, Does, Fire
from proofs import report
from proofs.prove import CLAIMS, INVARIANTS, prove
from proofs.shapes import SHAPES
from proofs.symbolic import proved_kernel
from proofs.world import Store


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
    walk[key] = task._replace(run=task.run + 1, tries=0, due=True, number=0)


def _other_policy(walk: Any, key: Any, _scope: Any, _given: Any) -> None:
    policy = walk.get((keys.POLICY, key[1]))
    walk.put((keys.POLICY, key[1]), policy._replace(retry=policy.retry + 1))


def _no_policy(walk: Any, key: Any, _scope: Any, _given: Any) -> None:
    walk.put((keys.POLICY, key[1]), None)


def _over_and_kept(walk: Any, key: Any, attempt: Any, _given: Any) -> None:
    walk[key] = attempt._replace(state=AttemptState.SUCCEEDED)


def _forget_resources(walk: Any, key: Any, attempt: Any, given: Any) -> None:
    walk[key] = attempt._replace(reason=given.reason, resources=0)


def _no_wake(walk: Any, key: Any, _scope: Any, _given: Any) -> None:
    walk[keys.follow(FollowUp.WAKE, key[1])] = None


def _same_token(walk: Any, key: Any, instance: Any, given: Any) -> None:
    walk[key] = instance._replace(waits=given.waits, name=given.name)


def _low_first(waits: Any) -> Any:
    return Priority.LOW if waits(Priority.LOW) else readiness.first_lane(waits)


def _blind_to_the_cap(facts: authority.Facts) -> Verdict:
    return authority.authorize(facts._replace(active_overall=0, max_overall=1))


def _unwired(to: str, *machines: str) -> Callable[[], Step]:
    """No machine of these fires an event of that one."""
    rest = tuple(w for w in WIRING if not (isinstance(w, Fire) and w.to == to and w.machine in machines))
    return lambda: proved_kernel(wiring=rest, checked=False)


def _rule(of: type, rule: Any) -> Callable[[], Step]:
    return lambda: proved_kernel(rules={**RULES, of: rule})


def _force_silently(walk: Any, given: Any) -> Any:
    passed = Given(actor=given.actor, reasoned=given.reasoned)
    return walk.fire("lock", (keys.LOCK, given.target), LockEvent.FORCE_RELEASE, passed)


def _trust_the_policy(walk: Any, key: Any, _scope: Any, _given: Any) -> None:
    """Right in every world that meets the invariants, and in no other."""
    walk.put((keys.POLICY, key[1]), walk[keys.POLICY, key[1]]._replace())


def _count_a_try(walk: Any, key: Any, attempt: Any, _given: Any) -> None:
    task = walk[keys.TASK, key[1].owner]
    if attempt.kind == OwnerKind.TASK and task is not None:
        walk[keys.TASK, key[1].owner] = task._replace(alive=False, tries=task.tries + 1)


def _both(walk: Any, given: Any) -> Any:
    """The attempt before it ends with it."""
    attempt = walk[keys.ATTEMPT, given.ref]
    refused = walk.fire("attempt", (keys.ATTEMPT, given.ref), "succeed", NOTHING)
    if refused is None and attempt.older is not None:
        walk.try_fire("attempt", (keys.ATTEMPT, attempt.older), "succeed", NOTHING)
    return refused


def _suspend_by_hand(walk: Any, _key: Any, resource: Any, _given: Any) -> None:
    scope = walk[keys.SCOPE, resource.scope]
    if scope is not None:
        walk[keys.SCOPE, resource.scope] = scope._replace(state=ScopeState.SUSPENDED, live=scope.live - 1)


def _hears_the_dead() -> Step:
    step = proved_kernel()

    def deaf(read: Any, given: Any) -> Any:
        said = step(read, given)
        heard = isinstance(given, Stopped) and not isinstance(said, Change)
        store: Any = Store(read.__self__)
        return Change(store, (), (), (), ()) if heard else said

    return deaf


PLANTS = (
    Plant("total", "Resume", _deed(Does.WAKE, _raises)),
    Plant("total", "Resume", _deed(Does.WAKE, _trust_the_policy)),
    Plant("one thing at a time", "Succeed", _rule(Succeed, _both)),
    Plant("writes what it was meant to", "Stopped", _deed(Does.BODY_ENDED, _count_a_try)),
    Plant("writes what it was meant to", "ResourceEvent", _deed(Does.RESOURCE_ENDED, _suspend_by_hand)),
    Plant("slots are living attempts", "Stopped", _without(Does.FREE_SLOT)),
    Plant("slots within the limit", "Ask", _authorize(Verdict.CONCURRENCY_LIMIT)),
    Plant("slots within the cap", "Ask", _decide(authorize=_blind_to_the_cap)),
    Plant("live counts what is alive", "ResourceEvent", _without(Does.RESOURCE_ENDED)),
    Plant("disposed means nothing alive", "Stopped", _unwired("scope", "attempt")),
    Plant("spawns within the limit", "Ask", _authorize(Verdict.SPAWN_LIMIT)),
    Plant("one gate", "Wake", _unwired("scope", "task")),
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
    Plant("ended tasks stay", "Handle (reset)", _guard("reexecution", "enabled")),
    Plant("a retried failure is not seen", "Fail", _guard("task", "tries_left")),
    Plant("start", "Wake", _guard("task", "executor")),
    Plant("met by what satisfies", "Handle (tell)", _decide(satisfied=lambda *_: True)),
    Plant("links have both ends", "Delete", _decide(may_delete=lambda *_: True)),
    Plant("declared once", "Resume", _deed(Does.WAKE, _other_policy)),
    Plant("everyone waits in one line", "Cancel", _without(Does.LEAVE_LANE)),
    Plant("first come first served", "Wake", _decide(first_lane=_low_first)),
    Plant("spawn budget and depth", "Admit", _decide(admit=lambda *_: Admission.DISPATCH)),
    Plant("every dispatching ends", "Admit", _decide(admit=lambda *_: Admission.DISPATCH)),
    Plant("every dispatching ends", "Outcome", _rule(Outcome, lambda *_: None)),
    Plant("one primary at a time", "CommitCarrier", _guard("carrier-primary", "cooperatives_withdrawn")),
    Plant(
        "one primary at a time",
        "Ack (dispatch)",
        _row("carrier-primary", "committed", "released", target=CarrierState.IDLE),
    ),
    Plant("carriers and their calls", "CommitCarrier", _without(Does.DISPATCH)),
    Plant("performed once", "Lost (dispatch)", _row("effect", "taken", "lost", target=EffectState.PENDING)),
    Plant("no follow-up is lost", "Resume", _deed(Does.WAKE, _no_wake)),
    Plant("one holder", "Takeover", _guard("lock", "stale")),
    Plant("one holder", "ForceRelease", _rule(ForceRelease, _force_silently)),
    Plant(
        "released once",
        "Observe",
        _unwired("lock", "release-after-send-final", "release-after-spawn-observation"),
    ),
    Plant(
        "released once",
        "Observe",
        _row("release-after-send-final", "released", "send-final", target=ReleaseState.HOLDING),
    ),
    Plant("no double spawn", "Takeover", _guard("lock", "stale")),
    Plant("no double spawn", "ForceRelease", _guard("lock", "override")),
    Plant("fields fit the status", "Cancel", _without(Does.FIELDS)),
    Plant("tokens and versions", "SliceCompleted", _without(Does.RAISE_VERSION)),
    Plant("a token resumes once", "SliceWaits", _deed(Does.NEW_TOKEN, _same_token)),
    Plant(
        "an instance moves as its slice says",
        "SliceCompleted",
        _row("instance", "running", "complete", target=InstanceState.FAILED),
    ),
    Plant("stale changes nothing", "Signal", _decide(freshness=lambda *_: Freshness.FRESH)),
    Plant("well-formed cells", "Abort", _deed(Does.SIGNAL_ABORT, _over_and_kept)),
    Plant("pairs of cells", "Resume", _deed(Does.WAKE, _no_policy)),
    Plant("numbers and their counters", "Abort", _deed(Does.SIGNAL_ABORT, _forget_resources)),
)


def _count_no_dependency(walk: Any, key: Any, link: Any, met: bool) -> None:
    walk[key] = link._replace(met=met)


def _push_in(walk: Any, owner: Any, waiter: Any) -> None:
    """Before the first of its line."""
    key, at, empty = lanes._line(waiter)
    ends = walk[key] or empty
    first = ends[at]
    if first is None:
        ends = replaced(ends, at + 1, owner)
    else:
        lists.link(walk, (keys.WAITER, first), lanes.BEFORE, owner)
    walk[keys.WAITER, owner] = replaced(waiter, lanes.BEHIND, first)
    walk[key] = replaced(ends, at, owner)


class Rebound(NamedTuple):
    """A fault that no argument of `kernel` can plant: a name of a rule's module, bound to something else."""

    claim: str
    shape: str
    module: Any
    name: str
    to: Any


IN_RULES = (
    Rebound("resources of a running attempt", "AddWorker", attempts, "CAN_EXECUTE", frozenset(ScopeState)),
    Rebound("unmet counts links", "Handle (recall)", follow_ups, "_count", _count_no_dependency),
    Rebound("met by what satisfies", "Handle (tell)", follow_ups, "_meet", lambda *_: None),
    Rebound("everyone waits in one line", "Due", lanes, "ready", lambda *_: None),
    Rebound("first come first served", "Due", lanes, "_join", _push_in),
    Rebound("first come first served", "Ask", lanes, "ahead", lambda *_: False),
    Rebound("waiting counts who waits", "Cancel", lanes, "_count", lambda *_: None),
    Rebound("no call for a dead ref", "Take (dispatch)", authority_rules, "runs", lambda *_: True),
    Rebound(
        "one writer per version",
        "SliceCompleted",
        flows,
        "_commit",
        lambda walk, given, event, passed: walk.fire(
            "instance", keys.instance(given.instance), event, passed
        ),
    ),
    Rebound("attempts of a scope are a list", "Stopped", lists, "part", lambda *_: None),
)


def _broken(claim: str, shape: str, step: Step) -> str | None:
    (claimed,) = (c for c in CLAIMS if c.name == claim)
    (shaped,) = (s for s in SHAPES if s.name == shape)
    (found,) = prove(shaped, step, [claimed], first=True).found
    return found.broken


def _is_told(told: str | None, shape: str) -> None:
    assert told is not None
    assert told.startswith("Refuted: ")
    assert "counterexample to induction" in told
    assert f"input   {shape.split()[0]}(" in told


@pytest.mark.cites("VER-5b")
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.claim)
def test_a_planted_fault_is_refuted(plant: Plant) -> None:
    _is_told(_broken(plant.claim, plant.shape, plant.step()), plant.shape)


@pytest.mark.parametrize("plant", IN_RULES, ids=lambda plant: plant.claim)
def test_a_fault_in_a_rule_is_refuted(plant: Rebound, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plant.module, plant.name, plant.to)
    _is_told(_broken(plant.claim, plant.shape, proved_kernel()), plant.shape)


def test_every_claim_has_a_plant() -> None:
    assert {plant.claim for plant in (*PLANTS, *IN_RULES)} == {claim.name for claim in CLAIMS}


def test_what_is_supposed_is_required() -> None:
    """Each invariant that is a premise stands in some claim, or the induction would hang in the air."""
    checks = {id(check) for claim in CLAIMS for check in claim.checks}
    required = {
        id(cell.cell_contents)
        for claim in CLAIMS
        for check in claim.checks
        for cell in check.__closure__ or ()
    }
    assert checks
    assert [one for one in INVARIANTS if id(one) not in required] == []


HOLDS = ("CreateScope", "Dispose", "Stopped", "AddWorker", "Signal", "Takeover", "Observe", "outside: Spawns")


@pytest.mark.cites("VER-3")
@pytest.mark.parametrize("name", HOLDS)
def test_the_kernel_that_we_ship_keeps_every_claim(name: str) -> None:
    """A sample; `python -m proofs` runs all."""
    (shape,) = (s for s in SHAPES if s.name == name)
    answer = prove(shape, proved_kernel())
    assert [found for found in answer.found if found.broken] == []
    assert report.never_accepted([answer]) == []


def test_two_runs_walk_the_same_paths() -> None:
    (shape,) = (s for s in SHAPES if s.name == "Dispose")
    one, other = (prove(shape, proved_kernel()) for _ in range(2))
    assert (one.walked, one.accepted) == (other.walked, other.accepted)
    assert [(f.claim, f.checked, f.paths) for f in one.found] == [
        (f.claim, f.checked, f.paths) for f in other.found
    ]
