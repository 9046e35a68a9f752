#include "numerics/small_matrix.h"

#include "numerics/register_lanes.h"

#include <math.h>

ISA_KERNEL(small_multiply)
ISA_KERNEL(small_multiply_symmetric)
ISA_KERNEL(small_apply)
ISA_KERNEL(small_rank_one)
ISA_KERNEL(small_add)
ISA_KERNEL(small_scale)
ISA_KERNEL(small_dot)
ISA_KERNEL(small_cholesky_lower)
ISA_KERNEL(small_cholesky_inverse)
ISA_KERNEL(small_cholesky_whiten)
ISA_KERNEL(small_cholesky_solve)
ISA_KERNEL(small_solve_lower)
ISA_KERNEL(small_lu)
ISA_KERNEL(small_lu_solve)

#define INLINE ISA_INLINE

INLINE void add_row(size_t n, double scale, const double *restrict x, double *restrict y) {
  for (size_t j = 0; j < n; j++) {
    y[j] += scale * x[j];
  }
}

/* -- products --------------------------------------------------------------------------------- */

enum {
  PANEL = 8,                          /* columns that are worked on at once */
  REGISTERS = PANEL / LANES,          /* that they take */
  TALL = REGISTER_BYTES > 16 ? 4 : 2, /* rows of a tile: as many sums stay in registers */
  DEEP = 32                           /* rows of a panel that is copied */
};

/* Columns of B side by side, zeros beside the last. */
INLINE void copy_panel(size_t columns, size_t depth, struct small_factor B, double *panel) {
  for (size_t k = 0; k < depth; k++) {
    for (size_t j = 0; j < PANEL; j++) {
      panel[k * PANEL + j] =
          j < columns ? B.at[(ptrdiff_t)k * B.by_row + (ptrdiff_t)j * B.by_column] : 0.0;
    }
  }
}

/* `rows`, a constant where inlined, of a panel of C. B's rows are a whole panel wide. */
INLINE void tile(size_t rows, size_t columns, size_t depth, double scale, struct small_factor A,
                 const double *B, ptrdiff_t b_stride, double keep, double *C, size_t c_stride) {
  lanes sum[TALL][REGISTERS] = {{{0}}};
  for (size_t k = 0; k < depth; k++) {
    const double *a = A.at + (ptrdiff_t)k * A.by_column;
    LANES_UNROLL for (size_t i = 0; i < rows; i++) {
      LANES_UNROLL for (size_t w = 0; w < REGISTERS; w++) {
        sum[i][w] += a[(ptrdiff_t)i * A.by_row] * *(const loose_lanes *)(B + w * LANES);
      }
    }
    B += b_stride;
  }
  LANES_UNROLL for (size_t i = 0; i < rows; i++) {
    const double *product = (const double *)sum[i];
    double *Ci = C + i * c_stride;
    for (size_t j = 0; j < columns; j++) {
      Ci[j] = (keep == 0.0 ? 0.0 : keep * Ci[j]) + scale * product[j];
    }
  }
}

INLINE void multiply_panel(size_t rows, size_t columns, size_t depth, double scale,
                           struct small_factor A, const double *B, ptrdiff_t b_stride, double keep,
                           double *C, size_t c_stride) {
  size_t i = 0;
  for (; i + TALL <= rows; i += TALL) {
    tile(TALL, columns, depth, scale, A, B, b_stride, keep, C + i * c_stride, c_stride);
    A.at += TALL * A.by_row;
  }
  for (; i < rows; i++) {
    tile(1, columns, depth, scale, A, B, b_stride, keep, C + i * c_stride, c_stride);
    A.at += A.by_row;
  }
}

INLINE void multiply(size_t rows, size_t columns, size_t depth, double scale, struct small_factor A,
                     struct small_factor B, double keep, double *C, size_t c_stride) {
  double panel[DEEP * PANEL];
  size_t j = 0;
  for (; B.by_column == 1 && j + PANEL <= columns; j += PANEL) {
    multiply_panel(rows, PANEL, depth, scale, A, B.at + j, B.by_row, keep, C + j, c_stride);
  }
  for (; j < columns; j += PANEL) {
    const size_t width = columns - j < PANEL ? columns - j : PANEL;
    for (size_t k = 0; k < depth || k == 0; k += DEEP) {
      const struct small_factor left = {A.at + (ptrdiff_t)k * A.by_column, A.by_row, A.by_column};
      const struct small_factor right = {
          B.at + (ptrdiff_t)k * B.by_row + (ptrdiff_t)j * B.by_column, B.by_row, B.by_column};
      const size_t deep = depth - k < DEEP ? depth - k : DEEP;
      copy_panel(width, deep, right, panel);
      multiply_panel(rows, width, deep, scale, left, panel, PANEL, k == 0 ? keep : 1.0, C + j,
                     c_stride);
    }
  }
}

void ISA(small_multiply)(size_t rows, size_t columns, size_t depth, double scale,
                         struct small_factor A, struct small_factor B, double keep, double *C,
                         size_t c_stride) {
  multiply(rows, columns, depth, scale, A, B, keep, C, c_stride);
}

/* The upper triangle's part of `rows` rows = the lower's; A begins on the diagonal. */
INLINE void mirror_columns(size_t rows, size_t n, double *A, size_t stride) {
  for (size_t j = 1; j < n; j++) {
    for (size_t i = 0; i < rows && i < j; i++) {
      A[i * stride + j] = A[j * stride + i];
    }
  }
}

void ISA(small_multiply_symmetric)(size_t n, size_t depth, double scale, struct small_factor A,
                                   struct small_factor B, double keep, double *C, size_t c_stride) {
  for (size_t j = 0; j < n; j += PANEL) {
    multiply(n - j, n - j < PANEL ? n - j : PANEL, depth, scale, A, B, keep, C, c_stride);
    mirror_columns(PANEL, n - j, C, c_stride);
    A.at += PANEL * A.by_row;
    B.at += PANEL * B.by_column;
    C += PANEL * (c_stride + 1);
  }
}

void ISA(small_apply)(size_t rows, size_t columns, double scale, struct small_factor A,
                      const double *x, double keep, double *y) {
  for (size_t i = 0; i < rows; i++) {
    y[i] = keep == 0.0 ? 0.0 : keep * y[i];
  }
  if (A.by_row == 1) {
    for (size_t j = 0; j < columns; j++) {
      add_row(rows, scale * x[j], A.at + (ptrdiff_t)j * A.by_column, y);
    }
    return;
  }
  for (size_t i = 0; i < rows; i++) {
    y[i] += scale * lanes_dot(A.at + (ptrdiff_t)i * A.by_row, x, columns);
  }
}

void ISA(small_rank_one)(size_t rows, size_t columns, double scale, const double *x,
                         const double *y, double *A, size_t stride) {
  for (size_t i = 0; i < rows; i++) {
    add_row(columns, scale * x[i], y, A + i * stride);
  }
}

void ISA(small_add)(size_t n, double scale, const double *x, double *y) {
  add_row(n, scale, x, y);
}

void ISA(small_scale)(size_t n, double scale, double *x) {
  for (size_t j = 0; j < n; j++) {
    x[j] *= scale;
  }
}

double ISA(small_dot)(size_t n, const double *x, const double *y) {
  return lanes_dot(x, y, n);
}

/* -- Cholesky ------------------------------------------------------------------------------------
 */

enum { BLOCK = 8 }; /* rows of L^T that are found at once */

/* Rows of L^T, `columns` wide from the diagonal on, stride n: what rows above contribute is already
 * subtracted. Numbers before the diagonal mean nothing. */
INLINE bool finish_block(size_t rows, size_t columns, size_t n, double *U) {
  for (size_t i = 0; i < rows; i++) {
    double *Ui = U + i * n;
    for (size_t k = 0; k < i; k++) {
      add_row(columns, -U[k * n + i], U + k * n, Ui);
    }
    if (!(Ui[i] > 0.0 && isfinite(Ui[i]))) {
      return false;
    }
    const double scale = 1.0 / sqrt(Ui[i]);
    for (size_t j = 0; j < columns; j++) {
      Ui[j] *= scale;
    }
  }
  return true;
}

bool ISA(small_cholesky_lower)(size_t n, double *A) {
  for (size_t k = 0; k < n; k += BLOCK) {
    const size_t rows = n - k < BLOCK ? n - k : BLOCK;
    double *U = A + k * n + k;
    mirror_columns(rows, n - k, U, n);
    multiply(rows, n - k, k, -1.0, small_transposed(A + k, n), small_factor(A + k, n), 1.0, U, n);
    if (!finish_block(rows, n - k, n, U)) {
      return false;
    }
    for (size_t j = 1; j < n - k; j++) {
      for (size_t i = 0; i < rows && i < j; i++) {
        U[j * n + i] = U[i * n + j];
      }
    }
  }
  return true;
}

/* L^-1 in place of L */
INLINE void invert_lower(size_t n, double *L) {
  for (size_t i = 0; i < n; i++) {
    double *Li = L + i * n;
    for (size_t k = 0; k < i; k++) {
      const double scale = Li[k];
      Li[k] = 0.0;
      add_row(k + 1, scale, L + k * n, Li);
    }
    for (size_t j = 0; j < i; j++) {
      Li[j] = -Li[j] / Li[i];
    }
    Li[i] = 1.0 / Li[i];
  }
}

void ISA(small_cholesky_inverse)(size_t n, double *L) {
  invert_lower(n, L);
  /* L^-T L^-1: its lower triangle in place, each row from those at and below it */
  for (size_t i = 0; i < n; i++) {
    double *Li = L + i * n;
    const double scale = Li[i];
    for (size_t j = 0; j <= i; j++) {
      Li[j] *= scale;
    }
    for (size_t k = i + 1; k < n; k++) {
      add_row(i + 1, L[k * n + i], L + k * n, Li);
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      L[j * n + i] = L[i * n + j];
    }
  }
}

void ISA(small_cholesky_whiten)(size_t n, const double *L, double *x) {
  for (size_t k = 0; k < n; k++) {
    x[k] /= L[k * n + k];
    add_row(n - k - 1, -x[k], L + k * n + k + 1, x + k + 1);
  }
}

void ISA(small_cholesky_solve)(size_t n, const double *L, double *x) {
  small_cholesky_whiten(n, L, x);
  for (size_t i = n; i-- > 0;) {
    x[i] /= L[i * n + i];
    small_add(i, -x[i], L + i * n, x);
  }
}

void ISA(small_solve_lower)(size_t n, size_t columns, const double *L, double *X, size_t x_stride) {
  for (size_t i = 0; i < n; i++) {
    double *Xi = X + i * x_stride;
    for (size_t k = 0; k < i; k++) {
      add_row(columns, -L[i * n + k], X + k * x_stride, Xi);
    }
    for (size_t j = 0; j < columns; j++) {
      Xi[j] /= L[i * n + i];
    }
  }
}

/* -- LU ------------------------------------------------------------------------------------------
 */

INLINE void exchange(size_t n, double *a, double *b) {
  for (size_t j = 0; j < n; j++) {
    const double kept = a[j];
    a[j] = b[j];
    b[j] = kept;
  }
}

bool ISA(small_lu)(size_t n, double *A, int *pivot) {
  for (size_t i = 0; i < n; i++) {
    size_t best = i;
    for (size_t k = i + 1; k < n; k++) {
      best = fabs(A[k * n + i]) > fabs(A[best * n + i]) ? k : best;
    }
    if (!(fabs(A[best * n + i]) > 0.0)) {
      return false;
    }
    pivot[i] = (int)best;
    if (best != i) {
      exchange(n, A + i * n, A + best * n);
    }
    for (size_t k = i + 1; k < n; k++) {
      const double factor = A[k * n + i] / A[i * n + i];
      A[k * n + i] = factor;
      add_row(n - i - 1, -factor, A + i * n + i + 1, A + k * n + i + 1);
    }
  }
  return true;
}

void ISA(small_lu_solve)(size_t n, const double *LU, const int *pivot, size_t columns, double *X,
                         size_t x_stride) {
  for (size_t i = 0; i < n; i++) {
    if ((size_t)pivot[i] != i) {
      exchange(columns, X + i * x_stride, X + (size_t)pivot[i] * x_stride);
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) {
      add_row(columns, -LU[i * n + k], X + k * x_stride, X + i * x_stride);
    }
  }
  for (size_t i = n; i-- > 0;) {
    double *Xi = X + i * x_stride;
    for (size_t k = i + 1; k < n; k++) {
      add_row(columns, -LU[i * n + k], X + k * x_stride, Xi);
    }
    for (size_t j = 0; j < columns; j++) {
      Xi[j] /= LU[i * n + i];
    }
  }
}
