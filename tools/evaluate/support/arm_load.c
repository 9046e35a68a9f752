#include "support/arm_load.h"

#include "body/rnea.h"

#include <stdlib.h>
#include <string.h>

/* s on either side that a parabola is fitted to. */
static const double SIDE = 0.064;
static const double GRAVITY = 9.81; /* m/s^2 */

/* Rate and acceleration of a parabola through the samples about i, in the least squares' sense. */
static void slopes(const struct arm_motion *log, size_t i, size_t joint, double *dq, double *ddq) {
  size_t first = i, last = i;
  while (first > 0 && log->t[i] - log->t[first - 1] <= SIDE) {
    first--;
  }
  while (last + 1 < log->n && log->t[last + 1] - log->t[i] <= SIDE) {
    last++;
  }
  double S[5] = {0.0}, b[3] = {0.0};
  /* moments of time, and of the position along it */
  for (size_t k = first; k <= last; k++) {
    const double h = log->t[k] - log->t[i], q = log->q[k][joint] - log->q[i][joint];
    double power = 1.0;
    for (int p = 0; p < 5; p++, power *= h) {
      S[p] += power;
      b[p < 3 ? p : 0] += p < 3 ? power * q : 0.0;
    }
  }
  /* Cramer's rule for q = c0 + c1 h + c2 h^2 */
  const double D = S[0] * (S[2] * S[4] - S[3] * S[3]) - S[1] * (S[1] * S[4] - S[3] * S[2]) +
                   S[2] * (S[1] * S[3] - S[2] * S[2]);
  *dq = (S[0] * (b[1] * S[4] - S[3] * b[2]) - b[0] * (S[1] * S[4] - S[3] * S[2]) +
         S[2] * (S[1] * b[2] - b[1] * S[2])) /
        D;
  *ddq = 2.0 *
         (S[0] * (S[2] * b[2] - b[1] * S[3]) - S[1] * (S[1] * b[2] - b[1] * S[2]) +
          b[0] * (S[1] * S[3] - S[2] * S[2])) /
         D;
}

static bool build(struct kinematics *kin, struct rnea *rnea, const struct model *model,
                  struct arena *arena) {
  return kinematics_init(kin, model, arena) == STATUS_OK &&
         rnea_init(rnea, model, arena) == STATUS_OK;
}

/* The efforts of all samples. */
static bool add(struct kinematics *kin, struct rnea *rnea, const struct inertia *inertia,
                const double *gain, const struct arm_motion *log) {
  const size_t joints = kin->model->n_joints;
  double dq[ARM_LOAD_JOINTS], ddq[ARM_LOAD_JOINTS], tau[ARM_LOAD_JOINTS];
  for (size_t i = 0; i < log->n; i++) {
    for (size_t j = 0; j < joints; j++) {
      slopes(log, i, j, &dq[j], &ddq[j]);
    }
    const struct robot_motion motion = {
        .base = {.X_WB = POSE_IDENTITY, .a_B.lin = {0.0, 0.0, GRAVITY}},
        .q = log->q[i],
        .dq = dq,
        .ddq = ddq};
    if (kinematics_update(kin, &motion) != STATUS_OK ||
        rnea_step(rnea, kin, inertia, NULL, WITHOUT_DRIVES, NULL, tau) != STATUS_OK) {
      return false;
    }
    for (size_t j = 0; j < joints; j++) {
      log->effort[i][j] += tau[j] / (gain != NULL ? gain[j] : 1.0);
    }
  }
  return true;
}

bool arm_load_add(const struct robot *robot, size_t link, const struct inertia *load,
                  const double *gain, const struct arm_motion *log) {
  const struct model *model = &robot->model;
  struct kinematics kin;
  struct rnea rnea;
  struct arena arena = {0};
  if (model->n_joints > ARM_LOAD_JOINTS || !build(&kin, &rnea, model, &arena)) {
    return false;
  }
  /* no body but the load has any mass */
  struct inertia *inertia = calloc(model->n_links, sizeof(*inertia));
  void *memory = aligned_alloc(ARENA_ALIGN, arena.used);
  arena = arena_over(memory, arena.used);
  bool done = inertia != NULL && memory != NULL && build(&kin, &rnea, model, &arena);
  if (done) {
    inertia[link] = *load;
    done = add(&kin, &rnea, inertia, gain, log);
  }
  free(memory);
  free(inertia);
  return done;
}
