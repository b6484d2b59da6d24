"""The digest of a kernel: the same for the same rules wherever they run, another for any other rule."""

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import dhruva
from dhruva import identity
from dhruva.cells import FollowUp
from dhruva.decide import admission
from dhruva.inputs import Dispose, Suspend
from dhruva.machines import MACHINES, scope
from dhruva.machines.scope import SCOPE, ScopeEvent, ScopeState
from dhruva.rules import RULES
from dhruva.rules.deeds import DEEDS
from dhruva.rules.follow_ups import HANDLERS
from dhruva.rules.guards import GUARDS
from dhruva.walk import DECISIONS, SETTINGS
from dhruva.wiring import WIRING, Does


def elsewhere(*_facts: Any) -> Any:
    """A decision that we do not ship."""
    return 0


ROWS = tuple(
    replace(row, target=ScopeState.ATTACHED) if row.on == ScopeEvent.RESUME else row for row in SCOPE.rows
)
OTHERS: dict[str, dict[str, Any]] = {
    "a row": {"tables": {**MACHINES, "scope": replace(SCOPE, rows=ROWS)}},
    "a table less": {"tables": {name: MACHINES[name] for name in list(MACHINES)[1:]}},
    "a wire less": {"wiring": WIRING[1:]},
    "wires in another order": {"wiring": (WIRING[1], WIRING[0], *WIRING[2:])},
    "a decision": {"decisions": DECISIONS._replace(pressure=elsewhere)},
    "a lambda": {"decisions": DECISIONS._replace(pressure=lambda *_: 0)},
    "another lambda": {"decisions": DECISIONS._replace(pressure=lambda *_: 1)},
    "a guard": {"guards": {**GUARDS, ("scope", "empty"): GUARDS["parked", "override"]}},
    "a handler": {"handlers": {**HANDLERS, FollowUp.TELL: HANDLERS[FollowUp.READY]}},
    "a rule": {"rules": {**RULES, Dispose: RULES[Suspend]}},
    "a deed": {"deeds": {**DEEDS, Does.WAKE: DEEDS[Does.RETAIN]}},
    **{
        f"setting {name}": {"settings": SETTINGS._replace(**{name: 1 - getattr(SETTINGS, name)})}
        for name in SETTINGS._fields
    },
}


@pytest.mark.cites("SHL-9")
def test_another_rule_is_another_digest() -> None:
    """Each other kernel differs from ours, and all differ from each other."""
    digests = [dhruva.digest(), *(dhruva.digest(**changed) for changed in OTHERS.values())]
    assert len(set(digests)) == 1 + len(OTHERS)


@pytest.mark.cites("SHL-9")
def test_what_differs_is_named() -> None:
    ours, theirs = identity.by_part(), identity.by_part(**OTHERS["a row"])
    assert {name for name in ours if ours[name] != theirs[name]} == {"table scope"}


@pytest.mark.cites("SHL-9", "ACT-14c")
@pytest.mark.parametrize("seed", ["0", "4711"])
def test_the_digest_is_the_same_in_every_process(seed: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", "import dhruva; print(dhruva.digest())"],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == dhruva.digest()


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModuleType, str, str], str]:
    """The digest of the kernel in which a module's text is changed at one place."""

    def plant(module: ModuleType, old: str, new: str) -> str:
        text = Path(module.__file__ or "").read_text(encoding="utf-8")
        assert text.count(old) == 1
        read = inspect.getsource
        changed = text.replace(old, new)
        monkeypatch.setattr(inspect, "getsource", lambda of: changed if of is module else read(of))
        for remembers in (identity._tree, identity._code, identity._imports):
            remembers.cache_clear()
        try:
            return dhruva.digest()
        finally:
            monkeypatch.undo()
            for remembers in (identity._tree, identity._code, identity._imports):
                remembers.cache_clear()

    return plant


@pytest.mark.cites("SHL-9")
def test_code_that_decides_otherwise_is_another_digest(planted: Callable[..., str]) -> None:
    """A helper that only a decision calls; a limit; a bound of a loop in a rule."""
    ours = dhruva.digest()
    assert planted(admission, "min(max(value, 0), most)", "min(max(value, 1), most)") != ours
    assert planted(dhruva.limits, "COOPERATIVE_BOUND: Final = 4", "COOPERATIVE_BOUND: Final = 3") != ours
    assert planted(dhruva.rules.carriers, "NUMBERS: Final = (1, 2, 3, 4)", "NUMBERS: Final = (1, 2)") != ours


@pytest.mark.cites("SHL-9")
def test_prose_is_left_out(planted: Callable[..., str]) -> None:
    """A docstring, a comment, the sentence of a symbol, layout."""
    ours = dhruva.digest()
    assert planted(admission, "The answer to a signal, with", "What a signal gets, with") == ours
    assert planted(dhruva.limits, "# no configuration goes above it; DSP-6", "# an absolute bound") == ours
    assert planted(scope, "live = 0: no attempt", "no attempt") == ours
    assert (
        planted(admission, "return min(max(value, 0), most)", "return min(\n        max(value, 0), most)")
        == ours
    )


@pytest.mark.cites("SHL-9")
def test_a_set_of_states_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = dhruva.digest()
    monkeypatch.setattr(scope, "CAN_EXECUTE", frozenset({ScopeState.RUNNING}))
    assert dhruva.digest() != ours


def test_code_that_cannot_be_read_is_named() -> None:
    unread = eval("lambda *_: 0")
    with pytest.raises(identity.Unsourced, match="decision pressure"):
        dhruva.digest(decisions=DECISIONS._replace(pressure=unread))
