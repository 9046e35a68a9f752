/* From the text of a URDF to a model.
 *
 * What is read: links with <inertial>; joints that are revolute, continuous, prismatic or fixed,
 * with <origin>, <axis> (any length but zero), <limit>, <dynamics damping friction>, <mimic>; one
 * floating joint at the root, which only says that the base is free; root-level <sensor> elements
 * with a parent link. Visuals, collisions, transmissions and simulators' elements are passed over.
 * One extension within <joint>: <rotor inertia="2e-5" ratio="100"/>, a motor's inertia in kg m^2
 * at the motor shaft (ratio 1 if not given); the model holds inertia ratio^2.
 *
 * Fixed joints are lumped: a body's frame is that of its first URDF link, and every URDF link,
 * fixed joint and sensor stays as a named frame. Bodies stand depth first in the order of the file,
 * so that each limb is contiguous. `lower` and `upper` that are both 0 or missing mean no limit, as
 * do `effort` 0 and `velocity` 0.
 *
 * After lumping every body's pseudo-inertia is positive definite; only the base may have no mass,
 * for arms bolted to a massless `world`. */
#ifndef URDF_READER_H
#define URDF_READER_H

#include "common/arena.h"
#include "common/message.h"
#include "common/status.h"
#include "model/model.h"
#include "urdf/urdf_choices.h"

#include <stddef.h>

#define URDF_MAX_BYTES ((size_t)16 << 20)

/* Builds `model` from the `length` bytes at `text`. [start] [worker] Allocates while it works.
 *
 * Over a counting arena everything is checked and `model` gets its counts and names, with NULL for
 * every array; over a real one the arrays are carved and filled. `model` is written only with
 * STATUS_OK. Otherwise `error` (may be NULL) holds `line:column: link 'x': what, value, limit` and
 * the status is
 *   STATUS_BAD_ARGUMENT    not a URDF, or a tree that cannot be built
 *   STATUS_NOT_FINITE      NaN or Inf where a number is needed
 *   STATUS_OUT_OF_RANGE    a value or a count beyond its limit
 *   STATUS_NOT_CONSISTENT  inertial parameters that no distribution of mass has
 *   STATUS_REFUSED         well-formed, and not accepted: macros that were not expanded
 *   STATUS_NO_MEMORY */
enum status urdf_read(const char *text, size_t length, struct arena *arena, struct model *model,
                      struct message *error);

/* The same, as far as `choices` (NULL: as above) lets pass what is refused above; `notes` (may be
 * NULL) tells what was read in spite of a fault. [start] [worker] */
enum status urdf_read_as(const char *text, size_t length, const struct urdf_choices *choices,
                         struct arena *arena, struct model *model, struct urdf_notes *notes,
                         struct message *error);

/* A body whose inertial parameters are not physically consistent. */
struct urdf_finding {
  char link[MODEL_NAME_SIZE]; /* URDF link: the body's own, or the one lumped onto it at fault */
  struct message complaint;   /* as urdf_read would say it */
};

/* Finds every inconsistent body, where urdf_read stops at the first. [start] [worker]
 * Writes at most `capacity` findings and their full number `*n_findings`; a sound model has none.
 * STATUS_OK also with findings; otherwise the text has a fault of another kind, told in `error`. */
enum status urdf_check(const char *text, size_t length, struct urdf_finding *findings,
                       size_t capacity, size_t *n_findings, struct message *error);

#endif
