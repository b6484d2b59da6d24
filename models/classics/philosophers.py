"""Dining philosophers (Dijkstra 1965): each takes the left fork, then the right one, eats, and lays both
down.

They deadlock when everyone holds the left fork; with `polite` the last one takes the right fork first,
and they do not. Without `polite` the number of states is the trace of the transfer matrix of one seat,
the Pell-Lucas number (1+sqrt 2)^n + (1-sqrt 2)^n: 18 seats have 7,761,798 states.

Left out: laying down the forks one at a time. It adds states and no new way to wait for another.
"""

from dhruva.explore import Model, Read


def model(seats: int = 5, polite: bool = False) -> Model:
    m = Model("dining philosophers", seats=seats, polite=polite)
    for seat in range(seats):
        m.var(("fork", seat), "free")
    for seat in range(seats):
        left, right = ("fork", seat), ("fork", (seat + 1) % seats)
        first, second = (left, right) if not (polite and seat == seats - 1) else (right, left)
        mine = {left: "by its left", right: "by its right"}
        m.action(f"take first({seat})", take_first, first, mine[first])
        m.action(f"eat({seat})", take_second, first, mine[first], second, mine[second])
        m.action(f"leave({seat})", leave, first, mine[first], second, mine[second])
    m.sometimes("someone eats", lambda read: eats(read, 0, seats), "a philosopher can eat")
    return m


def take_first(read: Read, fork: object, mine: str) -> object:
    return {fork: mine} if read(fork) == "free" else None


def take_second(read: Read, first: object, mine: str, second: object, also: str) -> object:
    return {second: also} if read(first) == mine and read(second) == "free" else None


def leave(read: Read, first: object, mine: str, second: object, also: str) -> object:
    return {first: "free", second: "free"} if read(first) == mine and read(second) == also else None


def eats(read: Read, seat: int, seats: int) -> bool:
    return bool(
        read(("fork", seat)) == "by its left" and read(("fork", (seat + 1) % seats)) == "by its right"
    )
