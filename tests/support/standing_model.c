#include "support/standing_model.h"

#include "process/base_process.h"

enum { ROWS = 16 };

static void prepare(struct standing_model *s, struct arena *arena) {
  ck_assert_int_eq(kinematics_init(&s->kin, s->model, arena), STATUS_OK);
  ck_assert_int_eq(row_update_init(&s->rows, &s->layout, ROWS, arena), STATUS_OK);
}

void standing_model_draw(struct standing_model *s, bool biased) {
  s->rng = random_from(test_seed() + biased);
  s->layout = joint_layout_of(STANDING_JOINTS, false, biased, STANDING_FEET);
  s->model = random_model(&s->rng, (struct random_model_options){.n_joints = STANDING_JOINTS});
  struct arena arena = {0};
  prepare(s, &arena);
  arena = test_arena(arena.used);
  prepare(s, &arena);
  s->foot = (struct model_frame){.link = STANDING_JOINTS};
  s->foot.placement = (struct pose){random_rotation(&s->rng), random_vec3(&s->rng, 0.2)};
  s->imu = (struct pose){random_rotation(&s->rng), {0.1, -0.2, 0.3}};
  for (size_t i = 0; i < s->layout.size; i++) {
    s->x[i] = random_normal(&s->rng);
  }
  vec3_to(VEC3_ZERO, s->x + s->layout.attitude);
  for (size_t i = 0; i < s->layout.n_soles; i++) {
    vec3_to(VEC3_ZERO, s->x + s->layout.sole + 3 * i);
    base_process_set_sole(&s->layout, i, QUAT_IDENTITY, s->x);
  }
  const mat3 R = random_rotation(&s->rng);
  base_process_set_rotation(&s->layout, quat_from_mat3(&R), s->x);
}

bool standing_model_update(struct standing_model *s, const double *x) {
  const struct robot_motion motion = {.base.X_WB = POSE_IDENTITY, .q = x + s->layout.q};
  return kinematics_update(&s->kin, &motion) == STATUS_OK;
}
