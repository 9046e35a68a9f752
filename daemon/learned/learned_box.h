/* What has been learned, from the real-time thread to the main thread that saves it. Three buffers,
 * as in report_box.h: neither side waits. */
#ifndef LEARNED_BOX_H
#define LEARNED_BOX_H

#include "learned/learned.h"

struct learned_box;

/* `every`: looked at each so many cycles, at least 1. [start] STATUS_NO_MEMORY. */
enum status learned_box_init(struct learned_box **box, unsigned every, struct arena *arena);

/* Once a cycle: when it is time and something has changed, copies it. [real-time] */
void learned_box_write(struct learned_box *box, struct pipeline *pipeline);

/* The newest if it has not been taken before, or NULL. Valid until the next that is not
 * NULL. [main] */
const struct learned_inertia *learned_box_take(struct learned_box *box);

#endif
