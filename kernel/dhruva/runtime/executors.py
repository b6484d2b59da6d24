"""Executors: functions registered by name, which run the bodies of tasks (LIF-3).

    @authority.executor
    async def load(inputs): return {"rows": 3}

A function with one parameter is given the inputs; with a second one, the context too. How the inputs
are annotated is their schema: they are checked when a task is created and when it starts.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, Final, Literal, NamedTuple, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError

from dhruva.cells import Kind
from dhruva.ids import ExecutorId
from dhruva.inputs import Register
from dhruva.limits import NAME_LENGTH_MAX
from dhruva.runtime import plain
from dhruva.runtime.bodies import is_async, named
from dhruva.runtime.calls import Answer, Facts
from dhruva.runtime.child import found_again
from dhruva.runtime.engine import SERVES
from dhruva.runtime.errors import InvalidTask, NoExecutor
from dhruva.runtime.running import Insisted, Running

Where = Literal["coroutine", "thread", "process"]
NAME: Final = "executor:"
NAME_OF: Final = "executor-name:"


class Executor(NamedTuple):
    """A registered function: where it runs, what it takes."""

    name: str
    function: Callable[..., Any]
    where: Where
    schema: "TypeAdapter[Any] | None"  # None: any object
    takes_context: bool
    timeout: float | None  # seconds from commit

    @property
    def unstoppable(self) -> bool:
        """A thread can be asked to end, and no more."""
        return self.where == "thread"

    def checked(self, inputs: Any) -> dict[str, Any]:
        """These inputs as plain JSON values, if they fit; InvalidTask with every fault otherwise."""
        if self.schema is None:
            if inputs is not None and not isinstance(inputs, dict):
                raise InvalidTask(f"inputs of {self.name!r} are a {type(inputs).__name__}; give a dict")
            return inputs or {}
        try:
            fitting = self.schema.validate_python({} if inputs is None else inputs)
        except ValidationError as caught:
            raise InvalidTask(f"inputs of {self.name!r}: {'; '.join(faults(caught))}") from None
        dumped = self.schema.dump_python(fitting, mode="json")
        if not isinstance(dumped, dict):
            raise InvalidTask(f"inputs of {self.name!r} must be an object, not {type(dumped).__name__}")
        return dumped

    def taken(self, inputs: dict[str, Any]) -> Any:
        """What the function is given. Raises ValidationError where stored inputs no longer fit."""
        return inputs if self.schema is None else self.schema.validate_python(inputs)


def faults(caught: ValidationError) -> list[str]:
    """Each field that does not fit, and what was given."""
    return [
        f"{'.'.join(map(str, error['loc'])) or 'inputs'}: {error['msg']} (given: {error['input']!r:.100})"
        for error in caught.errors(include_url=False, include_context=False)
    ]


def made(
    function: Callable[..., Any], name: str | None, where: Where | None, timeout: float | None
) -> Executor:
    """An executor of this function. Raises ValueError or TypeError if it can be none."""
    called = name or function.__name__
    if not 1 <= len(called) <= NAME_LENGTH_MAX:
        raise ValueError(f"name of an executor is {called!r}; it must have 1 to {NAME_LENGTH_MAX} characters")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout of {called!r} is {timeout}; it must be above 0, or None")
    if where not in (None, *get_args(Where)):
        raise ValueError(f"where of {called!r} is {where!r}; it is one of {', '.join(get_args(Where))}")
    place: Where = where or ("coroutine" if is_async(function) else "thread")
    if place == "coroutine" and not is_async(function):
        raise TypeError(f"{called!r} is no async function; it runs in a thread or a process")
    if place == "thread" and is_async(function):
        raise TypeError(f"{called!r} is an async function; it runs on the event loop or in a process")
    parameters = _parameters(function, called)
    if place == "process":
        found_again(function)
        if len(parameters) > 1:
            raise TypeError(f"{called!r} runs in a process, where there is no context: it takes inputs alone")
    return Executor(called, function, place, _schema(function, parameters[0]), len(parameters) > 1, timeout)


def _parameters(function: Callable[..., Any], called: str) -> list[inspect.Parameter]:
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = [each for each in inspect.signature(function).parameters.values() if each.kind in places]
    needed = [each for each in taken if each.default is inspect.Parameter.empty]
    if not taken or len(needed) > 2:
        raise TypeError(f"{called!r} takes {len(needed)} arguments; it is given its inputs, and the context")
    return taken[: max(1, len(needed))]


def _schema(function: Callable[..., Any], first: inspect.Parameter) -> "TypeAdapter[Any] | None":
    hint = get_type_hints(function).get(first.name, dict)
    return None if hint in (dict, Any) or hint == dict[str, Any] else TypeAdapter(hint)


class Executors:
    """Those that this process has. The store is told of new ones together, when the event loop turns."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self.by_name: dict[str, Executor] = {}
        self._new: list[str] = []
        self._ready = False

    def add(self, executor: Executor) -> None:
        known = self.by_name.get(executor.name)
        if known is not None and known.function is not executor.function:
            raise ValueError(
                f"an executor named {executor.name!r} is registered already: {named(known.function)}"
            )
        self.by_name[executor.name] = executor
        self._new.append(executor.name)
        if self._ready:
            asyncio.get_running_loop().call_soon(self.tell)

    def start(self) -> None:
        """The store is open."""
        self._ready = True
        self.tell()

    def tell(self) -> None:
        """The store knows the names that were registered, and that this process has them."""
        if self._new and self._ready:
            names, self._new = self._new, []
            self._running.shell.submit(_Registered(self._running, names))

    def called(self, executor: str | Callable[..., Any]) -> str:
        """The name of what was given: a registered function, or a name."""
        if isinstance(executor, str):
            return executor
        for known in self.by_name.values():
            if known.function is executor:
                return known.name
        raise NoExecutor(f"{named(executor)} is not registered: put @authority.executor on it")


class _Registered(Insisted):
    """These executors are here."""

    def __init__(self, running: Running, names: Sequence[str]) -> None:
        super().__init__(running, _unheard)
        self._names = names

    def inputs(self, facts: Facts) -> Sequence[Any]:
        """Tasks that waited for one of them come back to their lanes."""
        given = []
        for name in self._names:
            executor = _numbered(facts, name)
            facts.put(f"{SERVES}{executor}:{facts.process}", b"")
            facts.executors.add(executor)
            if facts.read((Kind.EXECUTOR, executor)) is not None:
                given.append(Register(executor))
        return given


def _numbered(facts: Facts, name: str) -> ExecutorId:
    known = facts.payload(NAME + name)
    if known is not None:
        return ExecutorId(int(known))
    executor = ExecutorId(facts.new_id())
    facts.put(NAME + name, str(executor).encode())
    facts.put(f"{NAME_OF}{executor}", name.encode())
    return executor


def number_of(facts: Facts, name: str) -> ExecutorId | None:
    """The id of an executor that someone has registered in this store at some time."""
    known = facts.payload(NAME + name)
    return None if known is None else ExecutorId(int(known))


def unknown(facts: Facts, name: str, here: Iterable[str]) -> NoExecutor:
    """Nobody ever registered it: most likely a slip. `here`: the names of this process."""
    names = {*here, *(known.removeprefix(NAME) for known, _ in facts.named(NAME, 1000))}
    near = get_close_matches(name, sorted(names), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return NoExecutor(f"no process has ever registered an executor named {name!r} in this store.{hint}")


def inputs_of(row: bytes) -> dict[str, Any]:
    inputs: dict[str, Any] = plain.decoded(row)["inputs"]
    return inputs


def _unheard(_answer: Answer) -> None:
    """Nobody waits for it."""
