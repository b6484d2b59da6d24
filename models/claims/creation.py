"""What is made, linked and taken away while others run: scopes, tasks, links (ACT-17, LIF-4, LIF-20)."""

from typing import Any

from dhruva.cells import Kind
from dhruva.explore import Read, for_each
from dhruva.inputs import CreateScope, CreateTask, Delete, Depend, SetCap, Unlink
from models.claims.cast import ALIVE, Cast, each
from models.world import Scene


def of_registry(scene: Scene) -> None:
    scene.always_step(
        "what is known is not made again",
        lambda before, after, given, change: (
            not isinstance(given, CreateScope | SetCap) or _may_make(before, given)
        ),
        "a known scope id is refused, and the first lives on; a cap is set once; limits are at least 1",
        cites="ACT-13a ACT-17b ACT-17d",
    )
    scene.takes(
        "what is new can be made",
        (CreateScope,),
        _may_make,
        "a scope of an id that was never used is made, under the cap if there is one",
        cites="ACT-17a",
    )
    scene.always_step(
        "a new scope is mounted unless asked not to",
        lambda before, after, given, change: (
            not isinstance(given, CreateScope)
            or after((Kind.SCOPE, given.scope)).state == ("ATTACHED" if given.mount else "INIT")
        ),
        "to create a scope also mounts it, unless the caller asks otherwise",
        cites="ACT-17a",
    )


def _may_make(read: Read, given: Any) -> bool:
    cap = read((Kind.CAP,))
    if isinstance(given, SetCap):
        return cap is None and given.limit >= 1
    is_new = read((Kind.SCOPE, given.scope)) is None
    return is_new and given.max_concurrent >= 1 and (cap is not None or not given.capped)


def of_creation(scene: Scene, cast: Cast) -> None:
    m, tasks = scene.m, tuple((Kind.TASK, t) for t in cast.tasks)
    scene.takes(
        "a new task can be created",
        (CreateTask,),
        _may_create,
        "a task of a new id is created in a scope that is alive, below a parent that is known",
        cites="LIF-17b",
    )
    scene.always_step(
        "only what can be is created",
        lambda before, after, given, change: not isinstance(given, CreateTask) or _may_create(before, given),
        "no known id, no try that can never be made, no scope that is gone, no parent unknown or itself",
        cites="ACT-11g LIF-17b LIF-17g",
    )
    scene.takes(
        "a link is made as it was declared",
        (Depend,),
        _may_link,
        "a new task can be linked to each other task, as often as it declared dependencies",
        cites="LIF-4a",
    )
    scene.always_step(
        "only what was declared is linked",
        lambda before, after, given, change: not isinstance(given, Depend) or _may_link(before, given),
        "a link leads from a pending task to another that exists, and no more are made than declared",
        cites="LIF-4c LIF-17g",
    )
    m.always(
        "children are counted",
        each(tasks, lambda read, key, task: task.children == _children(read, cast, key[1])),
        "a task knows how many others have it as their parent",
        cites="LIF-17b LIF-20a",
    )
    m.always(
        "no link leads nowhere",
        for_each(cast.tasks, lambda read, on: all(_is_there(read, n) for n in _dependents(read, on))),
        "whoever is linked to a task is there, and is counted as its dependent",
        cites="LIF-4c LIF-20a",
    )
    m.always(
        "dependents are counted",
        each(tasks, lambda read, key, task: task.dependents == len(_dependents(read, key[1]))),
        "a task knows how many others depend on it",
        cites="LIF-20a",
    )
    scene.always_step(
        "only its own link is taken away",
        lambda before, after, given, change: not isinstance(given, Unlink) or _is_its_own(before, given),
        "a task is unlinked from what it depends on, and nobody else is",
        cites="LIF-20a",
    )
    scene.always_step(
        "what is deleted depends on nothing",
        lambda before, after, given, change: (
            not isinstance(given, Delete) or before((Kind.TASK, given.task)).dependencies == 0
        ),
        "a task is unlinked before it is deleted",
        cites="LIF-20a",
    )


def _may_create(read: Read, given: CreateTask) -> bool:
    scope = read((Kind.SCOPE, given.scope))
    is_new, is_open = read((Kind.TASK, given.task)) is None, scope is not None and scope.state in ALIVE
    below = given.parent is None or (
        given.parent != given.task and read((Kind.TASK, given.parent)) is not None
    )
    return is_new and is_open and below and given.max_attempts >= 1 and given.dependencies >= 0


def _may_link(read: Read, given: Depend) -> bool:
    task, spec = read((Kind.TASK, given.task)), read((Kind.SPEC, given.task))
    if task is None or given.task == given.on or read((Kind.TASK, given.on)) is None:
        return False
    return task.status == "pending" and bool(task.dependencies < spec.dependencies)


def _is_its_own(read: Read, given: Unlink) -> bool:
    link = read((Kind.LINK, given.on, given.number))
    return link is not None and bool(link.dependent == given.task)


def _children(read: Read, cast: Cast, parent: int) -> int:
    specs = (read((Kind.SPEC, task)) for task in cast.tasks)
    return sum(1 for spec in specs if spec is not None and spec.parent == parent)


def _dependents(read: Read, on: int) -> list[int]:
    task = read((Kind.TASK, on))
    links = (read((Kind.LINK, on, n + 1)) for n in range(0 if task is None else task.links))
    return [link.dependent for link in links if link is not None]


def _is_there(read: Read, task: int) -> bool:
    return read((Kind.TASK, task)) is not None
