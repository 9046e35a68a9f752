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
/* By how much no joint's velocity changes between two readings, rad/s or m/s, and in a second;
 * memory of the velocity by readings alone, and of how far it lags behind them, s. */
static const double WILD_SPEED = 15.0, STEP_ACCELERATION = 1000.0, RATE_TIME = 4e-3;
/* A joint is knocked to another speed in so long, s: of readings further apart one tells it. */
static const double KNOCK_TIME = 2e-3;
/* Two steps are alike when neither is so many times the other. */
static const double LEAP_AGREES = 2.0;
/* Equal readings in a row before an encoder may be called stuck, and how many deviations their mean
 * contradicts the prediction by; a quantised one repeats itself too, but the prediction agrees. */
enum { STUCK_AFTER = 10 };
static const double STUCK_GATE = 6.0;
/* An encoder that has once repeated itself so often and then gone on comes in steps; half of one in
 * deviations, and some. */
enum { REPEATS_OF_STEPS = 2 };
static const double HALF_STEP = 2.0;
/* ... and the last of them: by more than the half step that a coarse encoder is always off. */
static const double STUCK_FAR = 4.0;
/* A row of equal readings that drifts from the prediction by so much is only listened to now and
 * then, and beyond the second limit not at all; after so many of them. */
enum { REPEATS_USED = 2, REPEATS_APART = 10 };
static const double REPEATS_AGREE = 1.0, REPEATS_DIFFER = 3.0;
/* Encoders that repeat themselves since the same reading, so many of them and so often, have frozen
 * when they would have come by so many of their steps meanwhile, one of them by so many with its
 * last reading: smooth motion ends in smaller ones. For so long, s, they are left out. */
enum { FROZEN_TOGETHER = 3, FROZEN_AFTER = 10 };
static const double FROZEN_STEPS = 5.0, LAST_STEPS = 2.5, HELD_S = 2.0, PACE_TIME = 0.02;
/* ... of what is usual, after each change. */
static const double USUAL_KEPT = 0.99;
/* Weight of the newest innovation in the mean of a gated encoder. */
static const double DRIFT_SHARE = 0.1;
/* Gated readings that make a stretch, and how many deviations away from the prediction a reading
 * after it stands elsewhere. */
enum { SLIP_READINGS = 10 };
static const double SLIP_GATE = 2.5;
/* An encoder is back so many readings after a step, where its steps add up to no more than this
 * part of the largest; before, it has not slipped either. */
enum { BACK_READINGS = 3 };
static const double BACK_SHARE = 0.01;
/* An innovation beyond LEAN_GATE deviations to one side, so often in a row, is no chance: once in a
 * minute for 30 joints at 1 kHz. */
static const double LEAN_GATE = 2.5;
/* Deviations of a reading within which a zero has not moved. */
static const double NO_OFFSET = 10.0;
/* A slipped encoder's innovation wanders less than this part of the slip. */
static const double SLIP_SPREAD = 0.25;

enum status encoder_guard_init(struct encoder_guard *guard, size_t n, struct arena *arena) {
  *guard = (struct encoder_guard){.n = n, .slip_after_s = 0.15, .group_after_s = 2.0};
  guard->joint = ARENA_ARRAY(arena, struct encoder_record, n);
  guard->health = ARENA_ARRAY(arena, uint8_t, n);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  encoder_guard_reset(guard);
  return STATUS_OK;
}

void encoder_guard_reset(struct encoder_guard *guard) {
  memset(guard->joint, 0, guard->n * sizeof(*guard->joint));
  memset(guard->health, ENCODER_OK, guard->n);
  guard->stepped = 0;
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

/* Deviations that count against an encoder: one that comes in steps may always be off by half of
 * one. */
static double counted(const struct encoder_record *joint, double deviations) {
  const double allowed = joint->steps ? HALF_STEP : 0.0;
  return copysign(fmax(0.0, fabs(deviations) - allowed), deviations);
}

/* Its pace and its steps; a row of equal readings counts with the change that ends it. */
static void note_change(struct encoder_record *joint, double change, double dt) {
  const double time = dt * (1.0 + (double)joint->frozen);
  joint->change = fabs(change);
  joint->step = joint->step > 0.0 ? fmin(joint->step, joint->change) : joint->change;
  joint->usual *= USUAL_KEPT;
  if (joint->change > LAST_STEPS * joint->step) {
    joint->usual = fmax(joint->usual, (double)joint->frozen);
  }
  joint->pace += time / (PACE_TIME + time) * (change / time - joint->pace);
}

/* Counts equal readings and how far they have been from what was predicted, all together. */
static bool is_stuck(struct encoder_record *joint, double q,
                     const struct encoder_expectation *expected) {
  const double predicted = expected->q, sd = expected->sd;
  if (q != joint->last) {
    note_change(joint, q - joint->last, expected->dt);
    joint->steps = joint->steps || joint->frozen >= REPEATS_OF_STEPS;
    joint->last = q;
    joint->frozen = 0;
    joint->contradiction = 0.0;
    return false;
  }
  joint->frozen++;
  joint->contradiction += counted(joint, (q - predicted) / sd);
  return joint->frozen >= STUCK_AFTER && fabs(q - predicted) > STUCK_FAR * sd &&
         fabs(joint->contradiction) > STUCK_GATE * sqrt((double)joint->frozen);
}

bool encoder_guard_found(const struct encoder_guard *guard, size_t j) {
  return guard->joint[j].frozen == FROZEN_AFTER && guard->joint[j].held > 0.0;
}

/* It has just repeated itself so often; where it has stepped to is no matter. */
static bool repeats(const struct encoder_record *joint) {
  return joint->frozen == FROZEN_AFTER && joint->held == 0.0 && !joint->stepped;
}

/* ... and out of motion. */
static bool stopped_short(const struct encoder_record *joint, double dt) {
  return repeats(joint) && joint->usual < 0.5 * FROZEN_AFTER &&
         fabs(joint->pace) * dt * FROZEN_AFTER > FROZEN_STEPS * joint->step;
}

bool encoder_guard_hold(struct encoder_guard *guard, double dt) {
  size_t together = 0;
  bool moved = false;
  for (size_t j = 0; j < guard->n; j++) {
    const struct encoder_record *joint = &guard->joint[j];
    const bool stopped = stopped_short(joint, dt);
    together += stopped;
    moved = moved || (stopped && joint->change > LAST_STEPS * joint->step);
  }
  const bool found = moved && together >= FROZEN_TOGETHER;
  for (size_t j = 0; j < guard->n && found; j++) {
    struct encoder_record *joint = &guard->joint[j];
    joint->held = repeats(joint) ? dt : joint->held;
  }
  return found;
}

/* Whether one that is held goes on to be. One that moves again is where it says: nothing before
 * counts. */
static bool stays_held(struct encoder_record *joint, double q, double dt) {
  if (joint->held == 0.0) {
    return false;
  }
  joint->held += dt;
  if (q == joint->last && joint->held < HELD_S) {
    joint->frozen++;
    return true;
  }
  joint->held = joint->velocity = joint->lag = joint->leap = 0.0;
  joint->heard = false;
  return false;
}

/* One of a row of equal readings that is better left out: used each time it would hold the filter
 * where a frozen encoder says, and hide that the joint moves on. */
static bool is_repetition(const struct encoder_record *joint) {
  const double off = fabs(joint->contradiction) / sqrt((double)joint->frozen + 1.0);
  return joint->frozen > REPEATS_USED &&
         (off > REPEATS_DIFFER || (off > REPEATS_AGREE && joint->frozen % REPEATS_APART != 0));
}

/* A contradiction that has lasted and stays the same, or has lasted so long that whatever it is
 * compared with is no better. */
static bool has_slipped(const struct encoder_guard *guard, struct encoder_record *joint,
                        double innovation, double sd) {
  joint->gated++;
  const double share = fmax(DRIFT_SHARE, 1.0 / joint->gated);
  joint->drift += share * (innovation - joint->drift);
  joint->spread += share * (fabs(innovation - joint->drift) - joint->spread);
  const double after = guard->stepped > 1 ? guard->group_after_s : guard->slip_after_s;
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
  joint->before -= joint->offset - before;
}

/* By its readings alone it has stepped back to where it was before it ever stepped. */
static bool is_back(const struct encoder_record *joint, double noise) {
  const double left = fabs(joint->away + joint->slipped);
  return joint->settled >= BACK_READINGS && joint->gated >= BACK_READINGS &&
         left < 0.5 * joint->farthest && left < BACK_SHARE * joint->farthest + GATE * noise;
}

static void note_step(struct encoder_record *joint, double apart) {
  joint->away += apart;
  joint->farthest = fmax(joint->farthest, fabs(joint->away));
}

/* It is believed again: where it is now, by its steps, or because it was right. */
static void forget_steps(struct encoder_record *joint, bool slipped) {
  joint->slipped = slipped ? joint->slipped + joint->away : joint->slipped;
  joint->away = joint->farthest = 0.0;
}

/* How far a joint may really be from where it was predicted. */
static double reach(const struct encoder_record *joint, double speed) {
  const double time = fmin(joint->since, WILD_TIME);
  return 0.5 * WILD_ACCELERATION * time * time + speed * time;
}

static void set_stepped(struct encoder_guard *guard, struct encoder_record *joint, bool stepped) {
  guard->stepped += (size_t)stepped - (size_t)joint->stepped;
  joint->stepped = stepped;
}

/* The reading after a step stands twice as far from where those before lead to: it is the joint
 * that has become so much faster. */
static bool goes_on(const struct encoder_record *joint, double faster) {
  return faster * joint->leap > 0.0 && fabs(faster) < WILD_SPEED &&
         fabs(faster) < LEAP_AGREES * fabs(joint->leap) &&
         fabs(joint->leap) < LEAP_AGREES * fabs(faster);
}

/* A reading stands elsewhere than the readings before it lead to, by more than any joint's
 * velocity changes. What the filter predicts has no say. */
static bool is_step(struct encoder_guard *guard, struct encoder_record *joint, double q,
                    const struct encoder_expectation *expected) {
  const double dt = expected->dt, moved = q - joint->before;
  const double apart = moved - joint->velocity * dt, share = dt / (RATE_TIME + dt);
  const double change = fmin(STEP_ACCELERATION * dt + expected->speed, WILD_SPEED);
  bool steps = joint->heard &&
               fabs(apart - joint->lag * dt) > GATE * M_SQRT2 * expected->noise + change * dt;
  if (steps && goes_on(joint, apart / dt)) {
    note_step(joint, -joint->leap * dt); /* that was none */
    joint->velocity = moved / dt;
    joint->lag = 0.0;
    set_stepped(guard, joint, false);
    steps = false;
  } else if (joint->heard && dt > 0.0 && !steps) {
    joint->velocity += share * apart / dt;
    joint->lag += share * (apart / dt - joint->lag);
  }
  joint->settled = steps ? 0 : joint->settled + 1;
  if (steps) {
    note_step(joint, apart);
  }
  joint->leap = steps && !joint->stepped ? apart / dt : 0.0;
  joint->before = q;
  joint->heard = true;
  return steps;
}

/* A reading beyond what the prediction allows: left out when it stands alone or has stepped, else
 * it is the prediction that has strayed. */
static enum encoder_verdict judge_far(struct encoder_guard *guard, struct encoder_record *joint,
                                      double innovation, bool steps,
                                      const struct encoder_expectation *expected) {
  set_stepped(guard, joint, joint->stepped || steps);
  const bool slipped = has_slipped(guard, joint, innovation, expected->sd);
  if (joint->stepped && is_back(joint, expected->noise)) {
    return joint->offset == 0.0 ? ENCODER_SLIPPED : ENCODER_REZEROED;
  }
  if (joint->stepped) {
    return slipped && joint->settled > BACK_READINGS ? ENCODER_SLIPPED : ENCODER_LEAVE;
  }
  const bool seldom = expected->dt > KNOCK_TIME;
  return joint->gated > 1 || seldom || expected->doubt ? ENCODER_USE : ENCODER_LEAVE;
}

enum encoder_verdict encoder_guard_judge(struct encoder_guard *guard, size_t j, double q,
                                         const struct encoder_expectation *expected) {
  struct encoder_record *joint = &guard->joint[j];
  joint->since += expected->dt;
  joint->unheard += expected->dt;
  if (!encoder_is_plausible(q)) {
    guard->health[j] = ENCODER_MISSING;
    return ENCODER_LEAVE;
  }
  if (stays_held(joint, q, expected->dt)) {
    guard->health[j] = ENCODER_STUCK;
    return ENCODER_LEAVE;
  }
  const double innovation = q - expected->q, sd = expected->sd;
  const bool steps = is_step(guard, joint, q, expected);
  if (is_stuck(joint, q, expected) && !expected->doubt) {
    guard->health[j] = ENCODER_STUCK;
    return ENCODER_LEAVE;
  }
  const bool far = fabs(innovation) > GATE * sd && fabs(innovation) > reach(joint, expected->speed);
  const enum encoder_verdict verdict =
      far ? judge_far(guard, joint, innovation, steps, expected) : ENCODER_USE;
  if (verdict == ENCODER_LEAVE) {
    guard->health[j] = ENCODER_GATED;
    return ENCODER_LEAVE;
  }
  const bool back = verdict != ENCODER_USE && is_back(joint, expected->noise);
  const bool seen = verdict == ENCODER_SLIPPED && !back &&
                    fabs(joint->drift) > expected->unseen_slip && !expected->doubt;
  if (seen || back) {
    shift(joint, back ? -joint->offset : joint->drift, sd);
  }
  /* also one that the grown uncertainty takes back at another place has slipped */
  const bool moved =
      joint->stepped && joint->gated >= SLIP_READINGS && fabs(innovation) > SLIP_GATE * sd;
  const bool slipped = verdict != ENCODER_USE || moved;
  forget_steps(joint, slipped);
  joint->since = joint->drift = joint->spread = 0.0;
  joint->gated = far && verdict == ENCODER_USE ? 1 : 0; /* once far, the next need not wait */
  set_stepped(guard, joint, false);
  guard->health[j] = joint->offset == 0.0 ? ENCODER_OK : ENCODER_SHIFTED;
  if (slipped) {
    joint->unheard = 0.0;
    return seen || verdict == ENCODER_REZEROED ? ENCODER_REZEROED : ENCODER_SLIPPED;
  }
  if (!expected->doubt && is_repetition(joint)) {
    const bool stuck = joint->unheard > ENCODER_UNHEARD_S &&
                       fabs(innovation) > STUCK_FAR * expected->noise; /* however sd has grown */
    guard->health[j] = stuck ? ENCODER_STUCK : guard->health[j];
    return ENCODER_LEAVE;
  }
  joint->unheard = 0.0;
  return ENCODER_USE;
}
