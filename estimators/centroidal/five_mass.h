/* The robot as five points of mass: torso with head, two legs, two arms (Ficht and Behnke II).
 *
 * A limb's mass lies in the triangle of its joint centres origin o, bend k and end e:
 *
 *   m = o + p_l ((k - o) + p_s (e - k))
 *
 * The three points are fixed to links, so velocity, acceleration and Jacobian of the mass are the
 * same combination of theirs. Robots without arms have three masses, quadrupeds five, none of them
 * an arm; a robot without legs has no inertia orientation. Each group of bodies may add one
 * constant inertia of its own, without which the inertia of five points is a third too small.
 * Where waist joints part chest and pelvis, the torso's mass lies between a point of either.
 *
 * Everything here is [real-time]. */
#ifndef FIVE_MASS_H
#define FIVE_MASS_H

#include "body/kinematics.h"
#include "common/status.h"

#define FIVE_MASS_LIMBS 6                     /* most limbs; a humanoid has four */
#define FIVE_MASS_MOST  (1 + FIVE_MASS_LIMBS) /* the torso is number 0 */

enum limb_kind { LIMB_LEG, LIMB_ARM };

/* A point that is fixed to a link. */
struct link_point {
  size_t link;
  vec3 at; /* m, link coordinates */
};

struct five_mass_limb {
  enum limb_kind kind;
  int side;                  /* 1 left, -1 right */
  struct link_point o, k, e; /* hip or shoulder, knee or elbow, ankle or wrist */
  double p_s, p_l;           /* side and length distribution, of [0, 1] in a real limb */
};

/* What a robot's masses are: by hand, or fitted (five_mass_fit.h). */
struct five_mass_model {
  struct link_point torso;  /* the mass of the torso, on the link that carries the arms */
  struct link_point pelvis; /* with a waist: the part of the torso that stays with the base ... */
  double pelvis_share;      /* ... and its share of the torso's mass; 0 without */
  size_t n_limbs;
  struct five_mass_limb limb[FIVE_MASS_LIMBS];
  double w[FIVE_MASS_MOST];        /* kg: torso, then the limbs */
  mat3 own[FIVE_MASS_MOST];        /* kg m^2: the group's inertia about its own centre of mass,
                                    * axes of the link own_link */
  size_t own_link[FIVE_MASS_MOST]; /* the torso's link, a limb's thigh or upper arm */
};

/* The masses as they move. Base axes; positions from the base origin, velocities as seen from the
 * world, accelerations proper (gravity included), as far as the kinematics know the base's. */
struct five_mass {
  size_t n;                 /* masses */
  double w[FIVE_MASS_MOST]; /* kg */
  vec3 m[FIVE_MASS_MOST], v[FIVE_MASS_MOST], a[FIVE_MASS_MOST];
  double total;                             /* kg */
  vec3 com, com_velocity, com_acceleration; /* (3) and its derivatives */
  mat3 inertia;                             /* kg m^2 about com, own inertias included */
  vec3 momentum;                            /* kg m^2/s about com, own inertias included */
};

/* Where the masses are and how they move. BAD_ARGUMENT: `kin` has no accelerations; SINGULAR: no
 * mass. */
enum status five_mass_step(const struct five_mass_model *model, const struct kinematics *kin,
                           struct five_mass *out);

/* Jacobian of limb `i`'s mass: velocity in base axes = J [omega_B; v_B; dq].
 *   J  out, [3][6 + n_joints]
 * BAD_ARGUMENT: no such limb, or `kin` never updated. */
enum status five_mass_jacobian(const struct five_mass_model *model, const struct kinematics *kin,
                               size_t i, double *J);

/* Velocity of limb `i`'s mass relative to the base, from joint velocities alone: J dq, m/s.
 *   dq  [n_joints] rad/s: not necessarily those in `kin` */
vec3 five_mass_limb_velocity(const struct five_mass_model *model, const struct kinematics *kin,
                             size_t i, const double *dq);

/* The orientation of the inertia as the paper defines it, R_WI: z from the legs' to the upper
 * body's mass, yaw the weighted mean of the yaws of legs and arms about it. It is continuous, and
 * an angle of posture: not the integral of any angular momentum.
 *   m_W       [1 + n_limbs] masses, world axes, from any one point
 *   lateral_W the torso's left, world axes: stands for the upper body's yaw where there are no arms
 * SINGULAR: no legs; upside down; or both masses of a pair above one another. */
enum status five_mass_orientation(const struct five_mass_model *model, const vec3 *m_W,
                                  vec3 lateral_W, mat3 *R_WI);

/* Principal moments I_PA: the diagonal of the inertia in the axes of R_I; both in the same frame.
 */
vec3 five_mass_moments(const mat3 *inertia, const mat3 *R_I);

#endif
