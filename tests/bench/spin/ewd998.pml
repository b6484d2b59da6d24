/* Termination detection in a ring of three nodes, as models/classics/ewd998.py has it: one state before the
   192 in which EWD998.tla may start. */
#define NODES   3
#define NOWHERE 3

bit active_[NODES], black[NODES];
short balance[NODES];
byte mail[NODES];
byte at = NOWHERE;
short sum;
bit stained = 1;

#define EITHER(x) if :: x = 0 :: x = 1 fi
#define BUSY(i) (active_[i] || mail[i])
#define QUIET (at == 0 && !stained && !black[0] && !BUSY(0) && sum + balance[0] == 0)
#define PASS(i) \
  :: d_step { at == i && !active_[i] -> \
              at = i - 1; sum = sum + balance[i]; stained = stained || black[i]; black[i] = 0 }
#define NODE(i) \
  :: d_step { mail[i] -> mail[i]--; balance[i]--; active_[i] = 1; black[i] = 1 } \
  :: d_step { active_[i] -> active_[i] = 0 } \
  SEND(i, (i + 1) % NODES) \
  SEND(i, (i + 2) % NODES)
#define SEND(i, j) \
  :: d_step { active_[i] && balance[i] < bound && mail[j] < bound -> balance[i]++; mail[j]++ }

active proctype all() {
  do
  :: atomic { at == NOWHERE ->
              EITHER(active_[0]); EITHER(active_[1]); EITHER(active_[2]);
              EITHER(black[0]); EITHER(black[1]); EITHER(black[2]);
              if :: at = 0 :: at = 1 :: at = 2 fi }
  :: d_step { at == 0 && (stained || black[0] || sum + balance[0] > 0) ->
              at = NODES - 1; sum = 0; stained = 0; black[0] = 0 }
  PASS(1)
  PASS(2)
  EACH(NODES, NODE)
  :: d_step { QUIET && (BUSY(1) || BUSY(2)) -> assert(false) }
  :: d_step { mail[0] + mail[1] + mail[2] != balance[0] + balance[1] + balance[2] -> assert(false) }
  od
}
