#include "centroidal/centroidal_form.h"

#include "support/five_mass_fixture.h"

#include <string.h>

static struct five_robot r;

/* What a form would see of the moving robot at the time `t`, base at rest but turning. */
struct seen {
  struct centroidal full;
  struct five_mass five;
  struct centroidal_form_input in;
};

static void look(double t, double dt, struct seen *seen) {
  const mat3 R = five_move(&r, t);
  ck_assert_int_eq(centroidal_step(&r.kin, r.stock.robot->model.inertia, &seen->full), STATUS_OK);
  ck_assert_int_eq(five_mass_step(&r.model, &r.kin, &seen->five), STATUS_OK);
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
  seen->full.com_acceleration = vec3_add(seen->full.com_acceleration, up); /* fixture: no gravity */
  seen->in = (struct centroidal_form_input){.dt = dt,
                                            .X_WB = {R, VEC3_ZERO},
                                            .force_B = up,
                                            .gyro_B = r.kin.base.v_B.ang,
                                            .kin = &r.kin,
                                            .full = &seen->full,
                                            .model = &r.model,
                                            .five = &seen->five};
}

static struct centroidal_form begin(enum centroidal_form_kind kind) {
  struct centroidal_form form;
  struct centroidal_form_settings settings = centroidal_form_defaults();
  settings.kind = kind;
  ck_assert_int_eq(centroidal_form_init(&form, &settings), STATUS_OK);
  return form;
}

/* Mean error of the centre of mass' acceleration over two seconds at 1 kHz. */
static double acceleration_error(enum centroidal_form_kind kind) {
  struct centroidal_form form = begin(kind);
  struct centroidal_motion out = {0};
  double sum = 0.0;
  five_robot(&r, "humanoid30");
  for (int step = 0; step < 2000; step++) {
    struct seen seen;
    look(1e-3 * step, 1e-3, &seen);
    ck_assert_int_eq(centroidal_form_step(&form, &seen.in, &out), STATUS_OK);
    vec3 truth = mat3_mul_vec3(&seen.in.X_WB.R, seen.full.com_acceleration);
    truth.z -= STANDARD_GRAVITY;
    sum += step >= 500 ? vec3_norm(vec3_sub(out.acceleration_W, truth)) : 0.0;
  }
  return sum / 1500.0;
}

START_TEST(the_full_form_follows_limbs_that_the_imu_does_not_feel) {
  const double full = acceleration_error(CENTROIDAL_FULL),
               paper = acceleration_error(CENTROIDAL_PAPER),
               imu = acceleration_error(CENTROIDAL_IMU_ONLY);
  ck_assert_double_lt(full, 0.1 * imu);
  ck_assert_double_lt(paper, 0.6 * imu);
}
END_TEST

/* @eq Ficht23 6, 7, 8 */
START_TEST(masses_of_a_base_that_only_accelerates_feel_what_the_paper_says) {
  /* without angular velocity nothing is neglected but what limbs' own turning adds: at rest the
   * printed accelerations are exact */
  five_robot(&r, "humanoid30");
  five_move(&r, 0.3);
  const vec3 alpha = {0.5, -1.0, 2.0}, f = {1.0, 2.0, 9.0}, imu = {0.03, -0.02, 0.1};
  const vec3 f_imu = vec3_add(f, vec3_cross(alpha, imu));
  double ddq[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < r.stock.robot->model.n_joints; j++) {
    ddq[j] = 3.0 * sin(1.0 + 2.0 * (double)j);
  }
  const struct robot_motion motion = {
      .base = {.X_WB = POSE_IDENTITY, .a_B = {alpha, f}}, .q = r.q, .ddq = ddq};
  struct five_mass five;
  vec3 relative[FIVE_MASS_LIMBS], a[FIVE_MASS_MOST];
  ck_assert_int_eq(kinematics_update(&r.kin, &motion), STATUS_OK);
  ck_assert_int_eq(five_mass_step(&r.model, &r.kin, &five), STATUS_OK);
  for (size_t i = 0; i < r.model.n_limbs; i++) {
    relative[i] = five_mass_limb_velocity(&r.model, &r.kin, i, ddq); /* J ddq, as dq = 0 */
  }
  paper_accelerations(&r.model, &r.kin, &five, f_imu, imu, alpha, relative, a);
  for (size_t i = 1; i < five.n; i++) {
    /* (8) leaves out omegadot x T, the limb's own lever */
    const struct link_point *o = &r.model.limb[i - 1].o;
    const vec3 T = vec3_sub(five.m[i], pose_apply(&r.kin.X_BL[o->link], o->at));
    must_be_near_vec3(vec3_add(a[i], vec3_cross(alpha, T)), five.a[i], 1e-10);
  }
}
END_TEST

/* @eq Ficht23 9 */
START_TEST(two_masses_that_turn_about_their_middle_have_its_angular_acceleration) {
  const vec3 arm = {0.3, 0.0, 0.0}, alpha = {0.0, 2.0, -3.0};
  const struct five_mass pair = {
      .n = 2, .w = {2.0, 2.0}, .total = 4.0, .m = {arm, vec3_neg(arm)}, .com = VEC3_ZERO};
  const vec3 a[2] = {vec3_add(vec3_cross(alpha, arm), (vec3){1.0, 2.0, 3.0}),
                     vec3_add(vec3_cross(alpha, vec3_neg(arm)), (vec3){1.0, 2.0, 3.0})};
  must_be_near_vec3(paper_angular_acceleration(&pair, a), alpha, 1e-12);
}
END_TEST

START_TEST(rates_of_the_orientation_are_the_derivatives_of_its_angles) {
  struct centroidal_form form = begin(CENTROIDAL_FULL);
  struct centroidal_motion out = {0}, before = {0};
  five_robot(&r, "humanoid30");
  double worst = 0.0, largest = 0.0;
  for (int step = 0; step < 2000; step++) {
    struct seen seen;
    look(1e-3 * step, 1e-3, &seen);
    ck_assert_int_eq(centroidal_form_step(&form, &seen.in, &out), STATUS_OK);
    ck_assert(out.angular);
    if (step > 300) {
      const vec3 now = mat3_to_rpy(&out.R_WI), then = mat3_to_rpy(&before.R_WI);
      const double pitch_rate = (now.y - then.y) / 1e-3;
      worst = fmax(worst, fabs(pitch_rate - out.rate.y));
      largest = fmax(largest, fabs(pitch_rate));
    }
    before = out;
  }
  ck_assert_double_gt(largest, 0.5);
  ck_assert_double_lt(worst, 0.1 * largest);
}
END_TEST

START_TEST(the_full_forms_centre_of_mass_moves_as_its_velocity_says) {
  const vec3 velocity_W = {0.3, -0.2, 0.1};
  struct centroidal_motion out[3] = {0};
  five_robot(&r, "humanoid30");
  struct centroidal_form form = begin(CENTROIDAL_FULL);
  for (int k = 0; k < 3; k++) {
    struct seen seen;
    const double t = 0.4 + 1e-4 * k;
    look(t, 1e-4, &seen);
    seen.in.X_WB.p = vec3_scale(t, velocity_W);
    seen.in.velocity_W = velocity_W;
    ck_assert_int_eq(centroidal_form_step(&form, &seen.in, &out[k]), STATUS_OK);
  }
  const vec3 difference = vec3_scale(1.0 / 2e-4, vec3_sub(out[2].com_W, out[0].com_W));
  must_be_near_vec3(out[1].velocity_W, difference, 1e-5);
}
END_TEST

START_TEST(the_papers_form_takes_a_measurement_every_10_ms_only) {
  struct centroidal_form form = begin(CENTROIDAL_PAPER);
  struct centroidal_motion out = {0};
  vec3 last = VEC3_ZERO;
  int changes = 0;
  five_robot(&r, "humanoid30");
  for (int step = 0; step < 200; step++) {
    struct seen seen;
    look(1e-3 * step, 1e-3, &seen);
    ck_assert_int_eq(centroidal_form_step(&form, &seen.in, &out), STATUS_OK);
    changes += vec3_norm(vec3_sub(out.acceleration_W, last)) > 0.0;
    last = out.acceleration_W;
  }
  ck_assert_int_ge(changes, 19);
  ck_assert_int_le(changes, 21);
}
END_TEST

START_TEST(numbers_that_are_none_change_nothing) {
  for (int kind = 0; kind < CENTROIDAL_FORMS; kind++) {
    struct centroidal_form form = begin((enum centroidal_form_kind)kind);
    struct centroidal_motion out = {.com_W = {7.0, 8.0, 9.0}};
    struct seen seen;
    five_robot(&r, "humanoid30");
    look(0.1, 1e-3, &seen);
    seen.in.force_B.x = seen.full.com_acceleration.x = NAN;
    ck_assert_int_eq(centroidal_form_step(&form, &seen.in, &out), STATUS_NOT_FINITE);
    ck_assert_double_eq(out.com_W.x, 7.0);
    seen.in.dt = 0.0;
    ck_assert_int_eq(centroidal_form_step(&form, &seen.in, &out), STATUS_OUT_OF_RANGE);
  }
}
END_TEST

SUITE(the_full_form_follows_limbs_that_the_imu_does_not_feel,
      masses_of_a_base_that_only_accelerates_feel_what_the_paper_says,
      two_masses_that_turn_about_their_middle_have_its_angular_acceleration,
      rates_of_the_orientation_are_the_derivatives_of_its_angles,
      the_full_forms_centre_of_mass_moves_as_its_velocity_says,
      the_papers_form_takes_a_measurement_every_10_ms_only, numbers_that_are_none_change_nothing)
