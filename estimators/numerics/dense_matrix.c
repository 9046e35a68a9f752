#include "numerics/dense_matrix.h"

#include "math/dispatch.h"

#include <math.h>
#include <string.h>

ISA_KERNEL(matrix_multiply)
ISA_KERNEL(matrix_multiply_add)
ISA_KERNEL(matrix_gram)
ISA_KERNEL(matrix_gram_add)
ISA_KERNEL(matrix_row_products)
ISA_KERNEL(matrix_mirror)
ISA_KERNEL(matrix_cholesky)
ISA_KERNEL(matrix_cholesky_rows)
ISA_KERNEL(matrix_gram_exchange)
ISA_KERNEL(matrix_solve_transposed)
ISA_KERNEL(matrix_solve_upper)
ISA_KERNEL(matrix_solve_rows)
ISA_KERNEL(matrix_solve_upper_rows)
ISA_KERNEL(matrix_dot)

/* A vector is a register. A tile is what stays in registers through a product's whole depth: its
 * sums, one row of B, one number of A. */
#if REGISTER_BYTES == 64 /* of 32 registers */
#define TILE_ROWS  6
#define TILE_WIDTH 2
#elif REGISTER_BYTES == 32 /* of 16 */
#define TILE_ROWS  6
#define TILE_WIDTH 2
#elif defined(__aarch64__) /* of 32 */
#define TILE_ROWS  5
#define TILE_WIDTH 4
#else /* of 16, and products need one of their own before they are added */
#define TILE_ROWS  4
#define TILE_WIDTH 2
#endif
enum { LANES = REGISTER_BYTES / sizeof(double), TILE_COLUMNS = LANES * TILE_WIDTH };
enum { LINE = 64 / sizeof(double) }; /* of the cache */
/* columns that a tile covers, or several tiles do */
#define MATRIX_BLOCK (TILE_COLUMNS > MATRIX_LANES ? (size_t)TILE_COLUMNS : MATRIX_LANES)

typedef double lanes __attribute__((vector_size(REGISTER_BYTES), may_alias));
typedef double loose_lanes __attribute__((vector_size(REGISTER_BYTES), aligned(8), may_alias));

/* Four rows are mirrored at a time. */
enum { QUAD = 4 };
#if REGISTER_BYTES >= 32
typedef double quad __attribute__((vector_size(QUAD * sizeof(double)), may_alias));
#endif

#define INLINE ISA_INLINE
#define UNROLL _Pragma("GCC unroll 8")

/* What a tile's rows are solved with while they are still in registers: a triangle, its diagonal
 * inverted. by[i][k] is what row i takes of row k, of rows before it or behind it. */
enum order { AS_IT_IS, RISING, FALLING };
struct triangle {
  double by[TILE_ROWS][TILE_ROWS];
};

/* `order` and `rows` are constants where inlined, as in tile. */
INLINE void solve_tile(enum order order, int rows, int width, const struct triangle *by,
                       lanes sum[TILE_ROWS][TILE_WIDTH]) {
  UNROLL for (int step = 0; step < rows; step++) {
    const int i = order == RISING ? step : rows - 1 - step;
    UNROLL for (int before = 0; before < step; before++) {
      const int k = order == RISING ? before : rows - 1 - before;
      UNROLL for (int w = 0; w < width; w++) {
        sum[i][w] -= by->by[i][k] * sum[k][w];
      }
    }
    UNROLL for (int w = 0; w < width; w++) {
      sum[i][w] *= by->by[i][i];
    }
  }
}

/* One tile of `rows` x `width` registers kept in registers through the whole depth. Both are
 * constants wherever this is inlined. The product is added to what stands in `plus`, which has C's
 * stride and may be C; NULL: to nothing. Then the tile's rows are solved with `by`. depth > 0 */
INLINE void tile(enum order order, int rows, int width, const double *plus, double *C,
                 size_t c_stride, double sign, struct matrix_factor A, const double *B,
                 size_t b_stride, size_t depth, const struct triangle *by) {
  lanes sum[TILE_ROWS][TILE_WIDTH];
  UNROLL for (int i = 0; i < rows; i++) {
    UNROLL for (int w = 0; w < width; w++) {
      sum[i][w] = (lanes){0};
    }
    if (plus != NULL) { /* wanted at the end: it comes meanwhile */
      UNROLL for (int w = 0; w < width * LANES; w += LINE) {
        __builtin_prefetch(plus + (size_t)i * c_stride + w);
      }
    }
  }
  const double *a = A.at;
  size_t k = 0;
  do {
    lanes b[TILE_WIDTH];
    UNROLL for (int w = 0; w < width; w++) {
      b[w] = *(const lanes *)(B + k * b_stride + w * LANES);
    }
    UNROLL for (int i = 0; i < rows; i++) {
      UNROLL for (int w = 0; w < width; w++) {
        sum[i][w] += a[i * A.by_i] * b[w];
      }
    }
    a += A.by_k;
  } while (++k < depth);
  UNROLL for (int i = 0; i < rows; i++) {
    UNROLL for (int w = 0; w < width; w++) {
      const size_t at = (size_t)i * c_stride + w * LANES;
      sum[i][w] = plus != NULL ? *(const lanes *)(plus + at) + sign * sum[i][w] : sign * sum[i][w];
    }
  }
  if (order != AS_IT_IS) {
    solve_tile(order, rows, width, by, sum);
  }
  UNROLL for (int i = 0; i < rows; i++) {
    UNROLL for (int w = 0; w < width; w++) {
      *(lanes *)(C + (size_t)i * c_stride + w * LANES) = sum[i][w];
    }
  }
}

INLINE void tile_of(enum order order, size_t rows, int width, const double *plus, double *C,
                    size_t c_stride, double sign, struct matrix_factor A, const double *B,
                    size_t b_stride, size_t depth, const struct triangle *by) {
  switch (rows) {
  case 1:
    tile(order, 1, width, plus, C, c_stride, sign, A, B, b_stride, depth, by);
    break;
  case 2:
    tile(order, 2, width, plus, C, c_stride, sign, A, B, b_stride, depth, by);
    break;
  case 3:
    tile(order, 3, width, plus, C, c_stride, sign, A, B, b_stride, depth, by);
    break;
#if TILE_ROWS > 4
  case 4:
    tile(order, 4, width, plus, C, c_stride, sign, A, B, b_stride, depth, by);
    break;
  case 5:
    tile(order, 5, width, plus, C, c_stride, sign, A, B, b_stride, depth, by);
    break;
#endif
  default:
    tile(order, TILE_ROWS, width, plus, C, c_stride, sign, A, B, b_stride, depth, by);
    break;
  }
}

/* A strip to which nothing is added, row by row. */
INLINE void bare_strip(enum order order, size_t rows, const double *plus, double *C,
                       size_t c_stride, size_t from, size_t end, const struct triangle *by) {
  for (size_t step = 0; step < rows; step++) {
    const size_t i = order == FALLING ? rows - 1 - step : step;
    double *to = C + i * c_stride;
    for (size_t j = from; j < end; j += LANES) {
      *(lanes *)(to + j) = plus != NULL ? *(const lanes *)(plus + i * c_stride + j) : (lanes){0};
    }
    for (size_t before = 0; before < step && order != AS_IT_IS; before++) {
      const size_t k = order == FALLING ? rows - 1 - before : before;
      for (size_t j = from; j < end; j += LANES) {
        *(lanes *)(to + j) -= by->by[i][k] * *(const lanes *)(C + k * c_stride + j);
      }
    }
    for (size_t j = from; j < end && order != AS_IT_IS; j += LANES) {
      *(lanes *)(to + j) *= by->by[i][i];
    }
  }
}

/* `rows` rows of C, columns `from` to `end`, both multiples of MATRIX_LANES. */
INLINE void solved_strip(enum order order, size_t rows, const double *plus, double *C,
                         size_t c_stride, size_t from, size_t end, double sign,
                         struct matrix_factor A, const double *B, size_t b_stride, size_t depth,
                         const struct triangle *by) {
  size_t j = from;
  if (depth == 0) {
    bare_strip(order, rows, plus, C, c_stride, from, end, by);
    return;
  }
  for (; j + TILE_COLUMNS <= end; j += TILE_COLUMNS) {
    tile_of(order, rows, TILE_WIDTH, plus != NULL ? plus + j : NULL, C + j, c_stride, sign, A,
            B + j, b_stride, depth, by);
  }
  if (TILE_COLUMNS > MATRIX_LANES && j < end) { /* half a tile is left */
    tile_of(order, rows, TILE_WIDTH / 2, plus != NULL ? plus + j : NULL, C + j, c_stride, sign, A,
            B + j, b_stride, depth, by);
  }
}

INLINE void strip(size_t rows, const double *plus, double *C, size_t c_stride, size_t from,
                  size_t end, double sign, struct matrix_factor A, const double *B, size_t b_stride,
                  size_t depth) {
  solved_strip(AS_IT_IS, rows, plus, C, c_stride, from, end, sign, A, B, b_stride, depth, NULL);
}

INLINE size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

INLINE struct matrix_factor from_column(struct matrix_factor A, size_t i) {
  A.at += (ptrdiff_t)i * A.by_i;
  return A;
}

INLINE size_t whole_lanes(size_t j) {
  return j / MATRIX_LANES * MATRIX_LANES;
}

INLINE double element(struct matrix_factor T, size_t k, size_t i) {
  return T.at[(ptrdiff_t)k * T.by_k + (ptrdiff_t)i * T.by_i];
}

/* Of T(k, i), whose first row and column are `row`. */
INLINE struct triangle triangle_of(struct matrix_factor T, size_t row, size_t height) {
  struct triangle triangle;
  for (size_t i = 0; i < height; i++) {
    for (size_t k = 0; k < height; k++) {
      const double at = element(T, row + k, row + i);
      triangle.by[i][k] = k == i ? 1.0 / at : at;
    }
  }
  return triangle;
}

INLINE void multiply(bool add, double *C, size_t c_stride, size_t rows, size_t columns, double sign,
                     struct matrix_factor A, const double *B, size_t b_stride, size_t depth) {
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

INLINE void gram(bool add, double *C, size_t c_stride, size_t size, double sign, const double *A,
                 size_t a_stride, size_t depth, bool upper) {
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

INLINE double sum_of(lanes a) {
#if REGISTER_BYTES == 64
  const double high = (a[4] + a[5]) + (a[6] + a[7]);
#else
  const double high = 0.0;
#endif
#if REGISTER_BYTES >= 32
  return (a[0] + a[1]) + (a[2] + a[3]) + high;
#else
  return a[0] + a[1] + high;
#endif
}

/* Products of row `i` with the rows from it on, side by side. `rows` is a constant where
 * inlined. */
INLINE void row_products(double *S, int rows, size_t columns, const double *A, size_t a_stride) {
  lanes sum[MATRIX_FEW];
  UNROLL for (int k = 0; k < rows; k++) {
    sum[k] = (lanes){0};
  }
  for (size_t j = 0; j < columns; j += LANES) {
    const lanes a = *(const lanes *)(A + j);
    UNROLL for (int k = 0; k < rows; k++) {
      sum[k] += a * *(const lanes *)(A + (size_t)k * a_stride + j);
    }
  }
  UNROLL for (int k = 0; k < rows; k++) {
    S[k] = sum_of(sum[k]);
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

/* to = from^T, QUAD x QUAD. */
#if REGISTER_BYTES >= 32
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
#else
INLINE void transpose(const double *from, double *to, size_t stride) {
  UNROLL for (size_t i = 0; i < QUAD; i += LANES) {
    UNROLL for (size_t j = 0; j < QUAD; j += LANES) {
      const lanes a = *(const lanes *)(from + i * stride + j),
                  b = *(const lanes *)(from + (i + 1) * stride + j);
      *(lanes *)(to + j * stride + i) = __builtin_shufflevector(a, b, 0, 2);
      *(lanes *)(to + (j + 1) * stride + i) = __builtin_shufflevector(a, b, 1, 3);
    }
  }
}
#endif

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

/* The factor of the diagonal's block from `row` on, of columns up to `end`: all that earlier rows
 * contribute is already subtracted. */
INLINE bool finish_block(double *A, size_t stride, size_t end, size_t row, size_t height,
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

INLINE bool cholesky_rows(double *R, const double *A, size_t stride, size_t size, size_t rows,
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
    x[i] = (x[i] - ISA(matrix_dot)(Ri + i + 1, x + i + 1, size - i - 1)) / Ri[i];
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

double ISA(matrix_dot)(const double *a, const double *b, size_t count) {
  enum { PARTS = 4 };
  lanes part[PARTS] = {{0}};
  double rest = 0.0;
  size_t j = 0;
  for (; j + PARTS * LANES <= count; j += PARTS * LANES) {
    UNROLL for (size_t k = 0; k < PARTS; k++) {
      const size_t at = j + k * LANES;
      part[k] += *(const loose_lanes *)(a + at) * *(const loose_lanes *)(b + at);
    }
  }
  for (; j + LANES <= count; j += LANES) {
    part[0] += *(const loose_lanes *)(a + j) * *(const loose_lanes *)(b + j);
  }
  for (; j < count; j++) {
    rest += a[j] * b[j];
  }
  return rest + sum_of((part[0] + part[1]) + (part[2] + part[3]));
}
