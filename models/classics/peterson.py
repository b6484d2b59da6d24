"""Peterson's algorithm for n processes (Peterson 1981): n - 1 waiting rooms, each keeps the last to enter
back.

A process enters a room by two writes, its level and then the room's `last`; it goes on when nobody else
is at this level or beyond, or when another entered the room after it. With `late`, it writes `last`
first: for two processes that is the textbook mistake, and two can be in the critical section at once.

Left out: the test of the other processes is one step. Reading them one at a time is known to be safe too.
"""

from dhruva.explore import Model, Read, for_pairs


def model(processes: int = 3, late: bool = False) -> Model:
    m = Model("Peterson", processes=processes, late=late)
    everyone = range(processes)
    for process in everyone:
        m.var(("at", process), "idle")
        m.var(("level", process), 0)
    for room in range(1, processes):
        m.var(("last", room), None)
    for process in everyone:
        m.action(f"first write({process})", first_write, process, late)
        m.action(f"second write({process})", second_write, process, late)
        m.action(f"go on({process})", go_on, process, processes)
        m.action(f"leave({process})", leave, process)
    m.always("exclusive", for_pairs(everyone, apart), "no two are in the critical section at once")
    m.sometimes("enters", lambda read: read(("at", 0)) == "critical", "a process can enter")
    if processes > 1:
        m.leads_to(
            "no starvation",
            lambda read: read(("at", 0)) == "waiting",
            lambda read: read(("at", 0)) == "critical",
            "who waits gets in, if nobody stops for ever",
            fair="*",
        )
    return m


def first_write(read: Read, process: int, late: bool) -> object:
    at = read(("at", process))
    if at not in ("idle", "next"):
        return None
    room = read(("level", process)) + 1
    if late:
        return {("at", process): "entering", ("last", room): process}
    return {("at", process): "entering", ("level", process): room}


def second_write(read: Read, process: int, late: bool) -> object:
    if read(("at", process)) != "entering":
        return None
    level = read(("level", process))
    if late:
        return {("at", process): "waiting", ("level", process): level + 1}
    return {("at", process): "waiting", ("last", level): process}


def go_on(read: Read, process: int, processes: int) -> object:
    if read(("at", process)) != "waiting":
        return None
    room = read(("level", process))
    others = (other for other in range(processes) if other != process)
    if read(("last", room)) == process and any(read(("level", other)) >= room for other in others):
        return None
    return {("at", process): "critical" if room == processes - 1 else "next"}


def leave(read: Read, process: int) -> object:
    if read(("at", process)) != "critical":
        return None
    return {("at", process): "idle", ("level", process): 0}


def apart(read: Read, a: int, b: int) -> bool:
    return not (read(("at", a)) == "critical" and read(("at", b)) == "critical")
