"""The rules: what each input means. One file per family; `RULES` has them all, by the class of the input.

A rule reads cells through the walk, fires events of machines, and says nothing that a table, a decision
or the wiring already says. `GUARDS`, `WHICH` and `DEEDS` are what the symbols of those tables mean.
"""

from typing import Final

from dhruva.rules import attempts, carriers, flows, follow_ups, locks, scopes, tasks
from dhruva.walk import Rule

RULES: Final[dict[type, Rule]] = {
    **scopes.RULES,
    **attempts.RULES,
    **tasks.RULES,
    **carriers.RULES,
    **locks.RULES,
    **flows.RULES,
    **follow_ups.RULES,
}
