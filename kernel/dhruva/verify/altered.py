"""Functions with one condition or one order changed: mutants of decisions and guards (VER-5).

A decision is an ordered list of tests. Each test is changed on its own (a bound that moves by one, an
equality or a membership that is turned round, a truth that is negated, an `and` that becomes an `or`), and
each two neighbouring tests that answer are asked in the other order. The changed source is compiled among the
names of its own module, so that enums and records stay the very same.
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import pairwise
from types import ModuleType
from typing import Any, NamedTuple

BOUND, TEST, ORDER, CHECK = "comparison moved", "condition turned", "order swapped", "check dropped"
REFUSALS = ("Refused", "_refused")
_MOVED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_JOINED: dict[type[ast.boolop], type[ast.boolop]] = {ast.And: ast.Or, ast.Or: ast.And}


class Altered(NamedTuple):
    """A module's functions with one thing changed in one of them."""

    kind: str
    function: str  # the one that was changed
    words: str
    names: dict[str, Any]  # every function of the module, seeing the changed one


def functions(module: ModuleType) -> dict[str, ast.FunctionDef]:
    """The functions that a module defines, as source."""
    tree = ast.parse(inspect.getsource(module))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def reach(defined: dict[str, ast.FunctionDef], start: str) -> set[str]:
    """The functions of the module that a call of `start` may come to, itself included."""
    found, edge = {start}, [start]
    while edge:
        names = {node.id for node in ast.walk(defined[edge.pop()]) if isinstance(node, ast.Name)}
        new = (names & defined.keys()) - found
        found |= new
        edge += sorted(new)
    return found


def altered(module: ModuleType, wanted: set[str]) -> Iterator[Altered]:
    """Every change of the wanted functions of a module, in the order of its lines."""
    defined = functions(module)
    for name, node in defined.items():
        if name in wanted:
            for kind, words, changed in _changes(node):
                yield Altered(kind, name, words, _compiled(module, {**defined, name: changed}))


def unchecked(module: ModuleType, wanted: set[str]) -> Iterator[Altered]:
    """The wanted functions without one of their checks: a refusal that is made for one reason less."""
    defined = functions(module)
    for name, node in defined.items():
        if name in wanted:
            for words, changed in _unchecked(node):
                yield Altered(CHECK, name, words, _compiled(module, {**defined, name: changed}))


def _unchecked(function: ast.FunctionDef) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Whether a cell is there at all is left in: a rule that did not ask could not go on."""
    for at, node in enumerate(ast.walk(function)):
        if not (isinstance(node, ast.If) and _refuses(node)):
            continue
        reasons = _reasons(node.test)
        for place, reason in enumerate(reasons):
            if not _is_presence(reason):
                copy = deepcopy(function)
                here: Any = next(one for n, one in enumerate(ast.walk(copy)) if n == at)
                rest = [*reasons[:place], *reasons[place + 1 :]]
                here.test = ast.BoolOp(ast.Or(), rest) if len(rest) > 1 else [*rest, ast.Constant(False)][0]
                yield f"without `{ast.unparse(reason)}`", ast.fix_missing_locations(copy)


def _reasons(test: ast.expr) -> list[ast.expr]:
    """The parts of an `or`, or the whole."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]


def _is_presence(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and ast.unparse(test).endswith(" is None")
    )


def _refuses(node: ast.If) -> bool:
    """Whether it ends in a refusal."""
    last = node.body[-1]
    is_call = isinstance(last, ast.Return) and isinstance(last.value, ast.Call)
    return is_call and ast.unparse(last.value.func) in REFUSALS  # type: ignore[attr-defined]


def _compiled(module: ModuleType, defined: dict[str, ast.FunctionDef]) -> dict[str, Any]:
    names = dict(vars(module))
    body: list[ast.stmt] = list(defined.values())
    exec(compile(ast.Module(body, []), inspect.getsourcefile(module) or module.__name__, "exec"), names)
    return {name: names[name] for name in defined}


def _changes(function: ast.FunctionDef) -> Iterator[tuple[str, str, ast.FunctionDef]]:
    seen: dict[str, int] = {}
    for at, node in enumerate(ast.walk(function)):
        for kind, change in _of_node(node, _is_truth(function)):
            copy = deepcopy(function)
            here = next(one for place, one in enumerate(ast.walk(copy)) if place == at)
            before = _test_of(here)
            change(here)
            words = f"`{before}` as `{_test_of(here)}`"
            seen[words] = seen.get(words, 0) + 1
            again = f" (the {seen[words]}. time)" if seen[words] > 1 else ""
            yield kind, words + again, ast.fix_missing_locations(copy)
    yield from _orders(function)


def _is_truth(function: ast.FunctionDef) -> bool:
    return isinstance(function.returns, ast.Name) and function.returns.id == "bool"


def _test_of(node: Any) -> str:
    """The source of what is tested or answered there."""
    return ast.unparse(getattr(node, "test", None) or getattr(node, "value", None) or node)


def _of_node(node: ast.AST, in_truth: bool) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """The changes of one place; each is made on the same place of a copy."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        op = type(node.ops[0])
        if op in _MOVED:
            yield BOUND, lambda here: _with_op(here, _MOVED[op])
        elif op in _TURNED:
            yield TEST, lambda here: _with_op(here, _TURNED[op])
    elif isinstance(node, ast.BoolOp):
        yield TEST, _rejoined
        yield from ((TEST, _Negated(at)) for at, part in enumerate(node.values) if _is_plain(part))
    elif isinstance(node, ast.If | ast.IfExp) and _is_plain(node.test):
        yield TEST, _turned
    elif in_truth and isinstance(node, ast.Return) and node.value is not None and _is_plain(node.value):
        yield TEST, _answering_no


class _Negated:
    """One plain part of an `and` or `or`, negated."""

    def __init__(self, at: int) -> None:
        self.at = at

    def __call__(self, here: ast.BoolOp) -> None:
        here.values[self.at] = _negation(here.values[self.at])


def _is_plain(test: ast.expr) -> bool:
    """A truth that is no comparison of its own: a name, a field, a call, or the negation of one."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_plain(test.operand)
    if isinstance(test, ast.Call):
        return isinstance(test.func, ast.Name) and test.func.id != "bool" and test.func.id[0].islower()
    return isinstance(test, ast.Attribute) or (isinstance(test, ast.Name) and test.id.islower())


def _negation(test: ast.expr) -> ast.expr:
    is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return test.operand if is_not else ast.UnaryOp(ast.Not(), test)  # type: ignore[attr-defined]


def _with_op(here: ast.Compare, op: type[ast.cmpop]) -> None:
    here.ops = [op()]


def _rejoined(here: ast.BoolOp) -> None:
    here.op = _JOINED[type(here.op)]()


def _turned(here: ast.If | ast.IfExp) -> None:
    here.test = _negation(here.test)


def _answering_no(here: ast.Return) -> None:
    assert here.value is not None
    here.value = _negation(here.value)


def _orders(function: ast.FunctionDef) -> Iterator[tuple[str, str, ast.FunctionDef]]:
    """Neighbouring `if ...: return ...`, asked the other way round."""
    for at, (one, other) in enumerate(pairwise(function.body)):
        if _answers(one) and _answers(other):
            copy = deepcopy(function)
            copy.body[at], copy.body[at + 1] = copy.body[at + 1], copy.body[at]
            first, second = ast.unparse(other.test), ast.unparse(one.test)  # type: ignore[attr-defined]
            yield ORDER, f"`{first}` before `{second}`", copy


def _answers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Return)
