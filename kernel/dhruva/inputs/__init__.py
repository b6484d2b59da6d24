"""What can happen: everything that `step` may be given. Frozen values; nothing else gets in.

An input names its cell and carries the facts that no cell holds: what was observed, what a registry
or a probe said, who acted. Times, texts and results are payload and stand beside it. The words that
inputs are made of can be had from here too: the shell looks into no machine and no decision.
"""

from dhruva.decide.admission import OutcomeSignal as OutcomeSignal
from dhruva.decide.plan import Plan as Plan
from dhruva.inputs.attempts import (
    Abandon,
    Abort,
    AddHandler,
    AddStream,
    AddWorker,
    Fail,
    OwnerGone,
    ResourceEvent,
    Stopped,
    Succeed,
)
from dhruva.inputs.carriers import (
    Ack,
    Admit,
    CommitCarrier,
    EffectFailed,
    Lost,
    Outcome,
    Resolve,
    Take,
    WithdrawCooperative,
)
from dhruva.inputs.flows import (
    AssignHuman,
    CancelInstance,
    CompleteHuman,
    EarlySignal,
    ReassignHuman,
    ReleaseHuman,
    RetryInstance,
    Signal,
    SliceCompleted,
    SliceError,
    SliceFailed,
    SliceWaits,
    StartInstance,
    Unavailable,
)
from dhruva.inputs.follow_ups import DiscardParked, Handle, Park, ResumeParked
from dhruva.inputs.locks import (
    ChildRecorded,
    Claim,
    Conflict,
    Deliver,
    ForceRelease,
    Observe,
    Release,
    Takeover,
    Unobserved,
)
from dhruva.inputs.scopes import (
    Ask,
    CreateScope,
    Dispose,
    Mount,
    Resume,
    SetCap,
    Suspend,
    WaitExpired,
    Wake,
    Withdraw,
)
from dhruva.inputs.tasks import Cancel, CreateTask, Delete, Depend, Due, Recall, Register, Reset, Unlink
from dhruva.machines.attempt import AbortReason as AbortReason
from dhruva.machines.instance import WaitKind as WaitKind
from dhruva.machines.release import ReleaseEvent as ReleaseEvent
from dhruva.machines.resources import HandlerEvent as HandlerEvent
from dhruva.machines.resources import StreamEvent as StreamEvent
from dhruva.machines.resources import WorkerEvent as WorkerEvent

__all__ = [
    "Abandon",
    "Abort",
    "Ack",
    "AddHandler",
    "AddStream",
    "AddWorker",
    "Admit",
    "Ask",
    "AssignHuman",
    "Cancel",
    "CancelInstance",
    "ChildRecorded",
    "Claim",
    "CommitCarrier",
    "CompleteHuman",
    "Conflict",
    "CreateScope",
    "CreateTask",
    "Delete",
    "Deliver",
    "Depend",
    "DiscardParked",
    "Dispose",
    "Due",
    "EarlySignal",
    "EffectFailed",
    "Fail",
    "ForceRelease",
    "Handle",
    "Lost",
    "Mount",
    "Observe",
    "Outcome",
    "OwnerGone",
    "Park",
    "ReassignHuman",
    "Recall",
    "Register",
    "Release",
    "ReleaseHuman",
    "Reset",
    "Resolve",
    "ResourceEvent",
    "Resume",
    "ResumeParked",
    "RetryInstance",
    "SetCap",
    "Signal",
    "SliceCompleted",
    "SliceError",
    "SliceFailed",
    "SliceWaits",
    "StartInstance",
    "Stopped",
    "Succeed",
    "Suspend",
    "Take",
    "Takeover",
    "Unavailable",
    "Unlink",
    "Unobserved",
    "WaitExpired",
    "Wake",
    "Withdraw",
    "WithdrawCooperative",
]
