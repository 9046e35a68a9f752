#include "joints/encoder_guard.h"

#include <math.h>
#include <string.h>

/* No joint turns or slides further; an encoder that says so is broken (all-ones words, 1e308). */
static const double PLAUSIBLE = 1e4; /* rad or m */
/* Deviations of the innovation that noise alone reaches once in a day of 1000 joints at 1 kHz. */
static const double GATE = 7.0;
/* What a joint can do that the filter has not yet seen: stop from full speed within some ms. */
static const double WILD_ACCELERATION = 500.0; /* rad/s^2 or m/s^2 */
static const double WILD_TIME = 5e-3;          /* s */
/* A joint is knocked to another speed in so long, s: of readings further apart one tells it. */
static const double KNOCK_TIME = 2e-3;
/* Encoders that repeat themselves since the same reading, so many of them, have frozen. */
enum { FROZEN_TOGETHER = 3 };
/* Weight of the newest innovation in the mean of a gated encoder. */
static const double DRIFT_SHARE = 0.1;
/* Gated readings that make a stretch, and how many deviations away from the prediction a reading
 * after it stands elsewhere. */
enum { SLIP_READINGS = 10 };
static const double SLIP_GATE = 2.5;
/* An innovation beyond LEAN_GATE deviations to one side, so often in a row, is no chance: once in a
 * minute for 30 joints at 1 kHz. */
static const double LEAN_GATE = 2.5;
/* So long after a reading that was far off a prediction rests on it, s. */
static const double SHAKEN = 0.04;
/* Deviations of a reading within which a zero has not moved. */
static const double NO_OFFSET = 10.0;
/* A slipped encoder's innovation wanders less than this part of the slip. */
static const double SLIP_SPREAD = 0.25;

enum status encoder_guard_init(struct encoder_guard *guard, size_t n, struct arena *arena) {
  *guard = (struct encoder_guard){.n = n, .slip_after_s = 0.15, .group_after_s = 2.0};
  guard->joint = ARENA_ARRAY(arena, struct encoder_record, n);
  guard->health = ARENA_ARRAY(arena, uint8_t, n);
  if (!arena_gave_all(arena)) {
    return arena_status(arena);
  }
  encoder_guard_reset(guard);
  return STATUS_OK;
}

void encoder_guard_reset(struct encoder_guard *guard) {
  memset(guard->joint, 0, guard->n * sizeof(*guard->joint));
  memset(guard->health, ENCODER_OK, guard->n);
  guard->t_ns = 0;
}

double encoder_guard_interval(struct encoder_guard *guard, int64_t t_ns, double period_s) {
  const double since = guard->t_ns > 0 ? 1e-9 * (double)(t_ns - guard->t_ns) : 0.0;
  guard->t_ns = t_ns > guard->t_ns ? t_ns : guard->t_ns;
  return fmax(since, period_s);
}

bool encoder_guard_kicked(struct encoder_guard *guard, size_t j, double innovation, double sd) {
  int *lean = &guard->joint[j].lean;
  const int side = innovation > LEAN_GATE * sd ? 1 : innovation < -LEAN_GATE * sd ? -1 : 0;
  *lean = side == 0 || side * *lean < 0 ? side : *lean + side;
  if ((*lean < KICK_READINGS) && (*lean > -KICK_READINGS)) {
    return false;
  }
  *lean = 0;
  return true;
}

bool encoder_is_plausible(double q) {
  return fabs(q) < PLAUSIBLE; /* false for NaN */
}

/* It has just repeated itself so often. */
static bool stops(const struct encoder_record *joint) {
  return encoder_repeats_begin(&joint->repeats) && joint->repeats.held == 0.0;
}

void encoder_guard_hold(struct encoder_guard *guard, double dt) {
  size_t together = 0;
  bool abruptly = false;
  for (size_t j = 0; j < guard->n; j++) {
    const struct encoder_record *joint = &guard->joint[j];
    const bool short_of =
        stops(joint) && (joint->steps.away || encoder_repeats_in_motion(&joint->repeats, dt));
    together += short_of;
    abruptly = abruptly || (short_of && encoder_repeats_abruptly(&joint->repeats));
  }
  for (size_t j = 0; j < guard->n && abruptly && together >= FROZEN_TOGETHER; j++) {
    if (stops(&guard->joint[j])) {
      encoder_repeats_freeze(&guard->joint[j].repeats, dt);
    }
  }
}

/* Joints away by a step. */
static size_t away(const struct encoder_guard *guard) {
  size_t count = 0;
  for (size_t j = 0; j < guard->n; j++) {
    count += guard->joint[j].steps.away;
  }
  return count;
}

/* A contradiction that has lasted and stays the same, or has lasted so long that whatever it is
 * compared with is no better. */
static bool has_slipped(const struct encoder_guard *guard, struct encoder_record *joint,
                        double innovation, double sd) {
  joint->gated++;
  const double share = fmax(DRIFT_SHARE, 1.0 / joint->gated);
  joint->drift += share * (innovation - joint->drift);
  joint->spread += share * (fabs(innovation - joint->drift) - joint->spread);
  const double after = away(guard) > 1 ? guard->group_after_s : guard->slip_after_s;
  const bool same = joint->spread < fmax(SLIP_SPREAD * fabs(joint->drift), sd);
  return joint->gated > SLIP_READINGS &&
         joint->since > (same ? after : fmax(after, guard->group_after_s));
}

/* The encoder's zero has moved; one that moves back has none any more. Readings to come are less
 * its offset, and those before them count as if they had been. */
static void shift(struct encoder_record *joint, double by, double sd) {
  const double before = joint->offset;
  joint->offset += by;
  joint->offset = fabs(joint->offset) > NO_OFFSET * sd ? joint->offset : 0.0;
  encoder_steps_rezero(&joint->steps, joint->offset - before);
}

/* By its readings alone it has been elsewhere and is back where it came from. */
static bool is_back(const struct encoder_record *joint, double noise) {
  return joint->gated >= STEPS_SETTLED && encoder_steps_back(&joint->steps, noise);
}

/* The prediction rests on what it has said itself, is wrong about the joint's pace, and proves
 * nothing of its place. */
static bool is_lost(const struct encoder_record *joint,
                    const struct encoder_expectation *expected) {
  return joint->shaken > 0.0 && encoder_steps_faster(&joint->steps, expected->dq, expected->noise);
}

/* How far a joint may really be from where it was predicted. */
static double reach(const struct encoder_record *joint, double speed) {
  const double time = fmin(joint->since, WILD_TIME);
  return 0.5 * WILD_ACCELERATION * time * time + speed * time;
}

/* A reading beyond what the prediction allows: left out when it stands alone or has stepped, else
 * it is the prediction that has strayed. */
static enum encoder_verdict judge_far(struct encoder_guard *guard, struct encoder_record *joint,
                                      double innovation,
                                      const struct encoder_expectation *expected) {
  const bool slipped = has_slipped(guard, joint, innovation, expected->sd);
  if (joint->steps.away && is_back(joint, expected->noise)) {
    return joint->offset == 0.0 ? ENCODER_SLIPPED : ENCODER_REZEROED;
  }
  if (joint->steps.away) {
    return (slipped || is_lost(joint, expected)) && joint->steps.settled > STEPS_SETTLED
               ? ENCODER_SLIPPED
               : ENCODER_LEAVE;
  }
  const bool seldom = expected->dt > KNOCK_TIME;
  return joint->gated > 1 || seldom || expected->doubt ? ENCODER_USE : ENCODER_LEAVE;
}

/* It has slipped, or its zero has moved, where the skin would have seen the joint move so far; one
 * that is back has none any more. */
static enum encoder_verdict begin_anew(struct encoder_record *joint, enum encoder_verdict verdict,
                                       const struct encoder_expectation *expected) {
  const bool back = verdict != ENCODER_USE && is_back(joint, expected->noise);
  const bool seen = verdict == ENCODER_SLIPPED && !back && !is_lost(joint, expected) &&
                    fabs(joint->drift) > expected->unseen_slip && !expected->doubt;
  if (seen || back) {
    shift(joint, back ? -joint->offset : joint->drift, expected->sd);
  }
  return seen || verdict == ENCODER_REZEROED ? ENCODER_REZEROED : ENCODER_SLIPPED;
}

/* A reading that is believed, unless it only repeats what was. */
static enum encoder_verdict listen(struct encoder_guard *guard, size_t j, double innovation,
                                   const struct encoder_expectation *expected) {
  struct encoder_record *joint = &guard->joint[j];
  if (expected->doubt || !encoder_repeats_mislead(&joint->repeats)) {
    joint->unheard = 0.0;
    return ENCODER_USE;
  }
  if (joint->unheard > ENCODER_UNHEARD_S && encoder_repeats_far(innovation, expected->noise)) {
    guard->health[j] = ENCODER_STUCK; /* however the prediction's deviation has grown */
  }
  return ENCODER_LEAVE;
}

/* What is no fault: the encoder's record begins again. */
static enum encoder_verdict believe(struct encoder_guard *guard, size_t j, double innovation,
                                    enum encoder_verdict verdict, bool far,
                                    const struct encoder_expectation *expected) {
  struct encoder_record *joint = &guard->joint[j];
  /* also one that the grown uncertainty takes back at another place has slipped */
  const bool moved = joint->steps.away && joint->gated >= SLIP_READINGS &&
                     fabs(innovation) > SLIP_GATE * expected->sd;
  const bool slipped = verdict != ENCODER_USE || moved;
  const enum encoder_verdict anew = slipped ? begin_anew(joint, verdict, expected) : verdict;
  encoder_steps_believe(&joint->steps, slipped && !is_lost(joint, expected));
  joint->shaken = fabs(innovation) > GATE * expected->sd ? SHAKEN : joint->shaken;
  joint->since = joint->drift = joint->spread = 0.0;
  joint->gated = far && verdict == ENCODER_USE ? 1 : 0; /* once far, the next need not wait */
  guard->health[j] = joint->offset == 0.0 ? ENCODER_OK : ENCODER_SHIFTED;
  joint->unheard = slipped ? 0.0 : joint->unheard;
  return slipped ? anew : listen(guard, j, innovation, expected);
}

/* Frozen, and goes on to be. One that moves again is where it says: nothing before counts. */
static bool stays_frozen(struct encoder_record *joint, double q, double dt) {
  const bool was = joint->repeats.held > 0.0;
  const bool is = encoder_repeats_frozen(&joint->repeats, q, dt);
  if (was && !is) {
    encoder_steps_restart(&joint->steps);
    encoder_steps_believe(&joint->steps, false);
  }
  return is;
}

static enum encoder_verdict leave(struct encoder_guard *guard, size_t j,
                                  enum encoder_health health) {
  guard->health[j] = health;
  return ENCODER_LEAVE;
}

enum encoder_verdict encoder_guard_judge(struct encoder_guard *guard, size_t j, double q,
                                         const struct encoder_expectation *expected) {
  struct encoder_record *joint = &guard->joint[j];
  const double innovation = q - expected->q, sd = expected->sd, dt = expected->dt;
  joint->since += dt;
  joint->shaken = fmax(joint->shaken - dt, 0.0);
  joint->unheard += dt;
  if (!encoder_is_plausible(q)) {
    return leave(guard, j, ENCODER_MISSING);
  }
  if (stays_frozen(joint, q, dt)) {
    return leave(guard, j, ENCODER_STUCK);
  }
  encoder_steps_next(&joint->steps, q, expected->noise, expected->speed, dt);
  if (expected->noisy) {
    encoder_steps_believe(&joint->steps, false);
  }
  if (encoder_repeats_next(&joint->repeats, q, innovation, sd, dt) && !expected->doubt) {
    return leave(guard, j, ENCODER_STUCK);
  }
  const bool far = fabs(innovation) > GATE * sd && fabs(innovation) > reach(joint, expected->speed);
  const enum encoder_verdict verdict =
      far ? judge_far(guard, joint, innovation, expected) : ENCODER_USE;
  return verdict == ENCODER_LEAVE ? leave(guard, j, ENCODER_GATED)
                                  : believe(guard, j, innovation, verdict, far, expected);
}
