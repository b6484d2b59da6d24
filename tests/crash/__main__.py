"""`make crash`: at least 300 SIGKILLs, at every place, with one and with two processes per store."""

import logging
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.crash.rounds import check, play, rounds, told
from tests.crash.victim import Place

DEATHS, AT_EACH = 300, 20
STORES = ((1, 75), (2, 80), (1, 75), (2, 80))  # processes at a time, deaths


def main() -> int:
    logging.getLogger("dhruva.runtime").setLevel(logging.CRITICAL)  # each death is warned of
    began, died = time.monotonic(), Counter[Place]()
    for seed, (together, deaths) in enumerate(STORES):
        with tempfile.TemporaryDirectory() as folder:
            store, log = Path(folder) / "work.db", Path(folder) / "told"
            here: Counter[Place] = Counter()
            for this in rounds(seed, deaths, together):
                here += play(store, log, this)
            accepted, ended = told(log)
            tasks, links = check(store, log)
            died += here
            say(
                f"store {seed + 1}: {together} at a time, {sum(here.values())} killed; {len(accepted)} tasks"
                f" accepted and {len(ended)} ends told, none lost; {tasks} completed, each once;"
                f" {links} links replay clean"
            )
    for place in Place:
        say(f"  {'anywhere' if place == Place.NOWHERE else place:<36} {died[place]:>4}")
    enough = sum(died.values()) >= DEATHS and all(
        died[place] >= AT_EACH for place in Place if place != Place.NOWHERE
    )
    say(
        f"{sum(died.values())} killed in {time.monotonic() - began:.0f} s: {'holds' if enough else 'TOO FEW'}"
    )
    return 0 if enough else 1


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
