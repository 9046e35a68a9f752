/* Feet with contact switches and no force sensors: which of them carries is known at once. */
#include "support/pipeline_fixture.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

enum { RATE = 500, SECONDS = 4 };

struct outcome {
  double right; /* share of single support in which the foot that carries is known to carry most */
  double tilt;  /* rad, root mean square */
};

static struct robot *walker(bool switches, enum urdf_inertia inertia) {
  struct robot_settings settings;
  struct robot *robot = NULL;
  struct message error;
  ck_assert_int_eq(stock_robot_settings("humanoid30", &settings), STATUS_OK);
  settings.cells[0] = '\0';
  settings.n_wrench = 0;
  settings.choices.inertia = inertia;
  settings.n_switches = switches ? settings.n_feet : 0;
  for (size_t i = 0; i < settings.n_switches; i++) { /* the other way round than the feet */
    snprintf(settings.contact_switch[i], sizeof(settings.contact_switch[i]), "%s",
             settings.foot[settings.n_feet - 1 - i]);
  }
  ck_assert_msg(robot_load(&settings, "config/robots", &robot, &error) == STATUS_OK, "%s",
                error.text);
  return robot;
}

/* `spoilt`: the switches say nothing. */
static struct outcome walk(bool switches, enum urdf_inertia inertia, bool spoilt) {
  struct robot *body = walker(switches, URDF_INERTIA_GIVEN), *known = walker(switches, inertia);
  struct sim_options options = sim_defaults(body, "config/robots/humanoid30.urdf", "walk");
  options.seed = 12;
  options.duration_s = SECONDS;
  options.frame_rate_hz = RATE;
  options.stream[PROPRIOD_SHM_JOINTS].rate_hz = options.stream[PROPRIOD_SHM_IMU].rate_hz = RATE;
  struct sim *sim = test_sim(&options);
  struct pipeline *pipeline = test_pipeline_every(known, 1.0 / RATE);
  static struct estimates out;
  struct outcome outcome = {.right = 0.0};
  size_t single = 0, scored = 0;
  for (size_t k = 0; k < SECONDS * RATE && sim_step(sim) == STATUS_OK; k++) {
    struct sensor_frame frame = *sim_frame(sim);
    struct force silent[2] = {{.lin = {0.0, 0.0, NAN}}, {.lin = {0.0, 0.0, NAN}}};
    if (spoilt && frame.wrench.wrench != NULL) {
      frame.wrench.wrench = silent;
    }
    pipeline_step(pipeline, &frame, &out);
    if (k < RATE) {
      continue;
    }
    const struct sim_truth *truth = sim_truth(sim);
    const bool left = truth->foot_wrench[0].lin.z > 20.0,
               right = truth->foot_wrench[1].lin.z > 20.0;
    if (left != right) {
      single++;
      outcome.right += out.centroidal.support_share[left ? 0 : 1] > 0.5;
    }
    const mat3 R = mat3_from_quat(out.state.quat_xyzw), *R_true = &truth->base.X_WB.R;
    const vec3 off = vec3_cross((vec3){R.m[2][0], R.m[2][1], R.m[2][2]},
                                (vec3){R_true->m[2][0], R_true->m[2][1], R_true->m[2][2]});
    outcome.tilt += vec3_dot(off, off);
    scored++;
  }
  ck_assert_uint_gt(single, RATE / 2);
  outcome.right /= (double)single;
  outcome.tilt = sqrt(outcome.tilt / (double)scored);
  sim_destroy(sim);
  robot_destroy(body);
  robot_destroy(known);
  return outcome;
}

/* Of a robot without switches, once for all. */
static struct outcome without;

static void walk_without(void) {
  without = walk(false, URDF_INERTIA_GIVEN, false);
}

START_TEST(switches_tell_which_foot_carries) {
  const struct outcome with = walk(true, URDF_INERTIA_GIVEN, false);
  printf("without switches: carries %.3f, tilt %.4f rad\n", without.right, without.tilt);
  printf("with switches:    carries %.3f, tilt %.4f rad\n", with.right, with.tilt);
  ck_assert_double_gt(with.right, 0.97);
  ck_assert_double_lt(with.tilt, 1.1 * without.tilt);
}
END_TEST

START_TEST(a_robot_of_unknown_inertia_keeps_its_tilt_by_its_switches) {
  const struct outcome none = walk(false, URDF_INERTIA_UNKNOWN, false),
                       with = walk(true, URDF_INERTIA_UNKNOWN, false);
  printf("of unknown inertia: tilt %.4f rad without switches, %.4f with\n", none.tilt, with.tilt);
  ck_assert_double_lt(with.tilt, none.tilt);
}
END_TEST

START_TEST(switches_that_say_nothing_are_as_none) {
  const struct outcome silent = walk(true, URDF_INERTIA_GIVEN, true);
  ck_assert_double_eq(without.right, silent.right);
  ck_assert_double_eq(without.tilt, silent.tilt);
}
END_TEST

SUITE_AFTER(walk_without, switches_tell_which_foot_carries,
            a_robot_of_unknown_inertia_keeps_its_tilt_by_its_switches,
            switches_that_say_nothing_are_as_none)
