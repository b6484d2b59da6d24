"""The only table where machines meet: what each effect symbol of each machine leads to.

`Fire` sends an event to the cell of another machine (which cell: `Which`). `Do` changes counters, links
and follow-ups, or hands an effect to the outside (what it does: `Does`). Besides the symbols of the
tables, a wire may hang on a state that is entered, or on a follow-up. Wires of one symbol are carried
out in the order in which they stand here.

An optional wire that is refused refuses nothing. The wiring is acyclic over the rows of the tables,
so that every step ends; `check` says so when a kernel is built.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from dhruva.cells import FollowUp
from dhruva.ids import TaskStatus
from dhruva.machines.attempt import AttemptEffect, AttemptEvent
from dhruva.machines.carrier import CarrierEffect, CarrierEvent, CarrierState
from dhruva.machines.effect import EffectEvent, EffectState
from dhruva.machines.human_task import HumanTaskEffect, HumanTaskEvent
from dhruva.machines.instance import InstanceEffect, InstanceEvent, InstanceState
from dhruva.machines.lock import LockEffect, LockEvent
from dhruva.machines.reexecution import ReexecutionEffect, ReexecutionEvent
from dhruva.machines.release import ReleaseEffect
from dhruva.machines.request import RequestEffect, RequestEvent, RequestState
from dhruva.machines.resources import (
    HandlerEffect,
    HandlerEvent,
    HandlerState,
    StreamEvent,
    StreamState,
    WorkerEffect,
    WorkerEvent,
    WorkerState,
)
from dhruva.machines.scope import ScopeEffect, ScopeEvent
from dhruva.machines.task import TaskEffect, TaskEvent
from dhruva.table import Machine, Symbol

FOLLOW_UP: Final = "follow-up"
"""Stands where a machine's name stands, for wires that a follow-up carries out."""


class Which(Symbol):
    """Which cell a Fire reaches, if any."""

    SCOPE = "scope", "the scope of this cell"
    DRAINED = "drained", "the scope of this cell, if it is disposing and nothing of it is alive"
    OUTCOME = "outcome", "the task of this attempt, with the outcome that ACT-18 gives it"
    ITSELF = "itself", "this very cell"
    RUNNING = "running", "the living attempt of this task"
    HOLDER = "holder", "the attempt that holds this worker or handler"
    CARRIER = "carrier", "the primary carrier whose dispatch this is"
    CLAIM = "claim", "the lock that was claimed for this delivery"
    EARLY = "early", "this instance, if the signal that it now waits for is already there"
    PARENT = "parent", "the instance that waits for the one that ended"
    HUMAN = "human", "the human task of this instance"
    STALE_HUMAN = (
        "stale_human",
        "the human task that an earlier wait left open, unless it is waited for again",
    )
    INSTANCE = "instance", "the instance of this human task"
    CURSOR = "cursor", "the attempt at which the follow-up stands"
    CURSOR_TASK = "cursor_task", "the task of the attempt at which the follow-up stands"
    FIRST_REQUEST = "first_request", "the request that is first in the lanes"
    COOPERATIVE = "cooperative", "the cooperative at which the follow-up stands"
    GROUP = "group", "the newest carrier group of the attempt, when its turn has come"
    CALL = "call", "the dispatch of that group, when its turn has come"
    WORKER = "worker", "the worker at which the follow-up stands"
    HANDLER = "handler", "the handler at which the follow-up stands"
    STREAM = "stream", "the stream at which the follow-up stands"
    LOST_WORKER = "lost_worker", "that worker, if its process is gone"
    LOST_HANDLER = "lost_handler", "that handler, if its process is gone"
    WATCHER = "watcher", "the instance that waits for the task"
    RESET_TASK = "reset_task", "the task that the follow-up is to reset"
    LEFT_TASK = "left_task", "the task that the follow-up is to cancel"
    CHILD = "child", "the instance that the follow-up is to cancel"


class Does(Symbol):
    """What a Do changes."""

    WAKE = "wake", "the scope's lanes are looked at again"
    ABORT_EACH = "abort_each", "every living attempt of the scope is aborted, one by one"
    REJECT_QUEUED = "reject_queued", "the lanes of the scope are emptied, one by one"
    COMMIT = "commit", "a slot is held and an attempt lives under a new ref"
    LEAVE_QUEUE = "leave_queue", "the request waits no longer"
    TELL_CALLER = "tell_caller", "the caller hears the reason"
    SIGNAL_ABORT = "signal_abort", "the reason is kept and the body's abort signal set"
    FREE_SLOT = "free_slot", "the slot is free, and who waits for one is woken"
    END_RESOURCES = "end_resources", "what the attempt holds is told to end, one by one"
    BODY_ENDED = "body_ended", "no attempt of the task is alive"
    TELL_IF_ENDED = "tell_if_ended", "if the task has ended, its dependents are told, one by one"
    ASK_AGAIN = "ask_again", "a one-off request with a retry left asks again"
    LEAVE_LANE = "leave_lane", "the task waits nowhere"
    TAKE_BACK_TRY = "take_back_try", "a try that a shutdown cut short does not count"
    TIMER = "timer", "the task is due after its backoff, or at once if no try was counted"
    FIELDS = "fields", "the record's fields follow the transition"
    NEW_RUN = "new_run", "a new run with fresh counters"
    ASK_TO_END = "ask_to_end", "it is asked to end, or told that it has"
    RESOURCE_ENDED = "resource_ended", "one thing less is alive in the scope"
    DISPATCH = "dispatch", "the dispatch call waits to be performed"
    FORGET_GROUP = "forget_group", "the group of an attempt that has ended is forgotten"
    COOPERATIVE_LEFT = "cooperative_left", "one cooperative less is idle"
    PERFORM = "perform", "the effect waits to be performed again"
    NEW_CLAIM = "new_claim", "a new claim with a new nonce is to be published"
    REPORT = "report", "the lock is listed as retained"
    RAISE_VERSION = "raise_version", "the snapshot has its next version"
    NEW_TOKEN = "new_token", "the wait has a token that no other wait had"
    OPEN_WAIT = "open_wait", "what the wait is for exists: human task, child, watched task, timers"
    CLEAR_TIMERS = "clear_timers", "timers of the instance no longer matter"
    RETAIN = "retain", "retention begins"
    TELL_PARENT = "tell_parent", "the instance that waits for this one is to be told"
    CANCEL_CHILD = "cancel_child", "the child is to be cancelled, unless it is waited for again"
    CANCEL_TASK = "cancel_task", "the task is to be cancelled, unless it is waited for again"
    CONSUME_TOKEN = "consume_token", "the token is spent and the signal remembered"
    RUN_SLICE = "run_slice", "a slice waits to be run from this version"
    KEEP_SIGNAL = "keep_signal", "the signal is kept under its name"


class Fire(NamedTuple):
    """An effect of one machine is an event of another."""

    machine: str
    on: StrEnum
    to: str
    events: tuple[StrEnum, ...]
    which: Which
    optional: bool
    cites: str


class Do(NamedTuple):
    """An effect of a machine changes counters, links and follow-ups, or leaves the kernel."""

    machine: str
    on: StrEnum
    does: Does
    cites: str


Wire = Fire | Do
A, R, F, W, D = AttemptEffect, RequestState, TaskEffect, Which, Does
ALWAYS, IF_IT_CAN = False, True

WIRING: Final[tuple[Wire, ...]] = (
    # scope: dispose and wake concern many; a scope of which nothing lives is drained by dispose itself
    Do("scope", ScopeEffect.WAKE_LANES, D.WAKE, "ACT-12 LIF-6"),
    Do("scope", ScopeEffect.ABORT_EACH, D.ABORT_EACH, "ACT-11 SHL-3"),
    Do("scope", ScopeEffect.REJECT_QUEUED, D.REJECT_QUEUED, "ACT-11 ACT-13 SHL-3"),
    Fire("scope", ScopeEffect.REJECT_QUEUED, "scope", (ScopeEvent.DRAINED,), W.DRAINED, ALWAYS, "ACT-11"),
    # request: whatever ends its waiting takes it out of the queue
    Do("request", R.STARTED, D.LEAVE_QUEUE, "ACT-13"),
    Do("request", R.WITHDRAWN, D.LEAVE_QUEUE, "ACT-13"),
    Do("request", R.REJECTED, D.LEAVE_QUEUE, "ACT-13"),
    Do("request", R.REJECTED, D.TELL_CALLER, "ACT-4 ACT-13"),
    Fire("request", R.WITHDRAWN, "scope", (ScopeEvent.DRAINED,), W.DRAINED, ALWAYS, "ACT-11"),
    Fire("request", R.REJECTED, "scope", (ScopeEvent.DRAINED,), W.DRAINED, ALWAYS, "ACT-11"),
    Do("request", RequestEffect.COMMIT, D.COMMIT, "ACT-7 ACT-8"),
    Fire(
        "request", RequestEffect.COMMIT, "scope", (ScopeEvent.TASK_STARTED,), W.SCOPE, ALWAYS, "ACT-5 ACT-7"
    ),
    # attempt: its end frees the slot, ends what it holds, and is the task's outcome
    Do("attempt", A.ABORT_SIGNAL, D.SIGNAL_ABORT, "ACT-11 LIF-8"),
    Do("attempt", A.END_RESOURCES, D.END_RESOURCES, "ACT-9 ACT-16"),
    Do("attempt", A.FREE_SLOT, D.FREE_SLOT, "ACT-16 LIF-7"),
    Fire("attempt", A.FREE_SLOT, "scope", (ScopeEvent.DRAINED,), W.DRAINED, ALWAYS, "ACT-11"),
    Do("attempt", A.SETTLE, D.BODY_ENDED, "ACT-18"),
    Fire("attempt", A.SETTLE, "task", (TaskEvent.SUCCEED, TaskEvent.FAIL), W.OUTCOME, IF_IT_CAN, "ACT-18"),
    Do("attempt", A.SETTLE, D.TELL_IF_ENDED, "ACT-18 LIF-19 SHL-3"),
    Do("attempt", A.SETTLE, D.ASK_AGAIN, "ACT-10"),
    # task
    Do("task", F.COMMIT, D.COMMIT, "LIF-3 ACT-7 ACT-8"),
    Fire("task", F.COMMIT, "scope", (ScopeEvent.TASK_STARTED,), W.SCOPE, ALWAYS, "ACT-5 ACT-7"),
    Do("task", F.LEAVE_LANE, D.LEAVE_LANE, "LIF-8"),
    Do("task", F.TELL, D.TELL_IF_ENDED, "LIF-19 SHL-3"),
    Do("task", F.RETRY_OR_TELL, D.TAKE_BACK_TRY, "ACT-18"),
    Fire("task", F.RETRY_OR_TELL, "task", (TaskEvent.RETRY,), W.ITSELF, IF_IT_CAN, "LIF-14"),
    Do("task", F.TIMER, D.TIMER, "LIF-14"),
    Fire("task", F.ABORT_ATTEMPT, "attempt", (AttemptEvent.ABORT,), W.RUNNING, IF_IT_CAN, "LIF-8"),
    *(Do("task", status, D.FIELDS, "LIF-2 LIF-16") for status in TaskStatus),
    # re-execution
    Do("reexecution", TaskStatus.PENDING, D.FIELDS, "LIF-2 LIF-9 LIF-16"),
    Do("reexecution", ReexecutionEffect.NEW_RUN, D.NEW_RUN, "LIF-9"),
    # workers, handlers, streams
    Fire(
        "worker", WorkerEffect.ABORT_ATTEMPT, "attempt", (AttemptEvent.ABORT,), W.HOLDER, IF_IT_CAN, "ACT-9"
    ),
    Do("worker", WorkerEffect.ASK_TO_END, D.ASK_TO_END, "ACT-11"),
    Fire(
        "handler", HandlerEffect.ABORT_ATTEMPT, "attempt", (AttemptEvent.ABORT,), W.HOLDER, IF_IT_CAN, "ACT-9"
    ),
    Do("handler", HandlerState.CANCELLING, D.ASK_TO_END, "ACT-11"),
    Do("stream", StreamState.ABORTED, D.ASK_TO_END, "ACT-11"),
    *(
        wire
        for machine, end in (
            *(("worker", state) for state in (WorkerState.TERMINATED, WorkerState.FAILED)),
            *(("handler", s) for s in (HandlerState.COMPLETED, HandlerState.FAILED, HandlerState.CANCELLED)),
            *(("stream", state) for state in (StreamState.CLOSED, StreamState.ABORTED)),
        )
        for wire in (
            Do(machine, end, D.RESOURCE_ENDED, "ACT-16"),
            Fire(machine, end, "scope", (ScopeEvent.DRAINED,), W.DRAINED, ALWAYS, "ACT-11"),
        )
    ),
    # dispatch: when the call is over, however it ended, the carrier is void
    Do("carrier-primary", CarrierEffect.DISPATCH, D.DISPATCH, "DSP-3"),
    Do("carrier-primary", CarrierState.VOID, D.FORGET_GROUP, "DSP-3 DSP-12"),
    Do("carrier-cooperative", CarrierState.WITHDRAWN, D.COOPERATIVE_LEFT, "DSP-5"),
    *(
        Fire("effect", over, "carrier-primary", (CarrierEvent.RELEASED,), W.CARRIER, IF_IT_CAN, "DSP-3")
        for over in (EffectState.DONE, EffectState.FAILED, EffectState.INDETERMINATE, EffectState.WITHDRAWN)
    ),
    Do("effect", EffectState.PENDING, D.PERFORM, "SHL-4"),
    # transports and locks
    *(
        Fire(
            policy,
            ReleaseEffect.RELEASE_LOCK,
            "lock",
            (LockEvent.RELEASE,),
            W.CLAIM,
            IF_IT_CAN,
            "REL-3 REL-5",
        )
        for policy in ("release-after-send-final", "release-after-spawn-observation")
    ),
    Do("lock", LockEffect.PUBLISH, D.NEW_CLAIM, "REL-7"),
    Do("lock", LockEffect.NEW_NONCE, D.NEW_CLAIM, "REL-7"),
    Do("lock", LockEffect.REPORT, D.REPORT, "REL-8"),
    # workflow instances
    *(Do("instance", state, D.RAISE_VERSION, "WFL-13") for state in InstanceState),
    Fire(
        "instance",
        InstanceEffect.TOKEN,
        "human-task",
        (HumanTaskEvent.CANCEL,),
        W.STALE_HUMAN,
        IF_IT_CAN,
        "WFL-14",
    ),
    Do("instance", InstanceEffect.TOKEN, D.CANCEL_CHILD, "WFL-10"),
    Do("instance", InstanceEffect.TOKEN, D.CANCEL_TASK, "WFL-7"),
    Do("instance", InstanceEffect.TOKEN, D.NEW_TOKEN, "WFL-12"),
    Do("instance", InstanceEffect.TIMERS, D.OPEN_WAIT, "WFL-12 WFL-14 WFL-16"),
    Fire("instance", InstanceEffect.TIMERS, "instance", (InstanceEvent.SIGNAL,), W.EARLY, ALWAYS, "WFL-22"),
    Do("instance", InstanceEffect.CLEAR_TIMEOUTS, D.CLEAR_TIMERS, "WFL-17"),
    Do("instance", InstanceEffect.RETENTION, D.RETAIN, "WFL-17"),
    Do("instance", InstanceEffect.TELL_PARENT, D.TELL_PARENT, "WFL-10"),
    *(
        wire
        for on_human, on_child, on_task in (
            (InstanceEffect.CANCEL_HUMAN_TASK, InstanceEffect.CANCEL_CHILD, InstanceEffect.CANCEL_TASK),
            (InstanceEffect.CANCEL_OPEN,) * 3,
            (InstanceState.COMPLETED,) * 3,  # what a retry left open does not outlive the instance
            (InstanceState.FAILED,) * 3,
        )
        for wire in (
            Fire("instance", on_human, "human-task", (HumanTaskEvent.CANCEL,), W.HUMAN, IF_IT_CAN, "WFL-14"),
            Do("instance", on_child, D.CANCEL_CHILD, "WFL-21"),
            Do("instance", on_task, D.CANCEL_TASK, "WFL-7 WFL-21"),
        )
    ),
    Do("instance", InstanceEffect.CONSUME_TOKEN, D.CONSUME_TOKEN, "WFL-12"),
    Do("instance", InstanceEffect.RUN_SLICE, D.RUN_SLICE, "WFL-13"),
    Do("instance", InstanceEffect.KEEP_SIGNAL, D.KEEP_SIGNAL, "WFL-22"),
    Fire(
        "human-task",
        HumanTaskEffect.SIGNAL,
        "instance",
        (InstanceEvent.SIGNAL,),
        W.INSTANCE,
        ALWAYS,
        "WFL-14",
    ),
    # follow-ups: what they ask of the next cell
    Fire(FOLLOW_UP, FollowUp.ABORT_EACH, "attempt", (AttemptEvent.ABORT,), W.CURSOR, IF_IT_CAN, "ACT-11"),
    Fire(FOLLOW_UP, FollowUp.ABORT_EACH, "task", (TaskEvent.CANCEL,), W.CURSOR_TASK, IF_IT_CAN, "ACT-18"),
    Fire(
        FOLLOW_UP,
        FollowUp.REJECT_QUEUED,
        "request",
        (RequestEvent.REJECT,),
        W.FIRST_REQUEST,
        IF_IT_CAN,
        "ACT-13",
    ),
    Fire(FOLLOW_UP, FollowUp.END_RESOURCES, "effect", (EffectEvent.WITHDRAW,), W.CALL, IF_IT_CAN, "SHL-4"),
    Fire(
        FOLLOW_UP,
        FollowUp.END_RESOURCES,
        "carrier-cooperative",
        (CarrierEvent.WITHDRAW,),
        W.COOPERATIVE,
        IF_IT_CAN,
        "DSP-5",
    ),
    Fire(
        FOLLOW_UP,
        FollowUp.END_RESOURCES,
        "carrier-primary",
        (CarrierEvent.WITHDRAW,),
        W.GROUP,
        IF_IT_CAN,
        "DSP-2",
    ),
    *(
        Fire(FOLLOW_UP, FollowUp.END_RESOURCES, machine, (event,), which, IF_IT_CAN, "ACT-11 ACT-16")
        for machine, event, which in (
            ("worker", WorkerEvent.TERMINATE, W.WORKER),
            ("worker", WorkerEvent.EXITED, W.LOST_WORKER),
            ("handler", HandlerEvent.CANCEL, W.HANDLER),
            ("handler", HandlerEvent.STOPPED, W.LOST_HANDLER),
            ("stream", StreamEvent.ABORT, W.STREAM),
        )
    ),
    Fire(FOLLOW_UP, FollowUp.TELL, "instance", (InstanceEvent.SIGNAL,), W.WATCHER, IF_IT_CAN, "WFL-7"),
    Fire(
        FOLLOW_UP,
        FollowUp.RESET,
        "reexecution",
        (ReexecutionEvent.REEXECUTE,),
        W.RESET_TASK,
        IF_IT_CAN,
        "LIF-10",
    ),
    Fire(
        FOLLOW_UP, FollowUp.CANCEL_TASK, "task", (TaskEvent.CANCEL,), W.LEFT_TASK, IF_IT_CAN, "WFL-7 WFL-21"
    ),
    Fire(FOLLOW_UP, FollowUp.TELL_PARENT, "instance", (InstanceEvent.SIGNAL,), W.PARENT, IF_IT_CAN, "WFL-10"),
    Fire(FOLLOW_UP, FollowUp.CANCEL_CHILD, "instance", (InstanceEvent.CANCEL,), W.CHILD, IF_IT_CAN, "WFL-21"),
)


class WiringError(ValueError):
    """A wiring that must not exist."""


def check(tables: Mapping[str, Machine[Any, Any]], wiring: Iterable[Wire]) -> None:
    """Every symbol of every table is wired, every wire hangs on something, and no chain of rows is a ring."""
    wires = tuple(wiring)
    used = {(wire.machine, wire.on) for wire in wires}
    for machine in tables.values():
        for row in machine.rows:
            for symbol in row.then:
                if (machine.name, symbol) not in used and machine.name != "schedule":
                    raise WiringError(f"{machine.name}: nothing is wired to {symbol} of {row}")
    for wire in wires:
        if wire.machine != FOLLOW_UP and not _sources(tables, wire):
            raise WiringError(f"{wire.machine}: no row has or enters {wire.on}")
        if isinstance(wire, Fire) and not set(wire.events) <= set(tables[wire.to].events):
            raise WiringError(f"{wire.machine} {wire.on}: {wire.to} does not know {wire.events}")
    _refuse_rings(tables, wires)


RowId = tuple[str, str, str]


def _sources(tables: Mapping[str, Machine[Any, Any]], wire: Wire) -> list[RowId]:
    """The rows that carry out a wire: those with its symbol, or those that enter its state."""
    machine = tables[wire.machine]
    return [
        (machine.name, row.source, row.on)
        for row in machine.rows
        if wire.on in row.then or (wire.on == row.target != row.source and not isinstance(wire.on, Symbol))
    ]


def _refuse_rings(tables: Mapping[str, Machine[Any, Any]], wires: tuple[Wire, ...]) -> None:
    leads: dict[RowId, list[RowId]] = {}
    for wire in wires:
        if isinstance(wire, Fire) and wire.machine != FOLLOW_UP:
            reached = [(wire.to, row.source, row.on) for row in tables[wire.to].rows if row.on in wire.events]
            for source in _sources(tables, wire):
                leads.setdefault(source, []).extend(reached)
    done: set[RowId] = set()
    for start in leads:
        _descend(start, leads, done, ())


def _descend(
    row: RowId, leads: Mapping[RowId, list[RowId]], done: set[RowId], path: tuple[RowId, ...]
) -> None:
    if row in path:
        ring = " -> ".join(" ".join(step) for step in (*path[path.index(row) :], row))
        raise WiringError(f"the wiring goes in a ring: {ring}")
    if row not in done:
        for onward in leads.get(row, ()):
            _descend(onward, leads, done, (*path, row))
        done.add(row)
