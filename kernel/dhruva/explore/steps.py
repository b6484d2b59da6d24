"""All steps from a chunk of states.

A chunk is tried until every path it needs is recorded; only then do its results count. Large chunks go
through tables, and tiny chunks are stepped one state at a time in plain numbers, which is faster than
starting numpy for each action.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from dhruva.explore.errors import EngineError, Move
from dhruva.explore.fields import Words, step
from dhruva.explore.index import U64, Ids
from dhruva.explore.names import States
from dhruva.explore.space import Space
from dhruva.explore.tables import SHARED_BITS, ActionTable
from dhruva.explore.trie import Function, Leaf
from dhruva.explore.walk import WalkedAction

# Actions times states below which plain numbers are faster; measured on the classics.
TINY = 300

AnyTable = ActionTable | WalkedAction


class Alarm(NamedTuple):
    """A claim is settled by the state at a position, or by a move from it."""

    claim: str
    position: int
    move: Move | None


class _FromTable(NamedTuple):
    """Successors found by one slot of a table, and the entries that they came from."""

    names: U64
    sources: Ids
    table: AnyTable
    slot: int
    entries: Ids

    def actions(self, number: dict[Function, int]) -> Ids:
        actors = np.array([number[function] for function in self.table.actors])
        return actors.take(self.table.origin(self.slot, self.entries))

    def credit(self, offsets: Ids) -> None:
        self.table.credit(self.slot, self.entries.take(offsets))


class _FromEach(NamedTuple):
    """Successors found one at a time."""

    names: U64
    sources: Ids
    origins: list[tuple[Function, Leaf, int]]

    def actions(self, number: dict[Function, int]) -> Ids:
        return np.array([number[function] for function, _, _ in self.origins])

    def credit(self, offsets: Ids) -> None:
        for offset in offsets.tolist():
            _, leaf, place = self.origins[offset]
            leaf.news[place] += 1


class Moves:
    """The steps that tables know of for a chunk. All are named at once: naming each slot alone costs more."""

    def __init__(self, states: States) -> None:
        self._states = states
        # Per set of touched words: where the steps start, what these words become, and who takes the steps.
        self._taken: dict[tuple[int, ...], list[tuple[Ids, list[U64], AnyTable, int, Ids]]] = {}

    def take(self, table: AnyTable, entries: Ids) -> None:
        """Every step of a table, given the entry of each state."""
        for slot, where, after in table.steps(entries, self._states):
            if len(where):
                taken = (where, after, table, slot, entries.take(where))
                self._taken.setdefault(tuple(table.touched), []).append(taken)

    def named(self) -> Iterator[_FromTable]:
        for touched, steps in self._taken.items():
            sources = np.concatenate([step[0] for step in steps])
            after = [np.concatenate(column) for column in zip(*(step[1] for step in steps), strict=True)]
            changed = dict(zip(touched, after, strict=True))
            found = self._states.known.step(self._states.names.take(sources), changed)
            end = 0
            for where, _, table, slot, entries in steps:
                start, end = end, end + len(where)
                yield _FromTable(found[start:end], where, table, slot, entries)


@dataclass
class Batch:
    """What became of a chunk. Nothing of it counts before `commit`."""

    found: list[_FromTable | _FromEach] = dataclasses.field(default_factory=list)
    counts: list[Callable[[], None]] = dataclasses.field(default_factory=list)
    leaf_hits: list[tuple[Function, Leaf, int, int]] = dataclasses.field(default_factory=list)
    alarms: list[Alarm] = dataclasses.field(default_factory=list)
    stuck: Ids = dataclasses.field(default_factory=lambda: np.empty(0, np.int64))

    def commit(self, space: Space) -> None:
        for count in self.counts:
            count()
        for function, leaf, hits, transitions in self.leaf_hits:
            leaf.hits += hits
            function.transitions += transitions
        if not self.found:
            return
        fresh = space.add(np.concatenate([part.names for part in self.found]))
        fresh.sort()
        ends = np.cumsum([len(part.names) for part in self.found])
        shares = np.split(fresh, np.searchsorted(fresh, ends[:-1]))
        for part, end, share in zip(self.found, ends, shares, strict=True):
            part.credit(share - (end - len(part.names)))


class Steps:
    """Expands chunks of states. `watch_deadlock` may be switched off once that is settled."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.learned = space.learned
        self.actions = space.learned.actions
        self.number = {function: number for number, function in enumerate(self.actions)}
        self.tables = space.tables(ActionTable, WalkedAction, SHARED_BITS)
        self.watch_deadlock = space.learned.final is not None

    def expand(self, start: int, stop: int) -> Batch:
        """Every step from the states at these positions; records what is not yet known."""
        calls = -1
        while True:
            batch = Batch()
            tiny = (stop - start) * len(self.actions) <= TINY
            if self._one_by_one(start, stop, batch) if tiny else self._at_once(start, stop, batch):
                return batch
            if not self.tables.is_stale and calls == self.learned.calls:
                raise EngineError("fresh tables do not know what the tries know")
            calls = self.learned.calls
            self.space.refresh()

    def _at_once(self, start: int, stop: int, batch: Batch) -> bool:
        if self.tables.is_stale:
            self.tables.renew(self.actions)
        states = self.space.states(start, stop)
        moving = np.zeros(stop - start, bool)
        moves = Moves(states)
        known = True
        for table in self.tables.dense:
            entries = table.window.index(states)
            hits = np.bincount(entries, minlength=table.window.size)
            hot = table.attention[hits[table.attention] > 0]
            if len(hot):
                known &= self._look(table, hot, entries, states, start, batch)
            if known:
                batch.counts.append(partial(table.count, hits))
                moves.take(table, entries)
                if self.watch_deadlock:
                    moving |= table.enabled.take(entries)
        for wide in self.tables.walked:
            known &= wide.fill(states, self._record)
            if known:
                entries = wide.entries(states)
                self._walked_alarms(wide, entries, start, batch)
                hits = np.bincount(entries)
                batch.counts.append(partial(wide.count, hits, wide.repeated(entries, states)))
                moves.take(wide, entries)
                if self.watch_deadlock:
                    moving |= wide.enabled.take(entries)
        if self.watch_deadlock:
            batch.stuck = start + np.flatnonzero(~moving)
        if known:
            batch.found.extend(moves.named())
        return known

    def _look(
        self, table: ActionTable, hot: Ids, entries: Ids, states: States, start: int, batch: Batch
    ) -> bool:
        """Record unknown entries and note alarms; False if something was unknown."""
        known = True
        for entry in hot.tolist():
            position = int(np.argmax(entries == entry))
            words = states.words(position)
            for number, function in enumerate(table.functions):
                if table.leaf[number][entry] >= 0:
                    leaf = function.leaves[table.leaf[number][entry]]
                    self._alarms(function, leaf, start + position, batch)
                else:
                    known = False
                    if function.find(words) is None:
                        self.space.record(function, words)
        return known

    def _walked_alarms(self, table: WalkedAction, entries: Ids, start: int, batch: Batch) -> None:
        for position in np.flatnonzero(table.alarmed.take(entries))[:1].tolist():
            leaf = table.function.leaves[entries[position]]
            self._alarms(table.function, leaf, start + position, batch)

    def _record(self, function: Function, words: Words) -> Leaf | None:
        """Record a path; None if it wrote a value for which the layout has no room yet."""
        leaf = self.space.record(function, words)
        return None if self.space.layout.is_outgrown else leaf

    def _one_by_one(self, start: int, stop: int, batch: Batch) -> bool:
        columns = self.space.states(start, stop).columns
        states = list(zip(*(column.tolist() for column in columns), strict=True))
        leaves = [[self._leaf(function, words) for function in self.actions] for words in states]
        if self.space.layout.is_outgrown:
            return False
        found: list[Words] = []
        sources: list[int] = []
        origins: list[tuple[Function, Leaf, int]] = []
        stuck = []
        for offset, (words, row) in enumerate(zip(states, leaves, strict=True)):
            moves = False
            for function, leaf in zip(self.actions, row, strict=True):
                outcomes = leaf.result.outcomes
                moves = moves or bool(outcomes)
                after: dict[Words, int] = {}
                for place, outcome in enumerate(outcomes):
                    after.setdefault(step(words, outcome.changes), place)
                batch.leaf_hits.append((function, leaf, 1, len(after)))
                self._alarms(function, leaf, start + offset, batch)
                for successor, place in after.items():
                    if successor != words:
                        found.append(successor)
                        sources.append(offset)
                        origins.append((function, leaf, place))
            if not moves:
                stuck.append(start + offset)
        if found:
            arrays = [np.array(column, np.uint64) for column in zip(*found, strict=True)]
            batch.found.append(_FromEach(self.space.names.of(arrays), np.array(sources), origins))
        if self.watch_deadlock:
            batch.stuck = np.array(stuck, np.int64)
        return True

    def _leaf(self, function: Function, words: Words) -> Leaf:
        leaf = function.find(words)
        return self.space.record(function, words) if leaf is None else leaf

    def _alarms(self, function: Function, leaf: Leaf, position: int, batch: Batch) -> None:
        for claim, choice in leaf.result.alarms:
            batch.alarms.append(Alarm(claim, position, Move(self.number[function], choice)))

    def edges(self, start: int, stop: int) -> Iterator[tuple[Ids, Ids, Ids]]:
        """Source, action and target of every changing step from these states, all expanded before."""
        for part in self.expand(start, stop).found:
            yield part.sources + start, part.actions(self.number), self.space.index.find(part.names)

    def sources(self, start: int, stop: int, name: np.uint64) -> list[int]:
        """Which of these states, all expanded before, have a changing step to the named state."""
        parts = self.expand(start, stop).found
        return [start + int(one) for part in parts for one in part.sources[part.names == name]]
