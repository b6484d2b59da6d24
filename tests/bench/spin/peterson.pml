/* Peterson's algorithm for up to seven processes, as models/classics/peterson.py has it (not late). */
#define IDLE     0
#define ENTERING 1
#define WAITING  2
#define NEXT     3
#define CRITICAL 4

byte at[processes], level[processes];
byte last[processes];  /* by room, from 1: who entered last, plus 1; 0 for nobody */

/* Somebody else is at the level of i or beyond; j runs over more than there are. */
#define IS_AHEAD(i, j) (j < processes && j != i && level[j % processes] >= level[i])
#define BLOCKED(i) (IS_AHEAD(i, 0) || IS_AHEAD(i, 1) || IS_AHEAD(i, 2) || IS_AHEAD(i, 3) \
                    || IS_AHEAD(i, 4) || IS_AHEAD(i, 5) || IS_AHEAD(i, 6))
#define PROCESS(i) \
  :: d_step { at[i] == IDLE || at[i] == NEXT -> level[i]++; at[i] = ENTERING } \
  :: d_step { at[i] == ENTERING -> last[level[i]] = i + 1; at[i] = WAITING } \
  :: d_step { at[i] == WAITING && (last[level[i]] != i + 1 || !BLOCKED(i)) -> \
              at[i] = (level[i] == processes - 1 -> CRITICAL : NEXT) } \
  :: d_step { at[i] == CRITICAL -> at[i] = IDLE; level[i] = 0 }
#define PLUS_CRITICAL(i) + (at[i] == CRITICAL)

active proctype all() {
  do
  EACH(processes, PROCESS)
  :: d_step { (0 EACH(processes, PLUS_CRITICAL)) > 1 -> assert(false) }
  od
}
