/* Whole files: read into memory if they are not too large, and written so that they are there whole
 * or not at all, whatever happens meanwhile. */
#ifndef FILE_H
#define FILE_H

#include "common/message.h"
#include "common/status.h"

#include <stddef.h>
#include <sys/types.h>

/* Reads the file at `path` into a block from malloc, `*text`, ended by a zero byte that `*length`
 * does not count. [start] [worker] Folders, pipes and devices are refused without waiting for
 * them. STATUS_REFUSED: cannot be opened or read, or not a regular file; STATUS_OUT_OF_RANGE: more
 * than `max_bytes`; STATUS_NO_MEMORY. Outputs are written only with STATUS_OK; `error` names the
 * file. */
enum status file_read(const char *path, size_t max_bytes, char **text, size_t *length,
                      struct message *error);

/* Writes `size` bytes to `path` in one step: into a new file beside it, to the disk, then renamed
 * over it. [start] [worker] STATUS_REFUSED with `error`: the folder does not allow it, the disk is
 * full. What stood at `path` is then still there. */
enum status file_write(const char *path, const void *bytes, size_t size, mode_t mode,
                       struct message *error);

/* Writes `size` bytes to `path` itself, and to the disk: half of them are there when it is killed
 * meanwhile, none when it fails. [start] [worker] For files that are renamed into place.
 * STATUS_REFUSED with `error`. */
enum status file_write_in_place(const char *path, const void *bytes, size_t size, mode_t mode,
                                struct message *error);

/* Waits until the disk has the folder of `path`, and with it what was renamed there. [start]
 * [worker] */
void file_sync_folder(const char *path);

#endif
