"""Single-decree Paxos (Lamport, "Paxos Made Simple"; Paxos.tla of the TLA+ Examples).

Messages are never removed: each kind is one cell. A ballot is led by whoever started it; an acceptor
promises (1b) not to take part in lower ballots and reports its last vote; a leader with promises of a
majority proposes (2a) the value of the highest vote reported, or any value if there is none; acceptors
then vote (2b). Two majorities that voted for different values would be disagreement. With `forgetful`,
acceptors report no vote.

Left out: losing a message is the same as never acting on it. Learners only observe.
"""

from itertools import combinations

from dhruva.explore import Model, Read, for_each


def model(acceptors: int = 3, ballots: int = 2, values: int = 2, forgetful: bool = False) -> Model:
    m = Model("Paxos", acceptors=acceptors, ballots=ballots, values=values, forgetful=forgetful)
    everyone = range(acceptors)
    quorums = list(combinations(everyone, acceptors // 2 + 1))
    for acceptor in everyone:
        m.var(("promised", acceptor), -1)
        m.var(("vote", acceptor), None)
    for ballot in range(ballots):
        m.action(f"start({ballot})", start, ballot)
        for value in range(values):
            m.action(f"propose({ballot}, {value})", propose, ballot, value, quorums)
        for acceptor in everyone:
            m.action(f"promise({acceptor}, {ballot})", promise, acceptor, ballot, forgetful)
            m.action(f"vote({acceptor}, {ballot})", vote, acceptor, ballot)
    pairs = [(a, b) for a in range(ballots) for b in range(a)]
    chosen = [(later, earlier, q, r) for later, earlier in pairs for q in quorums for r in quorums]
    m.always("agreement", for_each(chosen, agree), "no two ballots choose different values")
    m.sometimes("chooses", lambda read: is_chosen(read, 0, quorums[0]), "a value can be chosen")
    m.allow_deadlock("when every ballot is over, nothing more happens")
    return m


def start(_read: Read, ballot: int) -> object:
    """Always possible, as in Paxos.tla; to send again changes nothing."""
    return {("1a", ballot): True}


def promise(read: Read, acceptor: int, ballot: int, forgetful: bool) -> object:
    if not read(("1a", ballot)) or read(("promised", acceptor)) >= ballot:
        return None
    last = None if forgetful else read(("vote", acceptor))
    return {("promised", acceptor): ballot, ("1b", acceptor, ballot): ("voted", last)}


def propose(read: Read, ballot: int, value: int, quorums: list[tuple[int, ...]]) -> object:
    if read(("2a", ballot)) is not None:
        return None
    if any(allows(read, ballot, value, quorum) for quorum in quorums):
        return {("2a", ballot): value}
    return None


def allows(read: Read, ballot: int, value: int, quorum: tuple[int, ...]) -> bool:
    votes = []
    for acceptor in quorum:
        answer = read(("1b", acceptor, ballot))
        if answer is None:
            return False
        if answer[1] is not None:
            votes.append(answer[1])
    return not votes or max(votes)[1] == value


def vote(read: Read, acceptor: int, ballot: int) -> object:
    value = read(("2a", ballot))
    if value is None or read(("promised", acceptor)) > ballot:
        return None
    return {
        ("promised", acceptor): ballot,
        ("vote", acceptor): (ballot, value),
        ("2b", acceptor, ballot): True,
    }


def is_chosen(read: Read, ballot: int, quorum: tuple[int, ...]) -> bool:
    return all(read(("2b", acceptor, ballot)) is not None for acceptor in quorum)


def agree(read: Read, case: tuple[int, int, tuple[int, ...], tuple[int, ...]]) -> bool:
    later, earlier, quorum, other = case
    if not is_chosen(read, later, quorum) or not is_chosen(read, earlier, other):
        return True
    return bool(read(("2a", later)) == read(("2a", earlier)))
