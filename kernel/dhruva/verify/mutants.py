"""Mutants: one cell of a table, guard, effect, wire, test of a decision or check of a rule changed (VER-5).

A specification is strong if some property notices each of them. A mutant is a kernel like any other,
built without the checks that would refuse it. It knows where it can differ from the kernel (`consulted`),
which requirements the changed thing implements (`cites`), and whether the checks of tables and wiring would
have refused it: those notice too, and are counted apart.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any, NamedTuple

from dhruva.machines import MACHINES
from dhruva.parts import Parts
from dhruva.rules import guards as guard_rules
from dhruva.rules.guards import GUARDS
from dhruva.step import book
from dhruva.table import Machine, Row, faults
from dhruva.verify.altered import altered, functions, reach, unchecked
from dhruva.verify.watch import DECISION, HANDLER, RULE, Consulted, named
from dhruva.walk import DECISIONS, SETTINGS, Book, Settings
from dhruva.wiring import FOLLOW_UP, WIRING, Do, Wire, WiringError, check

LATER = frozenset({"schedule"})
"""Machines that no rule uses yet."""

OURS = Parts()
RULED = ("rules", "handlers", "deeds")
NOTED = {"rules": RULE, "handlers": HANDLER}

ID = re.compile(r"\b(ACT|DSP|LIF|REL|WFL|SHL|VER)-(\d+)((?:(?:, | and )\d+\b(?!-))*)(?: to (\d+))?")
Tables = Mapping[str, Machine[Any, Any]]


class Mutant(NamedTuple):
    """A change of one thing, said in words, and the parts of the kernel that has it."""

    name: str
    kind: str
    of: str  # the machine, the wiring, the decision or the file of rules
    cites: tuple[str, ...]
    consulted: frozenset[Consulted]
    parts: Parts

    def book(self, settings: Settings = SETTINGS) -> Book:
        return book(*self.parts._replace(settings=settings, checked=False))

    def refused(self) -> str | None:
        """What the checks of tables and wiring say; None if such a kernel can be built."""
        for name, machine in self.parts.tables.items():
            for fault in faults(machine) if machine is not MACHINES[name] else ():
                return str(fault)
        try:
            check(self.parts.tables, self.parts.wiring)
        except WiringError as error:
            return str(error)
        return None


def mutants() -> Iterator[Mutant]:
    """Every mutant, in the order of the tables, the wiring, the decisions, the guards and the rules."""
    for machine in MACHINES.values():
        if machine.name not in LATER:
            yield from _of_machine(machine)
    for at, wire in enumerate(WIRING):
        yield Mutant(
            f"wiring: {wire.machine} {wire.on} -> {_words(wire)} dropped",
            "wire dropped",
            wire.machine,
            tuple(wire.cites.split()),
            frozenset(_carrying(wire)),
            Parts(wiring=(*WIRING[:at], *WIRING[at + 1 :])),
        )
    yield from _of_decisions()
    yield from _of_guards()
    yield from _of_rules()


def _of_machine(machine: Machine[Any, Any]) -> Iterator[Mutant]:
    for at, row in enumerate(machine.rows):
        for kind, words, changed in _changes(machine, row):
            rows = (*machine.rows[:at], *changed, *machine.rows[at + 1 :])
            yield Mutant(
                f"{machine.name}: {row} {words}",
                kind,
                machine.name,
                tuple(row.cites.split()),
                frozenset({(machine.name, str(row.source), str(row.on))}),
                Parts(tables={**MACHINES, machine.name: machine.unchecked(rows)}),
            )


def _changes(
    machine: Machine[Any, Any], row: Row[Any, Any]
) -> Iterator[tuple[str, str, Iterable[Row[Any, Any]]]]:
    for state in machine.states:
        if state != row.target:
            yield "redirected", f"to {state}", (replace(row, target=state),)
    yield "row dropped", "dropped", ()
    for guard in row.when:
        yield "guard dropped", f"without [{guard}]", (replace(row, when=_without(row.when, guard)),)
    for effect in row.then:
        yield "effect dropped", f"without {{{effect}}}", (replace(row, then=_without(row.then, effect)),)


def _without(symbols: tuple[Any, ...], one: Any) -> tuple[Any, ...]:
    return tuple(symbol for symbol in symbols if symbol != one)


def _words(wire: Wire) -> str:
    if isinstance(wire, Do):
        return str(wire.does)
    return f"{wire.to} {' or '.join(map(str, wire.events))} ({wire.which})"


def _carrying(wire: Wire) -> Iterator[Consulted]:
    """What is looked up on the way to a wire: its symbol by itself, or the rows that have or enter it."""
    yield wire.machine, str(wire.on)
    for row in MACHINES[wire.machine].rows if wire.machine != FOLLOW_UP else ():
        if wire.on in row.then or wire.on == row.target:
            yield wire.machine, str(row.source), str(row.on)


def _of_decisions() -> Iterator[Mutant]:
    """Each decision belongs to a module, whose helpers are changed with it."""
    homes: dict[str, list[str]] = {}
    for name, decide in DECISIONS._asdict().items():
        homes.setdefault(decide.__module__, []).append(name)
    for home, names in homes.items():
        module = sys.modules[home]
        defined = functions(module)
        uses = {name: reach(defined, getattr(DECISIONS, name).__name__) for name in names}
        for one in altered(module, set().union(*uses.values())):
            touched = [name for name in names if one.function in uses[name]]
            changed = {name: one.names[getattr(DECISIONS, name).__name__] for name in touched}
            yield Mutant(
                f"decision {one.function}: {one.words}",
                f"decision: {one.kind}",
                touched[0],
                _ids(module, one.function, *(getattr(DECISIONS, name).__name__ for name in touched)),
                frozenset((DECISION, name) for name in touched),
                Parts(decisions=DECISIONS._replace(**changed)),
            )


def _of_guards() -> Iterator[Mutant]:
    defined = functions(guard_rules)
    uses = {key: reach(defined, guard.__name__) for key, guard in GUARDS.items()}
    for one in altered(guard_rules, set().union(*uses.values())):
        touched = [key for key in GUARDS if one.function in uses[key]]
        rows = [
            (machine.name, row)
            for machine in MACHINES.values()
            for row in machine.rows
            if any((machine.name, guard) in touched for guard in row.when)
        ]
        yield Mutant(
            f"guard {one.function}: {one.words}",
            f"guard: {one.kind}",
            touched[0][0],
            tuple(sorted({id_ for _, row in rows for id_ in row.cites.split()})),
            frozenset((name, str(row.source), str(row.on)) for name, row in rows),
            Parts(guards={**GUARDS, **{key: one.names[GUARDS[key].__name__] for key in touched}}),
        )


def _of_rules() -> Iterator[Mutant]:
    """The rules of inputs, of follow-ups and of wires, by the module that has them."""
    homes = {rule.__module__: None for part in RULED for rule in getattr(OURS, part).values()}
    for home in homes:
        module = sys.modules[home]
        name, defined = home.rpartition(".")[2], functions(module)
        uses = {
            (part, key): reach(defined, rule.__name__)
            for part in RULED
            for key, rule in getattr(OURS, part).items()
            if rule.__module__ == home
        }
        for one in unchecked(module, set().union(*uses.values())):
            touched = [place for place, used in uses.items() if one.function in used]
            said = ast.unparse(defined[one.function])
            yield Mutant(
                f"rule {name}.{one.function}: {one.words}",
                f"rule: {one.kind}",
                name,
                tuple(dict.fromkeys(ids(said))) or _ids(module),
                frozenset(_asking(touched)),
                _with(one.names, touched),
            )


def _with(changed: Mapping[str, Any], touched: Iterable[tuple[str, Any]]) -> Parts:
    """Our kernel with the changed functions in these places of its parts."""
    parts: dict[str, Any] = {part: dict(getattr(OURS, part)) for part in RULED}
    for part, key in touched:
        parts[part][key] = changed[parts[part][key].__name__]
    return Parts(**parts)


def _asking(touched: Iterable[tuple[str, Any]]) -> Iterator[Consulted]:
    """What is looked up on the way to these rules: a deed's wires, the others themselves."""
    for part, key in touched:
        if part in NOTED:
            yield NOTED[part], *named(key)
        else:
            for wire in (one for one in WIRING if isinstance(one, Do) and one.does == key):
                yield from _carrying(wire)


def _ids(module: ModuleType, *names: str) -> tuple[str, ...]:
    """The requirements that functions and their module name."""
    said = [getattr(module, name).__doc__ or "" for name in names]
    return tuple(dict.fromkeys(id_ for text in (*said, module.__doc__ or "") for id_ in ids(text)))


def ids(text: str) -> Iterator[str]:
    """Requirements named in prose: `DSP-8, 9, 11` are three, `DSP-4 to 11` are eight."""
    for family, first, more, last in ID.findall(text):
        numbers = [int(first), *(int(number) for number in re.findall(r"\d+", more))]
        if last:
            numbers += range(numbers[-1] + 1, int(last) + 1)
        yield from (f"{family}-{number}" for number in numbers)
