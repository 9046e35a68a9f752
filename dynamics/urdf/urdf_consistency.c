#include "urdf/urdf_consistency.h"

#include "inertia/inertia.h"
#include "inertia/pseudo_inertia.h"
#include "math/sym4.h"

static void describe(const struct inertia *inertia, const struct inertia_verdict *verdict,
                     struct message *what) {
  const char *condition = inertia_condition_text(verdict->condition);
  double moment[3] = {0}; /* principal, about the centre of mass, ascending */
  if (inertia->m > 0.0) {
    const mat3 I_C = inertia_tensor_at_com(inertia);
    sym3_eigen(&I_C, moment, NULL);
  }
  switch (verdict->condition) {
  case INERTIA_MASS_NOT_POSITIVE:
    message_set(what, "%s: %g kg must be above 0", condition, inertia->m);
    return;
  case INERTIA_MOMENT_NOT_POSITIVE:
    message_set(what, "%s: %g kg m^2 must be above 0, the others are %g and %g", condition,
                moment[0], moment[1], moment[2]);
    return;
  case INERTIA_TRIANGLE_VIOLATED:
    message_set(what, "%s: %g must be below %g + %g = %g kg m^2", condition, moment[2], moment[0],
                moment[1], moment[0] + moment[1]);
    return;
  case INERTIA_TOO_THIN:
    message_set(what, "%s: %g m must be at least %g m; principal moments %g, %g and %g kg m^2",
                condition, verdict->value, verdict->limit, moment[0], moment[1], moment[2]);
    return;
  default:
    message_set(what, "%s", condition);
  }
}

enum status urdf_consistent(const struct inertia *inertia, struct message *what) {
  struct inertia_verdict verdict;
  if (inertia_consistency(inertia, URDF_LEAST_SPREAD, &verdict) == STATUS_OK) {
    return STATUS_OK;
  }
  describe(inertia, &verdict, what);
  return STATUS_NOT_CONSISTENT;
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
