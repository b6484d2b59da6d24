"""One target, two contenders, each transport: who may take the lock, and what sets it free.

Each contender is an attempt whose carrier has committed. It claims the lock, hands the claim to its delivery,
spawns a child; owner and child may be gone at any point; what was observed arrives late, twice, in any order.
Processes are ghosts of the model: they only go from alive to gone, no rule reads them, and they decide what
the outside can see: the operating system grants a claim's advisory lock only if the owner of the claim and
its child are gone; a probe finds a target live once its child has answered; a child exits after it ran.

Left out: effects and carriers, which end apart from locks (models/carrier_group.py); the file protocol under
the lock cell (later work claims REL-7 of files); a third contender, who would find what the second finds: the
rule compares one nonce. The nonces run out. Force-release is the operator's and says so in the cell; after
one (a ghost remembers it) "one child at a time" is not claimed.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from dhruva.assume import GHOST
from dhruva.cells import Change, Key, Kind
from dhruva.decide.plan import Plan
from dhruva.explore import Model, Read, for_each, for_pairs
from dhruva.ids import ExecutorId, Nonce, OwnerId, ProcessId, Ref, ScopeId, TargetId, UserId
from dhruva.inputs import (
    Admit,
    ChildRecorded,
    Claim,
    CommitCarrier,
    Conflict,
    CreateScope,
    CreateTask,
    Deliver,
    ForceRelease,
    Observe,
    Release,
    Takeover,
    Unobserved,
    Wake,
)
from dhruva.machines.release import ReleaseEvent
from dhruva.step import Step
from dhruva.step import step as shipped
from models.claims.cast import no_longer
from models.claims.locks import of_answers
from models.world import Ghosts, Scene, task_id

SCOPE, PROCESS, EXECUTOR, TARGET = ScopeId(1), ProcessId(9), ExecutorId(5), TargetId(7)
OTHER = TargetId(8)  # of which nobody has the lock
LOCK: Key = (Kind.LOCK, TARGET)
FORCED: Key = ("forced",)
A, B, C = (Ref(OwnerId(owner), 1, 1) for owner in (20, 21, 22))
PLANS = (Plan.BACKGROUND_SPAWN, Plan.CONTROL_SOCKET, Plan.MAILBOX)
NO_PLAN = Plan.REFUSED_DORMANT
ANSWERS: Key = (GHOST, "answers", TARGET)
FOREIGN = (ReleaseEvent.SEND_FINAL, ReleaseEvent.MAILBOX_ENQUEUED)  # of other transports: may come, hold
FAILED = (ReleaseEvent.SPAWN_START_FAILED,)
ALIVE = (ReleaseEvent.SPAWN_STARTED, ReleaseEvent.SOCKET_ALIVE)
EXITED = (ReleaseEvent.CHILD_EXITED,)
QUALIFY = {
    "no-lock": (),
    "release-after-send-final": ("send-final",),
    "release-after-spawn-observation": ("socket-alive", "child-exited", "spawn-start-failed"),
}


def _seen(ref: Ref) -> Key:
    return (GHOST, "seen", ref, 1)


def model(
    contenders: int = 2, nonces: int = 3, plans: int = 3, force: int = 1, live: int = 0, step: Step = shipped
) -> Model:
    """`plans`: how many transports the first contender may choose from; the second one spawns.

    `live` 1: the claim about what happens in the end is made too.
    """
    refs = (A, B, C)[:contenders]
    m = Model("lock and release", contenders=contenders, nonces=nonces, plans=plans, force=force, live=live)
    scene = Scene(m, step, _setup(refs))
    for ref in refs:
        m.var(("owner", ref), "up")
        _claims(scene, ref, nonces)
        _delivers(scene, ref, nonces, PLANS[:plans] if ref == A else PLANS[:1])
        _processes(m, ref, nonces)
        _observes(scene, ref)
    if force:
        for actor, reasoned in ((UserId(1), True), (None, True), (UserId(1), False)):
            given = ForceRelease(TARGET, actor, reasoned)
            name = f"force release({actor}, {reasoned})"
            scene.act(name, given, ghosts=lambda read, change: {FORCED: True})
    _claim_release(scene, refs, nonces)
    _claim_target(m, refs)
    if live:
        _claim_progress(m, refs)
    m.allow_deadlock("nonces run out, and when both owners are gone nobody asks for the target")
    return m


def _setup(refs: tuple[Ref, ...]) -> list[Any]:
    made: list[Any] = [CreateScope(SCOPE, max_concurrent=len(refs))]
    made += [CreateTask(task_id(ref.owner), SCOPE, EXECUTOR, budget=1) for ref in refs]
    made += [Wake(SCOPE, PROCESS) for _ in refs]
    made += [Admit(ref, 0, 0, 0, 0) for ref in refs] + [CommitCarrier(ref, 1) for ref in refs]
    return made


# What the contenders do, and what the processes are


def _ghost(word: str, nonce: int) -> Key:
    """A ghost of one claim: who made it, whether it was handed over, who of its processes is up."""
    return (GHOST, word, TARGET, nonce)


def _claims(scene: Scene, ref: Ref, nonces: int) -> None:
    """A contender whose claim is over may claim again, until it has delivered."""

    def may_claim(read: Read) -> bool:
        lock = read(LOCK)
        if read(("owner", ref)) != "up" or read((Kind.DELIVERY, ref, 1)) is not None:
            return False
        mine = lock is not None and lock.state != "free" and read(_ghost("claimant", lock.nonce)) == ref
        return not mine and (lock is None or lock.nonce < nonces)

    def claimed(read: Read, change: Change) -> Mapping[Key, Any]:
        nonce = (change.writes.get(LOCK) or read(LOCK))[1]
        return {_ghost("claimant", nonce): ref, _ghost("up", nonce): "owner"}

    scene.act(f"claim({ref.owner})", Claim(TARGET), when=may_claim, ghosts=claimed)
    for readable, granted, alive in ((True, True, 0), (True, True, 1), (True, False, 0), (False, True, 0)):
        name = f"take over({ref.owner}, {readable}, {granted}, {alive})"
        scene.act(name, Takeover(TARGET, readable, granted, alive), when=may_claim, ghosts=claimed)


def _delivers(scene: Scene, ref: Ref, nonces: int, plans: tuple[Plan, ...]) -> None:
    """Of a spawn there is at first nothing to see but that its start failed."""

    def handed(nonce: Nonce | None, plan: Plan) -> Ghosts:
        seen = {_seen(ref): FOREIGN + FAILED} if plan == Plan.BACKGROUND_SPAWN else {}
        given: dict[Key, Any] = {} if nonce is None else {_ghost("handed", nonce): True}
        return lambda read, change: {**given, **seen, ("plan", ref): plan}

    def is_up(read: Read) -> bool:
        return bool(read(("owner", ref)) == "up")

    for locked, nonce in ((TARGET, Nonce(1)), (None, None)):
        given = Deliver(ref, 1, NO_PLAN, TARGET, locked, nonce)
        scene.act(
            f"deliver({ref.owner}, nothing, {locked})", given, when=is_up, ghosts=handed(nonce, NO_PLAN)
        )
    for plan in plans:
        offers = [(TARGET, Nonce(n + 1)) for n in range(nonces)]
        for locked, nonce in (*offers, (None, None), (OTHER, Nonce(1))):
            given = Deliver(ref, 1, plan, TARGET, locked, nonce)
            name = f"deliver({ref.owner}, {plan}, {locked}, {nonce})"
            scene.act(name, given, when=is_up, ghosts=handed(nonce, plan))


LEFT = {"both": "child"}  # who still holds the advisory lock of a claim when its owner is gone


def _processes(m: Model, ref: Ref, nonces: int) -> None:
    """The owner spawns what it delivered; child and owner are gone at any time."""
    owner, child = ("owner", ref), ("child", ref)

    def nonces_of(read: Read) -> list[int]:
        return [n + 1 for n in range(nonces) if read(_ghost("claimant", n + 1)) == ref]

    def holds(read: Read, nonce: int, who: str | None) -> dict[Key, Any]:
        """A child inherits the advisory lock of its own owner's claim, and of no other."""
        return {_ghost("up", nonce): who} if read(_ghost("claimant", nonce)) == ref else {}

    def spawn(read: Read) -> object:
        delivery = read((Kind.DELIVERY, ref, 1))
        if delivery is None or read(_seen(ref)) != FOREIGN + FAILED or read(owner) != "up":
            return None
        if read(child) is not None:
            return None
        return {child: "runs", _seen(ref): FOREIGN + ALIVE, **holds(read, delivery.nonce, "both")}

    def child_gone(read: Read) -> object:
        if read(child) != "runs":
            return None
        nonce = read((Kind.DELIVERY, ref, 1)).nonce
        left = "owner" if read(owner) == "up" else None
        answers = {ANSWERS: None} if read(ANSWERS) == ref else {}
        return {child: "gone", _seen(ref): FOREIGN + ALIVE + EXITED, **holds(read, nonce, left), **answers}

    def owner_gone(read: Read) -> object:
        if read(owner) != "up":
            return None
        ups = {_ghost("up", n): LEFT.get(read(_ghost("up", n))) for n in nonces_of(read)}
        return {owner: "gone", **ups}

    m.action(f"spawn({ref.owner})", spawn)
    m.action(f"child gone({ref.owner})", child_gone)
    m.action(f"owner gone({ref.owner})", owner_gone)


def _observes(scene: Scene, ref: Ref) -> None:
    """What there was to see, whenever and however often it arrives; a start that failed has no child."""
    child, observed = ("child", ref), ("observed", ref)

    def look(event: ReleaseEvent) -> Ghosts:
        def ghosts(read: Read, _change: Change) -> Mapping[Key, Any]:
            seen: dict[Key, Any] = {}
            if event in QUALIFY[read((Kind.DELIVERY, ref, 1)).policy]:
                seen[observed] = True
            if event == ReleaseEvent.SPAWN_START_FAILED and read(_seen(ref)) is not None:
                seen[child] = "never"
            if event == ReleaseEvent.SOCKET_ALIVE and read(child) == "runs":
                seen[ANSWERS] = ref
            return seen

        return ghosts

    for event in ReleaseEvent:
        scene.act(f"observe({ref.owner}, {event})", Observe(ref, 1, event), ghosts=look(event))


# Claims


def _claim_release(scene: Scene, refs: tuple[Ref, ...], nonces: int) -> None:
    """Events of a claim, and what they may do to the lock."""
    m = scene.m
    for nonce in range(1, nonces + 1):
        n = Nonce(nonce)
        scene.act(f"unobserved({n})", Unobserved(TARGET, n))
        scene.act(f"child recorded({n})", ChildRecorded(TARGET, n))
        scene.act(f"conflict({n})", Conflict(TARGET, n))
        scene.act(f"release({n})", Release(TARGET, n))
    m.always(
        "released iff observed",
        for_each(refs, lambda read, ref: _delivery(read, ref) == (read(("observed", ref)) is not None)),
        "a delivery has released exactly if an event was seen that its policy waits for",
        cites="REL-3c REL-3d REL-3e REL-4b REL-4c",
    )
    m.always_step(
        "a nonce holds once",
        lambda before, after, action, change: _claimed_anew(before(LOCK), after(LOCK)),
        "a lock that was released is held again only under a nonce that no claim had",
        cites="REL-4a REL-4d REL-5",
    )
    scene.always_step(
        "only the claim releases",
        lambda before, after, given, change: (
            not _freed(before(LOCK), after(LOCK)) or _authority(before, given) == before(LOCK).nonce
        ),
        "a lock becomes free by an event of the very claim that holds it, or by an operator who says why",
        cites="REL-5 REL-7h SHL-6b",
    )
    m.always_step(
        "a start releases nothing",
        lambda before, after, action, change: "spawn-started" not in action or before(LOCK) == after(LOCK),
        "spawn-started changes no lock under any policy",
        cites="REL-3f",
    )
    m.always_step(
        "time releases nothing",
        lambda before, after, action, change: "unobserved" not in action or after(LOCK).state == "retained",
        "a lock of which nothing was observed in time is retained",
        cites="REL-8b REL-8c",
    )
    of_answers(scene, TARGET, refs)
    m.sometimes("a lock is released", lambda read: (c := read(LOCK)) is not None and c.state == "free")
    m.sometimes("a lock is retained", lambda read: (c := read(LOCK)) is not None and c.state == "retained")


def _delivery(read: Read, ref: Ref) -> bool:
    delivery = read((Kind.DELIVERY, ref, 1))
    return delivery is not None and delivery.state == "released"


def _claimed_anew(before: Any, after: Any) -> bool:
    free = before is None or before.state == "free"
    if after is None or after.state == "free" or not free:
        return True
    return bool(after.nonce == (0 if before is None else before.nonce) + 1)


def _freed(before: Any, after: Any) -> bool:
    return before is not None and before.state != "free" and after.state == "free"


def _authority(read: Read, given: Any) -> Nonce | None:
    """The nonce of the claim in whose name the input speaks."""
    if isinstance(given, Observe):
        delivery = read((Kind.DELIVERY, given.ref, given.spawn))
        return None if delivery is None else delivery.nonce
    if isinstance(given, ForceRelease):
        return read(LOCK).nonce if given.actor is not None and given.reasoned else None
    return getattr(given, "nonce", None)


def _claim_target(m: Model, refs: tuple[Ref, ...]) -> None:
    """No double spawn (REL-6)."""

    def runs(read: Read, ref: Ref) -> bool:
        return bool(read(("child", ref)) == "runs")

    def held(read: Read, ref: Ref) -> bool:
        lock, delivery = read(LOCK), read((Kind.DELIVERY, ref, 1))
        return bool(lock.state != "free" and lock.nonce == delivery.nonce)

    m.always(
        "one child at a time",
        when=lambda read: read(FORCED) is None,
        then=for_pairs(refs, lambda read, a, b: not (runs(read, a) and runs(read, b))),
        sentence="no two children run on a target, whoever is gone, unless an operator forced the lock",
        cites="REL-6a REL-6b REL-7a REL-7e REL-7f REL-10e",
    )
    m.always(
        "an unobserved child keeps its lock",
        when=lambda read: read(FORCED) is None,
        then=for_each(
            refs,
            lambda read, ref: not runs(read, ref) or read(("observed", ref)) is not None or held(read, ref),
        ),
        sentence="from a spawn to its first observation the lock is held under the claim handed over for it",
        cites="REL-5 REL-6a REL-8c",
    )
    m.sometimes("one after the other", lambda r: r(("child", A)) == "gone" and r(("child", B)) == "runs")
    m.sometimes(
        "the lock of the dead is taken over",
        lambda r: r(_ghost("claimant", 1)) == A and r(_ghost("claimant", 2)) == B and _dead_claim(r),
    )


def _claim_progress(m: Model, refs: tuple[Ref, ...]) -> None:
    for ref in refs:
        m.leads_to(
            f"what is observed releases ({ref.owner})",
            partial(_holds_for_nobody, ref),
            no_longer(partial(_holds_for_nobody, ref)),
            "the lock of a child that has ended is released, if its end is observed in the end",
            fair=f"observe({ref.owner}, child-exited)",
            cites="REL-3e REL-4b REL-8c",
        )


def _holds_for_nobody(ref: Ref, read: Read) -> bool:
    """The child is gone, and the lock is still held under the claim that was handed over for it."""
    lock, delivery = read(LOCK), read((Kind.DELIVERY, ref, 1))
    if read(("child", ref)) != "gone" or delivery is None:
        return False
    return bool(lock.state != "free" and lock.nonce == delivery.nonce)


def _dead_claim(read: Read) -> bool:
    """The first claim was handed over, and never released by its delivery."""
    return read(_ghost("handed", 1)) is True and not _delivery(read, A) and read(LOCK).state == "held"
