/* What has been learned survives restart, crash and power loss: two generations of a file in the
 * state folder, `inertia.learned` and `inertia.learned.before`.
 *
 * A save writes a temporary file, syncs it, moves the current file aside and the new one into its
 * place. At whatever instant it is killed, one whole generation is there. Files carry a version, a
 * length and a CRC; anything else is refused with a reason and the older generation is tried. */
#ifndef LEARNED_FILE_H
#define LEARNED_FILE_H

#include "common/message.h"
#include "common/status.h"
#include "learned/learned_inertia.h"

#define LEARNED_FILE_NAME "inertia.learned"

/* Saves into `folder`, with the time of now. [main] STATUS_REFUSED with `error`: nothing could be
 * written, and what was there is there still. */
enum status learned_save(const char *folder, const struct learned_inertia *learned,
                         struct message *error);

/* Loads the newest whole generation. [start] STATUS_STALE: there is none. STATUS_REFUSED with
 * `error`: there are files, and none is whole. `learned` is written only with STATUS_OK; then
 * `error` says why the newer generation was passed over, or "". */
enum status learned_load(const char *folder, struct learned_inertia *learned,
                         struct message *error);

/* Removes both generations. [start] STATUS_REFUSED with `error`. */
enum status learned_remove(const char *folder, struct message *error);

#endif
