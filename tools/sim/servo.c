#include "servo.h"

#include <string.h>

#define BANDWIDTH          (2.0 * M_PI * 12.0) /* rad/s, of joints that carry only their own limb */
#define DAMPING_RATIO      0.8
#define LEG_STIFFNESS      40.0 /* times weight times leg length: what a tilted robot pulls with */
#define SWAY_DAMPING_RATIO 0.3  /* of the body on the joints of its legs, where no step bounds it */
#define STABLE_DAMPING     0.4  /* largest kd dt / inertia: half of what an explicit step bears */
#define STABLE_MODE        1.5  /* largest share of a mode's velocity in a step: 2 and it grows */
#define STABLE_ROUGH       1.9  /* the same, friction of joints that hardly move with it */
#define ITERATIONS         50
#define STABLE_SPRING      0.1 /* largest kp dt^2 / inertia */
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

/* What friction of a joint that hardly moves takes of its speed, N m s/rad or N s/m. */
static double roughness(const struct joint *joint) {
  return joint->viscous + joint->coulomb / COULOMB_RAMP;
}

/* By how much the fastest mode of what is damped in explicit steps is beyond what is stable; writes
 * its shape. With `rough` by friction, too. */
static double excess_of(const struct servo *servo, const struct physics *physics, bool rough,
                        double *mode) {
  const struct joint *joint = physics->robot->model.joint;
  double gain[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < servo->n_joints; j++) {
    gain[j] = (physics->ahead[j] > 0.0 ? 0.0 : servo->kd[j]) + (rough ? roughness(&joint[j]) : 0.0);
  }
  return fastest_mode(physics, gain, physics->m->opt.timestep, mode) /
             (rough ? STABLE_ROUGH : STABLE_MODE) -
         1.0;
}

/* Light links that hang from each other, and legs under a light trunk, move more easily together
 * than each does alone: less damping for those that move most in a mode that would be unstable by
 * it, or by it and friction. */
static void calm(struct servo *servo, const struct physics *physics) {
  double mode[MODEL_MAX_JOINTS];
  for (int i = 0; i < ITERATIONS; i++) {
    double excess = excess_of(servo, physics, false, mode);
    excess = excess > 0.0 ? excess : excess_of(servo, physics, true, mode);
    if (!(excess > 0.0)) {
      return;
    }
    for (size_t j = 0; j < servo->n_joints; j++) {
      servo->kd[j] /= physics->ahead[j] > 0.0 ? 1.0 : 1.0 + excess * fabs(mode[j]);
    }
  }
}

/* What a joint's drive moves when all others are free, kg m^2 or kg. */
static double moved_inertia(const struct physics *physics, size_t j) {
  return physics->d->qM[physics->m->dof_Madr[physics->dof[j]]];
}

/* s: friction in longer explicit steps takes more than the joint's whole speed at once. */
static double longest_step_of_friction(const struct physics *physics, size_t j) {
  return moved_inertia(physics, j) / roughness(&physics->robot->model.joint[j]);
}

double servo_longest_step(const struct physics *physics, const bool *carries) {
  const struct model *model = &physics->robot->model;
  double gain[MODEL_MAX_JOINTS], mode[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < model->n_joints; j++) {
    gain[j] = carries[j] ? 0.0 : roughness(&model->joint[j]);
  }
  return 1.0 / fastest_mode(physics, gain, 1.0, mode);
}

/* Whether all joints of legs move so much that explicit steps of dt leave them stiff enough. */
static bool legs_are_heavy(const struct physics *physics, const bool *carries, double needed) {
  const double dt = physics->m->opt.timestep;
  for (size_t j = 0; j < physics->robot->model.n_joints; j++) {
    if (carries[j] && (dt > sqrt(STABLE_SPRING * moved_inertia(physics, j) / needed) ||
                       dt > longest_step_of_friction(physics, j))) {
      return false;
    }
  }
  return true;
}

/* Gains in explicit steps. Those of a leg have as much damping as is stable: it is the whole body
 * that they have to damp. */
static void choose_explicit(struct servo *servo, const struct physics *physics, size_t j,
                            double leg_stiffness) {
  const double dt = physics->m->opt.timestep, inertia = moved_inertia(physics, j);
  const double kp = fmax(BANDWIDTH * BANDWIDTH * inertia, leg_stiffness);
  const double kd = leg_stiffness > 0.0 ? HUGE_VAL : 2.0 * DAMPING_RATIO * BANDWIDTH * inertia;
  servo->kp[j] = fmin(kp, STABLE_SPRING * inertia / (dt * dt));
  servo->kd[j] = fmin(kd, STABLE_DAMPING * inertia / dt);
}

/* Gains of a joint of a light leg, whose drive looks ahead: no step bounds them. The body sways
 * over its feet as a pendulum of `swaying`, kg m^2, on the joint's spring.
 *   tau = kp (q_ref+ - q+) + kd (dq_ref+ - dq+),  dq+ = dq + dt ddq,  q+ = q + dt dq+ */
static void choose_ahead(struct servo *servo, struct physics *physics, size_t j,
                         double leg_stiffness, double swaying) {
  const double dt = physics->m->opt.timestep;
  servo->kp[j] = leg_stiffness;
  servo->kd[j] = 2.0 * SWAY_DAMPING_RATIO * sqrt(leg_stiffness * swaying) + dt * leg_stiffness;
  physics_look_ahead(physics, j, dt * servo->kd[j]);
}

void servo_init(struct servo *servo, struct physics *physics, const bool *carries,
                double leg_length) {
  const struct model *model = &physics->robot->model;
  const double mass = model_mass(model), pull = mass * STANDARD_GRAVITY * leg_length;
  const bool ahead = carries != NULL && !legs_are_heavy(physics, carries, LEAST_STIFFNESS * pull);
  servo->n_joints = model->n_joints;
  for (size_t j = 0; j < model->n_joints; j++) {
    const double stiffness = carries != NULL && carries[j] ? LEG_STIFFNESS * pull : 0.0;
    if (ahead && carries[j]) {
      choose_ahead(servo, physics, j, stiffness, mass * leg_length * leg_length);
    } else {
      choose_explicit(servo, physics, j, stiffness);
    }
    servo->tau_max[j] = model->joint[j].tau_max;
    servo->tau[j] = 0.0;
  }
  physics_look(physics);
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
