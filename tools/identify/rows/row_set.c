#include "identify/rows/row_set.h"

#include "identify/rows/body_regressor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row_settings row_defaults(void) {
  return (struct row_settings){.rate_hz = 0.0, .still_share = 0.01};
}

/* -- memory ----------------------------------------------------------------------------------- */

static bool make_joint(const struct unknowns *u, size_t j, size_t n, struct channel_rows *joint) {
  joint->column = calloc(u->n, sizeof(*joint->column));
  if (joint->column == NULL) {
    return false;
  }
  joint->n_columns = unknowns_columns(u, j, joint->column);
  joint->n = n;
  joint->Y = calloc(n * joint->n_columns, sizeof(double));
  joint->tau = calloc(n, sizeof(double));
  joint->speed = calloc(n, sizeof(double));
  return joint->Y != NULL && joint->tau != NULL && joint->speed != NULL;
}

static bool make_memory(const struct unknowns *u, struct row_set *rows) {
  rows->t = calloc(rows->n, sizeof(double));
  rows->still = calloc(rows->n_channels, sizeof(double));
  rows->channel = calloc(rows->n_channels, sizeof(*rows->channel));
  bool made = rows->t != NULL && rows->still != NULL && rows->channel != NULL;
  for (size_t j = 0; j < rows->n_channels && made; j++) {
    made = make_joint(u, j, rows->n, &rows->channel[j]);
  }
  return made;
}

void row_set_free(struct row_set *rows) {
  for (size_t j = 0; j < rows->n_channels && rows->channel != NULL; j++) {
    free(rows->channel[j].column);
    free(rows->channel[j].Y);
    free(rows->channel[j].tau);
    free(rows->channel[j].speed);
  }
  free(rows->channel);
  free(rows->t);
  free(rows->still);
  *rows = (struct row_set){0};
}

/* -- rows ------------------------------------------------------------------------------------- */

/* Adds `weight` times sample k to row `to` of every joint. */
static void add_sample(const struct unknowns *u, const struct body_regressor *body,
                       const struct log_motion *motion, size_t k, const size_t to[2],
                       const double weight[2], struct row_set *rows) {
  const size_t n = motion->n_joints;
  const double *dq = motion->dq + k * n, *ddq = motion->ddq + k * n;
  const double *measured = u->floating ? motion->base[k].wrench : motion->tau + k * n;
  double row[INERTIA_PARAMETERS * UNKNOWN_BODIES + 64];
  for (size_t j = 0; j < u->n_channels; j++) {
    struct channel_rows *joint = &rows->channel[j];
    const double *bodies = body_regressor_row(body, j);
    unknowns_row(u, bodies, dq, ddq, j, joint->column, joint->n_columns, row);
    for (int i = 0; i < 2; i++) {
      if (to[i] >= rows->n || weight[i] == 0.0) {
        continue;
      }
      double *Y = joint->Y + to[i] * joint->n_columns;
      for (size_t c = 0; c < joint->n_columns; c++) {
        Y[c] += weight[i] * row[c];
      }
      joint->tau[to[i]] += weight[i] * measured[j];
      joint->speed[to[i]] += weight[i] * (u->floating ? 1.0 : fabs(dq[j]));
    }
  }
}

/* Row r is centred on sample (r + 1) thin and reaches thin samples to either side: its weights and
 * its neighbour's add up to one. */
static enum status collect(const struct unknowns *u, struct body_regressor *body,
                           const struct log_motion *motion, vec3 up, struct row_set *rows) {
  const size_t n = motion->n_joints, thin = rows->thin;
  for (size_t k = 0; k < (rows->n + 1) * thin; k++) {
    struct robot_motion at = {.base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = up}},
                              .q = motion->q + k * n,
                              .dq = motion->dq + k * n,
                              .ddq = motion->ddq + k * n};
    if (motion->base != NULL) {
      at.base.v_B.ang = motion->base[k].omega;
      at.base.a_B = motion->base[k].a;
    }
    const enum status status = body_regressor_step(body, &at);
    if (status != STATUS_OK) {
      return status;
    }
    const double share = (double)(k % thin) / (double)thin;
    const double rising = 0.5 * (1.0 - cos(M_PI * share));
    const size_t to[2] = {k / thin, k / thin - 1}; /* below zero: beyond every row */
    const double weight[2] = {rising / (double)thin, (1.0 - rising) / (double)thin};
    add_sample(u, body, motion, k, to, weight, rows);
  }
  return STATUS_OK;
}

static void find_standstill(struct row_set *rows, double share) {
  for (size_t j = 0; j < rows->n_channels; j++) {
    double most = 0.0;
    for (size_t k = 0; k < rows->n; k++) {
      most = fmax(most, rows->channel[j].speed[k]);
    }
    rows->still[j] = share * most;
  }
}

enum status row_set_make(const struct unknowns *unknowns, const struct log_motion *motion, vec3 up,
                         const struct row_settings *settings, struct row_set *rows) {
  const double rate = settings->rate_hz > 0.0 ? settings->rate_hz : 2.0 * motion->cutoff_hz;
  const size_t thin = (size_t)fmax(1.0, round(1.0 / (rate * motion->dt)));
  if (motion->n < 3 * thin) {
    return STATUS_TOO_FEW;
  }
  if (unknowns->floating && motion->base == NULL) {
    return STATUS_BAD_ARGUMENT;
  }
  struct row_set made = {.n_channels = unknowns->n_channels,
                         .n = motion->n / thin - 1,
                         .thin = thin,
                         .dt = (double)thin * motion->dt};
  struct body_regressor body = {0};
  enum status status =
      make_memory(unknowns, &made) ? body_regressor_init(&body, unknowns) : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    status = collect(unknowns, &body, motion, up, &made);
  }
  body_regressor_free(&body);
  if (status != STATUS_OK) {
    row_set_free(&made);
    return status;
  }
  for (size_t k = 0; k < made.n; k++) {
    made.t[k] = motion->start + made.dt * (double)(k + 1);
  }
  find_standstill(&made, settings->still_share);
  *rows = made;
  return STATUS_OK;
}

double row_residual(const struct channel_rows *joint, size_t k, const double *x) {
  const double *Y = joint->Y + k * joint->n_columns;
  double rest = joint->tau[k];
  for (size_t c = 0; c < joint->n_columns; c++) {
    rest -= Y[c] * x[joint->column[c]];
  }
  return rest;
}
