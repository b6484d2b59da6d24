"""A model that cannot be right is refused when it is built, by name."""

from collections.abc import Callable, Hashable
from typing import Any

import pytest

from dhruva.explore import Model, ModelError, Read


def always_true(_read: Read) -> bool:
    return True


def twice_var(m: Model) -> None:
    m.var(("task", 1), 0)
    m.var(("task", 1), 1)


def twice_action(m: Model) -> None:
    m.action("go", always_true)
    m.action("go", always_true)


def twice_property(m: Model) -> None:
    m.always("p", always_true)
    m.sometimes("p", always_true)


def unhashable(m: Model) -> None:
    m.var("queue", [1, 2])  # type: ignore[arg-type]


def no_function(m: Model) -> None:
    m.action("go", {"x": 1})  # type: ignore[arg-type]


def when_without_then(m: Model) -> None:
    m.always("p", when=always_true)


def both_forms(m: Model) -> None:
    m.always("p", always_true, then=always_true)


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (twice_var, "variable task(1) is declared twice"),
        (twice_action, "action 'go' is declared twice"),
        (twice_property, "property 'p' is declared twice"),
        (unhashable, "variable 'queue': unhashable type: 'list'; keys and values must be hashable"),
        (no_function, "action 'go' must be a function of read, not {'x': 1}"),
        (when_without_then, "property 'p' needs either a predicate, or `when` and `then`"),
        (both_forms, "property 'p' needs either a predicate, or `when` and `then`"),
    ],
)
def test_mistakes_are_named(mistake: Callable[[Model], Any], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        mistake(Model("wrong"))
    assert caught.value.message == message


def test_a_model_without_anything_in_it_blames_the_bound_of_zero() -> None:
    m = Model("gate", tasks=0, limit=2)
    with pytest.raises(ModelError, match="no variables with tasks=0"):
        m.validate()
    m.var("x", 0)
    with pytest.raises(ModelError, match="no actions with tasks=0"):
        m.validate()


def test_arguments_of_an_action_are_passed_on() -> None:
    m = Model("m")
    m.var("x", 0)
    m.action("go", lambda read, a, b: {"x": (read("x"), a, b)}, 1, b=2)
    world: dict[Hashable, int] = {"x": 0}
    assert m.actions[0].run(world.get) == {"x": (0, 1, 2)}


def test_cites_are_ids() -> None:
    m = Model("m")
    m.always("p", always_true, cites="ACT-1, ACT-2")
    m.always("q", always_true, cites=("ACT-3",))
    assert [claim.cites for claim in m.properties] == [("ACT-1", "ACT-2"), ("ACT-3",)]
