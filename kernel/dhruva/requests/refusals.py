"""What a call is refused with: every fault at once, each as a value, and the code for each (LIF-17, LIF-18).

A Refusal says what is wrong with a call before any step was tried. A Refused comes from `step`; its code
is looked up by the words that it carries, since the codes belong to callers and not to rules.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

from dhruva.decide.authority import REJECTIONS
from dhruva.decide.errors import ErrorCode, reexecution_refused
from dhruva.ids import TaskStatus
from dhruva.table import Refused


class Fault(StrEnum):
    """What can be wrong with a call. The order is the order of a report."""

    NO_TASK = "no_task"
    UNKNOWN_TASK = "unknown_task"
    BAD_FIELD = "bad_field"
    KNOWN_ID = "known_id"
    REPEATED_ID = "repeated_id"
    NO_EXECUTOR = "no_executor"
    ORIGIN_MISFIT = "origin_misfit"
    UNKNOWN_ORIGINAL = "unknown_original"
    ORIGINAL_NOT_COMPLETED = "original_not_completed"
    UNKNOWN_PARENT = "unknown_parent"
    PARENT_CYCLE = "parent_cycle"
    SEVERAL_ROOTS = "several_roots"
    SELF_DEPENDENCY = "self_dependency"
    REPEATED_DEPENDENCY = "repeated_dependency"
    UNKNOWN_DEPENDENCY = "unknown_dependency"
    DEPENDENCY_CYCLE = "dependency_cycle"


class Says(NamedTuple):
    code: ErrorCode
    sentence: str


SAYS: Final[dict[Fault, Says]] = {
    Fault.NO_TASK: Says(ErrorCode.INVALID_TREE, "no task is given"),
    Fault.UNKNOWN_TASK: Says(ErrorCode.NOT_FOUND, "there is no such task"),
    Fault.BAD_FIELD: Says(ErrorCode.INVALID_TASK, "does not fit its field"),
    Fault.KNOWN_ID: Says(ErrorCode.INVALID_TASK, "a task of this id exists already"),
    Fault.REPEATED_ID: Says(ErrorCode.INVALID_TASK, "several tasks of this call have this id"),
    Fault.NO_EXECUTOR: Says(ErrorCode.NO_EXECUTOR, "there is no executor of this name"),
    Fault.ORIGIN_MISFIT: Says(ErrorCode.INVALID_TASK, "the origin and the original do not go together"),
    Fault.UNKNOWN_ORIGINAL: Says(ErrorCode.INVALID_TASK, "the original does not exist"),
    Fault.ORIGINAL_NOT_COMPLETED: Says(ErrorCode.DEPENDENCY_NOT_SATISFIED, "the original is not completed"),
    Fault.UNKNOWN_PARENT: Says(ErrorCode.INVALID_PARENT, "the parent does not exist"),
    Fault.PARENT_CYCLE: Says(ErrorCode.INVALID_PARENT, "these tasks are each other's parents"),
    Fault.SEVERAL_ROOTS: Says(ErrorCode.INVALID_TREE, "a tree has one root, and these are several"),
    Fault.SELF_DEPENDENCY: Says(ErrorCode.INVALID_DEPENDENCY, "the task depends on itself"),
    Fault.REPEATED_DEPENDENCY: Says(ErrorCode.INVALID_DEPENDENCY, "the dependency is named more than once"),
    Fault.UNKNOWN_DEPENDENCY: Says(ErrorCode.INVALID_DEPENDENCY, "the dependency does not exist"),
    Fault.DEPENDENCY_CYCLE: Says(ErrorCode.CIRCULAR, "these tasks wait for each other"),
}
CYCLES: Final = frozenset({Fault.PARENT_CYCLE, Fault.DEPENDENCY_CYCLE})


class Invalid(NamedTuple):
    """One fault: the task and the field that are at fault, and the values that do not fit.

    `task` is None where the fault is of the call, or of a task without a usable id; `field` then says
    which, as in `tasks[3].id`. The values of a cycle are its ids in order, the smallest first.
    """

    fault: Fault
    task: UUID | None
    field: str
    values: tuple[object, ...]

    @property
    def code(self) -> ErrorCode:
        return SAYS[self.fault].code


class Refusal(NamedTuple):
    """A no to the whole call, with every fault of it (LIF-17)."""

    errors: tuple[Invalid, ...]

    @property
    def code(self) -> ErrorCode:
        """The code that all faults share; faults of several kinds make an invalid tree."""
        codes = {error.code for error in self.errors}
        return codes.pop() if len(codes) == 1 else ErrorCode.INVALID_TREE


def refusal(errors: Iterable[Invalid]) -> Refusal:
    """In an order that does not depend on the order in which tasks were given."""
    return Refusal(tuple(sorted(errors, key=_place)))


def unknown(id_: UUID) -> Refusal:
    """Nobody knows the task that the call is about."""
    return Refusal((Invalid(Fault.UNKNOWN_TASK, id_, "id", (id_,)),))


_ORDER: Final = {fault: place for place, fault in enumerate(Fault)}


def _place(error: Invalid) -> tuple[int, str, str, str]:
    return (_ORDER[error.fault], str(error.task or ""), error.field, str(error.values))


NO_NAMES: Final[Mapping[UUID, str]] = MappingProxyType({})


def text(error: Invalid, names: Mapping[UUID, str] = NO_NAMES) -> str:
    """One line for people; tasks are shown with their names where these are given."""
    values = [_shown(value, names) for value in error.values]
    if error.fault in CYCLES:
        values.append(values[0])
    given = (" -> " if error.fault in CYCLES else ", ").join(values)
    whose = "" if error.task is None else f"task {_shown(error.task, names)}, "
    about = f": {given}" if values else ""
    return f"{whose}{error.field}: {SAYS[error.fault].sentence}{about}"


def _shown(value: object, names: Mapping[UUID, str]) -> str:
    if not isinstance(value, UUID):
        return repr(value)
    return f"{names[value]} ({value})" if value in names else str(value)


# The words that step refuses with; tests/requests/test_refusals.py finds each of them in the rules.

BY_EVENT: Final = {
    ("create", "known_id"): ErrorCode.INVALID_TASK,
    ("create", "parent"): ErrorCode.INVALID_PARENT,
    ("depend", "dependency"): ErrorCode.INVALID_DEPENDENCY,
    ("depend", "declared"): ErrorCode.INVALID_DEPENDENCY,
    ("unlink", "dependency"): ErrorCode.CANNOT_DELETE,
}
"""By event and reason, for the machine `task` alone: the same words mean other things elsewhere."""

BY_REASON: Final = {
    "absent": ErrorCode.NOT_FOUND,
    "executor": ErrorCode.NO_EXECUTOR,
    "unmet_zero": ErrorCode.DEPENDENCY_NOT_SATISFIED,
    "cannot_delete": ErrorCode.CANNOT_DELETE,
    "resetting": ErrorCode.ALREADY_EXECUTING,
    "authorized": ErrorCode.UNAUTHORIZED,
    "override": ErrorCode.UNAUTHORIZED,
    "by_assignee": ErrorCode.UNAUTHORIZED,
    "actor": ErrorCode.UNAUTHORIZED,
    **{str(verdict): ErrorCode.UNAUTHORIZED for verdict in REJECTIONS},
    "scope_not_found": ErrorCode.NOT_FOUND,
}
_CLOSED: Final = frozenset({"DISPOSING", "DISPOSED"})
BODY_RUNS: Final = "no_attempt_alive"


def code_of(refused: Refused) -> ErrorCode:
    """The code of a refusal by `step` (LIF-18). What has no code of its own is an invalid transition."""
    if refused.machine == "reexecution":
        state = None if refused.state is None else TaskStatus(refused.state)
        return reexecution_refused(state, refused.because == BODY_RUNS)
    if refused.machine == "task":
        by_event = BY_EVENT.get((refused.event, refused.because))
        if by_event is not None:
            return by_event
        if refused.event == "create" and refused.because in _CLOSED:
            return ErrorCode.UNAUTHORIZED
    return BY_REASON.get(refused.because, ErrorCode.INVALID_TRANSITION)
