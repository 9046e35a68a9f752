#include "joints/foot_landing.h"

#include "joints/base_process.h"
#include "joints/base_rows.h"
#include "numerics/dense_matrix.h"
#include "support/random_model.h"

#include <math.h>
#include <string.h>

/* What a landing does to the covariance: nothing, but where the foot stands. */

enum { JOINTS = 5, FEET = 2, STATES = 96, FOOT = 1 };

struct fixture {
  struct random rng;
  struct joint_layout layout;
  struct kinematics kin;
  struct model_frame foot;
  struct row_update rows;
  double J[6 * (6 + JOINTS)];
  double x[STATES + 12];
  double P[STATES * STATES] __attribute__((aligned(64)));
};

static void draw(struct fixture *f) {
  f->rng = random_from(test_seed());
  f->layout = joint_layout_of(JOINTS, false, true, FEET);
  const struct model *model =
      random_model(&f->rng, (struct random_model_options){.n_joints = JOINTS});
  struct arena count = {0};
  ck_assert_int_eq(kinematics_init(&f->kin, model, &count), STATUS_OK);
  ck_assert_int_eq(row_update_init(&f->rows, &f->layout, 16, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(kinematics_init(&f->kin, model, &arena), STATUS_OK);
  ck_assert_int_eq(row_update_init(&f->rows, &f->layout, 16, &arena), STATUS_OK);
  f->foot.link = JOINTS;
  f->foot.placement = (struct pose){random_rotation(&f->rng), random_vec3(&f->rng, 0.2)};
  for (size_t i = 0; i < f->layout.size; i++) {
    f->x[i] = random_normal(&f->rng);
  }
  base_process_set_rotation(&f->layout, QUAT_IDENTITY, f->x);
  for (size_t i = 0; i < FEET; i++) {
    base_process_set_sole(&f->layout, i, QUAT_IDENTITY, f->x);
  }
  base_process_fold(&f->layout, f->x);
  const struct robot_motion motion = {.base.X_WB = POSE_IDENTITY, .q = f->x + f->layout.q};
  ck_assert_int_eq(kinematics_update(&f->kin, &motion), STATUS_OK);
}

static void draw_covariance(struct fixture *f) {
  const size_t size = f->layout.size, stride = f->layout.stride;
  double A[STATES][STATES];
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < size; k++) {
      A[i][k] = 0.1 * ((i == k) + 0.1 * random_normal(&f->rng));
    }
  }
  memset(f->P, 0, sizeof(f->P));
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j < size; j++) {
      for (size_t k = 0; k < size; k++) {
        f->P[i * stride + j] += A[i][k] * A[j][k];
      }
    }
  }
}

static bool is_of_foot(const struct joint_layout *l, size_t i) {
  return (i >= l->foot + 3 * FOOT && i < l->foot + 3 * FOOT + 3) ||
         (i >= l->sole + 3 * FOOT && i < l->sole + 3 * FOOT + 3);
}

/* Position and heading are told by nothing, as often as a foot lands. */
START_TEST(a_foot_that_lands_says_nothing_about_what_it_stands_under) {
  static struct fixture f;
  static double x[STATES + 12], P[STATES * STATES];
  draw(&f);
  draw_covariance(&f);
  const struct joint_layout *l = &f.layout;
  memcpy(x, f.x, sizeof(x));
  memcpy(P, f.P, sizeof(P));
  for (int landing = 0; landing < 20; landing++) {
    foot_lands(l, &f.kin, &f.foot, FOOT, f.J, f.x, f.P);
    row_update_begin(&f.rows);
    base_rows_foot(&f.rows, &f.kin, &f.foot, FOOT, VEC3_ZERO, (vec3){2e-3, 2e-3, 2e-3}, f.J, f.x);
    base_rows_sole(&f.rows, &f.kin, &f.foot, FOOT, 1e-2, f.J, f.x);
    row_update_expect(&f.rows, f.P);
    ck_assert_int_eq(row_update_apply(&f.rows, f.x, f.P), STATUS_OK);
    base_process_fold(l, f.x);
  }
  for (size_t i = 0; i < l->size; i++) {
    if (is_of_foot(l, i)) {
      continue;
    }
    assert_near(f.x[i], x[i], 1e-9);
    for (size_t j = i; j < l->size; j++) {
      if (!is_of_foot(l, j)) {
        assert_near(f.P[i * l->stride + j], P[i * l->stride + j], 1e-9);
      }
    }
  }
}
END_TEST

START_TEST(a_foot_that_lands_is_known_as_well_as_its_rows_are_from_the_base) {
  static struct fixture f;
  draw(&f);
  draw_covariance(&f);
  const struct joint_layout *l = &f.layout;
  foot_lands(l, &f.kin, &f.foot, FOOT, f.J, f.x, f.P);
  row_update_begin(&f.rows);
  base_rows_foot(&f.rows, &f.kin, &f.foot, FOOT, VEC3_ZERO, (vec3){2e-3, 3e-3, 4e-3}, f.J, f.x);
  row_update_expect(&f.rows, f.P);
  ck_assert_int_eq(row_update_apply(&f.rows, f.x, f.P), STATUS_OK);
  row_update_begin(&f.rows); /* in deviations of the rows: one of the foot's, one of the noise */
  base_rows_foot(&f.rows, &f.kin, &f.foot, FOOT, VEC3_ZERO, (vec3){2e-3, 3e-3, 4e-3}, f.J, f.x);
  row_update_expect(&f.rows, f.P);
  const size_t stride = matrix_stride(f.rows.rows_max);
  for (size_t r = 0; r < 3; r++) {
    assert_near(f.rows.nu[r], 0.0, 1e-9);
    assert_near(f.rows.Pyy[r * (stride + 1)], 2.0, 1e-3);
  }
}
END_TEST

SUITE(a_foot_that_lands_says_nothing_about_what_it_stands_under,
      a_foot_that_lands_is_known_as_well_as_its_rows_are_from_the_base)
