/* Two-phase commit with `managers` resource managers, as models/classics/two_phase_commit.py has it.
   What was prepared and who joined are sets, kept as masks: the vector is small. */
#define WORKING   0
#define PREPARED  1
#define COMMITTED 2
#define ABORTED   3
#define IN(set, i) ((set >> i) & 1)

byte rm[managers];
short prepared, joined;
bit decided;
byte message;  /* 0, COMMITTED or ABORTED */

#define RM(i) \
  :: d_step { rm[i] == WORKING -> rm[i] = PREPARED; prepared = prepared | (1 << i) } \
  :: d_step { rm[i] == WORKING -> rm[i] = ABORTED } \
  :: d_step { message == COMMITTED -> rm[i] = COMMITTED } \
  :: d_step { message == ABORTED -> rm[i] = ABORTED } \
  :: d_step { !decided && IN(prepared, i) -> joined = joined | (1 << i) }
#define OR_ABORTED(i) || rm[i] == ABORTED
#define OR_COMMITTED(i) || rm[i] == COMMITTED

active proctype all() {
  do
  EACH(managers, RM)
  :: d_step { !decided && joined == (1 << managers) - 1 -> decided = 1; message = COMMITTED }
  :: d_step { !decided -> decided = 1; message = ABORTED }
  :: d_step { (0 EACH(managers, OR_ABORTED)) && (0 EACH(managers, OR_COMMITTED)) -> assert(false) }
  od
}
