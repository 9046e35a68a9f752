#include "support/inertial_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const motion_source_name[MOTION_SOURCES] = {"joint filter", "truth", "differences"};

/* -- settings --------------------------------------------------------------------------------- */

struct inertial_filter_settings as_printed(enum inertial_form form, enum inertial_gate gate) {
  struct inertial_filter_settings s = inertial_filter_defaults();
  s.core.form = form;
  s.core.iterations = 1;
  s.core.memory = false;
  s.core.drift = (struct inertial_spread){2.0, 0.02, 0.1};
  s.gate = gate;
  s.blank_s = gate == INERTIAL_GATE_HARD ? 0.04 : 0.0;
  s.detector.window = 0;
  s.correct_regressor = false;
  return s;
}

/* As the configuration of a robot with these sensors has it. */
static struct joint_filter_settings joints_for(const struct sim_options *options) {
  struct joint_filter_settings joints = joint_filter_defaults();
  joints.period_s = 1.0 / options->frame_rate_hz;
  joints.encoder_noise = hypot(options->joints.white, options->joints.quantum / sqrt(12.0));
  joints.gyro_noise = options->imu.rate_white;
  joints.accelerometer_noise = options->imu.force_white;
  return joints;
}

static struct sim_options inertial_run_options(const struct inertial_run *run, uint64_t seed) {
  const struct inertial_case *c = run->what;
  struct sim_options options = sim_defaults(run->stock.robot, run->stock.urdf, c->scenario);
  options.seed = seed;
  options.duration_s = c->end_s;
  options.rest_s = 3.0;
  options.amplitude = c->amplitude > 0.0 ? c->amplitude : 1.0;
  options.payload = c->load;
  options.payload.link = c->link;
  options.joints.has_effort = c->torques;
  options.joints.white = c->encoder_white;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = c->wrenches ? 1000.0 : 0.0;
  options.walk.strike_speed = c->strike_speed;
  return options;
}

/* -- building --------------------------------------------------------------------------------- */

static enum status build_ways(struct inertial_run *run, const struct sim_options *options,
                              struct arena *arena) {
  const struct robot *robot = run->stock.robot;
  struct pipeline_settings pipeline = pipeline_defaults();
  pipeline.joints = joints_for(options);
  const struct joint_layout layout = joint_layout_of(robot->model.n_joints, robot->fixed_base,
                                                     pipeline.joints.link_bias, robot->n_feet);
  enum status status = pipeline_init(&run->pipeline, robot, &pipeline, arena);
  for (int s = 0; s < MOTION_SOURCES && status == STATUS_OK; s++) {
    status = joint_history_init(&run->history[s], &layout, arena);
  }
  for (size_t w = 0; w < run->n_ways && status == STATUS_OK; w++) {
    struct inertial_settings settings = inertial_defaults();
    settings.n_links = 1;
    strcpy(settings.link[0], run->what->link);
    settings.filter = run->way[w].settings;
    status = inertial_estimator_init(&run->state[w].estimator, robot, &settings, arena);
  }
  return status;
}

void inertial_run_begin(struct inertial_run *run, const struct inertial_case *what,
                        const struct inertial_way *way, size_t n_ways, uint64_t seed) {
  struct message error;
  struct arena arena = {0};
  *run = (struct inertial_run){.what = what, .way = way, .n_ways = n_ways};
  if (stock_robot_load("humanoid30", "config/robots", &run->stock, &error) != STATUS_OK) {
    give_up("robot", error.text);
  }
  const struct sim_options options = inertial_run_options(run, seed);
  run->link = (size_t)inertial_link(run->stock.robot, what->link);
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      run->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(run->memory, arena.used);
    }
    if (build_ways(run, &options, &arena) != STATUS_OK) {
      give_up(what->name, "estimators refuse it");
    }
  }
  run->time = calloc(2 * RUN_PLOTTED, sizeof(double));
  run->truth = run->time + RUN_PLOTTED;
  for (size_t w = 0; w < n_ways; w++) {
    run->state[w].score = inertial_score_from(what->load.attach_s, 1.0 / options.frame_rate_hz);
    run->state[w].mass = calloc(2 * RUN_PLOTTED, sizeof(float));
    run->state[w].published = run->state[w].mass + RUN_PLOTTED;
  }
  if (sim_create(&run->sim, &options, &error) != STATUS_OK) {
    give_up("simulation", error.text);
  }
}

void inertial_run_end(struct inertial_run *run) {
  sim_destroy(run->sim);
  robot_destroy(run->stock.robot);
  for (size_t w = 0; w < run->n_ways; w++) {
    free(run->state[w].mass);
  }
  free(run->time);
  free(run->memory);
}

/* -- motions that are not the pipeline's ------------------------------------------------------ */

static void put_truth(struct inertial_run *run) {
  const struct sim_truth *truth = sim_truth(run->sim);
  struct past_motion motion = {.t_ns = truth->t_ns, .base = truth->base};
  double q[3][MODEL_MAX_JOINTS];
  const double *from[3] = {truth->q, truth->dq, truth->ddq};
  for (int i = 0; i < 3; i++) {
    memcpy(q[i], from[i], truth->n_joints * sizeof(double));
  }
  motion.q = q[0], motion.dq = q[1], motion.ddq = q[2];
  motion.base.X_WB = POSE_IDENTITY;
  motion.base.v_B.lin = VEC3_ZERO;
  joint_history_put(&run->history[FROM_TRUTH], &motion);
}

static void keep_raw(struct inertial_run *run, const struct sensor_frame *frame) {
  const struct robot *robot = run->stock.robot;
  struct raw_instant *now = &run->ring[run->taken++ % RUN_RING];
  now->t_ns = frame->t_ns;
  memcpy(now->q, frame->joints.q, robot->model.n_joints * sizeof(double));
  now->rate_B = mat3_mul_vec3(&robot->imu_placement.R, frame->imu.angular_rate);
  now->force_B = mat3_mul_vec3(&robot->imu_placement.R, frame->imu.specific_force);
  if (frame->wrench.stamp.present) {
    memcpy(now->wrench, frame->wrench.wrench, robot->n_wrench * sizeof(*now->wrench));
  }
}

static const struct raw_instant *raw_ago(const struct inertial_run *run, size_t ago) {
  return &run->ring[(run->taken - 1 - ago) % RUN_RING];
}

/* Second differences of encoders, first ones of the gyro, over RUN_SPAN samples on either side;
 * what they are of lies in the middle. */
static void put_differences(struct inertial_run *run) {
  if (run->taken <= 2 * RUN_SPAN) {
    return;
  }
  const struct robot *robot = run->stock.robot;
  const struct raw_instant *last = raw_ago(run, 0), *middle = raw_ago(run, RUN_SPAN),
                           *first = raw_ago(run, 2 * RUN_SPAN);
  const double h = 0.5e-9 * (double)(last->t_ns - first->t_ns);
  double q[3][MODEL_MAX_JOINTS];
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    q[0][j] = middle->q[j];
    q[1][j] = (last->q[j] - first->q[j]) / (2.0 * h);
    q[2][j] = (last->q[j] - 2.0 * middle->q[j] + first->q[j]) / (h * h);
  }
  const vec3 w = middle->rate_B, r = robot->imu_placement.p;
  const vec3 dw = vec3_scale(0.5 / h, vec3_sub(last->rate_B, first->rate_B));
  const vec3 of_lever = vec3_add(vec3_cross(dw, r), vec3_cross(w, vec3_cross(w, r)));
  const struct past_motion motion = {
      .t_ns = middle->t_ns,
      .q = q[0],
      .dq = q[1],
      .ddq = q[2],
      .base = {POSE_IDENTITY, {w, VEC3_ZERO}, {dw, vec3_sub(middle->force_B, of_lever)}}};
  joint_history_put(&run->history[FROM_DIFFERENCES], &motion);
}

/* -- stepping --------------------------------------------------------------------------------- */

static void step_way(struct inertial_run *run, size_t w, struct sensor_frame frame, bool strike) {
  const struct inertial_way *way = &run->way[w];
  struct way_state *state = &run->state[w];
  const size_t late = (size_t)lround(way->wrench_late_s / state->score.dt);
  struct joint_history *history =
      way->source == FROM_FILTER ? pipeline_history(run->pipeline) : &run->history[way->source];
  if (late > 0 && run->taken > late) {
    frame.wrench.wrench = run->ring[(run->taken - 1 - late) % RUN_RING].wrench;
  }
  inertial_estimator_step(state->estimator, &frame, history, strike, &state->out);
  if (state->out.result.n_links > 0 && state->out.status != PROPRIOD_STATUS_INIT) {
    inertial_score_take(&state->score, run->t, &state->out.result.link[0],
                        &sim_truth(run->sim)->inertia[run->link]);
  }
}

static void keep_for_plot(struct inertial_run *run) {
  if (run->taken % RUN_PLOT_EVERY != 0 || run->plotted == RUN_PLOTTED) {
    return;
  }
  run->time[run->plotted] = run->t;
  run->truth[run->plotted] = sim_truth(run->sim)->inertia[run->link].m;
  for (size_t w = 0; w < run->n_ways; w++) {
    struct way_state *state = &run->state[w];
    const struct inertial_link_estimate *link = &state->out.result.link[0];
    const bool told = state->out.status != PROPRIOD_STATUS_INIT;
    state->mass[run->plotted] = told ? (float)link->estimate.m : (float)NAN;
    state->published[run->plotted] = told ? (float)link->published.m : (float)NAN;
  }
  run->plotted++;
}

/* How far the joints between base and link have moved in the five seconds after the load. */
static void watch_swing(struct inertial_run *run) {
  const struct sim_truth *truth = sim_truth(run->sim);
  const double since = run->t - run->what->load.attach_s;
  if (since < 0.0 || since > 5.0) {
    return;
  }
  const bool first = !run->loaded;
  run->loaded = true;
  for (int link = (int)run->link; link > 0; link = run->stock.robot->model.parent[link]) {
    const size_t j = (size_t)link - 1;
    run->low[j] = first ? truth->q[j] : fmin(run->low[j], truth->q[j]);
    run->high[j] = first ? truth->q[j] : fmax(run->high[j], truth->q[j]);
    run->swing = fmax(run->swing, run->high[j] - run->low[j]);
  }
}

bool inertial_run_step(struct inertial_run *run) {
  if (sim_step(run->sim) != STATUS_OK) {
    return false;
  }
  const struct sensor_frame *frame = sim_frame(run->sim);
  run->t += run->taken > 0 ? 1e-9 * (double)(frame->t_ns - raw_ago(run, 0)->t_ns) : 0.0;
  keep_raw(run, frame);
  put_truth(run);
  put_differences(run);
  pipeline_step(run->pipeline, frame, &run->estimates);
  const struct propriod_centroidal *body = &run->estimates.centroidal;
  const bool strike =
      (body->estimated & PROPRIOD_CENTROIDAL_SUPPORT) != 0 && body->support_phase == SUPPORT_STRIKE;
  for (size_t w = 0; w < run->n_ways; w++) {
    step_way(run, w, *frame, strike);
  }
  keep_for_plot(run);
  watch_swing(run);
  run->fallen = run->fallen || sim_truth(run->sim)->fallen;
  return true;
}
