"""Values that are JSON and no larger than they may be: inputs, parameters and results (LIF-16, LIF-17).

A value is looked at before it is encoded, and no further than the bound: a body that returns a hundred
megabytes costs what the bound costs.
"""

from math import isfinite
from typing import Any, Final

import msgspec

INPUTS_MAX: Final = 1024 * 1024  # bytes of JSON that a task is created with
RESULT_MAX: Final = 1024 * 1024  # bytes of JSON that it returns
INT_MAX: Final = 2**63
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


class NotPlain(ValueError):
    """What is no JSON object, or is too large."""


def encoded(value: Any, limit: int, what: str) -> bytes:
    """This object as JSON; an absent one is empty. Raises NotPlain, which names what is wrong with `what`."""
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise NotPlain(f"{what} is a {type(value).__name__}; it must be a JSON object (a dict)")
    _look(value, limit, what)
    try:
        data = _encode(value)
    except (ValueError, TypeError, OverflowError, RecursionError) as fault:
        raise NotPlain(f"{what} is no JSON: {fault}") from fault
    if len(data) > limit:
        raise NotPlain(f"{what} has {len(data)} bytes; at most {limit} are kept")
    return data


def decoded(data: bytes) -> Any:
    return _decode(data)


def _look(value: Any, limit: int, what: str) -> None:
    """Every part is JSON, and their sizes stay within the bound."""
    left = limit
    parts: list[tuple[str, Any]] = [("", value)]
    while parts:
        where, part = parts.pop()
        if isinstance(part, str):
            left -= len(part)
        elif isinstance(part, dict):
            for key, inner in part.items():
                if not isinstance(key, str):
                    raise NotPlain(f"{what}{where}: a key is a {type(key).__name__}; keys are strings")
                left -= len(key)
                parts.append((f"{where}.{key[:40]}", inner))
        elif isinstance(part, list | tuple):
            left -= len(part)
            if left >= 0:
                parts.extend((f"{where}[{at}]", inner) for at, inner in enumerate(part))
        elif not _is_plain(part):
            raise NotPlain(f"{what}{where} is {_called(part)}, which JSON does not know")
        left -= 1
        if left < 0:
            raise NotPlain(f"{what} is larger than {limit} bytes of JSON")


def _called(part: Any) -> str:
    """Values are not told, but for numbers that are none."""
    if isinstance(part, float):
        return f"the float {part}"
    return "an integer beyond 64 bits" if isinstance(part, int) else f"a {type(part).__name__}"


def _is_plain(part: Any) -> bool:
    if part is None or isinstance(part, bool):
        return True
    if isinstance(part, int):
        return -INT_MAX <= part < INT_MAX
    return isinstance(part, float) and isfinite(part)
