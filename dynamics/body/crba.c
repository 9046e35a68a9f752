#include "body/crba.h"

#include "math/dispatch.h"

ISA_KERNEL(crba_init)
ISA_KERNEL(crba_step)

enum status ISA(crba_init)(struct crba *crba, const struct model *model, struct arena *arena) {
  *crba = (struct crba){.model = model, .n = BASE_DOFS + model->n_joints};
  crba->M = ARENA_ARRAY(arena, double, crba->n * crba->n);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

ISA_INLINE void set_both(struct crba *crba, size_t row, size_t column, double value) {
  crba->M[row * crba->n + column] = value;
  crba->M[column * crba->n + row] = value;
}

/* The robot as one rigid body: [I S(h); S(h)^T m 1]. */
ISA_INLINE void base_block(struct crba *crba, const struct inertia *I) {
  const double I3[3][3] = {
      {I->Ixx, I->Ixy, I->Ixz}, {I->Ixy, I->Iyy, I->Iyz}, {I->Ixz, I->Iyz, I->Izz}};
  const mat3 S_h = mat3_skew(I->h);
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      crba->M[i * crba->n + k] = I3[i][k];
      set_both(crba, i, 3 + k, S_h.m[i][k]);
      crba->M[(3 + i) * crba->n + 3 + k] = i == k ? I->m : 0.0;
    }
  }
}

static void pass(struct crba *crba, const struct kinematics *kin,
                 const struct composite *composite) {
  const struct inertia whole = composite_subtree(composite, 0);
  base_block(crba, &whole);
  for (size_t j = 0; j < crba->model->n_joints; j++) {
    const struct v6 F = composite->F_B[j];
    for (size_t i = 0; i < 3; i++) {
      set_both(crba, i, BASE_DOFS + j, v3_at(F.ang, (int)i));
      set_both(crba, 3 + i, BASE_DOFS + j, v3_at(F.lin, (int)i));
    }
    /* from the joint itself down to the base; between branches M stays zero */
    for (int link = (int)j + 1; link > 0; link = crba->model->parent[link]) {
      set_both(crba, BASE_DOFS - 1 + (size_t)link, BASE_DOFS + j, v6_dot(kin->link[link].S, F));
    }
  }
}

enum status ISA(crba_step)(struct crba *crba, const struct kinematics *kin,
                           const struct composite *composite, enum joint_drives drives) {
  if (kin->model != crba->model || composite->model != crba->model ||
      kin->order == KINEMATICS_NONE) {
    return STATUS_BAD_ARGUMENT;
  }
  pass(crba, kin, composite);
  for (size_t j = 0; drives == WITH_DRIVES && j < crba->model->n_joints; j++) {
    crba->M[(BASE_DOFS + j) * (crba->n + 1)] += crba->model->joint[j].rotor_inertia;
  }
  return STATUS_OK;
}
