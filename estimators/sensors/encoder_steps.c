#include "sensors/encoder_steps.h"

#include <math.h>

/* Deviations of the difference of two readings that noise does not reach. */
static const double GATE = 7.0;
/* By how much no joint's velocity changes between two readings, rad/s or m/s, and in a second;
 * what its drive does of that however far apart they are, rad/s or m/s; memory of the velocity by
 * readings alone, and of how far it lags behind them, s. */
static const double WILD_SPEED = 15.0, STEP_ACCELERATION = 1000.0, DRIVEN_SPEED = 5.0,
                    RATE_TIME = 4e-3;
/* A pace is another when it differs by so much and by noise, rad/s or m/s. */
static const double FASTER = 0.3;
/* Two steps are alike when neither is so many times the other. */
static const double LEAP_AGREES = 2.0;
/* It is back where its steps add up to no more than this part of the largest. */
static const double BACK_SHARE = 0.01;

/* Steps so near to each other, s, and so many of them, are noise: a fault steps away and back. */
static const double NEAR = 0.02;
enum { FLURRY = 3 };

static void note(struct encoder_steps *steps, double apart) {
  steps->sum += apart;
  steps->farthest = fmax(steps->farthest, fabs(steps->sum));
  steps->flurry = steps->since < NEAR ? steps->flurry + 1 : 1;
  steps->since = 0.0;
}

/* The reading after a step stands twice as far from where those before lead to: it is the joint
 * that has become so much faster. */
static bool goes_on(const struct encoder_steps *steps, double faster) {
  return faster * steps->leap > 0.0 && fabs(faster) < WILD_SPEED &&
         fabs(faster) < LEAP_AGREES * fabs(steps->leap) &&
         fabs(steps->leap) < LEAP_AGREES * fabs(faster);
}

/* It came here as fast as to the reading before: that is its joint's pace, wherever its steps have
 * led it; noise of three readings. */
static bool keeps_pace(const struct encoder_steps *steps, double pace, double noise, double change,
                       double dt) {
  return steps->away && fabs(pace - steps->pace) < GATE * sqrt(6.0) * noise / dt + change;
}

void encoder_steps_next(struct encoder_steps *steps, double q, double noise, double speed,
                        double dt) {
  const double moved = q - steps->before, apart = moved - steps->velocity * dt,
               share = dt / (RATE_TIME + dt);
  const double change = fmin(fmin(STEP_ACCELERATION * dt, DRIVEN_SPEED) + speed, WILD_SPEED);
  const bool leaps =
      steps->heard && fabs(apart - steps->lag * dt) > GATE * M_SQRT2 * noise + change * dt;
  const bool faster = leaps && goes_on(steps, apart / dt),
             keeps = leaps && !faster && keeps_pace(steps, moved / dt, noise, change, dt),
             step = leaps && !faster && !keeps;
  if (faster || keeps) {
    steps->velocity = moved / dt;
    steps->lag = 0.0;
    steps->away = !faster;
  } else if (steps->heard && dt > 0.0 && !step) {
    steps->velocity += share * apart / dt;
    steps->lag += share * (apart / dt - steps->lag);
  }
  steps->settled = step || keeps ? 0 : steps->settled + 1; /* those to come have to keep it, too */
  steps->since += dt;
  if (step) {
    note(steps, apart);
  }
  steps->leap = step && !steps->away ? apart / dt : 0.0;
  steps->away = steps->away || step;
  steps->pace = steps->heard ? moved / dt : 0.0;
  steps->before = q;
  steps->heard = true;
}

bool encoder_steps_faster(const struct encoder_steps *steps, double velocity, double noise) {
  return fabs(steps->velocity - velocity) > FASTER + GATE * M_SQRT2 * noise / RATE_TIME;
}

bool encoder_steps_towards(const struct encoder_steps *steps) {
  return steps->settled >= STEPS_SETTLED &&
         fabs(steps->sum + steps->slipped) < 0.5 * steps->farthest;
}

bool encoder_steps_back(const struct encoder_steps *steps, double noise) {
  return encoder_steps_towards(steps) &&
         fabs(steps->sum + steps->slipped) < BACK_SHARE * steps->farthest + GATE * noise;
}

bool encoder_steps_flutter(const struct encoder_steps *steps) {
  return steps->flurry >= FLURRY;
}

void encoder_steps_believe(struct encoder_steps *steps, bool slipped) {
  steps->slipped = slipped ? steps->slipped + steps->sum : steps->slipped;
  steps->sum = steps->farthest = 0.0;
  steps->away = false;
}

void encoder_steps_rezero(struct encoder_steps *steps, double by) {
  steps->before -= by;
}

void encoder_steps_restart(struct encoder_steps *steps) {
  steps->velocity = steps->lag = steps->leap = 0.0;
  steps->heard = false;
  steps->flurry = 0;
}
