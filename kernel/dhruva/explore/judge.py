"""Properties of a chunk of states.

Properties only observe, so recording them never changes the layout of states; at most a table is made
anew. A claim that is settled is no longer asked, except that its `when` goes on being counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dhruva.explore.fields import Words
from dhruva.explore.forms import COMPARE, Predicate
from dhruva.explore.index import Ids
from dhruva.explore.learned import SumCheck
from dhruva.explore.model import DEADLOCK, Claim
from dhruva.explore.names import States
from dhruva.explore.space import Space, Tables
from dhruva.explore.steps import TINY, Alarm
from dhruva.explore.tables import NumberTable, PropertyTable, Table, Window
from dhruva.explore.trie import Function, Leaf
from dhruva.explore.walk import WalkedNumber

# Entries of these tables are small, so they may be more than those of actions.
_SHARED_BITS = 14
_CHUNK = 1 << 15
T = TypeVar("T", bound=Table)


class Judge:
    """Asks all claims that are not settled about states."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.learned = space.learned
        self.settled: set[str] = set()
        self.claim = {check.function: check.claim.name for check in self.learned.checks}
        self.alarming = {check.function: check.alarm for check in self.learned.checks}
        self.tables = space.tables(self._property_table, WalkedNumber, _SHARED_BITS)
        self.lone: dict[Function, Tables[NumberTable, WalkedNumber]] = {}
        self.sums = [
            (check, space.tables(partial(_number_table, check.sign), WalkedNumber, _SHARED_BITS))
            for check in self.learned.sums
        ]

    def settle(self, claim: str) -> None:
        self.settled.add(claim)
        self.tables.is_stale = True

    def check(self, start: int, stop: int) -> list[Alarm]:
        """The claims that these states settle."""
        alarms = self._one_by_one if (stop - start) * len(self.functions()) <= TINY else self._at_once
        return [
            alarm
            for first in range(start, stop, _CHUNK)
            for alarm in alarms(first, min(first + _CHUNK, stop))
            if alarm.claim not in self.settled
        ]

    def not_final(self, positions: Ids) -> Iterator[Alarm]:
        """Of states without a step, the first that is not declared final."""
        final = self.learned.final
        if final is None:
            return
        for start in range(0, len(positions), _CHUNK):
            chunk = positions[start : start + _CHUNK]
            states = States(self.space.names, self.space.index.members.take(chunk))
            for place in np.flatnonzero(self.values(final, states) == 0)[:1].tolist():
                yield Alarm(DEADLOCK, int(chunk[place]), None)

    def where(self, claim: Claim, predicate: Predicate | None) -> NDArray[np.bool_]:
        """For every state, whether the predicate holds there; None means the initial state only."""
        size = self.space.index.size
        flags = np.zeros(size, bool)
        if predicate is None:
            flags[0] = True
            return flags
        function = self.learned.claim_part(claim, predicate)
        for start in range(0, size, _CHUNK):
            stop = min(start + _CHUNK, size)
            flags[start:stop] = self.values(function, self.space.states(start, stop)) != 0
        return flags

    def values(self, function: Function, states: States) -> NDArray[np.int64]:
        """What a function of the state says of each of these states."""
        tables = self.lone.get(function)
        if tables is None:
            dense = partial(_number_table, {function: 1})
            tables = self.lone[function] = self.space.tables(dense, WalkedNumber, _SHARED_BITS)
        self._renew(tables, states, lambda: [function])
        return self._total(tables, states, {function: 1})

    def functions(self) -> list[Function]:
        """What has to be asked of each state, but for sums."""
        asked = [f for f in self.claim if self.claim[f] not in self.settled]
        return asked + list(self.learned.whens.values())

    def _at_once(self, start: int, stop: int) -> Iterator[Alarm]:
        states = self.space.states(start, stop)
        self._renew(self.tables, states, self.functions)
        for table in self.tables.dense:
            entries = table.window.index(states)
            hits = np.bincount(entries, minlength=table.window.size)
            table.count(hits)
            for entry in table.attention[hits[table.attention] > 0].tolist():
                position = start + int(np.argmax(entries == entry))
                for number, function in enumerate(table.functions):
                    leaf = function.leaves[table.leaf[number][entry]]
                    yield from self._alarm(function, leaf, position)
        for wide in self.tables.walked:
            entries = wide.entries(states)
            wide.count(np.bincount(entries))
            alarm = self.alarming.get(wide.function)
            if alarm is not None:
                for position in np.flatnonzero(wide.value.take(entries) == alarm)[:1].tolist():
                    yield Alarm(self.claim[wide.function], start + position, None)
        for check, tables in self.sums:
            yield from self._sum(check, tables, states, start)

    def _renew(
        self, tables: Tables[T, WalkedNumber], states: States, functions: Callable[[], list[Function]]
    ) -> None:
        """Record until the tables know every entry that these states meet."""
        known = False
        while not known:
            if tables.is_stale:
                tables.renew(functions())
            known = True
            for table in tables.dense:
                known &= self._learn(table, states)
            for wide in tables.walked:
                known &= wide.fill(states, self.space.record)
            tables.is_stale = not known

    def _learn(self, table: Table, states: States) -> bool:
        entries = table.window.index(states)
        hits = np.bincount(entries, minlength=table.window.size)
        known = True
        for entry in table.unknown[hits[table.unknown] > 0].tolist():
            words = states.words(int(np.argmax(entries == entry)))
            for number, function in enumerate(table.functions):
                if table.leaf[number][entry] < 0:
                    # The trie may know already, from a level that went one state at a time.
                    known = False
                    if function.find(words) is None:
                        self.space.record(function, words)
        return known

    def _sum(
        self, check: SumCheck, tables: Tables[NumberTable, WalkedNumber], states: States, start: int
    ) -> Iterator[Alarm]:
        if check.claim.name in self.settled:
            return
        self._renew(tables, states, lambda: list(check.sign))
        total = self._total(tables, states, check.sign)
        wrong = np.flatnonzero(~COMPARE[check.symbol](total, 0))
        if check.when is not None and len(wrong):
            wrong = wrong[self.values(check.when, states.take(wrong)) != 0]
        if len(wrong):
            yield Alarm(check.claim.name, start + int(wrong[0]), None)

    def _total(
        self, tables: Tables[NumberTable, WalkedNumber], states: States, sign: dict[Function, int]
    ) -> NDArray[np.int64]:
        """The signed sum of functions whose tables know these states."""
        total = np.zeros(len(states), np.int64)
        for table in tables.dense:
            total += table.value.take(table.window.index(states))
        for wide in tables.walked:
            total += sign[wide.function] * wide.value.take(wide.entries(states))
        return total

    def _one_by_one(self, start: int, stop: int) -> Iterator[Alarm]:
        columns = self.space.states(start, stop).columns
        functions = self.functions()
        for offset, words in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            for function in functions:
                leaf = self._leaf(function, words)
                leaf.hits += 1
                yield from self._alarm(function, leaf, start + offset)
            for check, _ in self.sums:
                if check.claim.name not in self.settled and not self._adds_up(check, words):
                    yield Alarm(check.claim.name, start + offset, None)

    def _adds_up(self, check: SumCheck, words: Words) -> bool:
        if check.when is not None and not self._leaf(check.when, words).result:
            return True
        total = sum(sign * self._leaf(part, words).result for part, sign in check.sign.items())
        return bool(COMPARE[check.symbol](total, 0))

    def _leaf(self, function: Function, words: Words) -> Leaf:
        leaf = function.find(words)
        return self.space.record(function, words) if leaf is None else leaf

    def _alarm(self, function: Function, leaf: Leaf, position: int) -> Iterator[Alarm]:
        if leaf.result is self.alarming.get(function):
            yield Alarm(self.claim[function], position, None)

    def _property_table(self, functions: list[Function], window: Window) -> PropertyTable:
        return PropertyTable(functions, window, self.alarming)


def _number_table(sign: dict[Function, int], functions: list[Function], window: Window) -> NumberTable:
    return NumberTable(functions, window, sign)
