#include "identify/fit/stribeck_search.h"

#include "identify/fit/robot_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares of a joint's greatest speed that are tried. */
static const double SHARES[] = {0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35};
enum { TRIES = sizeof(SHARES) / sizeof(SHARES[0]) };

struct search {
  struct unknowns *u;
  const struct log_motion *motion;
  vec3 up;
  const struct row_settings *settings;
  double train_share;
  const double *prior;
  double greatest[MODEL_MAX_JOINTS]; /* rad/s (m/s) */
};

static void find_greatest(struct search *s) {
  const size_t n = s->motion->n_joints;
  for (size_t i = 0; i < s->motion->n * n; i++) {
    s->greatest[i % n] = fmax(s->greatest[i % n], fabs(s->motion->dq[i]));
  }
}

/* What is left of each joint's torque with the speeds as they are: rms [n_joints]. */
static enum status try(const struct search *s, double *rms) {
  struct row_set rows = {.n = 0};
  struct base_parameters base = {.n = 0};
  struct robot_fit fit;
  struct fit_settings settings = fit_defaults();
  settings.method = FIT_WLS;
  settings.train_share = s->train_share;
  enum status status = row_set_make(s->u, s->motion, s->up, s->settings, &rows);
  if (status == STATUS_OK) {
    status = base_parameters_find(s->u, s->up, &base);
  }
  if (status == STATUS_OK) {
    status = robot_fit_make(s->u, &rows, &base, s->prior, &settings, &fit);
  }
  if (status == STATUS_OK) {
    memcpy(rms, fit.train.rms, s->u->n_channels * sizeof(*rms));
    robot_fit_free(&fit);
  }
  base_parameters_free(&base);
  row_set_free(&rows);
  return status;
}

static enum status search(struct search *s) {
  double rms[MODEL_MAX_JOINTS], least[MODEL_MAX_JOINTS], best[MODEL_MAX_JOINTS];
  const size_t n = s->u->n_channels;
  enum status status = STATUS_OK;
  for (int i = 0; i < TRIES && status == STATUS_OK; i++) {
    for (size_t j = 0; j < n; j++) {
      s->u->stribeck[j] = SHARES[i] * s->greatest[j];
    }
    status = try(s, rms);
    for (size_t j = 0; j < n && status == STATUS_OK; j++) {
      if (i == 0 || rms[j] < least[j]) {
        least[j] = rms[j];
        best[j] = s->u->stribeck[j];
      }
    }
  }
  if (status == STATUS_OK) {
    memcpy(s->u->stribeck, best, n * sizeof(*best));
  }
  return status;
}

enum status stribeck_search(struct unknowns *unknowns, const struct log_motion *motion, vec3 up,
                            const struct row_settings *settings, double train_share,
                            struct row_set *rows) {
  struct search s = {
      .u = unknowns, .motion = motion, .up = up, .settings = settings, .train_share = train_share};
  double *prior = calloc(unknowns->n + 1, sizeof(*prior));
  if (prior == NULL) {
    return STATUS_NO_MEMORY;
  }
  unknowns_prior(unknowns, prior);
  s.prior = prior;
  find_greatest(&s);
  struct row_set made;
  enum status status = search(&s);
  if (status == STATUS_OK) {
    status = row_set_make(unknowns, motion, up, settings, &made);
  }
  if (status == STATUS_OK) {
    row_set_free(rows);
    *rows = made;
  }
  free(prior);
  return status;
}
