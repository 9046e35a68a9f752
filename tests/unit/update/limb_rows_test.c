#include "update/limb_rows.h"

#include "process/base_process.h"
#include "process/joint_covariance.h"
#include "support/random_model.h"

#include <math.h>
#include <string.h>

/* Rows about IMUs on limbs against differences of what they linearise, on random trees with
 * prismatic joints, base floating and fixed; and what carries their biases on. */

enum { JOINTS = 6, LIMBS = 2, STATES = 128, ROWS = 16, PER_TRIAD = 3 };
static const double STEP = 1e-6;

struct fixture {
  struct random rng;
  struct joint_layout layout;
  struct model *model;
  struct kinematics kin;
  struct limb_imu imu;
  struct row_update rows;
  double x[STATES];
};

static void draw(struct fixture *f, unsigned kind) {
  const bool fixed = kind & 1u, biased = kind & 2u;
  f->rng = random_from(test_seed() + kind);
  f->layout = joint_layout_with_limbs(joint_layout_of(JOINTS, fixed, biased, 2), LIMBS);
  f->model = random_model(
      &f->rng, (struct random_model_options){.n_joints = JOINTS, .chain = (kind & 4u) != 0});
  struct arena count = {0};
  ck_assert_int_eq(kinematics_init(&f->kin, f->model, &count), STATUS_OK);
  ck_assert_int_eq(row_update_init(&f->rows, &f->layout, ROWS, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(kinematics_init(&f->kin, f->model, &arena), STATUS_OK);
  ck_assert_int_eq(row_update_init(&f->rows, &f->layout, ROWS, &arena), STATUS_OK);
  f->imu = (struct limb_imu){.link = JOINTS,
                             .placement = {random_rotation(&f->rng), random_vec3(&f->rng, 0.2)},
                             .rate_sd = 0.5,
                             .force_sd = 2.0};
  for (size_t i = 0; i < f->layout.size; i++) {
    f->x[i] = random_normal(&f->rng);
  }
}

/* The whole motion in x, biases of skin taken out. */
static void update_kinematics(struct fixture *f, const double *state) {
  const struct joint_layout *l = &f->layout;
  double x[STATES];
  memcpy(x, state, sizeof(x));
  joint_process_unbias(l, x);
  struct robot_motion motion = {.q = x + l->q, .dq = x + l->dq, .ddq = x + l->ddq};
  motion.base.X_WB = POSE_IDENTITY;
  motion.base.a_B.lin = (vec3){0.3, -0.2, STANDARD_GRAVITY};
  if (l->base > 0) {
    motion.base.v_B.ang = vec3_from(x + l->omega);
    motion.base.a_B = (struct motion){vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  }
  ck_assert_int_eq(kinematics_update(&f->kin, &motion), STATUS_OK);
}

static void rows_at(struct fixture *f, const double *x) {
  row_update_begin(&f->rows);
  update_kinematics(f, x);
  limb_rows_gyro(&f->rows, &f->kin, &f->imu, f->layout.limb + 6, VEC3_ZERO, x);
  limb_rows_accelerometer(&f->rows, &f->kin, &f->imu, f->layout.limb + 9, VEC3_ZERO, x);
}

START_TEST(rows_are_the_derivatives_of_what_an_imu_on_a_limb_measures) {
  for (unsigned kind = 0; kind < 8; kind++) {
    struct fixture f;
    draw(&f, kind);
    double H[2 * PER_TRIAD][STATES] = {{0.0}}, low[2 * PER_TRIAD];
    rows_at(&f, f.x);
    ck_assert_uint_eq(f.rows.rows, 2 * PER_TRIAD);
    for (size_t r = 0; r < 2 * PER_TRIAD; r++) {
      for (size_t t = 0; t < f.rows.terms[r]; t++) {
        const size_t k = r * f.rows.terms_max + t;
        H[r][f.rows.state[k]] += f.rows.h[k];
      }
    }
    for (size_t i = 0; i < f.layout.size; i++) {
      double x[STATES];
      memcpy(x, f.x, sizeof(x));
      x[i] -= STEP;
      rows_at(&f, x);
      memcpy(low, f.rows.nu, sizeof(low));
      x[i] += 2.0 * STEP;
      rows_at(&f, x);
      for (size_t r = 0; r < 2 * PER_TRIAD; r++) {
        const double difference = -(f.rows.nu[r] - low[r]) / (2.0 * STEP);
        ck_assert_msg(fabs(difference - H[r][i]) < 1e-6 * (1.0 + fabs(difference)),
                      "kind %u row %zu state %zu: %g by differences, %g", kind, r, i, difference,
                      H[r][i]);
      }
    }
  }
}
END_TEST

START_TEST(an_axis_that_gives_no_number_leaves_its_row_out) {
  struct fixture f;
  draw(&f, 0);
  row_update_begin(&f.rows);
  update_kinematics(&f, f.x);
  limb_rows_gyro(&f.rows, &f.kin, &f.imu, f.layout.limb, (vec3){NAN, 0.0, 0.0}, f.x);
  ck_assert_uint_eq(f.rows.rows, 2);
  limb_rows_accelerometer(&f.rows, &f.kin, &f.imu, f.layout.limb + 3, (vec3){0.0, NAN, NAN}, f.x);
  ck_assert_uint_eq(f.rows.rows, 3);
}
END_TEST

/* A bias stays what it is: what it shares with the joints follows these, its own variance walks. */
START_TEST(biases_of_limbs_stay_while_the_joints_they_go_with_move_on) {
  static double P[STATES * STATES], next[STATES * STATES];
  static const double densities[JOINTS];
  const double dt = 2e-3, walk[2] = {3e-4, 5e-4};
  for (unsigned kind = 0; kind < 4; kind++) {
    struct fixture f;
    draw(&f, kind);
    const struct joint_layout *l = &f.layout;
    const double bias[JOINTS] = {0.0}, bias_lin[3] = {0.0};
    const struct joint_densities d = {.joint = densities,
                                      .bias = bias,
                                      .bias_lin = bias_lin,
                                      .bias_time = 1e9,
                                      .gyro_bias = walk[0],
                                      .accelerometer_bias = walk[1]};
    if (l->base > 0) {
      base_process_set_rotation(l, QUAT_IDENTITY, f.x);
      base_process_set_sole(l, 0, QUAT_IDENTITY, f.x);
      base_process_set_sole(l, 1, QUAT_IDENTITY, f.x);
    }
    memset(P, 0, sizeof(P));
    for (size_t i = 0; i < l->size; i++) {
      P[i * (l->stride + 1)] = 1.0;
    }
    const size_t b = l->limb + 6 + 1, a = l->limb + 6 + 3 + 2, j = 3;
    P[(l->dq + j) * l->stride + b] = 0.4; /* upper triangle */
    P[b * l->stride + a] = 0.2;
    joint_covariance_predict(l, dt, &d, f.x, P, next);
    assert_near(next[(l->q + j) * l->stride + b], 0.4 * dt, 1e-15);
    assert_near(next[(l->dq + j) * l->stride + b], 0.4, 1e-15);
    assert_near(next[b * l->stride + a], 0.2, 1e-15);
    assert_near(next[b * (l->stride + 1)], 1.0 + walk[0] * dt, 1e-15);
    assert_near(next[a * (l->stride + 1)], 1.0 + walk[1] * dt, 1e-15);
  }
}
END_TEST

SUITE(rows_are_the_derivatives_of_what_an_imu_on_a_limb_measures,
      an_axis_that_gives_no_number_leaves_its_row_out,
      biases_of_limbs_stay_while_the_joints_they_go_with_move_on)
