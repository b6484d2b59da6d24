"""New tasks: one request, with every fault of it, becomes inputs and the rows that people see (LIF-17)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from dhruva import requests
from dhruva.cells import Change, Kind, Link
from dhruva.ids import OwnerId, ScopeId, TaskId
from dhruva.records import TaskDefinition
from dhruva.requests import Refusal
from dhruva.requests.shapes import Given
from dhruva.requests.tree import Known
from dhruva.runtime import fields, plain
from dhruva.runtime.calls import Facts
from dhruva.runtime.errors import InvalidTask, TaskError, of_refusal
from dhruva.runtime.executors import number_of, unknown
from dhruva.runtime.store import TaskRow

ROOT: Final = "root:scope"  # the payload that names the root scope of a store


class Creation:
    """One request for new tasks, as it becomes inputs and rows."""

    def __init__(self, given: Sequence[Given], scope: ScopeId | None, executors: Iterable[str]) -> None:
        self._given, self._scope, self._executors = given, scope, executors
        self._made: requests.Created | None = None
        self._definitions: list[TaskDefinition] = []
        self.refused: TaskError | None = None

    def inputs(self, facts: Facts) -> Sequence[Any]:
        first = [facts.new_id() for _ in self._given][:1]
        scope = self._scope if self._scope is not None else ScopeId(int(facts.payload(ROOT) or 0))
        policy = facts.read((Kind.POLICY, scope))
        known = requests.Facts(
            known=lookup(facts),
            first_id=first[0] if first else 0,
            scope=scope,
            executor=lambda name: number_of(facts, name),
            retries=policy.retry if policy is not None and policy.retry else None,
        )
        made = requests.create(self._given, known)
        if isinstance(made, Refusal):
            self.refused = self._why(facts, made)
            return ()
        self._made = made
        self._definitions = [_definition(each) for each in self._given]
        return made.inputs

    def _why(self, facts: Facts, refusal: Refusal) -> TaskError:
        names = [error.values[0] for error in refusal.errors if error.fault == requests.Fault.NO_EXECUTOR]
        if names and len(names) == len(refusal.errors):
            return unknown(facts, str(names[0]), self._executors)
        return of_refusal(refusal)

    def then(self, facts: Facts, changes: Sequence[Change]) -> None:
        """The rows; under which numbers the tasks are linked is in what was written."""
        if self._made is None:
            return
        links: dict[int, list[tuple[int, int]]] = {}
        for change in changes:
            for key, cell in change.writes.items():
                if isinstance(cell, Link):
                    links.setdefault(cell.dependent, []).append((key[1], key[2]))
        for definition in self._definitions:
            number = self._made.ids[definition.id]
            facts.put_task(number, self._row(facts, definition, links.get(number, [])))
            retry = definition.retry
            status = str(facts.read((Kind.TASK, number)).status)
            state = fields.first(status, facts.now, retry.initial_delay_ms, retry.max_delay_ms)
            facts.put_state(number, state)

    def _row(self, facts: Facts, definition: TaskDefinition, links: list[tuple[int, int]]) -> TaskRow:
        assert self._made is not None
        parent = None
        if definition.parent is not None:
            parent = self._made.ids.get(definition.parent) or facts.find(definition.parent.bytes)
        return TaskRow(
            definition.id.bytes,
            definition.name,
            definition.executor,
            parent,
            msgspec.msgpack.encode(links),
            definition.model_dump_json().encode(),
        )

    def named(self) -> list[tuple[UUID, TaskId, str]]:
        assert self._made is not None
        return [(each.id, self._made.ids[each.id], each.name) for each in self._definitions]


def _definition(given: Given) -> TaskDefinition:
    return given if isinstance(given, TaskDefinition) else TaskDefinition.model_validate(given)


def bounded(given: Given) -> None:
    """Inputs and parameters are JSON, and no larger than they may be."""
    for field in ("inputs", "params"):
        value = given.get(field) if isinstance(given, Mapping) else getattr(given, field)
        if isinstance(value, dict):
            try:
                plain.encoded(value, plain.INPUTS_MAX, field)
            except plain.NotPlain as fault:
                raise InvalidTask(str(fault)) from None


def lookup(facts: Facts) -> requests.Lookup:
    """Tasks by the ids that people use, in this transaction."""

    def known(id_: UUID) -> Known | None:
        number = facts.find(id_.bytes)
        cell = None if number is None else facts.read((Kind.TASK, number))
        return None if cell is None else Known(TaskId(OwnerId(number or 0)), cell.status)

    return known
