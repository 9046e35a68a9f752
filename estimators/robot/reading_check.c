#include "robot/reading_check.h"

#include <math.h>
#include <string.h>

/* No IMU of a base measures less often, ns: one of few bits that stands still is not silent. */
static const int64_t LONGEST_HOLD_NS = 20000000;

struct reading_settings reading_defaults(void) {
  return (struct reading_settings){.gyro_range = LARGEST_RATE,
                                   .accelerometer_range = LARGEST_FORCE};
}

enum status reading_check_init(struct reading_check *check, const struct robot *robot,
                               const struct reading_settings *settings, struct arena *arena) {
  if (!(settings->gyro_range > 0.0 && settings->accelerometer_range > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *check = (struct reading_check){.settings = *settings, .n_joints = robot->model.n_joints};
  stream_hang_init(&check->joints, check->n_joints * sizeof(double), arena);
  stream_hang_init(&check->skin, 3 * robot->n_cells * sizeof(float), arena);
  check->tau = ARENA_ARRAY(arena, double, check->n_joints);
  for (size_t k = 0; k < ROBOT_MAX_WRENCH; k++) {
    check->repeats[k] = repeats_unknown();
  }
  for (size_t k = 0; k < 1 + ROBOT_MAX_LIMBS; k++) {
    check->gyro[k].repeats = check->accelerometer[k].repeats = repeats_unknown();
  }
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

/* NaN in place of the last measurement once more, and of a triad that has frozen. Returns whether
 * it is a new one. One that is repeated now and then is used: it is no worse than none. */
static bool measures(struct reading_check *check, struct held_triad *triad, int64_t t_ns,
                     bool moving, vec3 *v) {
  const vec3 last = triad->last;
  const bool equal = v->x == last.x && v->y == last.y && v->z == last.z;
  const bool held =
      sensor_hold_next(&triad->hold, equal, !equal) && t_ns - triad->t_ns < LONGEST_HOLD_NS;
  triad->last = *v;
  if (!held && vec3_is_finite(*v)) {
    repeats_watch(&triad->repeats, equal, moving);
  }
  if (held || triad->repeats.frozen) {
    *v = (vec3){(double)NAN, (double)NAN, (double)NAN};
    check->counters.imu_repeated++;
    return false;
  }
  triad->t_ns = t_ns;
  return true;
}

static void check_triads(struct reading_check *check, vec3 *rate, vec3 *force,
                         struct reading_counters *count) {
  *rate = within_each(*rate, check->settings.gyro_range, &count->gyro_refused);
  *force = within_each(*force, check->settings.accelerometer_range, &count->accelerometer_refused);
}

/* A reading of which nothing is a measurement is none. */
static void check_imu(struct reading_check *check, bool moving, struct imu_reading *imu) {
  struct reading_counters again = {0}; /* a reading that is not fresh has been counted */
  const int64_t t_ns = imu->stamp.t_ns;
  const bool fresh = imu->stamp.fresh, anew = fresh && t_ns != check->imu_ns;
  struct reading_counters *count = fresh ? &check->counters : &again;
  bool any = fresh && !anew;
  check_triads(check, &imu->angular_rate, &imu->specific_force, count);
  if (anew) {
    check->imu_ns = t_ns;
    any |= measures(check, &check->gyro[0], t_ns, moving, &imu->angular_rate);
    any |= measures(check, &check->accelerometer[0], t_ns, moving, &imu->specific_force);
  }
  for (size_t k = 0; k < imu->n_limbs && k < ROBOT_MAX_LIMBS; k++) {
    struct imu_triads *limb = &check->limb[k];
    *limb = imu->limb[k];
    check_triads(check, &limb->angular_rate, &limb->specific_force, count);
    if (anew) {
      any |= measures(check, &check->gyro[1 + k], t_ns, moving, &limb->angular_rate);
      any |= measures(check, &check->accelerometer[1 + k], t_ns, moving, &limb->specific_force);
    }
  }
  imu->stamp.fresh = any;
  imu->limb = check->limb;
  if (imu->has_orientation && !is_plausible_orientation(imu->orientation)) {
    imu->has_orientation = false;
    count->orientation_refused++;
  }
}

static void check_torques(struct reading_check *check, struct joints_reading *joints) {
  if (joints->tau == NULL) {
    return;
  }
  for (size_t j = 0; joints->stamp.fresh && j < check->n_joints; j++) {
    check->tau[j] = within(joints->tau[j], LARGEST_LOAD, &check->counters.torque_refused);
  }
  joints->tau = check->tau;
}

static bool is_equal(const struct force *a, const struct force *b) {
  return a->lin.x == b->lin.x && a->lin.y == b->lin.y && a->lin.z == b->lin.z &&
         a->ang.x == b->ang.x && a->ang.y == b->ang.y && a->ang.z == b->ang.z;
}

/* One that is silent repeats itself, too; what carries nothing may read zero for as long. */
static bool is_frozen(struct reading_check *check, size_t k, const struct wrench_reading *reading,
                      bool moving) {
  const struct force *read = &reading->wrench[k];
  const bool same = is_equal(read, &check->last[k]) && vec3_norm(read->lin) > 0.0;
  repeats_watch(&check->repeats[k], !reading->stamp.fresh || same, moving);
  check->last[k] = *read;
  return check->repeats[k].frozen;
}

/* Not the last measurement once more, nor without an answer for a moment. */
static bool wrench_measures(struct reading_check *check, size_t k, int64_t t_ns,
                            const struct force *read, bool equal) {
  struct held_wrench *held = &check->held[k];
  const bool given = !isnan(read->lin.x);
  if ((!given || sensor_hold_next(&held->hold, equal, !equal)) &&
      t_ns - held->t_ns < LONGEST_HOLD_NS) {
    return false;
  }
  held->t_ns = t_ns;
  return true;
}

/* Of sensors that have not measured since, what they did then stays, with its stamp when that is
 * all of them. A sensor of which one number is refused says nothing. */
static void check_wrenches(struct reading_check *check, bool moving,
                           struct wrench_reading *reading) {
  if (!reading->stamp.present || reading->n_sensors > ROBOT_MAX_WRENCH) {
    return;
  }
  const int64_t t_ns = reading->stamp.t_ns;
  const bool anew = reading->stamp.fresh && t_ns != check->wrench_read_ns;
  bool any = reading->stamp.fresh && (!anew || reading->n_sensors == 0);
  check->wrench_read_ns = anew ? t_ns : check->wrench_read_ns;
  for (size_t k = 0; k < reading->n_sensors; k++) {
    const struct force *read = &reading->wrench[k];
    const bool equal = is_equal(read, &check->last[k]);
    const bool frozen = is_frozen(check, k, reading, moving);
    const bool measures = anew && wrench_measures(check, k, t_ns, read, equal);
    any |= measures;
    if (!frozen && !measures) {
      continue;
    }
    uint64_t refused = 0;
    const double largest = frozen ? 0.0 : LARGEST_LOAD;
    check->wrench[k].ang = within_each(read->ang, largest, &refused);
    check->wrench[k].lin = within_each(read->lin, largest, &refused);
    check->counters.wrench_refused += reading->stamp.fresh && refused > 0;
  }
  check->wrench_ns = any ? t_ns : check->wrench_ns;
  reading->stamp.fresh = any;
  reading->stamp.t_ns = check->wrench_ns;
  reading->wrench = check->wrench;
}

static void check_hang(struct reading_check *check, struct stream_hang *hang,
                       struct stream_stamp *stamp, const void *numbers, bool moving) {
  if (stream_hangs(hang, stamp, numbers, moving)) {
    stamp->fresh = false;
    check->counters.frames_repeated++;
  }
}

void reading_check_step(struct reading_check *check, bool moving, struct sensor_frame *frame) {
  check_hang(check, &check->joints, &frame->joints.stamp, frame->joints.q, moving);
  if (3 * frame->skin.n_cells * sizeof(float) == check->skin.bytes) {
    check_hang(check, &check->skin, &frame->skin.stamp, frame->skin.acceleration, moving);
  }
  check_imu(check, moving, &frame->imu);
  check_torques(check, &frame->joints);
  check_wrenches(check, moving, &frame->wrench);
}

uint32_t reading_check_frozen(const struct reading_check *check) {
  uint32_t frozen = 0;
  for (size_t k = 0; k < 1 + ROBOT_MAX_LIMBS; k++) {
    frozen |= (uint32_t)check->gyro[k].repeats.frozen << 2 * k |
              (uint32_t)check->accelerometer[k].repeats.frozen << (2 * k + 1);
  }
  return frozen;
}

void reading_check_adopt(struct reading_check *check, const struct reading_check *previous,
                         bool same_imus) {
  check->counters = previous->counters;
  if (same_imus) {
    memcpy(check->gyro, previous->gyro, sizeof(check->gyro));
    memcpy(check->accelerometer, previous->accelerometer, sizeof(check->accelerometer));
  }
}
