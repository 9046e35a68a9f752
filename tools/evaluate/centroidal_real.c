/* A real iCub that walks: base velocity against motion capture, lateral centre of pressure against
 * the feet's force split. Encoders and IMU at 100 Hz only. */
#include "body/frames.h"
#include "report.h"
#include "support/centroidal_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 128, MOST_ROWS = 4000 };

static const char folder[] = "../shared/data/icub_walking_real";
static const double from_s = 5.5, to_s = 11.7, jump_s = 8.37, jump_half_s = 0.15;

static struct log {
  size_t n_columns, n;
  char name[MOST_COLUMNS][48];
  double value[MOST_ROWS][MOST_COLUMNS];
} log_;

static bool read_log(void) {
  char path[256];
  static char line[8192];
  snprintf(path, sizeof(path), "%s/walking.csv", folder);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return false;
  }
  while (log_.n < MOST_ROWS && fgets(line, sizeof(line), file) != NULL) {
    char *rest = line;
    size_t column = 0;
    for (char *word; column < MOST_COLUMNS && (word = strsep(&rest, ",\r\n")) != NULL;) {
      if (log_.n_columns == 0) {
        snprintf(log_.name[column++], sizeof(log_.name[0]), "%s", word);
      } else if (*word != '\0') {
        log_.value[log_.n][column++] = strtod(word, NULL);
      }
    }
    if (log_.n_columns == 0) {
      log_.n_columns = column;
    } else {
      log_.n++;
    }
  }
  fclose(file);
  return log_.n > 0;
}

static size_t column(const char *name) {
  for (size_t c = 0; c < log_.n_columns; c++) {
    if (strcmp(log_.name[c], name) == 0) {
      return c;
    }
  }
  give_up("walking.csv has no column", name);
  return 0;
}

static vec3 at3(size_t row, const char *first) {
  const size_t c = column(first);
  return vec3_from(&log_.value[row][c]);
}

/* The recording as the sensors would have brought it. */
static struct replay {
  struct sensor_frame frame;
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS];
} replay;

static void take_row(const struct robot *robot, size_t row) {
  struct sensor_frame *frame = &replay.frame;
  const int64_t t_ns = 1000000000 + (int64_t)llround(1e9 * log_.value[row][column("t")]);
  const struct stream_stamp stamp = {.present = true, .fresh = true, .seq = row + 1, .t_ns = t_ns};
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    char name[80];
    snprintf(name, sizeof(name), "q_%s", robot->model.joint[j].name);
    bool found = false;
    for (size_t c = 0; c < log_.n_columns && !found; c++) {
      found = strcmp(log_.name[c], name) == 0;
      replay.q[j] = found ? log_.value[row][c] : 0.0;
    }
  }
  frame->t_ns = t_ns;
  frame->joints = (struct joints_reading){.stamp = stamp, .q = replay.q};
  frame->imu = (struct imu_reading){.stamp = stamp,
                                    .specific_force = at3(row, "imu_acc_x"),
                                    .angular_rate = at3(row, "imu_gyro_x")};
}

/* Velocity of the base by motion capture: central differences of its position over 80 ms, in axes
 * of the captured base's yaw. */
static vec3 captured_velocity(size_t row) {
  const size_t half = 4;
  const double dt = log_.value[row + half][column("t")] - log_.value[row - half][column("t")];
  const vec3 v =
      vec3_scale(1.0 / dt, vec3_sub(at3(row + half, "base_pos_x"), at3(row - half, "base_pos_x")));
  const mat3 turn = mat3_from_rpy((vec3){0.0, 0.0, -at3(row, "base_rpy_x").z});
  return mat3_mul_vec3(&turn, v);
}

static bool masked(double t) {
  return t < from_s || t > to_s || fabs(t - jump_s) < jump_half_s;
}

/* Sums for a correlation and a mean error. */
struct pairs {
  double n, x, y, xx, yy, xy, error;
};
static void pair_add(struct pairs *p, double x, double y) {
  p->n += 1.0;
  p->x += x;
  p->y += y;
  p->xx += x * x;
  p->yy += y * y;
  p->xy += x * y;
  p->error += fabs(x - y);
}
static double correlation(const struct pairs *p) {
  return (p->n * p->xy - p->x * p->y) /
         sqrt((p->n * p->xx - p->x * p->x) * (p->n * p->yy - p->y * p->y));
}

static struct curves {
  size_t n;
  double t[MOST_ROWS], v[3][MOST_ROWS], true_v[3][MOST_ROWS], cop[MOST_ROWS], split[MOST_ROWS];
} curves;

static struct robot *load(void) {
  struct robot_settings settings = {
      .imu = "root_link_imu_frame", .n_feet = 2, .foot = {"l_sole", "r_sole"}};
  struct robot *robot;
  struct message error;
  snprintf(settings.urdf, sizeof(settings.urdf), "%s/model.urdf", folder);
  if (robot_load(&settings, NULL, &robot, &error) != STATUS_OK) {
    give_up("icub", error.text);
  }
  return robot;
}

static struct encoder_tuning real_tuning(const struct robot *robot) {
  struct encoder_tuning tuning = {
      .gyro = 1e2, .encoder_noise = 4e-4, .gyro_noise = 0.01}; /* 12 bits; MEMS */
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    tuning.joint[j] = 40.0; /* about 8 Hz of ddq, as slow as this walk */
  }
  return tuning;
}

/* The feet's force split: the lateral point between the soles by what they carry, world. */
static double split_of(const struct centroidal_estimator *estimator, const struct robot *robot,
                       const struct pose *X_WB, size_t row) {
  const struct kinematics *kin = centroidal_kinematics(estimator);
  const double f[2] = {log_.value[row][column("left_foot_fz")],
                       log_.value[row][column("right_foot_fz")]};
  double y = 0.0;
  for (size_t foot = 0; foot < 2; foot++) {
    const struct pose X = frame_pose(kin, robot->foot[foot].link, &robot->foot[foot].placement);
    y += f[foot] / (f[0] + f[1]) * pose_apply(X_WB, X.p).y;
  }
  return y;
}

/* What was found, over the instants that count. */
static struct found {
  struct pairs velocity[3], cop;
  int touch_downs, slips;
} found;

/* Settings of this robot: soles that roll and encoders that are coarse. */
static struct centroidal_estimator *make_estimator(const struct robot *robot, void **memory) {
  struct centroidal_settings settings = centroidal_defaults();
  struct centroidal_estimator *estimator = NULL;
  struct arena arena = {0};
  settings.contacts.wrench.corner_hz = 4.0;
  settings.base.slip_speed = 0.2;
  settings.base.filter.foot_velocity = 0.3;
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      *memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(*memory, arena.used);
    }
    if (centroidal_init(&estimator, robot, &settings, &arena) != STATUS_OK) {
      give_up("icub", "the estimator refuses it");
    }
  }
  return estimator;
}

static void compare(const struct centroidal_estimator *estimator, const struct robot *robot,
                    const struct propriod_state *state, const struct propriod_centroidal *out,
                    size_t row) {
  const struct pose X_WB = {mat3_from_quat(state->quat_xyzw), state->base_position};
  const mat3 back = mat3_from_rpy((vec3){0.0, 0.0, -mat3_to_rpy(&X_WB.R).z});
  const size_t i = curves.n++;
  double v[3], truth[3];
  vec3_to(mat3_mul_vec3(&back, state->base_velocity), v);
  vec3_to(captured_velocity(row), truth);
  curves.t[i] = log_.value[row][column("t")];
  for (int a = 0; a < 3; a++) {
    pair_add(&found.velocity[a], v[a], truth[a]);
    curves.v[a][i] = v[a];
    curves.true_v[a][i] = truth[a];
  }
  curves.split[i] = split_of(estimator, robot, &X_WB, row);
  curves.cop[i] = (double)NAN;
  if ((out->estimated & PROPRIOD_CENTROIDAL_COP) != 0) {
    curves.cop[i] = out->cop_position.y;
    pair_add(&found.cop, curves.cop[i], curves.split[i]);
  }
}

static void replay_all(const struct robot *robot) {
  static struct propriod_state state;
  static struct propriod_centroidal out;
  void *memory = NULL;
  struct centroidal_estimator *estimator = make_estimator(robot, &memory);
  struct encoder_motion encoders = {.robot = robot, .tuning = real_tuning(robot)};
  for (size_t row = 0; row + 4 < log_.n; row++) {
    take_row(robot, row);
    encoder_motion_step(&encoders, &replay.frame, 0.01, &state);
    centroidal_estimate_step(estimator, &replay.frame, robot->model.inertia, &state, &out);
    if (row >= 4 && !masked(log_.value[row][column("t")]) &&
        (state.estimated & PROPRIOD_STATE_BASE_VELOCITY) != 0) {
      compare(estimator, robot, &state, &out, row);
    }
  }
  found.touch_downs = (int)centroidal_base(estimator)->touch_downs;
  found.slips = (int)centroidal_base(estimator)->slip_count;
  free(memory);
}

static void report_all(struct report *report) {
  static const double limit[3] = {0.035, 0.040, 0.015};
  static const char *const axis[3] = {"x", "y", "z"};
  char name[64];
  for (int a = 0; a < 3; a++) {
    snprintf(name, sizeof(name), "base velocity %s", axis[a]);
    report_at_most(report, name, found.velocity[a].error / found.velocity[a].n, limit[a], "m/s");
    snprintf(name, sizeof(name), "base velocity %s, correlation", axis[a]);
    report_figure(report, name, correlation(&found.velocity[a]), "");
  }
  report_at_most(report, "lateral centre of pressure against the force split",
                 1e3 * found.cop.error / found.cop.n, 35.0, "mm");
  report_at_least(report, "lateral centre of pressure, correlation", correlation(&found.cop), 0.90,
                  "");
  report_text(report,
              "5.5 to 11.7 s, motion capture's jump at 8.37 s left out; encoders and IMU only, "
              "settings made for this robot on this one recording: net force smoothed at 4 Hz, "
              "feet 0.3 m/s, slips from 0.2 m/s. %d touch-downs, %d slips.",
              found.touch_downs, found.slips);
}

static void plot_all(struct report *report) {
  struct plot *plot = plot_create("A real iCub walks", "time (s)");
  for (int a = 0; a < 2; a++) {
    plot_panel(plot, a == 0 ? "base velocity x (m/s)" : "base velocity y (m/s)");
    plot_line(plot, "motion capture", curves.t, curves.true_v[a], curves.n);
    plot_line(plot, "estimate", curves.t, curves.v[a], curves.n);
  }
  plot_panel(plot, "centre of pressure, lateral (m)");
  plot_line(plot, "force split", curves.t, curves.split, curves.n);
  plot_line(plot, "estimate", curves.t, curves.cop, curves.n);
  report_plot(report, plot, "walk");
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : "build/evaluate", "centroidal_real", "A real iCub walks");
  if (!read_log()) {
    report_text(report, "%s is not here: skipped.", folder);
    return report_close(report);
  }
  struct robot *robot = load();
  replay_all(robot);
  report_all(report);
  plot_all(report);
  robot_destroy(robot);
  return report_close(report);
}
