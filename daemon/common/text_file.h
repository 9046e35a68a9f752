/* A whole regular file in memory, if it is not too large. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include "common/message.h"
#include "common/status.h"

#include <stddef.h>

/* Reads the file at `path` into a block from malloc, `*text`, ended by a zero byte that `*length`
 * does not count. [start, worker] Folders, pipes and devices are refused without waiting for them.
 * STATUS_REFUSED: cannot be opened or read, or not a regular file; STATUS_OUT_OF_RANGE: more than
 * `max_bytes`; STATUS_NO_MEMORY. Outputs are written only with STATUS_OK; `error` names the file.
 */
enum status text_file_read(const char *path, size_t max_bytes, char **text, size_t *length,
                           struct message *error);

#endif
