#include "robot_files.h"

#include "suite.h"

#include <string.h>

static const struct robot_settings humanoid = {.urdf = "humanoid30.urdf",
                                               .cells = "humanoid30_cells.csv"};

START_TEST(the_humanoid_loads_with_its_1260_cells) {
  struct robot *robot = NULL;
  struct message error;
  const enum status status = robot_load(&humanoid, "config/robots", &robot, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  ck_assert_uint_eq(robot->model.n_joints, 30);
  ck_assert_uint_eq(robot->n_cells, 1260);
  ck_assert_uint_ne(robot->model_hash, 0);
  robot_destroy(robot);
}
END_TEST

SUITE(the_humanoid_loads_with_its_1260_cells)
