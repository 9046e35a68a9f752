#include "update/limb_information.h"

#include "math/dispatch.h"
#include "numerics/matrix_cholesky.h"
#include "numerics/matrix_products.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

/* Steps of differences: of q, of rates, of accelerations. The response to accelerations is linear,
 * that to rates quadratic. */
static const double STEP_Q = 1e-6, STEP_RATE = 1e-4, STEP_ACCELERATION = 1.0;
/* What is believed of a joint's acceleration came from the same carrier a sample ago, and shares
 * what its skin is off by for seconds: the carrier is told as if it were not known, per s^2. */
static const double UNTOLD_ACCELERATION = 1e3;
/* Of the information, so much is added for a factor to exist: it says what was expected. */
static const double FLOOR = 1e-9;
/* Pivots of a covariance below this part of their variance are rounding. */
static const double PIVOT_FLOOR = 1e-14;
/* Most joints of a limb. */
enum { F_MAX = 3 * MODEL_MAX_JOINTS };

enum status limb_information_init(struct limb_information *info, const struct model *model,
                                  struct arena *arena) {
  const size_t n = 3 * model->n_joints, samples = batch_stride(1 + CARRIER_NUMBERS + n);
  const size_t rows = ROWS_MAX * model->n_links, stride = matrix_stride(n);
  *info = (struct limb_information){.n = n, .stride = stride};
  info->x = ARENA_ARRAY(arena, double, (CARRIER_NUMBERS + n) * samples);
  info->y = ARENA_ARRAY(arena, double, model->n_links *BATCH_ROWS *samples);
  info->expected = ARENA_ARRAY(arena, double, rows);
  info->H_m = ARENA_ARRAY(arena, double, rows *CARRIER_STRIDE);
  info->H_f = ARENA_ARRAY(arena, double, rows *stride);
  info->A = ARENA_ARRAY(arena, double, rows *stride);
  info->L = ARENA_ARRAY(arena, double, n *stride);
  info->C = ARENA_ARRAY(arena, double, n *stride);
  info->T = ARENA_ARRAY(arena, double, n *CARRIER_STRIDE);
  info->factor = ARENA_ARRAY(arena, double, CARRIER_NUMBERS *CARRIER_STRIDE);
  return kinematics_batch_init(&info->kin, model, NULL, samples, arena);
}

/* -- differences ------------------------------------------------------------------------------ */

/* By how much number i of m and f is stepped. */
static double step_of(const struct limb_information *info, size_t i) {
  if (i < CARRIER_NUMBERS) {
    return i < 6 ? STEP_ACCELERATION : STEP_RATE;
  }
  const size_t order = 3 * (i - CARRIER_NUMBERS) / info->n;
  return order == 0 ? STEP_Q : order == 1 ? STEP_RATE : STEP_ACCELERATION;
}

/* Samples: the estimate, then each number a step further. */
static struct batch_samples fill_samples(struct limb_information *info, const double *m,
                                         const double *f, size_t count) {
  const size_t stride = batch_stride(count), n = info->n / 3;
  double *row = info->x;
  for (size_t i = 0; i < CARRIER_NUMBERS + info->n; i++, row += stride) {
    const double at = i < CARRIER_NUMBERS ? m[i] : f[i - CARRIER_NUMBERS];
    for (size_t s = 0; s < stride; s++) {
      row[s] = s == 1 + i && s < count ? at + step_of(info, i) : at;
    }
  }
  const double *joints = info->x + CARRIER_NUMBERS * stride;
  return (struct batch_samples){.count = count,
                                .stride = stride,
                                .omegadot0 = info->x,
                                .vdot0 = info->x + 3 * stride,
                                .omega0 = info->x + 6 * stride,
                                .q = joints,
                                .dq = joints + n * stride,
                                .ddq = joints + 2 * n * stride};
}

/* What one row reads of a link's images, all samples. */
FOR_EACH_ISA
static void row_of_images(const double *W, const double *y, size_t stride, double *out) {
  const double *w = y + BATCH_OMEGA * stride;
  for (size_t s = 0; s < stride; s++) {
    double sum = 0.0;
    for (size_t i = 0; i < 3; i++) {
      sum += W[PART_OMEGADOT + i] * y[(BATCH_OMEGADOT + i) * stride + s] +
             W[PART_VDOT + i] * y[(BATCH_VDOT + i) * stride + s] +
             W[PART_OMEGA + i] * w[i * stride + s];
    }
    for (size_t k = 0; k < 6; k++) {
      sum += W[PART_PRODUCTS + k] * w[PRODUCT_FACTOR[k][0] * stride + s] *
             w[PRODUCT_FACTOR[k][1] * stride + s];
    }
    out[s] = sum;
  }
}

/* One row's differences from its images. */
static void take_differences(struct limb_information *info, size_t row, const double *out) {
  for (size_t k = 0; k < CARRIER_NUMBERS; k++) {
    info->H_m[row * CARRIER_STRIDE + k] = (out[1 + k] - out[0]) / step_of(info, k);
  }
  for (size_t k = 0; k < info->n; k++) {
    const size_t i = CARRIER_NUMBERS + k;
    info->H_f[row * info->stride + k] = (out[1 + i] - out[0]) / step_of(info, i);
  }
}

bool limb_information_expect(struct limb_information *info, const double m[CARRIER_NUMBERS],
                             const double *f, const struct link_rows *block, size_t n_blocks,
                             bool differences) {
  const size_t count = differences ? 1 + CARRIER_NUMBERS + info->n : 1;
  const struct batch_samples samples = fill_samples(info, m, f, count);
  double out[1 + CARRIER_NUMBERS + F_MAX + BATCH_WIDTH];
  size_t row = 0;
  if (kinematics_batch_step(&info->kin, &samples, info->y) != STATUS_OK) {
    info->rows = 0;
    return false;
  }
  for (size_t b = 0; b < n_blocks; b++) {
    const double *y = info->y + block[b].link * BATCH_ROWS * samples.stride;
    for (unsigned i = 0; i < block[b].rank; i++, row++) {
      row_of_images(block[b].W[i], y, samples.stride, out);
      info->expected[row] = out[0];
      if (differences) {
        take_differences(info, row, out);
      }
    }
  }
  info->rows = row;
  return true;
}

/* -- information ------------------------------------------------------------------------------ */

static bool factor_prior(struct limb_information *info, const double *P, size_t P_stride) {
  const size_t n = info->n, stride = info->stride;
  for (size_t i = 0; i < n; i++) {
    memcpy(info->C + i * stride + i, P + i * P_stride + i, (n - i) * sizeof(double));
  }
  for (size_t i = 2 * n / 3; i < n; i++) {
    info->C[i * (stride + 1)] += UNTOLD_ACCELERATION * UNTOLD_ACCELERATION;
  }
  if (!matrix_cholesky(info->C, stride, n, PIVOT_FLOOR)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      info->L[i * stride + k] = k <= i ? info->C[k * stride + i] : 0.0;
    }
  }
  return true;
}

bool limb_information_update(struct limb_information *info, const double *P, size_t P_stride) {
  const size_t n = info->n, stride = info->stride, rows = info->rows;
  const struct matrix_factor H_f = {info->H_f, 1, (ptrdiff_t)stride},
                             A = {info->A, (ptrdiff_t)stride, 1},
                             C = {info->C, (ptrdiff_t)stride, 1};
  if (!factor_prior(info, P, P_stride)) {
    return false;
  }
  matrix_multiply(info->A, stride, rows, n, H_f, info->L, stride, n);
  matrix_gram(info->C, stride, n, info->A, stride, rows, false);
  for (size_t i = 0; i < n; i++) {
    info->C[i * (stride + 1)] += 1.0;
  }
  if (!matrix_cholesky(info->C, stride, n, 0.0)) {
    return false;
  }
  matrix_multiply(info->T, CARRIER_STRIDE, n, CARRIER_NUMBERS, A, info->H_m, CARRIER_STRIDE, rows);
  matrix_solve_rows(info->T, CARRIER_STRIDE, n, CARRIER_NUMBERS, C);
  matrix_gram(info->factor, CARRIER_STRIDE, CARRIER_NUMBERS, info->H_m, CARRIER_STRIDE, rows,
              false);
  for (size_t i = 0; i < CARRIER_NUMBERS; i++) {
    double *own = &info->factor[i * (CARRIER_STRIDE + 1)];
    *own += FLOOR * (1.0 + *own);
  }
  matrix_gram_add(info->factor, CARRIER_STRIDE, CARRIER_NUMBERS, -1.0, info->T, CARRIER_STRIDE, n,
                  false);
  return matrix_cholesky(info->factor, CARRIER_STRIDE, CARRIER_NUMBERS, 0.0);
}

/* H_m^T (1 + A A^T)^-1 of what was read beyond what was expected. */
static void gather_innovation(const struct limb_information *info, const struct link_rows *block,
                              size_t n_blocks, double sum[CARRIER_NUMBERS]) {
  double a[F_MAX] __attribute__((aligned(64))) = {0.0};
  size_t row = 0;
  memset(sum, 0, CARRIER_NUMBERS * sizeof(*sum));
  for (size_t b = 0; b < n_blocks; b++) {
    for (unsigned i = 0; i < block[b].rank; i++, row++) {
      const double beyond = block[b].z[i] - info->expected[row];
      small_add(CARRIER_NUMBERS, beyond, info->H_m + row * CARRIER_STRIDE, sum);
      small_add(info->n, beyond, info->A + row * info->stride, a);
    }
  }
  matrix_solve_transposed(info->C, info->stride, info->n, a);
  for (size_t k = 0; k < info->n; k++) {
    small_add(CARRIER_NUMBERS, -a[k], info->T + k * CARRIER_STRIDE, sum);
  }
}

void limb_information_rows(const struct limb_information *info, const double m[CARRIER_NUMBERS],
                           const struct link_rows *block, size_t n_blocks, struct link_rows *rows) {
  static const size_t part[CARRIER_NUMBERS] = {PART_OMEGADOT, PART_OMEGADOT + 1, PART_OMEGADOT + 2,
                                               PART_VDOT,     PART_VDOT + 1,     PART_VDOT + 2,
                                               PART_OMEGA,    PART_OMEGA + 1,    PART_OMEGA + 2};
  double beyond[CARRIER_STRIDE] __attribute__((aligned(64))) = {0.0};
  gather_innovation(info, block, n_blocks, beyond);
  matrix_solve_transposed(info->factor, CARRIER_STRIDE, CARRIER_NUMBERS, beyond);
  *rows = (struct link_rows){.told_by_limb = true, .rank = ROWS_MAX};
  for (size_t i = 0; i < ROWS_MAX; i++) {
    rows->z[i] = beyond[i];
    for (size_t k = i; k < CARRIER_NUMBERS; k++) {
      rows->W[i][part[k]] = info->factor[i * CARRIER_STRIDE + k];
      rows->z[i] += info->factor[i * CARRIER_STRIDE + k] * m[k];
    }
  }
}
