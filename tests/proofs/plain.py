"""Paths of the engine in plain values: worlds of a path, and what the merged step says there."""

from typing import Any, NamedTuple

import pytest
import z3  # type: ignore[import-untyped]

from dhruva.assume import GHOST
from dhruva.cells import Change
from dhruva.step import kernel
from dhruva.walk import Settings
from proofs import shapes, values
from proofs.engine import Engine
from proofs.merge import Guarded
from proofs.symbolic import Path
from proofs.tell import holds, value_in

Cells = dict[Any, Any]
SAID = ("edges", "effects", "payloads")


class Case(NamedTuple):
    """One world of a path, ghosts left out, and what was said there: a refusal, or cells and the rest."""

    settings: Settings
    given: Any
    cells: Cells
    refused: Any
    after: Cells
    rest: dict[str, tuple[Any, ...]]

    def agrees(self) -> None:
        """What the merged step says in this world is what a plain run of `step` says."""
        answer = kernel(settings=self.settings)(self.cells.get, self.given)
        if self.refused is not None:
            assert answer == self.refused
            return
        assert isinstance(answer, Change)
        before = {**dict.fromkeys(answer.writes), **self.cells}
        assert {**before, **answer.writes} == {**before, **self.after}
        assert {word: getattr(answer, word) for word in SAID} == self.rest


def case(path: Path, model: Any) -> Case:
    """The world that a model of the solver tells."""
    cells, known = {}, path.world.known
    for one in known.values():
        if one.key[0] != GHOST and holds(one.valid, model):
            cells[value_in(one.key, model)] = value_in(one.cell, model) if holds(one.there, model) else None
    settings, given = value_in(shapes.settings(), model), value_in(path.given, model)
    if not isinstance(path.said, Change):
        return Case(settings, given, cells, value_in(path.said, model), {}, {})
    store: Any = path.said.writes
    after = {
        value_in(known[at].key, model): value_in(s.cell, model) if holds(s.there, model) else None
        for at, s in store.put_.items()
        if known[at].key[0] != GHOST and holds(known[at].valid, model)
    }
    rest = {word: _there(getattr(path.said, word), model) for word in SAID}
    return Case(settings, given, cells, None, after, rest)


def _there(items: Any, model: Any) -> tuple[Any, ...]:
    """The items of a merged list that are there in a world."""
    return tuple(
        value_in(item.item if isinstance(item, Guarded) else item, model)
        for item in items
        if not isinstance(item, Guarded) or holds(item.when, model)
    )


class Products:
    """To the engine the product of two unknowns is any number; in a plain world it is their product."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.made: dict[int, tuple[Any, Any, Any]] = {}
        unknown = values.PRODUCT

        def noted(left: Any, right: Any) -> Any:
            found = unknown(left, right)
            self.made[found.get_id()] = (left, right, found)
            return found

        patch.setattr(values, "PRODUCT", noted)

    def true(self) -> list[Any]:
        """Worlds in which one factor of each is small enough to be multiplied without a product."""
        return [
            z3.Or(*(z3.And(one == n, found == n * other) for n in FACTORS for one, other in ((a, b), (b, a))))
            for a, b, found in self.made.values()
        ]


FACTORS = (0, 1, 2, 3, 1000)


def cases(here: Engine, path: Path, most: int, products: Products) -> list[Case]:
    """Worlds of a path, each different from the others in some cell that is there or not."""
    found = []
    here.solver.push()
    here.solver.add(*products.true())
    for _ in range(most):
        if here.solver.check() != z3.sat:
            break
        model = here.solver.model()
        found.append(case(path, model))
        flags = [k.there for k in path.world.known.values() if not isinstance(k.there, bool)]
        here.solver.add(
            z3.Or(*(f != model.eval(f, model_completion=True) for f in flags)) if flags else False
        )
    here.solver.pop()
    return found
