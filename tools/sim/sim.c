#include "sim.h"

#include "body_errors.h"
#include "payload.h"
#include "scenario.h"
#include "servo.h"
#include "sim_streams.h"
#include "soles.h"
#include "truth_taker.h"
#include "uneven_ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t ns_per_s = 1000000000;
static const int64_t control_ns = 1000000; /* the robot's own controller */

#define NARROW_SOLE    0.125 /* of the leg's length: the robot's own errors tip it over */
#define SETTLE_SECONDS 1.0   /* the robot sinks into its contacts before the scenario begins */

/* Integration steps where none is asked for: the usual one and the finest. */
static const int64_t usual_step_ns = 500000;
static const int64_t finest_step_ns = 31250;

struct sim {
  struct sim_options options;
  double duration_s;
  bool holds_base, begun;
  int64_t step_ns, sensor_ns, frame_ns; /* integration step, sensors' clock, frame period */
  int64_t elapsed_ns;                   /* since the scenario's start */
  int64_t t0_ns;                        /* the start, in the clock of the stamps */
  struct real_body body;                /* as it is, not as it is described */
  struct physics physics;
  struct truth_taker taker;
  struct scenario_run scenario;
  struct servo servo;
  struct payload payload[2]; /* the second is the first, handed over */
  struct sim_streams streams;
  struct sensor_frame frame;
};

/* -- building --------------------------------------------------------------------------------- */

static double given_or(double given, double nominal) {
  return given > 0.0 ? given : nominal;
}

/* The ground as asked for, with what the scenario and the walk put on it. */
static void lay_ground(const struct sim *sim, struct mjcf_options *options) {
  const struct sim_ground *ground = &sim->options.ground;
  options->contact_time_s = given_or(ground->time_s, scenario_contact_time(&sim->options));
  options->rebound = given_or(ground->damping, 1.0);
  options->friction = given_or(ground->friction, 1.0);
  options->n_blocks = scenario_blocks(&sim->scenario, options->block);
  if (options->n_blocks == 0 && sim->scenario.scenario->walks) {
    options->n_blocks =
        uneven_ground_lay(ground, &sim->scenario.walk.pattern, options->friction, sim->options.seed,
                          MJCF_MAX_BLOCKS, options->block, &options->ground_z);
  } else if (options->n_blocks == 0 && sim->scenario.scenario->trots) {
    options->n_blocks = strips_lay(&sim->scenario.trot.ground, options->friction, options->block,
                                   &options->ground_z);
  }
}

static enum status make_physics(struct sim *sim, struct message *error) {
  const struct robot *robot = &sim->body.robot;
  struct shapes shapes = {0};
  if (!sim->holds_base) {
    if (sim->options.urdf_path == NULL) {
      message_set(error, "scenario %s needs the URDF's path for its collision shapes",
                  sim->options.scenario);
      return STATUS_BAD_ARGUMENT;
    }
    enum status status = shapes_read(sim->options.urdf_path, &robot->model, &shapes, error);
    status = status == STATUS_OK ? soles_add(&shapes, robot, sim->scenario.leg_length) : status;
    if (status != STATUS_OK) {
      shapes_free(&shapes);
      return status;
    }
  }
  sim->scenario.walk.feels = soles_width(&shapes, robot) < NARROW_SOLE * sim->scenario.leg_length;
  struct mjcf_options options = {.step_s = (double)sim->step_ns / (double)ns_per_s,
                                 .hold_base = sim->holds_base,
                                 .gravity = {-STANDARD_GRAVITY * sin(sim->options.ground.ramp), 0.0,
                                             -STANDARD_GRAVITY * cos(sim->options.ground.ramp)},
                                 .shapes = &shapes};
  lay_ground(sim, &options);
  const enum status status = physics_init(&sim->physics, robot, &options, error);
  shapes_free(&shapes);
  return status;
}

/* Light arms, whose drives' rotors nobody has described, need a finer step. */
static void refine_step(struct sim *sim) {
  const struct scenario_run *run = &sim->scenario;
  const double longest = servo_longest_step(&sim->physics, run->posture.is_leg) * (double)ns_per_s;
  while ((double)sim->step_ns > longest && sim->step_ns > finest_step_ns) {
    sim->step_ns /= 2;
  }
  sim->physics.m->opt.timestep = (double)sim->step_ns / (double)ns_per_s;
}

/* Lets the robot sink into its contacts under its own weight. */
static void settle(struct sim *sim) {
  static const double still[MODEL_MAX_JOINTS] = {0.0};
  const struct scenario_run *run = &sim->scenario;
  const struct pose X_WB = {run->standing.R_WB, run->standing.base_W};
  physics_place(&sim->physics, &X_WB, run->q);
  physics_look(&sim->physics);
  if (!(sim->options.integration_step_s > 0.0) && sim->step_ns == usual_step_ns) {
    refine_step(sim);
  }
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
  truth_take(&sim->taker, &sim->physics, sim->t0_ns);
}

/* What is carried, and what it is once another link has it. */
static enum status take_payloads(struct sim *sim, struct message *error) {
  const struct model *model = &sim->options.robot->model;
  struct sim_payload load = sim->scenario.options.payload;
  const enum status status = payload_init(&sim->payload[0], &load, model, error);
  load.link = load.release_s > 0.0 ? load.handed_to : NULL;
  load.attach_s = load.release_s;
  load.release_s = 0.0;
  return status == STATUS_OK ? payload_init(&sim->payload[1], &load, model, error) : status;
}

static enum status build(struct sim *sim, struct message *error) {
  enum status status = scenario_begin(&sim->scenario, &sim->options, error);
  if (status == STATUS_OK) {
    status = take_payloads(sim, error);
  }
  if (status == STATUS_OK) {
    status = real_body_init(&sim->body, &sim->options);
  }
  if (status == STATUS_OK) {
    status = make_physics(sim, error);
  }
  if (status == STATUS_OK) {
    status = truth_taker_init(&sim->taker, &sim->physics);
  }
  if (status == STATUS_OK) {
    status = sim_streams_init(&sim->streams, &sim->options);
  }
  if (status == STATUS_OK && !sim->holds_base) {
    settle(sim);
  }
  return status;
}

enum status sim_create(struct sim **sim, const struct sim_options *options, struct message *error) {
  enum status status = sim_options_check(options, error);
  struct sim *new = status == STATUS_OK ? calloc(1, sizeof(*new)) : NULL;
  if (new == NULL) {
    return status != STATUS_OK ? status : STATUS_NO_MEMORY;
  }
  new->options = *options;
  new->t0_ns = options->t0_ns;
  new->holds_base = sim_scenario_holds_base(options->scenario);
  new->duration_s = options->duration_s > 0.0 ? options->duration_s
                                              : scenario_find(options->scenario)->duration_s;
  new->frame_ns = llround(1e9 / options->frame_rate_hz);
  new->sensor_ns = llround(1e9 * sim_sensor_period(options));
  new->step_ns = options->integration_step_s > 0.0 ? llround(1e9 * options->integration_step_s)
                                                   : usual_step_ns;
  if (new->holds_base || new->sensor_ns % new->step_ns != 0) {
    new->step_ns = new->sensor_ns;
  }
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
  sim_streams_free(&sim->streams);
  truth_taker_free(&sim->taker);
  physics_free(&sim->physics);
  real_body_free(&sim->body);
  scenario_end(&sim->scenario);
  free(sim);
}

/* -- one instant ------------------------------------------------------------------------------ */

static void carry_payload(struct sim *sim, double t) {
  struct sim_truth *truth = &sim->taker.truth;
  for (int k = 0; k < 2 && sim->payload[k].exists; k++) {
    const struct payload *payload = &sim->payload[k];
    const struct inertia load = payload_inertia(payload, t);
    const struct inertia with = payload_added(&sim->body.inertia[payload->link], &load);
    const bool attached = payload_is_attached(payload, t);
    if (k == 0 || attached) {
      truth->payload_attached = attached;
      truth->payload_link = payload->link;
      truth->payload = load;
    }
    physics_set_inertia(&sim->physics, payload->link, &with);
  }
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

/* A base that is held moves as prescribed, whatever was before: an instant that neither a sensor
 * nor a frame looks at need not be. */
static bool is_looked_at(const struct sim *sim) {
  return !sim->holds_base || sim->elapsed_ns % sim->frame_ns == 0 ||
         sim_streams_look(&sim->streams, sim->elapsed_ns);
}

/* Everything that belongs to this instant: forces, accelerations, truth, samples. */
static void live_instant(struct sim *sim) {
  const double t = (double)sim->elapsed_ns / (double)ns_per_s;
  const int64_t since_ns = sim->elapsed_ns % control_ns;
  if (since_ns == 0) {
    carry_payload(sim, t);
  }
  if (!is_looked_at(sim)) {
    return;
  }
  if (sim->holds_base) {
    move_held(sim, t);
  } else {
    move_free(sim, t, (double)since_ns / (double)ns_per_s);
  }
  if (sim->elapsed_ns % sim->sensor_ns == 0) {
    truth_take_links(&sim->taker, &sim->physics);
    truth_take(&sim->taker, &sim->physics, sim->t0_ns + sim->elapsed_ns);
    memcpy(sim->taker.truth.foot_planned, sim->scenario.planned, sizeof(sim->scenario.planned));
    sim_streams_sample(&sim->streams, &sim->physics, &sim->taker, sim->elapsed_ns, sim->t0_ns);
    const struct pose X_WL =
        truth_link_pose(&sim->taker, &sim->physics, sim->options.robot->imu_link);
    sim->taker.truth.gyro_bias = sim_gyro_at_rest(&sim->streams.sensors, &X_WL);
    truth_turn(&sim->taker);
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
    sim_streams_receive(&sim->streams, sim->t0_ns + sim->elapsed_ns, &sim->frame);
    return STATUS_OK;
  }
  do {
    if (!sim->holds_base && !physics_integrate(&sim->physics)) {
      return STATUS_NOT_FINITE;
    }
    sim->elapsed_ns += sim->step_ns;
    live_instant(sim);
  } while (sim->elapsed_ns % sim->frame_ns != 0);
  sim_streams_receive(&sim->streams, sim->t0_ns + sim->elapsed_ns, &sim->frame);
  return STATUS_OK;
}

const struct sensor_frame *sim_frame(const struct sim *sim) {
  return &sim->frame;
}

const struct sim_truth *sim_truth(const struct sim *sim) {
  return &sim->taker.world;
}

const struct motion *sim_link_acceleration(const struct sim *sim) {
  return sim->taker.acceleration;
}

const struct motion *sim_link_velocity(const struct sim *sim) {
  return sim->taker.velocity;
}

void sim_shift_clock(struct sim *sim, int64_t by_ns) {
  sim->t0_ns += by_ns;
}

double sim_duration(const struct sim *sim) {
  return sim->duration_s;
}
