#include "identify/fit/base_parameters.h"
#include "identify/fit/triangle.h"
#include "identify/rows/row_set.h"

#include "support/dynamics_fixture.h"
#include "support/robot_text.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bool all_kinds[DRIVE_KINDS] = {true, true, true, true};
static const vec3 up = {0.0, 0.0, 9.81};

/* A smooth motion at 500 Hz with the torques of the model itself. */
static struct log_motion make_motion(struct dynamics *d, size_t n) {
  const size_t joints = d->n;
  struct log_motion m = {.n_joints = joints, .n = n, .dt = 2e-3, .cutoff_hz = 20.0};
  m.q = calloc(n * joints, sizeof(double));
  m.dq = calloc(n * joints, sizeof(double));
  m.ddq = calloc(n * joints, sizeof(double));
  m.tau = calloc(n * joints, sizeof(double));
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < joints; j++) {
      const double w = 2.0 + 0.7 * (double)j, t = m.dt * (double)k;
      m.q[k * joints + j] = 0.5 * sin(w * t + (double)j);
      m.dq[k * joints + j] = 0.5 * w * cos(w * t + (double)j);
      m.ddq[k * joints + j] = -0.5 * w * w * sin(w * t + (double)j);
    }
    const struct robot_motion at = {.base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = up}},
                                    .q = m.q + k * joints,
                                    .dq = m.dq + k * joints,
                                    .ddq = m.ddq + k * joints};
    ck_assert_int_eq(kinematics_update(&d->kin, &at), STATUS_OK);
    ck_assert_int_eq(rnea_step(&d->rnea, &d->kin, d->model->inertia, NULL, WITH_DRIVES, NULL,
                               m.tau + k * joints),
                     STATUS_OK);
  }
  return m;
}

static struct dynamics random_robot(struct random *random) {
  struct dynamics d;
  dynamics_of(&d,
              random_model(random, (struct random_model_options){.n_joints = 6, .losses = true}));
  return d;
}

/* @eq Leboutet22 13 224 229 */
START_TEST(rows_times_the_models_own_numbers_are_its_torques) {
  struct random random = random_from(test_seed());
  struct dynamics d = random_robot(&random);
  const struct log_map map = {.rate_hz = 500.0};
  const struct unknowns u = unknowns_of(d.model, &map, all_kinds);
  const struct row_settings settings = row_defaults();
  struct log_motion motion = make_motion(&d, 2000);
  struct row_set rows;
  double x[128];
  ck_assert_uint_eq(u.n, 84);
  unknowns_prior(&u, x);
  ck_assert_int_eq(row_set_make(&u, &motion, up, &settings, &rows), STATUS_OK);
  ck_assert_uint_gt(rows.n, 100);
  for (size_t j = 0; j < rows.n_channels; j++) {
    for (size_t k = 0; k < rows.n; k++) {
      assert_near(row_residual(&rows.channel[j], k, x), 0.0,
                  1e-9 * (1.0 + fabs(rows.channel[j].tau[k])));
    }
  }
  row_set_free(&rows);
}
END_TEST

/* A motor that another joint turns along: what it gives is virtual work's. */
START_TEST(a_coupled_motor_acts_on_both_joints) {
  size_t length;
  const char *text = test_file("config/robots/tx40.urdf", &length);
  const struct model model = test_model(text, length);
  struct log_map map = {.rate_hz = 500.0, .n_couplings = 1, .coupling = {{5, 4, 32.0}}};
  for (size_t j = 0; j < 6; j++) {
    map.joint[j].reduction = 32.0;
  }
  const struct unknowns u = unknowns_of(&model, &map, all_kinds);
  struct dynamics d;
  dynamics_of(&d, &model);
  struct log_motion motion = make_motion(&d, 1000);
  const struct row_settings settings = {.rate_hz = 500.0};
  struct row_set rows;
  double x[128] = {0.0};
  x[u.at[6][DRIVE_ROTOR]] = 2.0;
  x[u.at[6][DRIVE_VISCOUS]] = 3.0;
  ck_assert_int_eq(u.at[6][DRIVE_OFFSET], UNKNOWN_NONE);
  ck_assert_int_eq(row_set_make(&u, &motion, up, &settings, &rows), STATUS_OK);
  ck_assert_uint_eq(rows.thin, 1);
  for (size_t k = 0; k < rows.n; k++) {
    const double *dq = motion.dq + (k + 1) * 6, *ddq = motion.ddq + (k + 1) * 6;
    const double wanted = 2.0 * (ddq[4] + ddq[5]) + 3.0 * (dq[4] + dq[5]);
    assert_near(rows.channel[4].tau[k] - row_residual(&rows.channel[4], k, x), wanted, 1e-9);
    assert_near(rows.channel[5].tau[k] - row_residual(&rows.channel[5], k, x), wanted, 1e-9);
    assert_near(rows.channel[3].tau[k] - row_residual(&rows.channel[3], k, x), 0.0, 1e-9);
  }
  row_set_free(&rows);
}
END_TEST

/* A floating base in any motion, and the wrench that inverse dynamics has it carried by. */
static void float_base(struct dynamics *d, struct random *random, struct log_motion *motion) {
  motion->base = calloc(motion->n, sizeof(*motion->base));
  for (size_t k = 0; k < motion->n; k++) {
    struct base_sample *base = &motion->base[k];
    struct force wrench;
    double tau[MODEL_MAX_JOINTS];
    base->omega = random_vec3(random, 2.0);
    base->a.ang = random_vec3(random, 5.0);
    base->a.lin = vec3_add(up, random_vec3(random, 5.0));
    const struct robot_motion at = {
        .base = {.X_WB = POSE_IDENTITY, .v_B = {.ang = base->omega}, .a_B = base->a},
        .q = motion->q + k * d->n,
        .dq = motion->dq + k * d->n,
        .ddq = motion->ddq + k * d->n};
    ck_assert_int_eq(kinematics_update(&d->kin, &at), STATUS_OK);
    ck_assert_int_eq(
        rnea_step(&d->rnea, &d->kin, d->model->inertia, NULL, WITHOUT_DRIVES, &wrench, tau),
        STATUS_OK);
    const double six[6] = {wrench.ang.x, wrench.ang.y, wrench.ang.z,
                           wrench.lin.x, wrench.lin.y, wrench.lin.z};
    memcpy(base->wrench, six, sizeof(six));
  }
}

/* @eq Leboutet22 191 192 */
START_TEST(on_a_floating_base_rows_are_the_wrench_that_carries_it) {
  struct random random = random_from(test_seed());
  struct dynamics d = random_robot(&random);
  const struct unknowns u = unknowns_floating(d.model);
  const struct row_settings settings = row_defaults();
  struct log_motion motion = make_motion(&d, 1000);
  struct row_set rows;
  double x[128];
  ck_assert_int_eq(row_set_make(&u, &motion, up, &settings, &rows), STATUS_BAD_ARGUMENT);
  float_base(&d, &random, &motion);
  ck_assert_uint_eq(u.n, 73); /* seven links, three offsets */
  unknowns_prior(&u, x);
  ck_assert_int_eq(row_set_make(&u, &motion, up, &settings, &rows), STATUS_OK);
  ck_assert_uint_eq(rows.n_channels, 6);
  for (size_t j = 0; j < rows.n_channels; j++) {
    for (size_t k = 0; k < rows.n; k++) {
      ck_assert(row_moves(&rows, j, k));
      assert_near(row_residual(&rows.channel[j], k, x), 0.0,
                  1e-9 * (1.0 + fabs(rows.channel[j].tau[k])));
    }
  }
  row_set_free(&rows);
}
END_TEST

/* Ten of the base, and of each link behind a hinge the seven that no neighbour can have. */
START_TEST(a_floating_base_tells_seven_parameters_of_each_link_behind_a_hinge) {
  struct random random = random_from(test_seed());
  const struct model *model =
      random_model(&random, (struct random_model_options){.n_joints = 6, .no_slides = true});
  const struct unknowns u = unknowns_floating(model);
  struct base_parameters base;
  ck_assert_int_eq(base_parameters_find(&u, up, &base), STATUS_OK);
  ck_assert_uint_eq(base.n_base, 10 + 7 * 6 + 3); /* and the offsets */
  base_parameters_free(&base);
}
END_TEST

START_TEST(a_row_is_near_standstill_just_where_its_joint_is_slow) {
  struct random random = random_from(test_seed());
  struct dynamics d = random_robot(&random);
  const struct log_map map = {.rate_hz = 500.0};
  const struct unknowns u = unknowns_of(d.model, &map, all_kinds);
  const struct row_settings settings = {.rate_hz = 50.0, .still_share = 0.2};
  struct log_motion motion = make_motion(&d, 4000);
  struct row_set rows;
  ck_assert_int_eq(row_set_make(&u, &motion, up, &settings, &rows), STATUS_OK);
  size_t moving = 0;
  for (size_t k = 0; k < rows.n; k++) {
    moving += row_moves(&rows, 0, k);
  }
  /* |cos| below 0.2 for 12.8 % of the time */
  assert_near((double)moving / (double)rows.n, 0.872, 0.03);
  row_set_free(&rows);
}
END_TEST

START_TEST(a_triangle_has_the_normal_equations_of_all_rows) {
  enum { UNKNOWNS = 7, ROWS = 1000 };
  struct random random = random_from(test_seed());
  struct triangle triangle;
  double A[UNKNOWNS * UNKNOWNS] = {0.0}, b[UNKNOWNS] = {0.0}, constant = 0.0;
  double A2[UNKNOWNS * UNKNOWNS] = {0.0}, b2[UNKNOWNS] = {0.0}, constant2 = 0.0;
  const size_t column[UNKNOWNS] = {6, 5, 4, 3, 2, 1, 0};
  ck_assert_int_eq(triangle_init(&triangle, UNKNOWNS), STATUS_OK);
  for (int r = 0; r < ROWS; r++) {
    double Y[UNKNOWNS];
    const double z = random_normal(&random), weight = random_uniform(&random, 0.1, 2.0);
    for (int i = 0; i < UNKNOWNS; i++) {
      Y[i] = random_normal(&random);
    }
    triangle_row(&triangle, Y, z, weight);
    for (int i = 0; i < UNKNOWNS; i++) {
      b[6 - i] += 3.0 * weight * weight * Y[i] * z;
      for (int k = 0; k < UNKNOWNS; k++) {
        A[(6 - i) * UNKNOWNS + 6 - k] += 3.0 * weight * weight * Y[i] * Y[k];
      }
    }
    constant += 3.0 * weight * weight * z * z;
  }
  triangle_add_to(&triangle, 3.0, column, UNKNOWNS, A2, b2, &constant2);
  for (int i = 0; i < UNKNOWNS * UNKNOWNS; i++) {
    assert_near(A2[i], A[i], 1e-10 * ROWS);
  }
  for (int i = 0; i < UNKNOWNS; i++) {
    assert_near(b2[i], b[i], 1e-10 * ROWS);
  }
  assert_near(constant2, constant, 1e-10 * ROWS);
  triangle_free(&triangle);
}
END_TEST

SUITE(on_a_floating_base_rows_are_the_wrench_that_carries_it,
      a_floating_base_tells_seven_parameters_of_each_link_behind_a_hinge,
      rows_times_the_models_own_numbers_are_its_torques, a_coupled_motor_acts_on_both_joints,
      a_row_is_near_standstill_just_where_its_joint_is_slow,
      a_triangle_has_the_normal_equations_of_all_rows)
