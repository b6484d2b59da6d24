"""All stories by name: every public function of the scenario files that takes nothing."""

from collections.abc import Callable
from types import FunctionType
from typing import Final

from tests.rules import scenarios, scenarios_dispatch, scenarios_flows
from tests.rules.scenarios import Story

STORIES: Final[dict[str, Callable[[], Story]]] = {
    name: story
    for told in (scenarios, scenarios_dispatch, scenarios_flows)
    for name, story in vars(told).items()
    if isinstance(story, FunctionType) and story.__module__ == told.__name__ and not name.startswith("_")
}
