/* Where the feet go, where the zero-moment point goes, and the motion of the centre of mass that
 * follows: the linear inverted pendulum.
 *
 * The zero-moment point p(t) rests in the stance foot and moves on in double support, linearly in
 * time. The divergent component of motion xi = c + cdot/omega obeys xi' = omega (xi - p); its only
 * bounded solution is the exponentially weighted future of p,
 *
 *   xi(t) = omega int_0^inf exp(-omega s) p(t + s) ds,
 *
 * which for piecewise linear p is a sum of closed terms. The centre of mass follows it, stably, by
 * cdot = omega (xi - c). All positions in the world frame of a plan in which nothing slips. */
#ifndef WALK_PATTERN_H
#define WALK_PATTERN_H

#include "math/spatial.h"

#include <stdint.h>

struct walk_pattern {
  double start_s;            /* s, the first double support begins */
  double single_s, double_s; /* s, duration of each support phase */
  double length, side;       /* m, forward and to the left per step */
  double turn;               /* rad, to the left per step */
  double omega;              /* 1/s, sqrt(g / height of the centre of mass) */
  int steps;                 /* how many; a large number walks on */
  double scatter;            /* m: footholds lie off by up to this, drawn from `seed` */
  uint64_t seed;
  vec3 home[2];      /* m, soles at the start: left, right */
  vec3 middle;       /* m, ZMP at the start */
  int rise_step;     /* this step and all later ones land higher by `rise`, and */
  double rise, leap; /* m: farther by `leap` */
};

/* Which support phase an instant belongs to. */
struct walk_phase {
  int step;       /* number of the step, 0 the first; -1 before, `steps` after the last */
  bool single;    /* the swing foot is in the air */
  double since_s; /* s since this phase began */
  double share;   /* 0 to 1: how far the weight has moved onto the new stance foot */
};

struct walk_phase walk_phase_at(const struct walk_pattern *pattern, double t);

/* The foot (0 left, 1 right) that swings in step k, where it lands, and how far it is then turned
 * to the left, rad. Steps -1 and -2 are the standing feet. [any] */
int walk_swing_foot(int k);
vec3 walk_foothold(const struct walk_pattern *pattern, int k);
double walk_heading(const struct walk_pattern *pattern, int k);

/* v turned to the left by `angle`, rad, about the vertical. [any] */
vec3 turn_left(double angle, vec3 v);

/* Zero-moment point and divergent component of motion at t, m; z is the ground's. [any] */
vec3 walk_zmp(const struct walk_pattern *pattern, double t);
vec3 walk_dcm(const struct walk_pattern *pattern, double t);

#endif
