/* Cost of identification: rows into triangles and the solve of a TX40, the solve of a humanoid of
 * 31 links after accumulation, and a log of ten minutes from CSV to URDF. JSON lines, medians of
 * processor time. */
#include "common/file.h"
#include "identify/command/session.h"
#include "identify/output/fitted_urdf.h"
#include "support/bench_clock.h"
#include "support/random_model.h"
#include "support/suite.h"
#include "urdf/urdf_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 9 };

static const bool all_kinds[DRIVE_KINDS] = {true, true, true, true};
static const vec3 up = {0.0, 0.0, 9.81};

static void print_median(const char *name, double *us, size_t n) {
  qsort(us, n, sizeof(*us), by_value);
  printf("{\"name\": \"%s\", \"value\": %.2f, \"unit\": \"ms\"}\n", name, 1e-3 * us[n / 2]);
  fflush(stdout);
}

/* Processor time of this thread: others' load does not count. */
static double cpu_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static struct model model_of(const char *path) {
  char *text;
  size_t length;
  struct message error;
  struct model model;
  struct arena arena = test_arena(1 << 22);
  require(file_read(path, URDF_MAX_BYTES, &text, &length, &error) == STATUS_OK);
  require(urdf_read(text, length, &arena, &model, &error) == STATUS_OK);
  free(text);
  return model;
}

/* Sines of every joint, and torques of the model's own bodies with noise. */
static struct log_motion motion_of(const struct unknowns *u, struct random *random, size_t n,
                                   double dt) {
  const size_t joints = u->model->n_joints, size = n * joints * sizeof(double);
  struct log_motion m = {.n_joints = joints,
                         .n = n,
                         .dt = dt,
                         .cutoff_hz = 20.0,
                         .q = malloc(size),
                         .dq = malloc(size),
                         .ddq = malloc(size),
                         .tau = calloc(1, size)};
  for (size_t j = 0; j < joints; j++) {
    const double w = random_uniform(random, 1.0, 5.0), phase = random_uniform(random, 0.0, 6.0);
    for (size_t k = 0; k < n; k++) {
      const double t = dt * (double)k;
      m.q[k * joints + j] = 0.6 * sin(w * t + phase);
      m.dq[k * joints + j] = 0.6 * w * cos(w * t + phase);
      m.ddq[k * joints + j] = -0.6 * w * w * sin(w * t + phase);
    }
  }
  return m;
}

/* Rows of the model's own torques: what is left of zero torques, turned round, and noise. */
static void fill_torques(struct row_set *rows, const double *x, struct random *random) {
  for (size_t j = 0; j < rows->n_channels; j++) {
    for (size_t k = 0; k < rows->n; k++) {
      rows->channel[j].tau[k] = 0.0;
      rows->channel[j].tau[k] = -row_residual(&rows->channel[j], k, x) + random_normal(random);
    }
  }
}

static struct row_set rows_of(const struct unknowns *u, size_t n, const double *x) {
  struct random random = random_from(7);
  struct log_motion motion = motion_of(u, &random, n, 5e-3);
  const struct row_settings settings = {.rate_hz = 40.0, .still_share = 0.01};
  struct row_set rows;
  require(row_set_make(u, &motion, up, &settings, &rows) == STATUS_OK);
  fill_torques(&rows, x, &random);
  log_motion_free(&motion);
  return rows;
}

/* Rows into triangles, noise, and the solve, lambda given. */
static void bench_tx40(void) {
  const struct model model = model_of("config/robots/tx40.urdf");
  const struct log_map map = {.rate_hz = 200.0};
  const struct unknowns u = unknowns_of(&model, &map, all_kinds);
  double x[128], us[RUNS];
  unknowns_prior(&u, x);
  struct row_set rows = rows_of(&u, 1260, x); /* 6.3 s */
  struct fit_settings settings = fit_defaults();
  settings.method = FIT_PC_WLS;
  settings.lambda = 1e-2;
  for (int run = 0; run < RUNS; run++) {
    struct robot_fit fit;
    const double start = cpu_us();
    require(robot_fit_make(&u, &rows, NULL, x, &settings, &fit) == STATUS_OK);
    us[run] = cpu_us() - start;
    robot_fit_free(&fit);
  }
  print_median("identify_tx40_accumulate_and_solve", us, RUNS);
  row_set_free(&rows);
}

/* The convex solve alone, all 30 moving bodies and 120 unknowns of drives. */
static void bench_humanoid(void) {
  const struct model model = model_of("config/robots/humanoid30.urdf");
  const struct log_map map = {.rate_hz = 200.0};
  const struct unknowns u = unknowns_of(&model, &map, all_kinds);
  double *x = calloc(u.n, sizeof(*x)), us[RUNS];
  unknowns_prior(&u, x);
  struct row_set rows = rows_of(&u, 12000, x);
  struct weighed_rows weighed;
  struct convex_fit fit;
  require(weighed_rows_init(&weighed, &rows, u.n, 0, rows.n) == STATUS_OK);
  require(convex_begin(&fit, u.bodies, u.n - 10 * u.bodies) == STATUS_OK);
  weighed_rows_fold(&weighed, NULL, 1.345);
  struct normal_equations e = {fit.A, fit.b, 0.0};
  weighed_rows_equations(&weighed, ALL_BLOCKS, &e);
  for (size_t i = 0; i < u.bodies; i++) {
    const struct inertia likely = inertia_from(x + 10 * i);
    require(convex_pull(&fit, i, &likely, 14.0) == STATUS_OK);
  }
  for (size_t i = 10 * u.bodies; i < u.n; i++) {
    convex_pull_one(&fit, i, x[i], 10.0);
  }
  for (int run = 0; run < RUNS; run++) {
    struct convex_solution solution;
    const double start = cpu_us();
    require(convex_solve(&fit, model.inertia + 1, NULL, &solution) == STATUS_OK);
    us[run] = cpu_us() - start;
  }
  print_median("identify_31_links_solve", us, RUNS);
  convex_free(&fit);
  weighed_rows_free(&weighed);
  row_set_free(&rows);
  free(x);
}

/* 600 s of a Panda at 1 kHz: from CSV to URDF, lambda chosen. */
static void bench_ten_minutes(void) {
  char path[] = "/tmp/identify_bench.XXXXXX";
  const int handle = mkstemp(path);
  FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
  require(file != NULL);
  fprintf(file, "time");
  for (int j = 1; j <= 7; j++) {
    fprintf(file, ",q_joint_%d,tau_joint_%d", j, j);
  }
  for (int k = 0; k < 600000; k++) {
    fprintf(file, "\n%.3f", 1e-3 * k);
    for (int j = 1; j <= 7; j++) {
      const double w = 1.0 + 0.4 * j, t = 1e-3 * k;
      fprintf(file, ",%.6f,%.4f",
              (j == 4   ? -1.5
               : j == 6 ? 1.5
                        : 0.0) +
                  0.5 * sin(w * t + j),
              cos(w * t) * w + 5.0 * sin(0.5 * w * t));
    }
  }
  fclose(file);
  struct session_options o = session_defaults();
  struct session s;
  struct message error;
  struct robot_fit fit;
  const struct fit_settings settings = fit_defaults();
  char *text = NULL;
  o.robot = "config/robots/panda.urdf";
  o.log[o.n_logs++] = path;
  double us = cpu_us();
  require(session_open(&o, &s, &error) == STATUS_OK);
  require(robot_fit_make(&s.unknowns, &s.rows, NULL, s.prior, &settings, &fit) == STATUS_OK);
  require(fitted_urdf(s.urdf, &s.unknowns, &fit, "bench", &text, &error) == STATUS_OK);
  us = cpu_us() - us;
  print_median("identify_ten_minutes_csv_to_urdf", &us, 1);
  free(text);
  robot_fit_free(&fit);
  session_close(&s);
  unlink(path);
}

/* All of them, or the one that is named: tx40, humanoid, minutes. */
int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : NULL;
  if (only == NULL || strcmp(only, "tx40") == 0) {
    bench_tx40();
  }
  if (only == NULL || strcmp(only, "humanoid") == 0) {
    bench_humanoid();
  }
  if (only == NULL || strcmp(only, "minutes") == 0) {
    bench_ten_minutes();
  }
  return 0;
}
