"""Replay: the journal of a real run, stepped again from nothing (SHL-7, VER-6).

For each link: it follows the one before it, its hash is that of its body, its tables are these; each input
was one that the outside may give (`assume`, the predicate of the models), `step` accepts it, takes the
same edges and writes the same cells. At the end the cells must be those of the store. The first record
that is not so is named, with what was allowed in its place.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, get_type_hints

from dhruva import assume, inputs
from dhruva.cells import Cell, Edge, Key
from dhruva.runtime import codec, journal
from dhruva.runtime.calls import Kernel
from dhruva.runtime.store import START, Head, Link, Store
from dhruva.table import Refused

HAND_OUT: Final = (inputs.Ask, inputs.CreateTask)  # inputs whose first field is an id never used before


class Bad(NamedTuple):
    """The first record that no run of these tables can have written."""

    link: int  # its number; 0: the cells of the store, after the last link
    input: int | None  # which input of the link, counted from 1
    fault: str
    allowed: str

    def __str__(self) -> str:
        where = f"link {self.link}" if self.link else "the stored cells"
        which = "" if self.input is None else f", input {self.input}"
        return f"{where}{which}: {self.fault}; allowed: {self.allowed}"


class Report(NamedTuple):
    """What was replayed, and the first record that is bad, if any."""

    links: int  # up to which number
    inputs: int
    head: Head  # keep it elsewhere: a tail that was cut off is seen only against it
    bad: Bad | None


class _Found(Exception):
    """Carries the first bad record out of the walk."""

    def __init__(self, bad: Bad) -> None:
        super().__init__(str(bad))
        self.bad = bad


def replay(store: Store, kernel: Kernel, head: Head | None = None) -> Report:
    """Step every link of this store again. `head`: the newest link that is known to have been written."""
    replayed = _Replay(kernel)
    try:
        for link in store.links(replayed.begin(store)):
            replayed.link(link)
        replayed.end(store, head)
    except _Found as found:
        return Report(replayed.head.number, replayed.inputs, replayed.head, found.bad)
    return Report(replayed.head.number, replayed.inputs, replayed.head, None)


class _Replay:
    """The world as the journal has it so far."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.cells: dict[Key, Cell] = {}
        self.written: dict[Key, Cell | None] = {}  # by the link in hand
        self.used: set[int] = set()
        self.handed_out = 0  # ids up to this one, before the checkpoint
        self.head = START
        self.inputs = 0
        self.number = 0  # of the link in hand

    def read(self, key: Key) -> Any:
        """A cell. What assumptions ask beyond cells is known here for ids: the journal saw them all."""
        if key[0] == assume.GHOST:
            used = key[1] == "used" and (key[2] <= self.handed_out or key[2] in self.used)
            return True if used else None
        return self.written[key] if key in self.written else self.cells.get(key)

    def _keep(self, lasting: dict[Key, Cell | None]) -> None:
        self.written = {}
        for key, cell in lasting.items():
            if cell is None:
                del self.cells[key]
            else:
                self.cells[key] = cell

    def begin(self, store: Store) -> int:
        """The first link to step: after the checkpoint, if there is one and it is whole."""
        found = store.checkpoint()
        if found is None:
            return 1
        about, rows = found
        self.number = about.number
        anchor = next(store.links(about.number), None)
        if anchor is None or (anchor.number, anchor.hash) != about[:2]:
            raise self._bad("the checkpoint is for another journal", f"link {about.number}")
        if codec.digest(anchor.body) != anchor.hash:
            raise self._bad("its hash is not that of its body", f"hash {_hex(codec.digest(anchor.body))}")
        if journal.hash_of(rows) != about.cells:
            raise self._bad("the cells of the checkpoint are not those it was made of", _hex(about.cells))
        self.cells = {codec.key_from_bytes(key): codec.from_bytes(cell) for key, cell in rows if cell}
        self.handed_out, self.head = about.last_id, Head(about.number, about.hash)
        return about.number + 1

    def link(self, link: Link) -> None:
        self.number = link.number
        entry = self._opened(link)
        written: dict[Key, Cell | None] = {}
        edges: list[Edge] = []
        self.written = written
        for at, plain in enumerate(entry.inputs, 1):
            self._input(at, plain, written, edges)
        if journal.plain(edges) != entry.edges:
            raise self._edges(entry, edges)
        lasting = journal.lasting(written, self.cells.get)
        if journal.hash_of(codec.rows(lasting)) != entry.written:
            raise self._bad("wrote something else than its inputs write", f"cells {_names(lasting)}")
        self._keep(lasting)
        self.head = Head(link.number, link.hash)

    def _opened(self, link: Link) -> journal.Entry:
        wanted = self.head.number + 1
        if link.number != wanted:
            raise self._bad(f"link {wanted} is missing", f"link {wanted}, which names {_hex(self.head.hash)}")
        if codec.digest(link.body) != link.hash:
            raise self._bad("its hash is not that of its body", f"hash {_hex(codec.digest(link.body))}")
        try:
            entry = journal.opened(link)
        except codec.Undecodable as fault:
            raise self._bad(str(fault), "a link of this version") from fault
        if (entry.number, entry.before) != (wanted, self.head.hash):
            raise self._bad("it does not follow the link before it", f"one that names {_hex(self.head.hash)}")
        if entry.tables != self.kernel.tables:
            raise self._bad(f"written by other tables: {entry.tables}", self.kernel.tables)
        return entry

    def _input(self, at: int, plain: list[Any], written: dict[Key, Cell | None], edges: list[Edge]) -> None:
        try:
            given = codec.from_plain(plain)
        except codec.Undecodable as fault:
            raise self._bad(str(fault), "an input of this version", at) from fault
        broken = assume.broken(self.read, given)
        if broken is not None:
            raise self._bad(f"{given} cannot come: {broken}", self._allowed(given), at)
        change = self.kernel.step(self.read, given)
        if isinstance(change, Refused):
            said = f"{given} is refused: {change.machine} is {change.state}, {change.rule}: {change.because}"
            raise self._bad(said, self._allowed(given), at)
        written |= change.writes
        edges += change.edges
        self.inputs += 1
        if isinstance(given, HAND_OUT):
            self.used.add(given[0])

    def _allowed(self, given: Any) -> str:
        """What else may be said of the same thing here: found by trying, so that no rule is written twice."""
        names = [type(other).__name__ for other in _others(given) if self._accepts(other)]
        return ", ".join(names) or "nothing about it"

    def _accepts(self, given: Any) -> bool:
        return assume.may(self.read, given) and not isinstance(self.kernel.step(self.read, given), Refused)

    def _edges(self, entry: journal.Entry, edges: list[Edge]) -> _Found:
        taken, said = journal.plain(edges), entry.edges
        at = next((n for n, (a, b) in enumerate(zip(taken, said, strict=False)) if a != b), None)
        at = min(len(taken), len(said)) if at is None else at
        told = _edge(said[at]) if at < len(said) else "fewer edges"
        return self._bad(f"says {told}", _edge(taken[at]) if at < len(taken) else "no more edges")

    def end(self, store: Store, head: Head | None) -> None:
        """The cells of the store are those of the journal, and no known link is missing at its end."""
        self.number = 0
        if head is not None and head.number > self.head.number:
            raise self._bad(f"links after {self.head.number} were cut off", f"links up to {head.number}")
        expected = dict(self.cells)
        try:
            for key, cell in store.cells():
                wanted = expected.pop(key, None)
                if wanted is None or codec.to_bytes(wanted) != codec.to_bytes(cell):  # True is not 1
                    raise self._bad(f"{_name(key)} is {cell}", str(wanted))
        except codec.Undecodable as fault:
            raise self._bad(str(fault), "cells of this version") from fault
        for key, cell in expected.items():
            raise self._bad(f"{_name(key)} is not there", str(cell))

    def _bad(self, fault: str, allowed: str, at: int | None = None) -> _Found:
        return _Found(Bad(self.number, at, fault, allowed))


def _others(given: Any) -> Iterator[Any]:
    """Inputs about the same thing that need no further facts, and this very one."""
    of = _about(type(given))
    for name in inputs.__all__:
        kind = getattr(inputs, name)
        if _about(kind) is of and len(kind._field_defaults) >= len(kind._fields) - 1:
            yield kind(given[0])


def _about(kind: Any) -> Any:
    return get_type_hints(kind)[kind._fields[0]]


def _name(key: Key) -> str:
    return f"{key[0]} {', '.join(map(str, key[1:]))}"


def _names(written: dict[Key, Cell | None]) -> str:
    return "; ".join(map(_name, written))


def _edge(plain: list[Any]) -> str:
    machine, key, source, on, target = plain
    return f"{machine} {_name(codec.key_from_bytes(key))}: {source} -{on}-> {target}"


def _hex(data: bytes) -> str:
    return data.hex() or "nothing"
