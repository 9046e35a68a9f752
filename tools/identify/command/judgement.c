#include "identify/command/judgement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Friction that drives by more than this share of a joint's torque, and of its own deviations, is a
 * wrong sign. */
static const double DRIVES = 0.02, SURE = 3.0;
/* s: torques may be behind or before the motion by this much; lags that are tried; and what share
 * of the error must be left at another one before it is believed. */
static const double MOST_LAG = 0.02, LAG_STEP = 0.02, LAG_LEFT = 0.7;
enum { LAGS = 7 /* tried to each side */ };

/* Deviation of a joint's mean friction, at most. */
static double friction_sd(const struct session *s, const struct robot_fit *fit, size_t j) {
  const int viscous = s->unknowns.at[j][DRIVE_VISCOUS], coulomb = s->unknowns.at[j][DRIVE_COULOMB];
  const struct channel_rows *joint = &s->rows.channel[j];
  double speed = 0.0;
  for (size_t k = 0; k < joint->n; k++) {
    speed += joint->speed[k] / (double)joint->n;
  }
  return hypot(viscous != UNKNOWN_NONE ? fit->sd[viscous] * speed : 0.0,
               coulomb != UNKNOWN_NONE ? fit->sd[coulomb] : 0.0);
}

enum status judge_fit(const struct session *session, const char *log, const struct robot_fit *fit,
                      struct message *error) {
  for (size_t j = 0; j < session->model.n_joints && !session->unknowns.floating; j++) {
    const char *name = session->model.joint[j].name, *column = session->map.joint[j].torque;
    const double least = -fmax(DRIVES * fit->train.torque[j], SURE * friction_sd(session, fit, j));
    if (fit->friction[j] < least) {
      message_set(
          error,
          "%s: column '%s': friction of joint '%s' would be %.3g N m, driving it (the least "
          "allowed is %.3g): is the sign of the torque or of the position wrong (gain, "
          "scale)?",
          log, column, name, fit->friction[j], least);
      return STATUS_REFUSED;
    }
  }
  return STATUS_OK;
}

/* Torques as they would be with `lag` less, between rows along lines. */
static void shift_torques(const struct row_set *rows, double *const *as_logged, double lag) {
  for (size_t j = 0; j < rows->n_channels; j++) {
    for (size_t k = 0; k < rows->n; k++) {
      const double at = fmin(fmax((double)k + lag / rows->dt, 0.0), (double)(rows->n - 1));
      const size_t below = at >= (double)(rows->n - 1) ? rows->n - 2 : (size_t)at;
      const double share = at - (double)below;
      rows->channel[j].tau[k] =
          as_logged[j][below] + share * (as_logged[j][below + 1] - as_logged[j][below]);
    }
  }
}

/* What is left of the torques by the fit that forbids nothing, at one lag. */
static double error_at(const struct session *s, const struct base_parameters *base,
                       const struct fit_settings *settings, double *const *as_logged, double lag) {
  struct robot_fit fit;
  shift_torques(&s->rows, as_logged, lag);
  if (robot_fit_make(&s->unknowns, &s->rows, base, s->prior, settings, &fit) != STATUS_OK) {
    return HUGE_VAL;
  }
  const double error = fit.train.total;
  robot_fit_free(&fit);
  return error;
}

static double best_lag(const struct session *s, const struct base_parameters *base,
                       const struct fit_settings *settings, double *const *as_logged) {
  const double without = error_at(s, base, settings, as_logged, 0.0);
  double least = LAG_LEFT * without, lag = 0.0;
  for (int i = -LAGS; i <= LAGS; i++) {
    const double error = error_at(s, base, settings, as_logged, LAG_STEP * i);
    if (error < least) {
      least = error;
      lag = LAG_STEP * i;
    }
  }
  shift_torques(&s->rows, as_logged, 0.0);
  return lag;
}

enum status judge_lag(const struct session *session, const char *log,
                      const struct base_parameters *base, struct message *error) {
  const struct row_set *rows = &session->rows;
  struct fit_settings settings = fit_defaults();
  settings.method = FIT_WLS;
  double *as_logged[MODEL_MAX_JOINTS] = {NULL};
  double *block = malloc(rows->n_channels * rows->n * sizeof(double));
  if (block == NULL || rows->n < 2) {
    free(block);
    return STATUS_OK; /* nothing to compare */
  }
  for (size_t j = 0; j < rows->n_channels; j++) {
    as_logged[j] = block + j * rows->n;
    memcpy(as_logged[j], rows->channel[j].tau, rows->n * sizeof(double));
  }
  const double lag = best_lag(session, base, &settings, as_logged);
  free(block);
  if (fabs(lag) <= MOST_LAG) {
    return STATUS_OK;
  }
  message_set(
      error,
      "%s: torques and motion are out of step: torques come about %.0f ms %s the motion, the "
      "maximum is %.0f ms",
      log, 1e3 * fabs(lag), lag > 0.0 ? "after" : "before", 1e3 * MOST_LAG);
  return STATUS_REFUSED;
}

void explain_failure(const struct session *session, const char *log, enum status status,
                     struct message *error) {
  const struct row_set *rows = &session->rows;
  if (status == STATUS_NOT_CONSISTENT || status == STATUS_NO_CONVERGENCE) {
    message_set(error,
                "%s: no body that can be comes near these torques: are they this robot's, in its "
                "units and with its signs?",
                log);
    return;
  }
  if (status == STATUS_BAD_ARGUMENT) {
    message_set(error, "--shape: an ellipsoid of the centre of mass (com) is no plane, which sqp, "
                       "sqp-printed and log-cholesky need: --method pc-irls takes it");
    return;
  }
  if (session->unknowns.floating) {
    message_set(error, "%s: no fit: %s in %.3g s: move every joint, or for longer", log,
                status_text(status), (double)rows->n * rows->dt);
    return;
  }
  size_t least = 0, fewest = rows->n + 1;
  for (size_t j = 0; j < rows->n_channels; j++) {
    size_t moving = 0;
    for (size_t k = 0; k < rows->n; k++) {
      moving += row_moves(rows, j, k);
    }
    if (moving < fewest) {
      fewest = moving;
      least = j;
    }
  }
  message_set(
      error,
      "%s: no fit: %s; joint '%s' tells least, it moves in %zu of %zu rows (%.3g s): move it "
      "more, or for longer",
      log, status_text(status), session->model.joint[least].name, fewest, rows->n,
      (double)rows->n * rows->dt);
}
