"""The fate of a mutant: what notices it decides; evidence is credited to the requirement that it cites."""

from functools import cache
from pathlib import Path

import pytest

from dhruva.verify import hunt
from dhruva.verify.delta import BROKEN, CUT, RAISED, SURVIVED, Said
from dhruva.verify.hunt import World
from dhruva.verify.manifest import read
from dhruva.verify.mutants import mutants

FOLDER = Path(__file__).parents[2] / "models"
NAMED = {mutant.name: mutant for mutant in mutants()}


@cache
def gate() -> World:
    runs = [run for run in read(FOLDER / "manifest.toml").runs("quick") if run.model == "scope_gate"]
    return hunt.world(FOLDER, min(runs[:3], key=lambda run: (run.pin is None, run.pin)))


@pytest.mark.cites("VER-5")
def test_a_mutant_that_a_property_notices_is_killed_with_its_shortest_trace() -> None:
    found = hunt.fate(NAMED["scope: row RUNNING -suspend-> SUSPENDED to DISPOSED"], [gate()])
    assert found.fate == hunt.KILLED
    assert found.killer is not None
    assert found.killer.said.steps is not None
    assert found.shows == tuple(
        id_ for id_ in found.cites if id_ in hunt.whole(gate().cites[found.killer.said.by])
    )


def test_a_mutant_of_what_no_run_consults_is_unmet() -> None:
    found = hunt.fate(NAMED["lock: row held -release-> free dropped"], [gate()])
    assert found.words == ()
    assert found.fate in (hunt.UNMET, hunt.CHECKED)


@pytest.mark.parametrize(
    ("said", "refused", "fate"),
    [
        ([Said(SURVIVED), Said(BROKEN, "p")], "no", hunt.KILLED),
        ([Said(SURVIVED, differs=1)], "no", hunt.CHECKED),
        ([Said(RAISED, "e")], None, hunt.RAISED),
        ([Said(SURVIVED, differs=1, counts_differ=True)], None, hunt.COUNTED),
        ([Said(SURVIVED, differs=1)], None, hunt.SURVIVED),
        ([Said(CUT)], None, hunt.SURVIVED),
        ([Said(SURVIVED)], None, hunt.NO_DIFFERENCE),
        ([], None, hunt.UNMET),
    ],
)
def test_what_notices_decides_strongest_first(said: list[Said], refused: str | None, fate: str) -> None:
    assert hunt._fate(said, refused) == fate


@pytest.mark.cites("VER-4")
def test_a_requirement_is_credited_only_by_a_property_that_cites_it() -> None:
    mutant = NAMED["scope: row RUNNING -suspend-> SUSPENDED to DISPOSED"]
    for id_ in ("ACT-5", "WFL-12"):
        only = frozenset(name for name, cites in gate().cites.items() if id_ in hunt.whole(cites))
        noticed = bool(only) and hunt.judge(mutant, gate(), only).killed
        assert noticed is (id_ == "ACT-5")


def test_totals_name_every_fate() -> None:
    found = hunt.fate(NAMED["scope: row RUNNING -suspend-> SUSPENDED to DISPOSED"], [gate()])
    assert dict(hunt.totals([found])) == {fate: int(fate == hunt.KILLED) for fate in hunt.FATES}
