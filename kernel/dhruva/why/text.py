"""Answers of `why` in one plain line, with names as the caller has them."""

from collections.abc import Callable, Mapping
from typing import Final

from dhruva import inputs
from dhruva.cells import Key, Kind
from dhruva.decide.authority import Verdict
from dhruva.machines import MACHINES
from dhruva.table import Refused
from dhruva.why.answer import Reason, Way, Why
from dhruva.why.routes import Route, Tables, route_of

Name = Callable[[Key], str]


def key_name(key: Key) -> str:
    """A thing by its kind and number: what is said where nobody knows a better name."""
    if key[0] == Kind.CAP:
        return "the limit over all scopes"
    if key[0] == Kind.FOLLOW:
        return " ".join(["follow-up", *(_part(part) for part in key[1:])])
    return " ".join([str(key[0]), *(_part(part) for part in key[1:])])


def _part(part: object) -> str:
    return ".".join(str(number) for number in part) if isinstance(part, tuple) else str(part)


LEFT: Final = "what outlived its attempt"

OF_SCOPES: Final = {
    Reason.SLOT: "is full: its slots are held by {on}",
    Reason.SUSPENDED: "is suspended, and waits to be resumed",
    Reason.NOT_ATTACHED: "waits to be mounted",
    Reason.HOPELESS: "starts nothing any more: {because}",
}
"""Where the thing that is asked about is the scope itself."""

NEVER: Final[Mapping[str, str]] = {
    Verdict.SCOPE_NOT_FOUND: "there is no such scope",
    Verdict.SCOPE_DISPOSED: "its scope was disposed of",
    Verdict.SPAWN_LIMIT: "the spawns of the scope are used up",
    Verdict.POLICY_WINDOW: "its tries are used up",
}


def line(why: Why, name: Name = key_name) -> str:
    """One sentence: the thing, and what it waits for."""
    return f"{name(why.key)} {said(why, name)}"


def said(why: Why, name: Name = key_name) -> str:
    """What it waits for, without the thing itself."""
    sentence = OF_SCOPES.get(why.reason) if why.key[0] == Kind.SCOPE else None
    because = NEVER.get(why.because) if why.reason == Reason.HOPELESS else None
    text = (sentence or why.reason.sentence).format(
        on=_on(why, name), because=because or why.because.replace("_", " ")
    )
    if why.reason == Reason.RESETTING and why.on:
        return f"{text}: {_on(why, name)} comes first"
    if why.reason == Reason.BLOCKED and why.more:
        return f"{text} ({why.more} between)"
    return text


def _on(why: Why, name: Name) -> str:
    named = [name(key) for key in why.on]
    if why.more and why.reason != Reason.BLOCKED:
        others = LEFT if why.reason == Reason.DRAINING else f"{why.more} others"
        named.append(f"{why.more} more" if named else others)
    return ", ".join(named[:-1]) + " and " + named[-1] if len(named) > 1 else "".join(named)


WORDS: Final[Mapping[type, str]] = {
    inputs.Handle: "the next step of a follow-up",
    inputs.Wake: "a look at who is first",
    inputs.Succeed: "a result",
    inputs.Fail: "an error",
    inputs.Stopped: "its end",
    inputs.OwnerGone: "proof that its process is gone",
    inputs.Due: "its time has come",
    inputs.Register: "its registration",
    inputs.Reset: "re-execution",
    inputs.ResumeParked: "resume",
    inputs.DiscardParked: "discard",
}
"""Inputs in the words of whoever gives them, where their names are not those."""


def way_line(way: Way) -> str:
    """What would move it on, and from whom."""
    named = type(way.input).__name__
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in named).strip()
    return f"{WORDS.get(type(way.input), spaced)}, from {way.who}"


def explained(refused: Refused, tables: Tables = MACHINES) -> str:
    """Why it was refused, and the shortest way to where it is allowed: `refused by …`."""
    return route_line(route_of(refused, tables), refused.rule, refused.because)


def route_line(route: Route | None, rule: str, because: str) -> str:
    """Why it was refused, and how to get to where it is allowed. A guard says what it needs."""
    guards = {str(guard): guard.sentence for guard in (route.when if route else ())}
    if route is not None and not route.legs and because in guards:
        return f"refused by {rule}: needed is that {guards[because]}"
    word = because.replace("_", " ")
    said = f"refused by {rule} ({word})"
    if route is None or not route.legs:
        return said
    steps = ", then ".join(f"{leg.on} ({leg.source} to {leg.target})" for leg in route.legs)
    needs = f", if {' and '.join(guards.values())}" if guards else ""
    return f"{said}; allowed after {steps}{needs}"
