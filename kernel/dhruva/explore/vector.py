"""The vector engine: breadth first, many states at a time, Python called once per new path.

It learns what actions and properties do by recording their reads (`trie`), derives tables from what it
learned (`tables`), keeps states packed (`fields`, `names`, `index`), and expands and judges them chunk by
chunk (`steps`, `judge`). What it must agree on with the reference engine is written in `search`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dhruva.explore.errors import EngineError, ModelError, Move, Path
from dhruva.explore.fields import step
from dhruva.explore.judge import Judge
from dhruva.explore.learned import Learned
from dhruva.explore.model import DEADLOCK, LeadsTo, Model, Sometimes
from dhruva.explore.search import Coverage, Plan, Search, Tally
from dhruva.explore.space import Space
from dhruva.explore.steps import Alarm, Steps

if TYPE_CHECKING:
    from dhruva.explore.fairness import ArrayGraph

_CHUNK = 1 << 14
# States on which the audit calls Python again, once for each leaf that it meets there.
_AUDIT_STATES = 256


class Vector:
    """One search. `levels` holds the position of the first state of each level."""

    def __init__(self, model: Model, plan: Plan) -> None:
        self.model = model
        self.plan = plan
        self.learned = Learned(model)
        self.space = Space(self.learned)
        self.steps = Steps(self.space)
        self.judge = Judge(self.space)
        self.levels = [0]
        self.expanded = 0
        self.settled: dict[str, Alarm] = {}
        self.lassos: dict[str, Path] = {}
        self.loops: dict[str, int] = {}
        self.claims = {claim.name: claim for claim in model.claims()}

    def run(self) -> Search:
        try:
            return self.search()
        except ModelError as error:
            raise ModelError(error.message, self.path(self.space.failed_at)) from error

    def search(self) -> Search:
        start, stop = 0, 1
        while True:
            self.settle(self.judge.check(start, stop))
            if self.is_refuted() and not self.plan.keep_going:
                return self.result()
            cut = self.expand(start, stop)
            if self.space.index.size > stop:
                self.levels.append(stop)
            if cut is not None:
                return self.result(cut=cut)
            if self.space.index.size == stop:
                self.check_liveness()
                return self.result(complete=True)
            start, stop = stop, self.space.index.size

    def expand(self, start: int, stop: int) -> str | None:
        """Take every step of a level; returns the budget that ended it, if one did."""
        for first in range(start, stop, _CHUNK):
            self.expanded = first
            cut = self.plan.budget.spent(self.space.index.size)
            if cut is not None:
                return cut
            if self.plan.progress is not None:
                self.plan.progress(self.space.index.size, stop - start, len(self.levels) - 1)
            batch = self.steps.expand(first, min(first + _CHUNK, stop))
            batch.commit(self.space)
            self.settle(batch.alarms)
            self.settle(self.judge.not_final(batch.stuck))
        self.expanded = stop
        return None

    def check_liveness(self) -> None:
        """Claims about runs, once the whole graph is known."""
        claims = [claim for claim in self.model.claims() if isinstance(claim, LeadsTo)]
        if not claims or not self.plan.liveness:
            return
        from dhruva.explore.fairness import refute

        graph = self.graph()
        for claim in claims:
            triggered = self.judge.where(claim, claim.trigger)
            reached = self.judge.where(claim, claim.goal)
            weak, strong = self.model.matching(claim.weak), self.model.matching(claim.strong)
            lasso = refute(graph, triggered, reached, weak, strong)
            if lasso is not None:
                taken = zip(lasso.states, lasso.actions, lasso.states[1:], strict=False)
                self.lassos[claim.name] = tuple(self.move(one, other, action) for one, action, other in taken)
                self.loops[claim.name] = lasso.loop

    def graph(self) -> ArrayGraph:
        """Every changing step, found by expanding all states once more."""
        from dhruva.explore.fairness import ArrayGraph

        size = self.space.index.size
        found: list[tuple[NDArray[np.int32], ...]] = [(np.empty(0, np.int32),) * 3]
        for start in range(0, size, _CHUNK):
            edges = self.steps.edges(start, min(start + _CHUNK, size))
            found.extend(tuple(column.astype(np.int32) for column in columns) for columns in edges)
        source, action, target = (np.concatenate(column) for column in zip(*found, strict=True))
        return ArrayGraph(size, source, action, target)

    def settle(self, alarms: Iterable[Alarm]) -> None:
        for alarm in alarms:
            if alarm.claim not in self.settled:
                self.settled[alarm.claim] = alarm
                self.judge.settle(alarm.claim)
                if alarm.claim == DEADLOCK:
                    self.steps.watch_deadlock = False

    def is_refuted(self) -> bool:
        return any(not isinstance(self.claims[name], Sometimes) for name in self.settled)

    def path(self, position: int) -> Path:
        """A shortest way to a state: back through the levels, one predecessor at a time."""
        self.space.refresh()
        moves: list[Move] = []
        for level in range(bisect_right(self.levels, position) - 2, -1, -1):
            before = self.predecessor(position, self.levels[level], self.levels[level + 1])
            moves.append(self.move(before, position))
            position = before
        return tuple(reversed(moves))

    def predecessor(self, position: int, start: int, stop: int) -> int:
        name = self.space.index.members[position]
        for first in range(start, stop, _CHUNK):
            sources = self.steps.sources(first, min(first + _CHUNK, stop), name)
            if sources:
                return min(sources)
        raise EngineError(f"no predecessor of state {position} among {start} to {stop}")

    def move(self, before: int, after: int, action: int | None = None) -> Move:
        """A step between two states, by the given action if there is one."""
        words, target = self.space.words(before), self.space.words(after)
        for number, function in enumerate(self.learned.actions):
            leaf = function.find(words) if action in (None, number) else None
            for outcome in leaf.result.outcomes if leaf is not None else ():
                if step(words, outcome.changes) == target:
                    return Move(number, outcome.choice)
        raise EngineError(f"no step from state {before} to state {after}")

    def audit(self) -> None:
        """Call Python again on a sample of all states: the tries must still be right."""
        sample = np.unique(np.linspace(0, self.space.index.size - 1, _AUDIT_STATES).astype(np.int64))
        for position in sample.tolist():
            words = self.space.words(position)
            for function in self.learned.functions():
                leaf = function.find(words)
                if leaf is not None and not leaf.is_audited:
                    self.space.audit(function, leaf, words)

    def result(self, complete: bool = False, cut: str | None = None) -> Search:
        if self.plan.audit:
            self.audit()
        self.space.flush()
        paths = dict(self.lassos)
        for name, alarm in self.settled.items():
            path = self.path(alarm.position)
            paths[name] = path if alarm.move is None else (*path, alarm.move)
        actions, (edges, refusals) = Tally(), self.learned.coverage()
        for action, function in zip(self.model.actions, self.learned.actions, strict=True):
            actions.add(action.name, function.transitions, sum(sum(leaf.news) for leaf in function.leaves))
        untaken = self.learned.untaken() if complete else ()
        coverage = Coverage(actions.counts(), edges.by_name(), refusals.by_name(), untaken)
        reached = {
            name: sum(leaf.hits for leaf in when.leaves if leaf.result)
            for name, when in self.learned.whens.items()
        }
        return Search(
            distinct=self.space.index.size,
            transitions=sum(function.transitions for function in self.learned.actions),
            depth=len(self.levels) - 1,
            paths=paths,
            reached=reached,
            coverage=coverage,
            complete=complete,
            cut=cut,
            unexpanded=self.space.index.size - self.expanded,
            calls=self.learned.calls,
            stored_bytes=self.space.stored_bytes,
            notes=self.learned.notes(),
            loops=self.loops,
        )


def search(model: Model, plan: Plan) -> Search:
    """Visit every reachable state of the model."""
    return Vector(model, plan).run()
