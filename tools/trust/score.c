#include "score.h"

#include <math.h>

void score_reset(struct score *score) {
  *score = (struct score){.begun = false};
}

/* How bad a status is. */
static int badness(enum propriod_status status) {
  static const int of[SCORE_STATUSES] = {[PROPRIOD_STATUS_OK] = 0,
                                         [PROPRIOD_STATUS_DEGRADED] = 1,
                                         [PROPRIOD_STATUS_INIT] = 2,
                                         [PROPRIOD_STATUS_DIVERGED] = 3,
                                         [PROPRIOD_STATUS_STALE] = 4};
  return of[status];
}

enum propriod_status whole_status(const struct estimates *estimates) {
  const enum propriod_status a = estimates->state.status, b = estimates->centroidal.status;
  return estimates->centroidal.estimated != 0 && badness(b) > badness(a) ? b : a;
}

/* Adds the components; true when one of them is wrong. */
static bool add_components(struct quantity_score *s, const struct quantity_row *row,
                           const struct quantity_error *e) {
  bool wrong = false;
  double sum = 0.0;
  for (size_t i = 0; i < e->n; i++) {
    const double error = fabs(e->error[i]);
    sum += error * error;
    s->components++;
    s->squares += error * error;
    s->absolutes += error;
    s->worst = error <= s->worst || isnan(s->worst) ? s->worst : error; /* NaN is the worst */
    if (e->sd[i] > 0.0) {
      const double sigmas = error / e->sd[i];
      s->with_sd++;
      s->nees += sigmas * sigmas;
      s->worst_sigma = fmax(s->worst_sigma, sigmas);
      s->beyond += !(sigmas <= SCORE_SIGMAS);
      wrong = wrong || !(sigmas <= SCORE_SIGMAS);
    } else {
      wrong = wrong || !(error <= row->believable);
    }
  }
  s->norms += sqrt(sum);
  return wrong;
}

void score_add(struct score *score, const struct estimates *estimates,
               const struct quantity_truth *truth) {
  if (!score->begun) {
    score->begun = true;
    score->resets_before = estimates->state.resets;
    score->pushes_before = estimates->centroidal.push_count;
  }
  score->samples++;
  score->with_status[whole_status(estimates)]++;
  score->resets = estimates->state.resets - score->resets_before;
  score->pushes = estimates->centroidal.push_count - score->pushes_before;
  for (size_t i = 0; i < QUANTITIES; i++) {
    const struct quantity_row *row = quantity_row(i);
    struct quantity_score *s = &score->of[i];
    struct quantity_error error;
    quantity_compare((enum quantity)i, estimates, truth, &error);
    const bool wrong = add_components(s, row, &error);
    const bool ok =
        (row->centroidal ? whole_status(estimates) : estimates->state.status) == PROPRIOD_STATUS_OK;
    s->samples += error.n > 0;
    s->lying = wrong && ok ? s->lying + 1 : 0;
    s->longest_lie = s->lying > s->longest_lie ? s->lying : s->longest_lie;
  }
}

double score_rms(const struct score *score, enum quantity quantity) {
  const struct quantity_score *s = &score->of[quantity];
  return sqrt(s->squares / (double)s->components);
}

double score_norm(const struct score *score, enum quantity quantity) {
  const struct quantity_score *s = &score->of[quantity];
  return s->norms / (double)s->samples;
}

double score_mean(const struct score *score, enum quantity quantity) {
  const struct quantity_score *s = &score->of[quantity];
  return s->absolutes / (double)s->components;
}

double score_nees(const struct score *score, enum quantity quantity) {
  const struct quantity_score *s = &score->of[quantity];
  return s->nees / (double)s->with_sd;
}

double score_ok(const struct score *score) {
  return (double)score->with_status[PROPRIOD_STATUS_OK] / (double)score->samples;
}

double score_longest_lie(const struct score *score, double period_s, enum quantity *quantity) {
  uint64_t longest = 0;
  for (size_t i = 0; i < QUANTITIES; i++) {
    if (score->of[i].longest_lie > longest) {
      longest = score->of[i].longest_lie;
      if (quantity != NULL) {
        *quantity = (enum quantity)i;
      }
    }
  }
  return period_s * (double)longest;
}
