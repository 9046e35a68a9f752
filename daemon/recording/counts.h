/* Columns as counts of their converters' steps (quantum.h).
 *
 * The cells of a skin are all of one kind: their column has one step. Joints have encoders and
 * drives of different sizes, an IMU counts differently in m/s^2 and rad/s: each number of a row has
 * a step of its own there, or none, and then its patterns are kept. As they lie in the payload:
 *
 *   COLUMN_COUNTS        struct counts_head; int32_t counts [rows][elements], packed; exceptions
 *   COLUMN_STEPS         struct counts_head, its step 0; double step [elements], 0: none;
 *                        counts [rows][those with a step], packed; exceptions, element by element;
 *                        numbers [rows][the others], packed
 *   COLUMN_OLDER_COUNTS  read only: as COLUMN_COUNTS, but -k is -k, INT32_MIN is -0.0, one more is
 *                        an exception */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_coding { COLUMN_PATTERNS, COLUMN_OLDER_COUNTS, COLUMN_COUNTS, COLUMN_STEPS };

struct counts_head {
  double step;
  uint32_t n_exceptions;
  uint32_t reserved;
};

/* The step of a converter from block to block, and when to look for it again. */
struct converter {
  double step;      /* of the numbers in the last block; 0: none was found */
  uint8_t wait;     /* blocks until it is looked for */
  uint8_t patience; /* blocks to wait the next time that nothing is found */
};

/* Numbers of a column, as they lie behind one another. */
struct counted_column {
  const unsigned char *number; /* [rows][elements] of `width` bytes, 4 or 8 */
  size_t rows, elements, width;
  struct converter *converter; /* [n_converters] */
  size_t n_converters;         /* 1 or `elements` */
};

/* Bytes of scratch that packing takes. [any] */
size_t counts_scratch(size_t rows, size_t elements, size_t width);

/* Most bytes that a column packed so has beyond its numbers. [any] */
size_t counts_overhead(size_t elements);

/* Writes the column to `place`; the end of it, or NULL: no converter, nothing is gained. [any] */
unsigned char *counts_pack(const struct counted_column *column, unsigned char *scratch,
                           unsigned char *place, enum column_coding *coding);

/* Takes a column out of `left` bytes to `place`, `rows * elements` numbers of `width` bytes. [any]
 * The bytes that it took, or 0: it makes no sense, or no memory. */
size_t counts_unpack(enum column_coding coding, const unsigned char *packed, size_t left,
                     size_t rows, size_t elements, size_t width, unsigned char *place);

/* The bytes that such a column takes, without a look at its numbers. [any] 0: more than `left`. */
size_t counts_size(enum column_coding coding, const unsigned char *packed, size_t left, size_t rows,
                   size_t elements, size_t width);

#endif
