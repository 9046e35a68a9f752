/* What the kernel grants the running cycle, for `diag` and who asks for the status: scheduling
 * class, locked memory, processor, and the limits of the process. */
#ifndef GRANTED_H
#define GRANTED_H

#include "common/diagnostics.h"
#include "cycle/realtime.h"

#include <pthread.h>

/* Looks at the cycle's thread and at this process, and notes it beside what was wished. [start] */
void granted_look(pthread_t cycle, const struct realtime_settings *settings,
                  struct diagnostics *diagnostics);

#endif
