/* Joints that follow other joints: q = ratio q_leader + offset. */
#ifndef URDF_MIMIC_H
#define URDF_MIMIC_H

#include "common/message.h"
#include "common/status.h"
#include "urdf/urdf_document.h"
#include "urdf/urdf_tree.h"

/* What a joint follows at last, when its leader follows another one in turn. */
struct urdf_mimic {
  size_t leader; /* document's joint index; the joint itself when it follows none */
  double ratio, offset;
};

/* Resolves <mimic> of joint `j`, chains included. [start] [worker]
 * STATUS_BAD_ARGUMENT: the leader does not exist, does not move, or following it leads back here;
 * STATUS_OUT_OF_RANGE: the product of the ratios is absurd. Then `error` (not NULL) says so and
 * `mimic` is untouched. */
enum status urdf_mimic_resolve(const struct urdf_document *document, const struct urdf_tree *tree,
                               size_t j, struct urdf_mimic *mimic, struct message *error);

#endif
