/* The service's counters and durations for Prometheus: a text file that the node exporter picks up
 * (--collector.textfile.directory), written anew every few seconds, whole or not at all.
 *
 * Names, meanings and units are those of `diag`, from the same rows. */
#ifndef METRICS_H
#define METRICS_H

#include "common/diagnostics.h"
#include "common/message.h"
#include "common/status.h"
#include "publish/publisher.h"
#include "recording/recorder.h"

#include <stdio.h>

#define METRICS_FILE      "propriod.prom" /* in the runtime folder */
#define METRICS_PERIOD_NS INT64_C(5000000000)

/* What is shown; all borrowed. */
struct metrics_content {
  const char *robot;
  const struct diagnostics *diagnostics;
  struct publish_counters publish;
  struct publish_statuses statuses;
  struct recorder_counters record;
  const struct reload_report *reloads;
};

/* Writes the page in Prometheus' text format. [main] */
void metrics_write(FILE *out, const struct metrics_content *content);

/* The same into the file at `path`, by way of another name. [main] The folder is memory: nothing is
 * waited for. STATUS_REFUSED with `error`. */
enum status metrics_save(const char *path, const struct metrics_content *content,
                         struct message *error);

#endif
