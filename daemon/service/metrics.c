#include "service/metrics.h"

#include "common/version.h"
#include "publish/topics.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MODE = 0644, PATH_SIZE = 320 };

/* A meaning in one line: what Prometheus would take for an escape does not come in ours. */
static void describe(FILE *out, const char *name, const char *type, const char *meaning) {
  fprintf(out, "# HELP propriod_%s %s\n# TYPE propriod_%s %s\n", name, meaning, name, type);
}

/* Counts that only grow; settings and grants of the start stand among them. */
static bool grows(const char *key) {
  static const char *const steady[] = {"rt_wanted",     "rt_priority", "processors",
                                       "processor",     "locked_kib",  "limit_rtprio",
                                       "limit_memlock", "subscribers"};
  for (size_t i = 0; i < sizeof(steady) / sizeof(steady[0]); i++) {
    if (strcmp(steady[i], key) == 0) {
      return false;
    }
  }
  return true;
}

static void write_counter(FILE *out, const char *prefix, const char *key, const char *meaning,
                          uint64_t value) {
  char name[96];
  snprintf(name, sizeof(name), "%s%s%s", prefix, key, grows(key) ? "_total" : "");
  describe(out, name, grows(key) ? "counter" : "gauge", meaning);
  fprintf(out, "propriod_%s %" PRIu64 "\n", name, value);
}

/* One of each stream. */
static void write_streams(FILE *out, const struct diagnostics *diagnostics) {
  const struct field_rows *rows = &diagnostics_stream_counters;
  for (size_t i = 0; i < rows->count; i++) {
    char name[96];
    snprintf(name, sizeof(name), "stream_%s_total", rows->row[i].key);
    describe(out, name, "counter", rows->row[i].meaning);
    for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
      fprintf(out, "propriod_%s{stream=\"%s\"} %" PRIu64 "\n", name, propriod_shm_name(kind),
              diagnostics_read(&rows->row[i], &diagnostics->stream[kind]));
    }
  }
  describe(out, "stream_present", "gauge", "1 while the stream has delivered and is not silent");
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    fprintf(out, "propriod_stream_present{stream=\"%s\"} %d\n", propriod_shm_name(kind),
            atomic_load_explicit(&diagnostics->stream[kind].present, memory_order_relaxed));
  }
}

static void write_duration(FILE *out, const char *key, const char *meaning,
                           const struct histogram *histogram) {
  static const char *const quantile[] = {"0.5", "0.9", "0.99", "0.999", "1"};
  static const double p[] = {0.5, 0.9, 0.99, 0.999, 1.0};
  char name[96];
  snprintf(name, sizeof(name), "%s_seconds", key);
  describe(out, name, "summary", meaning);
  for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
    fprintf(out, "propriod_%s{quantile=\"%s\"} %.9g\n", name, quantile[i],
            1e-9 * (double)histogram_quantile(histogram, p[i]));
  }
  fprintf(out, "propriod_%s_sum %.9g\npropriod_%s_count %" PRIu64 "\n", name,
          1e-9 * (double)counter_read(&histogram->sum_ns), name, counter_read(&histogram->count));
}

/* 1 for the status that holds. */
static void write_status(FILE *out, const char *topic, enum propriod_status status) {
  for (int s = 0; propriod_status_words[s] != NULL; s++) {
    fprintf(out, "propriod_status{topic=\"%s\",status=\"%s\"} %d\n", topic,
            propriod_status_words[s], s == (int)status);
  }
}

static void write_record(FILE *out, const struct recorder_counters *record) {
  write_counter(out, "record_", "cycles", "cycles in recordings", record->cycles);
  write_counter(out, "record_", "bytes", "bytes of recordings", record->bytes);
  write_counter(out, "record_", "left_out", "cycles that found the recorder's buffer full",
                record->left_out);
  write_counter(out, "record_", "lost", "cycles that are missing in recordings", record->lost);
  write_counter(out, "record_", "lost_blocks", "blocks that the disk did not take",
                record->lost_blocks);
  write_counter(out, "record_", "saved", "files made of the flight record", record->saved);
  describe(out, "record_running", "gauge", "1 while a recording is being made");
  fprintf(out, "propriod_record_running %d\n", record->running);
  describe(out, "record_flight_seconds", "gauge", "length of the flight record");
  fprintf(out, "propriod_record_flight_seconds %.3f\n", record->flight_s);
}

void metrics_write(FILE *out, const struct metrics_content *c) {
  const struct diagnostics *d = c->diagnostics;
  describe(out, "info", "gauge", "1; what runs, in its labels");
  fprintf(out, "propriod_info{version=\"%s\",robot=\"%s\"} 1\n", propriod_version, c->robot);
  describe(out, "status", "gauge", "1 for the status that holds");
  write_status(out, "daemon", c->statuses.daemon);
  write_status(out, "state", c->statuses.state);
  write_status(out, "centroidal", c->statuses.centroidal);
  for (size_t i = 0; i < diagnostics_counters.count; i++) {
    const struct field *row = &diagnostics_counters.row[i];
    write_counter(out, "", row->key, row->meaning, diagnostics_read(row, d));
  }
  write_duration(out, "wakeup", "from the wanted instant, or the frame's commit, to running",
                 &d->wakeup);
  write_duration(out, "busy", "from running to the result handed over", &d->busy);
  write_duration(out, "age", "of the joints sample when its result is handed over", &d->age);
  write_streams(out, d);
  for (size_t i = 0; i < publish_fields.count; i++) {
    const struct field *row = &publish_fields.row[i];
    uint64_t value;
    memcpy(&value, (const char *)&c->publish + row->offset, sizeof(value));
    write_counter(out, "publish_", row->key, row->meaning, value);
  }
  write_record(out, &c->record);
  write_counter(out, "reload_", "accepted", "reloads that took effect", c->reloads->accepted);
  write_counter(out, "reload_", "refused", "reloads that changed nothing because the file was bad",
                c->reloads->refused);
}

enum status metrics_save(const char *path, const struct metrics_content *content,
                         struct message *error) {
  char meanwhile[PATH_SIZE];
  snprintf(meanwhile, sizeof(meanwhile), "%s.new", path); /* the exporter takes *.prom */
  FILE *out = fopen(meanwhile, "we");
  if (out != NULL) {
    fchmod(fileno(out), FILE_MODE);
    metrics_write(out, content);
  }
  const bool written = out != NULL && !ferror(out);
  if ((out != NULL && fclose(out) != 0) || !written || rename(meanwhile, path) != 0) {
    message_set(error, "%s: %s", path, strerror(errno));
    unlink(meanwhile);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}
