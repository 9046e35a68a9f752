#include "joints/joint_parts.h"

#include "robot/robot_part.h"

#include <string.h>

/* Cells that tell the whole acceleration of a carrier, and joints on it that make it one. */
enum { CARRIER_CELLS = 3, CARRIER_JOINTS = 2 };

const char *const joint_forms[] = {
    [JOINTS_AUTO] = "auto", [JOINTS_EXACT] = "exact", [JOINTS_LIMBS] = "limbs", NULL};

size_t joint_parts_count(const struct robot *robot, const bool *which) {
  size_t count = 0;
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    count += which[j];
  }
  return count;
}

static bool carries(const struct robot *robot, size_t link, size_t other) {
  return other != link && model_is_beyond(&robot->model, other, link);
}

static bool carries_sensor(const struct robot *robot, size_t link) {
  bool any = carries(robot, link, robot->imu_link);
  for (size_t k = 0; k < robot->n_limbs; k++) {
    any = any || carries(robot, link, robot->limb[k].link);
  }
  for (size_t k = 0; k < robot->n_feet; k++) {
    any = any || carries(robot, link, robot->foot[k].link);
  }
  return any;
}

/* The joints beyond a link that skin sees, [n_joints]. Returns how many; 0: they cannot be a limb
 * of their own. */
static size_t limb_on(const struct robot *robot, const struct joint_parts *parts, size_t link,
                      bool *joint) {
  const bool *together = parts->together;
  const struct model *model = &robot->model;
  size_t count = 0, on_it = 0, cells = 0;
  bool all = true;
  for (size_t j = 0; j < model->n_joints; j++) {
    const bool beyond = carries(robot, link, j + 1);
    joint[j] = beyond && together[j];
    count += joint[j];
    on_it += joint[j] && (size_t)model->parent[j + 1] == link;
    all = all && (!beyond || together[j] || !parts->seen[j]);
  }
  for (size_t k = 0; k < robot->n_cells; k++) {
    cells += robot->cell[k].link == link;
  }
  const bool fits = all && on_it >= CARRIER_JOINTS && count <= CARRIED_JOINTS &&
                    cells >= CARRIER_CELLS && together[link - 1] && !carries_sensor(robot, link);
  return fits ? count : 0;
}

/* Finds the limb of the fewest joints among those that stand together still. Returns how many; 0:
 * there is none. */
static size_t smallest_limb(const struct robot *robot, const struct joint_parts *parts,
                            size_t *carrier, bool *limb) {
  bool joint[MODEL_MAX_JOINTS];
  size_t fewest = 0;
  for (size_t link = 1; link < robot->model.n_links; link++) {
    const size_t count = limb_on(robot, parts, link, joint);
    if (count > 0 && (fewest == 0 || count < fewest)) {
      fewest = count;
      *carrier = link;
      memcpy(limb, joint, sizeof(joint));
    }
  }
  return fewest;
}

void joint_parts_of(const struct robot *robot, size_t most, enum joint_form form,
                    struct joint_parts *parts) {
  const size_t n = robot->model.n_joints;
  memset(parts, 0, sizeof(*parts));
  robot_joints_seen(robot, parts->seen);
  for (size_t j = 0; j < n; j++) {
    parts->together[j] = parts->seen[j] = parts->seen[j] || n <= most;
  }
  while (parts->n_limbs < CARRIED_MAX && form != JOINTS_EXACT &&
         (form == JOINTS_LIMBS || joint_parts_count(robot, parts->together) > most)) {
    bool *limb = parts->limb[parts->n_limbs];
    if (smallest_limb(robot, parts, &parts->carrier[parts->n_limbs], limb) == 0) {
      return;
    }
    parts->n_limbs++;
    for (size_t j = 0; j < n; j++) {
      parts->together[j] = parts->together[j] && !limb[j];
    }
  }
}
