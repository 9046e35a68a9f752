#include "walk_pattern.h"

#include "sim_random.h"

enum { DRAW_SCATTER = 1 << 20 };
enum { PREVIEW_STEPS = 6 }; /* beyond them exp(-omega s) has forgotten the future */

int walk_swing_foot(int k) {
  return k & 1;
}

/* How far step k lands off its place: forward or back, and to its own side. */
static vec3 scatter_of(const struct walk_pattern *pattern, int k) {
  struct sim_random random = sim_random_from(pattern->seed, DRAW_SCATTER + (uint64_t)k);
  const double side = copysign(1.0, pattern->home[walk_swing_foot(k)].y);
  const double x = sim_uniform(&random, -pattern->scatter, pattern->scatter);
  return (vec3){x, side * sim_uniform(&random, 0.0, pattern->scatter), 0.0};
}

vec3 turn_left(double angle, vec3 v) {
  const double c = cos(angle), s = sin(angle);
  return (vec3){c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}

/* Strides that lie behind once step k has landed; the last foot only closes up. */
static int strides_of(const struct walk_pattern *pattern, int k) {
  const int strides = k + 1 < pattern->steps ? k + 1 : pattern->steps - 1;
  return k < 0 ? 0 : strides;
}

double walk_heading(const struct walk_pattern *pattern, int k) {
  return pattern->turn * (double)strides_of(pattern, k);
}

/* So many strides, each along the mean of the headings before and after it: chords of a circle. */
static vec3 way_of(const struct walk_pattern *pattern, int strides) {
  const double half = 0.5 * pattern->turn, n = (double)strides;
  const double chords = half == 0.0 ? n : sin(n * half) / sin(half);
  return turn_left(n * half, vec3_scale(chords, (vec3){pattern->length, pattern->side, 0.0}));
}

vec3 walk_foothold(const struct walk_pattern *pattern, int k) {
  vec3 p = vec3_add(pattern->home[walk_swing_foot(k)], way_of(pattern, strides_of(pattern, k)));
  vec3 aside = vec3_sub(pattern->home[walk_swing_foot(k)], pattern->middle);
  if (k >= 0) {
    const vec3 scatter = scatter_of(pattern, k);
    p = vec3_add(p, scatter);
    aside = vec3_add(aside, scatter);
  }
  if (k >= pattern->rise_step) {
    p.x += pattern->leap;
    p.z += pattern->rise;
    aside.x += pattern->leap;
  }
  return vec3_add(p, vec3_sub(turn_left(walk_heading(pattern, k), aside), aside));
}

static double step_period(const struct walk_pattern *pattern) {
  return pattern->double_s + pattern->single_s;
}

struct walk_phase walk_phase_at(const struct walk_pattern *pattern, double t) {
  const double since = t - pattern->start_s;
  if (since < 0.0) {
    return (struct walk_phase){.step = -1, .share = 1.0};
  }
  const double number = floor(since / step_period(pattern));
  const int k = number < (double)pattern->steps ? (int)number : pattern->steps;
  const double in_step = since - (double)k * step_period(pattern);
  const bool single = k < pattern->steps && in_step >= pattern->double_s;
  return (struct walk_phase){.step = k,
                             .single = single,
                             .since_s = single ? in_step - pattern->double_s : in_step,
                             .share = fmin(in_step / pattern->double_s, 1.0)};
}

/* Where the weight rests once step k's double support is over: its stance foot; the middle of the
 * feet before the first step and after the last. */
static vec3 rest_point(const struct walk_pattern *pattern, int k) {
  if (k < 0) {
    return pattern->middle;
  }
  const vec3 stance = walk_foothold(pattern, k - 1);
  if (k < pattern->steps) {
    return stance;
  }
  return vec3_scale(0.5, vec3_add(walk_foothold(pattern, pattern->steps - 1),
                                  walk_foothold(pattern, pattern->steps - 2)));
}

static vec3 mix(vec3 a, double share, vec3 b) {
  return vec3_axpy(a, share, vec3_sub(b, a));
}

vec3 walk_zmp(const struct walk_pattern *pattern, double t) {
  const struct walk_phase phase = walk_phase_at(pattern, t);
  return mix(rest_point(pattern, phase.step - 1), phase.share, rest_point(pattern, phase.step));
}

/* int omega exp(-omega s) p(s) ds over a piece from p0 at s0 to p1 at s1. */
static vec3 weigh_piece(double omega, double s0, vec3 p0, double s1, vec3 p1) {
  if (s1 <= s0) {
    return VEC3_ZERO;
  }
  const vec3 slope = vec3_scale(1.0 / (omega * (s1 - s0)), vec3_sub(p1, p0));
  const vec3 at0 = vec3_scale(exp(-omega * s0), vec3_add(p0, slope));
  return vec3_axpy(at0, -exp(-omega * s1), vec3_add(p1, slope));
}

vec3 walk_dcm(const struct walk_pattern *pattern, double t) {
  const int first = walk_phase_at(pattern, t).step;
  double s = 0.0;
  vec3 p = walk_zmp(pattern, t), sum = VEC3_ZERO;
  for (int k = first; k <= first + PREVIEW_STEPS && k <= pattern->steps; k++) {
    const double begin = pattern->start_s + (double)k * step_period(pattern);
    const double moved = fmax(begin + pattern->double_s - t, s);
    const double end = fmax(begin + step_period(pattern) - t, s);
    const vec3 rest = rest_point(pattern, k);
    sum = vec3_add(sum, weigh_piece(pattern->omega, s, p, moved, rest));
    sum = vec3_add(sum, weigh_piece(pattern->omega, moved, rest, end, rest));
    s = end;
    p = rest;
  }
  return vec3_axpy(sum, exp(-pattern->omega * s), p); /* and there for ever */
}
