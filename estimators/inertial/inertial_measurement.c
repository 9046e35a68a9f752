#include "inertial/inertial_measurement.h"

#include "math/bounds.h"
#include "model/joint_drive.h"

#include <string.h>

static bool all_feet_measured(const struct robot *robot) {
  size_t measured = 0;
  for (size_t foot = 0; foot < robot->n_feet; foot++) {
    bool is = false;
    for (size_t k = 0; k < robot->n_wrench; k++) {
      is = is || robot->wrench[k].link == robot->foot[foot].link;
    }
    measured += is;
  }
  return measured == robot->n_feet;
}

/* Joints that carry a chosen link, and the places of their rows behind those of a free base. */
static void find_joints(struct inertial_measurement *measurement, const size_t *link,
                        size_t n_links) {
  const struct robot *robot = measurement->robot;
  for (size_t row = 0; row < ROBOT_BASE_ROWS; row++) {
    measurement->slot[row] = robot->fixed_base ? SIZE_MAX : measurement->n_slots++;
  }
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    bool carries = false, foot = false, sensor = false;
    for (size_t k = 0; k < n_links; k++) {
      carries = carries || model_is_beyond(&robot->model, link[k], j + 1);
    }
    for (size_t k = 0; k < robot->n_feet; k++) {
      foot = foot || model_is_beyond(&robot->model, robot->foot[k].link, j + 1);
    }
    for (size_t k = 0; k < robot->n_wrench; k++) {
      sensor = sensor || model_is_beyond(&robot->model, robot->wrench[k].link, j + 1);
    }
    measurement->slot[ROBOT_BASE_ROWS + j] = carries ? measurement->n_slots++ : SIZE_MAX;
    if (carries) {
      measurement->carries_foot[measurement->n_joints] = foot;
      measurement->carries_sensor[measurement->n_joints] = foot || sensor;
      measurement->joint[measurement->n_joints++] = j;
    }
  }
}

enum status inertial_measurement_init(struct inertial_measurement *measurement,
                                      const struct robot *robot, const size_t *link, size_t n_links,
                                      struct arena *arena) {
  const struct model *model = &robot->model;
  *measurement = (struct inertial_measurement){.robot = robot};
  const enum status status = regressor_init(&measurement->regressor, model, link, n_links, arena);
  if (status != STATUS_OK) {
    return status;
  }
  measurement->feet_measured = all_feet_measured(robot);
  find_joints(measurement, link, n_links);
  measurement->Y = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *INERTIA_PARAMETERS *n_links);
  if (measurement->n_slots > INERTIAL_MAX_ROWS) {
    return STATUS_BAD_ARGUMENT;
  }
  const struct drive_settings as_in_model = {.effort = DRIVE_TORQUE};
  inertial_drives_set(&as_in_model, model, 0.0, 0.0, measurement->drive);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Wrenches from the sensors' frames to the links' origins, where several on one link add. Returns
 * all of them together on the base. */
static struct force gather_wrenches(struct inertial_measurement *measurement,
                                    const struct kinematics *kin, const struct force *wrench) {
  const struct robot *robot = measurement->robot;
  struct force contact_B = {VEC3_ZERO, VEC3_ZERO};
  memset(measurement->external, 0, robot->model.n_links * sizeof(*measurement->external));
  for (size_t k = 0; wrench != NULL && k < robot->n_wrench; k++) {
    const struct wrench_sensor *sensor = &robot->wrench[k];
    struct force *at = &measurement->external[sensor->link];
    const struct force on_link = force_to_base(&sensor->placement, &wrench[k]);
    const struct force on_base = force_to_base(&kin->X_BL[sensor->link], &on_link);
    *at = force_add(at, &on_link);
    contact_B = force_add(&contact_B, &on_base);
  }
  return contact_B;
}

static void take_row(struct inertial_measurement *measurement, size_t row, double z, double force) {
  const struct regressor *regressor = &measurement->regressor;
  const size_t n = regressor->columns, at = measurement->n_rows++;
  measurement->row[at] = row;
  measurement->z[at] = z;
  measurement->force[at] = force;
  measurement->rate[at] = 0.0;
  measurement->friction[at] = 0.0;
  memcpy(measurement->Y + at * n, regressor->Y + row * n, n * sizeof(double));
}

/* Base rows: a free robot's base needs no force beside the contacts, so Y pi + nominal = 0. */
static void take_base_rows(struct inertial_measurement *measurement, const struct force *nominal,
                           const struct force *contact) {
  const double z[ROBOT_BASE_ROWS] = {-nominal->ang.x, -nominal->ang.y, -nominal->ang.z,
                                     -nominal->lin.x, -nominal->lin.y, -nominal->lin.z};
  const double force[ROBOT_BASE_ROWS] = {contact->ang.x, contact->ang.y, contact->ang.z,
                                         contact->lin.x, contact->lin.y, contact->lin.z};
  for (size_t i = 0; i < ROBOT_BASE_ROWS; i++) {
    take_row(measurement, i, z[i], force[i]);
  }
}

/* Nominal torques count the model's friction in; the drive's takes its place. */
static void take_joint_row(struct inertial_measurement *measurement, size_t j, double effort,
                           double rate) {
  const struct inertial_drive *drive = &measurement->drive[j];
  const double tau = inertial_drive_torque(drive, effort);
  const double friction = inertial_drive_friction(drive, rate) -
                          joint_friction(&measurement->robot->model.joint[j], rate);
  take_row(measurement, ROBOT_BASE_ROWS + j, tau - measurement->tau_nominal[j] - friction, tau);
  measurement->rate[measurement->n_rows - 1] = rate;
  measurement->friction[measurement->n_rows - 1] = inertial_drive_error(drive, rate);
}

static void take_joint_rows(struct inertial_measurement *measurement, const double *tau,
                            const double *dq, bool feet_known) {
  for (size_t k = 0; k < measurement->n_joints; k++) {
    const size_t j = measurement->joint[k];
    if (measurement->carries_foot[k] && !feet_known) {
      measurement->missing |= INERTIAL_NEEDS_WRENCH;
    } else if (!all_within(&tau[j], 1, FORCE_LIMIT)) {
      measurement->missing |= INERTIAL_NEEDS_TORQUE;
    } else {
      take_joint_row(measurement, j, tau[j], dq[j]);
    }
  }
}

/* @eq Foster24 6 7 13 14 */
enum status inertial_measure(struct inertial_measurement *measurement,
                             const struct inertial_inputs *inputs) {
  const bool feet_known = measurement->feet_measured && inputs->wrench != NULL;
  struct force base;
  const struct force contact = gather_wrenches(measurement, inputs->kin, inputs->wrench);
  enum status status =
      regressor_nominal(&measurement->regressor, inputs->kin, measurement->robot->model.inertia,
                        measurement->external, WITH_DRIVES, &base, measurement->tau_nominal);
  if (status == STATUS_OK) {
    status = regressor_step(&measurement->regressor, inputs->kin);
  }
  if (status != STATUS_OK) {
    return status;
  }
  measurement->n_rows = 0;
  measurement->missing = 0;
  if (!measurement->robot->fixed_base && measurement->robot->n_feet > 0 && feet_known) {
    take_base_rows(measurement, &base, &contact);
  } else if (!measurement->robot->fixed_base) {
    measurement->missing |= INERTIAL_NEEDS_WRENCH;
  }
  if (inputs->tau != NULL) {
    take_joint_rows(measurement, inputs->tau, inputs->kin->dq, feet_known);
  } else if (measurement->n_joints > 0) {
    measurement->missing |= INERTIAL_NEEDS_TORQUE;
  }
  return measurement->n_rows > 0 ? STATUS_OK : STATUS_TOO_FEW;
}

bool inertial_measurement_is_stamped(const struct inertial_measurement *measurement, size_t slot) {
  const size_t base = measurement->n_slots - measurement->n_joints;
  return slot < base || !measurement->carries_sensor[slot - base];
}
