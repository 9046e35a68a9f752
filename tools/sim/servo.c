#include "servo.h"

#define BANDWIDTH      (2.0 * M_PI * 12.0) /* rad/s, of joints that carry only their own limb */
#define DAMPING_RATIO  0.8
#define LEG_STIFFNESS  40.0 /* times weight times leg length: what a tilted robot pulls with */
#define STABLE_DAMPING 0.4  /* largest kd dt / inertia: half of what an explicit step bears */
#define STABLE_SPRING  0.1  /* largest kp dt^2 / inertia */

void servo_init(struct servo *servo, const struct physics *physics, const bool *carries,
                double leg_length) {
  const struct model *model = &physics->robot->model;
  const mjModel *m = physics->m;
  const double dt = m->opt.timestep;
  const double weight = model_mass(model) * STANDARD_GRAVITY;
  servo->n_joints = model->n_joints;
  for (size_t j = 0; j < model->n_joints; j++) {
    const double inertia = physics->d->qM[m->dof_Madr[physics->dof[j]]];
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
}

void servo_step(struct servo *servo, const struct physics *physics, const double *q_ref,
                const double *dq_ref) {
  for (size_t j = 0; j < servo->n_joints; j++) {
    const double tau = servo->kp[j] * (q_ref[j] - physics_q(physics, j)) +
                       servo->kd[j] * (dq_ref[j] - physics_dq(physics, j));
    servo->tau[j] = fmin(fmax(tau, -servo->tau_max[j]), servo->tau_max[j]);
  }
}
