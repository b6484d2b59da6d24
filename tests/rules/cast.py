"""Who plays in the scenarios of this folder: ids by name, keys by name, and short words for long inputs."""

from typing import Any, Final

from dhruva import inputs as i
from dhruva.cells import EffectKind, FollowUp, Key, Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.ids import (
    ExecutorId,
    InstanceId,
    Nonce,
    OwnerId,
    ProcessId,
    Ref,
    RequestId,
    ScopeId,
    SignalId,
    SignalName,
    TargetId,
    TaskId,
    UserId,
    Version,
    WaitToken,
)
from dhruva.machines.instance import WaitKind

SCOPE, OTHER_SCOPE, NO_SCOPE = ScopeId(1), ScopeId(2), ScopeId(8)
TASK, NEXT, LAST, NO_TASK = (TaskId(OwnerId(n)) for n in (20, 21, 22, 99))
ASKED, ASKED_TOO, ASKED_LATER = (RequestId(OwnerId(n)) for n in (40, 41, 42))
FLOW, CHILD, OTHER_FLOW, NO_FLOW = (InstanceId(n) for n in (60, 61, 62, 69))
TARGET, OTHER_TARGET = TargetId(70), TargetId(71)
EXECUTOR = ExecutorId(5)
PROCESS = ProcessId(9)
ANNA, BERT = UserId(1), UserId(2)
PAID = SignalName(30)
RUN: Final = Ref(TASK, 1, 1)  # the first attempt of TASK
ASKED_RUN: Final = Ref(ASKED, 1, 1)
NO_RUN: Final = Ref(NO_TASK, 1, 1)
CALM: Final = (0, 0, 0)
FULL: Final = (1000, 1000, 1000)
CALL: Final[Key] = (Kind.EFFECT, EffectKind.DISPATCH, RUN, 1)


def nonce(number: int) -> Nonce:
    return Nonce(number)


def token(number: int) -> WaitToken:
    return WaitToken(number)


def version(number: int) -> Version:
    return Version(number)


def signal(number: int) -> SignalId:
    return SignalId(number)


def follow(kind: FollowUp, *ids: Any) -> Key:
    return (Kind.FOLLOW, kind, *ids)


def handle(kind: FollowUp, *ids: Any) -> i.Handle:
    return i.Handle(follow(kind, *ids))


def scope(id_: ScopeId = SCOPE, **policy: Any) -> i.CreateScope:
    return i.CreateScope(id_, **policy)


def task(id_: TaskId = TASK, **spec: Any) -> i.CreateTask:
    return i.CreateTask(id_, spec.pop("scope", SCOPE), EXECUTOR, **spec)


def ask(request: RequestId = ASKED, **given: Any) -> i.Ask:
    return i.Ask(request, given.pop("scope", SCOPE), PROCESS, **given)


def wake(id_: ScopeId = SCOPE, executor: bool = True) -> i.Wake:
    return i.Wake(id_, PROCESS, executor)


def running(**spec: Any) -> tuple[Any, ...]:
    """TASK runs in SCOPE."""
    return scope(), task(**spec), wake()


def admit(ref: Ref = RUN, cost: int = 0, pressure: tuple[int, int, int] = CALM) -> i.Admit:
    return i.Admit(ref, cost, *pressure)


def outcome(said: OutcomeSignal, spawn: int = 1, pressure: tuple[int, int, int] = CALM) -> i.Outcome:
    return i.Outcome(RUN, spawn, said, 0, *pressure)


def dispatched(**spec: Any) -> tuple[Any, ...]:
    """TASK runs, and its call is committed."""
    budget = {"budget": 2, "max_depth": 1} | spec
    return *running(**budget), admit(), i.CommitCarrier(RUN, 1)


def waits(kind: WaitKind, at: int = 0, **what: Any) -> i.SliceWaits:
    """A slice of FLOW ends at a wait, computed from version `at`."""
    return i.SliceWaits(what.pop("flow", FLOW), version(at), kind, **what)
