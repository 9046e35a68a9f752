#include "identify/command/judgement.h"

#include <math.h>

/* Friction that drives by more than this share of a joint's torque is a wrong sign. */
static const double DRIVES = 0.02;
/* s: torques may be behind or before the motion by this much, unless it explains little of what the
 * fit leaves: friction that no model has also goes with the torque's slope. */
static const double MOST_LAG = 0.02, LAG_SHARE = 0.7;

enum status judge_fit(const struct session *session, const char *log, const struct robot_fit *fit,
                      struct message *error) {
  for (size_t j = 0; j < session->model.n_joints; j++) {
    const char *name = session->model.joint[j].name, *column = session->map.joint[j].torque;
    const double least = -DRIVES * fit->train.torque[j];
    if (fit->friction[j] < least) {
      message_set(
          error,
          "%s: column '%s': friction of joint '%s' would be %.3g N m, driving it (the least "
          "allowed is %.3g): is the sign of the torque or of the position wrong (gain, "
          "scale)?",
          log, column, name, fit->friction[j], least);
      return STATUS_REFUSED;
    }
    if (fabs(fit->lag[j]) > MOST_LAG && fit->lag_share[j] > LAG_SHARE) {
      message_set(
          error,
          "%s: column '%s': torque of joint '%s' comes %.1f ms %s the motion, the maximum is "
          "%.0f ms",
          log, column, name, 1e3 * fabs(fit->lag[j]), fit->lag[j] > 0.0 ? "after" : "before",
          1e3 * MOST_LAG);
      return STATUS_REFUSED;
    }
  }
  return STATUS_OK;
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
  size_t least = 0, fewest = rows->n + 1;
  for (size_t j = 0; j < rows->n_joints; j++) {
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
