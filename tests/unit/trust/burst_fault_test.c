/* A burst spoils what it says, when it says, and nothing else. */
#include "trust/burst_fault.h"

#include "support/sim_fixture.h"
#include "support/suite.h"

#include <string.h>

static struct stock_robot stock;
static struct tape tape;

static void record(const char *robot, const char *scenario) {
  struct message error;
  stock = test_robot(robot);
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, scenario);
  options.duration_s = 0.5;
  options.rest_s = 0.0;
  ck_assert_msg(tape_record(&tape, &options, &error) == STATUS_OK, "%s", error.text);
}

/* What of a frame differs from the tape. */
struct changed {
  bool accelerometer, gyro, skin, forces, joint[MODEL_MAX_JOINTS];
  size_t joints, cells;
};

static struct changed compare(const struct frame_copy *copy, size_t k) {
  const struct sensor_frame *right = &tape.frame[k], *frame = &copy->frame;
  struct changed changed = {.joints = 0};
  changed.accelerometer =
      vec3_norm(vec3_sub(frame->imu.specific_force, right->imu.specific_force)) > 0.0;
  changed.gyro = vec3_norm(vec3_sub(frame->imu.angular_rate, right->imu.angular_rate)) > 0.0;
  for (size_t j = 0; j < stock.robot->model.n_joints; j++) {
    changed.joint[j] = fabs(frame->joints.q[j] - right->joints.q[j]) > 0.0;
    changed.joints += changed.joint[j];
  }
  for (size_t i = 0; frame->skin.acceleration != NULL && i < stock.robot->n_cells; i++) {
    changed.cells += memcmp(frame->skin.acceleration + 3 * i, right->skin.acceleration + 3 * i,
                            3 * sizeof(float)) != 0;
  }
  changed.skin = changed.cells > 0;
  for (size_t i = 0; frame->wrench.wrench != NULL && i < stock.robot->n_wrench; i++) {
    changed.forces = changed.forces || memcmp(frame->wrench.wrench + i, right->wrench.wrench + i,
                                              sizeof(struct force)) != 0;
  }
  return changed;
}

START_TEST(a_burst_spoils_its_own_sensor_from_its_first_sample_to_its_last) {
  record("humanoid18", "stand");
  for (int sensor = 0; sensor < BURST_SENSORS; sensor++) {
    const struct burst_fault fault = {.sensor = (enum burst_sensor)sensor,
                                      .kind = BURST_OFFSET,
                                      .start_s = 0.2,
                                      .length_s = 0.1,
                                      .seed = 3};
    struct burst burst;
    struct frame_copy copy;
    ck_assert(burst_init(&burst, &fault, &tape));
    ck_assert_int_eq(frame_copy_init(&copy, stock.robot), STATUS_OK);
    ck_assert_uint_ge(burst.first, 200);
    ck_assert_uint_lt(burst.last, 310);
    for (size_t k = 0; k < tape.count; k++) {
      tape_take(&tape, k, &copy);
      burst_apply(&burst, k, &copy);
      const struct changed changed = compare(&copy, k);
      const bool on = k >= burst.first && k <= burst.last;
      const bool imu = sensor <= BURST_IMU;
      must(changed.accelerometer == (on && imu && sensor != BURST_GYRO));
      must(changed.gyro == (on && imu && sensor != BURST_ACCELEROMETER));
      must((changed.joints > 0) == (on && sensor == BURST_LIMB));
      must(changed.forces == (on && sensor == BURST_FORCES));
      must(!changed.skin || sensor == BURST_LINK || sensor == BURST_SKIN);
      must(sensor != BURST_SKIN || !on || changed.cells == stock.robot->n_cells);
    }
    frame_copy_free(&copy);
    burst_free(&burst);
  }
  tape_free(&tape);
}
END_TEST

START_TEST(a_limb_is_what_lies_between_two_branchings_of_the_tree) {
  record("humanoid30", "stand");
  bool sizes[MODEL_MAX_JOINTS] = {false};
  for (uint64_t seed = 1; seed <= 60; seed++) {
    const struct burst_fault fault = {BURST_LIMB, BURST_ZERO, 0.1, 0.01, seed};
    struct burst burst;
    size_t count = 0;
    ck_assert(burst_init(&burst, &fault, &tape));
    for (size_t j = 0; j < stock.robot->model.n_joints; j++) {
      count += burst.joint[j];
    }
    sizes[count] = true;
    burst_free(&burst);
  }
  /* two torso joints, two of the head, six of a leg, seven of an arm */
  for (size_t n = 0; n < MODEL_MAX_JOINTS; n++) {
    ck_assert_int_eq(sizes[n], n == 2 || n == 6 || n == 7);
  }
  tape_free(&tape);
}
END_TEST

START_TEST(a_millisecond_hits_one_sample_of_skin_that_comes_every_fourth) {
  record("humanoid18", "stand");
  const struct burst_fault fault = {BURST_SKIN, BURST_NEGATED, 0.2, 1e-3, 1};
  struct burst burst;
  ck_assert(burst_init(&burst, &fault, &tape));
  ck_assert_uint_eq(burst.first, burst.last);
  ck_assert(tape.frame[burst.first].skin.stamp.fresh);
  burst_free(&burst);
  tape_free(&tape);
}
END_TEST

START_TEST(frozen_readings_repeat_and_silent_ones_do_not_come) {
  record("humanoid18", "stand");
  struct burst_fault fault = {BURST_IMU, BURST_FROZEN, 0.1, 0.05, 1};
  struct burst burst;
  struct frame_copy copy;
  ck_assert_int_eq(frame_copy_init(&copy, stock.robot), STATUS_OK);
  ck_assert(burst_init(&burst, &fault, &tape));
  const vec3 held = tape.frame[burst.first].imu.specific_force;
  for (size_t k = burst.first; k <= burst.last; k++) {
    tape_take(&tape, k, &copy);
    burst_apply(&burst, k, &copy);
    must(vec3_norm(vec3_sub(copy.frame.imu.specific_force, held)) == 0.0);
    must(copy.frame.imu.stamp.fresh);
  }
  burst_free(&burst);
  fault.kind = BURST_SILENT;
  ck_assert(burst_init(&burst, &fault, &tape));
  tape_take(&tape, burst.first, &copy);
  burst_apply(&burst, burst.first, &copy);
  ck_assert(!copy.frame.imu.stamp.fresh && copy.frame.joints.stamp.fresh);
  burst_free(&burst);
  frame_copy_free(&copy);
  tape_free(&tape);
}
END_TEST

START_TEST(a_sensor_that_the_robot_does_not_have_is_refused) {
  record("chain9", "medium");
  struct burst burst;
  for (int sensor = 0; sensor < BURST_SENSORS; sensor++) {
    const struct burst_fault fault = {(enum burst_sensor)sensor, BURST_ZERO, 0.1, 0.01, 1};
    const bool has = sensor == BURST_LIMB || sensor == BURST_LINK || sensor == BURST_SKIN;
    ck_assert_int_eq(burst_init(&burst, &fault, &tape), has); /* its base is bolted down */
    burst_free(&burst);
  }
  tape_free(&tape);
}
END_TEST

SUITE(a_burst_spoils_its_own_sensor_from_its_first_sample_to_its_last,
      a_limb_is_what_lies_between_two_branchings_of_the_tree,
      a_millisecond_hits_one_sample_of_skin_that_comes_every_fourth,
      frozen_readings_repeat_and_silent_ones_do_not_come,
      a_sensor_that_the_robot_does_not_have_is_refused)
