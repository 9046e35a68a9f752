#include "numerics/small_matrix.h"

#include "math/dispatch.h"

#include <math.h>

#define INLINE ISA_INLINE

INLINE void add_row(size_t n, double scale, const double *restrict x, double *restrict y) {
  for (size_t j = 0; j < n; j++) {
    y[j] += scale * x[j];
  }
}

INLINE double at(struct small_factor A, size_t i, size_t j) {
  return A.at[(ptrdiff_t)i * A.by_row + (ptrdiff_t)j * A.by_column];
}

/* -- products --------------------------------------------------------------------------------- */

enum { AT_ONCE = 4 }; /* terms that are added to a sum while it is in a register */

/* y_j += a_0 x_j + a_1 x_(by_row + j) + ..., in this order; x_j lie `by_column` apart */
INLINE void add_rows(size_t n, const double a[AT_ONCE], const double *restrict x, ptrdiff_t by_row,
                     ptrdiff_t by_column, double *restrict y) {
  for (size_t j = 0; j < n; j++) {
    double sum = y[j];
    for (ptrdiff_t k = 0; k < AT_ONCE; k++) {
      sum += a[k] * x[k * by_row + (ptrdiff_t)j * by_column];
    }
    y[j] = sum;
  }
}

FOR_EACH_ISA
void small_multiply(size_t rows, size_t columns, size_t depth, double scale, struct small_factor A,
                    struct small_factor B, double keep, double *C, size_t c_stride) {
  for (size_t i = 0; i < rows; i++) {
    double *Ci = C + i * c_stride;
    for (size_t j = 0; j < columns; j++) {
      Ci[j] = keep == 0.0 ? 0.0 : keep * Ci[j];
    }
    size_t k = 0;
    for (; k + AT_ONCE <= depth; k += AT_ONCE) {
      const double a[AT_ONCE] = {scale * at(A, i, k), scale * at(A, i, k + 1),
                                 scale * at(A, i, k + 2), scale * at(A, i, k + 3)};
      const double *Bk = B.at + (ptrdiff_t)k * B.by_row;
      if (B.by_column == 1) {
        add_rows(columns, a, Bk, B.by_row, 1, Ci);
      } else {
        add_rows(columns, a, Bk, B.by_row, B.by_column, Ci);
      }
    }
    for (; k < depth; k++) {
      const double a = scale * at(A, i, k);
      for (size_t j = 0; j < columns; j++) {
        Ci[j] += a * at(B, k, j);
      }
    }
  }
}

void small_apply(size_t rows, size_t columns, double scale, struct small_factor A, const double *x,
                 double keep, double *y) {
  for (size_t i = 0; i < rows; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < columns; j++) {
      sum += at(A, i, j) * x[j];
    }
    y[i] = (keep == 0.0 ? 0.0 : keep * y[i]) + scale * sum;
  }
}

FOR_EACH_ISA
void small_rank_one(size_t rows, size_t columns, double scale, const double *x, const double *y,
                    double *A, size_t stride) {
  for (size_t i = 0; i < rows; i++) {
    add_row(columns, scale * x[i], y, A + i * stride);
  }
}

FOR_EACH_ISA
void small_add(size_t n, double scale, const double *x, double *y) {
  add_row(n, scale, x, y);
}

FOR_EACH_ISA
void small_scale(size_t n, double scale, double *x) {
  for (size_t j = 0; j < n; j++) {
    x[j] *= scale;
  }
}

double small_dot(size_t n, const double *x, const double *y) {
  double sum = 0.0;
  for (size_t j = 0; j < n; j++) {
    sum += x[j] * y[j];
  }
  return sum;
}

/* -- Cholesky ------------------------------------------------------------------------------------
 */

FOR_EACH_ISA
bool small_cholesky_lower(size_t n, double *A) {
  for (size_t k = 0; k < n; k++) {
    double *Ak = A + k * n; /* becomes the k-th column of L, too */
    if (!(Ak[k] > 0.0 && isfinite(Ak[k]))) {
      return false;
    }
    Ak[k] = sqrt(Ak[k]);
    for (size_t i = k + 1; i < n; i++) {
      Ak[i] = A[i * n + k] /= Ak[k];
    }
    for (size_t i = k + 1; i < n; i++) {
      add_row(i - k, -Ak[i], Ak + k + 1, A + i * n + k + 1);
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

FOR_EACH_ISA
void small_cholesky_inverse(size_t n, double *L) {
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

FOR_EACH_ISA
void small_cholesky_whiten(size_t n, const double *L, double *x) {
  for (size_t k = 0; k < n; k++) {
    x[k] /= L[k * n + k];
    add_row(n - k - 1, -x[k], L + k * n + k + 1, x + k + 1);
  }
}

void small_cholesky_solve(size_t n, const double *L, double *x) {
  small_cholesky_whiten(n, L, x);
  for (size_t i = n; i-- > 0;) {
    x[i] /= L[i * n + i];
    small_add(i, -x[i], L + i * n, x);
  }
}

FOR_EACH_ISA
void small_solve_lower(size_t n, size_t columns, const double *L, double *X, size_t x_stride) {
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

FOR_EACH_ISA
bool small_lu(size_t n, double *A, int *pivot) {
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

FOR_EACH_ISA
void small_lu_solve(size_t n, const double *LU, const int *pivot, size_t columns, double *X,
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
