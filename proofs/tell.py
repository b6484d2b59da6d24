"""A world in the words of the kernel: the input, the cells before a step and what it said."""

from typing import Any

import z3  # type: ignore[import-untyped]

from dhruva.cells import Change
from dhruva.ids import Ref
from proofs.symbolic import Path
from proofs.values import Number, Opt, SymBool, SymEnum, code


def tell(path: Path, model: Any) -> str:
    """The input, the cells before and what the step said, with the values of one world."""
    lines = ["counterexample to induction (nobody has shown that this world can be reached)"]
    lines.append(f"  input   {words(path.given, model)}")
    lines += [
        f"  before  {words(one.key, model)} = {words(one.cell, model)}"
        for one in path.world.known.values()
        if holds(one.valid, model) and holds(one.there, model)
    ]
    if isinstance(path.said, Change):
        store: Any = path.said.writes
        for at, after in store.put_.items():
            one = path.world.known[at]
            if holds(one.valid, model):
                there = holds(after.there, model)
                said = words(after.cell, model) if there else "absent"
                lines.append(f"  after   {words(one.key, model)} = {said}")
    elif path.said is not None:
        lines.append(f"  refused {words(path.said, model)}")
    else:
        lines.append(f"  raised  {type(path.raised).__name__}: {path.raised}")
    return "\n".join(lines)


def holds(formula: Any, model: Any) -> bool:
    """Whether a formula is true in a world."""
    if isinstance(formula, bool):
        return formula
    return bool(z3.is_true(model.eval(formula, model_completion=True)))


def words(value: Any, model: Any) -> str:
    return _said(value_in(value, model))


def _said(found: Any) -> str:
    if isinstance(found, tuple) and hasattr(found, "_fields"):
        shown = (f"{f}={_said(tuple.__getitem__(found, i))}" for i, f in enumerate(found._fields))
        return f"{type(found).__name__}({', '.join(shown)})"
    if isinstance(found, tuple):
        return f"({', '.join(_said(part) for part in found)})"
    return "none" if found is None else str(found)


def value_in(value: Any, model: Any) -> Any:
    """The plain value that stands for a symbolic one in a world."""
    if isinstance(value, Number):
        return model.eval(value.term, model_completion=True).as_long()
    if isinstance(value, SymEnum):
        found = model.eval(value.term, model_completion=True).as_long()
        return next((m for m in value.domain if code(m) == found), value.domain[-1])
    if isinstance(value, SymBool):
        return holds(value.term, model)
    if isinstance(value, Opt):
        return value_in(value.value, model) if holds(value.there, model) else None
    if isinstance(value, tuple):
        parts = tuple(value_in(part, model) for part in tuple.__iter__(value))
        if not hasattr(value, "_fields"):
            return parts
        return tuple.__new__(Ref if isinstance(value, Ref) else type(value), parts)
    return value
