#include "settings/robot_files.h"

#include "common/file.h"
#include "robot/cell_calibration.h"
#include "robot/cell_table.h"
#include "urdf/urdf_lock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `path` seen from `folder`. */
static enum status locate(const char *folder, const char *path, char place[PATH_MAX],
                          struct message *error) {
  const bool absolute = path[0] == '/' || folder == NULL || folder[0] == '\0';
  const int length = absolute ? snprintf(place, PATH_MAX, "%s", path)
                              : snprintf(place, PATH_MAX, "%s/%s", folder, path);
  if (length < 0 || length >= PATH_MAX) {
    message_set(error, "%.200s: the path has %d bytes, at most %d are allowed", path, length,
                PATH_MAX - 1);
    return STATUS_OUT_OF_RANGE;
  }
  return STATUS_OK;
}

static enum status read_text(const char *folder, const char *path, size_t max_bytes, char **text,
                             size_t *length, struct message *error) {
  char place[PATH_MAX];
  const enum status status = locate(folder, path, place, error);
  return status == STATUS_OK ? file_read(place, max_bytes, text, length, error) : status;
}

static struct robot_source source_of(const struct robot_settings *settings) {
  struct robot_source source = {.urdf_name = settings->urdf,
                                .table_name = settings->cells,
                                .calibration_name = settings->calibration,
                                .cell_body = {.mass = settings->cell_mass,
                                              .radius = settings->cell_radius,
                                              .height = settings->cell_height},
                                .imu = settings->imu,
                                .n_joints = settings->n_joints,
                                .n_limbs = settings->n_limbs,
                                .n_feet = settings->n_feet,
                                .n_wrench = settings->n_wrench,
                                .n_switches = settings->n_switches,
                                .choices = settings->choices,
                                .fixed_base = settings->fixed_base};
  for (size_t i = 0; i < settings->n_feet && i < ROBOT_MAX_FEET; i++) {
    source.foot[i] = settings->foot[i];
  }
  for (size_t i = 0; i < settings->n_joints && i < MODEL_MAX_JOINTS; i++) {
    source.joint[i] = settings->joint[i];
  }
  for (size_t i = 0; i < settings->n_limbs && i < ROBOT_MAX_LIMBS; i++) {
    source.limb[i] = settings->limb[i];
  }
  for (size_t i = 0; i < settings->n_wrench && i < ROBOT_MAX_WRENCH; i++) {
    source.wrench[i] = settings->wrench[i];
  }
  for (size_t i = 0; i < settings->n_switches && i < ROBOT_MAX_WRENCH; i++) {
    source.contact_switch[i] = settings->contact_switch[i];
  }
  if (strcmp(settings->cells, "urdf") == 0) {
    source.cells = ROBOT_CELLS_URDF;
  } else {
    source.cells = settings->cells[0] != '\0' ? ROBOT_CELLS_TABLE : ROBOT_CELLS_NONE;
  }
  return source;
}

enum status robot_load_with_texts(const struct robot_settings *settings, const char *folder,
                                  struct robot **robot, struct robot_texts *texts,
                                  struct robot_faults *faults, struct message *error) {
  struct robot_source source = source_of(settings);
  source.faults = faults;
  struct robot_texts read = {.urdf = NULL};
  enum status status = STATUS_OK;
  if (settings->urdf[0] == '\0') {
    message_set(error, "robot.urdf: no file is named");
    status = STATUS_BAD_ARGUMENT;
  }
  if (status == STATUS_OK) {
    status =
        read_text(folder, settings->urdf, URDF_MAX_BYTES, &read.urdf, &read.urdf_length, error);
  }
  if (status == STATUS_OK && source.cells == ROBOT_CELLS_TABLE) {
    status = read_text(folder, settings->cells, CELL_TABLE_MAX_BYTES, &read.cells,
                       &read.cells_length, error);
  }
  if (status == STATUS_OK && settings->calibration[0] != '\0') {
    status = read_text(folder, settings->calibration, CELL_CALIBRATION_MAX_BYTES, &read.calibration,
                       &read.calibration_length, error);
  }
  if (status == STATUS_OK) {
    source.urdf = read.urdf;
    source.urdf_length = read.urdf_length;
    source.table = read.cells;
    source.table_length = read.cells_length;
    source.calibration = read.calibration;
    source.calibration_length = read.calibration_length;
    status = robot_create(&source, robot, error);
  }
  if (status != STATUS_OK) {
    robot_texts_free(&read);
    return status;
  }
  *texts = read;
  return STATUS_OK;
}

void robot_texts_free(struct robot_texts *texts) {
  free(texts->urdf);
  free(texts->cells);
  free(texts->calibration);
  *texts = (struct robot_texts){.urdf = NULL};
}

enum status robot_load(const struct robot_settings *settings, const char *folder,
                       struct robot **robot, struct message *error) {
  struct robot_texts texts = {.urdf = NULL};
  const enum status status = robot_load_with_texts(settings, folder, robot, &texts, NULL, error);
  robot_texts_free(&texts);
  return status;
}

void robot_lock_loose(struct robot_settings *settings, const char *folder) {
  char *urdf = NULL;
  size_t length = 0;
  struct message unheard;
  if (read_text(folder, settings->urdf, URDF_MAX_BYTES, &urdf, &length, &unheard) == STATUS_OK) {
    urdf_lock_loose(urdf, length, &settings->choices, &unheard);
  }
  free(urdf);
}

size_t robot_inconsistent_links(const struct robot_settings *settings, const char *folder,
                                struct urdf_finding *findings, size_t capacity) {
  char *urdf = NULL;
  size_t length, found = 0;
  struct message unheard;
  if (read_text(folder, settings->urdf, URDF_MAX_BYTES, &urdf, &length, &unheard) != STATUS_OK ||
      urdf_check(urdf, length, findings, capacity, &found, &unheard) != STATUS_OK) {
    found = 0;
  }
  free(urdf);
  for (size_t i = 0; i < found && i < capacity; i++) {
    const struct message bare = findings[i].complaint;
    message_set(&findings[i].complaint, "%.200s:%.240s; mend it, or robot.repair: nearest",
                settings->urdf, bare.text);
  }
  return found;
}
