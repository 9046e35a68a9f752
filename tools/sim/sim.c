#include "sim.h"

#include "delay_line.h"
#include "payload.h"
#include "scenario.h"
#include "servo.h"
#include "sim_sensors.h"
#include "sim_skin.h"
#include "truth_taker.h"

#include <stdlib.h>
#include <string.h>

enum { DRAW_STREAMS = 300 };

static const int64_t ns_per_s = 1000000000;
static const int64_t control_ns = 1000000; /* the robot's own controller and every sensor's clock */

#define SETTLE_SECONDS 1.0  /* the robot sinks into its contacts before the scenario begins */
#define STEP_MIN       1e-5 /* s, integration step */
#define STEP_MAX       1e-3

struct sim {
  struct sim_options options;
  double duration_s;
  bool holds_base, begun;
  int64_t step_ns, frame_ns; /* integration step, frame period */
  int64_t elapsed_ns;        /* since the scenario's start */
  struct physics physics;
  struct truth_taker taker;
  struct scenario_run scenario;
  struct servo servo;
  struct payload payload;
  struct sim_sensors sensors;
  struct sim_skin skin;
  struct delay_line line[SIM_STREAMS];
  struct sensor_frame frame;
};

/* --- building --- */

static enum status refuse(struct message *error, const char *option, double value,
                          const char *limit) {
  message_set(error, "%s: %g, but it must be %s", option, value, limit);
  return STATUS_BAD_ARGUMENT;
}

static bool is_multiple(int64_t whole, int64_t part) {
  return part > 0 && whole >= part && whole % part == 0;
}

static enum status check_stream(const struct sim_stream_options *stream, struct message *error) {
  if (!(stream->rate_hz >= 0.0 && stream->rate_hz <= 1000.0)) {
    return refuse(error, "stream rate", stream->rate_hz, "within 0 and 1000 Hz");
  }
  if (!(stream->latency_s >= 0.0 && stream->latency_s <= 1.0)) {
    return refuse(error, "stream latency", stream->latency_s, "within 0 and 1 s");
  }
  if (!(stream->jitter_s >= 0.0 && stream->jitter_s <= 1.0)) {
    return refuse(error, "stream jitter", stream->jitter_s, "within 0 and 1 s");
  }
  if (!(stream->loss >= 0.0 && stream->loss < 1.0)) {
    return refuse(error, "stream loss", stream->loss, "at least 0 and below 1");
  }
  return STATUS_OK;
}

static enum status check_options(const struct sim_options *options, struct message *error) {
  if (options->scenario >= SIM_SCENARIOS) {
    return refuse(error, "scenario", (double)options->scenario, "one of the list");
  }
  if (!(options->frame_rate_hz > 0.0) ||
      !is_multiple(llround(1e9 / options->frame_rate_hz), control_ns)) {
    return refuse(error, "frame rate", options->frame_rate_hz,
                  "such that the period is whole milliseconds");
  }
  if (!(options->integration_step_s >= STEP_MIN && options->integration_step_s <= STEP_MAX) ||
      !is_multiple(control_ns, llround(1e9 * options->integration_step_s))) {
    return refuse(error, "integration step", options->integration_step_s,
                  "within 10 us and 1 ms, and fit into 1 ms");
  }
  if (!(options->duration_s >= 0.0) || !(options->rest_s >= 0.0)) {
    return refuse(error, "duration", options->duration_s, "at least 0 s");
  }
  if (!(options->amplitude >= 0.0 && options->amplitude <= 3.0)) {
    return refuse(error, "amplitude", options->amplitude, "within 0 and 3");
  }
  for (int i = 0; i < SIM_STREAMS; i++) {
    const enum status status = check_stream(&options->stream[i], error);
    if (status != STATUS_OK) {
      return status;
    }
  }
  return STATUS_OK;
}

static enum status make_lines(struct sim *sim) {
  const size_t bytes[SIM_STREAMS] = {
      [SIM_JOINTS] = sizeof(struct joint_sample),
      [SIM_IMU] = sizeof(struct imu_sample),
      [SIM_SKIN] = skin_sample_bytes(sim->options.robot->n_cells),
      [SIM_WRENCH] = sizeof(struct wrench_sample),
  };
  const double period_s = 1.0 / sim->options.frame_rate_hz;
  enum status status = STATUS_OK;
  for (int i = 0; i < SIM_STREAMS && status == STATUS_OK; i++) {
    struct sim_stream_options options = sim->options.stream[i];
    const bool exists = i == SIM_SKIN     ? sim->options.robot->n_cells > 0
                        : i == SIM_WRENCH ? sim->options.robot->n_wrench > 0
                                          : true;
    options.rate_hz = exists ? options.rate_hz : 0.0;
    status = delay_line_init(&sim->line[i], &options, bytes[i], period_s,
                             sim_random_from(sim->options.seed, (uint64_t)(DRAW_STREAMS + i)));
  }
  return status;
}

static enum status make_physics(struct sim *sim, struct message *error) {
  const struct robot *robot = sim->options.robot;
  struct shapes shapes = {0};
  if (!sim->holds_base) {
    if (sim->options.urdf_path == NULL) {
      message_set(error, "scenario %s needs the URDF's path for its collision shapes",
                  sim_scenario_name(sim->options.scenario));
      return STATUS_BAD_ARGUMENT;
    }
    const enum status status = shapes_read(sim->options.urdf_path, &robot->model, &shapes, error);
    if (status != STATUS_OK) {
      return status;
    }
  }
  struct mjcf_options options = {.step_s = (double)sim->step_ns / (double)ns_per_s,
                                 .hold_base = sim->holds_base,
                                 .contact_time_s = scenario_contact_time(&sim->options),
                                 .friction = 1.0,
                                 .rebound = 1.0,
                                 .shapes = &shapes};
  options.n_blocks = scenario_blocks(&sim->scenario, options.block);
  const enum status status = physics_init(&sim->physics, robot, &options, error);
  shapes_free(&shapes);
  return status;
}

/* Lets the robot sink into its contacts under its own weight. */
static void settle(struct sim *sim) {
  static const double still[MODEL_MAX_JOINTS] = {0.0};
  const struct scenario_run *run = &sim->scenario;
  const struct pose X_WB = {run->standing.R_WB, run->standing.base_W};
  physics_place(&sim->physics, &X_WB, run->q);
  physics_look(&sim->physics);
  servo_init(&sim->servo, &sim->physics, run->posture.is_leg, run->leg_length);
  for (double t = 0.0; t < SETTLE_SECONDS; t += (double)sim->step_ns / (double)ns_per_s) {
    physics_look(&sim->physics);
    servo_step(&sim->servo, &sim->physics, run->q, still);
    physics_forward(&sim->physics, sim->servo.tau);
    physics_integrate(&sim->physics);
  }
  physics_look(&sim->physics);
  physics_forward(&sim->physics, sim->servo.tau);
  sim->taker.standing_height = run->standing.base_W.z;
  truth_take_links(&sim->taker, &sim->physics);
  truth_take(&sim->taker, &sim->physics, sim->options.t0_ns);
}

static enum status build(struct sim *sim, struct message *error) {
  enum status status = scenario_begin(&sim->scenario, &sim->options, error);
  if (status == STATUS_OK) {
    status = payload_init(&sim->payload, &sim->scenario.options.payload, &sim->options.robot->model,
                          error);
  }
  if (status == STATUS_OK) {
    status = make_physics(sim, error);
  }
  if (status == STATUS_OK) {
    status = truth_taker_init(&sim->taker, &sim->physics);
  }
  if (status == STATUS_OK) {
    status = sim_skin_init(&sim->skin, &sim->options);
  }
  if (status == STATUS_OK) {
    status = make_lines(sim);
  }
  if (status == STATUS_OK) {
    sim_sensors_init(&sim->sensors, &sim->options);
    if (!sim->holds_base) {
      settle(sim);
    }
  }
  return status;
}

enum status sim_create(struct sim **sim, const struct sim_options *options, struct message *error) {
  enum status status = check_options(options, error);
  struct sim *new = status == STATUS_OK ? calloc(1, sizeof(*new)) : NULL;
  if (new == NULL) {
    return status != STATUS_OK ? status : STATUS_NO_MEMORY;
  }
  new->options = *options;
  new->holds_base = sim_scenario_holds_base(options->scenario);
  new->duration_s =
      options->duration_s > 0.0 ? options->duration_s : scenario_duration(options->scenario);
  new->frame_ns = llround(1e9 / options->frame_rate_hz);
  new->step_ns = new->holds_base ? control_ns : llround(1e9 * options->integration_step_s);
  status = build(new, error);
  if (status != STATUS_OK) {
    sim_destroy(new);
    return status;
  }
  *sim = new;
  return STATUS_OK;
}

void sim_destroy(struct sim *sim) {
  if (sim == NULL) {
    return;
  }
  for (int i = 0; i < SIM_STREAMS; i++) {
    delay_line_free(&sim->line[i]);
  }
  sim_skin_free(&sim->skin);
  truth_taker_free(&sim->taker);
  physics_free(&sim->physics);
  scenario_end(&sim->scenario);
  free(sim);
}

/* --- sensors --- */

static void sample_skin(struct sim *sim, double t, void *block) {
  const struct skin_sample out = skin_sample_in(block, sim->options.robot->n_cells);
  sim_read_skin(&sim->skin, t, sim->taker.velocity, sim->taker.acceleration, &out);
}

static void sample_wrench(struct sim *sim, double t, struct wrench_sample *out) {
  const struct robot *robot = sim->options.robot;
  for (size_t k = 0; k < robot->n_wrench; k++) {
    const struct force wrench_W = physics_contact_wrench(&sim->physics, (int)robot->wrench[k].link);
    const struct pose X_WL = physics_link_pose(&sim->physics, robot->wrench[k].link);
    out->wrench[k] = sim_read_wrench(&sim->sensors, k, t, &wrench_W, &X_WL);
  }
}

static void sample_imu(struct sim *sim, struct imu_sample *out) {
  const struct pose X_WL = physics_link_pose(&sim->physics, sim->options.robot->imu_link);
  sim_read_imu(&sim->sensors, sim->taker.velocity, sim->taker.acceleration, &X_WL, out);
}

/* Takes the samples that are due now. */
static void sample(struct sim *sim) {
  const double t = (double)sim->elapsed_ns / (double)ns_per_s;
  for (int i = 0; i < SIM_STREAMS; i++) {
    if (!delay_line_is_due(&sim->line[i], sim->elapsed_ns)) {
      continue;
    }
    void *block = delay_line_send(&sim->line[i], sim->options.t0_ns + sim->elapsed_ns);
    if (block == NULL) {
      continue;
    }
    switch ((enum sim_stream)i) {
    case SIM_JOINTS:
      sim_read_joints(&sim->sensors, &sim->taker.truth, block);
      break;
    case SIM_IMU:
      sample_imu(sim, block);
      break;
    case SIM_SKIN:
      sample_skin(sim, t, block);
      break;
    case SIM_WRENCH:
      sample_wrench(sim, t, block);
      break;
    case SIM_STREAMS:
      break;
    }
  }
}

/* Points the frame at the newest samples that have arrived. The delay lines own them; the frame
 * lends them out as const. */
static void receive(struct sim *sim) {
  struct sensor_frame *frame = &sim->frame;
  const struct robot *robot = sim->options.robot;
  const void *block[SIM_STREAMS];
  *frame = (struct sensor_frame){.t_ns = sim->options.t0_ns + sim->elapsed_ns};
  for (int i = 0; i < SIM_STREAMS; i++) {
    block[i] = delay_line_receive(&sim->line[i], frame->t_ns);
  }
  frame->joints.stamp = sim->line[SIM_JOINTS].stamp;
  frame->imu.stamp = sim->line[SIM_IMU].stamp;
  frame->skin.stamp = sim->line[SIM_SKIN].stamp;
  frame->wrench.stamp = sim->line[SIM_WRENCH].stamp;
  struct joint_sample *joints = (struct joint_sample *)(uintptr_t)block[SIM_JOINTS];
  if (joints != NULL) {
    frame->joints.q = joints->q;
    frame->joints.dq = sim->options.joints.has_velocity ? joints->dq : NULL;
    frame->joints.tau = sim->options.joints.has_effort ? joints->tau : NULL;
  }
  const struct imu_sample *imu = block[SIM_IMU];
  if (imu != NULL) {
    frame->imu.specific_force = imu->specific_force;
    frame->imu.angular_rate = imu->angular_rate;
    frame->imu.has_orientation = sim->options.imu.has_orientation;
    frame->imu.orientation = imu->orientation;
  }
  frame->skin.n_cells = robot->n_cells;
  if (block[SIM_SKIN] != NULL) {
    const struct skin_sample s = skin_sample_in((void *)(uintptr_t)block[SIM_SKIN], robot->n_cells);
    frame->skin.acceleration = s.acceleration;
    frame->skin.flags = s.flags;
    frame->skin.proximity = sim->options.skin.has_proximity ? s.proximity : NULL;
    frame->skin.force = sim->options.skin.has_force ? s.force : NULL;
  }
  struct wrench_sample *wrench = (struct wrench_sample *)(uintptr_t)block[SIM_WRENCH];
  frame->wrench.n_sensors = robot->n_wrench;
  frame->wrench.wrench = wrench != NULL ? wrench->wrench : NULL;
}

/* --- one instant --- */

static void carry_payload(struct sim *sim, double t) {
  const struct payload *payload = &sim->payload;
  if (!payload->exists) {
    return;
  }
  struct sim_truth *truth = &sim->taker.truth;
  truth->payload_attached = payload_is_attached(payload, t);
  truth->payload_link = payload->link;
  truth->payload = payload_inertia(payload, t);
  const struct inertia with =
      payload_added(&sim->options.robot->model.inertia[payload->link], &truth->payload);
  physics_set_inertia(&sim->physics, payload->link, &with);
}

static void move_held(struct sim *sim, double t) {
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < sim->options.robot->model.n_joints; j++) {
    const struct jet motion = scenario_motion(&sim->scenario, j, t);
    q[j] = motion.x;
    dq[j] = motion.dx;
    ddq[j] = motion.ddx;
  }
  physics_prescribe(&sim->physics, t, q, dq, ddq);
}

static void push(struct sim *sim) {
  const struct scenario_run *run = &sim->scenario;
  const struct pose X_WB = physics_link_pose(&sim->physics, 0);
  physics_push(&sim->physics, run->force_W, pose_apply(&X_WB, run->point_B));
}

/* The robot's controller and drives at t, `since` s after its last tick. */
static void move_free(struct sim *sim, double t, double since) {
  const double tick = (double)control_ns / (double)ns_per_s;
  physics_look(&sim->physics);
  if (since <= 0.0) {
    scenario_step(&sim->scenario, t, tick, &sim->taker.truth);
  }
  push(sim);
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS];
  scenario_reference(&sim->scenario, since, tick, q, dq);
  servo_step(&sim->servo, &sim->physics, q, dq);
  physics_forward(&sim->physics, sim->servo.tau);
}

/* Everything that belongs to this instant: forces, accelerations, truth, samples. */
static void live_instant(struct sim *sim) {
  const double t = (double)sim->elapsed_ns / (double)ns_per_s;
  const int64_t since_ns = sim->elapsed_ns % control_ns;
  if (since_ns == 0) {
    carry_payload(sim, t);
  }
  if (sim->holds_base) {
    move_held(sim, t);
  } else {
    move_free(sim, t, (double)since_ns / (double)ns_per_s);
  }
  if (since_ns == 0) {
    truth_take_links(&sim->taker, &sim->physics);
    truth_take(&sim->taker, &sim->physics, sim->options.t0_ns + sim->elapsed_ns);
    memcpy(sim->taker.truth.foot_planned, sim->scenario.planned, sizeof(sim->scenario.planned));
    sample(sim);
  }
}

enum status sim_step(struct sim *sim) {
  if (sim->begun &&
      (double)(sim->elapsed_ns + sim->frame_ns) / (double)ns_per_s > sim->duration_s + 0.5e-3) {
    return STATUS_OUT_OF_RANGE;
  }
  if (!sim->begun) {
    sim->begun = true;
    live_instant(sim);
    receive(sim);
    return STATUS_OK;
  }
  do {
    if (!sim->holds_base && !physics_integrate(&sim->physics)) {
      return STATUS_NOT_FINITE;
    }
    sim->elapsed_ns += sim->step_ns;
    live_instant(sim);
  } while (sim->elapsed_ns % sim->frame_ns != 0);
  receive(sim);
  return STATUS_OK;
}

const struct sensor_frame *sim_frame(const struct sim *sim) {
  return &sim->frame;
}

const struct sim_truth *sim_truth(const struct sim *sim) {
  return &sim->taker.truth;
}

const struct motion *sim_link_acceleration(const struct sim *sim) {
  return sim->taker.acceleration;
}

const struct motion *sim_link_velocity(const struct sim *sim) {
  return sim->taker.velocity;
}

double sim_duration(const struct sim *sim) {
  return sim->duration_s;
}
