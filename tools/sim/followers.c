#include "followers.h"

struct follower follower_of(const struct model *model, size_t j) {
  struct follower f = {.leader = j, .ratio = 1.0, .offset = 0.0};
  for (size_t steps = 0; steps < model->n_joints; steps++) {
    const struct joint *joint = &model->joint[f.leader];
    if (joint->mimics == MODEL_NO_JOINT) {
      break;
    }
    f.offset += f.ratio * joint->mimic_offset;
    f.ratio *= joint->mimic_ratio;
    f.leader = (size_t)joint->mimics;
  }
  return f;
}
