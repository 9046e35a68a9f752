/* How far a URDF is taken as it is, and what is told about it.
 *
 * Descriptions as they are delivered hold what no body has and what nobody needs; who writes the
 * configuration chooses what becomes of that. What is read in spite of a fault is told in a
 * note. */
#ifndef URDF_CHOICES_H
#define URDF_CHOICES_H

#include "common/message.h"
#include "model/model.h"
#include "urdf/urdf_xml.h"

#include <stddef.h>

#define URDF_MAX_LOCKED  256
#define URDF_LOCKED_SIZE 96 /* bytes of a pattern with its position and final zero */
#define URDF_MAX_NOTES   40

enum urdf_repair {
  URDF_REPAIR_REFUSE, /* an inertia that no body has is refused */
  URDF_REPAIR_NEAREST /* it becomes the nearest that a body can have; a joint that moves nothing
                         with mass becomes fixed, and a body without mass between two that have
                         some gets a gram */
};

enum urdf_inertia {
  URDF_INERTIA_GIVEN,  /* the description has it */
  URDF_INERTIA_UNKNOWN /* what it has is not looked at: every body is a stand-in of 1 kg */
};

struct urdf_choices {
  enum urdf_repair repair;
  enum urdf_inertia inertia;
  size_t n_locked;
  char locked[URDF_MAX_LOCKED][URDF_LOCKED_SIZE]; /* joints held fast: a name or pattern (* and ?),
                                                     at position 0 or, as "name=0.3", rad or m */
};

/* `line:column: what`, in the order in which they were found. */
struct urdf_notes {
  size_t n; /* found; the first URDF_MAX_NOTES are kept */
  struct message note[URDF_MAX_NOTES];
};

/* Adds a note about what stands at `place`. [start] [worker] NULL is allowed. */
__attribute__((format(printf, 3, 4))) void
urdf_note(struct urdf_notes *notes, const struct xml_place *place, const char *format, ...);

#endif
