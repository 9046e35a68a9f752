/* The answers to `status` and `counters` on the control socket. */
#ifndef STATUS_PAGE_H
#define STATUS_PAGE_H

#include "common/diagnostics.h"
#include "publish/publisher.h"
#include "robot/robot.h"

#include <stdio.h>

/* One `name value` a line: what runs, since when, how the cycle fares, the last reload. [main] */
void status_page_write(FILE *out, const char *file, const struct robot *robot,
                       const struct diagnostics *diagnostics, const struct reload_report *reloads);

/* Every counter, one `name value` a line; those of a stream as `joints.torn`. [main] */
void status_page_write_counters(FILE *out, const struct diagnostics *diagnostics);

#endif
