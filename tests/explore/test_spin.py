"""Spin as a second opinion: it agrees on what holds, and on every kind of claim that fails."""

from __future__ import annotations

import re

import pytest

from dhruva.explore import EngineError, Model, Read, UsageError, count, for_each, spin, total
from dhruva.explore.promela import promela, with_tables

needs_spin = pytest.mark.skipif(
    bool(spin.missing()), reason=f"{spin.missing()} not installed: `make spin` installs Spin"
)


def counters(top: int = 3) -> Model:
    """Two counters that take turns; where both are at the top nothing more happens."""
    m = Model("counters", top=top)
    for one in "ab":
        m.var(one, 0)
        m.action(f"up({one})", up, one, top)
    m.always("few", for_each("ab", lambda read, one: read(one) <= top), "never above the top")
    m.always("sum", total("ab", lambda read, one: read(one)).at_most(2 * top), "never above twice the top")
    m.always_step("by one", lambda before, after, action, _: after(action[3]) == before(action[3]) + 1)
    m.final(lambda read: read("a") == read("b") == top)
    return m


def up(read: Read, one: str, top: int) -> object:
    return {one: read(one) + 1} if read(one) < top else None


@needs_spin
def test_both_find_the_same_where_all_is_well() -> None:
    found = spin.recheck(counters())
    assert found.ours == spin.Opinion(16, 24, False)
    # One more for the initial state, one for the loop of the final state.
    assert found.spins == spin.Opinion(16, 26, False)
    assert found.agrees


def few(m: Model) -> None:
    m.always("fault", lambda read: read("a") + read("b") != 5)


def sums(m: Model) -> None:
    m.always("fault", count("ab", lambda read, one: read(one) == 3).at_most(1))


def sums_when(m: Model) -> None:
    m.always(
        "fault",
        when=lambda read: read("a") == 2,
        then=total("ab", lambda read, one: -read(one)).at_least(-4),
    )


def steps(m: Model) -> None:
    m.always_step("fault", lambda _before, after, action, _: after("b") < 3 or action == "up(a)")


def deadlock(m: Model) -> None:
    m.finals.clear()


@needs_spin
@pytest.mark.parametrize("fault", [few, sums, sums_when, steps, deadlock], ids=lambda fault: fault.__name__)
def test_both_find_every_kind_of_fault(fault: object) -> None:
    m = counters()
    fault(m)  # type: ignore[operator]
    found = spin.recheck(m)
    assert found.ours.is_violated
    assert found.spins.is_violated
    assert found.agrees
    assert found.spins.distinct == 16, "Spin goes on after a violation"
    by_paths = spin.spin(promela(m), 16, m.deadlock_allowed is None).opinion
    assert (by_paths.distinct, by_paths.is_violated) == (16, True), "a step per path, not by table"


@needs_spin
def test_a_state_that_we_have_not_met_is_a_disagreement() -> None:
    """Some branch of the tables is cut off, as if our engine had never been there."""
    m = counters()
    text, tables, _ = with_tables(m)
    branches = re.search(r"dh_branch\[\] = {(.*)}", tables)
    assert branches is not None
    for leaf in list(re.finditer(r"-\d+", branches[1]))[::14]:
        at = branches.start(1) + leaf.start()
        cut = tables[:at] + "0" + tables[branches.start(1) + leaf.end() :]
        assert spin.spin(text, 16, tables=cut).opinion.is_violated


@needs_spin
def test_a_false_count_or_verdict_is_no_agreement() -> None:
    right = spin.recheck(counters()).ours
    assert not spin.Recheck(right, right._replace(distinct=15)).agrees
    assert not spin.Recheck(right, right._replace(is_violated=True)).agrees


@needs_spin
def test_a_search_that_spin_did_not_finish_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin, "_LEAST_STACK", 2)
    with pytest.raises(EngineError, match="paths longer than 3"):
        spin.spin(promela(counters()), 3)


@needs_spin
def test_what_is_no_promela_is_an_error() -> None:
    with pytest.raises(EngineError, match="failed"):
        spin.spin("this is no model", 1)


def test_spin_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin, "missing", lambda: ("spin",))
    with pytest.raises(UsageError, match="spin must be installed"):
        spin.spin("", 1)
