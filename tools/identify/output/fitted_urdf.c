#include "identify/output/fitted_urdf.h"

#include "identify/output/provenance.h"
#include "identify/rows/rotor_bodies.h"
#include "urdf/urdf_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double found(const struct unknowns *u, const double *x, size_t drive, int kind,
                    double without) {
  return u->at[drive][kind] != UNKNOWN_NONE ? x[u->at[drive][kind]] : without;
}

/* What joint j has, with what couplings add when it moves alone. rotor: [n_joints] of rotors that
 * are bodies of their own. */
static struct urdf_drive_change drive_of(const struct unknowns *u, const double *x,
                                         const double *rotor, size_t j) {
  const struct joint *joint = &u->model->joint[j];
  struct urdf_drive_change change = {.joint = joint->name,
                                     .viscous = found(u, x, j, DRIVE_VISCOUS, joint->viscous),
                                     .coulomb = found(u, x, j, DRIVE_COULOMB, joint->coulomb),
                                     .rotor_inertia = found(u, x, j, DRIVE_ROTOR, rotor[j])};
  for (size_t c = 0; c < u->n_couplings; c++) {
    const size_t drive = u->model->n_joints + c;
    const double along = j == u->coupling[c].motor   ? 1.0
                         : j == u->coupling[c].joint ? u->coupling[c].ratio
                                                     : 0.0;
    change.viscous += along * along * found(u, x, drive, DRIVE_VISCOUS, 0.0);
    change.coulomb += fabs(along) * found(u, x, drive, DRIVE_COULOMB, 0.0);
    change.rotor_inertia += along * along * found(u, x, drive, DRIVE_ROTOR, 0.0);
  }
  return change;
}

enum status fitted_urdf(const char *urdf, const struct unknowns *unknowns,
                        const struct robot_fit *fit, const char *how, char **out,
                        struct message *error) {
  const struct model *model = unknowns->model;
  struct urdf_change body[MODEL_MAX_JOINTS + 1];
  struct urdf_drive_change drive[MODEL_MAX_JOINTS];
  char *bodies = NULL, *drives = NULL;
  size_t length = 0, all = 0;
  struct inertia link[MODEL_MAX_JOINTS + 1];
  double rotor[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < model->n_joints; j++) {
    rotor[j] = model->joint[j].rotor_inertia;
  }
  rotor_bodies_lump(unknowns, fit->x, link, rotor);
  for (size_t i = 0; i < unknowns->links; i++) {
    body[i] = (struct urdf_change){model->link_name[i + unknowns->first_link], link[i]};
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    drive[j] = drive_of(unknowns, fit->x, rotor, j);
  }
  enum status status =
      urdf_write(urdf, strlen(urdf), body, unknowns->links, &bodies, &length, error);
  if (status == STATUS_OK) {
    status = urdf_write_drives(bodies, length, drive, model->n_joints, &drives, &all, error);
  }
  free(bodies);
  if (status != STATUS_OK) {
    return status;
  }
  char *whole = provenance_write(drives, how, unknowns, fit->prior);
  free(drives);
  if (whole == NULL) {
    message_set(error, "no memory for %zu bytes of URDF", all);
    return STATUS_NO_MEMORY;
  }
  *out = whole;
  return STATUS_OK;
}
