/* Whether a body with given inertial parameters can lie within an ellipsoid. All functions: [any].
 *
 * E = { x : (x - centre)^T Q^-1 (x - centre) <= 1 } in link coordinates. A link's shape is known
 * better than its mass: its parameters must be those of some mass inside it. */
#ifndef BOUNDING_ELLIPSOID_H
#define BOUNDING_ELLIPSOID_H

#include "common/status.h"
#include "inertia/inertia.h"
#include "math/sym4.h"

struct ellipsoid {
  vec3 centre; /* m */
  mat3 Q;      /* m^2, symmetric positive definite: the squared half axes in their own directions */
};

/* An ellipsoid with half axes (m) along the axes of a pose in the link frame. */
struct ellipsoid ellipsoid_from_axes(const struct pose *X_LE, vec3 half_axes);

/* The matrix of tr(J Qbar) >= 0: with it, realisability is one linear inequality in the parameters.
 * STATUS_SINGULAR when Q is not positive definite; STATUS_NOT_FINITE. */
enum status ellipsoid_matrix(const struct ellipsoid *ellipsoid, mat4 *Qbar);

/* By how much, as a share of the mass, the parameters can be realised inside: the mean over the
 * mass of 1 - (x - centre)^T Q^-1 (x - centre), between -infinity and 1. Mass inside has it >= 0;
 * and physically consistent parameters with it >= 0 can be realised by mass inside.
 * STATUS_NOT_CONSISTENT when the mass is not positive, else as ellipsoid_matrix. */
enum status ellipsoid_room(const struct ellipsoid *ellipsoid, const struct inertia *pi,
                           double *room);

/* True when the centre of mass lies inside: a weaker demand. */
enum status ellipsoid_holds_com(const struct ellipsoid *ellipsoid, const struct inertia *pi,
                                bool *inside);

#endif
