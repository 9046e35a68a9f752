#include "rnea.h"

#include "body_lanes.h"
#include "bounds.h"
#include "dispatch.h"

enum status rnea_init(struct rnea *rnea, const struct model *model, struct arena *arena) {
  *rnea = (struct rnea){.model = model};
  rnea->f_B = ARENA_ARRAY(arena, struct v6, model->n_links);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* What each link's own motion takes, less what the world gives it. */
ISA_INLINE void link_forces(struct rnea *rnea, const struct kinematics *kin,
                            const struct inertia *inertia, const struct force *external) {
  for (size_t i = 0; i < rnea->model->n_links; i++) {
    const struct link_lanes *L = &kin->link[i];
    const struct body_lanes body = body_of(&inertia[i]);
    struct v6 f_L = body_force(&body, L->v_L.ang, L->a_L);
    if (external != NULL) {
      f_L = v6_sub(f_L, v6_of_force(&external[i]));
    }
    rnea->f_B[i] = wrench_to_base(L, f_L);
  }
}

FOR_EACH_ISA static void pass(struct rnea *rnea, const struct kinematics *kin,
                              const struct inertia *inertia, const struct force *external,
                              double *tau) {
  link_forces(rnea, kin, inertia, external);
  for (size_t i = rnea->model->n_links - 1; i > 0; i--) { /* children before parents */
    struct v6 *parent = &rnea->f_B[rnea->model->parent[i]];
    *parent = v6_add(*parent, rnea->f_B[i]);
  }
  /* a loop of its own: nothing here waits for sums */
  for (size_t j = 0; j < rnea->model->n_joints; j++) {
    tau[j] = v6_dot(kin->link[j + 1].S, rnea->f_B[j + 1]);
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
    *base = v6_force(&rnea->f_B[0]);
  }
  return STATUS_OK;
}
