#include "update/foot_landing.h"

#include "numerics/dense_matrix.h"
#include "process/base_process.h"
#include "support/layout_covariance.h"
#include "support/standing_model.h"
#include "update/base_rows.h"

#include <string.h>

/* What a landing does to the covariance: nothing, but where the foot stands. */

enum { FOOT = 1 };

/* A covariance as of a filter at work, and kinematics of the joints in x. */
static double *stand(struct standing_model *f) {
  standing_model_draw(f, true);
  ck_assert(standing_model_update(f, f->x));
  double *P = layout_covariance(&f->rng, &f->layout);
  for (size_t i = 0; i < f->layout.size * f->layout.stride; i++) {
    P[i] *= 1e-4;
  }
  return P;
}

static bool is_of_foot(const struct joint_layout *l, size_t i) {
  return (i >= l->foot + 3 * FOOT && i < l->foot + 3 * FOOT + 3) ||
         (i >= l->sole + 3 * FOOT && i < l->sole + 3 * FOOT + 3);
}

/* Position and heading are told by nothing, as often as a foot lands. */
START_TEST(a_foot_that_lands_says_nothing_about_what_it_stands_under) {
  struct standing_model f;
  double x[STANDING_STATES + 12], *P = stand(&f);
  const struct joint_layout *l = &f.layout;
  double *before = layout_square(l);
  memcpy(x, f.x, sizeof(x));
  memcpy(before, P, l->size * l->stride * sizeof(*P));
  for (int landing = 0; landing < 20; landing++) {
    foot_lands(&f.rows, &f.kin, &f.foot, FOOT, f.J, f.x, P);
    row_update_begin(&f.rows);
    base_rows_foot(&f.rows, &f.kin, &f.foot, FOOT, VEC3_ZERO, (vec3){2e-3, 2e-3, 2e-3}, f.J, f.x);
    base_rows_sole(&f.rows, &f.kin, &f.foot, FOOT, (vec3){1e-2, 1e-2, 1e-2}, f.J, f.x);
    row_update_expect(&f.rows, P);
    ck_assert_int_eq(row_update_apply(&f.rows, f.x, P), STATUS_OK);
    base_process_fold(l, f.x);
  }
  for (size_t i = 0; i < l->size; i++) {
    if (is_of_foot(l, i)) {
      continue;
    }
    assert_near(f.x[i], x[i], 1e-9);
    for (size_t j = i; j < l->size; j++) {
      if (!is_of_foot(l, j)) {
        assert_near(P[i * l->stride + j], before[i * l->stride + j], 1e-9);
      }
    }
  }
}
END_TEST

START_TEST(a_foot_that_lands_is_known_as_well_as_its_rows_are_from_the_base) {
  struct standing_model f;
  double *P = stand(&f);
  foot_lands(&f.rows, &f.kin, &f.foot, FOOT, f.J, f.x, P);
  row_update_begin(&f.rows);
  base_rows_foot(&f.rows, &f.kin, &f.foot, FOOT, VEC3_ZERO, (vec3){2e-3, 3e-3, 4e-3}, f.J, f.x);
  row_update_expect(&f.rows, P);
  ck_assert_int_eq(row_update_apply(&f.rows, f.x, P), STATUS_OK);
  row_update_begin(&f.rows); /* in deviations of the rows: one of the foot's, one of the noise */
  base_rows_foot(&f.rows, &f.kin, &f.foot, FOOT, VEC3_ZERO, (vec3){2e-3, 3e-3, 4e-3}, f.J, f.x);
  row_update_expect(&f.rows, P);
  const size_t stride = matrix_stride(f.rows.rows_max);
  for (size_t r = 0; r < 3; r++) {
    assert_near(f.rows.nu[r], 0.0, 1e-9);
    assert_near(f.rows.Pyy[r * (stride + 1)], 2.0, 1e-3);
  }
}
END_TEST

SUITE(a_foot_that_lands_says_nothing_about_what_it_stands_under,
      a_foot_that_lands_is_known_as_well_as_its_rows_are_from_the_base)
