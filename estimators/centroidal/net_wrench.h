/* The wrench of the world on the whole robot, and what controllers make of it: centre of pressure
 * and divergent component of motion, without a force sensor.
 *
 * All contacts together give f = m (cddot - g) and, about the centre of mass, dL/dt: both come from
 * one pass over the full model (centroidal.h), and with them the point of the ground about which
 * the contacts have no horizontal moment:
 *
 *   p_x = c_x - (c_z - p_z) f_x/f_z - dL_y/f_z,   p_y = c_y - (c_z - p_z) f_y/f_z + dL_x/f_z
 *
 * The wrench is smoothed as a whole, never one part: errors of its parts cancel in the centre of
 * pressure. */
#ifndef NET_WRENCH_H
#define NET_WRENCH_H

#include "body/centroidal.h"
#include "common/status.h"
#include "propriod/state.h"

#include <stdbool.h>

struct net_wrench_settings {
  double corner_hz; /* Hz: of the first-order smoothing; 0 for none */
  double
      least_vertical; /* of the weight: with less vertical force there is no centre of pressure */
};

struct net_wrench_settings net_wrench_defaults(void);

struct net_wrench {
  struct net_wrench_settings settings;
  struct force wrench_W; /* smoothed: moment about the centre of mass, N m; force, N; world axes */
  struct force raw_W;    /* of this instant */
  double cov[6][6];      /* N m, N: of raw_W; zero while not known */
  vec3 com_sd;           /* m, world axes: of where the centre of mass is in the robot */
  struct force unrest_W; /* N m, N: what the smoothing has hidden of late, per axis, decaying */
  bool started;
};

/* [start] OUT_OF_RANGE: a negative or non-finite setting. */
enum status net_wrench_init(struct net_wrench *net, const struct net_wrench_settings *settings);

/* Takes the momentum's rate of this instant. [real-time] dt: s since the last step. */
void net_wrench_step(struct net_wrench *net, const struct centroidal *centroidal, const mat3 *R_WB,
                     double dt);

/* One standard deviation of the force, N: of the motion that it follows from, and what the
 * smoothing hides. [real-time] */
vec3 net_wrench_force_sd(const struct net_wrench *net);

/* The point at height `ground` where the contacts' horizontal moment vanishes. [real-time]
 *   com_W   m
 *   cop_W   out, m
 *   sd      out, [2] m: one standard deviation along the world's x and y
 *   hidden  out, [2] m: by how much more it may be off for what the smoothing hides
 * OUT_OF_RANGE: too little vertical force, in flight or lifted; outputs untouched. Never clipped to
 * the feet: outside of them it says that something else touches, or that the estimate is wrong. */
enum status net_wrench_cop(const struct net_wrench *net, vec3 com_W, double ground, double weight,
                           vec3 *cop_W, double sd[2], double hidden[2]);

/* xi = c + cdot / omega0 with omega0 = sqrt(g / height), height of the centre of mass over the
 * ground. [any] OUT_OF_RANGE: the centre of mass is not above the ground. */
enum status divergent_component(vec3 com_W, vec3 com_velocity_W, double ground, vec3 *dcm_W);

#endif
