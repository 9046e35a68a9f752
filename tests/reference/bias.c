#include "reference/bias.h"

enum status bias_init(struct bias *bias, const struct model *model, struct arena *arena) {
  const enum status status = kinematics_init(&bias->kin, model, arena);
  return status == STATUS_OK ? rnea_init(&bias->rnea, model, arena) : status;
}

enum status bias_step(struct bias *bias, const struct robot_motion *motion,
                      const struct inertia *inertia, struct force *base, double *tau) {
  struct robot_motion coasting = *motion;
  coasting.ddq = NULL;
  const enum status status = kinematics_update(&bias->kin, &coasting);
  if (status != STATUS_OK) {
    return status;
  }
  return rnea_step(&bias->rnea, &bias->kin, inertia, NULL, WITHOUT_DRIVES, base, tau);
}

enum status bias_gravity(struct bias *bias, const double *q, vec3 up_B,
                         const struct inertia *inertia, struct force *base, double *tau) {
  const struct robot_motion rest = {.q = q, .base.a_B.lin = up_B};
  return bias_step(bias, &rest, inertia, base, tau);
}
