#include "support/five_mass_fixture.h"

#include <math.h>
#include <stdlib.h>

void five_kinematics(struct five_robot *r, const struct model *model) {
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    ck_assert_int_eq(kinematics_init(&r->kin, model, &arena), STATUS_OK);
  }
}

void five_robot(struct five_robot *r, const char *name) {
  r->stock = test_robot(name);
  r->amplitude = 0.4;
  r->fit = five_mass_fit_defaults();
  five_kinematics(r, &r->stock.robot->model);
  ck_assert_int_eq(five_mass_fit(r->stock.robot, &r->fit, &r->kin, r->q, &r->model), STATUS_OK);
}

mat3 five_move(struct five_robot *r, double t) {
  const double A = r->amplitude, rate = 1.3, yaw = 0.8 * sin(rate * t);
  for (size_t j = 0; j < r->stock.robot->model.n_joints; j++) {
    const double w = 2.0 + 0.3 * (double)j, phase = 0.7 * (double)j;
    r->q[j] = A * sin(w * t + phase);
    r->dq[j] = A * w * cos(w * t + phase);
    r->ddq[j] = -A * w * w * sin(w * t + phase);
  }
  const mat3 R = mat3_from_rpy((vec3){0.0, 0.0, yaw});
  const struct robot_motion motion = {
      .base = {.X_WB = {R, VEC3_ZERO},
               .v_B = {{0.0, 0.0, 0.8 * rate * cos(rate * t)}, VEC3_ZERO},
               .a_B = {{0.0, 0.0, -0.8 * rate * rate * sin(rate * t)}, VEC3_ZERO}},
      .q = r->q,
      .dq = r->dq,
      .ddq = r->ddq};
  ck_assert_int_eq(kinematics_update(&r->kin, &motion), STATUS_OK);
  return R;
}
