#include "support/icub_walk.h"

#include "settings/robot_files.h"
#include "support/give_up.h"

#include <stdio.h>
#include <stdlib.h>

bool icub_walk_read(struct walk_log *log, const char *folder) {
  char path[256];
  snprintf(path, sizeof(path), "%s/icub_walking_real/walking.csv", folder);
  return walk_log_read(log, path);
}

struct robot *icub_walk_robot(const char *folder) {
  struct robot_settings settings = {
      .imu = "root_link_imu_frame", .n_feet = 2, .foot = {"l_sole", "r_sole"}};
  struct robot *robot;
  struct message error;
  snprintf(settings.urdf, sizeof(settings.urdf), "%s/icub_walking_real/model.urdf", folder);
  if (robot_load(&settings, NULL, &robot, &error) != STATUS_OK) {
    give_up("icub", error.text);
  }
  return robot;
}

struct kinematics icub_walk_kinematics(const struct robot *robot) {
  struct kinematics kin;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    if (kinematics_init(&kin, &robot->model, &arena) != STATUS_OK) {
      give_up("icub", "no memory");
    }
  }
  return kin;
}
