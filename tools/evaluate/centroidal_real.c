/* A real iCub that walks, through the product's own path with its defaults: base velocity, tilt,
 * yaw and way against motion capture, centre of mass and lateral centre of pressure; beside it the
 * contact-aided invariant filter that others run. Encoders and IMU at 100 Hz, with the stamps as
 * logged, which are those of arrival, and evened. */
#include "body/frames.h"
#include "report.h"
#include "settings/settings.h"
#include "support/give_up.h"
#include "support/invariant_ekf.h"
#include "support/walk_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "../shared/data/icub_walking_real";
static const double from_s = 5.5, to_s = 11.7, jump_s = 8.37, jump_half_s = 0.15;
static const double period_s = 0.01;

enum way { PIPELINE, INVARIANT, WAYS };
enum stamps { LOGGED, EVENED, STAMPS };
static const char *const way_name[WAYS] = {"propriod", "invariant EKF"};
static const char *const stamps_name[STAMPS] = {"as logged", "evened"};

static struct walk_log walk;

/* What one way said, row by row; NaN where it said nothing. */
struct said {
  mat3 R[WALK_LOG_ROWS];
  vec3 p[WALK_LOG_ROWS], v[WALK_LOG_ROWS];             /* m, m/s: base, its own world */
  vec3 com_B[WALK_LOG_ROWS], com_v[WALK_LOG_ROWS];     /* m, m/s: centre of mass */
  double cop_y[WALK_LOG_ROWS], split_y[WALK_LOG_ROWS]; /* m: estimate; the feet's force split */
  int ok, rows;
  uint64_t resets;
};
static struct said said[WAYS][STAMPS];

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

/* The lateral point between the soles by what they carry. */
static double split_of(const struct kinematics *kin, const struct robot *robot,
                       const struct pose *X_WB, size_t row) {
  double f[WALK_LOG_FEET], y = 0.0;
  walk_log_forces(&walk, row, f);
  for (size_t foot = 0; foot < WALK_LOG_FEET; foot++) {
    const struct pose X = frame_pose(kin, robot->foot[foot].link, &robot->foot[foot].placement);
    y += f[foot] / (f[0] + f[1]) * pose_apply(X_WB, X.p).y;
  }
  return y;
}

/* As the daemon with its defaults would, but for the rate of the cycle. */
static struct pipeline *make_pipeline(const struct robot *robot, void **memory) {
  static struct settings settings;
  struct pipeline *pipeline = NULL;
  struct arena arena = {0};
  settings_defaults(&settings);
  settings.pipeline.period_s = period_s;
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

static void run_pipeline(const struct robot *robot, struct kinematics *kin, struct said *out) {
  static struct estimates estimates;
  void *memory = NULL;
  struct pipeline *pipeline = make_pipeline(robot, &memory);
  for (size_t row = 0; row < walk.n; row++) {
    const struct sensor_frame frame = walk_log_frame(&walk, robot, row);
    pipeline_step(pipeline, &frame, &estimates);
    const struct propriod_state *state = &estimates.state;
    const struct propriod_centroidal *c = &estimates.centroidal;
    const double none = (double)NAN;
    const vec3 nothing = {none, none, none};
    const struct pose X_WB = {mat3_from_quat(state->quat_xyzw), state->base_position};
    const bool moves = (state->estimated & PROPRIOD_STATE_BASE_VELOCITY) != 0;
    out->R[row] = X_WB.R;
    out->p[row] = X_WB.p;
    out->v[row] = moves ? state->base_velocity : nothing;
    out->com_B[row] = c->com_in_base;
    out->com_v[row] =
        (c->estimated & PROPRIOD_CENTROIDAL_COM_VELOCITY) != 0 ? c->com_velocity : nothing;
    out->cop_y[row] = (c->estimated & PROPRIOD_CENTROIDAL_COP) != 0 ? c->cop_position.y : none;
    kinematics_update_position(kin, frame.joints.q);
    out->split_y[row] = split_of(kin, robot, &X_WB, row);
    out->ok += state->status == PROPRIOD_STATUS_OK;
    out->rows++;
    out->resets = state->resets;
  }
  free(memory);
}

#define SHARE_DOWN 0.2 /* of the weight: a foot stands */
#define SHARE_UP   0.1 /* it no longer does */

static void run_invariant(const struct robot *robot, struct said *out) {
  const struct invariant_settings settings = invariant_defaults();
  struct invariant_ekf ekf;
  bool stands[INVARIANT_FEET] = {false};
  if (!invariant_ekf_init(&ekf, robot, &settings)) {
    give_up("icub", "no memory");
  }
  for (size_t row = 0; row < walk.n; row++) {
    const struct sensor_frame frame = walk_log_frame(&walk, robot, row);
    double f[WALK_LOG_FEET];
    struct pose X_WB;
    walk_log_forces(&walk, row, f);
    for (size_t k = 0; k < INVARIANT_FEET; k++) {
      stands[k] = f[k] > (stands[k] ? SHARE_UP : SHARE_DOWN) * (f[0] + f[1]);
    }
    invariant_ekf_step(&ekf, frame.t_ns, frame.imu.specific_force, frame.imu.angular_rate,
                       frame.joints.q, stands);
    invariant_ekf_base(&ekf, frame.imu.angular_rate, &X_WB, &out->v[row]);
    out->R[row] = X_WB.R;
    out->p[row] = X_WB.p;
    out->cop_y[row] = out->com_v[row].x = (double)NAN;
    out->rows++;
  }
  invariant_ekf_free(&ekf);
}

/* -- against motion capture ------------------------------------------------------------------- */

static bool counts(size_t row) {
  const double t = walk_log_t(&walk, row);
  return row >= WALK_LOG_EDGE && row + WALK_LOG_EDGE < walk.n && t >= from_s && t <= to_s &&
         fabs(t - jump_s) >= jump_half_s;
}

struct found {
  double n, velocity[3];       /* m/s, mean absolute, axes of the own yaw */
  double tilt;                 /* rad, mean, without what is constant: markers sit as they sit */
  double yaw, way;             /* rad; share of the way: drift over the walk */
  double com[3], com_still[3]; /* m/s: mean error of the centre of mass' velocity; of saying zero */
  double cop, cop_n;           /* m */
};

static vec3 in_own_yaw(const mat3 *R, vec3 v) {
  const mat3 back = mat3_from_rpy((vec3){0.0, 0.0, -mat3_to_rpy(R).z});
  return mat3_mul_vec3(&back, v);
}

/* The vertical in base coordinates, as estimated less as captured. */
static vec3 tilt_of(const struct said *s, size_t row) {
  const mat3 R = mat3_from_rpy(walk_log_captured(&walk, row).rpy);
  return vec3_sub(vec3_from(s->R[row].m[2]), vec3_from(R.m[2]));
}

/* Velocity of the centre of mass: captured base and the joints, differences over 80 ms. */
static vec3 captured_com_velocity(const struct said *s, size_t row) {
  vec3 at[2];
  for (int k = 0; k < 2; k++) {
    const size_t r = k == 0 ? row - WALK_LOG_EDGE : row + WALK_LOG_EDGE;
    const struct captured c = walk_log_captured(&walk, r);
    const mat3 R = mat3_from_rpy(c.rpy);
    at[k] = vec3_add(c.position, mat3_mul_vec3(&R, s->com_B[r]));
  }
  const double dt = walk_log_t(&walk, row + WALK_LOG_EDGE) - walk_log_t(&walk, row - WALK_LOG_EDGE);
  const mat3 now = mat3_from_rpy(walk_log_captured(&walk, row).rpy);
  return in_own_yaw(&now, vec3_scale(1.0 / dt, vec3_sub(at[1], at[0])));
}

static void add_velocities(struct found *f, const struct said *s, enum way way, size_t row) {
  double e[3], com[3], still[3];
  vec3_to(vec3_sub(in_own_yaw(&s->R[row], s->v[row]), walk_log_captured(&walk, row).velocity), e);
  const bool inner = row >= 2 * WALK_LOG_EDGE && row + 2 * WALK_LOG_EDGE < walk.n;
  const vec3 com_v = way == PIPELINE && inner ? captured_com_velocity(s, row) : VEC3_ZERO;
  vec3_to(vec3_sub(in_own_yaw(&s->R[row], s->com_v[row]), com_v), com);
  vec3_to(com_v, still);
  for (int a = 0; a < 3; a++) {
    f->velocity[a] += fabs(e[a]);
    f->com[a] += fabs(com[a]);
    f->com_still[a] += fabs(still[a]);
  }
  if (isfinite(s->cop_y[row])) {
    f->cop += fabs(s->cop_y[row] - s->split_y[row]);
    f->cop_n += 1.0;
  }
}

/* How the base has moved and turned between two rows, in axes of its first yaw, less as captured.
 */
static void add_drift(struct found *f, const struct said *s, size_t a, size_t b, double *length,
                      vec3 *off) {
  const struct captured ca = walk_log_captured(&walk, a), cb = walk_log_captured(&walk, b);
  const mat3 Ra = mat3_from_rpy(ca.rpy), Rb = mat3_from_rpy(cb.rpy);
  const vec3 moved = in_own_yaw(&s->R[a], vec3_sub(s->p[b], s->p[a])),
             captured = in_own_yaw(&Ra, vec3_sub(cb.position, ca.position));
  const double turned = mat3_to_rpy(&s->R[b]).z - mat3_to_rpy(&s->R[a]).z,
               seen = mat3_to_rpy(&Rb).z - mat3_to_rpy(&Ra).z;
  f->yaw += remainder(turned - seen, 2.0 * M_PI);
  *length += hypot(captured.x, captured.y);
  *off = vec3_add(*off, vec3_sub(moved, captured));
}

static struct found judge(const struct said *s, enum way way) {
  struct found f = {0};
  vec3 mean = VEC3_ZERO, off = VEC3_ZERO;
  double length = 0.0;
  size_t begun = 0;
  for (size_t row = 1; row < walk.n; row++) {
    if (counts(row)) {
      f.n += 1.0;
      mean = vec3_add(mean, tilt_of(s, row));
      add_velocities(&f, s, way, row);
    }
    if (counts(row) && !counts(row - 1)) {
      begun = row;
    }
    if (!counts(row) && counts(row - 1)) {
      add_drift(&f, s, begun, row - 1, &length, &off);
    }
  }
  mean = vec3_scale(1.0 / f.n, mean);
  for (size_t row = 0; row < walk.n; row++) {
    f.tilt += counts(row) ? vec3_norm(vec3_sub(tilt_of(s, row), mean)) / f.n : 0.0;
  }
  for (int a = 0; a < 3; a++) {
    f.velocity[a] /= f.n;
    f.com[a] /= f.n;
    f.com_still[a] /= f.n;
  }
  f.cop /= f.cop_n;
  f.way = hypot(off.x, off.y) / length;
  return f;
}

/* -- report ----------------------------------------------------------------------------------- */

static void report_table_of(struct report *report, struct found f[WAYS][STAMPS]) {
  struct table *table =
      table_create("Errors against motion capture, 5.5 to 11.7 s", "way", "stamps", "v x", "v y",
                   "v z (m/s)", "tilt (deg)", "yaw (deg)", "way (%)", NULL);
  for (int w = 0; w < WAYS; w++) {
    for (int s = 0; s < STAMPS; s++) {
      table_row(table, way_name[w]);
      table_text(table, stamps_name[s]);
      for (int a = 0; a < 3; a++) {
        table_number(table, "%.3f", f[w][s].velocity[a]);
      }
      table_number(table, "%.2f", f[w][s].tilt * 180.0 / M_PI);
      table_number(table, "%.2f", f[w][s].yaw * 180.0 / M_PI);
      table_number(table, "%.1f", 100.0 * f[w][s].way);
    }
  }
  report_table(report, table);
}

static void report_limits(struct report *report, struct found f[WAYS][STAMPS]) {
  static const double limit[3] = {0.035, 0.040, 0.014};
  static const char *const axis[3] = {"x", "y", "z"};
  const struct found *logged = &f[PIPELINE][LOGGED], *evened = &f[PIPELINE][EVENED];
  char name[96];
  double com = 0.0, still = 0.0;
  for (int a = 0; a < 3; a++) {
    snprintf(name, sizeof(name), "base velocity %s, as logged", axis[a]);
    report_at_most(report, name, logged->velocity[a], limit[a], "m/s");
    snprintf(name, sizeof(name), "base velocity %s, as logged, times the invariant EKF's", axis[a]);
    report_at_most(report, name, logged->velocity[a] / f[INVARIANT][LOGGED].velocity[a], 1.0, "");
    snprintf(name, sizeof(name), "base velocity %s, as logged, times evened", axis[a]);
    report_at_most(report, name, logged->velocity[a] / evened->velocity[a], 1.1, "");
    com += logged->com[a];
    still += logged->com_still[a];
  }
  report_at_most(report, "velocity of the centre of mass, times saying zero", com / still, 0.5, "");
  report_at_most(report, "tilt, mean, as logged", logged->tilt * 180.0 / M_PI, 0.5, "degrees");
  report_at_most(report, "yaw drift, as logged", fabs(logged->yaw) * 180.0 / M_PI, 1.0, "degrees");
  report_at_most(report, "drift of the way, as logged", 100.0 * logged->way, 6.0, "%");
  report_at_most(report, "lateral centre of pressure against the force split, as logged",
                 1e3 * logged->cop, 35.0, "mm");
  report_figure(report, "share of rows that are ok, as logged",
                (double)said[PIPELINE][LOGGED].ok / (double)said[PIPELINE][LOGGED].rows, "");
  report_at_most(report, "resets, as logged", (double)said[PIPELINE][LOGGED].resets, 0.0, "");
}

static void draw(struct report *report) {
  static double t[WALK_LOG_ROWS], v[WAYS + 1][2][WALK_LOG_ROWS];
  size_t n = 0;
  for (size_t row = 0; row < walk.n; row++) {
    if (!counts(row)) {
      continue;
    }
    t[n] = walk_log_t(&walk, row);
    const vec3 captured = walk_log_captured(&walk, row).velocity;
    v[WAYS][0][n] = captured.x;
    v[WAYS][1][n] = captured.y;
    for (int w = 0; w < WAYS; w++) {
      const vec3 own = in_own_yaw(&said[w][LOGGED].R[row], said[w][LOGGED].v[row]);
      v[w][0][n] = own.x;
      v[w][1][n] = own.y;
    }
    n++;
  }
  struct plot *plot = plot_create("A real iCub walks, stamps as logged", "time (s)");
  for (int a = 0; a < 2; a++) {
    plot_panel(plot, a == 0 ? "base velocity x (m/s)" : "base velocity y (m/s)");
    plot_line(plot, "motion capture", t, v[WAYS][a], n);
    for (int w = 0; w < WAYS; w++) {
      plot_line(plot, way_name[w], t, v[w][a], n);
    }
  }
  report_plot(report, plot, "walk");
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : "build/evaluate", "centroidal_real", "A real iCub walks");
  char path[256];
  snprintf(path, sizeof(path), "%s/walking.csv", folder);
  if (!walk_log_read(&walk, path)) {
    report_text(report, "%s is not here: skipped.", folder);
    return report_close(report);
  }
  struct robot *robot = load();
  struct invariant_ekf any; /* for its kinematics */
  const struct invariant_settings settings = invariant_defaults();
  static struct found found[WAYS][STAMPS];
  if (!invariant_ekf_init(&any, robot, &settings)) {
    give_up("icub", "no memory");
  }
  for (int s = STAMPS - 1; s >= 0; s--) { /* judged and drawn by the stamps as logged */
    if (s == EVENED) {
      walk_log_even(&walk);
    } else if (!walk_log_read(&walk, path)) {
      give_up(path, "cannot be read again");
    }
    run_pipeline(robot, &any.kin, &said[PIPELINE][s]);
    run_invariant(robot, &said[INVARIANT][s]);
    for (int w = 0; w < WAYS; w++) {
      found[w][s] = judge(&said[w][s], (enum way)w);
    }
  }
  report_text(
      report,
      "Encoders and IMU at 100 Hz through pipeline_step, defaults; motion capture's jump at "
      "8.37 s left out; a constant tilt between markers and base taken out. The invariant "
      "EKF with its authors' settings, feet standing by their force.");
  report_table_of(report, found);
  report_limits(report, found);
  draw(report);
  invariant_ekf_free(&any);
  robot_destroy(robot);
  return report_close(report);
}
