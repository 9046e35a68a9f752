#include "sim_streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAW_STREAMS = 300 };

static const double SWITCH_FORCE = 10.0; /* N: closes a foot's contact switch */

enum status sim_streams_init(struct sim_streams *streams, const struct sim_options *options) {
  const struct robot *robot = options->robot;
  const size_t count[PROPRIOD_SHM_STREAMS] = {robot->model.n_joints, 1, robot->n_cells,
                                              robot->n_wrench + robot->n_switches};
  const size_t bytes[PROPRIOD_SHM_STREAMS] = {
      sizeof(struct joint_sample), sizeof(struct imu_sample), skin_sample_bytes(robot->n_cells),
      sizeof(struct wrench_sample)};
  *streams = (struct sim_streams){.options = *options};
  sim_sensors_init(&streams->sensors, options);
  sim_vibration_init(&streams->vibration, options);
  enum status status = sim_skin_init(&streams->skin, options);
  for (int i = 0; i < PROPRIOD_SHM_STREAMS && status == STATUS_OK; i++) {
    struct sim_stream_options line = options->stream[i];
    line.rate_hz = count[i] > 0 ? line.rate_hz : 0.0;
    status = delay_line_init(&streams->line[i], &line, bytes[i], 1.0 / options->frame_rate_hz,
                             sim_random_from(options->seed, (uint64_t)(DRAW_STREAMS + i)));
    if (i != PROPRIOD_SHM_SKIN && line.measured_hz > 0.0) {
      streams->held[i] = calloc(1, bytes[i]);
      streams->turn[i] = -1;
      status = status == STATUS_OK && streams->held[i] == NULL ? STATUS_NO_MEMORY : status;
    }
  }
  return status;
}

void sim_streams_free(struct sim_streams *streams) {
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    delay_line_free(&streams->line[i]);
    free(streams->held[i]);
  }
  sim_skin_free(&streams->skin);
}

static void sample_wrench(struct sim_streams *streams, const struct physics *physics, double t,
                          struct wrench_sample *out) {
  const struct robot *robot = streams->options.robot;
  for (size_t k = 0; k < robot->n_wrench; k++) {
    const struct force wrench_W = physics_contact_wrench(physics, (int)robot->wrench[k].link);
    const struct pose X_WL = physics_link_pose(physics, robot->wrench[k].link);
    out->wrench[k] = sim_read_wrench(&streams->sensors, k, t, &wrench_W, &X_WL);
  }
  for (size_t i = 0; i < robot->n_switches; i++) {
    const struct model_frame *foot = &robot->foot[robot->switch_foot[i]];
    const struct force wrench_W = physics_contact_wrench(physics, (int)foot->link);
    const double closed = wrench_W.lin.z > SWITCH_FORCE ? 1.0 : 0.0;
    out->wrench[robot->n_wrench + i] = (struct force){.lin = {0.0, 0.0, closed}};
  }
}

/* Whether it is time to measure; else writes what was measured last once more. */
static bool measures(struct sim_streams *streams, int i, double t, void *block) {
  const int64_t turn = (int64_t)floor(streams->line[i].options.measured_hz * t);
  if (streams->held[i] == NULL || turn > streams->turn[i]) {
    streams->turn[i] = turn;
    return true;
  }
  memcpy(block, streams->held[i], streams->line[i].sample_bytes);
  return false;
}

bool sim_streams_look(const struct sim_streams *streams, int64_t elapsed_ns) {
  bool look = sim_skin_live(&streams->skin) || streams->vibration.exists ||
              sim_sensors_live(&streams->sensors);
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    look = look || delay_line_is_due(&streams->line[i], elapsed_ns);
  }
  return look;
}

void sim_streams_sample(struct sim_streams *streams, const struct physics *physics,
                        const struct truth_taker *taker, int64_t elapsed_ns, int64_t t0_ns) {
  const double t = 1e-9 * (double)elapsed_ns;
  void *block[PROPRIOD_SHM_STREAMS] = {NULL};
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    if (delay_line_is_due(&streams->line[i], elapsed_ns)) {
      void *sent = delay_line_send(&streams->line[i], t0_ns + elapsed_ns);
      block[i] = sent != NULL && measures(streams, i, t, sent) ? sent : NULL;
    }
  }
  const struct motion *velocity = taker->velocity, *acceleration = taker->acceleration;
  if (streams->vibration.exists) {
    const double ground_N = taker->truth.ground_W.lin.z;
    sim_vibration_step(&streams->vibration, ground_N, velocity, acceleration);
    velocity = streams->vibration.velocity;
    acceleration = streams->vibration.acceleration;
  }
  sim_sensors_step(&streams->sensors, &taker->truth, velocity, acceleration);
  sim_skin_remember(&streams->skin, velocity, acceleration);
  if (block[PROPRIOD_SHM_JOINTS] != NULL) {
    sim_read_joints(&streams->sensors, &taker->truth, block[PROPRIOD_SHM_JOINTS]);
  }
  if (block[PROPRIOD_SHM_IMU] != NULL) {
    const struct pose X_WL = truth_link_pose(taker, physics, streams->options.robot->imu_link);
    sim_read_imu(&streams->sensors, velocity, acceleration, &X_WL, block[PROPRIOD_SHM_IMU]);
  }
  if (block[PROPRIOD_SHM_SKIN] != NULL) {
    const struct skin_sample out =
        skin_sample_in(block[PROPRIOD_SHM_SKIN], streams->options.robot->n_cells);
    sim_read_skin(&streams->skin, t, velocity, acceleration, &out);
  }
  if (block[PROPRIOD_SHM_WRENCH] != NULL) {
    sample_wrench(streams, physics, t, block[PROPRIOD_SHM_WRENCH]);
  }
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    if (block[i] != NULL && streams->held[i] != NULL) {
      memcpy(streams->held[i], block[i], streams->line[i].sample_bytes);
    }
  }
}

static void lend_joints(const struct sim_joint_noise *options, struct joint_sample *sample,
                        struct joints_reading *out) {
  if (sample != NULL) {
    out->q = sample->q;
    out->dq = options->has_velocity ? sample->dq : NULL;
    out->tau = options->has_effort ? sample->tau : NULL;
  }
}

static void lend_imu(const struct sim_imu_noise *options, size_t n_limbs,
                     const struct imu_sample *sample, struct imu_reading *out) {
  if (sample != NULL) {
    out->specific_force = sample->specific_force;
    out->angular_rate = sample->angular_rate;
    out->has_orientation = options->has_orientation;
    out->orientation = sample->orientation;
    out->n_limbs = n_limbs;
    out->limb = sample->limb;
  }
}

static void lend_skin(const struct sim_skin_noise *options, void *block, struct skin_reading *out) {
  if (block != NULL) {
    const struct skin_sample sample = skin_sample_in(block, out->n_cells);
    out->acceleration = sample.acceleration;
    out->flags = sample.flags;
    out->proximity = options->has_proximity ? sample.proximity : NULL;
    out->force = options->has_force ? sample.force : NULL;
  }
}

void sim_streams_receive(struct sim_streams *streams, int64_t now_ns, struct sensor_frame *frame) {
  const struct sim_options *options = &streams->options;
  void *block[PROPRIOD_SHM_STREAMS];
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    block[i] = delay_line_receive(&streams->line[i], now_ns);
  }
  *frame = (struct sensor_frame){.t_ns = now_ns,
                                 .joints.stamp = streams->line[PROPRIOD_SHM_JOINTS].stamp,
                                 .imu.stamp = streams->line[PROPRIOD_SHM_IMU].stamp,
                                 .skin.stamp = streams->line[PROPRIOD_SHM_SKIN].stamp,
                                 .skin.n_cells = options->robot->n_cells,
                                 .wrench.stamp = streams->line[PROPRIOD_SHM_WRENCH].stamp,
                                 .wrench.n_sensors =
                                     options->robot->n_wrench + options->robot->n_switches};
  struct wrench_sample *wrench = block[PROPRIOD_SHM_WRENCH];
  lend_joints(&options->joints, block[PROPRIOD_SHM_JOINTS], &frame->joints);
  lend_imu(&options->imu, options->robot->n_limbs, block[PROPRIOD_SHM_IMU], &frame->imu);
  lend_skin(&options->skin, block[PROPRIOD_SHM_SKIN], &frame->skin);
  frame->wrench.wrench = wrench != NULL ? wrench->wrench : NULL;
}
