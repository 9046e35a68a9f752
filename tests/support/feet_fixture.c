#include "support/feet_fixture.h"

#include <math.h>

void feet_begin(struct feet_fixture *f, size_t n_feet) {
  *f = (struct feet_fixture){.rng = random_from(test_seed()), .height_sd = 1e-3};
  f->robot.model = *random_model(&f->rng, (struct random_model_options){.n_joints = 1});
  f->robot.n_feet = n_feet;
  for (size_t i = 0; i < n_feet; i++) {
    f->robot.foot[i].placement = POSE_IDENTITY;
    f->robot.foot[i].placement.p = (vec3){0.0, i == 0 ? 0.1 : -0.1, -0.9};
  }
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(kinematics_init(&f->kin, &f->robot.model, &arena), STATUS_OK);
  }
  const double q[1] = {0.0};
  const struct robot_motion motion = {.base.X_WB = POSE_IDENTITY, .q = q};
  ck_assert_int_eq(kinematics_update(&f->kin, &motion), STATUS_OK);
  const struct base_estimator_settings settings = base_estimator_defaults();
  ck_assert_int_eq(base_estimator_init(&f->base, &f->robot, &settings), STATUS_OK);
}

void feet_step(struct feet_fixture *f) {
  struct pose X_WB = POSE_IDENTITY;
  X_WB.p.z = 0.9;
  const struct base_contacts contacts = {
      .cop_known = true,
      .cop_W = {0.0, f->cop_y, 0.0},
      .f_z = FEET_WEIGHT,
      .weight = FEET_WEIGHT,
      .foot_f_z = f->felt,
      .measured = f->measured,
      .late = f->late,
      .borne = f->felt != NULL ? (f->felt[0] + f->felt[1]) / FEET_WEIGHT : 1.0,
      .legs = f->legs,
      .held = f->held,
      .unknown = {f->unknown[0], f->unknown[1]}};
  base_estimator_step(&f->base, &f->kin, &X_WB, f->velocity, f->height_sd, f->tilt_sd, f->strain,
                      &contacts, FEET_DT);
}

void feet_run(struct feet_fixture *f, double seconds) {
  for (long k = lround(seconds / FEET_DT); k > 0; k--) {
    feet_step(f);
  }
}

void feet_turn(struct feet_fixture *f, double rate, vec3 edge) {
  const double zero[1] = {0.0};
  const vec3 omega = {0.0, rate, 0.0}, origin = {0.0, 0.0, 0.9};
  const struct robot_motion motion = {
      .base = {.X_WB = POSE_IDENTITY, .v_B.ang = omega}, .q = zero, .dq = zero, .ddq = zero};
  ck_assert_int_eq(kinematics_update(&f->kin, &motion), STATUS_OK);
  f->velocity = vec3_cross(omega, vec3_sub(origin, edge));
}

void foot_lift(struct feet_fixture *f, size_t foot, double height) {
  f->robot.foot[foot].placement.p.z = -0.9 + height;
}

void foot_turn(struct feet_fixture *f, size_t foot, double angle) {
  f->robot.foot[foot].placement.R = mat3_from_rpy((vec3){angle, 0.0, 0.0});
}
