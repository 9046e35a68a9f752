/* How the links of a URDF hang together: names resolved, one root, no cycle, an order of visit. */
#ifndef URDF_TREE_H
#define URDF_TREE_H

#include "common/message.h"
#include "common/name_index.h"
#include "common/status.h"
#include "urdf/urdf_document.h"

#include <stddef.h>

/* All indices are those of the document's tables. */
struct urdf_tree {
  struct name_index links, joints;
  long *joint_above; /* [n_links] the joint whose child the link is, or -1 */
  long *parent;      /* [n_links] the link at the other end of that joint, or -1 */
  size_t n_order;
  size_t *order; /* [n_order] links depth first from the base, children in the order of the file. A
                    link above a floating joint (`world`) is left out. */
};

/* Builds the tree; [start] [worker]. Only with STATUS_OK is there something to free; `document`
 * must outlive it. Statuses and messages as urdf_read; `error` is not NULL. */
enum status urdf_tree_build(const struct urdf_document *document, struct urdf_tree *tree,
                            struct message *error);
void urdf_tree_free(struct urdf_tree *tree);

/* A planar or floating joint other than the one that frees the base. [start] [worker] */
bool urdf_joint_is_loose(const struct urdf_document *document, const struct urdf_joint *joint);

/* What a joint follows at last, when its leader follows another one in turn. */
struct urdf_mimic {
  size_t leader; /* document's joint index; the joint itself when it follows none; one that does not
                    move has followers only before urdf_lock_followers */
  double ratio, offset;
};

/* Resolves <mimic> of joint `j`, chains included. [start] [worker]
 * STATUS_BAD_ARGUMENT: the leader does not exist, or following it leads back here;
 * STATUS_OUT_OF_RANGE: the product of the ratios is absurd. Then `error` (not NULL) says so and
 * `mimic` is untouched. */
enum status urdf_mimic_resolve(const struct urdf_document *document, const struct urdf_tree *tree,
                               size_t j, struct urdf_mimic *mimic, struct message *error);

#endif
