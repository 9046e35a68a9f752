#include "body/mimic.h"

/* The independent joint that j follows in the end: q_j = ratio q_leader + offset. -1 when there is
 * none. */
static int leader_of(const struct model *model, int j, double *ratio, double *offset) {
  *ratio = 1.0;
  *offset = 0.0;
  for (size_t steps = 0; steps <= model->n_joints; steps++) {
    const struct joint *joint = &model->joint[j];
    if (joint->mimics == MODEL_NO_JOINT) {
      return j;
    }
    *offset += *ratio * joint->mimic_offset;
    *ratio *= joint->mimic_ratio;
    j = joint->mimics;
  }
  return -1;
}

static bool has_circle(const struct model *model) {
  double ratio, offset;
  for (size_t j = 0; j < model->n_joints; j++) {
    if (leader_of(model, (int)j, &ratio, &offset) < 0) {
      return true;
    }
  }
  return false;
}

enum status mimic_expand(const struct model *model, double *q, double *dq, double *ddq) {
  if (has_circle(model)) {
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    double ratio, offset;
    const int leader = leader_of(model, (int)j, &ratio, &offset);
    if (leader != (int)j) {
      q[j] = ratio * q[leader] + offset;
      if (dq != NULL) {
        dq[j] = ratio * dq[leader];
      }
      if (ddq != NULL) {
        ddq[j] = ratio * ddq[leader];
      }
    }
  }
  return STATUS_OK;
}

enum status mimic_reduce(const struct model *model, double *tau) {
  if (has_circle(model)) {
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    double ratio, offset;
    const int leader = leader_of(model, (int)j, &ratio, &offset);
    if (leader != (int)j) {
      tau[leader] += ratio * tau[j];
      tau[j] = 0.0;
    }
  }
  return STATUS_OK;
}
