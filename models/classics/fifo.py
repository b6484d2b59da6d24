"""A bounded first-in-first-out queue and the clients that wait in it.

Each client is idle or stands in the queue once, so the states are the arrangements of at most `capacity`
out of `clients`: the sum over k of clients! / (clients - k)!. The queue is `capacity` cells, the head
being cell 0.
"""

from dhruva.explore import Model, Read, for_pairs


def model(clients: int = 4, capacity: int = 3) -> Model:
    m = Model("fifo", clients=clients, capacity=capacity)
    for client in range(clients):
        m.var(("client", client), "idle")
    for client in range(clients):
        m.action(f"ask({client})", ask, client, capacity)
    m.action("serve", serve, capacity)
    places = range(capacity)
    m.always("once", for_pairs(places, differ), "no client stands in the queue twice")
    m.always("no gap", for_pairs(places, filled), "places fill from the head")
    m.sometimes("full", lambda read: read(("place", capacity - 1)) is not None, "the queue can be full")
    m.leads_to(
        "served",
        lambda read: read(("client", 0)) == "waiting",
        lambda read: read(("client", 0)) == "idle",
        "who asks is served, if the server goes on",
        fair="serve",
    )
    return m


def ask(read: Read, client: int, capacity: int) -> object:
    if read(("client", client)) != "idle":
        return None
    for place in range(capacity):
        if read(("place", place)) is None:
            return {("client", client): "waiting", ("place", place): client}
    return None


def serve(read: Read, capacity: int) -> object:
    queue = []
    for place in range(capacity):
        client = read(("place", place))
        if client is None:
            break
        queue.append(client)
    if not queue:
        return None
    moved = {("place", place): client for place, client in enumerate(queue[1:])}
    return {("client", queue[0]): "idle", **moved, ("place", len(queue) - 1): None}


def differ(read: Read, a: int, b: int) -> bool:
    return read(("place", a)) is None or read(("place", a)) != read(("place", b))


def filled(read: Read, a: int, b: int) -> bool:
    return read(("place", b)) is None or read(("place", a)) is not None
