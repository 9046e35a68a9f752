/* What the robot's model does not know of its own bodies, and what that does to the whole: masses
 * that are wrong by a share, centres that are off by some millimetres, each body's for itself; and
 * a mass that the model does not have at all, a load, on each body as likely as on any other.
 *
 * To first order, with r, v, a a body's centre against the whole's (v, a their rates), w and u what
 * its turning makes of a shift e of its centre (omega x e; alpha x e + omega x (omega x e)):
 *
 *                        a share more mass, m      its centre shifted by e, m
 *   centre of mass, M    r                         e
 *   its velocity, M      v                         w
 *   its acceleration, M  a                         u
 *   momentum             r x v                     e x v + r x w
 *   force                a, gravity included       u
 *   momentum's rate      r x a                     e x a + r x u
 *
 * Bodies count as points at their centres. */
#ifndef MODEL_DOUBT_H
#define MODEL_DOUBT_H

#include "body/centroidal.h"
#include "body/kinematics.h"
#include "common/status.h"

struct model_doubt_settings {
  double mass;   /* of a body's mass, one standard deviation */
  double centre; /* m: of a body's centre along each axis, likewise */
};

struct model_doubt_settings model_doubt_defaults(void);

/* [start] OUT_OF_RANGE: negative or not finite. */
enum status model_doubt_check(const struct model_doubt_settings *settings);

/* Two vectors of the whole that are looked at together. */
enum whole {
  WHOLE_POSITION,     /* centre of mass in world axes, and in base axes: m */
  WHOLE_MOMENTUM,     /* angular momentum, velocity of the centre of mass: kg m^2/s, m/s; world */
  WHOLE_RATE,         /* rate of angular momentum, force: N m, N; world */
  WHOLE_ACCELERATION, /* of the centre of mass, and nothing: m/s^2; world */
  WHOLE_DCM,          /* divergent component, and nothing: m; world */
  WHOLES
};

/* cov [6][6] += the covariance of the two vectors. [real-time]
 *   kin         of this instant; inertia: [n_links]; centroidal: made of both
 *   load        kg: that the model does not have; 0: none is felt
 *   dcm_s       s: of the divergent component, 1 / omega0 */
void model_doubt_add(const struct model_doubt_settings *settings, enum whole whole,
                     const struct kinematics *kin, const struct inertia *inertia,
                     const struct centroidal *centroidal, const mat3 *R_WB, double load,
                     double dcm_s, double cov[6][6]);

#endif
