"""The digest of a kernel: kernels with the same digest decide alike (SHL-9, VER-3).

It covers all that decides: rows of tables, wires in their order, settings, and the code of decisions, guards,
deeds and rules with all that they import. Code is taken as syntax, so comments, docstrings, layout and
citations change nothing; neither do the hash seed and the version of Python.

A store and a journal carry it, and `make verify` prints the one that it has checked.
"""

import ast
import inspect
import json
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any, Final

from dhruva.parts import Parts, taking_parts

DATA: Final = ("dhruva.machines", "dhruva.wiring", "dhruva.table")
"""Modules that are digested as the values they hold, because their code is full of prose."""


class Unsourced(ValueError):
    """A function of a kernel whose code cannot be read, so that nobody can say what it decides."""


@taking_parts(Parts)
def digest(parts: Parts) -> str:
    """The digest of the kernel that `kernel` builds from these; without arguments, of the one we ship."""
    return _hashed(by_part(*parts))


@taking_parts(Parts)
def by_part(parts: Parts) -> dict[str, str]:
    """The digest of each part by its name, so that two kernels can be told apart by what differs."""
    named: dict[str, Callable[..., Any]] = {
        **{f"decision {name}": asked for name, asked in parts.decisions._asdict().items()},
        **{f"guard {machine} {symbol}": guard for (machine, symbol), guard in parts.guards.items()},
        **{f"deed {does}": deed for does, deed in parts.deeds.items()},
        **{f"handler {kind}": handler for kind, handler in parts.handlers.items()},
        **{f"rule {given.__name__}": rule for given, rule in parts.rules.items()},
    }
    reached = _reached("dhruva.step", *(function.__module__ for function in named.values()))
    return {
        **{f"table {name}": machine.digest for name, machine in parts.tables.items()},
        "sets": _hashed([_sets(name) for name in reached if name.startswith("dhruva.machines.")]),
        "wiring": _hashed([(type(wire).__name__, *wire[:-1]) for wire in parts.wiring]),
        "settings": _hashed(parts.settings._asdict()),
        **{name: _hashed(_function(name, function)) for name, function in named.items()},
        **{f"code {name}": _code(name) for name in reached if not name.startswith(DATA)},
    }


def _hashed(plain: Any) -> str:
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _sets(module: str) -> dict[str, list[str]]:
    """The sets of states that a machine's module names, as CAN_EXECUTE."""
    found = vars(import_module(module)).items()
    return {name: sorted(value) for name, value in found if isinstance(value, frozenset)}


def _function(name: str, function: Callable[..., Any]) -> list[Any]:
    """Which function it is. What has no name of its own in its module is told apart by its lines."""
    place = [function.__module__, function.__qualname__]
    if "<" not in function.__qualname__:
        return place
    try:
        return [*place, inspect.getsource(function)]
    except (OSError, TypeError) as fault:
        raise Unsourced(f"{name}: the code of {function!r} cannot be read") from fault


def _reached(*roots: str) -> list[str]:
    """These modules, and those of dhruva that they import, directly or not."""
    found, ahead = set(roots), list(roots)
    while ahead:
        beyond = _imports(ahead.pop()) - found
        found |= beyond
        ahead += beyond
    return sorted(found)


@cache
def _tree(module: str) -> ast.Module:
    try:
        return ast.parse(inspect.getsource(import_module(module)))
    except OSError as fault:
        raise Unsourced(f"the code of module {module} cannot be read") from fault


@cache
def _code(module: str) -> str:
    return _hashed(_plain(_tree(module)))


@cache
def _imports(module: str) -> frozenset[str]:
    """The modules of dhruva that a module names in its imports."""
    named = [
        (node.module, f"{node.module}.{alias.name}")
        for node in _tree(module).body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dhruva")
        for alias in node.names
    ]
    return frozenset(inner if _is_module(inner) else outer for outer, inner in named)


def _is_module(name: str) -> bool:
    package, _, last = name.rpartition(".")
    return inspect.ismodule(getattr(import_module(package), last, None))


def _plain(node: Any) -> Any:
    """Syntax as plain data. Statements that are a text alone are prose; what is empty is left out."""
    if isinstance(node, list):
        return [_plain(item) for item in node if not _is_prose(item)]
    if not isinstance(node, ast.AST):
        return repr(node)
    plain = [type(node).__name__]
    for name in node._fields:
        value = getattr(node, name, None)
        if value is not None and value != [] and name != "ctx":
            plain += (name, _plain(value))
    return plain


def _is_prose(node: Any) -> bool:
    text = node.value if isinstance(node, ast.Expr) else None
    return isinstance(text, ast.Constant) and isinstance(text.value, str)
