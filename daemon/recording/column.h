/* Numbers that change little from row to row, made small before they are compressed.
 *
 * A column is `rows` rows of `elements` numbers of `width` bytes, as they came: patterns of bits,
 * be they double, float or integer. Each row but the first becomes its difference to the row before
 * it, with the sign in the lowest bit, so that small changes either way have zeros in their upper
 * bytes; then all lowest bytes are put together, all second lowest, and so on. Nothing is lost, and
 * no number is looked at as such. */
#ifndef COLUMN_H
#define COLUMN_H

#include <stddef.h>

/* Writes rows * elements * width bytes to `packed`. [any] `width` is 1, 4 or 8; `numbers` need not
 * be aligned. */
void column_pack(const unsigned char *numbers, size_t rows, size_t elements, size_t width,
                 unsigned char *packed);

/* The way back; the same bytes as packed. [any] */
void column_unpack(const unsigned char *packed, size_t rows, size_t elements, size_t width,
                   unsigned char *numbers);

#endif
