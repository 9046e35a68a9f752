#include "generation.h"

#include "arena.h"
#include "robot_files.h"

#include <stdlib.h>
#include <string.h>

static void refuse_size(const char *key, const char *what, size_t running, size_t wanted,
                        struct settings_report *report) {
  if (running != wanted) {
    settings_error(report, key, "%zu %s instead of the running %zu; this needs a restart", wanted,
                   what, running);
  }
}

/* The shared memory is laid out for the running robot. */
static enum status fit(const struct robot *running, const struct robot *wanted,
                       struct settings_report *report) {
  refuse_size("robot.urdf", "joints", running->model.n_joints, wanted->model.n_joints, report);
  refuse_size("robot.cells", "cells", running->n_cells, wanted->n_cells, report);
  for (size_t j = 0; report->n_errors == 0 && j < running->model.n_joints; j++) {
    if (strcmp(running->model.joint[j].name, wanted->model.joint[j].name) != 0) {
      settings_error(report, "robot.urdf", "joint %zu is %s instead of %s; this needs a restart", j,
                     wanted->model.joint[j].name, running->model.joint[j].name);
    }
  }
  refuse_size("robot.wrenches", "wrench sensors", running->n_wrench, wanted->n_wrench, report);
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

static enum status build(struct generation *generation, const struct generation *running,
                         struct settings_report *report) {
  struct message error;
  enum status status = robot_load(&generation->settings.robot, "", &generation->robot, &error);
  if (status != STATUS_OK) {
    settings_add_error(report, &error);
    return status;
  }
  if (running != NULL) {
    status = fit(running->robot, generation->robot, report);
  }
  return status == STATUS_OK ? build_pipeline(generation, report) : status;
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
  enum status status = settings_load(file, overrides, &built->settings, report);
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
    free(generation);
  }
}
