#include "joints/joint_update.h"

#include "math/dispatch.h"
#include "numerics/dense_matrix.h"

#include <math.h>
#include <string.h>

/* Pivots of a covariance below this part of their variance are rounding. */
static const double PIVOT_FLOOR = 1e-14;
/* What a repair adds to each variance, as a part of it, and how often it tries. */
static const double REPAIR = 1e-12;
enum { REPAIRS_MAX = 4 };

enum status joint_update_init(struct joint_update *update, const struct joint_layout *layout,
                              const struct model *model, const bool *used, size_t imu_link,
                              vec3 fixed_force, size_t rows_max, struct arena *arena) {
  *update = (struct joint_update){.layout = layout};
  const enum status status = joint_points_init(&update->points, layout, model, used, imu_link,
                                               fixed_force, rows_max, arena);
  if (status != STATUS_OK) {
    return status;
  }
  update->few = layout->n + ROWS_MAX * (1 + layout->n / 12);
  update->R = ARENA_ARRAY(arena, double, layout->size * layout->stride);
  update->M = ARENA_ARRAY(arena, double, update->points.columns * update->points.stride);
  update->X = ARENA_ARRAY(arena, double, layout->size * layout->stride);
  update->Pyx = ARENA_ARRAY(arena, double, update->few * layout->stride);
  update->seen = ARENA_ARRAY(arena, double, BASE_STATES * layout->stride);
  update->Pyy = ARENA_ARRAY(arena, double, update->few *matrix_stride(update->few));
  update->w = ARENA_ARRAY(arena, double, update->points.columns + update->few);
  update->encoder = ARENA_ARRAY(arena, double, layout->n);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Of upper triangular matrices, whose zeros below the diagonal stand in both: whole vectors. */
static void copy_upper(double *to, const double *from, size_t size, size_t stride) {
  for (size_t i = 0; i < size; i++) {
    const size_t start = i * stride + i / MATRIX_LANES * MATRIX_LANES;
    memcpy(to + start, from + start, ((i + 1) * stride - start) * sizeof(double));
  }
}

/* R of P, with a little added to the variances when rounding has made P indefinite. */
static enum status factor_prior(struct joint_update *update, const double *P) {
  const size_t size = update->layout->size, stride = update->layout->stride;
  double help = 0.0;
  update->prepared = UPDATE_NOTHING;
  for (int attempt = 0; attempt <= REPAIRS_MAX; attempt++) {
    copy_upper(update->R, P, size, stride);
    for (size_t i = 0; i < size; i++) {
      update->R[i * stride + i] *= 1.0 + help;
    }
    if (matrix_cholesky(update->R, stride, size, PIVOT_FLOOR)) {
      update->repairs += attempt > 0;
      return STATUS_OK;
    }
    help = attempt == 0 ? REPAIR : 100.0 * help;
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

/* -- many rows ------------------------------------------------------------------------------- */

/* Adds the encoders to M = 1 + A^T A. Their rows of D are those of L: row i of the factor's
 * transpose over sd. Columns of q are A's last, in falling order. */
FOR_EACH_ISA
static void add_encoders(struct joint_update *update, const struct joint_measurement *z) {
  const struct joint_layout *l = update->layout;
  const struct joint_points *points = &update->points;
  double *rows = update->Pyx; /* [n][stride of n] scratch */
  const size_t n = l->n, stride = matrix_stride(n), first = joint_points_column(points, n - 1);
  memset(rows, 0, n * stride * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    if (z->q_used[i]) {
      for (size_t j = 0; j <= i; j++) {
        rows[i * stride + n - 1 - j] = update->R[j * l->stride + l->q + i] / z->q_sd[i];
      }
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t a = n - 1 - i; a < n && z->q_used[i]; a++) {
      const double factor = rows[i * stride + a];
      double *to = update->M + (first + a) * points->stride + first;
      for (size_t b = a; b < n; b++) {
        to[b] += factor * rows[i * stride + b];
      }
    }
  }
}

static void build_information(struct joint_update *update, const struct joint_measurement *z,
                              size_t block_rows) {
  const struct joint_points *points = &update->points;
  const size_t first = points->first, stride = points->stride;
  double *M = update->M + first * (stride + 1);
  matrix_gram(M, stride, points->columns - first, points->A + first, stride, block_rows, false);
  for (size_t i = first; i < points->columns; i++) {
    update->M[i * (stride + 1)] += 1.0;
  }
  add_encoders(update, z);
}

/* w = A^T nu, encoders included: element j of theirs is row j of R times what they read. */
FOR_EACH_ISA
static void gather_innovations(struct joint_update *update, const struct joint_measurement *z,
                               size_t block_rows) {
  const struct joint_layout *l = update->layout;
  const struct joint_points *points = &update->points;
  memset(update->w, 0, points->columns * sizeof(double));
  for (size_t row = 0; row < block_rows; row++) {
    const double nu = points->nu[row], *A = points->A + row * points->stride;
    for (size_t j = points->first; j < points->columns; j++) {
      update->w[j] += A[j] * nu;
    }
  }
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

/* P = X^T X with X = U^-1 R for the observed rows, R's own for the rest. U(i, k) is M's factor at
 * the mirrored columns. */
static void posterior_covariance(struct joint_update *update, double *P) {
  const struct joint_layout *l = update->layout;
  const struct joint_points *points = &update->points;
  copy_upper(update->X, update->R, l->size, l->stride);
  const size_t last = points->columns - 1;
  const struct matrix_factor U = {update->M + last * points->stride + last,
                                  -(ptrdiff_t)points->stride, -1};
  matrix_solve_upper_rows(update->X, l->stride, l->observed, l->size, U);
  matrix_gram(P, l->stride, l->size, update->X, l->stride, l->size, true);
  matrix_mirror(P, l->stride, l->size);
}

static double squares(const double *x, size_t count) {
  return matrix_dot(x, x, count);
}

enum status joint_update_prepare_rows(struct joint_update *update,
                                      const struct joint_measurement *z, const double *x,
                                      const double *P) {
  if (count_encoders(z, update->layout->n) + count_block_rows(z) <= update->few) {
    return STATUS_TOO_FEW;
  }
  enum status status = factor_prior(update, P);
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
  build_information(update, z, count_block_rows(z));
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
  update->information = true;
  update->base_alone = false;
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

/* -- few rows -------------------------------------------------------------------------------- */

/* Pyx: used encoders' rows of P over sd, then blocks' rows D L^T, or H P of rows about the
 * base. Innovations beside, in w. */
FOR_EACH_ISA
static size_t fill_cross_covariance(struct joint_update *update, const struct joint_measurement *z,
                                    size_t block_rows, const double *P) {
  const struct joint_layout *l = update->layout;
  const struct joint_points *points = &update->points;
  size_t row = 0;
  for (size_t i = 0; i < l->n; i++) {
    if (z->q_used[i]) {
      const double scale = 1.0 / z->q_sd[i];
      for (size_t j = 0; j < l->size; j++) {
        update->Pyx[row * l->stride + j] = P[(l->q + i) * l->stride + j] * scale;
      }
      update->w[row++] = update->encoder[i];
    }
  }
  double *Pyx = update->Pyx + row * l->stride;
  if (update->base_alone) {
    base_rows_covariance(&update->base, l, update->seen, Pyx);
  } else if (block_rows > 0) {
    const struct matrix_factor D = {points->A + points->columns - 1, -1, (ptrdiff_t)points->stride};
    matrix_multiply(Pyx, l->stride, block_rows, l->size, D, update->R, l->stride, l->observed);
  }
  memcpy(update->w + row, update->base_alone ? update->base.nu : points->nu,
         block_rows * sizeof(double));
  return row;
}

/* Element of Pyy between two rows of blocks. */
static double block_covariance(const struct joint_update *update, size_t a, size_t b) {
  const struct joint_points *points = &update->points;
  if (update->base_alone) {
    return update->base.Pyy[a][b];
  }
  const double *A = points->A + points->first;
  return (a == b ? 1.0 : 0.0) + matrix_dot(A + a * points->stride, A + b * points->stride,
                                           points->columns - points->first);
}

/* Upper triangle of Pyy + 1: encoders among themselves and with blocks from Pyx, blocks from A. */
static void fill_innovation_covariance(struct joint_update *update,
                                       const struct joint_measurement *z, size_t encoders,
                                       size_t block_rows) {
  const struct joint_layout *l = update->layout;
  const size_t rows = encoders + block_rows, stride = matrix_stride(rows);
  size_t column = 0;
  for (size_t i = 0; i < l->n; i++) {
    if (!z->q_used[i]) {
      continue;
    }
    for (size_t row = 0; row < rows; row++) {
      const double value = update->Pyx[row * l->stride + l->q + i] / z->q_sd[i];
      const size_t a = row < column ? row : column, b = row < column ? column : row;
      update->Pyy[a * stride + b] = value + (row == column ? 1.0 : 0.0);
    }
    column++;
  }
  for (size_t a = 0; a < block_rows; a++) {
    for (size_t b = a; b < block_rows; b++) {
      update->Pyy[(encoders + a) * stride + encoders + b] = block_covariance(update, a, b);
    }
  }
}

FOR_EACH_ISA
static enum status covariance_update(struct joint_update *update, const struct joint_measurement *z,
                                     size_t block_rows, double *x, double *P) {
  const struct joint_layout *l = update->layout;
  const size_t encoders = fill_cross_covariance(update, z, block_rows, P);
  const size_t rows = encoders + block_rows, stride = matrix_stride(rows);
  fill_innovation_covariance(update, z, encoders, block_rows);
  if (!matrix_cholesky(update->Pyy, stride, rows, 0.0)) {
    return STATUS_SINGULAR;
  }
  const struct matrix_factor C = {update->Pyy, (ptrdiff_t)stride, 1};
  matrix_solve_rows(update->Pyx, l->stride, rows, l->size, C);
  matrix_solve_transposed(update->Pyy, stride, rows, update->w);
  update->nis = squares(update->w, rows);
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < l->size; i++) {
      x[i] += update->w[row] * update->Pyx[row * l->stride + i];
    }
  }
  matrix_gram_add(P, l->stride, l->size, -1.0, update->Pyx, l->stride, rows, false);
  matrix_mirror(P, l->stride, l->size);
  return STATUS_OK;
}

/* -------------------------------------------------------------------------------------------- */

/* What the blocks' rows see: of the base alone without points. */
static enum status respond(struct joint_update *update, const struct joint_measurement *z,
                           const double *x, const double *P) {
  struct joint_points *points = &update->points;
  update->base_alone = update->layout->base > 0 && z->n_blocks == 1 && z->block[0].link == 0;
  if (z->n_blocks == 0) {
    return STATUS_OK;
  }
  if (update->base_alone) {
    return base_rows_step(&update->base, update->layout, points->gamma, &z->block[0], x, P,
                          update->seen);
  }
  enum status status = factor_prior(update, P);
  if (status == STATUS_OK) {
    status = joint_points_step(points, x, update->R, z->block, z->n_blocks);
  }
  if (status == STATUS_OK) {
    joint_points_read(points, z->block, z->n_blocks);
  }
  return status;
}

/* @eq Leboutet22 140 @eq Leboutet22 143 @eq Leboutet22 C.4
 * @differs Leboutet22 140: noise stands outside the observation, once. */
enum status joint_update_step(struct joint_update *update, const struct joint_measurement *z,
                              double *x, double *P) {
  const size_t block_rows = count_block_rows(z);
  update->rows = count_encoders(z, update->layout->n) + block_rows;
  update->information = update->rows > update->few;
  if (update->information) {
    enum status status = joint_update_prepare_rows(update, z, x, P);
    if (status == STATUS_OK) {
      status = joint_update_prepare_gain(update, z, P);
    }
    if (status == STATUS_OK) {
      joint_update_finish(update, z, x);
    }
    return status;
  }
  const enum status status = respond(update, z, x, P);
  if (status != STATUS_OK) {
    return status;
  }
  whiten_encoders(update, z, x);
  return covariance_update(update, z, block_rows, x, P);
}

/* Pyy of one block. */
static void block_variance(const struct joint_update *update, size_t first_row, unsigned rank,
                           double *Pyy) {
  const struct joint_points *points = &update->points;
  if (!update->base_alone) {
    matrix_row_products(Pyy, MATRIX_LANES, rank, points->columns - points->first,
                        points->A + first_row * points->stride + points->first, points->stride);
  }
  for (unsigned a = 0; a < rank; a++) {
    if (update->base_alone) {
      memcpy(Pyy + a * MATRIX_LANES, update->base.Pyy[a], rank * sizeof(double));
    } else {
      Pyy[a * (MATRIX_LANES + 1)] += 1.0;
    }
  }
}

double joint_update_block_nis(const struct joint_update *update, size_t first_row, unsigned rank) {
  double S[ROWS_MAX * MATRIX_LANES] __attribute__((aligned(64))) = {0};
  double nu[ROWS_MAX];
  memcpy(nu, (update->base_alone ? update->base.nu : update->points.nu) + first_row,
         rank * sizeof(double));
  block_variance(update, first_row, rank, S);
  if (!matrix_cholesky(S, MATRIX_LANES, rank, 0.0)) {
    return HUGE_VAL;
  }
  matrix_solve_transposed(S, MATRIX_LANES, rank, nu);
  return squares(nu, rank);
}
