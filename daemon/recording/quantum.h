/* Numbers of a converter: multiples of a step, which as counts need far fewer bits than as
 * patterns.
 *
 * An encoder, an accelerometer or a torque sensor counts; its driver multiplies by a step. Where
 * all numbers of a column but a few are such products, to the bit, the counts and the step are kept
 * instead; the few (NaN of an encoder, -1 of a dead cell) are kept as they are. */
#ifndef QUANTUM_H
#define QUANTUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A count that stands for no product: the next of the exceptions. */
#define QUANTUM_EXCEPTION INT32_MIN

/* The step of `rows` rows of `elements` numbers, floats (width 4) or doubles (8). [any] 0: none was
 * found. */
double quantum_find(const unsigned char *numbers, size_t rows, size_t elements, size_t width);

/* Counts of `n` numbers: 0, 1, 2 ... of 0.0 and the positive ones, -1, -2, -3 ... of -0.0 and the
 * negative ones, so that crossing zero is a small change. [any] What is no product goes to
 * `exceptions`, `*n_exceptions` numbers of `width` bytes. False: more than `most` are none. */
bool quantum_split(const unsigned char *numbers, size_t n, size_t width, double step,
                   int32_t *counts, unsigned char *exceptions, size_t most, size_t *n_exceptions);

/* The way back. [any] False: there are not as many exceptions as the counts want. */
bool quantum_join(const int32_t *counts, size_t n, size_t width, double step,
                  const unsigned char *exceptions, size_t n_exceptions, unsigned char *numbers);

#endif
