"""Termination detection in a ring (Dijkstra, Safra: EWD998; EWD998.tla of the TLA+ Examples).

Nodes work, send messages that wake others, and fall asleep. A token goes round and adds up what each node
sent less what it received; a node that received since the token's last visit blackens it. Node 0
announces termination only if the round was white and the sum is 0.

Bounded here: a node sends only while its balance and the receiver's mailbox are below `bound`, so that
numbers run out instead of wrapping; StateConstraint of EWD998.tla is bound 3. EWD998.tla starts in any of
N * 4^N states: any nodes are active, any are black, and the token, which is black, is anywhere. A model here
has one initial state, so a first step leads into any of them: one state and N * 4^N transitions more. Other
checkers count 6,007,582 states for 3 nodes and bound 4, and 37,525,899 transitions with one for each initial
state; here it is 6,007,583 and 37,525,899.
"""

from itertools import product

from dhruva.explore import Model, Read, count, total

NOWHERE = "nowhere"


def model(nodes: int = 3, bound: int = 1) -> Model:
    m = Model("EWD998", nodes=nodes, bound=bound)
    everyone = range(nodes)
    for node in everyone:
        m.var(("active", node), False)
        m.var(("black", node), False)
        m.var(("balance", node), 0)
        m.var(("mail", node), 0)
    m.var("token at", NOWHERE)
    m.var("token sum", 0)
    m.var("token black", True)
    m.action("begin", begin, nodes)
    m.action("start a round", start_round, nodes)
    for node in everyone:
        if node:
            m.action(f"pass token({node})", pass_token, node)
        m.action(f"receive({node})", receive, node)
        m.action(f"sleep({node})", sleep, node)
        for other in everyone:
            if other != node:
                m.action(f"send({node}, {other})", send, node, other, bound)
    busy = count(everyone, is_busy)
    m.always(
        "right", when=announced, then=busy.at_most(0), sentence="termination is announced only when it is so"
    )
    in_flight = total(everyone, lambda read, node: read(("mail", node)))
    balance = total(everyone, lambda read, node: read(("balance", node)))
    m.always("balanced", in_flight.equals(balance), "what was sent and not received is in the mail")
    m.final(announced)
    return m


def begin(read: Read, nodes: int) -> object:
    """Into any state that EWD998.tla may start in."""
    if read("token at") != NOWHERE:
        return None
    flags = tuple(product((False, True), repeat=nodes))
    return [
        {"token at": at, **_each("active", active), **_each("black", black)}
        for at, active, black in product(range(nodes), flags, flags)
    ]


def _each(name: str, flags: tuple[bool, ...]) -> dict[tuple[str, int], bool]:
    return {(name, node): flag for node, flag in enumerate(flags)}


def announced(read: Read) -> bool:
    return bool(
        read("token at") == 0
        and not read("token black")
        and not read(("black", 0))
        and not is_busy(read, 0)
        and read("token sum") + read(("balance", 0)) == 0
    )


def is_busy(read: Read, node: int) -> bool:
    return bool(read(("active", node)) or read(("mail", node)) > 0)


def start_round(read: Read, nodes: int) -> object:
    if read("token at") != 0:
        return None
    stained = read("token black") or read(("black", 0))
    if not stained and read("token sum") + read(("balance", 0)) <= 0:
        return None
    return {"token at": nodes - 1, "token sum": 0, "token black": False, ("black", 0): False}


def pass_token(read: Read, node: int) -> object:
    if read("token at") != node or read(("active", node)):
        return None
    return {
        "token at": node - 1,
        "token sum": read("token sum") + read(("balance", node)),
        "token black": read("token black") or read(("black", node)),
        ("black", node): False,
    }


def receive(read: Read, node: int) -> object:
    mail = read(("mail", node))
    if mail == 0:
        return None
    return {
        ("mail", node): mail - 1,
        ("balance", node): read(("balance", node)) - 1,
        ("active", node): True,
        ("black", node): True,
    }


def sleep(read: Read, node: int) -> object:
    return {("active", node): False} if read(("active", node)) else None


def send(read: Read, node: int, other: int, bound: int) -> object:
    if not read(("active", node)):
        return None
    balance, mail = read(("balance", node)), read(("mail", other))
    if balance >= bound or mail >= bound:
        return None
    return {("balance", node): balance + 1, ("mail", other): mail + 1}
