#include "stock_robot.h"

#include <stdio.h>
#include <string.h>

static const struct row {
  const char *name;
  const char *cells; /* as robot_settings.cells */
  bool has_imu, walks;
} rows[] = {
    {"humanoid30", "humanoid30_cells.csv", true, true},
    {"humanoid18", "humanoid18_cells.csv", true, true},
    {"tx40", "urdf", false, false},
    {"chain9", "chain9_cells.csv", true, false},
};

const char *stock_robot_name(size_t i) {
  return i < sizeof(rows) / sizeof(rows[0]) ? rows[i].name : NULL;
}

static const struct row *find(const char *name) {
  for (size_t i = 0; stock_robot_name(i) != NULL; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

enum status stock_robot_settings(const char *name, struct robot_settings *settings) {
  static const char *const sides[2] = {"left", "right"};
  const struct row *row = find(name);
  if (row == NULL) {
    return STATUS_BAD_ARGUMENT;
  }
  *settings = (struct robot_settings){.fixed_base = !row->walks};
  snprintf(settings->urdf, sizeof(settings->urdf), "%s.urdf", name);
  snprintf(settings->cells, sizeof(settings->cells), "%s", row->cells);
  if (row->has_imu) {
    snprintf(settings->imu, sizeof(settings->imu), "imu_link");
  }
  for (size_t k = 0; row->walks && k < 2; k++) {
    snprintf(settings->foot[k], sizeof(settings->foot[k]), "%s_sole", sides[k]);
    snprintf(settings->wrench[k], sizeof(settings->wrench[k]), "%s_ankle_ft", sides[k]);
    settings->n_feet = settings->n_wrench = k + 1;
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
