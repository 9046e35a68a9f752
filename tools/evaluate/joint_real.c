/* The skin of a real iCub's leg in a slow sweep of the hip, through the product's own path with its
 * defaults: joint velocities against the encoders smoothed forwards and backwards, without skin,
 * with skin as it comes, and calibrated on the first half of the log. Judged on the second half. */
#include "report.h"
#include "settings/settings.h"
#include "support/butterworth.h"
#include "support/give_up.h"

#include "body/kinematics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENSORS = 11, JOINTS = 6, SAMPLES = 1990, WINDOW = 50 };

static const char folder[] = "../shared/data/icub_leg_skin_real";
static const double period_s = 0.01, taught_s = 10.0, judged_s = 10.5;
#define REFERENCE_HZ 8.0 /* of the smoothed encoders: the sweep is below 1 Hz */

static const char *const sensor_name[SENSORS] = {
    "r_upper_leg_mtb_acc_11b1",  "r_upper_leg_mtb_acc_11b2", "r_upper_leg_mtb_acc_11b3",
    "r_upper_leg_mtb_acc_11b4",  "r_upper_leg_mtb_acc_11b5", "r_upper_leg_mtb_acc_11b6",
    "r_upper_leg_mtb_acc_11b7",  "r_lower_leg_mtb_acc_11b8", "r_lower_leg_mtb_acc_11b9",
    "r_lower_leg_mtb_acc_11b10", "r_lower_leg_mtb_acc_11b11"};
static const char *const joint_name[JOINTS] = {"r_hip_pitch", "r_hip_roll",    "r_hip_yaw",
                                               "r_knee",      "r_ankle_pitch", "r_ankle_roll"};

enum way { NO_SKIN, RAW, CALIBRATED, TUNED, WAYS };
static const char *const way_name[WAYS] = {"without skin", "skin as it comes", "calibrated",
                                           "calibrated, noise as measured"};

static struct leg {
  double t_skin[SAMPLES], t[SAMPLES], q[JOINTS][SAMPLES]; /* s, rad */
  vec3 raw[SENSORS][SAMPLES];                             /* m/s^2 */
  double dq[JOINTS][SAMPLES];                             /* rad/s: the reference */
  size_t joint[JOINTS], cell[SENSORS];                    /* in the robot */
} leg;

/* -- the log ---------------------------------------------------------------------------------- */

static FILE *open_log(const char *name) {
  char path[256];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return fopen(path, "r");
}

static bool read_skin(void) {
  FILE *log = open_log("inertialMTB_data.log");
  bool fine = log != NULL;
  for (int i = 0; i < SAMPLES && fine; i++) {
    fine = fscanf(log, "%*d %lf %*f %*f", &leg.t_skin[i]) == 1;
    for (int s = 0; s < SENSORS + 1 && fine; s++) {
      double v[6];
      fine = fscanf(log, "%lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]) == 6;
      if (s < SENSORS) {
        leg.raw[s][i] = vec3_scale(STANDARD_GRAVITY / 16384.0, vec3_from(v + 3));
      }
    }
  }
  if (log != NULL) {
    fclose(log);
  }
  return fine;
}

static bool read_joints(void) {
  FILE *log = open_log("stateExt_o_data.log");
  bool fine = log != NULL;
  for (int i = 0; i < SAMPLES && fine; i++) {
    double q[JOINTS];
    fine = fscanf(log, "%*d %lf (%lf %lf %lf %lf %lf %lf)%*[^\n]", &leg.t[i], &q[0], &q[1], &q[2],
                  &q[3], &q[4], &q[5]) == 7;
    for (int j = 0; j < JOINTS; j++) {
      leg.q[j][i] = q[j] * M_PI / 180.0;
    }
  }
  if (log != NULL) {
    fclose(log);
  }
  return fine;
}

static void make_reference(void) {
  static double smooth[SAMPLES];
  const struct butterworth3 f = butterworth3_design(REFERENCE_HZ, 1.0 / period_s);
  for (int j = 0; j < JOINTS; j++) {
    butterworth3_run(&f, leg.q[j], smooth, SAMPLES, 1);
    butterworth3_run(&f, smooth, smooth, SAMPLES, -1);
    for (int i = 1; i + 1 < SAMPLES; i++) {
      leg.dq[j][i] = (smooth[i + 1] - smooth[i - 1]) / (leg.t[i + 1] - leg.t[i - 1]);
    }
  }
}

static struct robot *load(void) {
  struct robot_settings settings = {.cells = "urdf", .fixed_base = true};
  struct robot *robot;
  struct message error;
  snprintf(settings.urdf, sizeof(settings.urdf), "%s/iCubGenova02_sensors_calib.urdf", folder);
  if (robot_load(&settings, NULL, &robot, &error) != STATUS_OK) {
    give_up("icub", error.text);
  }
  for (int j = 0; j < JOINTS; j++) {
    leg.joint[j] = (size_t)model_find_joint(&robot->model, joint_name[j]);
  }
  for (int s = 0; s < SENSORS; s++) {
    size_t c = 0;
    while (c < robot->n_cells && strcmp(robot->cell[c].name, sensor_name[s]) != 0) {
      c++;
    }
    if (c == robot->n_cells) {
      give_up("the robot has no cell", sensor_name[s]);
    }
    leg.cell[s] = c;
  }
  return robot;
}

/* -- calibration ------------------------------------------------------------------------------ */

/* What a sensor at rest would read, cell frame, at the pose nearest to skin sample i. */
static vec3 expected_reading(struct kinematics *kin, const struct robot *robot, int s, int i) {
  static int at;
  double q[MODEL_MAX_JOINTS] = {0.0};
  while (at + 1 < SAMPLES && leg.t[at + 1] <= leg.t_skin[i]) {
    at++;
  }
  while (at > 0 && leg.t[at] > leg.t_skin[i]) {
    at--;
  }
  for (int j = 0; j < JOINTS; j++) {
    q[leg.joint[j]] = leg.q[j][at];
  }
  const struct skin_cell *cell = &robot->cell[leg.cell[s]];
  kinematics_update_position(kin, q);
  const vec3 up_L = mat3_tmul_vec3(&kin->X_BL[cell->link].R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
  return mat3_tmul_vec3(&cell->placement.R, up_L);
}

/* Fits every sensor to gravity over means of half a second of the first half; returns the scatter
 * that is left in the samples themselves, m/s^2: their noise in motion. */
static double calibrate(const struct robot *robot, struct accelerometer_calibration *fit) {
  const struct calibration_prior prior = {.bias = 1.0, .matrix = 0.1, .noise = 0.1};
  static struct kinematics kin;
  static vec3 raw[SAMPLES], expected[SAMPLES], now[SAMPLES];
  struct arena arena = {0};
  double squares = 0.0, count = 0.0;
  kinematics_init(&kin, &robot->model, &arena);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  kinematics_init(&kin, &robot->model, &arena);
  for (int s = 0; s < SENSORS; s++) {
    struct calibration_quality quality;
    size_t n = 0, taught = 0;
    while (n < SAMPLES && leg.t_skin[n] - leg.t_skin[0] < taught_s) {
      now[n] = expected_reading(&kin, robot, s, (int)n);
      n++;
    }
    for (size_t i = WINDOW; i + WINDOW < n; i += 5) {
      raw[taught] = expected[taught] = VEC3_ZERO;
      for (size_t k = i - WINDOW / 2; k <= i + WINDOW / 2; k++) {
        raw[taught] = vec3_axpy(raw[taught], 1.0 / (WINDOW + 1), leg.raw[s][k]);
        expected[taught] = vec3_axpy(expected[taught], 1.0 / (WINDOW + 1), now[k]);
      }
      taught++;
    }
    struct accelerometer_calibration *own = &fit[leg.cell[s]];
    if (accelerometer_fit_with_prior(raw, expected, taught, &prior, own, &quality) != STATUS_OK ||
        quality.residual_after > 0.3) {
      *own = CALIBRATION_IDENTITY; /* as proprioctl calibrate leaves it: the dead one */
      continue;
    }
    for (size_t i = 0; i < n; i++) {
      const vec3 e = vec3_sub(accelerometer_apply(own, leg.raw[s][i]), now[i]);
      squares += vec3_dot(e, e);
      count += 3.0;
    }
  }
  free(arena.base);
  return sqrt(squares / count);
}

/* -- a run ------------------------------------------------------------------------------------ */

static struct pipeline *make_pipeline(const struct robot *robot, double cell_noise, void **memory) {
  static struct settings settings;
  struct pipeline *pipeline = NULL;
  struct arena arena = {0};
  settings_defaults(&settings);
  settings.pipeline.period_s = period_s;
  if (cell_noise > 0.0) {
    settings.pipeline.joints.cell_noise = cell_noise;
  }
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      *memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(*memory, arena.used);
    }
    if (pipeline_init(&pipeline, robot, &settings.pipeline, &arena) != STATUS_OK) {
      give_up("icub", "the pipeline refuses it");
    }
  }
  return pipeline;
}

static struct stream_stamp stamp_at(double t_s, size_t number) {
  return (struct stream_stamp){.present = true,
                               .fresh = true,
                               .seq = number,
                               .t_ns = 1000000000 + (int64_t)llround(1e9 * (t_s - leg.t[0]))};
}

struct outcome {
  double dq, worst; /* rad/s: RMS and largest error of a velocity of the leg */
  double ok;        /* share of samples */
  uint32_t resets;
};

static struct outcome run(const struct robot *robot, enum way way, double cell_noise) {
  static struct estimates estimates;
  double q[MODEL_MAX_JOINTS] = {0.0};
  float *acceleration = calloc(3 * robot->n_cells, sizeof(float));
  uint8_t *flags = calloc(robot->n_cells, 1);
  void *memory = NULL;
  struct pipeline *pipeline = make_pipeline(robot, cell_noise, &memory);
  struct outcome outcome = {.dq = 0.0};
  double n = 0.0, rows = 0.0;
  int next = 0;
  for (int i = 0; i < SAMPLES; i++) {
    for (int j = 0; j < JOINTS; j++) {
      q[leg.joint[j]] = leg.q[j][i];
    }
    struct sensor_frame frame = {.joints = {.stamp = stamp_at(leg.t[i], (size_t)i + 1), .q = q}};
    frame.t_ns = frame.joints.stamp.t_ns;
    frame.skin = (struct skin_reading){
        .n_cells = robot->n_cells, .acceleration = acceleration, .flags = flags};
    for (; way != NO_SKIN && next < SAMPLES && leg.t_skin[next] <= leg.t[i]; next++) {
      frame.skin.stamp = stamp_at(leg.t_skin[next], (size_t)next + 1);
      for (int s = 0; s < SENSORS; s++) {
        float *a = &acceleration[3 * leg.cell[s]];
        a[0] = (float)leg.raw[s][next].x;
        a[1] = (float)leg.raw[s][next].y;
        a[2] = (float)leg.raw[s][next].z;
        flags[leg.cell[s]] = CELL_VALID;
      }
    }
    pipeline_step(pipeline, &frame, &estimates);
    rows += 1.0;
    outcome.ok += estimates.state.status == PROPRIOD_STATUS_OK;
    outcome.resets = (uint32_t)estimates.state.resets;
    for (int j = 0; j < JOINTS && leg.t[i] - leg.t[0] > judged_s && i + WINDOW < SAMPLES; j++) {
      const double e = estimates.state.dq[leg.joint[j]] - leg.dq[j][i];
      outcome.dq += e * e;
      outcome.worst = fmax(outcome.worst, fabs(e));
      n += 1.0;
    }
  }
  outcome.dq = sqrt(outcome.dq / n);
  outcome.ok /= rows;
  free(memory);
  free(acceleration);
  free(flags);
  return outcome;
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : "build/evaluate", "joint_real", "The skin of a real leg");
  if (!read_skin() || !read_joints()) {
    report_text(report, "%s is not here: skipped.", folder);
    return report_close(report);
  }
  struct robot *robot = load();
  struct accelerometer_calibration *fit = calloc(robot->n_cells, sizeof(*fit));
  struct outcome of[WAYS];
  make_reference();
  for (size_t c = 0; c < robot->n_cells; c++) {
    fit[c] = CALIBRATION_IDENTITY;
  }
  const double noise = calibrate(robot, fit);
  for (int w = 0; w < WAYS; w++) {
    struct robot fitted = *robot;
    fitted.calibration = w >= CALIBRATED ? fit : NULL;
    of[w] = run(&fitted, (enum way)w, w == TUNED ? noise : 0.0);
  }
  report_text(
      report,
      "An iCub's right leg, six encoders and eleven accelerometers (one dead) at 100 Hz, "
      "defaults; calibrated against gravity on the first ten seconds, where samples scatter "
      "by %.2f m/s² about it; judged on the last nine.",
      noise);
  struct table *table = table_create("Velocity of the leg's joints against smoothed encoders",
                                     "way", "rms (rad/s)", "worst", "ok (%)", "resets", NULL);
  for (int w = 0; w < WAYS; w++) {
    table_row(table, way_name[w]);
    table_number(table, "%.4f", of[w].dq);
    table_number(table, "%.3f", of[w].worst);
    table_number(table, "%.1f", 100.0 * of[w].ok);
    table_number(table, "%.0f", of[w].resets);
  }
  report_table(report, table);
  report_at_most(report, "velocity with skin as it comes, times without",
                 of[RAW].dq / of[NO_SKIN].dq, 1.05, "");
  report_at_most(report, "velocity with calibrated skin, times without",
                 of[CALIBRATED].dq / of[NO_SKIN].dq, 1.0, "");
  report_at_most(report, "velocity with calibrated skin, noise as measured, times without",
                 of[TUNED].dq / of[NO_SKIN].dq, 1.0, "");
  free(fit);
  robot_destroy(robot);
  return report_close(report);
}
