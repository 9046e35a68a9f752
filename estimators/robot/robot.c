#include "robot/robot.h"

#include "common/arena.h"
#include "model/model_hash.h"
#include "robot/cell_calibration.h"
#include "robot/cell_mesh.h"
#include "robot/cell_table.h"
#include "robot/robot_frames.h"
#include "urdf/urdf_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts the text's name in front of `line:column: what`. */
static enum status prefix(struct message *error, const char *name, enum status status) {
  if (status != STATUS_OK) {
    const struct message what = *error;
    message_set(error, "%.120s:%.380s", name, what.text);
  }
  return status;
}

static enum status read_cells(const struct robot_source *source, struct arena *arena,
                              struct robot *robot, struct message *error) {
  switch (source->cells) {
  case ROBOT_CELLS_NONE:
    return STATUS_OK;
  case ROBOT_CELLS_TABLE:
    return prefix(error, source->table_name,
                  cell_table_read(source->table, source->table_length, &robot->model, arena,
                                  &robot->cell, &robot->n_cells, error));
  case ROBOT_CELLS_URDF:
    return prefix(
        error, source->urdf_name,
        cell_table_from_model(&robot->model, arena, &robot->cell, &robot->n_cells, error));
  }
  message_set(error, "robot cells: %d is no kind of source", (int)source->cells);
  return STATUS_BAD_ARGUMENT;
}

static enum status read_calibration(const struct robot_source *source, struct arena *arena,
                                    struct robot *robot, struct message *error) {
  if (source->calibration == NULL) {
    return STATUS_OK;
  }
  return prefix(error, source->calibration_name,
                cell_calibration_read(source->calibration, source->calibration_length, robot->cell,
                                      robot->n_cells, arena, &robot->calibration, error));
}

static enum status check_base(const struct robot_source *source, const struct model *model,
                              struct message *error) {
  if (source->fixed_base || model->inertia[0].m > 0.0) {
    return STATUS_OK;
  }
  message_set(error, "%.200s: base link '%s' has no mass: give it an <inertial> or fix the base",
              source->urdf_name, model->link_name[0]);
  return STATUS_NOT_CONSISTENT;
}

/* The skin's own mass, which the URDF of a robot does not know. */
static void add_skin(const struct robot_source *source, struct robot *robot) {
  for (size_t k = 0; k < robot->n_cells && source->cell_body.mass > 0.0; k++) {
    const struct skin_cell *cell = &robot->cell[k];
    const struct inertia own = skin_cell_inertia(&source->cell_body, &cell->placement);
    robot->model.inertia[cell->link] = inertia_add(&robot->model.inertia[cell->link], &own);
  }
}

/* Puts the file's name before every note. */
static void name_notes(const char *name, struct urdf_notes *notes) {
  for (size_t i = 0; i < notes->n && i < URDF_MAX_NOTES; i++) {
    const struct message bare = notes->note[i];
    message_set(&notes->note[i], "%.200s:%.290s", name, bare.text);
  }
}

/* Takes everything; over a counting arena nothing is filled. */
static enum status build(const struct robot_source *source, struct arena *arena,
                         struct robot **built, struct message *error) {
  struct robot counted = {0};
  struct robot *taken = ARENA_ARRAY(arena, struct robot, 1);
  struct robot *robot = taken != NULL ? taken : &counted;
  robot->fixed_base = source->fixed_base;
  robot->inertia_unknown = source->choices.inertia == URDF_INERTIA_UNKNOWN;
  enum status status = prefix(error, source->urdf_name,
                              urdf_read_as(source->urdf, source->urdf_length, &source->choices,
                                           arena, &robot->model, &robot->notes, error));
  name_notes(source->urdf_name, &robot->notes);
  if (status == STATUS_OK) {
    status = read_cells(source, arena, robot, error);
  }
  if (status != STATUS_OK) {
    return status;
  }
  robot->neighbours = ARENA_ARRAY(arena, struct cell_neighbours, robot->n_cells);
  status = read_calibration(source, arena, robot, error);
  if (status != STATUS_OK) {
    return status;
  }
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  add_skin(source, robot);
  robot->model_hash = model_hash(&robot->model);
  *built = robot;
  status = check_base(source, &robot->model, error);
  if (status == STATUS_OK) {
    status = robot_frames_find(source, robot, error);
  }
  if (status == STATUS_OK) {
    status = cell_mesh_build(robot->cell, robot->n_cells, robot->neighbours);
  }
  return status;
}

static enum status check_counts(const struct robot_source *source, struct message *error) {
  if (source->n_feet > ROBOT_MAX_FEET) {
    message_set(error, "%zu feet, at most %d are allowed", source->n_feet, ROBOT_MAX_FEET);
    return STATUS_OUT_OF_RANGE;
  }
  if (source->n_limbs > ROBOT_MAX_LIMBS) {
    message_set(error, "%zu IMUs on limbs, at most %d are allowed", source->n_limbs,
                ROBOT_MAX_LIMBS);
    return STATUS_OUT_OF_RANGE;
  }
  if (source->n_wrench + source->n_switches > ROBOT_MAX_WRENCH) {
    message_set(error, "%zu wrench sensors and %zu contact switches, at most %d are allowed",
                source->n_wrench, source->n_switches, ROBOT_MAX_WRENCH);
    return STATUS_OUT_OF_RANGE;
  }
  return STATUS_OK;
}

enum status robot_create(const struct robot_source *source, struct robot **robot,
                         struct message *error) {
  struct message unheard = {""};
  struct message *told = error != NULL ? error : &unheard;
  message_set(told, "%s", "");
  struct arena count = {0};
  struct robot *built = NULL;
  enum status status = check_counts(source, told);
  if (status == STATUS_OK) {
    status = build(source, &count, &built, told);
  }
  if (status != STATUS_OK) {
    return status;
  }
  void *block = aligned_alloc(ARENA_ALIGN, count.used);
  if (block == NULL) {
    message_set(told, "no memory for a robot of %zu bytes", count.used);
    return STATUS_NO_MEMORY;
  }
  struct arena arena = arena_over(block, count.used);
  status = build(source, &arena, &built, told);
  if (status != STATUS_OK) {
    free(block);
    return status;
  }
  *robot = built;
  return STATUS_OK;
}

void robot_destroy(struct robot *robot) {
  free(robot); /* the first thing in its block */
}
