"""The alternating bit protocol (Bartlett, Scantlebury and Wilkinson 1969) over channels that lose
messages.

The sender repeats a numbered message until its bit is acknowledged; the receiver acknowledges every
message and delivers those with the expected bit. Each channel holds one message; a send into a full
channel is lost. Delivery needs fairness: repeated sends must sometimes get through, so receiving is
strongly fair, since a message may be lost before each chance to receive it; weak fairness
(`strong=false`) is not enough.
"""

from dhruva.explore import Model, Read


def model(messages: int = 2, strong: bool = True) -> Model:
    m = Model("alternating bit", messages=messages, strong=strong)
    m.var("sent", 0)
    m.var("delivered", 0)
    m.var("data", None)
    m.var("answer", None)
    m.action("send", send, messages)
    m.action("acknowledge", acknowledge)
    m.action("receive", receive)
    m.action("hear", hear)
    m.action("lose data", lambda read: {"data": None} if read("data") is not None else None)
    m.action("lose answer", lambda read: {"answer": None} if read("answer") is not None else None)
    m.always(
        "in step",
        lambda read: 0 <= read("delivered") - read("sent") <= 1,
        "nothing is delivered twice, and nothing is skipped",
    )
    m.sometimes("done", lambda read: read("sent") == messages, "all messages can be acknowledged")
    often = ("receive", "hear")
    m.eventually(
        "delivered",
        lambda read: read("delivered") == messages,
        "every message is delivered in the end",
        fair=("send", "acknowledge", *(() if strong else often)),
        strongly_fair=often if strong else (),
    )
    m.final(lambda read: read("sent") == messages)
    return m


def send(read: Read, messages: int) -> object:
    """Message number `sent` travels with the lowest bit of its number."""
    if read("sent") == messages:
        return None
    return {"data": read("sent") % 2} if read("data") is None else {}


def receive(read: Read) -> object:
    bit = read("data")
    if bit is None:
        return None
    delivered = read("delivered")
    return {"data": None, "delivered": delivered + 1} if bit == delivered % 2 else {"data": None}


def acknowledge(read: Read) -> object:
    """The last message that was delivered is acknowledged again and again."""
    if read("delivered") == 0:
        return None
    return {"answer": (read("delivered") - 1) % 2} if read("answer") is None else {}


def hear(read: Read) -> object:
    bit = read("answer")
    if bit is None:
        return None
    sent = read("sent")
    acknowledged = bit == sent % 2 and read("delivered") > 0
    return {"answer": None, "sent": sent + 1} if acknowledged else {"answer": None}
