"""The towers of Hanoi: every arrangement of n disks is one state, so there are 3^n.

From each state there are three moves, but for the three with all disks on one peg, which have two:
3^(n+1) - 3 transitions. The furthest arrangement is 2^n - 1 moves away. The bad case of a level-by-level
engine: many levels, few states in each.
"""

from dhruva.explore import Model, Read

PEGS = 3


def model(disks: int = 6, solve: bool = True) -> Model:
    m = Model("towers of Hanoi", disks=disks, solve=solve)
    for disk in range(disks):
        m.var(("disk", disk), 0)
    for source in range(PEGS):
        for target in range(PEGS):
            if source != target:
                m.action(f"move({source}, {target})", move, source, target, disks)
    if solve:
        m.sometimes("solved", lambda read: solved(read, disks), "all disks can be brought to the last peg")
    return m


def move(read: Read, source: int, target: int, disks: int) -> object:
    """Disk 0 is the smallest. The first disk found on either peg is the one that decides."""
    for disk in range(disks):
        peg = read(("disk", disk))
        if peg == source:
            return {("disk", disk): target}
        if peg == target:
            return None
    return None


def solved(read: Read, disks: int) -> bool:
    return all(read(("disk", disk)) == PEGS - 1 for disk in reversed(range(disks)))
