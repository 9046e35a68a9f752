#include "stock_robot.h"

#include <stdio.h>
#include <string.h>

static const struct row {
  const char *name;
  const char *cells; /* as robot_settings.cells */
  bool has_imu;
  size_t legs; /* 0: bolted down */
} rows[] = {
    {"humanoid30", "humanoid30_cells.csv", true, 2},
    {"humanoid18", "humanoid18_cells.csv", true, 2},
    {"quadruped12", "", true, 4},
    {"tx40", "urdf", false, 0},
    {"chain9", "chain9_cells.csv", true, 0},
};

/* Frames of foot and force sensor of each leg. */
static const struct leg {
  const char *foot, *wrench;
} two_legs[] = {{"left_sole", "left_ankle_ft"}, {"right_sole", "right_ankle_ft"}},
  four_legs[] = {{"left_front_foot", "left_front_ft"},
                 {"left_hind_foot", "left_hind_ft"},
                 {"right_front_foot", "right_front_ft"},
                 {"right_hind_foot", "right_hind_ft"}};

const char *stock_robot_name(size_t i) {
  return i < sizeof(rows) / sizeof(rows[0]) ? rows[i].name : NULL;
}

/* `bare`: it is wanted without its skin. */
static const struct row *find(const char *name, bool *bare) {
  for (size_t i = 0; stock_robot_name(i) != NULL; i++) {
    const size_t length = strlen(rows[i].name);
    if (strncmp(rows[i].name, name, length) == 0) {
      *bare = strcmp(name + length, STOCK_ROBOT_BARE) == 0;
      if (*bare || name[length] == '\0') {
        return &rows[i];
      }
    }
  }
  return NULL;
}

enum status stock_robot_settings(const char *name, struct robot_settings *settings) {
  bool bare;
  const struct row *row = find(name, &bare);
  if (row == NULL) {
    return STATUS_BAD_ARGUMENT;
  }
  *settings = (struct robot_settings){
      .fixed_base = row->legs == 0, .n_feet = row->legs, .n_wrench = row->legs};
  snprintf(settings->urdf, sizeof(settings->urdf), "%s.urdf", row->name);
  snprintf(settings->cells, sizeof(settings->cells), "%s", bare ? "" : row->cells);
  if (row->has_imu) {
    snprintf(settings->imu, sizeof(settings->imu), "imu_link");
  }
  for (size_t k = 0; k < row->legs; k++) {
    const struct leg *leg = row->legs == 4 ? &four_legs[k] : &two_legs[k];
    snprintf(settings->foot[k], sizeof(settings->foot[k]), "%s", leg->foot);
    snprintf(settings->wrench[k], sizeof(settings->wrench[k]), "%s", leg->wrench);
  }
  return STATUS_OK;
}

enum status stock_robot_load(const char *name, const char *folder, struct stock_robot *stock,
                             struct message *error) {
  struct robot_settings settings;
  struct stock_robot new;
  if (stock_robot_settings(name, &settings) != STATUS_OK) {
    message_set(error, "there is no stock robot '%s'", name);
    return STATUS_BAD_ARGUMENT;
  }
  if (snprintf(new.urdf, sizeof(new.urdf), "%s/%s", folder, settings.urdf) >=
      (int)sizeof(new.urdf)) {
    message_set(error, "the path %s/%s is too long", folder, settings.urdf);
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = robot_load(&settings, folder, &new.robot, error);
  if (status == STATUS_OK) {
    *stock = new;
  }
  return status;
}
