#include "pipeline.h"

#include "robot/cell_calibration.h"
#include "robot/reading_check.h"
#include "sensors/imu_judge.h"
#include "skin/imu_check.h"

#include <math.h>

struct pipeline {
  const struct robot *robot;
  struct pipeline_settings settings;
  struct reading_check check;
  struct joint_filter *joints;
  struct centroidal_estimator *centroidal;
  float *calibrated; /* [n_cells][3] m/s^2, NULL: the robot has no calibration */
  struct joint_history history;
  struct inertial_estimator *inertial;
  struct imu_check imu_check;
  double fastest; /* rad/s or m/s: velocity of the fastest joint; NaN: not known */
  uint64_t steps;
};

/* A robot with a joint as fast as this moves, rad/s or m/s. */
static const double MOVING = 0.1;

struct pipeline_settings pipeline_defaults(void) {
  return (struct pipeline_settings){.period_s = 1e-3,
                                    .readings = reading_defaults(),
                                    .joints = joint_filter_defaults(),
                                    .centroidal = centroidal_defaults(),
                                    .inertial = inertial_defaults()};
}

enum status pipeline_init(struct pipeline **pipeline, const struct robot *robot,
                          const struct pipeline_settings *settings, struct arena *arena) {
  struct pipeline counted = {0};
  struct pipeline *p = ARENA_ARRAY(arena, struct pipeline, 1);
  struct pipeline *into = p != NULL ? p : &counted;
  struct joint_filter_settings joints = settings->joints;
  joints.period_s = settings->period_s;
  enum status status = reading_check_init(&into->check, robot, &settings->readings, arena);
  if (status == STATUS_OK) {
    status = joint_filter_init(&into->joints, robot, &joints, arena);
  }
  if (status == STATUS_OK) {
    status = centroidal_init(&into->centroidal, robot, &settings->centroidal, arena);
  }
  if (status == STATUS_OK) {
    const struct joint_layout layout = joint_filter_layout(robot, joints.link_bias);
    status = joint_history_init(&into->history, &layout, arena);
  }
  if (status == STATUS_OK) {
    struct inertial_settings inertial = settings->inertial;
    inertial.period_s = settings->period_s;
    status = inertial_estimator_init(&into->inertial, robot, &inertial, arena);
  }
  float *calibrated =
      robot->calibration != NULL ? ARENA_ARRAY(arena, float, 3 * robot->n_cells) : NULL;
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  p->robot = robot;
  p->settings = *settings;
  p->calibrated = calibrated;
  imu_check_reset(&p->imu_check, robot);
  *pipeline = p;
  return STATUS_OK;
}

/* Joint torques are published as they were measured. */
static void pass_effort(const struct joints_reading *joints, struct propriod_state *state) {
  if (!joints->stamp.present || joints->tau == NULL) {
    return;
  }
  for (uint32_t j = 0; j < state->n_joints; j++) {
    if (!(fabs(joints->tau[j]) < LARGEST_LOAD)) {
      return;
    }
    state->effort[j] = joints->tau[j];
  }
  state->estimated |= PROPRIOD_STATE_EFFORT;
}

/* Contact switches come behind the wrench sensors, in the same stream. */
static void part_switches(const struct robot *robot, struct wrench_reading *wrench) {
  if (robot->n_switches > 0 && wrench->n_sensors == robot->n_wrench + robot->n_switches &&
      wrench->wrench != NULL) {
    wrench->n_sensors = robot->n_wrench;
    wrench->n_switches = robot->n_switches;
    wrench->contact = wrench->wrench + robot->n_wrench;
  }
}

/* The frame with its skin calibrated, where the robot has a calibration. */
static struct sensor_frame calibrate(struct pipeline *p, const struct sensor_frame *frame) {
  struct sensor_frame calibrated = *frame;
  part_switches(p->robot, &calibrated.wrench);
  if (p->calibrated != NULL && frame->skin.n_cells == p->robot->n_cells) {
    if (frame->skin.stamp.fresh) {
      cell_calibration_apply(p->robot->calibration, p->robot->n_cells, frame->skin.acceleration,
                             p->calibrated);
    }
    calibrated.skin.acceleration = p->calibrated;
  }
  return calibrated;
}

static bool is_strike(const struct propriod_centroidal *centroidal) {
  return (centroidal->estimated & PROPRIOD_CENTROIDAL_SUPPORT) != 0 &&
         centroidal->support_phase == SUPPORT_STRIKE;
}

/* Triads that have frozen (reading_check_frozen), of the IMUs that are used. */
static uint32_t frozen_triads(const struct pipeline *p) {
  const bool unused = p->robot->fixed_base && p->robot->imu_link == 0;
  return reading_check_frozen(&p->check) & ~(unused ? IMU_BOTH : 0u);
}

/* An IMU that something speaks against is not listened to: the estimate goes on without. */
static void withhold_imu(struct pipeline *p, struct sensor_frame *frame) {
  if (imu_check_suspect(&p->imu_check) != 0) {
    frame->imu.stamp.present = frame->imu.stamp.fresh = false;
  }
  joint_filter_deny_imu(p->joints, frozen_triads(p) & IMU_BOTH);
}

/* Joint velocity of the fastest joint, rad/s; NaN while there is no estimate. */
static double fastest_joint(const struct propriod_state *state) {
  double fastest = (state->estimated & PROPRIOD_STATE_DQ) != 0 ? 0.0 : (double)NAN;
  for (uint32_t j = 0; j < state->n_joints; j++) {
    fastest = fmax(fastest, fabs(state->dq[j]));
  }
  return fastest;
}

/* Compares the IMU with the skin that has just been fused, for the next cycle. */
static void check_axes(struct pipeline *p, const struct imu_reading *imu,
                       const struct stream_stamp *fused, struct propriod_state *state) {
  imu_check_reading(&p->imu_check, imu);
  const struct link_skin *skin = joint_filter_skin(p->joints, p->robot->imu_link);
  if (skin != NULL && fused->present && fused->fresh) {
    imu_check_skin(&p->imu_check, skin, fused->t_ns);
  }
  state->imu_suspect |= imu_check_suspect(&p->imu_check);
}

/* What speaks against IMUs. */
static void suspect_imus(struct pipeline *p, const struct imu_reading *imu,
                         const struct stream_stamp *fused, struct propriod_state *state) {
  const uint32_t frozen = frozen_triads(p);
  state->imu_suspect = (frozen & IMU_BOTH) != 0 ? IMU_FROZEN : 0;
  if (!p->robot->fixed_base && p->robot->imu_link == 0) {
    check_axes(p, imu, fused, state);
  }
  if ((state->imu_suspect != 0 || frozen != 0) && state->status == PROPRIOD_STATUS_OK) {
    state->status = PROPRIOD_STATUS_DEGRADED;
  }
}

void pipeline_step(struct pipeline *p, const struct sensor_frame *frame, struct estimates *out) {
  struct sensor_frame calibrated = calibrate(p, frame);
  reading_check_step(&p->check, p->fastest > MOVING, &calibrated);
  const struct imu_reading imu = calibrated.imu;
  withhold_imu(p, &calibrated);
  out->state.estimated = 0;
  joint_filter_step(p->joints, &calibrated, &out->state);
  p->fastest = fastest_joint(&out->state);
  suspect_imus(p, &imu, &calibrated.skin.stamp, &out->state);
  pass_effort(&calibrated.joints, &out->state);
  centroidal_estimate_step(p->centroidal, &calibrated, inertial_estimator_inertia(p->inertial),
                           p->joints, &out->state, &out->centroidal);
  const struct base_estimator *feet = centroidal_base(p->centroidal);
  joint_filter_contacts(p->joints, feet->contact, feet->hanging);
  if (feet->slips && out->state.status == PROPRIOD_STATUS_OK) {
    out->state.status = PROPRIOD_STATUS_DEGRADED; /* or it is the base that is wrong */
  }
  joint_history_collect(&p->history, p->joints);
  inertial_estimator_step(p->inertial, &calibrated, &p->history, is_strike(&out->centroidal),
                          &out->inertia);
  if (out->state.imu_suspect != 0 && out->inertia.status == PROPRIOD_STATUS_OK) {
    out->inertia.status = PROPRIOD_STATUS_DEGRADED; /* it is weighed by what moves without it */
  }
  out->state.seq = out->centroidal.seq = out->inertia.seq = ++p->steps;
}

const struct joint_filter_counters *pipeline_counters(const struct pipeline *p) {
  return joint_filter_counters(p->joints);
}

const struct reading_counters *pipeline_readings(const struct pipeline *p) {
  return &p->check.counters;
}

const struct cell_health *pipeline_cells(const struct pipeline *p) {
  return joint_filter_cells(p->joints);
}

const struct link_skin *pipeline_skin(const struct pipeline *p, size_t link) {
  return joint_filter_skin(p->joints, link);
}

void pipeline_choose_cells(struct pipeline *p, const bool *chosen) {
  joint_filter_choose(p->joints, chosen);
}

bool pipeline_uses_cell(const struct pipeline *p, size_t cell) {
  return joint_filter_uses(p->joints, cell);
}

const struct robot *pipeline_robot(const struct pipeline *p) {
  return p->robot;
}

const struct pipeline_settings *pipeline_settings_of(const struct pipeline *p) {
  return &p->settings;
}

void pipeline_adopt(struct pipeline *p, const struct pipeline *previous) {
  const struct model *model = &p->robot->model, *before = &previous->robot->model;
  p->steps = previous->steps;
  const bool same = model->n_joints == before->n_joints && model->n_links == before->n_links;
  reading_check_adopt(&p->check, &previous->check,
                      same && p->robot->n_limbs == previous->robot->n_limbs);
  if (same) {
    joint_filter_adopt(p->joints, previous->joints); /* else it begins anew, alone */
    centroidal_adopt(p->centroidal, previous->centroidal);
    inertial_estimator_adopt(p->inertial, previous->inertial);
    imu_check_adopt(&p->imu_check, &previous->imu_check);
  }
}

struct inertial_estimator *pipeline_inertial(struct pipeline *p) {
  return p->inertial;
}

struct joint_history *pipeline_history(struct pipeline *p) {
  return &p->history;
}
