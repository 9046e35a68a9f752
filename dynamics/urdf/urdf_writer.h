/* The same URDF with other inertial parameters: everything else stays byte for byte. */
#ifndef URDF_WRITER_H
#define URDF_WRITER_H

#include "common/message.h"
#include "common/status.h"
#include "model/model.h"

#include <stddef.h>

/* New parameters for one body of the model that urdf_read makes of the same text. */
struct urdf_change {
  const char *link;       /* the body's name, model->link_name[i] */
  struct inertia inertia; /* about the body's origin, body coordinates, lumped links included */
};

/* Writes `text` with the changed bodies' new values into a block from malloc, `*out` (ended by a
 * zero byte, `*out_length` bytes without it), which the caller frees. [start] [worker]
 *
 * Only attribute values of <mass>, <inertia> and the inertial <origin> change; what is missing is
 * inserted behind the link's opening tag. Where fixed links are lumped onto the body they keep
 * their values and the body's own link takes the difference; if no body could have that difference,
 * the own link takes all and theirs become zero. STATUS_BAD_ARGUMENT: no such body;
 * STATUS_NOT_CONSISTENT: new values that no distribution of mass has; otherwise the statuses of
 * urdf_read. `out` is written only with STATUS_OK. */
enum status urdf_write(const char *text, size_t length, const struct urdf_change *changes,
                       size_t n_changes, char **out, size_t *out_length, struct message *error);

/* New numbers for what lies between motor and link of one joint. */
struct urdf_drive_change {
  const char *joint;    /* a moving joint's name, model->joint[j].name */
  double viscous;       /* N m s/rad, >= 0: <dynamics damping> */
  double coulomb;       /* N m, >= 0: <dynamics friction> */
  double rotor_inertia; /* kg m^2 or kg at the joint, >= 0: <rotor inertia>, its ratio then 1 */
};

/* The same for drives: attribute values of <dynamics> and <rotor> change, missing elements are
 * inserted behind the joint's opening tag (a rotor of 0 is not). STATUS_BAD_ARGUMENT: no such
 * joint; STATUS_OUT_OF_RANGE: a value below zero or not finite; otherwise as urdf_write. */
enum status urdf_write_drives(const char *text, size_t length,
                              const struct urdf_drive_change *changes, size_t n_changes, char **out,
                              size_t *out_length, struct message *error);

#endif
