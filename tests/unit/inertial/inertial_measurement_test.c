#include "inertial/inertial_measurement.h"
#include "support/random_model.h"
#include "support/suite.h"
#include "weighed_robot.h"

#include <math.h>

static const double DT = 1e-3;

/* The large humanoid with exact sensors, three of whose links are estimated: the torso, a forearm,
 * and a shank, whose joints carry a foot as well. */
enum { CHOSEN = 3 };

struct bench {
  struct weighed_robot *body;
  size_t link[CHOSEN];
  struct inertial_measurement measurement;
  struct inertial_inputs inputs;
};

static struct bench new_bench(void) {
  static const char *const name[CHOSEN] = {"torso_pitch_link", "right_elbow_link",
                                           "left_knee_link"};
  struct bench bench;
  struct message error;
  ck_assert_msg(weighed_robot_create(&bench.body, "humanoid30", "config/robots", test_seed(),
                                     &error) == STATUS_OK,
                "%s", error.text);
  const struct model *model = &bench.body->robot->model;
  for (size_t k = 0; k < CHOSEN; k++) {
    bench.link[k] = (size_t)model_find_link(model, name[k]);
    weighed_robot_load(bench.body, bench.link[k], 2.0, (vec3){0.1, 0.05, -0.1}, 0.2);
  }
  sine_motion_choose(&bench.body->sines, model, &bench.body->random);
  sine_motion_turn(&bench.body->sines, 0.0, 1.0, 0.5);
  struct arena arena = test_arena(1 << 20);
  ck_assert_int_eq(
      inertial_measurement_init(&bench.measurement, bench.body->robot, bench.link, CHOSEN, &arena),
      STATUS_OK);
  bench.inputs = (struct inertial_inputs){
      .kin = &bench.body->measured, .tau = bench.body->tau, .wrench = bench.body->wrench};
  return bench;
}

static void go_on(struct bench *bench, double seconds) {
  for (double until = bench->body->t + seconds; bench->body->t < until;) {
    ck_assert_int_eq(weighed_robot_step(bench->body, DT), STATUS_OK);
  }
}

static enum status measure(struct bench *bench) {
  return inertial_measure(&bench->measurement, &bench->inputs);
}

/* Largest |z - Y pi| of all rows, pi the truth. */
static double worst_row(const struct bench *bench) {
  const struct inertial_measurement *m = &bench->measurement;
  double worst = 0.0;
  for (size_t r = 0; r < m->n_rows; r++) {
    double e = m->z[r];
    for (size_t k = 0; k < CHOSEN; k++) {
      double pi[INERTIA_PARAMETERS];
      inertia_to(&bench->body->inertia[bench->link[k]], pi);
      for (size_t i = 0; i < INERTIA_PARAMETERS; i++) {
        e -= m->Y[(r * CHOSEN + k) * INERTIA_PARAMETERS + i] * pi[i];
      }
    }
    worst = fmax(worst, fabs(e));
  }
  return worst;
}

static bool has_row(const struct inertial_measurement *m, size_t row) {
  bool has = false;
  for (size_t r = 0; r < m->n_rows; r++) {
    has = has || m->row[r] == row;
  }
  return has;
}

static size_t row_of_joint(const struct bench *bench, const char *name) {
  return ROBOT_BASE_ROWS + (size_t)model_find_joint(&bench->body->robot->model, name);
}

/* @eq Foster24 6 7 13 14 */
START_TEST(what_is_measured_beyond_the_nominal_is_the_regressor_times_the_true_parameters) {
  struct bench bench = new_bench();
  for (int k = 0; k < 20; k++) {
    go_on(&bench, 0.1);
    ck_assert_int_eq(measure(&bench), STATUS_OK);
    ck_assert_uint_eq(bench.measurement.missing, 0);
    ck_assert(has_row(&bench.measurement, 0) && has_row(&bench.measurement, 5));
    ck_assert(has_row(&bench.measurement, row_of_joint(&bench, "left_knee_joint")));
    ck_assert_double_lt(worst_row(&bench), 1e-8);
  }
  weighed_robot_destroy(bench.body);
}
END_TEST

START_TEST(without_wrenches_only_joints_that_carry_no_foot_have_rows) {
  struct bench bench = new_bench();
  go_on(&bench, 1.0);
  bench.inputs.wrench = NULL;
  ck_assert_int_eq(measure(&bench), STATUS_OK);
  ck_assert_uint_eq(bench.measurement.missing, INERTIAL_NEEDS_WRENCH);
  ck_assert(!has_row(&bench.measurement, 0));
  ck_assert(!has_row(&bench.measurement, row_of_joint(&bench, "left_knee_joint")));
  ck_assert(has_row(&bench.measurement, row_of_joint(&bench, "right_elbow_joint")));
  ck_assert_double_lt(worst_row(&bench), 1e-8);
  bench.inputs.tau = NULL;
  ck_assert_int_eq(measure(&bench), STATUS_TOO_FEW);
  ck_assert_uint_eq(bench.measurement.missing, INERTIAL_NEEDS_WRENCH | INERTIAL_NEEDS_TORQUE);
  weighed_robot_destroy(bench.body);
}
END_TEST

START_TEST(a_torque_that_is_no_number_leaves_its_own_row_out_and_no_other) {
  struct bench bench = new_bench();
  const size_t row = row_of_joint(&bench, "right_elbow_joint");
  go_on(&bench, 1.0);
  ck_assert_int_eq(measure(&bench), STATUS_OK);
  const size_t all = bench.measurement.n_rows;
  const double bad[3] = {(double)NAN, -(double)INFINITY, 1e300};
  for (int i = 0; i < 3; i++) {
    bench.body->tau[row - ROBOT_BASE_ROWS] = bad[i];
    ck_assert_int_eq(measure(&bench), STATUS_OK);
    ck_assert(!has_row(&bench.measurement, row));
    ck_assert_uint_eq(bench.measurement.n_rows, all - 1);
    ck_assert_uint_eq(bench.measurement.missing, INERTIAL_NEEDS_TORQUE);
    ck_assert_double_lt(worst_row(&bench), 1e-8);
  }
  weighed_robot_destroy(bench.body);
}
END_TEST

/* Friction of the right elbow, N m: how far it may be from the model's. */
static double doubt_of_elbow(struct bench *bench) {
  const size_t row = row_of_joint(bench, "right_elbow_joint");
  ck_assert_int_eq(measure(bench), STATUS_OK);
  double doubt = -1.0;
  for (size_t r = 0; r < bench->measurement.n_rows; r++) {
    doubt = bench->measurement.row[r] == row ? bench->measurement.friction[r] : doubt;
  }
  return doubt;
}

START_TEST(friction_of_a_joint_that_may_stick_is_anybodys_guess) {
  struct bench bench = new_bench();
  const struct model *model = &bench.body->robot->model;
  const size_t elbow = row_of_joint(&bench, "right_elbow_joint") - ROBOT_BASE_ROWS;
  const double coulomb = model->joint[elbow].coulomb;
  ck_assert_double_gt(coulomb, 0.0);
  bench.body->sines.joint[elbow] = (struct sine){0.0, 1.0, 0.0};
  go_on(&bench, 1.0);
  ck_assert_double_gt(doubt_of_elbow(&bench), 0.5 * coulomb);
  bench.body->sines.joint[elbow] = (struct sine){1.0, 1.0, -bench.body->t};
  go_on(&bench, DT);
  ck_assert_double_lt(doubt_of_elbow(&bench), 0.1 * coulomb);
  weighed_robot_destroy(bench.body);
}
END_TEST

SUITE(what_is_measured_beyond_the_nominal_is_the_regressor_times_the_true_parameters,
      without_wrenches_only_joints_that_carry_no_foot_have_rows,
      a_torque_that_is_no_number_leaves_its_own_row_out_and_no_other,
      friction_of_a_joint_that_may_stick_is_anybodys_guess)
