/* Numbers in text, the same in every locale: the decimal point is a point. */
#ifndef NUMBER_H
#define NUMBER_H

#include "common/status.h"

#include <stddef.h>

/* bytes for any double in its shortest exact decimal form, with final zero */
#define NUMBER_SIZE 32

/* Reads one decimal number (`-1.5e-3`; no hexadecimal form, no `nan`, no `inf`) from the start of
 * `text`, after blanks. [start] [worker]
 * `value` is written and, unless it is NULL, `*end` points behind the number only with STATUS_OK.
 * STATUS_BAD_ARGUMENT: no number stands there, or something clings to its end;
 * STATUS_NOT_FINITE: `nan`, `inf`, or too large for a double. */
enum status number_read(const char *text, double *value, const char **end);

/* Reads exactly `count` numbers with blanks between them and nothing else. [start] [worker]
 * `values` [count] is written only with STATUS_OK; statuses as above. */
enum status number_read_list(const char *text, size_t count, double *values);

/* Writes `value` (finite) with as few digits as give back the same double. [start] [worker] */
void number_write(double value, char out[NUMBER_SIZE]);

/* To three decimals, with which it is to be written: what rounds to zero has no sign. [any] */
double number_to_thousandth(double value);

#endif
