/* What a motion must not do: come near the ground or itself, or ask too much of a joint. */
#include "identify/fit/excitation_designer.h"

#include <math.h>
#include <stdlib.h>

/* rad: where the description has no limit; m: what a posture keeps beside the margin. */
static const double FREE_REACH = 1.5, BESIDE = 0.005;
enum { POSTURES = 2000 /* drawn to find one that is clear */ };

bool designer_is_clear(const struct designer *d, const struct excitation_design *design, double dt,
                       double beside) {
  if (d->settings->clearance == NULL) {
    return true;
  }
  for (size_t k = 0; k <= (size_t)lround(design->period / dt); k++) {
    double q[MODEL_MAX_JOINTS], dq, ddq;
    for (size_t j = 0; j < design->n_joints; j++) {
      excitation_design_at(design, j, dt * (double)k, &q[j], &dq, &ddq);
    }
    if (clearance_at(d->settings->clearance, q) < beside) {
      return false;
    }
  }
  return true;
}

bool designer_find_home(struct designer *d) {
  const struct model *model = d->u->model;
  struct clearance *clearance = d->settings->clearance;
  for (int i = 0; i < POSTURES; i++) {
    for (size_t j = 0; j < model->n_joints; j++) {
      const struct joint *joint = &model->joint[j];
      const bool limited = isfinite(joint->q_min) && isfinite(joint->q_max);
      const double middle = limited ? 0.5 * (joint->q_min + joint->q_max) : 0.0;
      const double reach = limited ? 0.5 * (joint->q_max - joint->q_min) : FREE_REACH;
      d->home[j] = middle + (i > 1 ? d->settings->share * reach * designer_draw(d) : 0.0);
    }
    if (i == 1) {
      clearance_neutral(model, d->home);
    }
    if (clearance == NULL || clearance_at(clearance, d->home) > BESIDE) {
      return true;
    }
  }
  return false;
}

double designer_torque_share(struct designer *d, const struct excitation_design *design,
                             double dt) {
  const struct model *model = d->u->model;
  double most = 0.0;
  for (size_t k = 0; k <= (size_t)lround(design->period / dt); k++) {
    double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
    for (size_t j = 0; j < model->n_joints; j++) {
      excitation_design_at(design, j, dt * (double)k, &q[j], &dq[j], &ddq[j]);
    }
    const struct robot_motion at = {
        .base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = d->up}}, .q = q, .dq = dq, .ddq = ddq};
    if (kinematics_update(&d->kin, &at) != STATUS_OK ||
        rnea_step(&d->rnea, &d->kin, model->inertia, NULL, WITH_DRIVES, NULL, tau) != STATUS_OK) {
      return HUGE_VAL;
    }
    for (size_t j = 0; j < model->n_joints; j++) {
      most = fmax(most, fabs(tau[j]) / model->joint[j].tau_max);
    }
  }
  return most;
}

enum status designer_dynamics(struct designer *d) {
  struct arena arena = {0};
  enum status status = STATUS_OK;
  for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
    status = kinematics_init(&d->kin, d->u->model, &arena);
    status = status == STATUS_OK ? rnea_init(&d->rnea, d->u->model, &arena) : status;
    if (status == STATUS_OK && pass == 0) {
      d->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(d->memory, arena.used);
      status = d->memory != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    }
  }
  return status;
}
