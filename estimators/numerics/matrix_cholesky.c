#include "numerics/matrix_cholesky.h"

#include "numerics/matrix_tile.h"

#include <math.h>
#include <string.h>

ISA_KERNEL(matrix_cholesky)
ISA_KERNEL(matrix_cholesky_rows)
ISA_KERNEL(matrix_solve_transposed)
ISA_KERNEL(matrix_solve_upper)
ISA_KERNEL(matrix_solve_rows)
ISA_KERNEL(matrix_solve_upper_rows)

/* The factor of the diagonal's block from `row` on, of columns up to `end`: all that earlier rows
 * contribute is already subtracted. */
ISA_INLINE bool finish_block(double *A, size_t stride, size_t end, size_t row, size_t height,
                             const double *diagonal, double floor) {
  for (size_t i = row; i < row + height; i++) {
    double *Ri = A + i * stride;
    for (size_t k = row; k < i; k++) {
      const double *Rk = A + k * stride;
      const double factor = Rk[i];
      for (size_t j = whole_lanes(i); j < end; j += LANES) {
        *(lanes *)(Ri + j) -= factor * *(const lanes *)(Rk + j);
      }
    }
    const double pivot = Ri[i];
    if (!(pivot > floor * diagonal[i - row]) || !isfinite(pivot)) {
      return false;
    }
    const double scale = 1.0 / sqrt(pivot);
    for (size_t j = whole_lanes(i); j < end; j += LANES) {
      *(lanes *)(Ri + j) *= scale;
    }
  }
  return true;
}

ISA_INLINE bool cholesky_rows(double *R, const double *A, size_t stride, size_t size, size_t rows,
                              double floor) {
  const struct matrix_factor left = {R, (ptrdiff_t)stride, 1};
  for (size_t i = 0; i < rows; i += TILE_ROWS) {
    const size_t height = smaller(TILE_ROWS, rows - i), end = matrix_stride(size);
    const size_t from = whole_lanes(i), beside = smaller(matrix_stride(i + height), end);
    const double *of = A + i * stride;
    double diagonal[TILE_ROWS];
    for (size_t k = 0; k < height; k++) {
      diagonal[k] = of[k * stride + i + k];
    }
    strip(height, of, R + i * stride, stride, from, beside, -1.0, from_column(left, i), R, stride,
          i);
    if (!finish_block(R, stride, beside, i, height, diagonal, floor)) {
      return false;
    }
    const struct triangle block = triangle_of(left, i, height);
    solved_strip(RISING, height, of, R + i * stride, stride, beside, end, -1.0,
                 from_column(left, i), R, stride, i, &block);
    for (size_t k = i; k < i + height; k++) {
      memset(R + k * stride, 0, k * sizeof(double));
    }
  }
  return true;
}

bool ISA(matrix_cholesky)(double *A, size_t stride, size_t size, double floor) {
  return cholesky_rows(A, A, stride, size, size, floor);
}

bool ISA(matrix_cholesky_rows)(double *R, const double *A, size_t stride, size_t size, size_t rows,
                               double floor) {
  return cholesky_rows(R, A, stride, size, rows, floor);
}

void ISA(matrix_solve_transposed)(const double *R, size_t stride, size_t size, double *x) {
  for (size_t i = 0; i < size; i++) {
    const double *Ri = R + i * stride;
    x[i] /= Ri[i];
    for (size_t j = i + 1; j < size; j++) {
      x[j] -= Ri[j] * x[i];
    }
  }
}

void ISA(matrix_solve_upper)(const double *R, size_t stride, size_t size, double *x) {
  for (size_t i = size; i-- > 0;) {
    const double *Ri = R + i * stride;
    x[i] = (x[i] - lanes_dot(Ri + i + 1, x + i + 1, size - i - 1)) / Ri[i];
  }
}

void ISA(matrix_solve_rows)(double *X, size_t stride, size_t rows, size_t columns,
                            struct matrix_factor T) {
  for (size_t row = 0; row < rows; row += TILE_ROWS) {
    const size_t height = smaller(TILE_ROWS, rows - row);
    const struct triangle block = triangle_of(T, row, height);
    double *to = X + row * stride;
    solved_strip(RISING, height, to, to, stride, 0, matrix_stride(columns), -1.0,
                 from_column(T, row), X, stride, row, &block);
  }
}

void ISA(matrix_solve_upper_rows)(double *X, const double *B, size_t stride, size_t size,
                                  size_t columns, struct matrix_factor T) {
  for (size_t end = size; end > 0;) {
    const size_t height = (end - 1) % TILE_ROWS + 1, row = end - height, last = whole_lanes(end);
    const struct triangle block = triangle_of(T, row, height);
    struct matrix_factor below = from_column(T, row);
    below.at += (ptrdiff_t)end * T.by_k;
    /* the diagonal's block has nothing below it */
    solved_strip(FALLING, height, B + row * stride, X + row * stride, stride, whole_lanes(row),
                 last, -1.0, below, X, stride, 0, &block);
    for (size_t j = last; j < columns; j += MATRIX_BLOCK) {
      const size_t stop = smaller(j + MATRIX_BLOCK, matrix_stride(columns));
      solved_strip(FALLING, height, B + row * stride, X + row * stride, stride, j, stop, -1.0,
                   below, X + end * stride, stride, smaller(size, stop) - end,
                   &block); /* rows below the diagonal add nothing */
    }
    end = row;
  }
}
