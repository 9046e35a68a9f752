#include "servo.h"

#include <string.h>

#define BANDWIDTH      (2.0 * M_PI * 12.0) /* rad/s, of joints that carry only their own limb */
#define DAMPING_RATIO  0.8
#define LEG_STIFFNESS  40.0 /* times weight times leg length: what a tilted robot pulls with */
#define STABLE_DAMPING 0.4  /* largest kd dt / inertia: half of what an explicit step bears */
#define STABLE_MODE    1.5  /* largest share of a mode's velocity in a step: from 2 on it grows */
#define ITERATIONS     50
#define STABLE_SPRING  0.1 /* largest kp dt^2 / inertia */
#define LEAST_STIFFNESS                                                                            \
  8.0 /* of a leg's joint, times weight times leg length: below 1 the robot topples */

/* Largest eigenvalue of dt M^-1 diag(gain): the share of its velocity that one explicit step takes
 * from the fastest mode. Power iteration; `mode` gets its shape, [n_joints], at most 1. */
static double fastest_mode(const struct physics *physics, const double *gain, double dt,
                           double *mode) {
  const size_t n = physics->robot->model.n_joints;
  double force[6 + MODEL_MAX_JOINTS], motion[6 + MODEL_MAX_JOINTS], largest = 0.0;
  for (size_t j = 0; j < n; j++) {
    mode[j] = j % 2 == 0 ? 1.0 : -0.7;
  }
  for (int i = 0; i < ITERATIONS; i++) {
    memset(force, 0, sizeof(force));
    for (size_t j = 0; j < n; j++) {
      force[physics->dof[j]] = dt * gain[j] * mode[j];
    }
    mj_solveM(physics->m, physics->d, motion, force, 1);
    largest = 0.0;
    for (size_t j = 0; j < n; j++) {
      largest = fmax(largest, fabs(motion[physics->dof[j]]));
    }
    for (size_t j = 0; j < n; j++) {
      mode[j] = motion[physics->dof[j]] / largest;
    }
  }
  return largest;
}

/* Light links that hang from each other, and legs under a light trunk, move more easily together
 * than each does alone: less damping for those that move most in a mode that would be unstable. */
static void calm(struct servo *servo, const struct physics *physics) {
  const double dt = physics->m->opt.timestep;
  double mode[MODEL_MAX_JOINTS];
  for (int i = 0; i < ITERATIONS; i++) {
    const double excess = fastest_mode(physics, servo->kd, dt, mode) / STABLE_MODE - 1.0;
    if (!(excess > 0.0)) {
      return;
    }
    for (size_t j = 0; j < servo->n_joints; j++) {
      servo->kd[j] /= 1.0 + excess * fabs(mode[j]);
    }
  }
}

/* What a joint's drive moves when all others are free, kg m^2 or kg. */
static double moved_inertia(const struct physics *physics, size_t j) {
  return physics->d->qM[physics->m->dof_Madr[physics->dof[j]]];
}

double servo_longest_step(const struct physics *physics, const bool *carries, double leg_length) {
  const struct model *model = &physics->robot->model;
  const double needed = LEAST_STIFFNESS * model_mass(model) * STANDARD_GRAVITY * leg_length;
  double longest = HUGE_VAL;
  for (size_t j = 0; j < model->n_joints; j++) {
    const double inertia = moved_inertia(physics, j);
    const struct joint *joint = &model->joint[j];
    longest = fmin(longest, inertia / (joint->viscous + joint->coulomb / COULOMB_RAMP));
    longest = carries[j] ? fmin(longest, sqrt(STABLE_SPRING * inertia / needed)) : longest;
  }
  return longest;
}

void servo_init(struct servo *servo, const struct physics *physics, const bool *carries,
                double leg_length) {
  const struct model *model = &physics->robot->model;
  const mjModel *m = physics->m;
  const double dt = m->opt.timestep;
  const double weight = model_mass(model) * STANDARD_GRAVITY;
  servo->n_joints = model->n_joints;
  for (size_t j = 0; j < model->n_joints; j++) {
    const double inertia = moved_inertia(physics, j);
    double kp = BANDWIDTH * BANDWIDTH * inertia;
    double kd = 2.0 * DAMPING_RATIO * BANDWIDTH * inertia;
    if (carries != NULL && carries[j]) {
      kp = fmax(kp, LEG_STIFFNESS * weight * leg_length);
      kd = HUGE_VAL; /* as much as is stable: it has to damp the whole body */
    }
    servo->kp[j] = fmin(kp, STABLE_SPRING * inertia / (dt * dt));
    servo->kd[j] = fmin(kd, STABLE_DAMPING * inertia / dt);
    servo->tau_max[j] = model->joint[j].tau_max;
    servo->tau[j] = 0.0;
  }
  calm(servo, physics);
}

void servo_step(struct servo *servo, const struct physics *physics, const double *q_ref,
                const double *dq_ref) {
  for (size_t j = 0; j < servo->n_joints; j++) {
    const double tau = servo->kp[j] * (q_ref[j] - physics_q(physics, j)) +
                       servo->kd[j] * (dq_ref[j] - physics_dq(physics, j));
    servo->tau[j] = fmin(fmax(tau, -servo->tau_max[j]), servo->tau_max[j]);
  }
}
