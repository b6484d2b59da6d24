/* The towers of Hanoi: a peg is the set of its disks, as a mask; the smallest disk is the lowest bit. */
short a = (1 << disks) - 1, b, c;

#define TOP(peg) (peg & (0 - peg))
#define MOVE(from, to) \
  :: d_step { from && (!to || TOP(from) < TOP(to)) -> to = to | TOP(from); from = from & (from - 1) }

active proctype all() {
  do
  MOVE(a, b) MOVE(a, c) MOVE(b, a) MOVE(b, c) MOVE(c, a) MOVE(c, b)
  od
}
