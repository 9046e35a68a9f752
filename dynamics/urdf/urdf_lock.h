/* Joints that are held fast: those that the configuration names, and those that move nothing. */
#ifndef URDF_LOCK_H
#define URDF_LOCK_H

#include "urdf/urdf_choices.h"
#include "urdf/urdf_document.h"
#include "urdf/urdf_tree.h"

/* Makes the chosen joints of `document` fixed, at their positions; with URDF_REPAIR_NEAREST also
 * those behind which nothing has mass. [start] [worker] Each is told in a note. BAD_ARGUMENT with
 * `error`: a pattern that no moving joint bears, or a position that is no number. */
enum status urdf_lock(struct urdf_document *document, const struct urdf_tree *tree,
                      const struct urdf_choices *choices, struct urdf_notes *notes,
                      struct message *error);

#endif
