"""Idioms that a symbolic run would get silently wrong, banned from rule code by its syntax.

The same functions run on symbolic integers. What is banned here gives a plain answer there that is wrong
without a word; each ban names its remedy, and is shown to catch what it should and nothing else.
"""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

KERNEL = Path(__file__).resolve().parents[2] / "kernel" / "dhruva"
RULE_CODE = ("machines", "decide", "wiring.py", "walk.py", "rules", "step.py", "cells.py", "inputs")
NO_TEXT = ("rules", "walk.py", "decide")
"""Where nothing is formatted: refusals carry values. Building a kernel may name what is wrong with it."""


class Ban(NamedTuple):
    """What is looked for, where, and what to do instead."""

    finds: Callable[[ast.AST], bool]
    where: tuple[str, ...]
    remedy: str
    caught: tuple[str, ...]
    innocent: tuple[str, ...]


def is_call_of(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def is_member(node: ast.AST) -> bool:
    """None, or a member of an enum: Name.MEMBER or MEMBER, in capitals."""
    if isinstance(node, ast.Constant):
        return node.value is None
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name.isupper() and not name.startswith("_")


def identities(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The two sides of each `is` and `is not`."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for at, operator in enumerate(node.ops):
            if isinstance(operator, ast.Is | ast.IsNot):
                yield sides[at], sides[at + 1]


def compares_types(node: ast.AST) -> bool:
    equalities = isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
    sides = [side for pair in identities(node) for side in pair]
    if equalities and isinstance(node, ast.Compare):
        sides += [node.left, *node.comparators]
    return any(is_call_of(side, "type") for side in sides)


def compares_truth(node: ast.AST) -> bool:
    return any(
        isinstance(side, ast.Constant) and isinstance(side.value, bool)
        for pair in identities(node)
        for side in pair
    )


def compares_identity(node: ast.AST) -> bool:
    return any(not is_member(left) and not is_member(right) for left, right in identities(node))


BROAD = frozenset({"Exception", "BaseException"})


def catches_broadly(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(kind is None or getattr(kind, "id", getattr(kind, "attr", "")) in BROAD for kind in kinds)


def reaches_out(node: ast.AST) -> bool:
    return isinstance(node, ast.Global | ast.Nonlocal)


def formats(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr) or is_call_of(node, "format", "str", "repr"):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("format", "format_map")
    text = (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant)
    )
    return text and isinstance(getattr(getattr(node, "left", None), "value", None), str)


def is_float(node: ast.AST) -> bool:
    return (isinstance(node, ast.Constant) and isinstance(node.value, float)) or is_call_of(
        node, "float", "round"
    )


def ranges_over_a_variable(node: ast.AST) -> bool:
    return is_call_of(node, "range") and not all(is_constant(part) for part in getattr(node, "args", ()))


def is_constant(node: ast.AST) -> bool:
    """A number, a NAME in capitals, or a sum of such."""
    if isinstance(node, ast.BinOp):
        return is_constant(node.left) and is_constant(node.right)
    if isinstance(node, ast.Name | ast.Attribute):
        return is_member(node)
    return isinstance(node, ast.Constant)


def asks_none_of_an_unpacked_name(node: ast.AST) -> bool:
    """A name that was unpacked from a cell is what stands in the field, not looked at."""
    if not isinstance(node, ast.FunctionDef):
        return False
    unpacked = {
        name.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Name | ast.Subscript)
        for target in inner.targets
        if isinstance(target, ast.Tuple)
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    sides = (side for inner in ast.walk(node) for pair in identities(inner) for side in pair)
    return any(isinstance(side, ast.Name) and side.id in unpacked for side in sides)


BANS: dict[str, Ban] = {
    "comparing types": Ban(
        compares_types,
        RULE_CODE,
        "a symbolic value has another type: say what it is by an enum field, or use isinstance",
        ("type(x) is int", "type(cell) is Cell", "a is not type(b)", "type(x) == int"),
        ("RULES.get(type(given))", "isinstance(wire, Fire)", "kind = type(x)"),
    ),
    "comparing with True or False by identity": Ban(
        compares_truth,
        RULE_CODE,
        "a symbolic comparison is no bool: write `if a > b`, not `if (a > b) is True`",
        ("(a > b) is True", "x is not False", "True is x"),
        ("if a > b: pass", "x = True", "x == y"),
    ),
    "identity of anything but None or an enum member": Ban(
        compares_identity,
        RULE_CODE,
        "two equal ids need not be one object: compare with ==; `is` is for None and members of enums",
        ("a is b", "cell is not other", "x is 1", "x.state is y.state"),
        ("a is None", "a is not None", "x is State.HELD", "state is not RUNNING"),
    ),
    "catching broadly": Ban(
        catches_broadly,
        RULE_CODE,
        "it would catch the fork of a symbolic run: check before, and let nothing raise",
        (
            "try: pass\nexcept: pass",
            "try: pass\nexcept Exception: pass",
            "try: pass\nexcept (KeyError, BaseException): pass",
        ),
        ("try: pass\nexcept KeyError: pass",),
    ),
    "global and nonlocal": Ban(
        reaches_out,
        RULE_CODE,
        "a rule remembers nothing: what must be known later is a cell",
        (
            "def f():\n    global x\n    x = 1",
            "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2",
        ),
        ("x = 1\ndef f():\n    return x",),
    ),
    "formatting": Ban(
        formats,
        NO_TEXT,
        "a refusal carries values, never text: give the value, and let the edge print it",
        ("f'{x}'", "'{}'.format(x)", "'%s' % x", "str(x)", "format(x, 'd')"),
        ("x % 3", "'plain'", "x.format_of"),
    ),
    "floats": Ban(
        is_float,
        RULE_CODE,
        "quantities are ints in thousandths, so that no rounding decides",
        ("x = 0.9", "float(x)", "round(x)"),
        ("x = 900", "x = '0.9'"),
    ),
    "None asked of a name that was unpacked": Ban(
        asks_none_of_an_unpacked_name,
        RULE_CODE,
        "the engine decides an optional field where it is looked at: ask the attribute, copy the unpacked",
        ("def f(cell):\n    a, b = cell\n    return a is None",),
        (
            "def f(cell):\n    a, b = cell\n    return cell.a is None",
            "def f(x):\n    a, b = x[0], x[1]\n    return a is None",
        ),
    ),
    "a range over a variable": Ban(
        ranges_over_a_variable,
        RULE_CODE,
        "loops go over constants: bind a tuple once, and leave it early; what is many is a follow-up",
        ("range(n)", "range(1, count)", "range(len(x))"),
        ("range(4)", "range(1, BOUND + 1)", "for k in NUMBERS: pass"),
    ),
}


def found(ban: Ban, source: str) -> list[int]:
    """The lines on which the idiom stands."""
    return [getattr(node, "lineno", 0) for node in ast.walk(ast.parse(source)) if ban.finds(node)]


def sources(*names: str) -> Iterator[Path]:
    for name in names:
        path = KERNEL / name
        yield from [path] if path.suffix else sorted(path.rglob("*.py"))


@pytest.mark.cites("VER-1a", "SHL-1b")
@pytest.mark.parametrize("name", BANS)
def test_rule_code_is_free_of(name: str) -> None:
    ban = BANS[name]
    for path in sources(*ban.where):
        lines = found(ban, path.read_text(encoding="utf-8"))
        place = str(path.relative_to(KERNEL))
        assert not lines, f"{place}, lines {lines}: {name}. {ban.remedy}"


@pytest.mark.cites("VER-1a")
@pytest.mark.parametrize(("name", "snippet"), [(n, s) for n, ban in BANS.items() for s in ban.caught])
def test_a_planted_idiom_is_caught(name: str, snippet: str) -> None:
    assert found(BANS[name], snippet)


@pytest.mark.cites("VER-1a")
@pytest.mark.parametrize(("name", "snippet"), [(n, s) for n, ban in BANS.items() for s in ban.innocent])
def test_an_innocent_line_is_not(name: str, snippet: str) -> None:
    assert not found(BANS[name], snippet)


@pytest.mark.cites("VER-1a")
def test_all_rule_code_is_looked_at() -> None:
    looked_at = {path.name for path in sources(*RULE_CODE)}
    assert {
        "walk.py",
        "step.py",
        "wiring.py",
        "cells.py",
        "flows.py",
        "scope.py",
        "authority.py",
    } <= looked_at
