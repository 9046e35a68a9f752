#include "sensors/base_lean.h"

#include <math.h>

/* Strides push a body to and fro meanwhile, ns; and so long without a reading say nothing. */
static const int64_t STRETCH_NS = 200000000, GAP_NS = 50000000;
/* Stretches agree, m/s^2: strikes and rolling soles differ by as much. */
static const double AGREES = 1.5;
/* It is seen from here on, m/s^2: twice what healthy walks come to; and this part of it is felt
 * whatever the velocity. */
static const double LEANS = 1.0, FELT_SHARE = 0.5;
/* What carries a body is that near to gravity, m/s^2, and points upwards. */
static const double GRAVITY_OFF = 1.5;

void base_lean_reset(struct base_lean *lean) {
  *lean = (struct base_lean){.began_ns = 0};
}

static double across(vec3 a) {
  return hypot(a.x, a.y);
}

static bool is_gravity(vec3 up) {
  return fabs(vec3_norm(up) - STANDARD_GRAVITY) < GRAVITY_OFF && up.z > 0.5 * STANDARD_GRAVITY;
}

static bool believed(const struct lean_stretch *a, const struct lean_stretch *b, vec3 up) {
  const vec3 pushed = vec3_scale(0.5, vec3_add(a->pushed, b->pushed));
  const double felt = pushed.x * up.x + pushed.y * up.y;
  return vec3_norm(a->pushed) > 0.0 && vec3_norm(vec3_sub(b->up, a->up)) < AGREES &&
         across(up) > LEANS && felt > FELT_SHARE * across(up) * across(up) && is_gravity(up);
}

static void begin(struct base_lean *lean, vec3 speed, int64_t t_ns) {
  lean->began_ns = lean->read_ns = t_ns;
  lean->sum = VEC3_ZERO;
  lean->speed = speed;
}

void base_lean_read(struct base_lean *lean, vec3 force, vec3 speed, int64_t t_ns) {
  const int64_t since_ns = t_ns - lean->read_ns;
  if (!isfinite(vec3_norm(force)) || since_ns <= 0) {
    return;
  }
  if (lean->began_ns == 0 || since_ns > GAP_NS) {
    base_lean_reset(lean);
    begin(lean, speed, t_ns);
    return;
  }
  lean->sum = vec3_axpy(lean->sum, 1e-9 * (double)since_ns, force);
  lean->read_ns = t_ns;
  if (t_ns - lean->began_ns < STRETCH_NS) {
    return;
  }
  const double per_s = 1e9 / (double)(t_ns - lean->began_ns);
  const vec3 left = vec3_sub(lean->sum, vec3_sub(speed, lean->speed));
  const struct lean_stretch now = {vec3_scale(per_s, lean->sum), vec3_scale(per_s, left)};
  lean->up = vec3_scale(0.5, vec3_add(lean->before.up, now.up));
  lean->leans = believed(&lean->before, &now, lean->up);
  lean->before = now;
  begin(lean, speed, t_ns);
}

mat3 base_lean_upright(const struct base_lean *lean, const mat3 *R_WB) {
  const vec3 axis = vec3_cross(lean->up, (vec3){0.0, 0.0, 1.0});
  const double sine = vec3_norm(axis), angle = atan2(sine, lean->up.z);
  const vec3 turn = sine > 0.0 ? vec3_scale(angle / sine, axis) : VEC3_ZERO;
  const mat3 by = mat3_from_quat(quat_from_rotation_vector(turn));
  return mat3_mul(&by, R_WB);
}
