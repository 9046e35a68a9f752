#include "update/joint_update.h"

#include "math/dispatch.h"
#include "numerics/matrix_cholesky.h"
#include "numerics/matrix_products.h"

#include <math.h>
#include <string.h>

/* Pivots of a covariance below this part of their variance are rounding. */
static const double PIVOT_FLOOR = 1e-14;
/* What a repair adds to each variance, as a part of it, and how often it tries. */
static const double REPAIR = 1e-12;
enum { REPAIRS_MAX = 4 };

enum status joint_update_init(struct joint_update *update, const struct joint_layout *layout,
                              const struct model *model, const bool *used, vec3 fixed_force,
                              size_t rows_max, struct arena *arena) {
  *update = (struct joint_update){.layout = layout};
  const enum status status =
      joint_points_init(&update->points, layout, model, used, fixed_force, rows_max, arena);
  if (status != STATUS_OK) {
    return status;
  }
  update->R = ARENA_ARRAY(arena, double, layout->observed * layout->stride);
  update->M = ARENA_ARRAY(arena, double, update->points.columns * update->points.stride);
  update->X = ARENA_ARRAY(arena, double, layout->observed * layout->stride);
  update->rows_q = ARENA_ARRAY(arena, double, layout->n *matrix_stride(layout->n));
  update->w = ARENA_ARRAY(arena, double, update->points.stride);
  update->encoder = ARENA_ARRAY(arena, double, layout->n);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* R = P's upper triangle, the observed rows, with a little added to the variances. */
static void copy_helped(struct joint_update *update, const double *P, double help) {
  const size_t size = update->layout->size, stride = update->layout->stride;
  for (size_t i = 0; i < update->layout->observed; i++) {
    const size_t from = i * (stride + 1);
    memcpy(update->R + from, P + from, (size - i) * sizeof(double));
    update->R[from] *= 1.0 + help;
  }
}

/* R of P, with a little added to the variances when rounding has made P indefinite. */
static enum status factor_prior(struct joint_update *update, const double *P) {
  const struct joint_layout *l = update->layout;
  double help = REPAIR, *R = update->R;
  update->prepared = UPDATE_NOTHING;
  if (matrix_cholesky_rows(R, P, l->stride, l->size, l->observed, PIVOT_FLOOR)) {
    return STATUS_OK;
  }
  for (int attempt = 0; attempt < REPAIRS_MAX; attempt++, help *= 100.0) {
    copy_helped(update, P, help);
    if (matrix_cholesky_rows(R, R, l->stride, l->size, l->observed, PIVOT_FLOOR)) {
      update->repairs++;
      return STATUS_OK;
    }
  }
  return STATUS_SINGULAR;
}

static void whiten_encoders(struct joint_update *update, const struct joint_measurement *z,
                            const double *x) {
  for (size_t j = 0; j < update->layout->n; j++) {
    update->encoder[j] = z->q_used[j] ? (z->q[j] - x[update->layout->q + j]) / z->q_sd[j] : 0.0;
  }
}

static size_t count_encoders(const struct joint_measurement *z, size_t n) {
  size_t used = 0;
  for (size_t j = 0; j < n; j++) {
    used += z->q_used[j];
  }
  return used;
}

static size_t count_block_rows(const struct joint_measurement *z) {
  size_t rows = 0;
  for (size_t b = 0; b < z->n_blocks; b++) {
    rows += z->block[b].rank;
  }
  return rows;
}

/* -- update ---------------------------------------------------------------------------------- */

/* How many readings of encoder i the covariance takes. */
static double readings_of(const struct joint_layout *l, const struct joint_measurement *z,
                          const double *P, size_t i) {
  const double variance = P[(l->q + i) * (l->stride + 1)], sd = z->q_sd[i];
  const double pending = z->q_told != NULL ? z->q_told[i] * sd * sd / variance : 0.0;
  return pending + (z->q_used[i] ? 1.0 : 0.0);
}

/* Adds the encoders to M = 1 + A^T A. Their rows of D are those of L: row i of the factor's
 * transpose over sd, as often as it was read. Columns of q are A's last, in falling order. */
FOR_EACH_ISA
static void add_encoders(struct joint_update *update, const struct joint_measurement *z,
                         const double *P) {
  const struct joint_layout *l = update->layout;
  const struct joint_points *points = &update->points;
  double *rows = update->rows_q;
  const size_t n = l->n, stride = matrix_stride(n), first = joint_points_column(points, n - 1);
  memset(rows, 0, n * stride * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    const double readings = readings_of(l, z, P, i), scale = sqrt(readings) / z->q_sd[i];
    for (size_t j = 0; j <= i && readings > 0.0; j++) {
      rows[i * stride + n - 1 - j] = scale * update->R[j * l->stride + l->q + i];
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t a = n - 1 - i; a < n && readings_of(l, z, P, i) > 0.0; a++) {
      const double factor = rows[i * stride + a];
      double *to = update->M + (first + a) * points->stride + first;
      for (size_t b = a; b < n; b++) {
        to[b] += factor * rows[i * stride + b];
      }
    }
  }
}

static void build_information(struct joint_update *update, const struct joint_measurement *z,
                              size_t block_rows, const double *P) {
  const struct joint_points *points = &update->points;
  const size_t first = points->first, stride = points->stride;
  double *M = update->M + first * (stride + 1);
  matrix_gram(M, stride, points->columns - first, points->A + first, stride, block_rows, false);
  for (size_t i = first; i < points->columns; i++) {
    update->M[i * (stride + 1)] += 1.0;
  }
  add_encoders(update, z, P);
}

/* w = A^T nu, encoders included: element j of theirs is row j of R times what they read. */
FOR_EACH_ISA
static void gather_innovations(struct joint_update *update, const struct joint_measurement *z,
                               size_t block_rows) {
  const struct joint_layout *l = update->layout;
  const struct joint_points *points = &update->points;
  const struct matrix_factor nu = {points->nu, 1, 0};
  matrix_multiply(update->w + points->first, points->stride, 1, points->columns - points->first, nu,
                  points->A + points->first, points->stride, block_rows);
  for (size_t j = 0; j < l->n; j++) {
    double sum = 0.0;
    for (size_t i = j; i < l->n; i++) {
      sum += update->R[j * l->stride + l->q + i] * update->encoder[i] / z->q_sd[i];
    }
    update->w[joint_points_column(points, j)] += sum;
  }
}

/* x += L w_D. Row j of R is column j of L. */
FOR_EACH_ISA
static void correct_mean(const struct joint_update *update, const double *w, double *x) {
  const struct joint_layout *l = update->layout;
  for (size_t j = 0; j < l->observed; j++) {
    const double factor = w[joint_points_column(&update->points, j)];
    for (size_t i = j; i < l->size; i++) {
      x[i] += factor * update->R[j * l->stride + i];
    }
  }
}

/* P = R^T R + S becomes X^T X + S with X = U^-1 R; S is what the observed states do not tell of the
 * others. U(i, k) is M's factor at the mirrored columns. */
static void posterior_covariance(struct joint_update *update, double *P) {
  const struct joint_layout *l = update->layout;
  const struct joint_points *points = &update->points;
  const size_t last = points->columns - 1;
  const struct matrix_factor U = {update->M + last * points->stride + last,
                                  -(ptrdiff_t)points->stride, -1};
  matrix_solve_upper_rows(update->X, update->R, l->stride, l->observed, l->size, U);
  matrix_gram_exchange(P, l->stride, l->size, update->X, update->R, l->observed);
}

static double squares(const double *x, size_t count) {
  return matrix_dot(x, x, count);
}

/* Which q, dq and omega skin is asked for. */
static void ask(struct joint_update *update, const struct joint_measurement *z, const double *P) {
  const struct joint_layout *l = update->layout;
  for (size_t i = l->q; i < l->nonlinear; i++) {
    double enough = i < l->omega ? z->dq_enough : z->omega_enough;
    if (i < l->dq) {
      enough = z->q_enough != NULL ? z->q_enough[i] : 0.0;
    }
    update->points.asked[i] = P[i * (l->stride + 1)] >= enough * enough;
  }
}

enum status joint_update_prepare_rows(struct joint_update *update,
                                      const struct joint_measurement *z, const double *x,
                                      const double *P) {
  enum status status = factor_prior(update, P);
  ask(update, z, P);
  if (status == STATUS_OK) {
    status = joint_points_step(&update->points, x, update->R, z->block, z->n_blocks);
  }
  if (status == STATUS_OK) {
    update->prepared = UPDATE_ROWS;
  }
  return status;
}

enum status joint_update_prepare_gain(struct joint_update *update,
                                      const struct joint_measurement *z, double *P) {
  const struct joint_points *points = &update->points;
  update->prepared = UPDATE_NOTHING;
  build_information(update, z, count_block_rows(z), P);
  if (!matrix_cholesky(update->M + points->first * (points->stride + 1), points->stride,
                       points->columns - points->first, 0.0)) {
    return STATUS_SINGULAR;
  }
  posterior_covariance(update, P);
  update->prepared = UPDATE_GAIN;
  return STATUS_OK;
}

void joint_update_finish(struct joint_update *update, const struct joint_measurement *z,
                         double *x) {
  struct joint_points *points = &update->points;
  const size_t block_rows = count_block_rows(z), stride = points->stride;
  const size_t columns = points->columns - points->first;
  const double *C = update->M + points->first * (stride + 1);
  double *w = update->w + points->first;
  update->rows = count_encoders(z, update->layout->n) + block_rows;
  update->prepared = UPDATE_NOTHING;
  whiten_encoders(update, z, x);
  joint_points_read(points, z->block, z->n_blocks);
  gather_innovations(update, z, block_rows);
  matrix_solve_transposed(C, stride, columns, w);
  /* nu^T (1 + A A^T)^-1 nu = nu^T nu - |C^-1 A^T nu|^2 */
  update->nis = squares(points->nu, block_rows) + squares(update->encoder, update->layout->n) -
                squares(w, columns);
  matrix_solve_upper(C, stride, columns, w);
  correct_mean(update, update->w, x);
}

/* -------------------------------------------------------------------------------------------- */

/* @eq Leboutet22 140 @eq Leboutet22 143 @eq Leboutet22 C.4
 * @differs Leboutet22 140: noise stands outside the observation, once. */
enum status joint_update_step(struct joint_update *update, const struct joint_measurement *z,
                              double *x, double *P) {
  enum status status = joint_update_prepare_rows(update, z, x, P);
  if (status == STATUS_OK) {
    status = joint_update_prepare_gain(update, z, P);
  }
  if (status == STATUS_OK) {
    joint_update_finish(update, z, x);
  }
  return status;
}

/* C^-1 nu and, unless NULL, C^-1 way, in place, with C C^T the covariance of a block's rows. */
static bool whiten_block(const struct joint_update *update, size_t first_row, unsigned rank,
                         double *nu, double *way) {
  double S[ROWS_MAX * MATRIX_LANES] __attribute__((aligned(64))) = {0};
  const struct joint_points *points = &update->points;
  memcpy(nu, points->nu + first_row, rank * sizeof(double));
  matrix_row_products(S, MATRIX_LANES, rank, points->columns - points->first,
                      points->A + first_row * points->stride + points->first, points->stride);
  for (unsigned a = 0; a < rank; a++) {
    S[a * (MATRIX_LANES + 1)] += 1.0;
  }
  if (!matrix_cholesky(S, MATRIX_LANES, rank, 0.0)) {
    return false;
  }
  matrix_solve_transposed(S, MATRIX_LANES, rank, nu);
  if (way != NULL) {
    matrix_solve_transposed(S, MATRIX_LANES, rank, way);
  }
  return true;
}

double joint_update_block_nis(const struct joint_update *update, size_t first_row, unsigned rank) {
  double nu[ROWS_MAX];
  return whiten_block(update, first_row, rank, nu, NULL) ? squares(nu, rank) : HUGE_VAL;
}

double joint_update_block_rest(const struct joint_update *update, size_t first_row, unsigned rank,
                               const double *way) {
  double nu[ROWS_MAX], along[ROWS_MAX], product = 0.0;
  memcpy(along, way, rank * sizeof(double));
  if (!whiten_block(update, first_row, rank, nu, along)) {
    return HUGE_VAL;
  }
  for (unsigned i = 0; i < rank; i++) {
    product += along[i] * nu[i];
  }
  const double size = squares(along, rank);
  return squares(nu, rank) - (size > 0.0 ? product * product / size : 0.0);
}
