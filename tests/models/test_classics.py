"""The checker proves itself on other tools' numbers: counts and verdicts of the classics, on every engine.

Where a count is published or follows from a formula, the comment says so; the others are pinned because
both engines and Spin found them.
"""

from __future__ import annotations

from math import perm
from pathlib import Path
from typing import NamedTuple

import pytest

from dhruva.explore import Model, Report, check, spin
from dhruva.explore.command import load
from tests.bench.explore import by_hand

FOLDER = Path(__file__).parents[2] / "models" / "classics"


class Classic(NamedTuple):
    file: str
    sets: dict[str, str]
    counts: tuple[int, int, int]
    refuted: dict[str, int] = {}  # noqa: RUF012 (a NamedTuple's default is never written to)

    def model(self) -> Model:
        return load(FOLDER / f"{self.file}.py", self.sets)

    @property
    def name(self) -> str:
        return " ".join([self.file, *(f"{name}={value}" for name, value in self.sets.items())])


SMALL = [
    # TLA+ Examples: 288 distinct, 1,146 generated (with the initial state), 11 levels (from 1).
    Classic("two_phase_commit", {"managers": "3"}, (288, 1_145, 10)),
    Classic("two_phase_commit", {"managers": "5"}, (8_832, 58_145, 16)),
    # Pell-Lucas numbers: (1+sqrt 2)^5 + (1-sqrt 2)^5 = 82.
    Classic("philosophers", {"seats": "5"}, (82, 265, 5), {"no deadlock": 5}),
    Classic("philosophers", {"seats": "5", "polite": "yes"}, (70, 219, 5)),
    Classic("peterson", {"processes": "2"}, (24, 42, 6)),
    Classic("peterson", {"processes": "3"}, (524, 1_194, 17)),
    Classic("peterson", {"processes": "2", "late": "yes"}, (33, 62, 7), {"exclusive": 6}),
    # 3^n states, 3^(n+1) - 3 transitions, 2^n - 1 levels.
    Classic("hanoi", {"disks": "6"}, (3**6, 3**7 - 3, 2**6 - 1)),
    # (3 * 2)! / 2 states; the furthest is 21 moves away.
    Classic("sliding_puzzle", {}, (360, 840, 21)),
    # One more state than EWD998.tla's, from which any of its 192 initial states is entered.
    Classic("ewd998", {}, (19_475, 81_162, 25)),
    Classic("paxos", {}, (3_921, 22_994, 16)),
    Classic("paxos", {"forgetful": "yes"}, (5_329, 31_434, 16), {"agreement": 12}),
    # Arrangements of at most 3 out of 4 clients.
    Classic("fifo", {}, (sum(perm(4, k) for k in range(4)), 80, 3)),
    Classic("token_ring", {}, (64, 128, 10)),
    Classic("token_ring", {"fair": "no"}, (64, 128, 10), {"turn": 0}),
    Classic("alternating_bit", {}, (22, 84, 10)),
    Classic("alternating_bit", {"strong": "no"}, (22, 84, 10), {"delivered": 2}),
]

LARGE = [
    Classic("two_phase_commit", {"managers": "7"}, (296_448, 2_744_705, 22)),
    # 9! / 2 states; the furthest is 31 moves away (Reinefeld 1993).
    Classic("sliding_puzzle", {"width": "3", "height": "3"}, (181_440, 483_840, 31)),
    # Paxos.tla with 3 acceptors, one value and ballots 0 to 3.
    Classic("paxos", {"ballots": "4", "values": "1"}, (2_825_761, 22_977_780, 32)),
    Classic("philosophers", {"seats": "12"}, (39_202, 304_104, 12), {"no deadlock": 12}),
]


def refuted(report: Report) -> dict[str, int]:
    return {
        one.name: -1 if one.trace is None else len(one.trace)
        for one in report.properties
        if one.verdict == "violated"
    }


@pytest.mark.cites("VER-2")
@pytest.mark.parametrize("engine", ["reference", "vector"])
@pytest.mark.parametrize("classic", SMALL, ids=lambda classic: classic.name)
def test_small_classics(classic: Classic, engine: str) -> None:
    report = check(classic.model(), engine, keep_going=True)
    assert (report.distinct, report.transitions, report.depth) == classic.counts
    assert refuted(report) == classic.refuted


@pytest.mark.cites("VER-2")
@pytest.mark.parametrize("classic", LARGE, ids=lambda classic: classic.name)
def test_large_classics(classic: Classic) -> None:
    report = check(classic.model(), "vector", keep_going=True)
    assert (report.distinct, report.transitions, report.depth) == classic.counts
    assert refuted(report) == classic.refuted


needs_spin = pytest.mark.skipif(bool(spin.missing()), reason="Spin is not installed: `make spin` installs it")


@pytest.mark.cites("VER-2")
@needs_spin
@pytest.mark.parametrize("classic", SMALL, ids=lambda classic: classic.name)
def test_spin_agrees(classic: Classic) -> None:
    model = classic.model()
    found = spin.recheck(model)
    assert found.agrees, found
    assert found.ours.distinct == classic.counts[0]
    if not found.ours.is_violated and not model.finals:
        # Spin counts the initial state as a transition, and each of two outcomes with one successor.
        assert found.spins.transitions == found.ours.transitions + 1


# Bounds of the models in tests/bench/spin, which were written for Spin by hand: not from what was learned.
BY_HAND: dict[str, dict[str, str]] = {
    "two_phase_commit": {"managers": "4"},
    "philosophers": {"seats": "6"},
    "peterson": {"processes": "3"},
    "ewd998": {"bound": "1"},
    "paxos": {"ballots": "2", "values": "2"},
    "hanoi": {"disks": "6"},
}


@pytest.mark.cites("VER-2")
@needs_spin
@pytest.mark.parametrize("file", BY_HAND)
def test_spin_counts_the_same_on_a_model_written_for_it(file: str) -> None:
    found = check(load(FOLDER / f"{file}.py", BY_HAND[file]), keep_going=True)
    spins = spin.spin(by_hand(file, BY_HAND[file]), found.distinct, deadlock=False).opinion
    assert spins == spin.Opinion(found.distinct, found.transitions + 1, False)


@needs_spin
@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("two_phase_commit", "prepared = prepared | (1 << i)", "skip"),
        ("peterson", "level[i]++; at[i] = ENTERING", "level[i]++; at[i] = WAITING"),
        ("paxos", "promised[a] <= b ->", "promised[a] <= b + 1 ->"),
    ],
)
def test_another_model_for_spin_would_be_noticed(file: str, right: str, wrong: str) -> None:
    text = by_hand(file, BY_HAND[file])
    assert right in text
    found = check(load(FOLDER / f"{file}.py", BY_HAND[file]), keep_going=True)
    spins = spin.spin(text.replace(right, wrong), found.distinct * 2, deadlock=False).opinion
    assert spins.distinct != found.distinct
