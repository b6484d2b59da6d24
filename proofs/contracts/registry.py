"""Contracts on leaf decisions: what each must promise, written as postconditions that CrossHair confirms.

A contract is a function that asks the shipped decision, with `pre:` and `post:` lines in its docstring. The
lines state a requirement, never the code again; the kernel itself carries none, so no contract leans on
another. CrossHair runs the decision on symbolic arguments: "confirmed over all paths" means for every
argument that meets `pre:`.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Contract(NamedTuple):
    """One registered contract."""

    function: Callable[..., Any]
    cites: str

    @property
    def name(self) -> str:
        return self.function.__name__.replace("_", " ")


CONTRACTS: Final[list[Contract]] = []


def contract(*, cites: str) -> Callable[[F], F]:
    """Register a function whose docstring holds the contract."""

    def register(function: F) -> F:
        CONTRACTS.append(Contract(function, cites))
        return function

    return register
