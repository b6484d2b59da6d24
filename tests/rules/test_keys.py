"""Keys are plain tuples that begin with their kind."""

import pytest

from dhruva.cells import FollowUp, Kind
from dhruva.rules import keys
from tests.rules.cast import FLOW, RUN, SCOPE, TASK

NAMED = {
    keys.scope(SCOPE): (Kind.SCOPE, SCOPE),
    keys.policy(SCOPE): (Kind.POLICY, SCOPE),
    keys.task(TASK): (Kind.TASK, TASK),
    keys.spec(TASK): (Kind.SPEC, TASK),
    keys.request(TASK): (Kind.REQUEST, TASK),
    keys.waiter(TASK): (Kind.WAITER, TASK),
    keys.attempt(RUN): (Kind.ATTEMPT, RUN),
    keys.instance(FLOW): (Kind.INSTANCE, FLOW),
    keys.follow(FollowUp.TELL, TASK): (Kind.FOLLOW, FollowUp.TELL, TASK),
    keys.CAP: (Kind.CAP,),
}


@pytest.mark.cites("SHL-1a", "SHL-3b")
def test_a_key_is_its_kind_and_its_ids() -> None:
    assert all(key == written for key, written in NAMED.items())
    assert len(NAMED) == 10
