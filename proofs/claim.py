"""What a claim is, and what it sees of a step: the cells before, the cells after, and what may be required
of them.

A claim is checked at the end of every path of every input, while the engine stands there: whatever it
looks at is decided as in a rule, and every answer is followed. `must` asks the solver whether the formula
holds in every world of the path; if it does not, the world that breaks it is told, in the words of the
kernel. That world meets the premises, but nobody has shown that it can be reached: it is a counterexample
to induction.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import z3  # type: ignore[import-untyped]

from dhruva.cells import Change, Edge, Key, Kind
from proofs.engine import Engine, Pruned
from proofs.symbolic import Path
from proofs.values import LazyBool, LazyEnum, Number, Opt, engine


class Refuted(Exception):
    """A world in which a claim does not hold after a step."""


class Write(NamedTuple):
    key: Any
    before: Any
    after: Any


class View:
    """One path, as a claim sees it."""

    def __init__(self, engine: Engine, path: Path) -> None:
        self.engine, self.path = engine, path
        self.given = path.given
        self.said = path.said
        self.musts = 0

    @property
    def change(self) -> Change | None:
        return self.said if isinstance(self.said, Change) else None

    def before(self, key: Key) -> Any:
        return self.path.world.read(key)

    def after(self, key: Key) -> Any:
        """The cell after the step: what was written, and otherwise what was there (frame)."""
        writes = {} if self.change is None else self.change.writes
        return writes[key] if key in writes else self.before(key)

    def writes(self, *kinds: Kind) -> Iterator[Write]:
        """What was written of these kinds. A cell that was put and never read was created: it had a
        new name.
        """
        if self.change is None:
            return
        for key, after in self.change.writes.items():
            if key[0] in kinds:
                seen = self.path.world.cells
                yield Write(key, seen.get(key), after)

    def edges(self, machine: str) -> list[Edge]:
        return [] if self.change is None else [e for e in self.change.edges if e.machine == machine]

    def suppose(self, holds: Any) -> None:
        """A premise: the claim itself, of cells before the step. Paths that cannot meet it are left."""
        if holds is False:
            raise Pruned
        if holds is not True:
            self.engine.assume(holds)

    def must(self, holds: Any, what: str) -> None:
        """Required: in every world of this path the formula, or the plain answer, holds."""
        self.musts += 1
        if holds is True or holds is False:
            if not holds:
                self._refuted(what, self._some_model())
            return
        holds = z3.simplify(holds)
        model = None if z3.is_true(holds) else self.engine.refute(holds)
        if model is not None:
            self._refuted(what, model)

    def _some_model(self) -> Any:
        self.engine.solver.check()
        return self.engine.solver.model()

    def _refuted(self, what: str, model: Any) -> None:
        raise Refuted(f"{what}\n{tell(self.path, model)}")


class Claim(NamedTuple):
    """A sentence, the requirements that it states, and how it is checked on one path."""

    name: str
    sentence: str
    cites: str
    check: Callable[[View], None]


def term(value: Any) -> Any:
    """The z3 term of a number, plain or symbolic."""
    if isinstance(value, Number):
        return value.term
    return z3.IntVal(value)


def one(condition: Any) -> Any:
    """1 where the condition holds, else 0: for counting."""
    if isinstance(condition, bool):
        return z3.IntVal(int(condition))
    return z3.If(condition, z3.IntVal(1), z3.IntVal(0))


# Telling a world


def tell(path: Path, model: Any) -> str:
    """The input, the cells before and what the step said, with the values of one world."""
    lines = ["counterexample to induction (nobody has shown that this world can be reached)"]
    lines.append(f"  input   {words(path.given, model)}")
    lines += [f"  before  {words(k, model)} = {words(c, model)}" for k, c in path.world.cells.items()]
    if isinstance(path.said, Change):
        lines += [f"  after   {words(k, model)} = {words(c, model)}" for k, c in path.said.writes.items()]
    elif path.said is not None:
        lines.append(f"  refused {words(path.said, model)}")
    else:
        lines.append(f"  raised  {type(path.raised).__name__}")
    return "\n".join(lines)


def words(value: Any, model: Any) -> str:
    return _said(value_in(value, model))


def _said(found: Any) -> str:
    if isinstance(found, tuple) and hasattr(found, "_fields"):
        shown = (f"{f}={_said(tuple.__getitem__(found, i))}" for i, f in enumerate(found._fields))
        return f"{type(found).__name__}({', '.join(shown)})"
    if isinstance(found, tuple):
        return f"({', '.join(_said(part) for part in found)})"
    return "absent" if found is None else str(found)


def value_in(value: Any, model: Any) -> Any:
    """The plain value that stands for a symbolic one in a world; what was not looked at is any that fits."""
    known = engine().known
    if isinstance(value, Number):
        return model.eval(value.term, model_completion=True).as_long()
    if isinstance(value, LazyEnum):
        return value.left()[0]
    if isinstance(value, LazyBool):
        return bool(known.get(value.name, False))
    if isinstance(value, Opt):
        return value_in(known[value.name][0], model) if value.name in known else None
    if isinstance(value, tuple):
        parts = tuple(value_in(part, model) for part in value)
        if not hasattr(value, "_fields"):
            return parts
        cls: Any = type(value)
        return tuple.__new__(cls.__mro__[1] if cls.__name__ == "SymRef" else cls, parts)
    return value
