#include "sensors/base_lean.h"

#include <math.h>

/* Strides push a body to and fro meanwhile, ns; and so long without a reading say nothing. */
static const int64_t STRETCH_NS = 150000000, GAP_NS = 50000000;
/* Stretches agree, m/s^2: strikes and rolling soles differ by as much. */
static const double AGREES = 1.5;
/* It is seen from here on, m/s^2: four degrees. */
static const double LEANS = 0.7;
/* What is left of it where soles lie level by it. */
static const double LEVEL = 0.5;
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

static bool is_level(vec3 normal, vec3 up) {
  const vec3 way = vec3_scale(1.0 / vec3_norm(up), up);
  return vec3_norm(normal) > 0.0 && across(vec3_sub(normal, way)) < LEVEL * across(way);
}

static void begin(struct base_lean *lean, vec3 speed, int64_t t_ns) {
  lean->began_ns = lean->read_ns = t_ns;
  lean->sum = VEC3_ZERO;
  lean->speed = speed;
}

/* A stretch is over. */
static void judge(struct base_lean *lean, const struct lean_reading *reading, int64_t t_ns) {
  const double per_s = 1e9 / (double)(t_ns - lean->began_ns);
  const vec3 gained = vec3_sub(reading->speed, lean->speed),
             now = vec3_scale(per_s, vec3_sub(lean->sum, gained)), before = lean->before;
  const bool agree = vec3_norm(before) > 0.0 && vec3_norm(vec3_sub(now, before)) < AGREES;
  lean->up = vec3_scale(0.5, vec3_add(before, now));
  lean->leans = agree && across(lean->up) > LEANS && is_gravity(lean->up) &&
                is_level(reading->normal, lean->up);
  lean->before = now;
}

void base_lean_read(struct base_lean *lean, const struct lean_reading *reading, int64_t t_ns) {
  const int64_t since_ns = t_ns - lean->read_ns;
  if (!vec3_is_finite(reading->force) || since_ns <= 0) {
    return;
  }
  if (lean->began_ns == 0 || since_ns > GAP_NS) {
    base_lean_reset(lean);
    begin(lean, reading->speed, t_ns);
    return;
  }
  lean->sum = vec3_axpy(lean->sum, 1e-9 * (double)since_ns, reading->force);
  lean->read_ns = t_ns;
  if (t_ns - lean->began_ns >= STRETCH_NS) {
    judge(lean, reading, t_ns);
    begin(lean, reading->speed, t_ns);
  }
}

mat3 base_lean_upright(const struct base_lean *lean, const mat3 *R_WB) {
  const vec3 axis = vec3_cross(lean->up, (vec3){0.0, 0.0, 1.0});
  const double sine = vec3_norm(axis), angle = atan2(sine, lean->up.z);
  const vec3 turn = sine > 0.0 ? vec3_scale(angle / sine, axis) : VEC3_ZERO;
  const mat3 by = mat3_from_quat(quat_from_rotation_vector(turn));
  return mat3_mul(&by, R_WB);
}
