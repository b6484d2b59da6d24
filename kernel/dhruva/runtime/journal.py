"""The journal: one link per transaction, each with the hash of the one before (SHL-7).

A link holds the inputs that were accepted, the edges they took, the hash of what was written, and the
digest of the tables. Refusals are counted elsewhere and leave no link. `replay` re-steps it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from dhruva.cells import Cell, Edge, Key, Read
from dhruva.runtime import codec
from dhruva.runtime.store import Head, Link, Row

_encode: Final = msgspec.msgpack.Encoder().encode


class Entry(NamedTuple):
    """A link, read."""

    number: int
    before: bytes  # the hash of the link before
    tables: str
    inputs: list[list[Any]]  # plain; codec.from_plain makes them inputs again
    edges: list[list[Any]]
    written: bytes  # hash of the rows


_decode: Final = msgspec.msgpack.Decoder(Entry).decode


def seal(head: Head, tables: str, inputs: Sequence[Any], edges: Iterable[Edge], rows: Iterable[Row]) -> Link:
    """The next link after `head`."""
    given = [codec.to_plain(each) for each in inputs]
    return sealed(Entry(head.number + 1, head.hash, tables, given, plain(edges), hash_of(rows)))


def lasting(written: Mapping[Key, Cell | None], before: Read) -> dict[Key, Cell | None]:
    """What a transaction writes, without what came and went within it: that was never stored."""
    return {key: cell for key, cell in written.items() if cell is not None or before(key) is not None}


def sealed(entry: Entry) -> Link:
    body = _encode(entry)
    return Link(entry.number, body, codec.digest(body))


def opened(link: Link) -> Entry:
    """What a link says. Raises Undecodable if it says nothing."""
    try:
        return _decode(link.body)
    except ValueError as fault:  # msgspec's own, and text that is no UTF-8
        raise codec.Undecodable(f"no link: {fault}") from fault


def plain(edges: Iterable[Edge]) -> list[list[Any]]:
    return [[machine, codec.key_to_bytes(key), *rest] for machine, key, *rest in edges]


def hash_of(rows: Iterable[Row]) -> bytes:
    """Hash of what a transaction wrote, in the order of the keys. Removed is not the same as empty."""
    parts = []
    for key, cell in rows:
        parts += [key, b"" if cell is None else b"=", cell or b""]
    return codec.digest(*parts)
