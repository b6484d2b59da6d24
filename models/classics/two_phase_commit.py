"""Two-phase commit (Gray and Lamport, "Consensus on Transaction Commit"; TwoPhase.tla of the TLA+
Examples).

Messages are never lost and never removed: each kind of message sent is one cell. Published for 3
managers: 288 distinct states; TLC says 1,146 generated and 11 levels. TLC counts the initial state as
generated and levels from 1; we count edges and depth from 0: 1,145 and 10. More managers, states and
edges: 7: 296,448 / 2,744,705; 8: 1,745,408 / 18,507,777; 9: 10,340,352 / 123,558,401.

Left out: crashes and timeouts of the coordinator. They only remove behaviour, so safety is not weakened.
"""

from dhruva.explore import Model, Read, for_pairs


def model(managers: int = 3) -> Model:
    m = Model("two-phase commit", managers=managers)
    everyone = range(managers)
    for rm in everyone:
        m.var(("rm", rm), "working")
        m.var(("prepared", rm), False)
        m.var(("joined", rm), False)
    m.var("tm", "init")
    m.var("message", "none")

    for rm in everyone:
        m.action(f"prepare({rm})", prepare, rm)
        m.action(f"choose to abort({rm})", choose_to_abort, rm)
        m.action(f"hear commit({rm})", hear, rm, "commit", "committed")
        m.action(f"hear abort({rm})", hear, rm, "abort", "aborted")
        m.action(f"note prepared({rm})", note_prepared, rm)
    m.action("commit", commit, managers)
    m.action("abort", abort)

    m.always(
        "consistent",
        for_pairs(everyone, agree),
        "no two managers decide differently",
    )
    m.sometimes("commits", lambda read: read(("rm", 0)) == "committed", "a transaction can commit")
    m.sometimes("aborts", lambda read: read(("rm", 0)) == "aborted", "a transaction can abort")
    return m


def prepare(read: Read, rm: int) -> object:
    if read(("rm", rm)) != "working":
        return None
    return {("rm", rm): "prepared", ("prepared", rm): True}


def choose_to_abort(read: Read, rm: int) -> object:
    return {("rm", rm): "aborted"} if read(("rm", rm)) == "working" else None


def hear(read: Read, rm: int, message: str, outcome: str) -> object:
    return {("rm", rm): outcome} if read("message") == message else None


def note_prepared(read: Read, rm: int) -> object:
    if read("tm") != "init" or not read(("prepared", rm)):
        return None
    return {("joined", rm): True}


def commit(read: Read, managers: int) -> object:
    if read("tm") != "init" or not all(read(("joined", rm)) for rm in range(managers)):
        return None
    return {"tm": "done", "message": "commit"}


def abort(read: Read) -> object:
    return {"tm": "done", "message": "abort"} if read("tm") == "init" else None


def agree(read: Read, a: int, b: int) -> bool:
    return {read(("rm", a)), read(("rm", b))} != {"aborted", "committed"}
