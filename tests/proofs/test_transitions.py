"""What the explorer sees the engine sees: each call of `step` in a model, put to the paths of its input.

The cells that the call read are told to the solver. Some path must be met by them, in a world that meets
every invariant, and each that is says what `step` said.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import z3  # type: ignore[import-untyped]

from dhruva.assume import GHOST
from dhruva.cells import Change
from dhruva.explore import check
from dhruva.rules import RULES
from dhruva.step import step
from dhruva.walk import SETTINGS
from models import carrier_group, instance_signals, lock_release, scope_gate
from proofs import shapes
from proofs.engine import Engine
from proofs.invariants import premises
from proofs.prove import INVARIANTS
from proofs.symbolic import Path, explore, proved_kernel, symbolic
from proofs.values import and_, equal, formula, iff, implies
from tests.proofs.plain import SAID, Products, case

MODELS = {
    "scope_gate": lambda s: scope_gate.model(queued=1, spawns=1, retry=0, resources=0, step=s),
    "lock_release": lambda s: lock_release.model(nonces=2, plans=1, step=s),
    "instance_signals": lambda s: instance_signals.model(step=s),
    "carrier_group": lambda s: carrier_group.model(budget=1, depth=0, cost=0, step=s),
}
MOST = 40  # transitions of each shape of input and answer


class Call(NamedTuple):
    given: Any
    read: dict[Any, Any]
    said: Any


def _calls(name: str) -> dict[str, list[Call]]:
    """What the explorer asked of `step`, by the shape of the input: some of each kind of answer."""
    seen: dict[str, Call] = {}

    def noting(read: Any, given: Any) -> Any:
        cells: dict[Any, Any] = {}

        def noted(key: Any) -> Any:
            cells[key] = read(key)
            return cells[key]

        said = step(noted, given)
        if type(given) not in RULES:
            return said  # what no rule knows is refused before anything is read
        seen[repr((given, sorted(cells.items(), key=repr)))] = Call(given, cells, said)
        return said

    check(MODELS[name](noting))
    found: dict[str, list[Call]] = {}
    answers: dict[Any, int] = {}
    for at in sorted(seen):
        call = seen[at]
        shape = _shape(call.given)
        kind = (
            shape,
            tuple(e[:1] + e[2:] for e in call.said.edges) if isinstance(call.said, Change) else call.said,
        )
        answers[kind] = answers.get(kind, 0) + 1
        if answers[kind] <= 2 and len(found.setdefault(shape, [])) < MOST:
            found[shape].append(call)
    return found


def _shape(given: Any) -> str:
    name = type(given).__name__
    return f"{name} ({given.key[1]})" if "key" in given._fields else name


def _pinned(path: Path, call: Call) -> Iterator[Any]:
    """The formulas that this path is walked with this input in a world of these cells."""
    yield equal(path.given, call.given)
    yield equal(shapes.settings(), SETTINGS)
    for one in path.world.known.values():
        for key, cell in call.read.items() if one.key[0] != GHOST else ():
            is_it = and_(one.valid, equal(one.key, key))
            if is_it is not False:
                yield implies(is_it, iff(one.there, cell is not None))
                if cell is not None:
                    yield implies(is_it, equal(one.cell, cell))


@pytest.mark.cites("VER-1a")
@pytest.mark.parametrize("name", MODELS)
def test_a_transition_of_a_model_is_a_path_of_the_engine(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The inputs with the longest walks are left to the differential test of paths and plain runs."""
    calls, products = _calls(name), Products(monkeypatch)
    assert sum(map(len, calls.values())) > 20
    for shape, some in calls.items():
        if shape in ("Wake", "Handle (reject_queued)"):
            continue
        here, met = Engine(), [0] * len(some)

        def visit(path: Path, here: Engine = here, some: Any = some, met: Any = met) -> None:
            for at, call in enumerate(some):
                here.solver.push()
                here.solver.add(*products.true(), *(formula(one) for one in _pinned(path, call)))
                if here.solver.check() == z3.sat:
                    met[at] += 1
                    _same(case(path, here.solver.model()), call)
                here.solver.pop()

        (of,) = (one for one in shapes.INPUTS if one.name == shape)
        with symbolic():
            explore(of, proved_kernel(), visit, here, premises(INVARIANTS))
        assert [call for call, times in zip(some, met, strict=True) if not times] == []


def _same(found: Any, call: Call) -> None:
    if not isinstance(call.said, Change):
        assert found.refused == call.said
        return
    assert {word: getattr(call.said, word) for word in SAID} == found.rest
    before = {**dict.fromkeys(call.said.writes), **call.read}
    after = {key: cell for key, cell in found.after.items() if key in before}
    assert {**before, **after} == {**before, **call.said.writes}
