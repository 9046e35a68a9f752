/* Checksums of what is published, one a key: two programs that print the same lines publish the
 * same bits. */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include "pipeline.h"

#include <stdbool.h>
#include <stdio.h>

struct checksums;

/* NULL: no memory. [main] */
struct checksums *checksums_new(void);

/* Adds what one cycle of the pipeline publishes. [main] False: it did not fit. */
bool checksums_add(struct checksums *checksums, const struct pipeline *pipeline,
                   const struct estimates *estimates);

/* Writes a line for each key: topic, key, how often it was there, checksum. [main] */
void checksums_print(FILE *out, const struct checksums *checksums);

/* [main] NULL is allowed. */
void checksums_free(struct checksums *checksums);

#endif
