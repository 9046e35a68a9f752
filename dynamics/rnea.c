#include "rnea.h"

#include "check.h"
#include "dispatch.h"

enum status rnea_init(struct rnea *rnea, const struct model *model, struct arena *arena) {
  *rnea = (struct rnea){.model = model};
  rnea->f_B = ARENA_ARRAY(arena, struct force, model->n_links);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* What each link's own motion takes, less what the world gives it. */
static inline void link_forces(struct rnea *rnea, const struct kinematics *kin,
                               const struct inertia *inertia, const struct force *external) {
  for (size_t i = 0; i < rnea->model->n_links; i++) {
    struct force f_L = body_force(&inertia[i], kin->v_L[i].ang, kin->a_L[i].ang, kin->a_L[i].lin);
    if (external != NULL) {
      f_L = force_sub(&f_L, &external[i]);
    }
    rnea->f_B[i] = force_to_base(&kin->X_BL[i], &f_L);
  }
}

FOR_EACH_ISA static void pass(struct rnea *rnea, const struct kinematics *kin,
                              const struct inertia *inertia, const struct force *external,
                              double *tau) {
  link_forces(rnea, kin, inertia, external);
  for (size_t i = rnea->model->n_links - 1; i > 0; i--) { /* children before parents */
    struct force *parent = &rnea->f_B[rnea->model->parent[i]];
    tau[i - 1] = motion_dot_force(&kin->S_B[i - 1], &rnea->f_B[i]);
    *parent = force_add(parent, &rnea->f_B[i]);
  }
}

enum status rnea_step(struct rnea *rnea, const struct kinematics *kin,
                      const struct inertia *inertia, const struct force *external,
                      enum joint_drives drives, struct force *base, double *tau) {
  const struct model *model = rnea->model;
  if (kin->order != KINEMATICS_ACCELERATION || kin->model != model) {
    return STATUS_BAD_ARGUMENT;
  }
  enum status status = check_inertias(inertia, model->n_links);
  if (status == STATUS_OK && external != NULL) {
    status = check_within(&external[0].ang.x, 6 * model->n_links, FORCE_LIMIT);
  }
  if (status != STATUS_OK) {
    return status;
  }
  pass(rnea, kin, inertia, external, tau);
  for (size_t j = 0; drives == WITH_DRIVES && j < model->n_joints; j++) {
    tau[j] += joint_drive_torque(&model->joint[j], kin->dq[j], kin->ddq[j]);
  }
  if (base != NULL) {
    *base = rnea->f_B[0];
  }
  return STATUS_OK;
}
