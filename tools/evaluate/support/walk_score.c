#include "support/walk_score.h"

#include "body/frames.h"
#include "support/butterworth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- the product's path ----------------------------------------------------------------------- */

/* The lateral point between the soles by what they carry. */
static double split_of(const struct walk_log *log, const struct kinematics *kin,
                       const struct robot *robot, const struct pose *X_WB, size_t row) {
  double f[WALK_LOG_FEET], y = 0.0;
  walk_log_forces(log, row, f);
  for (size_t foot = 0; foot < WALK_LOG_FEET; foot++) {
    const struct pose X = frame_pose(kin, robot->foot[foot].link, &robot->foot[foot].placement);
    y += f[foot] / (f[0] + f[1]) * pose_apply(X_WB, X.p).y;
  }
  return y;
}

static struct pipeline *make_pipeline(const struct robot *robot,
                                      const struct pipeline_settings *settings, void **memory) {
  struct pipeline *pipeline = NULL;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      *memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(*memory, arena.used);
    }
    if (pipeline_init(&pipeline, robot, settings, &arena) != STATUS_OK) {
      return NULL;
    }
  }
  return pipeline;
}

static void note(const struct estimates *estimates, struct walk_said *said, size_t row) {
  const struct propriod_state *state = &estimates->state;
  const struct propriod_centroidal *c = &estimates->centroidal;
  const double none = (double)NAN;
  const vec3 nothing = {none, none, none};
  const bool moves = (state->estimated & PROPRIOD_STATE_BASE_VELOCITY) != 0;
  said->R[row] = mat3_from_quat(state->quat_xyzw);
  said->p[row] = state->base_position;
  said->v[row] = moves ? state->base_velocity : nothing;
  said->com_B[row] = c->com_in_base;
  said->com_v[row] =
      (c->estimated & PROPRIOD_CENTROIDAL_COM_VELOCITY) != 0 ? c->com_velocity : nothing;
  said->cop_y[row] = (c->estimated & PROPRIOD_CENTROIDAL_COP) != 0 ? c->cop_position.y : none;
  memcpy(said->q[row], state->q, state->n_joints * sizeof(state->q[0]));
  said->fine[row] = state->status == PROPRIOD_STATUS_OK;
  said->ok += said->fine[row];
  said->rows++;
  said->resets = state->resets;
}

bool walk_run_pipeline(struct walk_log *log, const struct robot *robot,
                       const struct pipeline_settings *settings, struct kinematics *kin,
                       struct walk_said *said) {
  static struct estimates estimates;
  void *memory = NULL;
  struct pipeline *pipeline = make_pipeline(robot, settings, &memory);
  said->ok = said->rows = 0;
  for (size_t row = 0; row < log->n && pipeline != NULL; row++) {
    const struct sensor_frame frame = walk_log_frame(log, robot, row);
    pipeline_step(pipeline, &frame, &estimates);
    note(&estimates, said, row);
    kinematics_update_position(kin, frame.joints.q);
    const struct pose X_WB = {said->R[row], said->p[row]};
    said->split_y[row] = split_of(log, kin, robot, &X_WB, row);
  }
  free(memory);
  return pipeline != NULL;
}

/* -- against motion capture ------------------------------------------------------------------- */

static const double SLOW_HZ = 8.0, LOG_HZ = 100.0;

bool walk_counts(const struct walk_log *log, const struct walk_stretch *stretch, size_t row) {
  const double t = walk_log_t(log, row);
  return row >= WALK_LOG_EDGE && row + WALK_LOG_EDGE < log->n && t >= stretch->from &&
         t <= stretch->to && (t < stretch->lost_from || t > stretch->lost_to);
}

vec3 walk_own_yaw(const mat3 *R, vec3 v) {
  const mat3 back = mat3_from_rpy((vec3){0.0, 0.0, -mat3_to_rpy(R).z});
  return mat3_mul_vec3(&back, v);
}

/* The vertical in base coordinates, as estimated less as captured. */
static vec3 tilt_of(const struct walk_log *log, const struct walk_said *s, size_t row) {
  const mat3 R = mat3_from_rpy(walk_log_captured(log, row).rpy);
  return vec3_sub(vec3_from(s->R[row].m[2]), vec3_from(R.m[2]));
}

/* Velocity of the centre of mass: captured base and the joints, differences over 80 ms. */
static vec3 captured_com_velocity(const struct walk_log *log, const struct walk_said *s,
                                  size_t row) {
  vec3 at[2];
  for (int k = 0; k < 2; k++) {
    const size_t r = k == 0 ? row - WALK_LOG_EDGE : row + WALK_LOG_EDGE;
    const struct captured c = walk_log_captured(log, r);
    const mat3 R = mat3_from_rpy(c.rpy);
    at[k] = vec3_add(c.position, mat3_mul_vec3(&R, s->com_B[r]));
  }
  const double dt = walk_log_t(log, row + WALK_LOG_EDGE) - walk_log_t(log, row - WALK_LOG_EDGE);
  const mat3 now = mat3_from_rpy(walk_log_captured(log, row).rpy);
  return walk_own_yaw(&now, vec3_scale(1.0 / dt, vec3_sub(at[1], at[0])));
}

static void add_velocities(struct walk_score *f, const struct walk_log *log,
                           const struct walk_said *s, bool with_com, size_t row) {
  double e[3], com[3], still[3];
  vec3_to(vec3_sub(walk_own_yaw(&s->R[row], s->v[row]), walk_log_captured(log, row).velocity), e);
  const bool inner = row >= 2 * WALK_LOG_EDGE && row + 2 * WALK_LOG_EDGE < log->n;
  const vec3 com_v = with_com && inner ? captured_com_velocity(log, s, row) : VEC3_ZERO;
  vec3_to(vec3_sub(walk_own_yaw(&s->R[row], s->com_v[row]), com_v), com);
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

/* Mean lateral error of the centre of pressure below SLOW_HZ, without delay; a row that says
 * nothing is as the one before. */
static double slow_cop(const struct walk_log *log, const struct walk_stretch *stretch,
                       const struct walk_said *s) {
  static double off[WALK_LOG_ROWS];
  const struct butterworth3 slow = butterworth3_design(SLOW_HZ, LOG_HZ);
  double sum = 0.0, n = 0.0;
  for (size_t row = 0; row < log->n; row++) {
    const double now = s->cop_y[row] - s->split_y[row];
    off[row] = isfinite(now) ? now : row > 0 ? off[row - 1] : 0.0;
  }
  butterworth3_run(&slow, off, off, log->n, 1);
  butterworth3_run(&slow, off, off, log->n, -1);
  for (size_t row = 0; row < log->n; row++) {
    if (walk_counts(log, stretch, row)) {
      sum += fabs(off[row]);
      n += 1.0;
    }
  }
  return sum / n;
}

/* How the base has moved and turned between two rows, in axes of its first yaw, less as captured.
 */
static void add_drift(struct walk_score *f, const struct walk_log *log, const struct walk_said *s,
                      size_t a, size_t b, double *length, vec3 *off) {
  const struct captured ca = walk_log_captured(log, a), cb = walk_log_captured(log, b);
  const mat3 Ra = mat3_from_rpy(ca.rpy), Rb = mat3_from_rpy(cb.rpy);
  const vec3 moved = walk_own_yaw(&s->R[a], vec3_sub(s->p[b], s->p[a])),
             captured = walk_own_yaw(&Ra, vec3_sub(cb.position, ca.position));
  const double turned = mat3_to_rpy(&s->R[b]).z - mat3_to_rpy(&s->R[a]).z,
               seen = mat3_to_rpy(&Rb).z - mat3_to_rpy(&Ra).z;
  f->yaw += remainder(turned - seen, 2.0 * M_PI);
  *length += hypot(captured.x, captured.y);
  *off = vec3_add(*off, vec3_sub(moved, captured));
}

struct walk_score walk_score(const struct walk_log *log, const struct walk_stretch *stretch,
                             const struct walk_said *s, bool with_com) {
  struct walk_score f = {0};
  vec3 mean = VEC3_ZERO, off = VEC3_ZERO;
  double length = 0.0;
  size_t begun = 0;
  for (size_t row = 1; row < log->n; row++) {
    if (walk_counts(log, stretch, row)) {
      f.n += 1.0;
      mean = vec3_add(mean, tilt_of(log, s, row));
      add_velocities(&f, log, s, with_com, row);
    }
    if (walk_counts(log, stretch, row) && !walk_counts(log, stretch, row - 1)) {
      begun = row;
    }
    if (!walk_counts(log, stretch, row) && walk_counts(log, stretch, row - 1)) {
      add_drift(&f, log, s, begun, row - 1, &length, &off);
    }
  }
  mean = vec3_scale(1.0 / f.n, mean);
  f.askew = vec3_norm(mean);
  for (size_t row = 0; row < log->n; row++) {
    f.tilt += walk_counts(log, stretch, row) ? vec3_norm(vec3_sub(tilt_of(log, s, row), mean)) / f.n
                                             : 0.0;
  }
  for (int a = 0; a < 3; a++) {
    f.velocity[a] /= f.n;
    f.com[a] /= f.n;
    f.com_still[a] /= f.n;
  }
  f.cop /= f.cop_n;
  f.cop_slow = with_com ? slow_cop(log, stretch, s) : (double)NAN;
  f.way = hypot(off.x, off.y) / length;
  return f;
}
