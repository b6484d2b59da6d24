"""What an action returned, brought into one shape.

An action may return None, a mapping of writes, a record with `writes` (and `edges`), a refusal (a record
with `rule` and no `writes`), or a list or tuple of these. Records are met by shape: the explorer knows no
kernel.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dhruva.explore.errors import ModelError
from dhruva.explore.forms import Read
from dhruva.explore.model import Action, Claim, StepPredicate
from dhruva.explore.values import identity, show_key

FINAL = "the declaration of final states"


@dataclass(frozen=True, eq=False)
class Outcome:
    """One thing that an enabled action may do. `choice` is its place in what the action returned."""

    choice: int
    writes: tuple[tuple[Hashable, Hashable], ...]
    edges: tuple[Hashable, ...]
    returned: object


@dataclass(frozen=True, eq=False)
class Answer:
    """All that an action said in one state."""

    outcomes: tuple[Outcome, ...]
    refusals: tuple[object, ...]


def ask(action: Action, read: Read) -> Answer:
    """Call the action and understand what it says."""
    returned = _call(f"action {action.name!r}", action.run, read)
    outcomes: list[Outcome] = []
    refusals: list[object] = []
    for choice, one in enumerate(_each(returned)):
        if one is None:
            continue
        if isinstance(one, Mapping) or hasattr(one, "writes"):
            outcomes.append(_outcome(action, choice, one))
        elif hasattr(one, "rule"):
            refusals.append(one)
        else:
            raise ModelError(
                f"action {action.name!r} returned {one!r}: expected None, a mapping of writes, "
                "or a list of such outcomes"
            )
    _must_be_hashable(action, [*refusals, *(edge for one in outcomes for edge in one.edges)])
    return Answer(tuple(outcomes), tuple(refusals))


def signature(answer: Answer) -> Hashable:
    """What must be the same when an action is asked again in the same state."""
    outcomes = tuple(
        (
            one.choice,
            tuple((key, identity(value)) for key, value in one.writes),
            tuple(map(identity, one.edges)),
        )
        for one in answer.outcomes
    )
    return outcomes, len(answer.refusals)


def unsteady(name: str) -> ModelError:
    """The error for a function that answers differently in the same state."""
    return ModelError(
        f"{name} is not a function of what it reads: the same values led to different behaviour; "
        "look for hidden state, chance, clocks or iteration over sets"
    )


def holds(claim: Claim, predicate: Any, read: Read) -> bool:
    """Ask a property about one state."""
    return boolean(f"property {claim.name!r}", predicate, read)


def holds_step(
    claim: Claim, predicate: StepPredicate, before: Read, after: Read, action: Action, outcome: Outcome
) -> bool:
    """Ask a property about one step."""
    return boolean(f"property {claim.name!r}", predicate, before, after, action.name, outcome.returned)


def is_final(predicates: list[Any], read: Read) -> bool:
    """Whether the model declares this state final."""
    return any(boolean(FINAL, predicate, read) for predicate in predicates)


def overlay(read: Read, writes: tuple[tuple[Hashable, Hashable], ...]) -> Read:
    """The state after the writes, as a `read`."""
    changed = dict(writes)
    return lambda key: changed[key] if key in changed else read(key)


def _each(returned: object) -> Iterator[object]:
    # A NamedTuple is a tuple too, so a record is looked for before a list of several outcomes.
    if isinstance(returned, list | tuple) and not (hasattr(returned, "writes") or hasattr(returned, "rule")):
        yield from returned
    else:
        yield returned


def _outcome(action: Action, choice: int, said: object) -> Outcome:
    writes = said if isinstance(said, Mapping) else getattr(said, "writes", None)
    if not isinstance(writes, Mapping):
        raise ModelError(f"action {action.name!r} returned writes that are no mapping: {writes!r}")
    for key, value in writes.items():
        try:
            hash(value)
        except TypeError as error:
            raise ModelError(
                f"action {action.name!r} wrote {value!r} to {show_key(key)}: {error}; values must be hashable"
            ) from error
    return Outcome(choice, tuple(writes.items()), tuple(getattr(said, "edges", ())), said)


def _must_be_hashable(action: Action, told: list[object]) -> None:
    for one in told:
        try:
            hash(one)
        except TypeError as error:
            raise ModelError(f"action {action.name!r} returned {one!r}, to be counted: {error}") from error


def boolean(what: str, predicate: Any, *arguments: object) -> bool:
    """Call a predicate; anything but True or False is the model's mistake."""
    answer = _call(what, predicate, *arguments)
    if not isinstance(answer, bool):
        raise ModelError(f"{what} returned {answer!r}: expected True or False")
    return answer


def integer(what: str, number: Any, *arguments: object) -> int:
    """Call a part of a sum; anything but a whole number is the model's mistake."""
    answer = _call(what, number, *arguments)
    if not isinstance(answer, int):
        raise ModelError(f"{what} returned {answer!r}: expected a whole number")
    return int(answer)


def _call(what: str, function: Any, *arguments: object) -> object:
    try:
        return function(*arguments)
    except ModelError:
        raise
    except (Exception, SystemExit) as error:
        raise ModelError(f"{what} raised {type(error).__name__}: {error}") from error
