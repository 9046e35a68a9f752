#include "robot/robot_part.h"

#include <string.h>

/* -- which ------------------------------------------------------------------------------------ */

static void mark_up(const struct model *model, size_t link, bool *seen) {
  for (size_t i = link; i > 0; i = (size_t)model->parent[i]) {
    seen[i - 1] = true;
  }
}

size_t robot_joints_seen(const struct robot *robot, bool *seen) {
  const struct model *model = &robot->model;
  size_t count = 0;
  memset(seen, 0, model->n_joints * sizeof(*seen));
  mark_up(model, robot->imu_link, seen);
  for (size_t k = 0; k < robot->n_limbs; k++) {
    mark_up(model, robot->limb[k].link, seen);
  }
  for (size_t k = 0; k < robot->n_feet; k++) {
    mark_up(model, robot->foot[k].link, seen);
  }
  for (size_t k = 0; k < robot->n_cells; k++) {
    mark_up(model, robot->cell[k].link, seen);
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    count += seen[j];
  }
  return count;
}

/* -- a part ----------------------------------------------------------------------------------- */

static size_t count_kept(const bool *keep, size_t n) {
  size_t kept = 0;
  for (size_t j = 0; j < n; j++) {
    kept += keep[j];
  }
  return kept;
}

/* Which joints and links of the whole are kept, and as what. */
static void number(struct robot_part *part, const struct model *whole, const bool *keep) {
  size_t kept = 0;
  part->link[0] = 0;
  for (size_t j = 0; j < whole->n_joints; j++) {
    part->link[j + 1] = keep[j] ? kept + 1 : ROBOT_NO_LINK;
    if (keep[j]) {
      part->joint[kept++] = j;
    }
  }
}

static void fill_model(const struct robot_part *part, const struct model *whole,
                       struct model *model) {
  model->parent[0] = -1;
  for (size_t j = 0; j < model->n_joints; j++) {
    const size_t from = part->joint[j];
    const size_t parent = part->link[whole->parent[from + 1]];
    model->joint[j] = whole->joint[from];
    model->parent[j + 1] = parent != ROBOT_NO_LINK ? (int)parent : 0;
  }
}

/* Moves sensors to the part's links. Returns whether it has all of them. */
static bool move_sensors(const struct robot_part *part, const struct robot *whole,
                         struct robot *robot) {
  bool all = part->link[whole->imu_link] != ROBOT_NO_LINK;
  robot->imu_link = part->link[whole->imu_link];
  for (size_t k = 0; k < whole->n_limbs; k++) {
    robot->limb[k].link = part->link[whole->limb[k].link];
    all = all && robot->limb[k].link != ROBOT_NO_LINK;
  }
  for (size_t k = 0; k < whole->n_feet; k++) {
    robot->foot[k].link = part->link[whole->foot[k].link];
    all = all && robot->foot[k].link != ROBOT_NO_LINK;
  }
  return all;
}

static void leave_sensors(struct robot *robot) {
  robot->fixed_base = true;
  robot->imu_link = robot->n_limbs = robot->n_feet = 0;
}

enum status robot_part_init(struct robot_part *part, const struct robot *whole, const bool *keep,
                            bool sensors, struct arena *arena) {
  const size_t n_joints = whole->model.n_joints, kept = count_kept(keep, n_joints);
  *part = (struct robot_part){.robot = whole,
                              .joint = ARENA_ARRAY(arena, size_t, kept),
                              .link = ARENA_ARRAY(arena, size_t, n_joints + 1)};
  const bool all = kept == n_joints && sensors;
  struct robot *robot = all ? NULL : ARENA_ARRAY(arena, struct robot, 1);
  int *parent = all ? NULL : ARENA_ARRAY(arena, int, kept + 1);
  struct joint *joint = all ? NULL : ARENA_ARRAY(arena, struct joint, kept);
  if (arena_is_counting(arena) || arena->failed) {
    return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
  }
  number(part, &whole->model, keep);
  if (all) {
    return STATUS_OK;
  }
  *robot = *whole;
  robot->model =
      (struct model){.n_joints = kept, .n_links = kept + 1, .parent = parent, .joint = joint};
  robot->cell = NULL;
  robot->neighbours = NULL;
  robot->calibration = NULL;
  robot->n_cells = 0;
  robot->n_wrench = robot->n_switches = 0;
  fill_model(part, &whole->model, &robot->model);
  if (!sensors) {
    leave_sensors(robot);
  }
  part->robot = robot;
  return !sensors || move_sensors(part, whole, robot) ? STATUS_OK : STATUS_BAD_ARGUMENT;
}
