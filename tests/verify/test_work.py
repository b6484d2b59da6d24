"""Jobs end in the order they were given; a model that raises is an answer, anything else stops the work."""

import time

import pytest

from dhruva.explore import EngineError, ModelError
from dhruva.verify.work import Crash, Job, done


def late(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def wrong(kind: str) -> None:
    raise {"model": ModelError("a model"), "engine": EngineError("an engine"), "other": KeyError("other")}[
        kind
    ]


def test_results_come_in_the_order_of_the_jobs() -> None:
    told: list[str] = []
    jobs = [Job("one", late, (0.2,), str), Job("two", late, (0.0,))]
    assert list(done(jobs, told.append).items()) == [("one", 0.2), ("two", 0.0)]
    assert sorted(line.split("] ")[1] for line in told) == ["one: 0.2", "two"]


def test_a_model_that_raises_is_an_answer_and_the_others_go_on() -> None:
    told: list[str] = []
    jobs = [Job("m", wrong, ("model",)), Job("e", wrong, ("engine",)), Job("fine", late, (0.0,))]
    found = done(jobs, told.append)
    assert found == {"m": Crash("a model"), "e": Crash("an engine"), "fine": 0.0}


def test_anything_else_stops_the_work() -> None:
    with pytest.raises(KeyError):
        done([Job("other", wrong, ("other",))], [].append)  # type: ignore[arg-type]
