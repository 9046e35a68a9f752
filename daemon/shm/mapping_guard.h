/* Reading a mapped file that somebody cuts short raises SIGBUS. The guard puts zeroed memory in its
 * place, so that the reader goes on, sees nothing valid, and the check once a second finds out.
 *
 * A signal's handler belongs to the whole process, hence so does the table of guarded mappings. */
#ifndef MAPPING_GUARD_H
#define MAPPING_GUARD_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

#define MAPPING_GUARD_MAX 16 /* mappings guarded at a time */

/* Guards `size` bytes at `base`; the first call installs the handler. [start] [worker] NO_MEMORY:
 * the table is full. */
enum status mapping_guard_add(void *base, size_t size, struct message *error);

/* Ends the guard; before the mapping is undone. [start] [worker] */
void mapping_guard_remove(void *base);

/* True once a guarded mapping has been replaced by zeroed memory. [any] */
bool mapping_guard_tripped(const void *base);

#endif
