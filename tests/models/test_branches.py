"""Every branch of `step` is taken while the quick models are explored, but for those listed with a reason.

The list must be exact: an answer that is given after all is struck off.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict

import pytest

from tests.models import branches
from tests.models.branches import ROOT, Never, marked, never, took

PRESENCE = re.compile(
    r"^(?!refused|reason|lacks)[\w.]+ is (not )?None$|^walk\[keys.TASK, given.task\] is None$"
)
"""Whether a cell, or what it refers to, is there. A rule asks that of every cell, also where an invariant
says that it is, so that `step` is total: proofs ask it in worlds where nothing holds (proofs/README.md)."""

NOT_OF_STEP = {
    "decide.errors.reexecution_refused": "the code that people get, asked by `requests`",
    "decide.plan.plan": "asked by the runtime: what comes of it is an input",
    "decide.readiness.blocks": "a view, asked by `why`",
    "decide.readiness.blocked": "a view, asked by `why`",
    "decide.readiness._chain": "a view, asked by `why`",
    "decide.retry.backoff_ms": "asked by the runtime: how long a timer runs",
    "decide.signal.route": "what an error of a slice comes to, asked by the engine of workflows",
    "step.book": "makes a kernel",
}
"""Functions of these modules that no step calls; those of decide/fields.py say what becomes of a record."""

OPTIONAL = (
    "what a follow-up asks of the next cell is optional in the wiring, so that nothing of it is refused"
)
HANDED_OUT_ONCE = "against the assumption that an id is handed out once; the gate holds all the same"
ONE_LISTED = "only what is ready stands in a lane, and in the lane of its own scope"
UNTAKEN = {
    Never("decide.authority.authorize", "tries >= max_tries", True): (
        "who has used up its tries does not ask: `tries_left` is asked first; ACT-2 wants both"
    ),
    Never("decide.outcome.settle", "reason is None", False): "who was asked to stop never succeeded",
    Never("walk.carry", "refused is not None", True): OPTIONAL,
    Never("rules.follow_ups.abort_each", "refused is not None", True): OPTIONAL,
    Never("rules.follow_ups.reject_queued", "refused is not None", True): OPTIONAL,
    Never("rules.follow_ups.end_resources", "refused is not None", True): OPTIONAL,
    Never("rules.follow_ups.tell", "refused is not None", True): OPTIONAL,
    Never("rules.authority.commit", "known is not None", True): "numbers of attempts only grow",
    Never("rules.authority.commit", "known", True): "numbers of attempts only grow",
    Never("rules.authority.commit", "known", False): "refused for want of a scope, which each of them has",
    Never("rules.lanes._part", "walk[key]", False): "who stands in a line is known to the cell of its ends",
    Never(
        "rules.lanes.ready", "lacks is not None", False
    ): "asked without an executor, which is then lacking",
    Never("rules.follow_ups._forget", "authority.runs(walk, ref)", True): (
        "what an attempt holds is told to end when it is asked to, or has"
    ),
    Never("rules.follow_ups.ask_again", "walk[keys.REQUEST, key[2]] is not None", True): HANDED_OUT_ONCE,
    Never("rules.scopes._start_request", "request.scope != given.scope", True): ONE_LISTED,
    Never("rules.locks.observe", "refused is None", False): "each event is a row of each policy",
    Never("rules.deeds.tell_if_ended", "task.alive", True): (
        "a task that ends while its body runs is told of at the end of the body"
    ),
}


def _is_listed(one: Never) -> bool:
    """Absence where something must be there, or a function that step does not call."""
    absent = one.answer is one.condition.endswith("is None")
    is_presence = PRESENCE.match(one.condition) is not None and absent
    other = one.function in NOT_OF_STEP or one.function.startswith("decide.fields.")
    return is_presence or other


@pytest.mark.cites("VER-5")
def test_every_branch_is_taken_or_listed_with_a_reason() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.models.branches"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found = {Never(*one) for one in json.loads(run.stdout)["never"]}
    assert {one for one in found if not _is_listed(one)} == UNTAKEN.keys()


TOY = """
def toy(a, b):
    if a > 1 and b:
        return 1
    return 2 if not a else b or 3
"""


def test_an_answer_that_is_never_given_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branches, "SITES", [])
    monkeypatch.setattr(branches, "ANSWERS", defaultdict(set))
    names = {"_took": took}
    exec(compile(marked(TOY, "toy"), "toy.py", "exec"), names)  # the source above, marked
    toy = names["toy"]
    assert [toy(2, 1), toy(2, 0), toy(1, 0)] == [1, 3, 3]
    assert {str(one.condition): one.answer for one in never()} == {"b": True, "not a": True}
    assert [toy(0, 0), toy(1, 1)] == [2, 1]
    assert never() == []
