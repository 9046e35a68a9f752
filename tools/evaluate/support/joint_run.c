#include "support/joint_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const estimator_name[ESTIMATORS] = {"KF3",         "KF3 per joint", "KF4",
                                                "Butterworth", "zero phase",    "skin UKF"};

static double *joint_run_row(const struct joint_run *run, double *of, size_t j) {
  return of + j * run->n;
}

/* -- the filter ------------------------------------------------------------------------------- */

static void joint_run_or_die(bool fine, const char *what) {
  if (!fine) {
    fprintf(stderr, "joint_run: %s\n", what);
    exit(EXIT_FAILURE);
  }
}

static struct sim_options joint_run_sim(const struct joint_run_options *o,
                                        const struct stock_robot *stock) {
  struct sim_options sim = sim_defaults(stock->robot, stock->urdf, o->scenario);
  sim_make_ideal(&sim);
  sim.seed = o->seed;
  sim.duration_s = o->seconds;
  sim.frame_rate_hz = o->rate_hz;
  sim.rest_s = 0.3;
  sim.walk.strike_speed = o->strike_speed > 0.0 ? o->strike_speed : sim.walk.strike_speed;
  sim.stream[PROPRIOD_SHM_JOINTS] = sim.stream[PROPRIOD_SHM_IMU] =
      (struct sim_stream_options){.rate_hz = o->rate_hz};
  sim.stream[PROPRIOD_SHM_SKIN] =
      (struct sim_stream_options){.rate_hz = o->skin_hz, .latency_s = o->skin_delay_s};
  sim.joints.white = o->encoder_noise;
  sim.imu.force_white = 0.05;
  sim.imu.rate_white = 5e-3;
  sim.imu.force_bias = 0.3 * o->imu_errors;
  sim.imu.rate_bias = 0.03 * o->imu_errors;
  sim.skin.white = 0.34;
  sim.skin.bias = 0.1 * o->skin_errors;
  sim.skin.scale = 0.02 * o->skin_errors;
  sim.skin.orientation = 2.0 * M_PI / 180.0 * o->skin_errors;
  return sim;
}

static struct pipeline *joint_run_pipeline(const struct joint_run_options *o,
                                           const struct robot *robot, void **memory) {
  struct pipeline_settings settings = pipeline_defaults();
  settings.period_s = 1.0 / o->rate_hz;
  settings.joints.encoder_noise = o->encoder_noise;
  settings.joints.window_s = fmax(4.0 / o->rate_hz, 2.0 * o->skin_delay_s);
  struct pipeline *pipeline = NULL;
  struct arena count = {0};
  pipeline_init(&pipeline, robot, &settings, &count);
  *memory = aligned_alloc(ARENA_ALIGN, count.used);
  struct arena arena = arena_over(*memory, count.used);
  joint_run_or_die(pipeline_init(&pipeline, robot, &settings, &arena) == STATUS_OK,
                   "the pipeline refuses its settings");
  return pipeline;
}

static double *joint_run_series(const struct joint_run *run) {
  double *series = calloc(run->n_joints * run->n, sizeof(double));
  joint_run_or_die(series != NULL, "out of memory");
  return series;
}

static void joint_run_allocate(struct joint_run *run) {
  run->t = calloc(run->n, sizeof(double));
  run->at_skin = calloc(run->n, sizeof(bool));
  run->encoder = joint_run_series(run);
  run->ddq_sd = joint_run_series(run);
  for (int d = 0; d < DERIVATIVES; d++) {
    run->truth[d] = joint_run_series(run);
    for (int e = 0; e < ESTIMATORS; e++) {
      run->estimate[e][d] = joint_run_series(run);
    }
  }
}

/* Cells of the links that lose their skin are marked invalid in place: the frame is the
 * simulator's, who writes it anew with each sample. */
static void joint_run_lose_skin(const struct joint_run_options *o, const struct robot *robot,
                                const struct sensor_frame *frame, double t) {
  if (o->no_skin_from_link == 0 || t < o->no_skin_s || !frame->skin.stamp.fresh) {
    return;
  }
  for (size_t k = 0; k < robot->n_cells; k++) {
    if (robot->cell[k].link >= o->no_skin_from_link) {
      frame->skin.flags[k] = 0;
    }
  }
}

static void joint_run_note(struct joint_run *run, size_t k, const struct sensor_frame *frame,
                           const struct sim_truth *truth, const struct propriod_state *out) {
  run->at_skin[k] = frame->skin.stamp.fresh;
  for (size_t j = 0; j < run->n_joints; j++) {
    joint_run_row(run, run->encoder, j)[k] = frame->joints.q[j];
    joint_run_row(run, run->truth[OF_Q], j)[k] = truth->q[j];
    joint_run_row(run, run->truth[OF_DQ], j)[k] = truth->dq[j];
    joint_run_row(run, run->truth[OF_DDQ], j)[k] = truth->ddq[j];
    joint_run_row(run, run->estimate[BY_FILTER][OF_Q], j)[k] = out->q[j];
    joint_run_row(run, run->estimate[BY_FILTER][OF_DQ], j)[k] = out->dq[j];
    joint_run_row(run, run->estimate[BY_FILTER][OF_DDQ], j)[k] = out->ddq[j];
    joint_run_row(run, run->ddq_sd, j)[k] = out->ddq_sd[j];
  }
  run->nis_encoders += k >= run->from ? out->nis_encoders / (double)(run->n - run->from) : 0.0;
  run->nis_skin += k >= run->from ? out->nis_skin / (double)(run->n - run->from) : 0.0;
}

/* -- the others ------------------------------------------------------------------------------- */

/* Squared error of ddq of one joint by one density. */
static double joint_run_kalman(struct joint_run *run, unsigned order, double density, double noise,
                               size_t j, enum estimator keep) {
  const double *q = joint_run_row(run, run->encoder, j),
               *truth = joint_run_row(run, run->truth[OF_DDQ], j);
  struct encoder_kalman kf = encoder_kalman_start(order, density, noise, run->dt, q[0]);
  double sum = 0.0;
  for (size_t k = 1; k < run->n; k++) {
    encoder_kalman_step(&kf, q[k]);
    if (keep < ESTIMATORS) {
      for (int d = 0; d < DERIVATIVES; d++) {
        joint_run_row(run, run->estimate[keep][d], j)[k] = kf.x[d];
      }
    }
    sum += k >= run->from ? (kf.x[2] - truth[k]) * (kf.x[2] - truth[k]) : 0.0;
  }
  return sum;
}

/* Half a decade apart; the optimum is flat. */
enum { DENSITIES = 29 };
static double joint_run_density(int i) {
  return pow(10.0, -2.0 + 0.5 * i);
}

static void joint_run_best(struct joint_run *run, unsigned order, double noise, bool each_joint,
                           enum estimator keep) {
  double all_best = HUGE_VAL, all_density = 1.0;
  double best[MODEL_MAX_JOINTS], density[MODEL_MAX_JOINTS];
  for (int i = 0; i < DENSITIES; i++) {
    double all = 0.0;
    for (size_t j = 0; j < run->n_joints; j++) {
      const double e = joint_run_kalman(run, order, joint_run_density(i), noise, j, ESTIMATORS);
      all += e;
      if (i == 0 || e < best[j]) {
        best[j] = e;
        density[j] = joint_run_density(i);
      }
    }
    if (all < all_best) {
      all_best = all;
      all_density = joint_run_density(i);
    }
  }
  for (size_t j = 0; j < run->n_joints; j++) {
    joint_run_kalman(run, order, each_joint ? density[j] : all_density, noise, j, keep);
  }
}

/* Velocity and acceleration as central differences; the causal form knows them one sample late. */
static void joint_run_differences(struct joint_run *run, enum estimator by, size_t j, size_t late) {
  const double *q = joint_run_row(run, run->estimate[by][OF_Q], j);
  double *dq = joint_run_row(run, run->estimate[by][OF_DQ], j),
         *ddq = joint_run_row(run, run->estimate[by][OF_DDQ], j);
  for (size_t k = 1; k + 1 < run->n; k++) {
    dq[k + late] = (q[k + 1] - q[k - 1]) / (2.0 * run->dt);
    ddq[k + late] = (q[k + 1] - 2.0 * q[k] + q[k - 1]) / (run->dt * run->dt);
  }
}

static void joint_run_low_pass(struct joint_run *run) {
  const struct butterworth3 f = butterworth3_design(15.0, 1.0 / run->dt);
  for (size_t j = 0; j < run->n_joints; j++) {
    const double *q = joint_run_row(run, run->encoder, j);
    double *once = joint_run_row(run, run->estimate[BY_BUTTERWORTH][OF_Q], j);
    double *twice = joint_run_row(run, run->estimate[BY_ZERO_PHASE][OF_Q], j);
    butterworth3_run(&f, q, once, run->n, 1);
    butterworth3_run(&f, once, twice, run->n, -1);
    joint_run_differences(run, BY_BUTTERWORTH, j, 1);
    joint_run_differences(run, BY_ZERO_PHASE, j, 0);
  }
}

static void joint_run_place_limbs(const struct joint_run_options *o, struct robot *robot) {
  for (const char *const *name = o->limb; name != NULL && *name != NULL; name++) {
    const int link = model_find_link(&robot->model, *name);
    joint_run_or_die(link >= 0 && robot->n_limbs < ROBOT_MAX_LIMBS, "no link for an IMU");
    robot->limb[robot->n_limbs++] =
        (struct model_frame){.link = (size_t)link, .placement = {MAT3_IDENTITY, o->limb_place}};
  }
}

/* -- all together ----------------------------------------------------------------------------- */

struct joint_run joint_run_of(const struct joint_run_options *o) {
  struct stock_robot stock;
  struct message error;
  joint_run_or_die(stock_robot_load(o->robot, "config/robots", &stock, &error) == STATUS_OK,
                   "the robot does not load");
  stock.robot->fixed_base = o->fixed_base;
  joint_run_place_limbs(o, stock.robot);
  const struct sim_options options = joint_run_sim(o, &stock);
  struct sim *sim = NULL;
  if (sim_create(&sim, &options, &error) != STATUS_OK) {
    joint_run_or_die(false, error.text);
  }
  void *memory;
  struct pipeline *pipeline = joint_run_pipeline(o, stock.robot, &memory);
  struct joint_run run = {.n_joints = stock.robot->model.n_joints,
                          .n = (size_t)(o->seconds * o->rate_hz),
                          .from = (size_t)(o->score_from_s * o->rate_hz),
                          .dt = 1.0 / o->rate_hz};
  joint_run_allocate(&run);
  static struct estimates out;
  size_t k = 0;
  for (; k < run.n && sim_step(sim) == STATUS_OK; k++) {
    run.t[k] = (double)k * run.dt;
    joint_run_lose_skin(o, stock.robot, sim_frame(sim), run.t[k]);
    pipeline_step(pipeline, sim_frame(sim), &out);
    joint_run_note(&run, k, sim_frame(sim), sim_truth(sim), &out.state);
  }
  joint_run_or_die(k == run.n, "the simulation ended early");
  run.counters = *pipeline_counters(pipeline);
  joint_run_best(&run, 3, o->encoder_noise, false, BY_KF3);
  joint_run_best(&run, 3, o->encoder_noise, true, BY_KF3_JOINT);
  joint_run_best(&run, 4, o->encoder_noise, false, BY_KF4);
  joint_run_low_pass(&run);
  sim_destroy(sim);
  free(memory);
  robot_destroy(stock.robot);
  return run;
}

void joint_run_free(struct joint_run *run) {
  free(run->t);
  free(run->at_skin);
  free(run->encoder);
  free(run->ddq_sd);
  for (int d = 0; d < DERIVATIVES; d++) {
    free(run->truth[d]);
    for (int e = 0; e < ESTIMATORS; e++) {
      free(run->estimate[e][d]);
    }
  }
}

/* -- figures ---------------------------------------------------------------------------------- */

double joint_run_rms(const struct joint_run *run, enum estimator by, enum derivative of,
                     size_t from_joint, bool at_skin_only) {
  double sum = 0.0;
  size_t count = 0;
  for (size_t j = from_joint; j < run->n_joints; j++) {
    for (size_t k = run->from; k < run->n; k++) {
      if (!at_skin_only || run->at_skin[k]) {
        const double e = run->estimate[by][of][j * run->n + k] - run->truth[of][j * run->n + k];
        sum += e * e;
        count++;
      }
    }
  }
  return sqrt(sum / (double)count);
}

double joint_run_best_encoder(const struct joint_run *run) {
  const double a = joint_run_rms(run, BY_KF3, OF_DDQ, 0, false),
               b = joint_run_rms(run, BY_KF3_JOINT, OF_DDQ, 0, false),
               c = joint_run_rms(run, BY_KF4, OF_DDQ, 0, false);
  return fmin(a, fmin(b, c));
}

double joint_run_nees(const struct joint_run *run) {
  double sum = 0.0;
  for (size_t j = 0; j < run->n_joints; j++) {
    for (size_t k = run->from; k < run->n; k++) {
      const size_t i = j * run->n + k;
      const double e = run->estimate[BY_FILTER][OF_DDQ][i] - run->truth[OF_DDQ][i];
      sum += e * e / (run->ddq_sd[i] * run->ddq_sd[i]);
    }
  }
  return sum / (double)(run->n_joints * (run->n - run->from));
}

/* Mean square over joints of estimate(t) - truth(t - lag samples). */
static double joint_run_mismatch(const struct joint_run *run, enum estimator by, enum derivative of,
                                 ptrdiff_t lag) {
  enum { MARGIN = 64 };
  double sum = 0.0;
  for (size_t j = 0; j < run->n_joints; j++) {
    for (size_t k = run->from; k + MARGIN < run->n; k++) {
      const double e = run->estimate[by][of][j * run->n + k] -
                       run->truth[of][j * run->n + (size_t)((ptrdiff_t)k - lag)];
      sum += e * e;
    }
  }
  return sum;
}

double joint_run_lag(const struct joint_run *run, enum estimator by, enum derivative of) {
  enum { EARLIEST = -10, LATEST = 60 };
  ptrdiff_t best = EARLIEST;
  double least = HUGE_VAL;
  for (ptrdiff_t lag = EARLIEST; lag <= LATEST; lag++) {
    const double m = joint_run_mismatch(run, by, of, lag);
    if (m < least) {
      least = m;
      best = lag;
    }
  }
  const double before = joint_run_mismatch(run, by, of, best - 1),
               after = joint_run_mismatch(run, by, of, best + 1);
  const double bend = before - 2.0 * least + after;
  return run->dt * ((double)best + (bend > 0.0 ? 0.5 * (before - after) / bend : 0.0));
}

double joint_run_held_rms(const struct joint_run *run) {
  double sum = 0.0;
  for (size_t j = 0; j < run->n_joints; j++) {
    const double *truth = run->truth[OF_DDQ] + j * run->n;
    double held = truth[run->from];
    for (size_t k = run->from; k < run->n; k++) {
      held = run->at_skin[k] ? truth[k] : held;
      sum += (held - truth[k]) * (held - truth[k]);
    }
  }
  return sqrt(sum / (double)(run->n_joints * (run->n - run->from)));
}
