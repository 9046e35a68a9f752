/* Links that fixed joints join are one body: which, where, and with what inertia. */
#ifndef URDF_BODIES_H
#define URDF_BODIES_H

#include "common/message.h"
#include "common/status.h"
#include "model/model.h"
#include "urdf/urdf_document.h"
#include "urdf/urdf_tree.h"

#include <stddef.h>

struct urdf_bodies {
  size_t n;                /* bodies; 0 is the base, the others move with the joint above `link` */
  size_t *link;            /* [n] first link of each body; its frame is the body's */
  struct inertia *inertia; /* [n] sum over the body's links, about its origin, its coordinates */
  long *of_link;        /* [n_links] body that the link is part of, or -1 above a floating joint */
  struct pose *in_body; /* [n_links] pose of the link's frame in its body's frame */
};

/* Lumps; [start] [worker]. Bodies keep the order of the tree, so that a body's parent has a smaller
 * number. Only with STATUS_OK is there something to free. STATUS_OUT_OF_RANGE: no moving joint or
 * more than MODEL_MAX_JOINTS; STATUS_NO_MEMORY. `error` is not NULL. */
enum status urdf_bodies_lump(const struct urdf_document *document, const struct urdf_tree *tree,
                             struct urdf_bodies *bodies, struct message *error);
void urdf_bodies_free(struct urdf_bodies *bodies);

/* The ten parameters of an <inertial> about the origin of a frame in which its link has pose
 * `link`, in that frame's coordinates. [any] */
struct inertia urdf_inertial_about(const struct urdf_inertial *inertial, const struct pose *link);

#endif
