/* Dining philosophers, as models/classics/philosophers.py has them (not polite). */
#define FREE     0
#define BY_LEFT  1  /* held by the philosopher whose left fork it is */
#define BY_RIGHT 2

byte fork[seats];

#define RIGHT(i) fork[(i + 1) % seats]
#define SEAT(i) \
  :: d_step { fork[i] == FREE -> fork[i] = BY_LEFT } \
  :: d_step { fork[i] == BY_LEFT && RIGHT(i) == FREE -> RIGHT(i) = BY_RIGHT } \
  :: d_step { fork[i] == BY_LEFT && RIGHT(i) == BY_RIGHT -> fork[i] = FREE; RIGHT(i) = FREE }

active proctype all() {
  do
  EACH(seats, SEAT)
  od
}
