"""`python -m proofs.contracts`: every contract, on both cores. Anything but a confirmation exits with 1."""

import sys
from concurrent.futures import ProcessPoolExecutor

from proofs.contracts.confirm import Confirmation, confirm, contracts, lines


def confirmed(place: int) -> Confirmation:
    """The contract at this place of the list; functions do not travel between processes, places do."""
    return confirm(contracts()[place])


def confirmed_all() -> list[Confirmation]:
    """Every contract, and a line about each."""
    with ProcessPoolExecutor(2) as pool:
        answers = list(pool.map(confirmed, range(len(contracts()))))
    for line in lines(answers):
        sys.stdout.write(f"{line}\n")
    good = sum(answer.holds for answer in answers)
    posts = sum(answer.confirmed for answer in answers)
    sys.stdout.write(
        f"{good} of {len(answers)} contracts confirmed over all paths ({posts} postconditions)\n"
    )
    return answers


if __name__ == "__main__":
    sys.exit(0 if all(one.holds for one in confirmed_all()) else 1)
