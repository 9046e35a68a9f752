#include "model/model_hash.h"

#include <string.h>

static uint64_t mix(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

/* With its final zero, so that names cannot run into each other. */
static uint64_t mix_name(uint64_t hash, const char *name) {
  return mix(hash, name, strlen(name) + 1);
}

static uint64_t mix_joint(uint64_t hash, const struct joint *joint) {
  const int32_t kind[] = {(int32_t)joint->type, joint->mimics};
  const double number[] = {joint->rotor_inertia, joint->viscous, joint->coulomb, joint->mimic_ratio,
                           joint->mimic_offset};
  hash = mix_name(hash, joint->name);
  hash = mix(hash, kind, sizeof(kind));
  hash = mix(hash, &joint->placement, sizeof(joint->placement));
  hash = mix(hash, &joint->axis, sizeof(joint->axis));
  return mix(hash, number, sizeof(number));
}

uint64_t model_hash(const struct model *model) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < model->n_links; i++) {
    const int32_t parent = model->parent[i];
    hash = mix_name(hash, model->link_name[i]);
    hash = mix(hash, &parent, sizeof(parent));
    hash = mix(hash, &model->inertia[i], sizeof(model->inertia[i])); /* ten doubles, no padding */
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    hash = mix_joint(hash, &model->joint[j]);
  }
  return hash;
}
