#include "sensors/encoder_guard.h"

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
/* A step on trial is still one while so much of it is left, and once it has been left out for so
 * long, s, however little is known by then of where the joint is. */
static const double LEFT = 0.25, LEFT_OUT_S = 9.5e-3;
/* An innovation beyond LEAN_GATE deviations to one side, so often in a row, is no chance: once in a
 * minute for 30 joints at 1 kHz. */
static const double LEAN_GATE = 2.5;
/* So long after a reading that was far off a prediction rests on it, s. */
static const double SHAKEN = 0.04;
/* Deviations of a reading within which a zero has not moved. */
static const double NO_OFFSET = 10.0;

enum status encoder_guard_init(struct encoder_guard *guard, size_t n, struct arena *arena) {
  *guard = (struct encoder_guard){.n = n, .step_stays_s = 0.9};
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
  guard->t_ns = 0;
  guard->since_again = guard->back_away_s = HUGE_VAL;
}

double encoder_guard_interval(struct encoder_guard *guard, int64_t t_ns, double period_s) {
  const double since = guard->t_ns > 0 ? 1e-9 * (double)(t_ns - guard->t_ns) : 0.0;
  guard->t_ns = t_ns > guard->t_ns ? t_ns : guard->t_ns;
  return fmax(since, period_s);
}

double encoder_guard_apart(struct encoder_guard *guard, size_t j, double reading, double dt) {
  struct encoder_record *joint = &guard->joint[j];
  const bool measured =
      encoder_repeats_measured(&joint->repeats, reading + joint->offset, dt, joint->steps.away);
  joint->apart += dt;
  if (isnan(reading)) {
    return joint->apart < ENCODER_UNHEARD_S ? 0.0 : dt;
  }
  if (!measured) {
    return 0.0;
  }
  const double apart = joint->apart;
  joint->apart = 0.0;
  return apart;
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
  guard->since_again += dt;
  guard->back_away_s += dt;
  size_t stopped = 0;
  bool abruptly = false;
  for (size_t j = 0; j < guard->n; j++) {
    const struct encoder_record *joint = &guard->joint[j];
    const bool short_of =
        stops(joint) && (joint->steps.away || encoder_repeats_in_motion(&joint->repeats, dt));
    stopped += short_of;
    abruptly = abruptly || (short_of && encoder_repeats_abruptly(&joint->repeats));
  }
  for (size_t j = 0; j < guard->n && abruptly && stopped >= FROZEN_TOGETHER; j++) {
    if (stops(&guard->joint[j])) {
      encoder_repeats_freeze(&guard->joint[j].repeats, dt);
    }
  }
}

/* The encoder's zero has moved; one that moves back has none any more. Readings to come are less
 * its offset, and those before them count as if they had been. */
static void shift(struct encoder_record *joint, double by, double sd) {
  const double before = joint->offset;
  joint->offset += by;
  joint->offset = fabs(joint->offset) > NO_OFFSET * sd ? joint->offset : 0.0;
  encoder_steps_rezero(&joint->steps, joint->offset - before);
  encoder_repeats_rezero(&joint->repeats, joint->offset - before);
}

/* By its readings alone it has been elsewhere and is back where it came from. */
static bool is_back(const struct encoder_record *joint, double noise) {
  return joint->gated >= STEPS_SETTLED && encoder_steps_back(&joint->steps, noise);
}

/* The prediction rests on what it has said itself, and proves nothing of its joint's place: on a
 * reading that was far off, and is wrong about its pace; or on noise, which is over. */
static bool is_lost(const struct encoder_record *joint,
                    const struct encoder_expectation *expected) {
  const struct encoder_steps *steps = &joint->steps;
  const bool flies =
      joint->shaken > 0.0 && encoder_steps_faster(steps, expected->dq, expected->noise);
  return flies || (steps->settled > TRIAL_READINGS && encoder_steps_flutter(steps));
}

/* How far a joint may really be from where it was predicted. */
static double reach(const struct encoder_record *joint, double speed) {
  const double time = fmin(joint->since, WILD_TIME);
  return 0.5 * WILD_ACCELERATION * time * time + speed * time;
}

/* A step has stayed for so long that it is no passing fault: the encoder's zero has moved, where
 * the skin would have seen the joint move so far; else it is right. */
static enum encoder_verdict end_trial(struct encoder_record *joint, double step,
                                      const struct encoder_expectation *expected) {
  const bool moved = fabs(step) > expected->unseen_slip && !expected->doubt;
  joint->trial.since = 0.0;
  return !moved ? ENCODER_SLIPPED : joint->offset == 0.0 ? ENCODER_REZEROED : ENCODER_USE;
}

/* What it has stepped away with is back: its fault is over, wherever the joint has gone since. */
static bool is_over(const struct encoder_guard *guard, const struct encoder_record *joint) {
  return joint->steps.away && encoder_trial_together(&joint->trial, guard->back_away_s);
}

/* Joints that have stepped together do so of one fault: none goes along with its joint unless all
 * do. */
static bool all_go_along(const struct encoder_guard *guard, const struct encoder_record *joint) {
  bool all = joint->trial.along;
  for (size_t j = 0; j < guard->n; j++) {
    const struct encoder_record *other = &guard->joint[j];
    all = all && (other->trial.along || !other->steps.away ||
                  !encoder_trial_together(&other->trial, joint->trial.away_s));
  }
  return all;
}

/* A reading beyond what the prediction allows: left out when it stands alone or has stepped, else
 * it is the prediction that has strayed. */
static enum encoder_verdict judge_far(const struct encoder_guard *guard,
                                      struct encoder_record *joint, double innovation,
                                      const struct encoder_expectation *expected) {
  const struct encoder_steps *steps = &joint->steps;
  joint->gated++;
  encoder_trial_leave(&joint->trial, steps, innovation);
  if (!steps->away) {
    const bool seldom = expected->dt > KNOCK_TIME;
    return joint->gated > 1 || seldom || expected->doubt ? ENCODER_USE : ENCODER_LEAVE;
  }
  if (is_back(joint, expected->noise)) {
    return joint->offset == 0.0 ? ENCODER_SLIPPED : ENCODER_REZEROED;
  }
  if (steps->settled <= STEPS_SETTLED) {
    return ENCODER_LEAVE;
  }
  if (joint->trial.since > guard->step_stays_s) {
    return end_trial(joint, joint->trial.off, expected);
  }
  const bool ends =
      encoder_trial_has_ended(&joint->trial, guard->since_again) || is_over(guard, joint);
  if ((ends && steps->settled > TRIAL_READINGS) || is_lost(joint, expected)) {
    return ENCODER_SLIPPED;
  }
  joint->trial.along =
      encoder_trial_goes_along(&joint->trial, steps, innovation, expected->dq, expected->dq_sd,
                               expected->noise, isfinite(expected->unseen_slip));
  return all_go_along(guard, joint) ? ENCODER_REZEROED : ENCODER_LEAVE;
}

/* Where its readings are taken for from now on: one that has slipped, or is back, has no offset; of
 * one that has stepped it is the step. */
static void begin_anew(struct encoder_record *joint, enum encoder_verdict verdict,
                       const struct encoder_expectation *expected) {
  const bool back = is_back(joint, expected->noise);
  const bool steps = verdict == ENCODER_REZEROED && !back;
  shift(joint, steps ? joint->trial.off : -joint->offset, expected->noise);
  joint->trial.since = steps ? joint->trial.since : 0.0;
  encoder_steps_believe(&joint->steps, !is_lost(joint, expected));
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

/* Its offset is the step that is on trial, or where its zero has moved to. */
static enum encoder_health health_of(const struct encoder_record *joint) {
  return joint->offset == 0.0       ? ENCODER_OK
         : joint->trial.since > 0.0 ? ENCODER_STEPPED
                                    : ENCODER_SHIFTED;
}

/* What is no fault: the encoder's record begins again. */
static enum encoder_verdict believe(struct encoder_guard *guard, size_t j, double innovation,
                                    enum encoder_verdict verdict, bool far,
                                    const struct encoder_expectation *expected) {
  struct encoder_record *joint = &guard->joint[j];
  const bool anew = verdict != ENCODER_USE;
  if (joint->steps.away && encoder_steps_towards(&joint->steps)) {
    guard->back_away_s = joint->trial.away_s;
  }
  if (anew) {
    begin_anew(joint, verdict, expected);
    joint->unheard = 0.0;
  } else {
    encoder_steps_believe(&joint->steps, false);
    joint->trial.since = joint->offset == 0.0 ? 0.0 : joint->trial.since;
  }
  joint->shaken = fabs(innovation) > GATE * expected->sd ? SHAKEN : joint->shaken;
  joint->since = joint->trial.off = 0.0;
  joint->trial.agrees = 0;
  joint->gated = far && !anew ? 1 : 0; /* once far, the next need not wait */
  guard->health[j] = (uint8_t)health_of(joint);
  return anew ? verdict : listen(guard, j, innovation, expected);
}

/* It is where it says: nothing before counts, nor a step that is on trial. */
static void forget(struct encoder_record *joint) {
  encoder_steps_restart(&joint->steps);
  encoder_steps_believe(&joint->steps, false);
  joint->offset = joint->trial.since > 0.0 ? 0.0 : joint->offset;
  joint->trial.since = 0.0;
}

/* Frozen, and goes on to be. One that moves again, or was stuck and does, is where it says. */
static bool stays_frozen(struct encoder_record *joint, double q, double dt) {
  const bool was = joint->repeats.held > 0.0,
             moves = joint->repeats.stuck && q != joint->repeats.last;
  const bool is = encoder_repeats_frozen(&joint->repeats, q, dt);
  if ((was || moves) && !is) {
    forget(joint);
  }
  return is;
}

/* The word it has stepped away with once more: no news, however long it is repeated. */
static bool stays_away(const struct encoder_record *joint, double reading) {
  return joint->steps.away && reading == joint->repeats.last;
}

static enum encoder_verdict leave(struct encoder_guard *guard, size_t j,
                                  enum encoder_health health) {
  guard->health[j] = health;
  return ENCODER_LEAVE;
}

/* On trial for some time: a reading that agrees may only pass by where the joint is. One that has
 * stepped back to there does not. */
static bool is_left_out(const struct encoder_record *joint) {
  return joint->steps.away && joint->since > LEFT_OUT_S && !encoder_steps_towards(&joint->steps);
}

/* Its reading is another than was predicted: by far, or it has stepped and still stands elsewhere,
 * though by now nobody knows better. */
static bool is_far(const struct encoder_record *joint, double innovation,
                   const struct encoder_expectation *expected) {
  const double off = fabs(innovation);
  const bool steps =
      is_left_out(joint) && off > fmax(LEFT * fabs(joint->steps.sum), GATE * expected->noise);
  return steps || (off > GATE * expected->sd && off > reach(joint, expected->speed));
}

/* Joints that have stepped together come back together. */
static bool another_differs(const struct encoder_guard *guard, const struct encoder_record *joint) {
  bool differs = false;
  for (size_t j = 0; j < guard->n; j++) {
    const struct encoder_record *other = &guard->joint[j];
    differs = differs || (other->steps.away && other->trial.agrees == 0 &&
                          encoder_trial_together(&other->trial, joint->trial.away_s));
  }
  return differs;
}

static enum encoder_verdict judge_reading(struct encoder_guard *guard, struct encoder_record *joint,
                                          double innovation, bool far,
                                          const struct encoder_expectation *expected) {
  if (far) {
    return judge_far(guard, joint, innovation, expected);
  }
  if (is_left_out(joint) && !is_over(guard, joint)) {
    joint->trial.agrees++;
    return joint->trial.agrees < TRIAL_READINGS || another_differs(guard, joint) ? ENCODER_LEAVE
                                                                                 : ENCODER_USE;
  }
  return joint->offset != 0.0 && joint->trial.since > guard->step_stays_s
             ? end_trial(joint, joint->offset, expected)
             : ENCODER_USE;
}

enum encoder_verdict encoder_guard_judge(struct encoder_guard *guard, size_t j, double reading,
                                         const struct encoder_expectation *expected) {
  struct encoder_record *joint = &guard->joint[j];
  const double sd = expected->sd, dt = expected->dt, offset = joint->offset;
  joint->since += dt;
  joint->shaken = fmax(joint->shaken - dt, 0.0);
  joint->unheard += dt;
  if (!encoder_is_plausible(reading)) {
    return leave(guard, j, ENCODER_MISSING);
  }
  if (stays_frozen(joint, reading, dt)) {
    return leave(guard, j, ENCODER_STUCK);
  }
  if (dt > ENCODER_UNHEARD_S && !stays_away(joint, reading)) {
    forget(joint);
  }
  const double q = reading + offset - joint->offset, innovation = q - expected->q;
  encoder_steps_next(&joint->steps, q, expected->noise, expected->speed, dt);
  encoder_trial_next(&joint->trial, &joint->steps, dt, &guard->since_again);
  if (expected->noisy) {
    encoder_steps_believe(&joint->steps, false);
  }
  if (encoder_repeats_next(&joint->repeats, q, innovation, sd, dt, joint->steps.away) &&
      !expected->doubt) {
    return leave(guard, j, ENCODER_STUCK);
  }
  const bool far = is_far(joint, innovation, expected);
  const enum encoder_verdict verdict = judge_reading(guard, joint, innovation, far, expected);
  return verdict == ENCODER_LEAVE ? leave(guard, j, ENCODER_GATED)
                                  : believe(guard, j, innovation, verdict, far, expected);
}
