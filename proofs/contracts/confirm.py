"""Runs every contract under CrossHair, and takes "confirmed over all paths" for an answer, nothing less.

CrossHair's exit code does not tell confirmed from unknown or vacuous, and a misspelt `posts:` is skipped
without a word. So each `post:` line must be answered by a confirmation of its own, and any other key at the
beginning of a docstring's line is a fault.
"""

import re
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Final, NamedTuple

from crosshair.core_and_libs import analyze_function, run_checkables
from crosshair.options import AnalysisKind, AnalysisOptionSet
from crosshair.statespace import MessageType

from proofs.contracts.registry import CONTRACTS, Contract

FAMILIES: Final = ("act", "dsp", "lif", "rel", "wfl")
KEY: Final = re.compile(r"^\s*(\w+)\s*:")
KNOWN: Final = frozenset({"pre", "post"})
OPTIONS: Final = AnalysisOptionSet(
    analysis_kind=[AnalysisKind.PEP316],
    report_all=True,
    per_condition_timeout=120,
    per_path_timeout=30,
)


class Confirmation(NamedTuple):
    """What CrossHair said of one contract."""

    name: str
    cites: str
    posts: int
    confirmed: int
    faults: tuple[str, ...]
    seconds: float

    @property
    def holds(self) -> bool:
        return not self.faults and self.posts == self.confirmed > 0


def contracts() -> list[Contract]:
    """All of them, in the order of their files."""
    for family in FAMILIES:
        import_module(f"proofs.contracts.{family}")
    return list(CONTRACTS)


def confirm(contract: Contract) -> Confirmation:
    """One contract, over all paths."""
    begun = time.perf_counter()
    keys = list(_keys(contract))
    faults = [f"unknown key {key!r}" for key in keys if key not in KNOWN]
    messages = run_checkables(analyze_function(contract.function, OPTIONS))
    confirmed = sum(1 for message in messages if message.state == MessageType.CONFIRMED)
    faults += [f"{m.state.name.lower()}: {m.message}" for m in messages if m.state != MessageType.CONFIRMED]
    seconds = time.perf_counter() - begun
    return Confirmation(contract.name, contract.cites, keys.count("post"), confirmed, tuple(faults), seconds)


def _keys(contract: Contract) -> Iterator[str]:
    for line in (contract.function.__doc__ or "").splitlines():
        if match := KEY.match(line):
            yield match[1]


def lines(answers: Iterable[Confirmation]) -> Iterator[str]:
    """One line per contract, and its faults below it."""
    for answer in answers:
        mark = "confirmed" if answer.holds else "NOT CONFIRMED"
        yield f"{mark:<13} {answer.name:<62} {answer.posts} posts {answer.seconds:5.1f} s  {answer.cites}"
        yield from (f"    {fault}" for fault in answer.faults)
