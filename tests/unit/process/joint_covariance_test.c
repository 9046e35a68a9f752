#include "process/joint_covariance.h"

#include "process/base_process.h"
#include "support/random_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The covariance after a step, for robots of all widths of the vector registers and in between,
 * against the dense product. */

enum { STATES = 256, JOINTS = 32 };
static const double DT = 3e-3;

static double *new_matrix(void) {
  double *m = aligned_alloc(64, STATES * STATES * sizeof(double));
  memset(m, 0, STATES * STATES * sizeof(double));
  return m;
}

/* A random covariance whose numbers are of the size of one; below the diagonal nobody may read. */
static void draw_covariance(struct random *rng, const struct joint_layout *l, double *whole,
                            double *P) {
  double(*A)[8] = calloc(l->size, sizeof(*A));
  for (size_t i = 0; i < l->size; i++) {
    for (size_t k = 0; k < 8; k++) {
      A[i][k] = random_normal(rng);
    }
  }
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      double sum = i == j;
      for (size_t k = 0; k < 8; k++) {
        sum += A[i][k] * A[j][k];
      }
      whole[i * STATES + j] = sum;
      P[i * l->stride + j] = i <= j ? sum : (double)NAN;
    }
  }
  free(A);
}

/* F, column by column of the chains, which are linear, and of the base by its own rows. */
static void transition(const struct joint_layout *l, const double *x, double *F) {
  static const double zero[JOINTS];
  const struct joint_densities none = {.joint = zero, .bias = zero, .bias_time = 0.5};
  double base[BASE_MOVING * STATES], e[STATES + 16];
  for (size_t i = 0; i < l->size; i++) {
    memset(e, 0, sizeof(e));
    e[i] = i < l->attitude ? 1.0 : 0.0;
    if (l->base > 0) {
      base_process_set_rotation(l, QUAT_IDENTITY, e);
    }
    joint_process_mean(l, DT, &none, e);
    for (size_t k = 0; k < l->size; k++) {
      F[k * STATES + i] = k < l->attitude ? e[k] : k == i;
    }
  }
  if (l->base > 0) {
    base_process_transition(l, DT, x, base);
    for (size_t k = 0; k < BASE_MOVING; k++) {
      memcpy(F + (l->attitude + k) * STATES, base + k * l->size, l->size * sizeof(double));
    }
  }
}

/* out = A B^T. */
static void times_transposed(size_t size, const double *A, const double *B, double *out) {
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j < size; j++) {
      double sum = 0.0;
      for (size_t k = 0; k < size; k++) {
        sum += A[i * STATES + k] * B[j * STATES + k];
      }
      out[i * STATES + j] = sum;
    }
  }
}

/* fmax passes over what is no number. */
static double larger(double a, double b) {
  return isnan(a) || a > b ? a : b;
}

static void compare(struct random *rng, const struct joint_layout *l) {
  static const double zero[JOINTS];
  const struct joint_densities none = {.joint = zero, .bias = zero, .bias_time = 0.5};
  double *whole = new_matrix(), *P = new_matrix(), *next = new_matrix(), *F = new_matrix(),
         *PF = new_matrix(), *expected = new_matrix(), x[STATES + 16] = {0.0};
  for (size_t i = 0; i < l->attitude; i++) {
    x[i] = random_normal(rng);
  }
  if (l->base > 0) {
    base_process_set_rotation(l, quat_from_rotation_vector((vec3){0.4, -0.3, 1.1}), x);
  }
  draw_covariance(rng, l, whole, P);
  transition(l, x, F);
  times_transposed(l->size, F, whole, PF);
  times_transposed(l->size, PF, F, expected);
  joint_covariance_predict(l, DT, &none, x, P, next);
  double far = 0.0;
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = i; j < l->size; j++) {
      const double value = next[i * l->stride + j], right = expected[i * STATES + j];
      far = larger(far, fabs(value - right) / (1.0 + fabs(right)));
    }
  }
  ck_assert_msg(far < 1e-11, "%zu joints, %zu states: %g", l->n, l->size, far);
  double *const all[] = {whole, P, next, F, PF, expected};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    free(all[i]);
  }
}

/* @eq Leboutet22 139 */
START_TEST(every_width_of_robot_is_carried_on_as_the_dense_product_says) {
  static const size_t joints[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 30};
  struct random rng = random_from(test_seed());
  for (size_t n = 0; n < sizeof(joints) / sizeof(joints[0]); n++) {
    for (int kind = 0; kind < 4; kind++) {
      for (size_t feet = 0; feet <= 3 && (feet == 0 || !(kind & 1)); feet++) {
        const struct joint_layout l = joint_layout_of(joints[n], kind & 1, kind & 2, feet);
        compare(&rng, &l);
      }
    }
  }
}
END_TEST

SUITE(every_width_of_robot_is_carried_on_as_the_dense_product_says)
