#include "robot/robot_part.h"

#include "support/synthetic_robot.h"

/* base - 1 - 2 - 3, 1 - 4, base - 5: skin on 2, an IMU on none */
enum { JOINTS = 5 };

static struct robot *small_robot(void) {
  static const int parent[JOINTS + 1] = {-1, 0, 1, 2, 1, 0};
  struct random rng = random_from(test_seed());
  struct robot *robot = synthetic_robot(JOINTS, false, 2, &rng);
  memcpy(robot->model.parent, parent, sizeof(parent));
  for (size_t k = 0; k < robot->n_cells; k++) {
    robot->cell[k].link = k % 2 == 0 ? 2 : 0;
  }
  return robot;
}

static struct robot_part part_of(const struct robot *robot, const bool *keep, bool sensors,
                                 enum status expected) {
  struct robot_part part;
  struct arena count = {0};
  ck_assert_int_eq(robot_part_init(&part, robot, keep, sensors, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(robot_part_init(&part, robot, keep, sensors, &arena), expected);
  ck_assert_uint_eq(arena.used, count.used);
  return part;
}

START_TEST(only_what_lies_between_the_base_and_a_sensor_is_seen) {
  struct robot *robot = small_robot();
  bool seen[JOINTS];
  ck_assert_uint_eq(robot_joints_seen(robot, seen), 2);
  ck_assert(seen[0] && seen[1] && !seen[2] && !seen[3] && !seen[4]);
  robot->n_feet = 1;
  robot->foot[0].link = 5;
  ck_assert_uint_eq(robot_joints_seen(robot, seen), 3);
  robot->n_limbs = 1;
  robot->limb[0].link = 4;
  ck_assert_uint_eq(robot_joints_seen(robot, seen), 4);
  robot->imu_link = 3;
  ck_assert_uint_eq(robot_joints_seen(robot, seen), JOINTS);
}
END_TEST

START_TEST(a_part_has_its_joints_in_order_and_sensors_on_its_links) {
  struct robot *robot = small_robot();
  robot->imu_link = 4;
  const struct robot_part part =
      part_of(robot, (const bool[]){true, true, false, true, false}, true, STATUS_OK);
  const struct robot *small = part.robot;
  ck_assert_uint_eq(small->model.n_joints, 3);
  ck_assert_uint_eq(small->model.n_links, 4);
  ck_assert(part.joint[0] == 0 && part.joint[1] == 1 && part.joint[2] == 3);
  ck_assert(part.link[0] == 0 && part.link[3] == ROBOT_NO_LINK && part.link[4] == 3);
  ck_assert_str_eq(small->model.joint[2].name, robot->model.joint[3].name);
  ck_assert(small->model.parent[2] == 1 && small->model.parent[3] == 1);
  ck_assert_uint_eq(small->imu_link, 3);
  ck_assert_uint_eq(small->n_cells, 0);
}
END_TEST

START_TEST(a_part_without_sensors_has_a_fixed_base_and_what_hangs_from_others_hangs_from_it) {
  struct robot *robot = small_robot();
  robot->n_feet = 2;
  const struct robot_part part =
      part_of(robot, (const bool[]){false, false, true, true, false}, false, STATUS_OK);
  ck_assert(part.robot->fixed_base);
  ck_assert_uint_eq(part.robot->n_cells + part.robot->n_feet + part.robot->n_limbs, 0);
  ck_assert(part.robot->model.parent[1] == 0 && part.robot->model.parent[2] == 0);
  ck_assert(part.joint[0] == 2 && part.joint[1] == 3);
}
END_TEST

START_TEST(all_joints_are_the_robot_itself) {
  const struct robot *robot = small_robot();
  const struct robot_part part =
      part_of(robot, (const bool[]){true, true, true, true, true}, true, STATUS_OK);
  ck_assert_ptr_eq(part.robot, robot);
  ck_assert(part.joint[4] == 4 && part.link[5] == 5);
}
END_TEST

START_TEST(a_sensor_on_a_link_that_is_left_out_is_refused) {
  struct robot *robot = small_robot();
  const bool rest[] = {true, true, true, true, false};
  robot->n_feet = 1;
  robot->foot[0].link = 5;
  part_of(robot, rest, true, STATUS_BAD_ARGUMENT);
  robot->n_feet = 0;
  robot->n_limbs = 1;
  robot->limb[0].link = 5;
  part_of(robot, rest, true, STATUS_BAD_ARGUMENT);
  robot->n_limbs = 0;
  robot->imu_link = 5;
  part_of(robot, rest, true, STATUS_BAD_ARGUMENT);
}
END_TEST

SUITE(only_what_lies_between_the_base_and_a_sensor_is_seen,
      a_part_has_its_joints_in_order_and_sensors_on_its_links,
      a_part_without_sensors_has_a_fixed_base_and_what_hangs_from_others_hangs_from_it,
      all_joints_are_the_robot_itself, a_sensor_on_a_link_that_is_left_out_is_refused)
