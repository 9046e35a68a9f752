/* Tiles of a matrix that stay in registers while products and triangular solves are calculated, and
 * strips of tiles; for kernels that are compiled for each instruction set (math/dispatch.h).
 * [real-time] */
#ifndef MATRIX_TILE_H
#define MATRIX_TILE_H

#include "numerics/dense_matrix.h"
#include "numerics/register_lanes.h"

/* A tile is what stays in registers through a product's whole depth: its sums, one row of B, one
 * number of A. */
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
enum { TILE_COLUMNS = LANES * TILE_WIDTH };
enum { LINE = 64 / sizeof(double) }; /* of the cache */
/* columns that a tile covers, or several tiles do */
#define MATRIX_BLOCK (TILE_COLUMNS > MATRIX_LANES ? (size_t)TILE_COLUMNS : MATRIX_LANES)

/* What a tile's rows are solved with while they are still in registers: a triangle, its diagonal
 * inverted. by[i][k] is what row i takes of row k, of rows before it or behind it. */
enum order { AS_IT_IS, RISING, FALLING };
struct triangle {
  double by[TILE_ROWS][TILE_ROWS];
};

/* `order` and `rows` are constants where inlined, as in tile. */
ISA_INLINE void solve_tile(enum order order, int rows, int width, const struct triangle *by,
                           lanes sum[TILE_ROWS][TILE_WIDTH]) {
  LANES_UNROLL for (int step = 0; step < rows; step++) {
    const int i = order == RISING ? step : rows - 1 - step;
    LANES_UNROLL for (int before = 0; before < step; before++) {
      const int k = order == RISING ? before : rows - 1 - before;
      LANES_UNROLL for (int w = 0; w < width; w++) {
        sum[i][w] -= by->by[i][k] * sum[k][w];
      }
    }
    LANES_UNROLL for (int w = 0; w < width; w++) {
      sum[i][w] *= by->by[i][i];
    }
  }
}

#if REGISTER_BYTES == 16 && defined(__x86_64__)
/* Without an instruction that spreads a number over a register, rows are taken in pairs: what a
 * pair of A's has in common with a pair of B's are its products with them and with them turned
 * about. */
#define TILE_PAIRS
typedef int quarters __attribute__((vector_size(REGISTER_BYTES), may_alias));

/* Turned about as integers are: that leaves `a` in its register. */
ISA_INLINE lanes turned_about(lanes a) {
  return (lanes)__builtin_shufflevector((quarters)a, (quarters)a, 2, 3, 0, 1);
}

/* sum_rows of a whole tile, of a factor whose rows lie side by side. */
ISA_INLINE void sum_pairs(struct matrix_factor A, const double *B, size_t b_stride, size_t depth,
                          lanes sum[TILE_ROWS][TILE_WIDTH]) {
  enum { PAIRS = TILE_ROWS / 2 };
  lanes straight[PAIRS][TILE_WIDTH], crossed[PAIRS][TILE_WIDTH];
  LANES_UNROLL for (int i = 0; i < PAIRS; i++) {
    LANES_UNROLL for (int w = 0; w < TILE_WIDTH; w++) {
      straight[i][w] = crossed[i][w] = (lanes){0};
    }
  }
  const double *a = A.at;
  size_t k = 0;
  do {
    lanes b[TILE_WIDTH], about[TILE_WIDTH];
    LANES_UNROLL for (int w = 0; w < TILE_WIDTH; w++) {
      b[w] = *(const lanes *)(B + k * b_stride + w * LANES);
      about[w] = turned_about(b[w]);
    }
    LANES_UNROLL for (int i = 0; i < PAIRS; i++) {
      const lanes pair = *(const loose_lanes *)(a + i * LANES);
      LANES_UNROLL for (int w = 0; w < TILE_WIDTH; w++) {
        straight[i][w] += pair * b[w];
        crossed[i][w] += pair * about[w];
      }
    }
    a += A.by_k;
  } while (++k < depth);
  LANES_UNROLL for (int i = 0; i < PAIRS; i++) {
    LANES_UNROLL for (int w = 0; w < TILE_WIDTH; w++) {
      sum[2 * i][w] = __builtin_shufflevector(straight[i][w], crossed[i][w], 0, 2);
      sum[2 * i + 1][w] = __builtin_shufflevector(crossed[i][w], straight[i][w], 1, 3);
    }
  }
}
#endif

/* sum[i], zero before, becomes the sum over k of A(k, i) B[k], depth > 0; constants as in tile. */
ISA_INLINE void sum_rows(int rows, int width, struct matrix_factor A, const double *B,
                         size_t b_stride, size_t depth, lanes sum[TILE_ROWS][TILE_WIDTH]) {
  const double *a = A.at;
  size_t k = 0;
#ifdef TILE_PAIRS
  if (rows == TILE_ROWS && width == TILE_WIDTH && A.by_i == 1) {
    sum_pairs(A, B, b_stride, depth, sum);
    return;
  }
#endif
  do {
    lanes b[TILE_WIDTH];
    LANES_UNROLL for (int w = 0; w < width; w++) {
      b[w] = *(const lanes *)(B + k * b_stride + w * LANES);
    }
    LANES_UNROLL for (int i = 0; i < rows; i++) {
      LANES_UNROLL for (int w = 0; w < width; w++) {
        sum[i][w] += a[i * A.by_i] * b[w];
      }
    }
    a += A.by_k;
  } while (++k < depth);
}

/* One tile of `rows` x `width` registers kept in registers through the whole depth. Both are
 * constants wherever this is inlined. The product is added to what stands in `plus`, which has C's
 * stride and may be C; NULL: to nothing. Then the tile's rows are solved with `by`. depth > 0 */
ISA_INLINE void tile(enum order order, int rows, int width, const double *plus, double *C,
                     size_t c_stride, double sign, struct matrix_factor A, const double *B,
                     size_t b_stride, size_t depth, const struct triangle *by) {
  lanes sum[TILE_ROWS][TILE_WIDTH];
  LANES_UNROLL for (int i = 0; i < rows; i++) {
    LANES_UNROLL for (int w = 0; w < width; w++) {
      sum[i][w] = (lanes){0};
    }
    if (plus != NULL) { /* wanted at the end: it comes meanwhile */
      LANES_UNROLL for (int w = 0; w < width * LANES; w += LINE) {
        __builtin_prefetch(plus + (size_t)i * c_stride + w);
      }
    }
  }
  sum_rows(rows, width, A, B, b_stride, depth, sum);
  LANES_UNROLL for (int i = 0; i < rows; i++) {
    LANES_UNROLL for (int w = 0; w < width; w++) {
      const size_t at = (size_t)i * c_stride + w * LANES;
      sum[i][w] = plus != NULL ? *(const lanes *)(plus + at) + sign * sum[i][w] : sign * sum[i][w];
    }
  }
  if (order != AS_IT_IS) {
    solve_tile(order, rows, width, by, sum);
  }
  LANES_UNROLL for (int i = 0; i < rows; i++) {
    LANES_UNROLL for (int w = 0; w < width; w++) {
      *(lanes *)(C + (size_t)i * c_stride + w * LANES) = sum[i][w];
    }
  }
}

ISA_INLINE void tile_of(enum order order, size_t rows, int width, const double *plus, double *C,
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
ISA_INLINE void bare_strip(enum order order, size_t rows, const double *plus, double *C,
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
ISA_INLINE void solved_strip(enum order order, size_t rows, const double *plus, double *C,
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

ISA_INLINE void strip(size_t rows, const double *plus, double *C, size_t c_stride, size_t from,
                      size_t end, double sign, struct matrix_factor A, const double *B,
                      size_t b_stride, size_t depth) {
  solved_strip(AS_IT_IS, rows, plus, C, c_stride, from, end, sign, A, B, b_stride, depth, NULL);
}

ISA_INLINE size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

ISA_INLINE struct matrix_factor from_column(struct matrix_factor A, size_t i) {
  A.at += (ptrdiff_t)i * A.by_i;
  return A;
}

ISA_INLINE size_t whole_lanes(size_t j) {
  return j / MATRIX_LANES * MATRIX_LANES;
}

ISA_INLINE double element(struct matrix_factor T, size_t k, size_t i) {
  return T.at[(ptrdiff_t)k * T.by_k + (ptrdiff_t)i * T.by_i];
}

/* Of T(k, i), whose first row and column are `row`. */
ISA_INLINE struct triangle triangle_of(struct matrix_factor T, size_t row, size_t height) {
  struct triangle triangle;
  for (size_t i = 0; i < height; i++) {
    for (size_t k = 0; k < height; k++) {
      const double at = element(T, row + k, row + i);
      triangle.by[i][k] = k == i ? 1.0 / at : at;
    }
  }
  return triangle;
}

#endif
