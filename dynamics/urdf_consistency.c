#include "urdf_consistency.h"

#include <lapacke.h>
#include <math.h>

/* Principal moments about the centre of mass, smallest first, kg m^2; m > 0. */
static enum status principal_moments(const struct inertia *inertia, double moment[3]) {
  const double m = inertia->m;
  const vec3 h = inertia->h;
  /* column-major lower triangle of I - (h.h 1 - h h^T)/m */
  double I_C[9] = {inertia->Ixx - (h.y * h.y + h.z * h.z) / m,
                   inertia->Ixy + h.x * h.y / m,
                   inertia->Ixz + h.x * h.z / m,
                   0.0,
                   inertia->Iyy - (h.x * h.x + h.z * h.z) / m,
                   inertia->Iyz + h.y * h.z / m,
                   0.0,
                   0.0,
                   inertia->Izz - (h.x * h.x + h.y * h.y) / m};
  double work[32];
  const lapack_int failed = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', 3, I_C, 3, moment, work,
                                               sizeof(work) / sizeof(work[0]));
  return failed == 0 ? STATUS_OK : STATUS_NO_CONVERGENCE;
}

/* @eq Wensing17 Thm.3 */
enum status urdf_consistent(const struct inertia *inertia, struct message *what) {
  if (!(inertia->m > 0.0)) {
    message_set(what, "mass: %g kg must be above 0", inertia->m);
    return STATUS_NOT_CONSISTENT;
  }
  double moment[3];
  if (principal_moments(inertia, moment) != STATUS_OK) {
    message_set(what, "inertia: principal moments cannot be found");
    return STATUS_NOT_CONSISTENT;
  }
  const double margin = URDF_INERTIA_MARGIN * fmax(fabs(moment[0]), fabs(moment[2]));
  if (!(moment[0] > margin)) {
    message_set(what,
                "inertia is not positive definite: the smallest principal moment about the centre "
                "of mass, %g kg m^2, must be above 0 (the others are %g and %g)",
                moment[0], moment[1], moment[2]);
    return STATUS_NOT_CONSISTENT;
  }
  if (!(moment[0] + moment[1] - moment[2] > margin)) {
    message_set(what,
                "inertia violates the triangle inequality: the largest principal moment, %g kg "
                "m^2, must be below the sum of the others, %g + %g = %g",
                moment[2], moment[0], moment[1], moment[0] + moment[1]);
    return STATUS_NOT_CONSISTENT;
  }
  return STATUS_OK;
}

/* No link of the body has any inertia, not even of the wrong kind. */
static bool is_massless(const struct inertia *inertia) {
  return inertia->m == 0.0 && inertia->Ixx == 0.0 && inertia->Ixy == 0.0 && inertia->Ixz == 0.0 &&
         inertia->Iyy == 0.0 && inertia->Iyz == 0.0 && inertia->Izz == 0.0;
}

/* The first link of body `b` that is inconsistent on its own, or the body's first link. */
static size_t link_to_blame(const struct urdf_document *document, const struct urdf_bodies *bodies,
                            size_t b) {
  for (size_t i = 0; i < document->n_links; i++) {
    const struct urdf_link *link = &document->link[i];
    if (bodies->of_link[i] == (long)b && link->has_inertial) {
      const struct inertia own = urdf_inertial_about(&link->inertial, &POSE_IDENTITY);
      if (!is_massless(&own) && urdf_consistent(&own, NULL) != STATUS_OK) {
        return i;
      }
    }
  }
  return bodies->link[b];
}

enum status urdf_body_consistent(const struct urdf_document *document,
                                 const struct urdf_bodies *bodies, size_t b, size_t *blamed_link,
                                 struct message *error) {
  struct message what;
  const struct inertia *inertia = &bodies->inertia[b];
  if (is_massless(inertia)) {
    if (b == 0) {
      return STATUS_OK;
    }
    message_set(&what, "it moves and has no mass: it or a link fixed to it needs an <inertial>");
  } else if (urdf_consistent(inertia, &what) == STATUS_OK) {
    return STATUS_OK;
  }
  *blamed_link = link_to_blame(document, bodies, b);
  const struct urdf_link *link = &document->link[*blamed_link];
  const struct xml_place *at = link->has_inertial ? &link->inertial_place : &link->place;
  message_set(error, "%lu:%lu: link '%s': %.380s", at->line, at->column, link->name, what.text);
  return STATUS_NOT_CONSISTENT;
}
