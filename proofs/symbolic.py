"""The real `step`, run on a symbolic world: every path of every input.

What is replaced while the engine runs is where cells are kept (world.py), the accessors of optional fields,
and the call of each part, which is run on all of its paths at once (merge.py). Tables, wiring, guards, deeds,
decisions and rules are those that we ship, or a mutant's.
"""

import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final, NamedTuple

from dhruva.cells import Change
from dhruva.rules import RULES, authority, follow_ups, lanes, lists
from dhruva.step import Step
from dhruva.table import Refused
from dhruva.walk import Book, Decisions
from proofs import ghosts, shapes
from proofs.engine import Engine, Unproved, Unsupported
from proofs.ghost_cells import GHOSTS, MOVES
from proofs.merge import part
from proofs.second import Disagreement
from proofs.values import activate, engine, equal, see
from proofs.world import Known, Store, SymWalk, World

stepping: Final = importlib.import_module("dhruva.step")  # the module; the package gives the function
GET: Final = "__getitem__"
EQ: Final = "__eq__"
PARTS: Final = (
    (lanes, ("head", "ahead", "enter", "leave", "ready", "wake", "wake_starved", "starve", "feed")),
    (lanes, ("await_executor", "_join", "_part", "_count")),
    (lists, ("link", "part")),
    (follow_ups, ("_forget", "_meet", "_count")),
    (authority, ("verdict", "commit", "free", "runs", "_hold_cap", "_under_cap")),
)
"""Helpers that rules share, each of which has paths of its own."""


@contextmanager
def symbolic() -> Iterator[None]:
    """While this lasts, `step` can be given a symbolic world."""
    with ExitStack() as stack:
        stack.enter_context(_replaced(stepping, Walk=SymWalk))
        for module, names in PARTS:
            changed = {name: _as_part(getattr(module, name)) for name in names}
            stack.enter_context(_replaced(module, **changed))
        stack.enter_context(_lazy_fields())
        yield


@contextmanager
def _replaced(module: Any, **changed: Any) -> Iterator[None]:
    kept = {name: getattr(module, name) for name in changed}
    for name, new in changed.items():
        setattr(module, name, new)
    try:
        yield
    finally:
        for name, old in kept.items():
            setattr(module, name, old)


@contextmanager
def _lazy_fields() -> Iterator[None]:
    """Optional fields of cells and inputs are decided when they are looked at, by name or by number."""
    kept: list[tuple[type, str, Any]] = []
    classes = {*shapes.CELLS.values(), *shapes.CELL_OF_FOLLOW_UP.values(), *RULES, *GHOSTS.values()}
    for cls in classes:
        for at, (field, kind) in enumerate(shapes.hints(cls).items()):
            if type(None) in getattr(kind, "__args__", ()):
                kept.append((cls, field, cls.__dict__[field]))
                setattr(cls, field, property(_field(at)))
        setattr(cls, GET, lambda self, at: see(tuple.__getitem__(self, at)))
        setattr(cls, EQ, lambda self, other: engine().decide(equal(self, other)))
    try:
        yield
    finally:
        for cls, field, accessor in kept:
            setattr(cls, field, accessor)
        for cls in classes:
            delattr(cls, GET)
            delattr(cls, EQ)


def _field(at: int) -> Callable[[Any], Any]:
    return lambda self: see(tuple.__getitem__(self, at))


# Parts


def _as_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose first argument is the walk, run on all of its paths at once."""

    @functools.wraps(function)
    def merged(walk: Any, *given: Any, **named: Any) -> Any:
        return part(walk, lambda: function(walk, *given, **named))

    return merged


def _decision(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: part(None, lambda: function(*given))


def in_parts(book: Book) -> Book:
    """The book with each of its rules, wires, guards and decisions as a part, under any settings."""
    moves = {
        machine: {
            at: move._replace(
                guards=tuple((symbol, _as_part(guard)) for symbol, guard in move.guards),
                wires=tuple(map(_as_part, move.wires)),
            )
            for at, move in rows.items()
        }
        for machine, rows in book.moves.items()
    }
    wires = {slot: tuple(map(_as_part, wired)) for slot, wired in book.wires.items()}
    rules = {of: _as_part(rule) for of, rule in book.rules.items()}
    decide = Decisions(*map(_decision, book.decide))
    settings = shapes.settings()
    return book._replace(moves=moves, wires=wires, decide=decide, rules=rules, settings=settings)


def proved_kernel(**changed: Any) -> Step:
    """The kernel that we ship, or a mutant of it."""
    step: Step = stepping.stepping(in_parts(stepping.book(**changed)))
    return step


# Paths


class Path(NamedTuple):
    """One way through `step`: what was given, the cells before, and what it said or raised."""

    given: Any
    world: World
    said: Change | Refused | None
    raised: Exception | None


Premises = Callable[[World, Known], Any]


def _well_typed(_world: World, one: Known) -> Any:
    """All that is known of a cell of which nothing is known: each field is of its type."""
    return shapes.typed(one.cell)


def explore(
    shape: shapes.Shape, step: Step, visit: Callable[[Path], None], here: Engine, premises: Premises | None
) -> None:
    """Every path of this input through `step`; `visit` is called on each, while the engine stands at its end.

    Without premises: in any world of well-typed cells, whatever the outside does, and without ghosts.
    """
    activate(here)
    for path in here.paths(lambda: _run(here, shape, step, premises)):
        visit(path)


def _run(here: Engine, shape: shapes.Shape, step: Step, premises: Premises | None) -> Path:
    world, given = World(premises or _well_typed), shape.build()
    here.fact(shapes.typed(given))
    if isinstance(given, MOVES):
        return Path(given, world, _outside(world, given), None)
    if premises is not None:
        ghosts.supposed(world, given)
    try:
        said = step(world.read, given)
    except (Unsupported, Unproved, Disagreement):
        raise
    except Exception as error:  # noqa: BLE001 - whatever a rule raises is what totality speaks of
        return Path(given, world, None, error)
    if isinstance(said, Change) and premises is not None:
        ghosts.follow(given, said)
    return Path(given, world, said, None)


def _outside(world: World, given: Any) -> Change | Refused:
    """A move of the outside, which changes ghosts and nothing else."""
    store: Any = Store(world)
    refused = part(store, lambda: ghosts.moved(store, given))
    return Change(store, (), (), (), ()) if refused is None else refused
