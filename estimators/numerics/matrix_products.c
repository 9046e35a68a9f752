#include "numerics/matrix_products.h"

#include "numerics/matrix_tile.h"

ISA_KERNEL(matrix_multiply)
ISA_KERNEL(matrix_multiply_add)
ISA_KERNEL(matrix_gram)
ISA_KERNEL(matrix_gram_add)
ISA_KERNEL(matrix_gram_exchange)
ISA_KERNEL(matrix_row_products)
ISA_KERNEL(matrix_mirror)
ISA_KERNEL(matrix_dot)

ISA_INLINE void multiply(bool add, double *C, size_t c_stride, size_t rows, size_t columns,
                         double sign, struct matrix_factor A, const double *B, size_t b_stride,
                         size_t depth) {
  for (size_t i = 0; i < rows; i += TILE_ROWS) {
    double *to = C + i * c_stride;
    strip(smaller(TILE_ROWS, rows - i), add ? to : NULL, to, c_stride, 0, matrix_stride(columns),
          sign, from_column(A, i), B, b_stride, depth);
  }
}

void ISA(matrix_multiply)(double *C, size_t c_stride, size_t rows, size_t columns,
                          struct matrix_factor A, const double *B, size_t b_stride, size_t depth) {
  multiply(false, C, c_stride, rows, columns, 1.0, A, B, b_stride, depth);
}

void ISA(matrix_multiply_add)(double *C, size_t c_stride, size_t rows, size_t columns, double sign,
                              struct matrix_factor A, const double *B, size_t b_stride,
                              size_t depth) {
  multiply(true, C, c_stride, rows, columns, sign, A, B, b_stride, depth);
}

ISA_INLINE void gram(bool add, double *C, size_t c_stride, size_t size, double sign,
                     const double *A, size_t a_stride, size_t depth, bool upper) {
  const struct matrix_factor left = {A, (ptrdiff_t)a_stride, 1};
  for (size_t i = 0; i < size; i += TILE_ROWS) {
    const size_t height = smaller(TILE_ROWS, size - i);
    /* column i of an upper triangular A ends at row i */
    const size_t reach = upper ? smaller(depth, i + height) : depth;
    double *to = C + i * c_stride;
    strip(height, add ? to : NULL, to, c_stride, whole_lanes(i), matrix_stride(size), sign,
          from_column(left, i), A, a_stride, reach);
  }
}

void ISA(matrix_gram)(double *C, size_t c_stride, size_t size, const double *A, size_t a_stride,
                      size_t depth, bool upper) {
  gram(false, C, c_stride, size, 1.0, A, a_stride, depth, upper);
}

void ISA(matrix_gram_add)(double *C, size_t c_stride, size_t size, double sign, const double *A,
                          size_t a_stride, size_t depth, bool upper) {
  gram(true, C, c_stride, size, sign, A, a_stride, depth, upper);
}

void ISA(matrix_gram_exchange)(double *C, size_t stride, size_t size, const double *A,
                               const double *B, size_t rows) {
  const struct matrix_factor in = {A, (ptrdiff_t)stride, 1}, out = {B, (ptrdiff_t)stride, 1};
  const size_t end = matrix_stride(size);
  for (size_t i = 0; i < rows; i += TILE_ROWS) { /* nothing but A */
    const size_t height = smaller(TILE_ROWS, rows - i);
    strip(height, NULL, C + i * stride, stride, whole_lanes(i), end, 1.0, from_column(in, i), A,
          stride, i + height);
  }
  for (size_t i = rows; i < size; i += TILE_ROWS) {
    const size_t height = smaller(TILE_ROWS, size - i), from = whole_lanes(i);
    double *to = C + i * stride;
    strip(height, to, to, stride, from, end, -1.0, from_column(out, i), B, stride, rows);
    strip(height, to, to, stride, from, end, 1.0, from_column(in, i), A, stride, rows);
  }
}

/* Products of row `i` with the rows from it on, side by side. `rows` is a constant where
 * inlined. */
ISA_INLINE void row_products(double *S, int rows, size_t columns, const double *A,
                             size_t a_stride) {
  lanes sum[MATRIX_FEW];
  LANES_UNROLL for (int k = 0; k < rows; k++) {
    sum[k] = (lanes){0};
  }
  for (size_t j = 0; j < columns; j += LANES) {
    const lanes a = *(const lanes *)(A + j);
    LANES_UNROLL for (int k = 0; k < rows; k++) {
      sum[k] += a * *(const lanes *)(A + (size_t)k * a_stride + j);
    }
  }
  LANES_UNROLL for (int k = 0; k < rows; k++) {
    S[k] = lanes_sum(sum[k]);
  }
}

void ISA(matrix_row_products)(double *S, size_t s_stride, size_t rows, size_t columns,
                              const double *A, size_t a_stride) {
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
      row_products(to, (int)MATRIX_FEW, columns, from, a_stride);
      break;
    }
  }
}

/* Four rows are mirrored at a time. */
enum { QUAD = 4 };
#if REGISTER_BYTES >= 32
typedef double quad __attribute__((vector_size(QUAD * sizeof(double)), may_alias));
#endif

/* to = from^T, QUAD x QUAD. */
#if REGISTER_BYTES >= 32
ISA_INLINE void transpose(const double *from, double *to, size_t stride) {
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
#else
ISA_INLINE void transpose(const double *from, double *to, size_t stride) {
  LANES_UNROLL for (size_t i = 0; i < QUAD; i += LANES) {
    LANES_UNROLL for (size_t j = 0; j < QUAD; j += LANES) {
      const lanes a = *(const lanes *)(from + i * stride + j),
                  b = *(const lanes *)(from + (i + 1) * stride + j);
      *(lanes *)(to + j * stride + i) = __builtin_shufflevector(a, b, 0, 2);
      *(lanes *)(to + (j + 1) * stride + i) = __builtin_shufflevector(a, b, 1, 3);
    }
  }
}
#endif

/* Rows `i` to i + 3 onto columns i to i + 3 of the rows from `from` to `to`. */
ISA_INLINE void mirror_rows(double *C, size_t stride, size_t i, size_t from, size_t to) {
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

void ISA(matrix_mirror)(double *C, size_t stride, size_t size) {
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

double ISA(matrix_dot)(const double *a, const double *b, size_t count) {
  return lanes_dot(a, b, count);
}
