/* Short faults in a log that is made up, and what is said to have come of them. */
#include "support/walk_burst.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, FIRST = 100, BAD = 10 };

static struct walk_log walk, clean;
static struct walk_said said, sound;

/* At 100 Hz; every reading is another. */
static void make_up(void) {
  static const char *const names[] = {"t",         "q_l_knee",   "q_r_knee",  "imu_acc_x",
                                      "imu_acc_z", "imu_gyro_x", "imu_gyro_y"};
  walk.n = ROWS;
  walk.n_columns = sizeof(names) / sizeof(names[0]);
  for (size_t c = 0; c < walk.n_columns; c++) {
    strcpy(walk.name[c], names[c]);
    for (size_t row = 0; row < ROWS; row++) {
      walk.value[row][c] = c == 0 ? 0.01 * (double)row : (double)c + 1e-3 * (double)row;
    }
  }
  clean = walk;
}

static const struct walk_burst of_knee = {WALK_KNEE, BURST_ZERO, 0.01 * FIRST - 1e-6, 0.01 * BAD};

START_TEST(the_sensor_that_is_meant_is_spoilt_for_as_long_as_that_lasts) {
  make_up();
  walk_burst_apply(&of_knee, &walk);
  for (size_t row = 0; row < ROWS; row++) {
    for (size_t c = 0; c < walk.n_columns; c++) {
      const bool bad = c == 1 && row >= FIRST && row < FIRST + BAD;
      must_be_near(walk.value[row][c], bad ? 0.0 : clean.value[row][c], 0.0);
    }
  }
}
END_TEST

START_TEST(an_imu_is_offset_on_one_axis_of_each_triad) {
  const struct walk_burst burst = {WALK_IMU, BURST_OFFSET, 0.01 * FIRST, 1e-3};
  static const double off[] = {0.0, 0.0, 0.0, BURST_OFFSET_FORCE, 0.0, 0.0, BURST_OFFSET_RATE};
  make_up();
  walk_burst_apply(&burst, &walk);
  for (size_t c = 0; c < walk.n_columns; c++) {
    assert_near(walk.value[FIRST][c] - clean.value[FIRST][c], off[c], 1e-12);
    assert_near(walk.value[FIRST + 1][c], clean.value[FIRST + 1][c], 1e-12);
  }
}
END_TEST

/* Both are upright and ok at all times. */
static struct robot *agree(void) {
  struct robot *robot = calloc(1, sizeof(*robot));
  robot->model.n_joints = 2;
  make_up();
  for (size_t row = 0; row < ROWS; row++) {
    said.R[row] = mat3_from_rpy(VEC3_ZERO);
    said.fine[row] = true;
  }
  memset(said.q, 0, sizeof(said.q));
  sound = said;
  return robot;
}

/* Wrong until 20 rows after the last bad one, and said to be so but for the first five. */
START_TEST(how_long_it_was_wrong_and_how_long_that_was_not_said_is_told) {
  struct robot *robot = agree();
  for (size_t row = FIRST; row < FIRST + BAD + 20; row++) {
    said.q[row][1] = 0.3;
    said.fine[row] = row < FIRST + 5;
  }
  said.R[FIRST + 3] = mat3_from_rpy((vec3){0.0, 0.02, 0.0});
  const struct walk_harm harm = walk_burst_harm(&of_knee, &walk, robot, &said, &sound);
  assert_near(harm.q, 0.3, 1e-12);
  assert_near(harm.tilt, 0.02, 1e-5);
  assert_near(harm.right_s, 0.2, 1e-9);
  assert_near(harm.lie_s, 0.05, 1e-9);
  ck_assert(walk_harm_passes(&harm));
  free(robot);
}
END_TEST

/* Nor is a status held against it that is no better without the fault. */
START_TEST(what_is_no_number_is_wrong_and_a_status_counts_where_it_would_be_ok) {
  struct robot *robot = agree();
  said.fine[FIRST + BAD + 50] = sound.fine[FIRST + BAD + 50] = false;
  struct walk_harm harm = walk_burst_harm(&of_knee, &walk, robot, &said, &sound);
  assert_near(harm.right_s, 0.0, 1e-12);
  said.fine[FIRST + BAD + 119] = false;
  harm = walk_burst_harm(&of_knee, &walk, robot, &said, &sound);
  assert_near(harm.right_s, 1.2, 1e-9);
  ck_assert(!walk_harm_passes(&harm));
  said.q[FIRST + BAD + 150][0] = (double)NAN;
  harm = walk_burst_harm(&of_knee, &walk, robot, &said, &sound);
  assert_near(harm.right_s, 1.51, 1e-9);
  assert_near(harm.lie_s, 0.01, 1e-9);
  free(robot);
}
END_TEST

SUITE(the_sensor_that_is_meant_is_spoilt_for_as_long_as_that_lasts,
      an_imu_is_offset_on_one_axis_of_each_triad,
      how_long_it_was_wrong_and_how_long_that_was_not_said_is_told,
      what_is_no_number_is_wrong_and_a_status_counts_where_it_would_be_ok)
