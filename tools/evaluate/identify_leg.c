/* Wensing17's figure 6 on a leg of our own: how much each set of constraints is worth, by how many
 * samples there are to learn from. Three links, three geared rotors as bodies of their own,
 * friction, quantised encoders at 1 kHz, the foot on an ellipsoid. @eq Wensing17 24 25 */
#include "body/regressor.h"
#include "common/clock.h"
#include "identify/convex/convex_fit.h"
#include "identify/log/low_pass.h"
#include "identify/rows/rotor_regressor.h"
#include "model/joint_drive.h"
#include "report.h"
#include "sim_random.h"
#include "urdf/urdf_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 3, BODIES = 2 * JOINTS, TEN = INERTIA_PARAMETERS };
enum { FRICTION = TEN * BODIES, UNKNOWNS = FRICTION + 2 * JOINTS };
enum { SEEDS = 20, SAMPLES = 40000, UNSEEN = 30000 /* from here on */, EVERY = 10 };
enum { SIZES = 8, MOST = 10000 };
enum set { FREE, SEMI, CONSISTENT, ELLIPSOIDS, SETS };

static const size_t sizes[SIZES] = {50, 100, 200, 500, 1000, 2000, 5000, MOST};
static const char *const set_name[SETS] = {"no constraint", "semi-consistent", "consistent",
                                           "ellipsoids"};
static const double PERIOD = 1e-3, RATIO = 6.0, THIGH = 0.3; /* s; turns per turn; m, twice */
static const double QUANTUM = 9.6e-5, TORQUE_NOISE = 0.1;    /* rad: 16 bits; N m */
static const double CUTOFF = 30.0;                           /* Hz */
/* What is known before: off by this share, and trusted to next to nothing. */
static const double PRIOR_OFF = 0.2, PRIOR_SD = 30.0, FRICTION_SD = 30.0;
static const double ROOM = 1.1; /* ellipsoids' half axes, beyond the smallest around the shape */

static const char leg[] =
    "<robot name='leg'><link name='body'/>"
    "<link name='hip'><inertial><mass value='1.2'/><inertia ixx='0.002' iyy='0.002' izz='0.002' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='thigh'><inertial><mass value='1.2'/><inertia ixx='0.002' iyy='0.002' izz='0.002' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='shank'><inertial><mass value='1.2'/><inertia ixx='0.002' iyy='0.002' izz='0.002' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='roll' type='continuous'><parent link='body'/><child link='hip'/><axis xyz='1 0 "
    "0'/></joint>"
    "<joint name='pitch' type='continuous'><parent link='hip'/><child link='thigh'/><origin "
    "xyz='0 0.05 0'/><axis xyz='0 1 0'/></joint>"
    "<joint name='knee' type='continuous'><parent link='thigh'/><child link='shank'/><origin "
    "xyz='0 0 -0.3'/><axis xyz='0 1 0'/></joint></robot>";

/* Shapes: links, then rotors; boxes, in the frames of their joints. */
static const struct {
  double mass;
  vec3 centre, edges;
} shape[BODIES] = {
    {1.2, {0.0, 0.03, 0.0}, {0.10, 0.09, 0.09}},   {1.5, {0.005, 0.0, -0.12}, {0.06, 0.05, 0.32}},
    {0.5, {0.0, 0.0, -0.14}, {0.04, 0.04, 0.30}},  {0.35, {-0.02, 0.0, 0.0}, {0.03, 0.08, 0.08}},
    {0.35, {0.0, -0.02, 0.0}, {0.08, 0.03, 0.08}}, {0.35, {0.0, -0.02, 0.0}, {0.08, 0.03, 0.08}}};

/* A run's data: rows of every sample as measured. */
struct leg {
  struct model model;
  struct kinematics kin;
  struct regressor regressor;
  double truth[UNKNOWNS];
  struct inertia prior[BODIES];
  double *q, *dq, *ddq, *tau;    /* [SAMPLES][JOINTS] */
  double (*Y)[JOINTS][UNKNOWNS]; /* [MOST] of the samples drawn, then those judged by */
  double (*z)[JOINTS];
};

static void fail(const char *what) {
  fprintf(stderr, "identify_leg: %s\n", what);
  exit(EXIT_FAILURE);
}

static void *memory(size_t bytes) {
  void *block = calloc(1, bytes);
  if (block == NULL) {
    fail("no memory");
  }
  return block;
}

/* --- the leg --- */

static struct inertia of_box(double mass, vec3 centre, vec3 edges) {
  const double x = edges.x * edges.x / 12.0, y = edges.y * edges.y / 12.0,
               z = edges.z * edges.z / 12.0;
  const mat3 I = {
      {{mass * (y + z), 0.0, 0.0}, {0.0, mass * (x + z), 0.0}, {0.0, 0.0, mass * (x + y)}}};
  return inertia_of_body(mass, centre, &I);
}

static void make_leg(struct leg *l) {
  struct message error;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (urdf_read(leg, sizeof(leg) - 1, &arena, &l->model, &error) != STATUS_OK) {
      fail(error.text);
    }
    if (pass == 0) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
  }
  static const size_t links[JOINTS] = {1, 2, 3};
  struct arena work = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (kinematics_init(&l->kin, &l->model, &work) != STATUS_OK ||
        regressor_init(&l->regressor, &l->model, links, JOINTS, &work) != STATUS_OK) {
      fail("no memory");
    }
    if (pass == 0) {
      work = arena_over(aligned_alloc(ARENA_ALIGN, work.used), work.used);
    }
  }
  for (int i = 0; i < BODIES; i++) {
    const struct inertia body = of_box(shape[i].mass, shape[i].centre, shape[i].edges);
    inertia_to(&body, l->truth + TEN * i);
  }
  for (int j = 0; j < JOINTS; j++) {
    l->truth[FRICTION + 2 * j] = 0.1;
    l->truth[FRICTION + 2 * j + 1] = 0.4;
  }
  l->q = memory(sizeof(double) * SAMPLES * JOINTS);
  l->dq = memory(sizeof(double) * SAMPLES * JOINTS);
  l->ddq = memory(sizeof(double) * SAMPLES * JOINTS);
  l->tau = memory(sizeof(double) * SAMPLES * JOINTS);
  l->Y = memory(sizeof(*l->Y) * MOST);
  l->z = memory(sizeof(*l->z) * MOST);
}

/* Row j of a motion: links, rotors, friction. */
static void rows_at(struct leg *l, const double *q, const double *dq, const double *ddq,
                    double Y[JOINTS][UNKNOWNS]) {
  const struct robot_motion at = {
      .base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = {0.0, 0.0, STANDARD_GRAVITY}}},
      .q = q,
      .dq = dq,
      .ddq = ddq};
  if (kinematics_update(&l->kin, &at) != STATUS_OK ||
      regressor_step(&l->regressor, &l->kin) != STATUS_OK) {
    fail("no regressor");
  }
  memset(Y, 0, sizeof(double) * JOINTS * UNKNOWNS);
  for (int j = 0; j < JOINTS; j++) {
    memcpy(Y[j], l->regressor.Y + (6 + j) * l->regressor.columns, sizeof(double) * TEN * JOINTS);
    Y[j][FRICTION + 2 * j] = dq[j];
    Y[j][FRICTION + 2 * j + 1] = coulomb_share(dq[j]);
  }
  for (size_t r = 0; r < JOINTS; r++) {
    double rotor[JOINTS][TEN];
    rotor_regressor(&l->kin, r, RATIO, rotor);
    for (int j = 0; j < JOINTS; j++) {
      memcpy(Y[j] + TEN * (JOINTS + r), rotor[j], sizeof(rotor[j]));
    }
  }
}

/* --- motion --- */

/* Joints that put the foot where an ellipsoid below the hip has it at t. */
static void foot_on_ellipsoid(double t, const double phase[4], double q[JOINTS]) {
  const double theta =
      2.0 * M_PI * 0.9 * t + 0.8 * sin(2.0 * M_PI * 0.37 * t + phase[0]) + phase[1];
  const double phi =
      sin(2.0 * M_PI * 1.3 * t + phase[2]) + 0.3 * sin(2.0 * M_PI * 2.9 * t + phase[3]);
  const double x = 0.12 * cos(phi) * cos(theta), y = 0.05 + 0.1 * cos(phi) * sin(theta),
               z = -0.42 + 0.09 * sin(phi);
  const double below = -sqrt(y * y + z * z - 0.05 * 0.05);
  const double bend = acos((x * x + below * below) / (2.0 * THIGH * THIGH) - 1.0);
  q[0] = atan2(z, y) - atan2(below, 0.05);
  q[1] = atan2(-x, -below) - 0.5 * bend;
  q[2] = bend;
}

/* The true torques, then positions as encoders and the low-pass leave them. */
static void make_log(struct leg *l, struct sim_random *random) {
  double phase[4], Y[JOINTS][UNKNOWNS];
  for (int i = 0; i < 4; i++) {
    phase[i] = sim_uniform(random, 0.0, 2.0 * M_PI);
  }
  for (size_t k = 0; k < SAMPLES; k++) {
    double q[3][JOINTS], dq[JOINTS], ddq[JOINTS];
    const double h = 5e-4, t = 1.0 + PERIOD * (double)k;
    for (int i = 0; i < 3; i++) {
      foot_on_ellipsoid(t + h * (i - 1), phase, q[i]);
    }
    for (int j = 0; j < JOINTS; j++) {
      dq[j] = (q[2][j] - q[0][j]) / (2.0 * h);
      ddq[j] = (q[2][j] - 2.0 * q[1][j] + q[0][j]) / (h * h);
    }
    rows_at(l, q[1], dq, ddq, Y);
    for (int j = 0; j < JOINTS; j++) {
      double tau = k < UNSEEN ? TORQUE_NOISE * sim_normal(random) : 0.0;
      for (int i = 0; i < UNKNOWNS; i++) {
        tau += Y[j][i] * l->truth[i];
      }
      l->tau[k * JOINTS + (size_t)j] = tau;
      l->q[k * JOINTS + (size_t)j] = QUANTUM * round(q[1][j] / QUANTUM);
    }
  }
  const struct low_pass filter = low_pass_design(CUTOFF, 1.0 / PERIOD);
  for (size_t j = 0; j < JOINTS; j++) {
    low_pass_both_ways(&filter, l->q + j, SAMPLES, JOINTS);
  }
  for (size_t k = 1; k + 1 < SAMPLES; k++) {
    for (size_t j = 0; j < JOINTS; j++) {
      const double *at = l->q + k * JOINTS + j, before = at[-JOINTS], after = at[JOINTS];
      l->dq[k * JOINTS + j] = (after - before) / (2.0 * PERIOD);
      l->ddq[k * JOINTS + j] = (after - 2.0 * at[0] + before) / (PERIOD * PERIOD);
    }
  }
}

/* MOST samples drawn from the first part, any order. */
static void draw(struct leg *l, struct sim_random *random) {
  for (size_t k = 0; k < MOST; k++) {
    const size_t at = 200 + (size_t)sim_uniform(random, 0.0, UNSEEN - 400.0);
    rows_at(l, l->q + at * JOINTS, l->dq + at * JOINTS, l->ddq + at * JOINTS, l->Y[k]);
    memcpy(l->z[k], l->tau + at * JOINTS, sizeof(l->z[k]));
  }
}

/* --- fits --- */

static void pull(struct convex_fit *fit, const struct leg *l) {
  for (size_t i = 0; i < BODIES; i++) {
    convex_pull(fit, i, &l->prior[i], PRIOR_SD);
  }
  for (size_t i = FRICTION; i < UNKNOWNS; i++) {
    convex_pull_one(fit, i, 0.1, FRICTION_SD);
  }
}

/* The cones of a set; bodies come with those of consistent ones. */
static void constrain(struct convex_fit *fit, enum set set) {
  for (size_t i = 0; i < BODIES && set == SEMI; i++) {
    fit->cone[i] = cone_of_spatial_inertia(TEN * i);
  }
  for (size_t i = 0; i < BODIES && set == ELLIPSOIDS; i++) {
    const struct pose at = {MAT3_IDENTITY, shape[i].centre};
    const struct ellipsoid around =
        ellipsoid_from_axes(&at, vec3_scale(ROOM * 0.5 * sqrt(3.0), shape[i].edges));
    struct convex_cone cone;
    if (cone_of_ellipsoid(TEN * i, &around, &cone) != STATUS_OK ||
        convex_add_cone(fit, &cone) != STATUS_OK) {
      fail("no ellipsoid");
    }
  }
}

/* Parameters from the first n samples, in x; seconds it took. */
static double solve(const struct leg *l, size_t n, enum set set, double *x) {
  struct convex_fit fit;
  struct convex_solution solution;
  const double others[2 * JOINTS] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
  if (convex_begin(&fit, BODIES, 2 * JOINTS) != STATUS_OK) {
    fail("no memory");
  }
  const int64_t begin = clock_now_ns();
  convex_rows(&fit, l->Y[0][0], l->z[0], JOINTS * n, TORQUE_NOISE * TORQUE_NOISE);
  pull(&fit, l);
  constrain(&fit, set);
  fit.gap = CONVEX_GAP;
  const enum status status =
      set == FREE ? convex_unconstrained(&fit, x) : convex_solve(&fit, l->prior, others, &solution);
  if (status != STATUS_OK) {
    fail(status_text(status));
  }
  if (set != FREE) {
    memcpy(x, solution.x, sizeof(double) * UNKNOWNS);
  }
  const double took = 1e-9 * (double)(clock_now_ns() - begin);
  convex_free(&fit);
  return took;
}

/* Share of the torque that x leaves of samples that none was drawn from. */
static double error_unseen(struct leg *l, const double *x) {
  double left = 0.0, all = 0.0, Y[JOINTS][UNKNOWNS];
  for (size_t k = UNSEEN; k + 200 < SAMPLES; k += EVERY) {
    rows_at(l, l->q + k * JOINTS, l->dq + k * JOINTS, l->ddq + k * JOINTS, Y);
    for (size_t j = 0; j < JOINTS; j++) {
      const double tau = l->tau[k * JOINTS + j];
      double rest = tau;
      for (int i = 0; i < UNKNOWNS; i++) {
        rest -= Y[j][i] * x[i];
      }
      left += rest * rest;
      all += tau * tau;
    }
  }
  return sqrt(left / all);
}

static void make_prior(struct leg *l, struct sim_random *random) {
  for (int i = 0; i < BODIES; i++) {
    const double off[4] = {1.0 + PRIOR_OFF * sim_uniform(random, -1.0, 1.0),
                           1.0 + PRIOR_OFF * sim_uniform(random, -1.0, 1.0),
                           1.0 + PRIOR_OFF * sim_uniform(random, -1.0, 1.0),
                           1.0 + PRIOR_OFF * sim_uniform(random, -1.0, 1.0)};
    const vec3 edges = {0.8 * off[1] * shape[i].edges.x, 0.8 * off[2] * shape[i].edges.y,
                        0.8 * off[3] * shape[i].edges.z};
    l->prior[i] = of_box(off[0] * shape[i].mass, shape[i].centre, edges);
  }
}

/* --- all runs --- */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *value, size_t n) {
  qsort(value, n, sizeof(*value), by_value);
  return 0.5 * (value[(n - 1) / 2] + value[n / 2]);
}

static void tell(struct report *report, double (*middle)[SIZES], double seconds) {
  struct table *table =
      table_create("Torque error on unseen motion (%), median of 20 seeds", "samples", set_name[0],
                   set_name[1], set_name[2], set_name[3], NULL);
  struct plot *plot = plot_create("Torque error on unseen motion", "training samples (log10)");
  double x[SIZES];
  for (int n = 0; n < SIZES; n++) {
    char label[32];
    snprintf(label, sizeof(label), "%zu", sizes[n]);
    table_row(table, label);
    for (int set = 0; set < SETS; set++) {
      table_number(table, "%.2f", 100.0 * middle[set][n]);
    }
    x[n] = log10((double)sizes[n]);
  }
  report_table(report, table);
  plot_panel(plot, "share of the torque");
  plot_log_y(plot);
  for (int set = 0; set < SETS; set++) {
    plot_line(plot, set_name[set], x, middle[set], SIZES);
  }
  report_plot(report, plot, "samples");
  for (int set = 1; set < SETS; set++) {
    char name[96];
    snprintf(name, sizeof(name), "at 200 samples: %s to %s", set_name[set], set_name[set - 1]);
    report_at_most(report, name, middle[set][2] / middle[set - 1][2], 1.0, "");
  }
  report_at_most(report, "10 000 samples, accumulated and solved, best of 20", 1e3 * seconds, 50.0,
                 "ms");
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "identify_leg",
                                      "A leg with geared rotors: what constraints are worth");
  static struct leg l;
  static double error[SETS][SIZES][SEEDS], middle[SETS][SIZES];
  double fastest = HUGE_VAL;
  make_leg(&l);
  report_text(
      report,
      "Three links, three rotors at a ratio of %g, %d unknowns; encoders of %.1e rad at 1 "
      "kHz, torques with %g N m of noise; the foot on an ellipsoid. Fitted to samples drawn "
      "from 30 s, judged on the 10 s behind, without torque noise.",
      RATIO, UNKNOWNS, QUANTUM, TORQUE_NOISE);
  for (int seed = 0; seed < SEEDS; seed++) {
    struct sim_random random = sim_random_from((uint64_t)seed, 6);
    make_log(&l, &random);
    draw(&l, &random);
    make_prior(&l, &random);
    for (int n = 0; n < SIZES; n++) {
      for (int set = 0; set < SETS; set++) {
        double x[UNKNOWNS];
        const double took = solve(&l, sizes[n], (enum set)set, x);
        error[set][n][seed] = error_unseen(&l, x);
        fastest = set == ELLIPSOIDS && sizes[n] == MOST ? fmin(fastest, took) : fastest;
      }
    }
  }
  for (int set = 0; set < SETS; set++) {
    for (int n = 0; n < SIZES; n++) {
      middle[set][n] = median(error[set][n], SEEDS);
    }
  }
  tell(report, middle, fastest);
  return report_close(report);
}
