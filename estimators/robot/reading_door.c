#include "robot/reading_door.h"

#include <math.h>

/* No robot's joint or sole bears more: N, N m. */
static const double LARGEST_LOAD = 1e5;
/* How far from one the squares of a quaternion may add up. */
static const double LOOSE_QUATERNION = 0.1;

struct reading_settings reading_defaults(void) {
  return (struct reading_settings){.gyro_range = 100.0, .accelerometer_range = 2000.0};
}

enum status reading_door_init(struct reading_door *door, const struct robot *robot,
                              const struct reading_settings *settings, struct arena *arena) {
  if (!(settings->gyro_range > 0.0 && settings->accelerometer_range > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *door = (struct reading_door){.settings = *settings, .n_joints = robot->model.n_joints};
  door->tau = ARENA_ARRAY(arena, double, door->n_joints);
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static double within(double value, double range, uint64_t *refused) {
  const bool fine = fabs(value) < range; /* false for NaN */
  *refused += !fine;
  return fine ? value : (double)NAN;
}

static vec3 within_each(vec3 v, double range, uint64_t *refused) {
  return (vec3){within(v.x, range, refused), within(v.y, range, refused),
                within(v.z, range, refused)};
}

static void let_imu_in(struct reading_door *door, struct imu_reading *imu) {
  struct reading_counters again = {0}; /* a reading that is not fresh has been counted */
  struct reading_counters *count = imu->stamp.fresh ? &door->counters : &again;
  imu->angular_rate =
      within_each(imu->angular_rate, door->settings.gyro_range, &count->gyro_refused);
  imu->specific_force = within_each(imu->specific_force, door->settings.accelerometer_range,
                                    &count->accelerometer_refused);
  const quat o = imu->orientation;
  const double square = o.x * o.x + o.y * o.y + o.z * o.z + o.w * o.w;
  if (imu->has_orientation && !(fabs(square - 1.0) < LOOSE_QUATERNION)) {
    imu->has_orientation = false;
    count->orientation_refused++;
  }
}

static void let_torques_in(struct reading_door *door, struct joints_reading *joints) {
  if (joints->tau == NULL) {
    return;
  }
  for (size_t j = 0; joints->stamp.fresh && j < door->n_joints; j++) {
    door->tau[j] = within(joints->tau[j], LARGEST_LOAD, &door->counters.torque_refused);
  }
  joints->tau = door->tau;
}

/* A sensor of which one number is refused says nothing. */
static void let_wrenches_in(struct reading_door *door, struct wrench_reading *reading) {
  if (!reading->stamp.present || reading->n_sensors > ROBOT_MAX_WRENCH) {
    return;
  }
  for (size_t k = 0; reading->stamp.fresh && k < reading->n_sensors; k++) {
    uint64_t refused = 0;
    door->wrench[k].ang = within_each(reading->wrench[k].ang, LARGEST_LOAD, &refused);
    door->wrench[k].lin = within_each(reading->wrench[k].lin, LARGEST_LOAD, &refused);
    door->counters.wrench_refused += refused > 0;
  }
  reading->wrench = door->wrench;
}

void reading_door_step(struct reading_door *door, struct sensor_frame *frame) {
  let_imu_in(door, &frame->imu);
  let_torques_in(door, &frame->joints);
  let_wrenches_in(door, &frame->wrench);
}
