#include "urdf/urdf_mimic.h"

#include "urdf/urdf_attribute.h"

#include <math.h>

static bool moves(const struct urdf_joint *joint) {
  return joint->type != URDF_FIXED && joint->type != URDF_FLOATING;
}

enum status urdf_mimic_resolve(const struct urdf_document *document, const struct urdf_tree *tree,
                               size_t j, struct urdf_mimic *mimic, struct message *error) {
  struct urdf_mimic result = {.leader = j, .ratio = 1.0, .offset = 0.0};
  const struct xml_element element = {.name = "mimic", .place = document->joint[j].mimic_place};
  const struct urdf_cursor at = {&element, "joint", document->joint[j].name, error};
  for (size_t steps = 0; document->joint[result.leader].has_mimic; steps++) {
    const struct urdf_joint *follower = &document->joint[result.leader];
    const long leader = name_index_find(&tree->joints, follower->mimic);
    if (leader < 0) {
      return urdf_refuse(&at, STATUS_BAD_ARGUMENT, "joint '%s' does not exist", follower->mimic);
    }
    if (!moves(&document->joint[leader])) {
      return urdf_refuse(&at, STATUS_BAD_ARGUMENT, "joint '%s' does not move", follower->mimic);
    }
    if (steps >= document->n_joints) {
      return urdf_refuse(&at, STATUS_BAD_ARGUMENT, "following '%s' leads back to itself",
                         document->joint[j].mimic);
    }
    /* q_j = ratio (multiplier q + offset') + offset */
    result.offset += result.ratio * follower->offset;
    result.ratio *= follower->multiplier;
    result.leader = (size_t)leader;
  }
  if (fabs(result.ratio) > URDF_MAX_FACTOR || fabs(result.offset) > URDF_MAX_FACTOR) {
    return urdf_refuse(&at, STATUS_OUT_OF_RANGE,
                       "following '%s' to the end gives ratio %g and offset %g, beyond +-%g",
                       document->joint[j].mimic, result.ratio, result.offset, URDF_MAX_FACTOR);
  }
  *mimic = result;
  return STATUS_OK;
}
