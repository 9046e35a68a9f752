#include "composite.h"

#include "bounds.h"
#include "dispatch.h"

enum status composite_init(struct composite *composite, const struct model *model,
                           struct arena *arena) {
  *composite = (struct composite){.model = model};
  composite->own_B = ARENA_ARRAY(arena, struct body_lanes, model->n_links);
  composite->subtree_B = ARENA_ARRAY(arena, struct body_lanes, model->n_links);
  composite->F_B = ARENA_ARRAY(arena, struct v6, model->n_joints);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

FOR_EACH_ISA static void pass(struct composite *composite, const struct kinematics *kin,
                              const struct inertia *inertia) {
  const struct model *model = composite->model;
  for (size_t i = 0; i < model->n_links; i++) {
    const struct body_lanes body = body_of(&inertia[i]);
    composite->own_B[i] = body_to_base(&kin->link[i], &body);
    composite->subtree_B[i] = composite->own_B[i];
  }
  for (size_t i = model->n_links - 1; i > 0; i--) { /* children before parents */
    const struct body_lanes *subtree = &composite->subtree_B[i];
    struct body_lanes *parent = &composite->subtree_B[model->parent[i]];
    composite->F_B[i - 1] = body_momentum(subtree, kin->link[i].S);
    *parent = body_add(parent, subtree);
  }
}

enum status composite_step(struct composite *composite, const struct kinematics *kin,
                           const struct inertia *inertia) {
  if (kin->order == KINEMATICS_NONE || kin->model != composite->model) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = check_inertias(inertia, composite->model->n_links);
  if (status == STATUS_OK) {
    pass(composite, kin, inertia);
  }
  return status;
}
