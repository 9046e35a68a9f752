#include "sensors/encoder_repeats.h"

#include <limits.h>
#include <math.h>

/* Equal readings in a row before an encoder may be called stuck, how many deviations their mean
 * contradicts the prediction by, and how many the last of them: by more than the half step that a
 * coarse encoder is always off. A quantised one repeats itself too, but the prediction agrees. */
enum { STUCK_AFTER = 10 };
static const double STUCK_GATE = 6.0, STUCK_FAR = 4.0;
/* An encoder that has once repeated itself so often and then gone on comes in steps; half of one in
 * deviations, and some. */
enum { REPEATS_OF_STEPS = 2 };
static const double HALF_STEP = 2.0;
/* A row of equal readings that drifts from the prediction by so much is only listened to now and
 * then, and beyond the second limit not at all; after so many of them. */
enum { REPEATS_USED = 2, REPEATS_APART = 10 };
static const double REPEATS_AGREE = 1.0, REPEATS_DIFFER = 3.0;
/* Repetitions after which encoders may have frozen together; by how many of its steps one would
 * have come meanwhile, and how many its last change was. For so long, s, they are left out. */
enum { FROZEN_AFTER = 10 };
static const double FROZEN_STEPS = 5.0, LAST_STEPS = 2.5, HELD_S = 2.0;
/* So many repetitions more than ordinarily, of one whose noise would have it change, and it has
 * frozen. */
static const float FROZEN_BEYOND = 6.0f;
/* Memory of an encoder's pace, s. */
static const double PACE_TIME = 0.02;

/* Deviations that count against an encoder: one that comes in steps may always be off by half of
 * one. */
static double counted(const struct encoder_repeats *repeats, double deviations) {
  const double allowed = repeats->coarse ? HALF_STEP : 0.0;
  return copysign(fmax(0.0, fabs(deviations) - allowed), deviations);
}

/* Its pace and its steps; a row of equal readings counts with the change that ends it, but one that
 * was stuck says nothing of what is ordinary. */
static void note_change(struct encoder_repeats *repeats, double change, double dt) {
  const double time = dt * (1.0 + (double)repeats->times);
  if (repeats->stuck) {
    return;
  }
  repeats->coarse = repeats->coarse || repeats->times >= REPEATS_OF_STEPS;
  repeats->change = fabs(change);
  repeats->pace += time / (PACE_TIME + time) * (change / time - repeats->pace);
}

static bool by_several_steps(const struct encoder_repeats *repeats, double change) {
  return repeats->chance.step > 0.0 && fabs(change) > LAST_STEPS * repeats->chance.step;
}

bool encoder_repeats_measured(struct encoder_repeats *repeats, double q, double dt, bool away) {
  const double change = q - repeats->read;
  const bool equal = change == 0.0;
  const bool ends = by_several_steps(repeats, change) && !away,
             moves = by_several_steps(repeats, repeats->pace * dt),
             tells = equal ? moves || repeat_chance_is_small(&repeats->chance) : ends;
  const bool held = sensor_hold_next(&repeats->hold, equal, tells),
             again = equal && repeat_chance_is_surely_small(&repeats->chance);
  repeats->read = q;
  repeats->chance.heard += held && repeats->chance.heard < UINT_MAX;
  if (again && repeats->hold.run > sensor_hold_most(&repeats->hold) + FROZEN_BEYOND) {
    repeats->held = fmax(repeats->held, dt);
    return true;
  }
  return !held && !again;
}

bool encoder_repeats_next(struct encoder_repeats *repeats, double q, double off, double sd,
                          double dt, bool away) {
  repeat_chance_next(&repeats->chance, q);
  if (q != repeats->last) {
    if (!away) {
      note_change(repeats, q - repeats->last, dt);
    }
    repeats->last = q;
    repeats->times = 0;
    repeats->contradiction = 0.0;
    repeats->stuck = false;
    return false;
  }
  repeats->times++;
  repeats->contradiction += counted(repeats, off / sd);
  const bool stuck = repeats->times >= STUCK_AFTER && encoder_repeats_far(off, sd) &&
                     fabs(repeats->contradiction) > STUCK_GATE * sqrt((double)repeats->times);
  repeats->stuck = repeats->stuck || stuck;
  return stuck;
}

void encoder_repeats_rezero(struct encoder_repeats *repeats, double by) {
  repeats->last -= by;
}

bool encoder_repeats_mislead(const struct encoder_repeats *repeats) {
  const double off = fabs(repeats->contradiction) / sqrt((double)repeats->times + 1.0);
  return repeats->times > REPEATS_USED &&
         (off > REPEATS_DIFFER || (off > REPEATS_AGREE && repeats->times % REPEATS_APART != 0));
}

bool encoder_repeats_far(double off, double noise) {
  return fabs(off) > STUCK_FAR * noise;
}

bool encoder_repeats_begin(const struct encoder_repeats *repeats) {
  return repeats->times == FROZEN_AFTER;
}

bool encoder_repeats_in_motion(const struct encoder_repeats *repeats, double dt) {
  return repeats->chance.step > 0.0 &&
         fabs(repeats->pace) * dt * FROZEN_AFTER > FROZEN_STEPS * repeats->chance.step;
}

bool encoder_repeats_abruptly(const struct encoder_repeats *repeats) {
  return by_several_steps(repeats, repeats->change);
}

void encoder_repeats_freeze(struct encoder_repeats *repeats, double dt) {
  repeats->held = dt;
}

bool encoder_repeats_frozen(struct encoder_repeats *repeats, double q, double dt) {
  if (repeats->held == 0.0) {
    return false;
  }
  repeats->held += dt;
  if (q == repeats->last &&
      (repeats->held < HELD_S || repeat_chance_is_surely_small(&repeats->chance))) {
    repeats->times++;
    return true;
  }
  repeats->held = 0.0;
  return false;
}
