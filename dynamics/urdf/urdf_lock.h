/* Joints that are held fast: those that the configuration names, and those that move nothing. */
#ifndef URDF_LOCK_H
#define URDF_LOCK_H

#include "urdf/urdf_choices.h"
#include "urdf/urdf_document.h"
#include "urdf/urdf_tree.h"

/* Makes the chosen joints of `document` fixed, at their positions; a floating or planar one, which
 * has no position, where its name is given in full. [start] [worker] Each is told in a note.
 * BAD_ARGUMENT with `error`: a pattern that no moving joint bears, or a position that is no
 * number. */
enum status urdf_lock_named(struct urdf_document *document, const struct urdf_choices *choices,
                            struct urdf_notes *notes, struct message *error);

/* The same of joints behind which nothing has mass. [start] [worker] NO_MEMORY with `error`. */
enum status urdf_lock_massless(struct urdf_document *document, const struct urdf_tree *tree,
                               struct urdf_notes *notes, struct message *error);

#endif
