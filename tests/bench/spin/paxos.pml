/* Single-decree Paxos with three acceptors, as models/classics/paxos.py has it (not forgetful).
   A vote is 0 or 1 + ballot * values + value; an answer (1b) is 0 or 1 + the last vote. */
#define ACCEPTORS 3
#define VOTE(b, v) (1 + b * values + v)
#define AT(a, b) [(a) * ballots + (b)]

byte promised[ACCEPTORS];  /* the ballot plus 1 */
byte vote[ACCEPTORS];
bit started[ballots];
byte answer[ACCEPTORS * ballots];
byte proposed[ballots];    /* the value plus 1 */
bit voted[ACCEPTORS * ballots];

#define MORE(x, y) (x > y -> x : y)
#define OK(most, v) (most == 1 || (most - 2) % values == v)
#define ALLOWS(p, q, b, v) (answer AT(p, b) && answer AT(q, b) && OK(MORE(answer AT(p, b), answer AT(q, b)), v))
#define PROPOSE(b, v) \
  :: d_step { v < values && !proposed[b] && (ALLOWS(0, 1, b, v) || ALLOWS(0, 2, b, v) || ALLOWS(1, 2, b, v)) -> \
              proposed[b] = v + 1 }
#define ACCEPT(a, b) \
  :: d_step { started[b] && promised[a] <= b -> promised[a] = b + 1; answer AT(a, b) = vote[a] + 1 } \
  :: d_step { proposed[b] && promised[a] <= b + 1 -> \
              promised[a] = b + 1; vote[a] = VOTE(b, proposed[b] - 1); voted AT(a, b) = 1 }
#define BALLOT(b) \
  :: d_step { true -> started[b] = 1 } \
  PROPOSE(b, 0) \
  PROPOSE(b, 1) \
  ACCEPT(0, b) \
  ACCEPT(1, b) \
  ACCEPT(2, b)
#define CHOSEN(b) (voted AT(0, b % ballots) + voted AT(1, b % ballots) + voted AT(2, b % ballots) >= 2)
#define DIFFER(b, c) || (c < b && CHOSEN(b) && CHOSEN(c) && proposed[b] != proposed[c % ballots])
#define DIFFERS(b) DIFFER(b, 0) DIFFER(b, 1) DIFFER(b, 2)

active proctype all() {
  do
  EACH(ballots, BALLOT)
  :: d_step { 0 EACH(ballots, DIFFERS) -> assert(false) }
  od
}
