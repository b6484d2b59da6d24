"""A token ring: one token, each node works only while it holds it.

Nothing forces a node to pass the token on: without fairness a run may stop, or one node may work for
ever, so that others never get their turn. With `fair`, passing on is weakly fair, and every node has its
turn. A node that works while it holds the token changes nothing that others see: a self-loop, which
satisfies no fairness.
"""

from dhruva.explore import Model, Read, count


def model(nodes: int = 4, fair: bool = True) -> Model:
    m = Model("token ring", nodes=nodes, fair=fair)
    for node in range(nodes):
        m.var(("token", node), node == 0)
        m.var(("work", node), 0)
    for node in range(nodes):
        m.action(f"pass on({node})", pass_on, node, (node + 1) % nodes)
        m.action(f"work({node})", work, node)
    one = count(range(nodes), lambda read, node: read(("token", node)))
    m.always("one token", one.equals(1), "there is exactly one token")
    m.leads_to(
        "turn",
        lambda read: not read(("token", nodes - 1)),
        lambda read: read(("token", nodes - 1)),
        "the last node gets its turn, again and again",
        fair=("pass on(*)",) if fair else (),
    )
    return m


def pass_on(read: Read, node: int, following: int) -> object:
    if not read(("token", node)):
        return None
    if node == following:
        return {}
    return {("token", node): False, ("token", following): True}


def work(read: Read, node: int) -> object:
    return {("work", node): 1 - read(("work", node))} if read(("token", node)) else None
