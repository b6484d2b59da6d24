"""Keys, cells, inputs and effects as bytes, and back.

A key becomes a short blob that sorts as its ids do, so that things stay in the order of creation and a
prefix finds all cells of a kind. Cells and inputs become msgpack: the name of the class, then its
fields. How to read a field again is taken from its annotation, so nothing is listed here twice, and
`LAYOUT` changes whenever a class, a field or a word of a key does.
"""

import types
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from hashlib import blake2b
from operator import itemgetter
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from dhruva import cells, effects, inputs
from dhruva.cells import Cell, EffectKind, FollowUp, Key, Kind
from dhruva.ids import Ref

FORMAT: Final = 1  # raised by hand when the encoding itself changes
DIGEST_SIZE: Final = 16

_WORDS: Final = (*Kind, *(("follow", word) for word in FollowUp), *(("effect", word) for word in EffectKind))
_CODES: Final[dict[Any, bytes]] = {
    **{kind: bytes([at]) for at, kind in enumerate(Kind)},
    **{(Kind.FOLLOW, word): bytes([at]) for at, word in enumerate(FollowUp)},
    **{(Kind.EFFECT, word): bytes([at]) for at, word in enumerate(EffectKind)},
}
_KINDS: Final = tuple(Kind)
_SECOND: Final[dict[Kind, tuple[FollowUp, ...] | tuple[EffectKind, ...]]] = {
    Kind.FOLLOW: tuple(FollowUp),
    Kind.EFFECT: tuple(EffectKind),
}
_NONE: Final = 0x00
_REF: Final = 0x20


class Undecodable(ValueError):
    """Bytes that are no cell, key, input or effect of this version."""


def _int(value: int) -> bytes:
    """Length, then big-endian: sorts as the numbers do."""
    size = max(1, (value.bit_length() + 7) // 8)
    return bytes([size]) + value.to_bytes(size, "big")


def _part(part: Any) -> bytes:
    if part is None:
        return bytes([_NONE])
    if isinstance(part, tuple):
        return bytes([_REF]) + b"".join(map(_int, part))
    return _int(part)


def key_to_bytes(key: Key) -> bytes:
    """A key as a blob; the kind is its first byte."""
    kind = key[0]
    if kind in _SECOND:
        return _CODES[kind] + _CODES[kind, key[1]] + b"".join(map(_part, key[2:]))
    return _CODES[kind] + b"".join(map(_part, key[1:]))


def _parts(data: bytes, at: int) -> Iterator[Any]:
    while at < len(data):
        tag = data[at]
        at += 1
        if tag == _NONE:
            yield None
        elif tag == _REF:
            numbers = []
            for _ in Ref._fields:
                size = data[at]
                numbers.append(int.from_bytes(data[at + 1 : at + 1 + size], "big"))
                at += 1 + size
            yield Ref._make(numbers)
        else:
            yield int.from_bytes(data[at : at + tag], "big")
            at += tag


def key_from_bytes(data: bytes) -> Key:
    try:
        kind = _KINDS[data[0]]
        second = _SECOND.get(kind)
        if second is None:
            return (kind, *_parts(data, 1))
        return (kind, second[data[1]], *_parts(data, 2))
    except IndexError as fault:
        raise Undecodable(f"{data.hex()} is no key") from fault


def prefix(kind: Kind, word: FollowUp | None = None) -> tuple[bytes, bytes]:
    """Every key of this kind, and of this word, lies from the first on, and before the second."""
    begins = _CODES[kind] if word is None else _CODES[kind] + _CODES[kind, word]
    return begins, begins[:-1] + bytes([begins[-1] + 1])


Rebuild = Callable[[Any], Any]


def _as_key(value: Any) -> Key:
    """A key that was a field: msgpack knows lists only."""
    kind = Kind(value[0])
    rest: list[Any] = [Ref._make(part) if isinstance(part, list) else part for part in value[1:]]
    if kind in _SECOND and rest:
        rest[0] = FollowUp(rest[0]) if kind == Kind.FOLLOW else EffectKind(rest[0])
    return (kind, *rest)


def _as_word(kinds: list[type[Enum]]) -> Rebuild:
    """A word of one of several enums. Words that two of them share are equal."""
    members = {member.value: member for kind in reversed(kinds) for member in kind}
    return members.__getitem__


def _rebuild(hint: Any) -> Rebuild | None:
    """How to make a field of this annotation from plain data; None where plain data is what it is."""
    if get_origin(hint) in (Union, types.UnionType):
        inner = [part for part in get_args(hint) if part is not types.NoneType]
        of_one = _as_word(inner) if len(inner) > 1 else _rebuild(inner[0])
        return None if of_one is None else lambda value: None if value is None else of_one(value)
    if hint is Ref:
        return Ref._make
    if get_origin(hint) is tuple:
        return _as_key
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _as_word([hint])
    return None


def _classes(module: types.ModuleType) -> Iterator[Any]:
    for value in vars(module).values():
        named = isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
        if named and value.__module__.startswith(module.__name__):
            yield value


_KNOWN: Final[dict[str, Any]] = {
    kind.__name__: kind
    for module in (inputs, cells, effects)
    for kind in _classes(module)
    if kind not in (cells.Edge, cells.Change, effects.FieldChange)
}
_FIELDS: Final[dict[str, tuple[Rebuild | None, ...]]] = {
    name: tuple(_rebuild(get_type_hints(kind)[field]) for field in kind._fields)
    for name, kind in _KNOWN.items()
}
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[Any]).decode


def make(kind: type[Any], *fields: Any) -> Any:
    """A cell or an input from plain data: words instead of enum members."""
    return _make(kind.__name__, list(fields))


def _make(name: str, fields: list[Any]) -> Any:
    rebuild = _FIELDS[name]
    if len(fields) != len(rebuild):
        raise Undecodable(f"{name} has {len(rebuild)} fields, not {len(fields)}")
    made = (value if how is None else how(value) for how, value in zip(rebuild, fields, strict=True))
    return tuple.__new__(_KNOWN[name], made)


def to_plain(value: Cell) -> list[Any]:
    return [type(value).__name__, *value]


def from_plain(plain: list[Any]) -> Any:
    try:
        return _make(plain[0], plain[1:])
    except (KeyError, IndexError, TypeError, ValueError) as fault:
        raise Undecodable(f"no cell or input of this version: {fault!r}") from fault


def to_bytes(value: Cell) -> bytes:
    """A cell or an input as bytes."""
    return _encode(to_plain(value))


def from_bytes(data: bytes) -> Any:
    try:
        plain = _decode(data)
    except ValueError as fault:  # msgspec's own, and text that is no UTF-8
        raise Undecodable(f"no msgpack: {fault}") from fault
    return from_plain(plain)


def digest(*parts: bytes) -> bytes:
    """One hash over these parts; where one ends and the next begins is part of it."""
    hashed = blake2b(digest_size=DIGEST_SIZE)
    for part in parts:
        hashed.update(len(part).to_bytes(4, "big"))
        hashed.update(part)
    return hashed.digest()


def _layout() -> str:
    named = [(name, list(kind._fields)) for name, kind in sorted(_KNOWN.items())]
    return digest(_encode([FORMAT, [str(word) for word in _WORDS], named])).hex()


LAYOUT: Final = _layout()
"""Identity of this encoding. A store that was written with another is not read with this one."""


def rows(
    written: Mapping[Key, Cell | None], pause: Callable[[], object] = int
) -> tuple[tuple[bytes, bytes | None], ...]:
    """Written cells, encoded, in the order of their keys: what is stored, and what a link's hash covers.

    `pause` is called after each: there may be many."""
    encoded = []
    for key, cell in written.items():
        encoded.append((key_to_bytes(key), None if cell is None else to_bytes(cell)))
        pause()
    return tuple(sorted(encoded, key=itemgetter(0)))
