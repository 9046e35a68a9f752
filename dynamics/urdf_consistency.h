/* Can some distribution of mass have these inertial parameters, and if not, why not? */
#ifndef URDF_CONSISTENCY_H
#define URDF_CONSISTENCY_H

#include "message.h"
#include "model.h"
#include "status.h"
#include "urdf_bodies.h"

/* Principal moments closer to a flat or line-shaped body than this fraction of the largest count as
 * violating their condition: the rounding of seven-digit files stays clear of it. */
#define URDF_INERTIA_MARGIN 1e-9

/* STATUS_OK if the pseudo-inertia is positive definite, else STATUS_NOT_CONSISTENT and in `what`
 * the condition that is violated, with values: mass above zero, principal moments about the centre
 * of mass above zero, the largest below the sum of the other two. [start, worker]
 * Equivalent to a positive definite pseudo-inertia by @eq Wensing17 Thm.3. */
enum status urdf_consistent(const struct inertia *inertia, struct message *what);

/* The same for body `b` of a document, with line, column and name of the link to blame: a link
 * whose own <inertial> is inconsistent, or else the body's first. The base may have no mass at all.
 */
enum status urdf_body_consistent(const struct urdf_document *document,
                                 const struct urdf_bodies *bodies, size_t b, size_t *blamed_link,
                                 struct message *error);

#endif
