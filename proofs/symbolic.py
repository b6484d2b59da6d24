"""A symbolic world, and the real `step` run on it.

`read` hands out a cell when a key is first read, present or absent, of which nothing is known. Two keys
may be equal or different: both are followed, because a lookup in a dict asks `==` of symbolic ids. The
rules see plain NamedTuples; while the engine runs, the accessors of their optional fields are replaced,
so that "None or a value" is chosen when the field is looked at. For a plain value the replaced accessors
do what the others do.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final, NamedTuple

from dhruva.cells import Change, Kind, OwnerKind
from dhruva.inputs import Ask, CreateTask
from dhruva.step import Step
from dhruva.table import Refused
from proofs import lists, shapes, worlds
from proofs.engine import Engine, Restart, Unproved, Unsupported
from proofs.lists import same
from proofs.values import Number, Opt, activate, see

GET: Final = "__getitem__"


@contextmanager
def lazy_fields() -> Iterator[None]:
    """Optional fields of cells are decided when they are looked at, by name or by number."""
    kept: list[tuple[type, str, Any]] = []
    classes = {*shapes.CELLS.values(), *shapes.CELL_OF_FOLLOW_UP.values()}
    for cls in classes:
        for at, (field, kind) in enumerate(shapes.hints(cls).items()):
            if isinstance(shapes.value("probe", field, kind) if _optional(kind) else None, Opt):
                kept.append((cls, field, cls.__dict__[field]))
                setattr(cls, field, property(_field(at)))
        setattr(cls, GET, lambda self, at: see(tuple.__getitem__(self, at)))
    try:
        yield
    finally:
        for cls, field, accessor in kept:
            setattr(cls, field, accessor)
        for cls in classes:
            delattr(cls, GET)


def _field(at: int) -> Callable[[Any], Any]:
    return lambda self: see(tuple.__getitem__(self, at))


def _optional(kind: Any) -> bool:
    return type(None) in getattr(kind, "__args__", ())


class World:
    """The cells before a step, made as they are read."""

    def __init__(self, engine: Engine, quiet: bool) -> None:
        self.engine, self.quiet = engine, quiet
        self.new_id: Any = (
            None  # the id that this input is the first to name (assume: an id is handed out once)
        )
        self.cells: dict[Any, Any] = {}
        self._places: dict[tuple[Any, ...], tuple[set[int], set[str]]] = {}

    def read(self, key: Any) -> Any:
        self.note(key)
        if key in self.cells:
            return self.cells[key]
        found = self._make(key)
        self.cells[key] = found
        return found

    def _make(self, key: Any) -> Any:
        cls = shapes.cell_class(key)
        if cls is None:
            return None
        there = self._must_be(key)
        if there is None:
            there = self.engine.choose(2) == 0
        if not there:
            return None
        name = f"{key[0]}{len(self.cells)}"
        made = lists.linked(self, key, shapes.cell(cls, name, key), name)
        self._known_of(key, made)
        return worlds.calm(made) if self.quiet else made

    # What is known of a well-formed world: claimed and proved in claims.py

    def _must_be(self, key: Any) -> bool | None:
        """Nothing waits under a new id. A policy is there iff its scope is, a spec iff its task; what
        a living cell names is there.
        """
        if key[0] == Kind.WAITER and self.new_id is not None and same(key[1], self.new_id):
            return False
        if key[0] == Kind.POLICY:
            return self.read((Kind.SCOPE, key[1])) is not None
        if key[0] == Kind.SPEC:
            return self.read((Kind.TASK, key[1])) is not None
        if key[0] == Kind.SCOPE and any(same(c.scope, key[1]) for c in self._living() if hasattr(c, "scope")):
            return True
        if key[0] == Kind.TASK and self._attempt_of(key[1]) is not None:
            return True
        if key[0] == Kind.CAP and any(self._known(c.capped) for c in self.of(Kind.SCOPE).values()):
            return True
        return True if lists.named(self, key) else None

    def _known_of(self, key: Any, made: Any) -> None:
        """The task of a living attempt: alive, and the attempt is its newest."""
        found = self._attempt_of(key[1]) if key[0] == Kind.TASK else None
        if found is not None:
            self.engine.known[made.alive.name] = True
            self.engine.assume(made.run.term == _term(found.run))
            self.engine.assume(made.number.term == _term(found.number))

    def _living(self) -> list[Any]:
        kinds = (Kind.ATTEMPT, Kind.RESOURCE, Kind.REQUEST, Kind.SPEC)
        return [cell for key, cell in self.cells.items() if cell is not None and key[0] in kinds]

    def of(self, kind: Kind) -> dict[Any, Any]:
        return {key: cell for key, cell in self.cells.items() if cell is not None and key[0] == kind}

    def _attempt_of(self, task: Any) -> Any:
        for key, cell in self.of(Kind.ATTEMPT).items():
            if same(key[1].owner, task) and cell.kind.left() == (OwnerKind.TASK,):
                return key[1]
        return None

    def _known(self, flag: Any) -> bool:
        return self.engine.known.get(flag.name) is True

    def note(self, key: Any) -> None:
        """A constant in a key, where on this path a symbol stands too: the symbol must know it before
        it is hashed.
        """
        kind = key[0] if key else None
        for at, part in enumerate(_flat(key)):
            constants, families = self._places.setdefault((kind, at), (set(), set()))
            if isinstance(part, Number):
                families.add(part.family)
            elif isinstance(part, int) and not isinstance(part, Enum):
                constants.add(part)
            for family in sorted(families):
                if not constants <= self.engine.constants.setdefault(family, set()):
                    self.engine.constants[family] |= constants
                    raise Restart


def _flat(key: Any) -> Iterator[Any]:
    for part in key:
        if isinstance(part, tuple):
            yield from _flat(part)
        else:
            yield part


def _term(value: Any) -> Any:
    return value.term if isinstance(value, Number) else value


class Path(NamedTuple):
    """One way through `step`: what was given, the cells before, and what it said or raised."""

    given: Any
    world: World
    said: Change | Refused | None
    raised: Exception | None


def explore(shape: shapes.Shape, step: Step, visit: Callable[[Path], None], quiet: bool = False) -> Engine:
    """Every path of this input through `step`; `visit` is called on each, while the engine stands at
    its end.
    """
    constants: dict[str, set[int]] = {}
    while True:
        engine = Engine(constants)
        activate(engine)
        try:
            _visit_all(engine, shape, step, visit, quiet)
        except Restart:
            continue
        return engine


def _visit_all(
    engine: Engine, shape: shapes.Shape, step: Step, visit: Callable[[Path], None], quiet: bool
) -> None:
    for path in engine.paths(lambda: _run(engine, shape, step, quiet)):
        visit(path)


def _run(engine: Engine, shape: shapes.Shape, step: Step, quiet: bool) -> Path:
    world, given = World(engine, quiet), shape.build()
    if isinstance(given, Ask | CreateTask):
        world.new_id = given[0]
    try:
        said = step(world.read, given)
    except (Unsupported, Unproved):
        raise
    except Exception as error:  # noqa: BLE001 - whatever a rule raises is what totality speaks of
        return Path(given, world, None, error)
    if isinstance(said, Change):
        for key in said.writes:
            world.note(key)
    return Path(given, world, said, None)
