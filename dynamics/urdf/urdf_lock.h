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

/* The same of joints that follow one that does not move, or follow it 0 times. [start] [worker] */
void urdf_lock_followers(struct urdf_document *document, const struct urdf_tree *tree,
                         struct urdf_notes *notes);

/* Names in `choices`, as far as there is room, the joints of `text` that are read only where they
 * are locked. [start] [worker] Statuses and messages as urdf_read. */
enum status urdf_lock_loose(const char *text, size_t length, struct urdf_choices *choices,
                            struct message *error);

#endif
