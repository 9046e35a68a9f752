#include "limbs.h"

#define LATERAL   0.8 /* smallest |y| of an axis that counts as lateral */
/* of the robot's arm's origin from the middle plane, m: beyond is a side */
#define SIDE_STEP 0.02

static void note_joint(struct limbs *limbs, const struct posture *posture, size_t j) {
  const struct kinematics *kin = &posture->kin;
  const struct joint *joint = &kin->model->joint[j];
  const double y = kin->X_BL[j + 1].p.y, axis = kinematics_S_B(kin, j).ang.y;
  if (posture->is_leg[j] || fabs(axis) < LATERAL || fabs(y) < SIDE_STEP) {
    return;
  }
  struct arm *arm = &limbs->arm[y > 0.0 ? 0 : 1];
  if (arm->shoulder == MODEL_NO_JOINT) {
    arm->shoulder = (int)j;
    arm->forward = axis > 0.0 ? -1.0 : 1.0; /* about +y what hangs swings back */
  } else if (arm->elbow == MODEL_NO_JOINT) {
    arm->elbow = (int)j;
    arm->bend = joint->q_max > -joint->q_min ? 1.0 : -1.0;
  }
}

void limbs_find(struct limbs *limbs, struct posture *posture) {
  const struct model *model = &posture->robot->model;
  const double zero[MODEL_MAX_JOINTS] = {0.0};
  *limbs = (struct limbs){.arm = {{.shoulder = MODEL_NO_JOINT, .elbow = MODEL_NO_JOINT},
                                  {.shoulder = MODEL_NO_JOINT, .elbow = MODEL_NO_JOINT}}};
  if (kinematics_update_position(&posture->kin, zero) != STATUS_OK) {
    return;
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    note_joint(limbs, posture, j);
  }
  if (limbs->arm[0].shoulder != MODEL_NO_JOINT) {
    limbs->trunk = (size_t)model->parent[limbs->arm[0].shoulder + 1];
  }
  for (int i = (int)limbs->trunk; i > 0; i = model->parent[i]) {
    limbs->is_trunk[i - 1] = true;
  }
}
