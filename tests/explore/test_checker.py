"""Mistakes that show only while searching: named, with the state and the way to it."""

import pytest

from dhruva.explore import Model, ModelError, Read, UsageError, check


def base() -> Model:
    m = Model("m")
    m.var("n", 0)
    m.action("up", lambda read: {"n": (read("n") + 1) % 5})
    return m


def raising(read: Read) -> bool:
    if read("n") == 2:
        raise ValueError("two is odd")
    return True


def at_two(m: Model) -> None:
    m.always("p", raising)


def action_raises(m: Model) -> None:
    m.action("bad", lambda read: raising(read) and None)


def returns_nothing(m: Model) -> None:
    m.always("p", lambda read: None if read("n") == 2 else True)  # type: ignore[arg-type,return-value]


def writes_a_list(m: Model) -> None:
    m.action("bad", lambda read: {"n": [0]} if read("n") == 2 else None)


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (at_two, "property 'p' raised ValueError: two is odd"),
        (action_raises, "action 'bad' raised ValueError: two is odd"),
        (returns_nothing, "property 'p' returned None: expected True or False"),
        (writes_a_list, "action 'bad' wrote [0] to n: unhashable type: 'list'; values must be hashable"),
    ],
)
def test_a_mistake_comes_with_the_trace_to_it(mistake: object, message: str) -> None:
    m = base()
    assert callable(mistake)
    mistake(m)
    with pytest.raises(ModelError) as caught:
        check(m, "reference")
    assert caught.value.message == message
    assert caught.value.trace is not None
    assert len(caught.value.trace) == 2
    assert "n: 1 -> 2" in str(caught.value)


def test_requests_that_make_no_sense_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="no engine 'warp'"):
        check(base(), "warp")
    with pytest.raises(UsageError, match="max_seconds must be positive, not nan"):
        check(base(), max_seconds=float("nan"))
    with pytest.raises(UsageError, match="max_states must be positive, not 0"):
        check(base(), max_states=0)
