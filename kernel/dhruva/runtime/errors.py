"""What a caller hears when a call about tasks is refused: one class per code of LIF-18.

Every fault of the call is in `errors`; where `step` refused it, `refused` has its word and rule.
"""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from dhruva.requests import Invalid, Refusal, code_of, text
from dhruva.requests.execution import ErrorCode
from dhruva.requests.refusals import NO_NAMES
from dhruva.table import Refused
from dhruva.why import Route, explained, route_of

SHOWN_MAX: Final = 10  # faults in a message
LINE_MAX: Final = 500  # characters of a message for one fault


class TaskError(Exception):
    """A call about tasks was refused, and nothing has happened."""

    code: ErrorCode

    def __init__(
        self, message: str, errors: tuple[Invalid, ...] = (), refused: Refused | None = None
    ) -> None:
        super().__init__(message)
        self.errors, self.refused = errors, refused

    @property
    def route(self) -> Route | None:
        """The shortest legal way to what was asked for, if `step` refused it and there is one (SHL-8)."""
        return None if self.refused is None else route_of(self.refused)


class NotFound(TaskError):
    code = ErrorCode.NOT_FOUND


class Circular(TaskError):
    code = ErrorCode.CIRCULAR


class NoExecutor(TaskError):
    code = ErrorCode.NO_EXECUTOR


class Unauthorized(TaskError):
    code = ErrorCode.UNAUTHORIZED


class InvalidTask(TaskError):
    code = ErrorCode.INVALID_TASK


class InvalidTransition(TaskError):
    code = ErrorCode.INVALID_TRANSITION


class DependencyNotSatisfied(TaskError):
    code = ErrorCode.DEPENDENCY_NOT_SATISFIED


class AlreadyExecuting(TaskError):
    code = ErrorCode.ALREADY_EXECUTING


class CannotDelete(TaskError):
    code = ErrorCode.CANNOT_DELETE


class InvalidParent(TaskError):
    code = ErrorCode.INVALID_PARENT


class InvalidDependency(TaskError):
    code = ErrorCode.INVALID_DEPENDENCY


class InvalidTree(TaskError):
    code = ErrorCode.INVALID_TREE


BY_CODE: Final[dict[ErrorCode, type[TaskError]]] = {kind.code: kind for kind in TaskError.__subclasses__()}
assert set(BY_CODE) == set(ErrorCode)


def of_refusal(refusal: Refusal, names: Mapping[UUID, str] = NO_NAMES) -> TaskError:
    """Every fault of the call is in `errors`; the message has the first few."""
    lines = [_short(text(error, names)) for error in refusal.errors[:SHOWN_MAX]]
    more = len(refusal.errors) - len(lines)
    if more > 0:
        lines.append(f"and {more} more faults, all in `errors`")
    return BY_CODE[refusal.code](f"{refusal.code}: " + "; ".join(lines), refusal.errors)


def _short(line: str) -> str:
    return line if len(line) <= LINE_MAX else f"{line[:LINE_MAX]}… ({len(line) - LINE_MAX} characters more)"


def of_refused(what: str, refused: Refused) -> TaskError:
    """What `step` refused: it names the state, the event and the rule (LIF-1)."""
    code = code_of(refused)
    state = refused.state or "not there"
    said = f"{what} is {state}: {refused.event} is {explained(refused)}"
    return BY_CODE[code](f"{int(code)}: {said}", refused=refused)
