#include "sensors/repeat_chance.h"

#include <limits.h>
#include <math.h>

/* Readings over which noise is averaged, and after which its least is known. */
static const double READINGS = 200.0;
enum { KNOWN_AFTER = 2000 };
/* E[d d'] of white noise, in variances of one reading; a single product counts no more than so many
 * times what is usual. */
static const double FOLLOWING = -4.0, COUNTS = 9.0;
/* A change is smaller than another below that share of it. An encoder's step is smaller than was
 * thought when so many changes are before it comes again: a wrong word comes and goes by two. */
static const double SMALLER = 0.8;
enum { STEPS_TELL = 3 };
/* Noise of so many steps tells. */
static const double TELLS = 2.0;

static void learn_noise(struct repeat_chance *c, double bend) {
  const double most = COUNTS * fmax(c->variance, c->step * c->step),
               now = fmin(fmax(bend * c->bend / FOLLOWING, -most), most);
  c->variance += (now - c->variance) / fmin((double)c->heard, READINGS);
  c->least = (double)c->heard > READINGS ? fmin(c->least, c->variance) : c->variance;
}

static void learn_step(struct repeat_chance *c, double change) {
  if (c->step == 0.0 || change == 0.0) {
    c->step = fmax(c->step, change);
    return;
  }
  if (change > SMALLER * c->step) {
    c->smaller = SMALLER * change < c->step ? 0 : c->smaller;
    return;
  }
  const bool smallest = c->smaller == 0 || change < SMALLER * c->smallest;
  c->smallest = smallest ? change : fmin(change, c->smallest);
  c->smaller = smallest ? 1 : c->smaller + 1;
  if (c->smaller == STEPS_TELL) {
    c->step = c->smallest;
    c->smaller = 0;
  }
}

void repeat_chance_next(struct repeat_chance *c, double q) {
  const double moved = q - c->last, bend = moved - c->moved;
  c->heard += c->heard < UINT_MAX;
  if (c->heard > 1) {
    learn_step(c, fabs(moved));
  }
  if (c->heard > 3) {
    learn_noise(c, bend);
  }
  c->last = q;
  c->moved = c->heard > 1 ? moved : 0.0;
  c->bend = bend;
}

/* Its noise, in steps. */
static double steps_of_noise(const struct repeat_chance *c) {
  return c->least > 0.0 ? sqrt(c->least) / c->step : 0.0;
}

bool repeat_chance_is_small(const struct repeat_chance *c) {
  return steps_of_noise(c) > TELLS;
}

bool repeat_chance_is_surely_small(const struct repeat_chance *c) {
  return c->heard >= KNOWN_AFTER && repeat_chance_is_small(c);
}
