#include "base/known_feet.h"

#include "body/frames.h"
#include "joints/joint_filter.h"

static bool is_unknown(const struct robot *robot, const struct kinematics *kin,
                       const struct model_frame *foot, const double *q_sd,
                       const uint64_t *joint_health, bool rests) {
  const struct model *model = &robot->model;
  const vec3 sole = frame_pose(kin, foot->link, &foot->placement).p;
  bool tried = false;
  double variance = 0.0;
  for (int link = (int)foot->link; link > 0; link = model->parent[link]) {
    const size_t j = (size_t)link - 1;
    const bool slides = model->joint[j].type == JOINT_PRISMATIC;
    const double arm = slides ? 1.0 : vec3_norm(vec3_sub(sole, kin->X_BL[link].p));
    variance += arm * arm * q_sd[j] * q_sd[j];
    tried = tried || joint_health[j] == ENCODER_STEPPED;
  }
  return tried || (!rests && variance > KNOWN_FOOT_SD * KNOWN_FOOT_SD);
}

void known_feet(const struct robot *robot, const struct kinematics *kin, const double *q_sd,
                const uint64_t *joint_health, const bool *rests, bool *unknown) {
  for (size_t i = 0; i < robot->n_feet; i++) {
    unknown[i] = is_unknown(robot, kin, &robot->foot[i], q_sd, joint_health, rests[i]);
  }
}
