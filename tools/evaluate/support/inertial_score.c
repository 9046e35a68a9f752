#include "support/inertial_score.h"

#include <math.h>

/* A true mass that changes by more than this from one sample to the next has been switched, kg. */
static const double SCORE_SWITCH = 0.5;
/* A published mass has arrived when it is as near as this, of a step. */
static const double SCORE_PUBLISHED = 0.02;
/* Errors count from this long after the first load, and for `settled` this long after a switch. */
static const double SCORE_FROM_S = 1.0, SCORE_SETTLED_S = 0.3;

struct inertial_score inertial_score_from(double from_s, double dt) {
  return (struct inertial_score){.from_s = from_s,
                                 .dt = dt,
                                 .true_m = (double)NAN,
                                 .after_1s = (double)NAN,
                                 .com_after_5s = (double)NAN};
}

static void score_switch(struct inertial_score *s, double t, double m) {
  const double change = m - s->true_m;
  if (fabs(change) > SCORE_SWITCH && s->switches < SCORE_SWITCHES) {
    s->rise_s[s->switches++] = (double)NAN;
    s->step = change;
    s->switched_s = t;
  }
  s->true_m = m;
}

static void score_step(struct inertial_score *s, double t, double error) {
  if (s->switches == 0) {
    return;
  }
  const double ahead = error / s->step; /* -1 at the switch, 0 when there */
  double *rise = &s->rise_s[s->switches - 1];
  if (isnan(*rise) && ahead > -0.1) {
    *rise = t - s->switched_s;
  }
  if (!isnan(*rise)) {
    s->overshoot = fmax(s->overshoot, ahead);
  }
}

static double score_com_sigmas(const struct inertial_link_estimate *found, vec3 error) {
  const double x = fabs(error.x) / found->com_sd.x, y = fabs(error.y) / found->com_sd.y,
               z = fabs(error.z) / found->com_sd.z;
  return fmax(x, fmax(y, z));
}

static void score_settled(struct inertial_score *s, const struct inertial_link_estimate *found,
                          double error, vec3 com_error) {
  const double sigmas = fabs(error) / found->mass_sd;
  s->n_settled++;
  s->squares_settled += error * error;
  s->flagged += sigmas > 3.0;
  s->worst_error = fmax(s->worst_error, fabs(error));
  s->worst_sigmas = fmax(s->worst_sigmas, sigmas);
  s->worst_com_sigmas = fmax(s->worst_com_sigmas, score_com_sigmas(found, com_error));
}

void inertial_score_take(struct inertial_score *s, double t,
                         const struct inertial_link_estimate *found, const struct inertia *truth) {
  const double error = found->estimate.m - truth->m, since = t - s->from_s;
  const vec3 com = inertia_com(truth), com_error = vec3_sub(inertia_com(&found->estimate), com);
  score_switch(s, t, truth->m);
  s->told++;
  s->unphysical += inertia_consistency(&found->estimate, 0.0, NULL) != STATUS_OK;
  score_step(s, t, error);
  if (since >= 0.0 && fabs(found->published.m - truth->m) > SCORE_PUBLISHED * fabs(s->step)) {
    s->published_off_s = since;
  }
  if (since < SCORE_FROM_S) {
    return;
  }
  s->n++;
  s->squares += error * error;
  if (t - s->switched_s >= SCORE_SETTLED_S) {
    score_settled(s, found, error, com_error);
  }
  if (isnan(s->after_1s)) {
    s->after_1s = fabs(error);
  }
  if (isnan(s->com_after_5s) && since >= 5.0) {
    s->com_after_5s = vec3_norm(com_error);
    s->com_shift = vec3_norm(com);
  }
}

double root_mean_square(double squares, size_t n) {
  return n > 0 ? sqrt(squares / (double)n) : (double)NAN;
}

double score_slowest_rise(const struct inertial_score *s) {
  double slowest = 0.0;
  for (size_t i = 0; i < s->switches; i++) {
    slowest = fmax(slowest, isnan(s->rise_s[i]) ? HUGE_VAL : s->rise_s[i]);
  }
  return slowest;
}
