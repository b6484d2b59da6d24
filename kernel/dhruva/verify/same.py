"""Whether a changed decision is the same function: asked of every combination of its facts.

Enums and truths are taken whole. Numbers are taken from 0 to 2 (0 and 1 where a decision has many): a
decision that compares its numbers with each other, or with 0, is settled by which is smaller, so no other
number adds a case. Of decisions that compute with limits, or ask a function, nothing is claimed.
"""

import ast
import inspect
import sys
from collections.abc import Callable
from enum import Enum
from itertools import product
from types import NoneType
from typing import Any, NamedTuple, get_args, get_type_hints

from dhruva.verify.mutants import Mutant
from dhruva.walk import DECISIONS

MANY = 6  # numbers
LIMITS = "dhruva.limits"


def same(mutant: Mutant) -> int | None:
    """On how many combinations the changed decisions were asked and said the same; None if not shown."""
    asked = 0
    for name, decide in DECISIONS._asdict().items():
        changed = getattr(mutant.parts.decisions, name)
        if changed is not decide:
            if _computes(decide):
                return None
            every = facts(decide)
            said = [_said(decide, one) for one in every]
            if any(isinstance(one, _Raised) for one in said):
                return None  # not its facts
            if said != [_said(changed, one) for one in every]:
                return None
            asked += len(every)
    return asked or None


class _Raised(NamedTuple):
    what: str


def _said(decide: Callable[..., Any], facts: tuple[Any, ...]) -> Any:
    try:
        return decide(*facts)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        return _Raised(type(error).__name__)


def _computes(decide: Callable[..., Any]) -> bool:
    """Whether the module of a decision uses a limit."""
    tree = ast.parse(inspect.getsource(sys.modules[decide.__module__]))
    return any(isinstance(node, ast.ImportFrom) and node.module == LIMITS for node in ast.walk(tree))


def facts(decide: Callable[..., Any]) -> list[tuple[Any, ...]]:
    """Every combination of arguments."""
    hints = {name: hint for name, hint in get_type_hints(decide).items() if name != "return"}
    leaves = [leaf for hint in hints.values() for leaf in _leaves(hint)]
    most = 2 if sum(1 for leaf in leaves if _is_number(leaf)) > MANY else 3
    return list(product(*(_values(hint, most) for hint in hints.values())))


def _leaves(hint: Any) -> list[Any]:
    if _is_record(hint):
        return [leaf for part in get_type_hints(hint).values() for leaf in _leaves(part)]
    return [hint]


def _values(hint: Any, most: int) -> list[Any]:
    if _is_record(hint):
        parts = [_values(part, most) for part in get_type_hints(hint).values()]
        return [hint(*one) for one in product(*parts)]
    kinds = get_args(hint) or (hint,)
    return [value for kind in kinds for value in _plain(kind, most)]


def _plain(kind: Any, most: int) -> list[Any]:
    if kind is NoneType:
        return [None]
    if kind is bool:
        return [False, True]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)
    return list(range(most))


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and hasattr(hint, "_fields")


def _is_number(hint: Any) -> bool:
    return all(_plain(kind, 2) == [0, 1] for kind in get_args(hint) or (hint,) if kind is not NoneType)
