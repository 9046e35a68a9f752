#include "body/rnea.h"

#include "body/body_lanes.h"
#include "inertia/inertia.h"
#include "math/dispatch.h"

#include <string.h>

ISA_KERNEL(rnea_init)
ISA_KERNEL(rnea_step)

enum status ISA(rnea_init)(struct rnea *rnea, const struct model *model, struct arena *arena) {
  *rnea = (struct rnea){.model = model};
  rnea->f_B = ARENA_ARRAY(arena, struct v6, model->n_links);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* What a link's own motion takes, less what the world gives it. */
ISA_INLINE struct v6 link_force(const struct link_lanes *L, const struct inertia *inertia,
                                const struct force *external) {
  /* f = I a + v x* I v, about the link's own origin */
  const struct body_lanes body = body_of_columns(inertia);
  struct v6 f_L = body_force(&body, L->v_L.ang, L->a_L);
  if (external != NULL) {
    f_L = v6_sub(f_L, v6_of_force(external));
  }
  return wrench_to_base(L, f_L);
}

static void pass(struct rnea *rnea, const struct kinematics *kin, const struct inertia *inertia,
                 const struct force *external, double *tau) {
  const struct model *model = rnea->model;
  memset(rnea->f_B, 0, model->n_links * sizeof(*rnea->f_B));
  for (size_t i = model->n_links; i-- > 0;) { /* children before parents */
    /* what the link itself takes, and what its children handed down */
    const struct force *external_i = external != NULL ? &external[i] : NULL;
    const struct v6 f = v6_add(rnea->f_B[i], link_force(&kin->link[i], &inertia[i], external_i));
    rnea->f_B[i] = f;
    /* and on to its parent */
    if (i > 0) {
      struct v6 *parent = &rnea->f_B[model->parent[i]];
      *parent = v6_add(*parent, f);
    }
  }
  /* a loop of its own: nothing here waits for sums */
  for (size_t j = 0; j < model->n_joints; j++) {
    tau[j] = v6_dot(kin->link[j + 1].S, rnea->f_B[j + 1]);
  }
}

enum status ISA(rnea_step)(struct rnea *rnea, const struct kinematics *kin,
                           const struct inertia *inertia, const struct force *external,
                           enum joint_drives drives, struct force *base, double *tau) {
  const struct model *model = rnea->model;
  if (kin->order != KINEMATICS_ACCELERATION || kin->model != model) {
    return STATUS_BAD_ARGUMENT;
  }
  /* nothing is computed from what cannot be */
  enum status status = check_inertias(inertia, model->n_links);
  if (status == STATUS_OK && external != NULL) {
    status = check_within(&external[0].ang.x, 6 * model->n_links, FORCE_LIMIT);
  }
  if (status != STATUS_OK) {
    return status;
  }
  pass(rnea, kin, inertia, external, tau);
  /* rotors and friction */
  for (size_t j = 0; drives == WITH_DRIVES && j < model->n_joints; j++) {
    tau[j] += joint_drive_torque(&model->joint[j], kin->dq[j], kin->ddq[j]);
  }
  if (base != NULL) {
    *base = v6_force(&rnea->f_B[0]);
  }
  return STATUS_OK;
}
