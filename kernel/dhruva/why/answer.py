"""The values that `why` answers with: what a thing waits for, and which input would move it on (SHL-8)."""

from enum import StrEnum
from typing import Any, Final, NamedTuple

from dhruva.cells import Key
from dhruva.table import Symbol

NAMED_MAX: Final = 10
"""Things named in one answer; `more` counts the rest, so that an answer stays short whatever waits."""


class Reason(Symbol):
    """The kind of reason, with its sentence. `{on}`: what it waits on; `{because}`: the word that decided."""

    MAY_START = "may_start", "may start now"
    TURN = "turn", "waits its turn behind {on}"
    DEPENDENCIES = "dependencies", "waits for {on} to complete"
    OPTIONAL = "optional_dependencies", "waits for {on} to end"
    TELLING = "telling", "is about to be told of the end of {on}"
    BLOCKED = "blocked", "is blocked: it needs {on}, which is {because}"
    RESETTING = "resetting", "is being re-executed"
    TIMER = "timer", "waits for its retry timer"
    READYING = "readying", "was interrupted, and is about to wait in its lane again"
    EXECUTOR = "executor", "waits for a process that has {on}"
    SLOT = "slot", "waits for a slot; held by {on}"
    CAP = "cap", "waits for a slot under the limit over all scopes"
    SUSPENDED = "scope_suspended", "waits for {on} to be resumed"
    NOT_ATTACHED = "scope_not_attached", "waits for {on} to be mounted"
    HOPELESS = "hopeless", "will not start any more: {because}"
    RUNS = "runs", "runs as {on}"
    BODY = "body", "waits for its body to end"
    STOPPING = "stopping", "was asked to end ({because}), and waits for its body to end"
    ASKING_AGAIN = "asking_again", "failed, and is about to ask again"
    RESOURCE = "resource", "waits for its holder to use it or end it"
    OPEN = "open", "waits for nothing: what is asked here may start"
    DRAINING = "draining", "is being disposed of, and waits for {on} to end"
    OPERATOR = "operator", "was put aside, and waits for someone to resume or discard it"
    FOLLOW_UP = "follow_up", "waits to be handled"
    AFTER = "after", "comes after {on}"
    UNPERFORMED = "unperformed", "waits to be performed"
    UNACKNOWLEDGED = "unacknowledged", "was taken, and waits to be acknowledged"
    INDETERMINATE = "indeterminate", "may have happened or not, and waits for evidence"
    FREE = "free", "is free"
    HELD = "held", "is held, and waits to be released"
    RETAINED = "retained", "is held although nothing was observed in time, and waits for its release"
    SLICE = "slice", "waits for its slice to be run"
    SIGNAL = "signal", "waits for a signal ({because})"
    WAITS_FOR = "waits_for", "waits for {on} to end"
    HUMAN = "human", "waits for a person to take it on or complete it"
    ERROR = "recoverable_error", "is in an error that someone must retry or cancel"
    ENDED = "ended", "has ended ({because})"
    ABSENT = "absent", "is not known here, or has ended and left nothing behind"
    LOST = "lost", "waits for nothing that is recorded: a fault of dhruva"


class Who(StrEnum):
    """From whom an input comes."""

    BODY = "its body"
    TIMER = "its timer"
    SHELL = "the shell"
    SYSTEM = "the operating system"
    OPERATOR = "an operator, with a reason"
    CALLER = "whoever asks for it"
    EXECUTOR = "a process that has the executor"
    HOLDER = "its holder"
    OUTSIDE = "whoever sends signals"
    PERSON = "a person"


class Way(NamedTuple):
    """An input that `step` accepts now and that moves the thing on, and from whom it comes.

    Facts that only the giver knows (which process, which operator) stand as 0.
    """

    input: Any
    who: Who


class Why(NamedTuple):
    """What a thing waits for, now. It can be compared, sent and stored: there is no text in it."""

    key: Key
    state: str | None  # None: there is no cell
    reason: Reason
    rule: str  # the requirements that say so
    because: str = ""  # the word that decided: a verdict, a status, an abort reason
    on: tuple[Key, ...] = ()  # what it waits on, nearest cause last where they form a chain
    more: int = 0  # that are waited on too and are not named
    ways: tuple[Way, ...] = ()
