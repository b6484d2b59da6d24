"""What kernel models have in common: worlds made by inputs, and actions that are one input each.

A model restates no rule: its action is `step(read, input)`, wherever `may(read, input)` allows the input.
Ids are typed; the constructors here keep the casts in one place.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from dhruva.assume import ASSUMPTIONS, GHOST, may
from dhruva.cells import Change, FollowUp, Key, Kind
from dhruva.explore import Model, Read
from dhruva.ids import OwnerId, RequestId, TaskId
from dhruva.inputs import Ask, Handle, WaitExpired, Wake, Withdraw
from dhruva.step import Step
from dhruva.table import Refused

Ghosts = Callable[[Read, Change], Mapping[Key, Any]]
"""What a model remembers of a step beside the cells: it observes, and no rule reads it."""
When = Callable[[Read], bool]
Right = Callable[[Read, Any, Refused], bool]
"""Whether a refusal of an input is right, by what a requirement says."""


RAISED: Key = (GHOST, "raised")
TOUCHED: Key = (GHOST, "touched")
MOST = 10
MOST_OF: Mapping[type, int] = {Ask: 9, Wake: 9, Withdraw: 5, WaitExpired: 5}
"""How many cells a step reads or writes at most: to queue, to authorize and to activate takes these, whatever
else there is (ACT-14). They are what was counted, so that a rule that looks at one more is noticed."""


def task_id(number: int) -> TaskId:
    return TaskId(OwnerId(number))


def request_id(number: int) -> RequestId:
    return RequestId(OwnerId(number))


def world(step: Step, setup: Iterable[Any]) -> dict[Key, Any]:
    """The cells after these inputs, each of which must be accepted."""
    cells: dict[Key, Any] = {}
    for given in setup:
        answer = step(cells.get, given)
        if isinstance(answer, Refused):
            raise ValueError(f"the world cannot be set up: {given} gives {answer}")
        for key, cell in answer.writes.items():
            if cell is None:
                cells.pop(key, None)
            else:
                cells[key] = cell
    return cells


def last_number(read: Read, change: Change) -> dict[Key, Any]:
    """A ghost under ("last", owner): the number of the newest attempt that ever began."""
    keys = (key for key, cell in change.writes.items() if key[0] == Kind.ATTEMPT and cell is not None)
    return {("last", key[1].owner): key[1].number for key in keys if read(key) is None}


def follow_up(kind: FollowUp, *ids: Any) -> Key:
    return (Kind.FOLLOW, kind, *ids)


_without: ContextVar[str | None] = ContextVar("without", default=None)


@contextmanager
def unassumed(name: str) -> Iterator[None]:
    """Scenes that are made in here do not make this assumption about the outside."""
    if name not in {assumption.name for assumption in ASSUMPTIONS}:
        raise ValueError(f"there is no assumption {name!r}")
    token = _without.set(name)
    try:
        yield
    finally:
        _without.reset(token)


class Scene:
    """A model with the step that it explores, and the input behind each of its actions."""

    def __init__(self, m: Model, step: Step, setup: Iterable[Any], *ghosts: Ghosts) -> None:
        self.m = m
        self.step = step
        self.ghosts = (last_number, *ghosts)  # observe every step
        self.without = _without.get()
        self.inputs: dict[str, Any] = {}
        self.follow_ups: dict[str, Key] = {}  # by the action that handles each
        self._right: dict[str, list[tuple[Key, Right]]] = {}
        m.always(
            "step always answers",
            lambda read: read(RAISED) is None,
            "step never raises, whatever comes in whatever state",
            cites="SHL-1b SHL-5b",
        )
        m.always(
            "a step touches few cells",
            lambda read: read(TOUCHED) is None,
            "no input reads and writes more cells than its kind ever needs, however many tasks there are",
            cites="ACT-14a",
        )
        for key, cell in world(step, setup).items():
            m.var(key, cell)
            if key[0] == Kind.ATTEMPT:
                m.var(("last", key[1].owner), key[1].number)

    def act(self, name: str, given: Any, *, when: When | None = None, ghosts: Ghosts | None = None) -> None:
        """One input as an action, possible where the outside may give it; the kernel may still refuse it.

        `when` bounds the model: it says how often an input comes, never what it does.
        """
        self.inputs[name] = given
        looks = self.ghosts if ghosts is None else (*self.ghosts, ghosts)

        def run(read: Read) -> object:
            if (when is not None and not when(read)) or not may(read, given, self.without):
                return None
            answer = self._answer(read, given)
            if not isinstance(answer, Change):
                return self._refused(read, name, answer) if isinstance(answer, Refused) else answer
            seen = [look(read, answer) for look in looks]
            return answer._replace(
                writes={key: cell for one in (answer.writes, *seen) for key, cell in one.items()}
            )

        self.m.action(name, run)

    def _answer(self, read: Read, given: Any) -> Change | Refused | Mapping[Key, Any]:
        """What step says; that it raised is a ghost, and that it looked at too much."""
        touched: set[Key] = set()

        def looked(key: Key) -> Any:
            touched.add(key)
            return read(key)

        try:
            answer = self.step(looked, given)
        except Exception as error:  # noqa: BLE001 - whatever it raises, the claim is that it does not
            return {RAISED: f"{type(error).__name__}: {error}"}
        if isinstance(answer, Change):
            touched |= answer.writes.keys()
        return {TOUCHED: len(touched)} if len(touched) > MOST_OF.get(type(given), MOST) else answer

    def _refused(self, read: Read, name: str, refused: Refused) -> object:
        """A refusal that some claim calls wrong is written down; a right one changes nothing."""
        for key, right in self._right.get(name, ()):
            if not right(read, self.inputs[name], refused):
                return {key: refused}
        return refused

    def refuses(self, name: str, kinds: tuple[type, ...], right: Right, sentence: str, *, cites: str) -> None:
        """Claim: inputs of these kinds are refused only where `right(read, input, refused)` says so.

        A refusal changes nothing, so that no property of steps sees it: a wrong one leaves a ghost.
        """
        key = (GHOST, "wrongly refused", name)
        for action, given in self.inputs.items():
            if isinstance(given, kinds):
                self._right.setdefault(action, []).append((key, right))
        self.m.always(name, lambda read: read(key) is None, sentence, cites=cites)

    def always_step(
        self,
        name: str,
        test: Callable[[Read, Read, Any, Change], bool],
        sentence: str,
        *,
        cites: str,
    ) -> None:
        """Claim: `test(before, after, input, change)` holds of every step that an input made."""

        def asked(before: Read, after: Read, action: str, change: Any) -> bool:
            given = self.inputs.get(action)
            return given is None or not isinstance(change, Change) or test(before, after, given, change)

        self.m.always_step(name, asked, sentence, cites=cites)

    def takes(
        self,
        name: str,
        kinds: tuple[type, ...],
        where: Callable[[Read, Any], bool],
        sentence: str,
        *,
        cites: str,
    ) -> None:
        """Claim: inputs of these kinds are not refused where `where(read, input)` holds."""
        self.refuses(name, kinds, lambda read, given, _refused: not where(read, given), sentence, cites=cites)

    def batch(self, name: str, request: Any, inputs: Callable[[Read], Iterable[Any]], *, when: When) -> None:
        """Several inputs in one transaction, as one request makes them from what it reads: all or none."""
        self.inputs[name] = request

        def run(read: Read) -> object:
            if not when(read):
                return None
            whole = Change({}, (), (), (), ())
            for given in inputs(read):
                answer = self.step(partial(_through, whole.writes, read), given)
                if isinstance(answer, Refused):
                    return self._refused(read, name, answer)
                whole = _joined(whole, answer)
            return whole

        self.m.action(name, run)

    def handle(self, kind: FollowUp, *ids: Any) -> None:
        """A follow-up that is handled at any time."""
        name = " ".join((f"handle {kind}", *(_short(one) for one in ids)))
        self.act(name, Handle(follow_up(kind, *ids)))
        self.follow_ups[name] = follow_up(kind, *ids)

    def once(self, name: str, given: Any) -> None:
        """An input that comes at most once, since what causes it has a budget."""
        ghost = ("came", name)
        self.act(
            name, given, when=lambda read: read(ghost) is None, ghosts=lambda read, change: {ghost: True}
        )

    def new(self, name: str, given: Any) -> None:
        """An input that uses an id up, whether or not it leaves a cell."""
        self.act(name, given, ghosts=lambda read, change: {(GHOST, "used", given[0]): True})


def _through(writes: Mapping[Key, Any], read: Read, key: Key) -> Any:
    """Reading through the transaction."""
    return writes[key] if key in writes else read(key)


def _joined(one: Change, other: Change) -> Change:
    return Change(
        {**one.writes, **other.writes},
        one.payloads + other.payloads,
        one.effects + other.effects,
        one.follow_ups + other.follow_ups,
        one.edges + other.edges,
    )


def _short(one: Any) -> str:
    return ".".join(str(part) for part in one) if isinstance(one, tuple) else str(one)
