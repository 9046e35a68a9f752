#include "numerics/dense_matrix.h"

#include "math/dispatch.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, QUAD = 4, TILE_ROWS = 6 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), may_alias));
typedef double quad __attribute__((vector_size(QUAD * sizeof(double)), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* One tile of `rows` x 8 kept in registers through the whole depth. `rows` is a constant wherever
 * this is inlined. */
INLINE void tile(int rows, bool add, double *C, size_t c_stride, double sign,
                 struct matrix_factor A, const double *B, size_t b_stride, size_t depth) {
  lanes sum[TILE_ROWS];
  for (int i = 0; i < rows; i++) {
    sum[i] = (lanes){0};
  }
  const double *a = A.at;
  for (size_t k = 0; k < depth; k++) {
    const lanes b = *(const lanes *)(B + k * b_stride);
    for (int i = 0; i < rows; i++) {
      sum[i] += a[i * A.by_i] * b;
    }
    a += A.by_k;
  }
  for (int i = 0; i < rows; i++) {
    lanes *to = (lanes *)(C + (size_t)i * c_stride);
    *to = add ? *to + sign * sum[i] : sign * sum[i];
  }
}

INLINE void tile_of(size_t rows, bool add, double *C, size_t c_stride, double sign,
                    struct matrix_factor A, const double *B, size_t b_stride, size_t depth) {
  switch (rows) {
  case 1:
    tile(1, add, C, c_stride, sign, A, B, b_stride, depth);
    break;
  case 2:
    tile(2, add, C, c_stride, sign, A, B, b_stride, depth);
    break;
  case 3:
    tile(3, add, C, c_stride, sign, A, B, b_stride, depth);
    break;
  case 4:
    tile(4, add, C, c_stride, sign, A, B, b_stride, depth);
    break;
  case 5:
    tile(5, add, C, c_stride, sign, A, B, b_stride, depth);
    break;
  default:
    tile(6, add, C, c_stride, sign, A, B, b_stride, depth);
    break;
  }
}

INLINE size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

INLINE struct matrix_factor from_column(struct matrix_factor A, size_t i) {
  A.at += (ptrdiff_t)i * A.by_i;
  return A;
}

INLINE size_t whole_lanes(size_t j) {
  return j / LANES * LANES;
}

INLINE void multiply(bool add, double *C, size_t c_stride, size_t rows, size_t columns, double sign,
                     struct matrix_factor A, const double *B, size_t b_stride, size_t depth) {
  for (size_t i = 0; i < rows; i += TILE_ROWS) {
    const size_t height = smaller(TILE_ROWS, rows - i);
    for (size_t j = 0; j < columns; j += LANES) {
      tile_of(height, add, C + i * c_stride + j, c_stride, sign, from_column(A, i), B + j, b_stride,
              depth);
    }
  }
}

FOR_EACH_ISA
void matrix_multiply(double *C, size_t c_stride, size_t rows, size_t columns,
                     struct matrix_factor A, const double *B, size_t b_stride, size_t depth) {
  multiply(false, C, c_stride, rows, columns, 1.0, A, B, b_stride, depth);
}

FOR_EACH_ISA
void matrix_multiply_add(double *C, size_t c_stride, size_t rows, size_t columns, double sign,
                         struct matrix_factor A, const double *B, size_t b_stride, size_t depth) {
  multiply(true, C, c_stride, rows, columns, sign, A, B, b_stride, depth);
}

INLINE void gram(bool add, double *C, size_t c_stride, size_t size, double sign, const double *A,
                 size_t a_stride, size_t depth, bool upper) {
  const struct matrix_factor left = {A, (ptrdiff_t)a_stride, 1};
  for (size_t i = 0; i < size; i += TILE_ROWS) {
    const size_t height = smaller(TILE_ROWS, size - i);
    /* column i of an upper triangular A ends at row i */
    const size_t reach = upper ? smaller(depth, i + height) : depth;
    for (size_t j = whole_lanes(i); j < size; j += LANES) {
      tile_of(height, add, C + i * c_stride + j, c_stride, sign, from_column(left, i), A + j,
              a_stride, reach);
    }
  }
}

FOR_EACH_ISA
void matrix_gram(double *C, size_t c_stride, size_t size, const double *A, size_t a_stride,
                 size_t depth, bool upper) {
  gram(false, C, c_stride, size, 1.0, A, a_stride, depth, upper);
}

FOR_EACH_ISA
void matrix_gram_add(double *C, size_t c_stride, size_t size, double sign, const double *A,
                     size_t a_stride, size_t depth, bool upper) {
  gram(true, C, c_stride, size, sign, A, a_stride, depth, upper);
}

/* Products of row `i` with the rows from it on, side by side. `rows` is a constant where inlined.
 */
INLINE void row_products(double *S, int rows, size_t columns, const double *A, size_t a_stride) {
  lanes sum[TILE_ROWS];
  for (int k = 0; k < rows; k++) {
    sum[k] = (lanes){0};
  }
  for (size_t j = 0; j < columns; j += LANES) {
    const lanes a = *(const lanes *)(A + j);
    for (int k = 0; k < rows; k++) {
      sum[k] += a * *(const lanes *)(A + (size_t)k * a_stride + j);
    }
  }
  for (int k = 0; k < rows; k++) {
    S[k] = ((sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3])) +
           ((sum[k][4] + sum[k][5]) + (sum[k][6] + sum[k][7]));
  }
}

FOR_EACH_ISA
void matrix_row_products(double *S, size_t s_stride, size_t rows, size_t columns, const double *A,
                         size_t a_stride) {
  for (size_t i = 0; i < rows; i++) {
    double *to = S + i * (s_stride + 1);
    const double *from = A + i * a_stride;
    switch (rows - i) {
    case 1:
      row_products(to, 1, columns, from, a_stride);
      break;
    case 2:
      row_products(to, 2, columns, from, a_stride);
      break;
    case 3:
      row_products(to, 3, columns, from, a_stride);
      break;
    case 4:
      row_products(to, 4, columns, from, a_stride);
      break;
    case 5:
      row_products(to, 5, columns, from, a_stride);
      break;
    default:
      row_products(to, TILE_ROWS, columns, from, a_stride);
      break;
    }
  }
}

/* to = from^T, 4 x 4. */
INLINE void transpose(const double *from, double *to, size_t stride) {
  const quad a = *(const quad *)from, b = *(const quad *)(from + stride),
             c = *(const quad *)(from + 2 * stride), d = *(const quad *)(from + 3 * stride);
  const quad ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
             cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6),
             cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  *(quad *)to = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  *(quad *)(to + stride) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  *(quad *)(to + 2 * stride) = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  *(quad *)(to + 3 * stride) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

/* Rows `i` to i + 3 onto columns i to i + 3 of the rows from `from` to `to`. */
INLINE void mirror_rows(double *C, size_t stride, size_t i, size_t from, size_t to) {
  size_t j = from;
  for (; j + QUAD <= to; j += QUAD) {
    transpose(C + i * stride + j, C + j * stride + i, stride);
  }
  for (; j < to; j++) {
    for (size_t k = i; k < i + QUAD; k++) {
      C[j * stride + k] = C[k * stride + j];
    }
  }
}

FOR_EACH_ISA
void matrix_mirror(double *C, size_t stride, size_t size) {
  enum { BLOCK = 16 }; /* 16 x 16 doubles of both triangles stay in the first-level cache */
  for (size_t bi = 0; bi < size; bi += BLOCK) {
    for (size_t bj = bi; bj < size; bj += BLOCK) {
      const size_t end = smaller(bj + BLOCK, size);
      for (size_t i = bi; i < bi + BLOCK && i + QUAD < end; i += QUAD) {
        mirror_rows(C, stride, i, bj > i ? bj : i + QUAD, end);
      }
    }
  }
  for (size_t i = 0; i < size; i++) { /* beside the diagonal */
    for (size_t j = i / QUAD * QUAD; j < i; j++) {
      C[i * stride + j] = C[j * stride + i];
    }
  }
}

/* Finishes `height` rows from `row` on: all that earlier rows contribute is already subtracted. */
INLINE bool finish_rows(double *A, size_t stride, size_t size, size_t row, size_t height,
                        const double *diagonal, double floor) {
  for (size_t i = row; i < row + height; i++) {
    double *Ri = A + i * stride;
    for (size_t k = row; k < i; k++) {
      const double *Rk = A + k * stride;
      const double factor = Rk[i];
      for (size_t j = whole_lanes(i); j < size; j += LANES) {
        *(lanes *)(Ri + j) -= factor * *(const lanes *)(Rk + j);
      }
    }
    const double pivot = Ri[i];
    if (!(pivot > floor * diagonal[i - row]) || !isfinite(pivot)) {
      return false;
    }
    const double scale = 1.0 / sqrt(pivot);
    for (size_t j = whole_lanes(i); j < size; j += LANES) {
      *(lanes *)(Ri + j) *= scale;
    }
  }
  return true;
}

FOR_EACH_ISA
bool matrix_cholesky(double *A, size_t stride, size_t size, double floor) {
  const struct matrix_factor left = {A, (ptrdiff_t)stride, 1};
  for (size_t i = 0; i < size; i += TILE_ROWS) {
    const size_t height = smaller(TILE_ROWS, size - i);
    double diagonal[TILE_ROWS];
    for (size_t k = 0; k < height; k++) {
      diagonal[k] = A[(i + k) * stride + i + k];
    }
    for (size_t j = whole_lanes(i); j < size; j += LANES) {
      tile_of(height, true, A + i * stride + j, stride, -1.0, from_column(left, i), A + j, stride,
              i);
    }
    if (!finish_rows(A, stride, size, i, height, diagonal, floor)) {
      return false;
    }
    for (size_t k = i; k < i + height; k++) {
      memset(A + k * stride, 0, k * sizeof(double));
    }
  }
  return true;
}

void matrix_solve_transposed(const double *R, size_t stride, size_t size, double *x) {
  for (size_t i = 0; i < size; i++) {
    const double *Ri = R + i * stride;
    x[i] /= Ri[i];
    for (size_t j = i + 1; j < size; j++) {
      x[j] -= Ri[j] * x[i];
    }
  }
}

void matrix_solve_upper(const double *R, size_t stride, size_t size, double *x) {
  for (size_t i = size; i-- > 0;) {
    const double *Ri = R + i * stride;
    x[i] = (x[i] - matrix_dot(Ri + i + 1, x + i + 1, size - i - 1)) / Ri[i];
  }
}

/* Subtracts row k times T(k, i) from row i, columns from `from` on. */
INLINE void subtract_row(double *X, size_t stride, size_t columns, size_t from, size_t i, size_t k,
                         double factor) {
  double *Xi = X + i * stride;
  const double *Xk = X + k * stride;
  for (size_t j = whole_lanes(from); j < columns; j += LANES) {
    *(lanes *)(Xi + j) -= factor * *(const lanes *)(Xk + j);
  }
}

INLINE void scale_row(double *X, size_t stride, size_t columns, size_t from, size_t i,
                      double factor) {
  for (size_t j = whole_lanes(from); j < columns; j += LANES) {
    *(lanes *)(X + i * stride + j) *= factor;
  }
}

INLINE double element(struct matrix_factor T, size_t k, size_t i) {
  return T.at[(ptrdiff_t)k * T.by_k + (ptrdiff_t)i * T.by_i];
}

FOR_EACH_ISA
void matrix_solve_rows(double *X, size_t stride, size_t rows, size_t columns,
                       struct matrix_factor T) {
  for (size_t row = 0; row < rows; row += TILE_ROWS) {
    const size_t height = smaller(TILE_ROWS, rows - row);
    for (size_t j = 0; j < columns; j += LANES) {
      tile_of(height, true, X + row * stride + j, stride, -1.0, from_column(T, row), X + j, stride,
              row);
    }
    for (size_t i = row; i < row + height; i++) {
      for (size_t k = row; k < i; k++) {
        subtract_row(X, stride, columns, 0, i, k, element(T, k, i));
      }
      scale_row(X, stride, columns, 0, i, 1.0 / element(T, i, i));
    }
  }
}

FOR_EACH_ISA
void matrix_solve_upper_rows(double *X, size_t stride, size_t size, size_t columns,
                             struct matrix_factor T) {
  for (size_t end = size; end > 0;) {
    const size_t height = (end - 1) % TILE_ROWS + 1, row = end - height;
    struct matrix_factor below = from_column(T, row);
    below.at += (ptrdiff_t)end * T.by_k;
    for (size_t j = whole_lanes(end); j < columns; j += LANES) {
      tile_of(height, true, X + row * stride + j, stride, -1.0, below, X + end * stride + j, stride,
              smaller(size, j + LANES) - end); /* rows below the diagonal add nothing */
    }
    for (size_t i = end; i-- > row;) {
      for (size_t k = i + 1; k < end; k++) {
        subtract_row(X, stride, columns, i, i, k, element(T, k, i));
      }
      scale_row(X, stride, columns, i, i, 1.0 / element(T, i, i));
    }
    end = row;
  }
}

FOR_EACH_ISA
double matrix_dot(const double *a, const double *b, size_t count) {
  enum { PARTS = 8 };
  double part[PARTS] = {0}, rest = 0.0;
  size_t j = 0;
  for (; j + PARTS <= count; j += PARTS) {
    for (size_t lane = 0; lane < PARTS; lane++) {
      part[lane] += a[j + lane] * b[j + lane];
    }
  }
  for (; j < count; j++) {
    rest += a[j] * b[j];
  }
  return rest + ((part[0] + part[1]) + (part[2] + part[3])) +
         ((part[4] + part[5]) + (part[6] + part[7]));
}
