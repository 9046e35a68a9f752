/* Pieces of matrices moved from place to place, as they are or turned over their diagonal; for
 * kernels that are compiled for each instruction set (dispatch.h). [real-time] */
#ifndef MATRIX_PIECE_H
#define MATRIX_PIECE_H

#include "numerics/register_lanes.h"

/* Rows and columns that are turned at a time. */
enum { PIECE = 8 };

/* to = from, rows by columns; neither overlaps. The last of a row over part of the one before. */
ISA_INLINE void piece_copy(double *to, size_t to_stride, const double *from, size_t from_stride,
                           size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i++) {
    size_t j = 0;
    for (; j + LANES <= columns; j += LANES) {
      *(loose_lanes *)(to + i * to_stride + j) = *(const loose_lanes *)(from + i * from_stride + j);
    }
    if (j < columns && j > 0) {
      j = columns - LANES;
      *(loose_lanes *)(to + i * to_stride + j) = *(const loose_lanes *)(from + i * from_stride + j);
      j = columns;
    }
    for (; j < columns; j++) {
      to[i * to_stride + j] = from[i * from_stride + j];
    }
  }
}

/* to = from^T, PIECE x PIECE; neither overlaps. */
#if REGISTER_BYTES >= 64
ISA_INLINE void piece_turn(double *to, size_t to_stride, const double *from, size_t from_stride) {
  lanes row[PIECE], pair[PIECE], four[PIECE];
  LANES_UNROLL for (size_t i = 0; i < PIECE; i++) {
    row[i] = *(const loose_lanes *)(from + i * from_stride);
  }
  /* of two rows the even columns, and the odd ones; of four each fourth column; of eight each */
  LANES_UNROLL for (size_t i = 0; i < PIECE; i += 2) {
    pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  LANES_UNROLL for (size_t i = 0; i < PIECE; i++) {
    const size_t a = i / 4 * 4 + i % 2;
    four[i] = i % 4 < 2 ? __builtin_shufflevector(pair[a], pair[a + 2], 0, 1, 8, 9, 4, 5, 12, 13)
                        : __builtin_shufflevector(pair[a], pair[a + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  LANES_UNROLL for (size_t i = 0; i < PIECE / 2; i++) {
    const lanes a = four[i], b = four[i + PIECE / 2];
    *(loose_lanes *)(to + i * to_stride) = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    *(loose_lanes *)(to + (i + PIECE / 2) * to_stride) =
        __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
#elif REGISTER_BYTES >= 32
ISA_INLINE void piece_turn_quad(double *to, size_t to_stride, const double *from,
                                size_t from_stride) {
  const loose_lanes a = *(const loose_lanes *)from, b = *(const loose_lanes *)(from + from_stride),
                    c = *(const loose_lanes *)(from + 2 * from_stride),
                    d = *(const loose_lanes *)(from + 3 * from_stride);
  const lanes ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
              ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
              cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6),
              cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  *(loose_lanes *)to = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  *(loose_lanes *)(to + to_stride) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  *(loose_lanes *)(to + 2 * to_stride) = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  *(loose_lanes *)(to + 3 * to_stride) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}
ISA_INLINE void piece_turn(double *to, size_t to_stride, const double *from, size_t from_stride) {
  enum { QUAD = 4 };
  LANES_UNROLL for (size_t i = 0; i < PIECE; i += QUAD) {
    LANES_UNROLL for (size_t j = 0; j < PIECE; j += QUAD) {
      piece_turn_quad(to + j * to_stride + i, to_stride, from + i * from_stride + j, from_stride);
    }
  }
}
#else
ISA_INLINE void piece_turn(double *to, size_t to_stride, const double *from, size_t from_stride) {
  LANES_UNROLL for (size_t i = 0; i < PIECE; i++) {
    LANES_UNROLL for (size_t j = 0; j < PIECE; j++) {
      to[j * to_stride + i] = from[i * from_stride + j];
    }
  }
}
#endif

/* to = from^T, `from` of rows by columns, number by number. */
ISA_INLINE void piece_turn_any(double *to, size_t to_stride, const double *from, size_t from_stride,
                               size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) {
      to[j * to_stride + i] = from[i * from_stride + j];
    }
  }
}

/* The same in whole pieces, the last of a row or column over part of the one before; of fewer than
 * PIECE rows or columns number by number. */
ISA_INLINE void piece_turn_all(double *to, size_t to_stride, const double *from, size_t from_stride,
                               size_t rows, size_t columns) {
  if (rows < PIECE || columns < PIECE) {
    piece_turn_any(to, to_stride, from, from_stride, rows, columns);
    return;
  }
  for (size_t at = 0; at < rows; at += PIECE) {
    const size_t i = at + PIECE < rows ? at : rows - PIECE;
    for (size_t across = 0; across < columns; across += PIECE) {
      const size_t j = across + PIECE < columns ? across : columns - PIECE;
      piece_turn(to + j * to_stride + i, to_stride, from + i * from_stride + j, from_stride);
    }
  }
}

#endif
