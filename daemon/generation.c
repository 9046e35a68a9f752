#include "generation.h"

#include "common/arena.h"
#include "generation_check.h"
#include "settings/robot_files.h"

#include <stdlib.h>
#include <string.h>

void generation_streams(const struct generation *generation, uint32_t count[PROPRIOD_SHM_STREAMS]) {
  const struct robot *robot = generation->robot;
  const bool has_imu = !robot->fixed_base || generation->settings.robot.imu[0] != '\0';
  count[PROPRIOD_SHM_JOINTS] = (uint32_t)robot->joints.count;
  count[PROPRIOD_SHM_IMU] = has_imu ? 1 + (uint32_t)robot->n_limbs : 0;
  count[PROPRIOD_SHM_SKIN] = (uint32_t)robot->n_cells;
  count[PROPRIOD_SHM_WRENCH] = (uint32_t)(robot->n_wrench + robot->n_switches);
}

void generation_recorded(const struct generation *generation,
                         uint32_t count[PROPRIOD_SHM_STREAMS]) {
  generation_streams(generation, count);
  count[PROPRIOD_SHM_JOINTS] = (uint32_t)generation->robot->model.n_joints;
}

/* The shared memory is laid out for the running robot, and what an estimator has learned belongs
 * to its joints. */
static enum status fit(const struct generation *running, const struct generation *wanted,
                       struct settings_report *report) {
  static const char *const key[] = {"robot.urdf", "robot.imu", "robot.cells", "robot.wrenches"};
  static const char *const what[] = {"joints", "IMUs", "cells", "wrench sensors"};
  uint32_t old[PROPRIOD_SHM_STREAMS], new[PROPRIOD_SHM_STREAMS];
  generation_streams(running, old);
  generation_streams(wanted, new);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (old[kind] != new[kind]) {
      settings_error(report, key[kind], "%u %s instead of the running %u; this needs a restart",
                     new[kind], what[kind], old[kind]);
    }
  }
  const struct model *before = &running->robot->model, *after = &wanted->robot->model;
  for (size_t j = 0; report->n_errors == 0 && j < before->n_joints; j++) {
    if (strcmp(before->joint[j].name, after->joint[j].name) != 0) {
      settings_error(report, "robot.urdf", "joint %zu is %s instead of %s; this needs a restart", j,
                     after->joint[j].name, before->joint[j].name);
    }
  }
  return report->n_errors == 0 ? STATUS_OK : STATUS_REFUSED;
}

/* Counts first, then builds in one block. arena_take zeroes what it gives, which touches it. */
static enum status build_pipeline(struct generation *generation, struct settings_report *report) {
  const struct pipeline_settings *settings = &generation->settings.pipeline;
  struct arena arena = {0};
  enum status status = pipeline_init(&generation->pipeline, generation->robot, settings, &arena);
  if (status == STATUS_OK) {
    generation->memory = aligned_alloc(ARENA_ALIGN, arena.used);
    if (generation->memory == NULL) {
      settings_error(report, "", "no memory: the estimators need %zu bytes", arena.used);
      return STATUS_NO_MEMORY;
    }
    arena = arena_over(generation->memory, arena.used);
    status = pipeline_init(&generation->pipeline, generation->robot, settings, &arena);
  }
  if (status != STATUS_OK) {
    settings_error(report, "", "the estimators refuse this robot or these settings: %s",
                   status_text(status));
  }
  return status;
}

static enum status load_robot(struct generation *generation, struct settings_report *report) {
  struct message error;
  struct robot_faults faults = {.n = 0};
  const size_t before = report->n_errors;
  const struct robot_settings *robot = &generation->settings.robot;
  if (robot->urdf[0] == '\0') {
    settings_error(report, "robot.urdf",
                   "no robot is named: proprioctl init ROBOT.urdf writes a first configuration");
    report->no_robot = true;
    return STATUS_REFUSED;
  }
  if (generation_check_files(robot, report) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  const enum status status =
      robot_load_with_texts(robot, "", &generation->robot, &generation->texts, &faults, &error);
  if (status == STATUS_NOT_CONSISTENT) {
    generation_report_inertias(robot, report);
  }
  for (size_t i = 0; i < faults.n && i < ROBOT_MAX_FAULTS; i++) {
    generation_report_robot(&faults.fault[i], report);
  }
  if (status != STATUS_OK && report->n_errors == before) {
    generation_report_robot(&error, report);
  }
  return status;
}

static enum status build(struct generation *generation, const struct generation *running,
                         struct settings_report *report) {
  enum status status = load_robot(generation, report);
  if (status != STATUS_OK) {
    return status;
  }
  if (running != NULL) {
    status = fit(running, generation, report);
  }
  if (status == STATUS_OK) {
    status = generation_check_names(generation, report);
  }
  return status == STATUS_OK ? build_pipeline(generation, report) : status;
}

/* A file with mistakes may name a robot with mistakes: all are told at once, unless those of the
 * file are about the robot. */
static void look_further(struct generation *generation, struct settings_report *report) {
  for (size_t i = 0; i < report->n_errors && i < SETTINGS_MAX_ERRORS; i++) {
    if (strstr(report->error[i].text, ": robot.") != NULL) {
      return;
    }
  }
  if (generation->settings.robot.urdf[0] != '\0') {
    load_robot(generation, report);
  }
}

enum status generation_build(const char *file, const struct settings_overrides *overrides,
                             const struct generation *running, struct generation **generation,
                             struct settings_report *report, struct message *kept) {
  message_set(kept, "%s", "");
  *report = (struct settings_report){.n_errors = 0};
  struct generation *built = calloc(1, sizeof(*built));
  if (built == NULL) {
    settings_error(report, "", "no memory");
    return STATUS_NO_MEMORY;
  }
  enum status status = settings_load_as_far(file, overrides, &built->settings, report);
  if (status == STATUS_REFUSED && running == NULL) {
    look_further(built, report);
  }
  if (status == STATUS_OK) {
    if (running != NULL) {
      settings_keep_running(&running->settings, &built->settings, kept);
    }
    status = build(built, running, report);
  }
  if (status != STATUS_OK) {
    generation_free(built);
    return status;
  }
  *generation = built;
  return STATUS_OK;
}

void generation_free(struct generation *generation) {
  if (generation != NULL) {
    free(generation->memory);
    robot_destroy(generation->robot);
    robot_texts_free(&generation->texts);
    free(generation);
  }
}
