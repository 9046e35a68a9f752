/* Files that are there whole or not at all, whatever happens while they are written. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include "common/message.h"
#include "common/status.h"

#include <stddef.h>
#include <sys/types.h>

/* Writes `size` bytes to `path` in one step: into a new file beside it, to the disk, then renamed
 * over it. [start, worker] STATUS_REFUSED with `error`: the folder does not allow it, the disk is
 * full. What stood at `path` is then still there. */
enum status whole_file_write(const char *path, const void *bytes, size_t size, mode_t mode,
                             struct message *error);

#endif
