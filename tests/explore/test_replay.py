"""What is shown was walked again; a path that shows nothing is the engine's fault and is raised."""

import pytest

from dhruva.explore import EngineError, Model, check
from dhruva.explore.errors import Move
from dhruva.explore.replay import confirm, replay


def lamp() -> Model:
    m = Model("lamp")
    m.var("on", False)
    m.var("dust", None)
    m.action("press", lambda read: {"on": not read("on")})
    m.action("settle", lambda read: [{"dust": 1}, {"dust": 2}] if read("dust") is None else None)
    m.action("look", lambda _read: {})
    m.always("dark", lambda read: not read("on"), "the lamp stays off")
    return m


def test_the_story() -> None:
    trace = replay(lamp(), (Move(1, 1), Move(0, 0), Move(2, 0)))
    assert trace.story().splitlines() == [
        "   0  initial state",
        "        on = False",
        "   1  settle",
        "        dust = 2",
        "   2  press",
        "        on: False -> True",
        "   3  look",
        "        nothing changes",
    ]
    assert len(trace) == 3
    assert trace.to_dict()["steps"][0] == {
        "step": 1,
        "action": "settle",
        "choice": 1,
        "changes": {"dust": {"before": "None", "after": "2"}},
    }


def test_an_impossible_step_is_not_shown() -> None:
    with pytest.raises(EngineError, match="takes 'settle'"):
        replay(lamp(), (Move(1, 0), Move(1, 0)))


def test_a_path_that_refutes_nothing_is_not_shown() -> None:
    model = lamp()
    (dark, deadlock) = model.claims()
    confirm(model, dark, (Move(0, 0),))
    for claim, path in ((dark, ()), (dark, (Move(2, 0),)), (deadlock, ())):
        with pytest.raises(EngineError, match="does not show it"):
            confirm(model, claim, path)


def test_the_witness_of_a_sometimes_is_kept() -> None:
    model = lamp()
    model.sometimes("dusty", lambda read: read("dust") == 2)
    witness = check(model, "reference", keep_going=True).properties[1].trace
    assert witness is not None
    assert len(witness) == 1
