"""Which cells of the tables, wires, decisions and rules a step consults.

A mutant differs from the kernel in what one of these says. Where a step did not consult it, the two say the
same; so a mutant has to be asked only about the steps that did (`delta`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from dhruva.cells import Read
from dhruva.step import Step, stepping
from dhruva.walk import Book, Decisions

Consulted = tuple[str, ...]
"""What was looked up: (machine, state, event) of a pair, (machine, symbol) of a wire, or the word for a
decision, a rule or a handler and its name."""

DECISION, RULE, HANDLER = "decision", "rule", "handler"


class Watch:
    """A book whose lookups are noted in `seen`."""

    def __init__(self, book: Book) -> None:
        self.seen: set[Consulted] = set()
        moves = {name: _Noted(rows, self.seen, (name,)) for name, rows in book.moves.items()}
        watched = book._replace(
            moves=moves,
            wires=_Noted(book.wires, self.seen),
            decide=_noted(book.decide, self.seen),
            handlers=_Noted(book.handlers, self.seen, (HANDLER,)),
            rules=_Noted(book.rules, self.seen, (RULE,)),
        )
        self.step: Step = stepping(watched)

    def take(self) -> frozenset[Consulted]:
        """What was consulted since the last time."""
        taken = frozenset(self.seen)
        self.seen.clear()
        return taken


class Switch:
    """A step that can be exchanged after a model was built on it."""

    def __init__(self, step: Step) -> None:
        self.step = step

    def __call__(self, read: Read, given: Any) -> Any:
        return self.step(read, given)


class _Noted(dict[Any, Any]):
    """A table whose lookups are noted, the missed ones too."""

    def __init__(self, table: Mapping[Any, Any], seen: set[Consulted], name: tuple[str, ...] = ()) -> None:
        super().__init__(table)
        self._seen, self._name = seen, name

    def get(self, key: Any, default: Any = None) -> Any:
        self._seen.add((*self._name, *named(key)))
        return super().get(key, default)


def named(key: Any) -> tuple[str, ...]:
    """What a key of a table is called."""
    if isinstance(key, tuple):
        return tuple(map(str, key))
    return (key.__name__ if isinstance(key, type) else str(key),)


def _noted(decisions: Decisions, seen: set[Consulted]) -> Decisions:
    def asks(name: str, decide: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*facts: Any, **named: Any) -> Any:
            seen.add((DECISION, name))
            return decide(*facts, **named)

        return asked

    return Decisions(**{name: asks(name, decide) for name, decide in decisions._asdict().items()})
