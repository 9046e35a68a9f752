/* Can some distribution of mass have these inertial parameters, and if not, why not? */
#ifndef URDF_CONSISTENCY_H
#define URDF_CONSISTENCY_H

#include "common/message.h"
#include "common/status.h"
#include "model/model.h"
#include "urdf/urdf_bodies.h"

/* Mass must spread at least this far (root mean square, m) from every plane through its centre: a
 * micrometre tells a real body from the rounding of a flat, line-shaped or point-shaped one. */
#define URDF_LEAST_SPREAD 1e-6

/* STATUS_OK if the pseudo-inertia is positive definite, else STATUS_NOT_CONSISTENT and in `what`
 * (may be NULL) the condition that is violated, with values and limit: mass above zero, principal
 * moments about the centre of mass above zero, the largest below the sum of the other two, spread.
 * [start] [worker] */
enum status urdf_consistent(const struct inertia *inertia, struct message *what);

/* The same for body `b` of a document, with line, column and name of the link to blame: a link
 * whose own <inertial> is inconsistent, or else the body's first. The base may have no mass at
 * all. */
enum status urdf_body_consistent(const struct urdf_document *document,
                                 const struct urdf_bodies *bodies, size_t b, size_t *blamed_link,
                                 struct message *error);

#endif
