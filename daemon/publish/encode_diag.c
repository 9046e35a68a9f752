#include "publish/encode_diag.h"

enum { TOP = 9, QUANTILES = 5, STREAM_EXTRA = 3, RELOAD = 5 };

static double seconds(int64_t ns) {
  return 1e-9 * (double)ns;
}

static void encode_histogram(struct wire *wire, const char *key,
                             const struct histogram *histogram) {
  wire_text(wire, key);
  wire_map(wire, QUANTILES);
  wire_pair_count(wire, "count", counter_read(&histogram->count));
  wire_pair_real(wire, "mean", 1e-9 * histogram_mean(histogram));
  wire_pair_real(wire, "p50", seconds(histogram_quantile(histogram, 0.5)));
  wire_pair_real(wire, "p99", seconds(histogram_quantile(histogram, 0.99)));
  wire_pair_real(wire, "max", seconds((int64_t)counter_read(&histogram->max_ns)));
}

static void encode_rows(struct wire *wire, const struct diagnostics_row *row, size_t count,
                        const void *of) {
  for (size_t i = 0; i < count; i++) {
    wire_pair_count(wire, row[i].name, diagnostics_read(&row[i], of));
  }
}

static const struct {
  const char *name;
  size_t offset;
  const char *meaning;
} histograms[] = {
    {"wakeup", offsetof(struct diagnostics, wakeup),
     "from the wanted instant, or the frame's commit, to running"},
    {"input", offsetof(struct diagnostics, input), "copying and checking all streams"},
    {"busy", offsetof(struct diagnostics, busy), "from running to the result handed over"},
    {"age", offsetof(struct diagnostics, age),
     "of the joints sample when its result is handed over"},
};
enum { N_HISTOGRAMS = sizeof(histograms) / sizeof(histograms[0]) };

static void encode_cycle(struct wire *wire, const struct diagnostics *diagnostics) {
  wire_text(wire, "cycle");
  wire_map(wire, diagnostics_cycle_count + N_HISTOGRAMS);
  encode_rows(wire, diagnostics_cycle_rows, diagnostics_cycle_count, diagnostics);
  for (int i = 0; i < N_HISTOGRAMS; i++) {
    const char *histogram = (const char *)diagnostics + histograms[i].offset;
    encode_histogram(wire, histograms[i].name, (const struct histogram *)(const void *)histogram);
  }
}

static void encode_stream(struct wire *wire, const struct stream_diagnostics *stream,
                          int64_t now_ns) {
  const int64_t t_ns = atomic_load_explicit(&stream->t_ns, memory_order_relaxed);
  wire_map(wire, diagnostics_stream_count + STREAM_EXTRA - (t_ns == 0));
  wire_pair_truth(wire, "present", atomic_load_explicit(&stream->present, memory_order_relaxed));
  wire_pair_truth(wire, "seen", t_ns != 0);
  if (t_ns != 0) {
    wire_pair_real(wire, "age", seconds(now_ns - t_ns));
  }
  encode_rows(wire, diagnostics_stream_rows, diagnostics_stream_count, stream);
}

static void encode_streams(struct wire *wire, const struct diagnostics *diagnostics,
                           int64_t now_ns) {
  wire_text(wire, "streams");
  wire_map(wire, PROPRIOD_SHM_STREAMS);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    wire_text(wire, propriod_shm_name(kind));
    encode_stream(wire, &diagnostics->stream[kind], now_ns);
  }
}

#define COUNT(member) offsetof(struct publish_counters, member)

static const struct {
  const char *name;
  size_t offset;
  const char *meaning;
} publish_rows[] = {
    {"results", COUNT(results), "results taken from the cycle's ring"},
    {"dropped", COUNT(dropped), "results lost because the ring was full"},
    {"messages", COUNT(messages), "messages sent, whoever listens"},
    {"bytes", COUNT(bytes), "bytes of all messages' maps"},
    {"too_long", COUNT(too_long), "messages that did not fit and were not sent"},
    {"not_finite", COUNT(not_finite), "numbers that were NaN or infinite and left as nil"},
    {"subscribers", COUNT(subscribers), "connections open now"},
    {"accepted", COUNT(accepted), "connections accepted"},
    {"failed", COUNT(failed), "connections that ended in the greeting: malformed, or not admitted"},
    {"flooding", COUNT(flooding), "connections shut down for too many subscriptions"},
    {"events_dropped", COUNT(events_dropped), "events that found their queue full"},
};
enum { N_PUBLISH = sizeof(publish_rows) / sizeof(publish_rows[0]) };

static void encode_publish(struct wire *wire, const struct publish_counters *counters) {
  wire_text(wire, "publish");
  wire_map(wire, N_PUBLISH);
  for (int i = 0; i < N_PUBLISH; i++) {
    const uint64_t *count =
        (const uint64_t *)(const void *)((const char *)counters + publish_rows[i].offset);
    wire_pair_count(wire, publish_rows[i].name, *count);
  }
}

#define EVENTS(member) offsetof(struct joint_filter_counters, member)

static const struct diagnostics_row filter_rows[] = {
    {"steps", "cycles of the joint filter", EVENTS(steps)},
    {"updates", "instants at which it took measurements", EVENTS(updates)},
    {"replays", "instants taken again because something came late", EVENTS(replays)},
    {"prepared", "skin samples for which everything was ready when they came", EVENTS(prepared)},
    {"time_refused", "stamps of zero or ahead of the clock", EVENTS(time_refused)},
    {"late_dropped", "samples older than the window", EVENTS(late_dropped)},
    {"duplicates", "samples with a stamp already taken", EVENTS(duplicates)},
    {"encoder_rejected", "encoder readings that failed a gate", EVENTS(encoder_rejected)},
    {"imu_rejected", "IMU readings that failed a gate", EVENTS(imu_rejected)},
    {"link_rejected", "links' fused accelerations that failed a gate", EVENTS(link_rejected)},
    {"cell_rejected", "cells' readings invalid, saturated or not finite", EVENTS(cell_rejected)},
    {"slips", "encoders taken back after a lasting step", EVENTS(slips)},
    {"jumps", "steps of acceleration found and followed", EVENTS(jumps)},
    {"repairs", "factorisations that needed help", EVENTS(repairs)},
    {"resets", "divergences and gaps after which the filter began again", EVENTS(resets)},
};
enum { N_FILTER = sizeof(filter_rows) / sizeof(filter_rows[0]) };

#define REFUSED(member) offsetof(struct reading_counters, member)

static const struct diagnostics_row reading_rows[] = {
    {"gyro_refused", "axes of the gyro not given or saturated", REFUSED(gyro_refused)},
    {"accelerometer_refused", "axes of the IMU's accelerometer not given or saturated",
     REFUSED(accelerometer_refused)},
    {"orientation_refused", "orientations of the IMU that are no rotation",
     REFUSED(orientation_refused)},
    {"torque_refused", "joint torques not given or beyond any robot's", REFUSED(torque_refused)},
    {"wrench_refused", "readings of a wrench sensor not given or beyond any robot's",
     REFUSED(wrench_refused)},
};
enum { N_READINGS = sizeof(reading_rows) / sizeof(reading_rows[0]) };

/* One count of a plain struct of them. */
static uint64_t plain_count(const struct diagnostics_row *row, const void *of) {
  return *(const uint64_t *)(const void *)((const char *)of + row->offset);
}

static void encode_filter(struct wire *wire, const struct diag_content *content) {
  wire_text(wire, "filter");
  wire_map(wire, content->filter != NULL ? N_FILTER + N_READINGS : 0);
  for (int i = 0; content->filter != NULL && i < N_FILTER; i++) {
    wire_pair_count(wire, filter_rows[i].name, plain_count(&filter_rows[i], content->filter));
  }
  for (int i = 0; content->filter != NULL && i < N_READINGS; i++) {
    wire_pair_count(wire, reading_rows[i].name, plain_count(&reading_rows[i], content->readings));
  }
}

static const char *const reason_meanings[CELL_REASONS] = {
    [CELL_REASON_INVALID] = "samples that the driver called invalid",
    [CELL_REASON_NOT_FINITE] = "samples with NaN or infinity",
    [CELL_REASON_PATTERN] = "samples of three equal numbers: all zeros, all ones",
    [CELL_REASON_SATURATED] = "samples at the end of the range",
    [CELL_REASON_STUCK] = "samples that stayed the same while the link moved",
    [CELL_REASON_RESIDUAL] = "samples that contradict their link's motion",
};

static void encode_cells(struct wire *wire, const uint64_t *rejected) {
  wire_text(wire, "cells");
  wire_map(wire, rejected != NULL ? CELL_REASONS - 1 : 0);
  for (int i = 1; rejected != NULL && i < CELL_REASONS; i++) {
    wire_pair_count(wire, cell_reason_text((enum cell_reason)i), rejected[i]);
  }
}

static void encode_reload(struct wire *wire, const struct reload_report *reload, int64_t now_ns) {
  const bool ever = reload->last_ns != 0;
  wire_text(wire, "reload");
  wire_map(wire, ever ? RELOAD : 2);
  wire_pair_count(wire, "accepted", reload->accepted);
  wire_pair_count(wire, "refused", reload->refused);
  if (ever) {
    wire_pair_truth(wire, "last_ok", reload->last_ok);
    wire_pair_real(wire, "last_age", seconds(now_ns - reload->last_ns));
    wire_pair_text(wire, "last_error", reload->last_text);
  }
}

void encode_diag(struct wire *wire, const struct diag_content *content, const struct stamp *stamp) {
  fields_begin(wire, stamp, TOP);
  wire_pair_real(wire, "uptime", seconds(stamp->t_ns - content->start_ns));
  wire_pair_text(wire, "state", estimate_status_text(content->state));
  wire_pair_text(wire, "centroidal", estimate_status_text(content->centroidal));
  encode_cycle(wire, content->diagnostics);
  encode_streams(wire, content->diagnostics, stamp->t_ns);
  encode_filter(wire, content);
  encode_cells(wire, content->rejected);
  encode_publish(wire, content->publish);
  encode_reload(wire, content->reload, stamp->t_ns);
}

/* -- what the keys mean: the same maps, with a description in place of each value ------------- */

static void describe_count(struct wire *wire, const char *key, const char *meaning) {
  field_describe(wire, key, "integer", "", "", meaning);
}

static void describe_rows(struct wire *wire, const struct diagnostics_row *row, size_t count) {
  for (size_t i = 0; i < count; i++) {
    describe_count(wire, row[i].name, row[i].meaning);
  }
}

static void describe_histogram(struct wire *wire, const char *key, const char *meaning) {
  static const char *const quantile[] = {"mean", "p50", "p99", "max"};
  wire_text(wire, key);
  wire_map(wire, QUANTILES);
  describe_count(wire, "count", meaning);
  for (size_t i = 0; i < sizeof(quantile) / sizeof(quantile[0]); i++) {
    field_describe(wire, quantile[i], "number", "s", "", meaning);
  }
}

static void describe_cycle(struct wire *wire) {
  wire_text(wire, "cycle");
  wire_map(wire, diagnostics_cycle_count + N_HISTOGRAMS);
  describe_rows(wire, diagnostics_cycle_rows, diagnostics_cycle_count);
  for (int i = 0; i < N_HISTOGRAMS; i++) {
    describe_histogram(wire, histograms[i].name, histograms[i].meaning);
  }
}

static void describe_streams(struct wire *wire) {
  wire_text(wire, "streams");
  wire_map(wire, PROPRIOD_SHM_STREAMS);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    wire_text(wire, propriod_shm_name(kind));
    wire_map(wire, diagnostics_stream_count + STREAM_EXTRA);
    field_describe(wire, "present", "truth", "", "", "frames arrive and are not too old");
    field_describe(wire, "seen", "truth", "", "", "a frame has been taken since the start");
    field_describe(wire, "age", "number", "s", "", "of the newest frame taken");
    describe_rows(wire, diagnostics_stream_rows, diagnostics_stream_count);
  }
}

static void describe_filter(struct wire *wire) {
  wire_text(wire, "filter");
  wire_map(wire, N_FILTER + N_READINGS);
  describe_rows(wire, filter_rows, N_FILTER);
  describe_rows(wire, reading_rows, N_READINGS);
}

static void describe_cells(struct wire *wire) {
  wire_text(wire, "cells");
  wire_map(wire, CELL_REASONS - 1);
  for (int i = 1; i < CELL_REASONS; i++) {
    describe_count(wire, cell_reason_text((enum cell_reason)i), reason_meanings[i]);
  }
}

static void describe_publish(struct wire *wire) {
  wire_text(wire, "publish");
  wire_map(wire, N_PUBLISH);
  for (int i = 0; i < N_PUBLISH; i++) {
    describe_count(wire, publish_rows[i].name, publish_rows[i].meaning);
  }
}

static void describe_reload(struct wire *wire) {
  wire_text(wire, "reload");
  wire_map(wire, RELOAD);
  describe_count(wire, "accepted", "reloads that took effect");
  describe_count(wire, "refused", "reloads that changed nothing because the file was bad");
  field_describe(wire, "last_ok", "truth", "", "", "the last one took effect");
  field_describe(wire, "last_age", "number", "s", "", "since the last one");
  field_describe(wire, "last_error", "text", "", "", "why it was refused, or empty");
}

void describe_diag(struct wire *wire) {
  wire_map(wire, TOP);
  field_describe(wire, "uptime", "number", "s", "", "since the publisher started");
  field_describe(wire, "state", "text", "", "", "status of the newest `state`");
  field_describe(wire, "centroidal", "text", "", "", "status of the newest `centroidal`");
  describe_cycle(wire);
  describe_streams(wire);
  describe_filter(wire);
  describe_cells(wire);
  describe_publish(wire);
  describe_reload(wire);
}
