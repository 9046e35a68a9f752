#include "body/composite.h"

#include "inertia/inertia.h"
#include "math/dispatch.h"

#include <string.h>

ISA_KERNEL(composite_init)
ISA_KERNEL(composite_step)

enum status ISA(composite_init)(struct composite *composite, const struct model *model,
                                struct arena *arena) {
  *composite = (struct composite){.model = model};
  composite->subtree_B = ARENA_ARRAY(arena, struct body_lanes, model->n_links);
  composite->F_B = ARENA_ARRAY(arena, struct v6, model->n_joints);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static void pass(struct composite *composite, const struct kinematics *kin,
                 const struct inertia *inertia) {
  const struct model *model = composite->model;
  memset(composite->subtree_B, 0, model->n_links * sizeof(*composite->subtree_B));
  for (size_t i = model->n_links; i-- > 0;) { /* children before parents */
    /* the subtree: the link's own inertia and its children's, about the base origin */
    const struct body_lanes body = body_of(&inertia[i]), own = body_to_base(&kin->link[i], &body);
    const struct body_lanes subtree = body_add(&composite->subtree_B[i], &own);
    composite->subtree_B[i] = subtree;
    /* and on to its parent */
    if (i > 0) {
      struct body_lanes *parent = &composite->subtree_B[model->parent[i]];
      *parent = body_add(parent, &subtree);
    }
  }
  /* a loop of its own: nothing here waits for sums */
  for (size_t j = 0; j < model->n_joints; j++) {
    composite->F_B[j] = body_momentum(&composite->subtree_B[j + 1], kin->link[j + 1].S);
  }
}

enum status ISA(composite_step)(struct composite *composite, const struct kinematics *kin,
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
