"""Authorization as ACT-2 and ACT-3 state it: rules are chosen to be broken, then facts are made to fit."""

from itertools import combinations, product
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.decide import authority
from dhruva.decide.authority import Facts, Verdict
from dhruva.limits import UNBOUNDED
from dhruva.machines.scope import ScopeState

ORDER: Final = (
    "scope_not_found",
    "scope_disposed",
    "scope_suspended",
    "scope_not_attached",
    "spawn_limit",
    "policy_window",
    "concurrency_limit",
    "queue_full",
)

BY_SCOPE: Final[dict[ScopeState | None, str | None]] = {
    None: "scope_not_found",
    ScopeState.INIT: "scope_not_attached",
    ScopeState.ATTACHED: None,
    ScopeState.RUNNING: None,
    ScopeState.SUSPENDED: "scope_suspended",
    ScopeState.DISPOSING: "scope_disposed",
    ScopeState.DISPOSED: "scope_disposed",
}

BY_RULE: Final = {"spawns": "spawn_limit", "waited": "policy_window", "tries": "policy_window"}
OVER_THE_LIMIT: Final = {"rejects": "concurrency_limit", "has room": "queued", "is full": "queue_full"}
RULES: Final = ("spawns", "waited", "tries", "slots", "slots overall")
BREAKAGES: Final = tuple(
    frozenset(some) for size in range(len(RULES) + 1) for some in combinations(RULES, size)
)


class Gap(NamedTuple):
    """A limit, and how far below or above it a count is when its rule is kept or broken."""

    limit: int
    below: int
    above: int

    def count(self, broken: bool) -> int:
        return self.limit + self.above if broken else max(0, self.limit - 1 - self.below)


class Numbers(NamedTuple):
    spawns: Gap
    tries: Gap
    slots: Gap
    overall: Gap
    queue: Gap


few = st.integers(0, 3)
gaps = st.builds(Gap, st.integers(1, 40), few, few)
numbers = st.builds(Numbers, gaps, gaps, gaps, gaps, gaps)
any_scope = st.sampled_from([None, *ScopeState])
open_scope = st.sampled_from([ScopeState.ATTACHED, ScopeState.RUNNING])
limits = st.integers(0, 8)
arbitrary = st.builds(
    Facts,
    scope=any_scope | open_scope,
    active=few,
    max_concurrent=limits,
    active_overall=few,
    max_overall=limits,
    spawned=few,
    max_spawns=limits,
    tries=few,
    max_tries=limits,
    waited_too_long=st.booleans(),
    queues=st.booleans(),
    queued=few,
    max_queued=limits,
)
in_time = arbitrary.map(
    lambda f: f._replace(scope=ScopeState.RUNNING, tries=0, max_tries=1, waited_too_long=False)
)
over_the_limit = st.builds(
    lambda f, queued, off: f._replace(active=f.max_concurrent, queued=queued, max_queued=queued + off),
    in_time,
    few,
    st.integers(-1, 1),
).map(lambda f: f._replace(spawned=0, max_spawns=1))


def facts(scope: ScopeState | None, broken: frozenset[str], queue: str, n: Numbers) -> Facts:
    """Facts under which exactly these rules are broken."""
    return Facts(
        scope=scope,
        active=n.slots.count("slots" in broken),
        max_concurrent=n.slots.limit,
        active_overall=n.overall.count("slots overall" in broken),
        max_overall=n.overall.limit,
        spawned=n.spawns.count("spawns" in broken),
        max_spawns=n.spawns.limit,
        tries=n.tries.count("tries" in broken),
        max_tries=n.tries.limit,
        waited_too_long="waited" in broken,
        queues=queue != "rejects",
        queued=n.queue.count(queue == "is full"),
        max_queued=n.queue.limit,
    )


def first_reason(scope: ScopeState | None, broken: frozenset[str], queue: str) -> str:
    """The earliest of all reasons that hold; a place in the queue if only the limit is in the way."""
    reasons = {BY_SCOPE[scope]} | {BY_RULE[rule] for rule in broken if rule in BY_RULE}
    if broken & {"slots", "slots overall"}:
        reasons.add(OVER_THE_LIMIT[queue])
    return next((reason for reason in (*ORDER, "queued") if reason in reasons), "authorized")


@pytest.mark.cites("ACT-3a", "ACT-3b", "ACT-3c", "ACT-3d", "ACT-13d")
@settings(deadline=None, max_examples=50)
@given(numbers)
def test_the_reason_is_the_first_broken_rule(n: Numbers) -> None:
    """Every scope state, every set of broken rules and every queue, for each choice of numbers."""
    for scope, broken, queue in product(BY_SCOPE, BREAKAGES, OVER_THE_LIMIT):
        answer = authority.authorize(facts(scope, broken, queue, n))
        assert answer == first_reason(scope, broken, queue)


@pytest.mark.cites("ACT-2", "ACT-2a", "ACT-2b", "ACT-2c", "ACT-2d", "ACT-2e", "ACT-2f", "LIF-7")
@settings(deadline=None, max_examples=500)
@given(arbitrary)
def test_authorized_iff_all_rules_hold(f: Facts) -> None:
    """The numbers are small, so that each count meets its limit often; a limit of 0 refuses all."""
    rules = (
        f.scope is not None,
        f.scope not in ("DISPOSING", "DISPOSED"),
        f.scope in ("ATTACHED", "RUNNING"),
        f.scope != "SUSPENDED",
        f.active < f.max_concurrent,
        f.active_overall < f.max_overall,
        f.spawned < f.max_spawns,
        not f.waited_too_long,
        f.tries < f.max_tries,
    )
    assert (authority.authorize(f) == Verdict.AUTHORIZED) == all(rules)


@pytest.mark.cites("ACT-6a", "ACT-6b", "ACT-12a")
@settings(deadline=None)
@given(numbers)
def test_the_state_of_the_scope_alone_can_refuse(n: Numbers) -> None:
    """Nothing else is broken: each state in turn."""
    for scope, reason in BY_SCOPE.items():
        answer = authority.authorize(facts(scope, frozenset(), "rejects", n))
        assert answer == (reason or "authorized")


def relaxed(f: Facts, by: list[int]) -> Facts:
    """The same question with every count lower or equal, and every limit higher or equal."""
    return f._replace(
        active=max(0, f.active - by[0]),
        max_concurrent=f.max_concurrent + by[1],
        active_overall=max(0, f.active_overall - by[2]),
        max_overall=f.max_overall + by[3],
        spawned=max(0, f.spawned - by[4]),
        max_spawns=f.max_spawns + by[5],
        tries=max(0, f.tries - by[6]),
        max_tries=f.max_tries + by[7],
        queued=max(0, f.queued - by[8]),
        max_queued=f.max_queued + by[9],
    )


@pytest.mark.cites("ACT-2a", "ACT-3a", "ACT-13a", "ACT-13b")
@settings(deadline=None, max_examples=300)
@given(arbitrary, st.lists(few, min_size=10, max_size=10))
def test_more_room_never_brings_an_earlier_reason(f: Facts, by: list[int]) -> None:
    ranks = (*ORDER, "queued", "authorized")
    before, after = authority.authorize(f), authority.authorize(relaxed(f, by))
    assert ranks.index(before) <= ranks.index(after)


@pytest.mark.cites("ACT-3d", "ACT-13d", "ACT-13e")
@settings(deadline=None, max_examples=300)
@given(arbitrary | over_the_limit)
def test_the_queue_is_bounded_and_only_where_the_policy_queues(f: Facts) -> None:
    answer = authority.authorize(f)
    if answer == Verdict.QUEUED:
        assert f.queues
        assert f.queued < f.max_queued
    if answer == Verdict.QUEUE_FULL:
        assert f.queues
        assert f.queued >= f.max_queued
    assert answer != Verdict.CONCURRENCY_LIMIT or not f.queues


@pytest.mark.cites("ACT-13a")
@settings(deadline=None)
@given(st.lists(st.integers(0, 10**9), min_size=5, max_size=5), st.booleans())
def test_a_limit_that_is_not_set_refuses_nothing(held: list[int], queues: bool) -> None:
    active, overall, spawned, tries, queued = held
    for scope, reason in BY_SCOPE.items():
        f = Facts(
            scope, active, UNBOUNDED, overall, UNBOUNDED, spawned, UNBOUNDED, tries, UNBOUNDED,
            waited_too_long=False, queues=queues, queued=queued, max_queued=UNBOUNDED,
        )  # fmt: skip
        assert authority.authorize(f) == (reason or "authorized")


class Held(NamedTuple):
    """What a scope holds while requests come and go."""

    active: int = 0
    spawned: int = 0
    queued: int = 0


def asked(held: Held, policy: Facts, others: int) -> str:
    return authority.authorize(
        policy._replace(
            active=held.active,
            active_overall=held.active + others,
            spawned=held.spawned,
            queued=held.queued,
        )
    )


def moved(held: Held, move: str, policy: Facts, others: int) -> Held:
    """One request comes, one attempt ends, or the queue's first asks again."""
    if move == "end":
        return held._replace(active=max(0, held.active - 1))
    waiting = move == "again"
    if waiting and held.queued == 0:
        return held
    answer = asked(held, policy, others)
    if answer == Verdict.AUTHORIZED:
        return Held(held.active + 1, held.spawned + 1, held.queued - waiting)
    return held._replace(queued=held.queued + 1) if answer == Verdict.QUEUED and not waiting else held


@pytest.mark.cites("ACT-2d", "ACT-13a", "ACT-13b", "ACT-13e", "LIF-7")
@settings(deadline=None)
@given(in_time, st.lists(st.sampled_from(["ask", "ask", "end", "again"]), max_size=40))
def test_no_sequence_of_requests_passes_a_limit(policy: Facts, moves: list[str]) -> None:
    held, others = Held(), min(policy.active_overall, policy.max_overall)
    for move in moves:
        held = moved(held, move, policy, others)
        assert held.active <= policy.max_concurrent
        assert held.active + others <= policy.max_overall
        assert held.spawned <= policy.max_spawns
        assert held.queued <= policy.max_queued


@pytest.mark.cites("ACT-3b")
def test_the_rejections_are_those_of_the_contract_in_its_order() -> None:
    assert tuple(authority.REJECTIONS) == ORDER
    assert set(Verdict) == {*ORDER, "authorized", "queued"}
