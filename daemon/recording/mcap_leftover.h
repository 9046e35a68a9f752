/* NAME-1.mcap.part, which a daemon that was killed leaves beside NAME-1.rec. It has no index, and
 * less in it than the recording: that is whole up to its last quarter of a second, and
 * `proprioctl export --mcap` makes the MCAP file of it. */
#ifndef MCAP_LEFTOVER_H
#define MCAP_LEFTOVER_H

#include "common/log.h"

#include <stdbool.h>
#include <stddef.h>

/* Removes those in the folder that nobody is writing and beside which lies a recording with cycles,
 * and says so in a line; another line names what has no recording, and stays. [worker] */
void mcap_leftovers_clear(const char *folder, struct log *log);

/* The one beside a recording, into `part`. [any] False: there is none, or it is being written. */
bool mcap_leftover_beside(const char *recording, char *part, size_t size);

#endif
