#include "support/centroidal_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const way_name[WAYS] = {"IMU only", "paper's form", "full, encoders", "full, skin"};

struct sim_options centroidal_run_options(const struct stock_robot *stock, const char *scenario,
                                          double rate_hz, uint64_t seed) {
  struct sim_options options = sim_defaults(stock->robot, stock->urdf, scenario);
  options.seed = seed;
  options.frame_rate_hz = rate_hz;
  options.joints.has_effort = false;
  for (int stream = 0; stream < PROPRIOD_SHM_STREAMS; stream++) {
    options.stream[stream].rate_hz = fmin(options.stream[stream].rate_hz, rate_hz);
  }
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0; /* without force sensors */
  if (rate_hz < 250.0) {
    options.joints.quantum = 2.0 * M_PI / 4096.0;
    options.stream[PROPRIOD_SHM_SKIN].latency_s = 0.0;
  } else {
    options.joints.white = 2e-4;
  }
  return options;
}

static double encoder_deviation(const struct sim_options *options) {
  return hypot(options->joints.white, options->joints.quantum / sqrt(12.0));
}

/* The pipeline as the daemon would have it, told of this simulation's sensors. */
static enum status build_pipeline(struct centroidal_run *run, enum way w, struct arena *arena) {
  struct pipeline_settings settings = pipeline_defaults();
  settings.period_s = run->dt;
  settings.joints.encoder_noise = encoder_deviation(&run->options);
  settings.joints.gyro_noise = run->options.imu.rate_white;
  settings.joints.accelerometer_noise = run->options.imu.force_white;
  settings.joints.window_s = fmax(settings.joints.window_s, 4.0 * run->dt);
  return pipeline_init(&run->pipeline[w], run->stock.robot, &settings, arena);
}

static enum status build_run(struct centroidal_run *run, bool skin, bool others,
                             struct arena *arena) {
  enum status status = skin ? build_pipeline(run, WAY_SKIN, arena) : STATUS_OK;
  if (status == STATUS_OK && others) {
    status = build_pipeline(run, WAY_ENCODERS, arena);
  }
  for (int w = WAY_IMU; w <= WAY_PAPER && status == STATUS_OK && others; w++) {
    struct centroidal_settings settings = centroidal_defaults();
    settings.posture.form.kind = w == WAY_IMU ? CENTROIDAL_IMU_ONLY : CENTROIDAL_PAPER;
    status = centroidal_init(&run->way[w], run->stock.robot, &settings, arena);
  }
  return status;
}

void centroidal_run_begin(struct centroidal_run *run, const struct stock_robot *stock,
                          const struct sim_options *options, bool skin,
                          const struct encoder_tuning *tuning) {
  struct message error;
  *run = (struct centroidal_run){
      .stock = *stock, .options = *options, .dt = 1.0 / options->frame_rate_hz};
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      run->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(run->memory, arena.used);
    }
    if (build_run(run, skin, tuning != NULL, &arena) != STATUS_OK) {
      give_up(options->robot->model.name, "estimators refuse it");
    }
  }
  run->encoders.robot = stock->robot;
  if (tuning != NULL) {
    run->encoders.tuning = *tuning;
  }
  struct sim_options seen = *options;
  seen.stream[PROPRIOD_SHM_SKIN].rate_hz *= skin; /* by no other way */
  if (sim_create(&run->sim, &seen, &error) != STATUS_OK) {
    give_up("simulation", error.text);
  }
}

/* Joints of encoders alone, on the base that the pipeline finds without skin. */
static void step_baselines(struct centroidal_run *run, const struct sensor_frame *frame) {
  const uint64_t base =
      run->state[WAY_ENCODERS].estimated &
      (PROPRIOD_STATE_BASE_ATTITUDE | PROPRIOD_STATE_BASE_VELOCITY | PROPRIOD_STATE_BASE_POSITION);
  run->state[WAY_IMU] = run->state[WAY_ENCODERS];
  encoder_motion_step(&run->encoders, frame, run->dt, &run->state[WAY_IMU]);
  run->state[WAY_IMU].estimated |= base;
  run->state[WAY_PAPER] = run->state[WAY_IMU];
  for (int w = WAY_IMU; w <= WAY_PAPER; w++) {
    centroidal_estimate_step(run->way[w], frame, run->stock.robot->model.inertia, NULL,
                             &run->state[w], &run->out[w]);
  }
}

bool centroidal_run_step(struct centroidal_run *run) {
  static struct estimates estimates;
  if (sim_step(run->sim) != STATUS_OK) {
    return false;
  }
  const struct sensor_frame *frame = sim_frame(run->sim);
  run->t = (double)(frame->t_ns - run->options.t0_ns) * 1e-9;
  for (int w = 0; w < WAYS; w++) {
    if (run->pipeline[w] != NULL) {
      struct sensor_frame seen = *frame;
      seen.skin.stamp.present = w == WAY_SKIN && frame->skin.stamp.present;
      seen.skin.stamp.fresh = w == WAY_SKIN && frame->skin.stamp.fresh;
      pipeline_step(run->pipeline[w], &seen, &estimates);
      run->state[w] = estimates.state;
      run->out[w] = estimates.centroidal;
    }
  }
  if (run->way[WAY_IMU] != NULL) {
    step_baselines(run, frame);
  }
  return true;
}

void centroidal_run_end(struct centroidal_run *run) {
  sim_destroy(run->sim);
  free(run->memory);
  run->sim = NULL;
}

vec3 to_true_world(const struct centroidal_run *run, int way, vec3 v) {
  const mat3 R = mat3_from_quat(run->state[way].quat_xyzw);
  const double yaw = mat3_to_rpy(&sim_truth(run->sim)->base.X_WB.R).z - mat3_to_rpy(&R).z;
  const mat3 turn = mat3_from_rpy((vec3){0.0, 0.0, yaw});
  return mat3_mul_vec3(&turn, v);
}

vec3 point_error(const struct centroidal_run *run, int way, vec3 estimate_W, vec3 true_W) {
  const struct sim_truth *truth = sim_truth(run->sim);
  const vec3 from_base =
      to_true_world(run, way, vec3_sub(estimate_W, run->state[way].base_position));
  return vec3_sub(from_base, vec3_sub(true_W, truth->base.X_WB.p));
}

struct encoder_tuning tune_encoders(const struct stock_robot *stock,
                                    const struct sim_options *options) {
  enum { MOST = 16000 };
  const size_t n = stock->robot->model.n_joints, columns = 2 * (n + 3);
  double *log = calloc(columns * MOST, sizeof(double));
  struct sim_options seen = *options;
  struct sim *sim;
  struct message error;
  seen.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0; /* encoders and gyro are tuned */
  if (log == NULL || sim_create(&sim, &seen, &error) != STATUS_OK) {
    give_up("tuning", log == NULL ? "no memory" : error.text);
  }
  size_t count = 0;
  while (count < MOST && sim_step(sim) == STATUS_OK) {
    const struct sensor_frame *frame = sim_frame(sim);
    const struct sim_truth *truth = sim_truth(sim);
    double gyro[3], alpha[3];
    vec3_to(mat3_mul_vec3(&stock->robot->imu_placement.R, frame->imu.angular_rate), gyro);
    vec3_to(truth->base.a_B.ang, alpha);
    for (size_t j = 0; j < n + 3; j++) {
      log[2 * j * MOST + count] = j < n ? frame->joints.q[j] : gyro[j - n];
      log[(2 * j + 1) * MOST + count] = j < n ? truth->ddq[j] : alpha[j - n];
    }
    count++;
  }
  const double dt = 1.0 / options->frame_rate_hz;
  struct encoder_tuning tuning = {.encoder_noise = encoder_deviation(options),
                                  .gyro_noise = options->imu.rate_white};
  for (size_t j = 0; j < n; j++) {
    tuning.joint[j] = best_density(log + 2 * j * MOST, log + (2 * j + 1) * MOST, count, 3, 2,
                                   tuning.encoder_noise, dt);
  }
  tuning.gyro = best_density(log + 2 * (n + 1) * MOST, log + (2 * (n + 1) + 1) * MOST, count, 2, 1,
                             tuning.gyro_noise, dt);
  sim_destroy(sim);
  free(log);
  return tuning;
}
