"""The short version of `make crash`: one death at every place, alone and with another process beside it."""

from collections import Counter
from pathlib import Path

import pytest

from tests.crash.rounds import Round, check, play, told
from tests.crash.victim import Place

PLACES = [place for place in Place if place != Place.NOWHERE]


@pytest.mark.cites("LIF-15", "SHL-2c", "SHL-2d", "SHL-7e", "SHL-4")
@pytest.mark.parametrize("together", [1, 2])
def test_killed_at_every_place_nothing_is_lost_or_doubled(tmp_path: Path, together: int) -> None:
    store, log = tmp_path / "work.db", tmp_path / "told"
    died: Counter[Place] = Counter()
    for at, place in enumerate(PLACES):
        beside = ((PLACES[at - 1], 5),) if together == 2 else ()
        died += play(store, log, Round(at, ((place, 0 if place == Place.RECOVERY else 3), *beside)))
    assert sum(died.values()) == together * len(PLACES)
    assert len(died) >= (len(PLACES) if together == 1 else 4), died
    tasks, links = check(store, log)
    accepted, _ = told(log)
    assert tasks >= len(accepted) > 0
    assert links > 0
