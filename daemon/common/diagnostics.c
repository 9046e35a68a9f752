#include "common/diagnostics.h"

/* -- of durations ----------------------------------------------------------------------------- */

static size_t mean(const void *of, double number[]) {
  number[0] = 1e-9 * histogram_mean(of);
  return 1;
}

static size_t p50(const void *of, double number[]) {
  number[0] = 1e-9 * (double)histogram_quantile(of, 0.5);
  return 1;
}

static size_t p99(const void *of, double number[]) {
  number[0] = 1e-9 * (double)histogram_quantile(of, 0.99);
  return 1;
}

static size_t max(const void *of, double number[]) {
  number[0] = 1e-9 * (double)counter_read(&((const struct histogram *)of)->max_ns);
  return 1;
}

#define DURATION(of_)                                                                              \
  {                                                                                                \
    .key = #of_, .kind = FIELD_NUMBERS, .shape = "number", .numbers = of_, .unit = "s",            \
    .frame = ""                                                                                    \
  }

static const struct field durations[] = {
    FIELD_AS("count", struct histogram, count.n, "", "", 0, NULL),
    DURATION(mean),
    DURATION(p50),
    DURATION(p99),
    DURATION(max),
};
static const struct field_rows duration_rows = FIELD_ROWS(durations);
static const struct field_table histogram_table = {.name = "histogram",
                                                   .group = {{&duration_rows, 0}}};

/* -- of the cycle ----------------------------------------------------------------------------- */

#define CYCLE(member, meaning) FIELD_AS(#member, struct diagnostics, member.n, "", "", 0, meaning)
#define HISTOGRAM(member, meaning)                                                                 \
  FIELD_OF_KIND(#member, FIELD_MAP, struct diagnostics, member, meaning, .map = &histogram_table)

static const struct field counters[] = {
    CYCLE(cycles, "cycles run"),
    CYCLE(predicted, "cycles without a new joints frame in time"),
    CYCLE(overruns, "cycles that took longer than their period"),
    CYCLE(skipped, "periods left out after overruns"),
    CYCLE(dropped, "results that found the hand-over ring full"),
    CYCLE(swapped, "pipelines exchanged"),
    CYCLE(clamped, "cycle instants moved so that time never stands still or runs back"),
    CYCLE(reattached, "segments replaced because they were removed, cut or damaged"),
    CYCLE(refused, "attempts to make a segment that failed"),
    CYCLE(overloaded, "cycles run while more than one in twenty took longer than its period"),
    CYCLE(rt_wanted, "real time as configured: 0 off, 1 preferred, 2 required"),
    CYCLE(rt_priority, "SCHED_FIFO priority of the cycle; 0: it is an ordinary thread"),
    CYCLE(processors, "processors that the cycle may run on"),
    CYCLE(processor, "number of the first of these"),
    CYCLE(locked_kib, "memory that is locked, KiB"),
    CYCLE(limit_rtprio, "the process' limit of real-time priority (RLIMIT_RTPRIO)"),
    CYCLE(limit_memlock, "the process' limit of locked memory, bytes (RLIMIT_MEMLOCK)"),
};
const struct field_rows diagnostics_counters = FIELD_ROWS(counters);

static const struct field histograms[] = {
    HISTOGRAM(wakeup, "from the wanted instant, or the frame's commit, to running"),
    HISTOGRAM(input, "copying and checking all streams"),
    HISTOGRAM(busy, "from running to the result handed over"),
    HISTOGRAM(age, "of the joints sample when its result is handed over"),
};
static const struct field_rows histogram_rows = FIELD_ROWS(histograms);

const struct field_table diagnostics_cycle = {
    .name = "cycle", .group = {{&diagnostics_counters, 0}, {&histogram_rows, 0}}};

/* -- of a stream ------------------------------------------------------------------------------ */

#define STREAM(member, meaning)                                                                    \
  FIELD_AS(#member, struct stream_diagnostics, member.n, "", "", 0, meaning)

static const struct field stream_counters[] = {
    STREAM(frames, "frames taken"),
    STREAM(lost, "frames overtaken before they were looked at"),
    STREAM(overtaken, "frames taken, and overtaken by another before a cycle came to use them"),
    STREAM(torn, "frames given up because their writer was in them or died there"),
    STREAM(corrupt, "frames refused because their checksum was wrong or their number impossible"),
    STREAM(duplicate, "frames ignored because they were stamped like the last one"),
    STREAM(reordered, "frames ignored because they were stamped before the last one"),
    STREAM(future, "frames refused because they were stamped later than now"),
    STREAM(late, "frames refused because they were older than the stream's limit"),
    STREAM(unstamped, "frames refused because their stamp was zero or negative"),
    STREAM(stale, "times the stream fell silent for longer than its limit"),
};
const struct field_rows diagnostics_stream_counters = FIELD_ROWS(stream_counters);

static size_t jitter(const void *of, double number[]) {
  const struct stream_diagnostics *stream = of;
  number[0] = 1e-9 * (double)atomic_load_explicit(&stream->jitter_ns, memory_order_relaxed);
  return 1;
}

static const struct field newest[] = {
    FIELD_OF_KIND("present", FIELD_TRUTH, struct stream_diagnostics, present,
                  "frames arrive and are not too old"),
    FIELD_OF_KIND("seen", FIELD_SEEN, struct stream_diagnostics, t_ns,
                  "a frame has been taken since the start"),
    FIELD_IN_UNIT("age", FIELD_AGE, struct stream_diagnostics, t_ns, "s",
                  "of the newest frame taken"),
    {.key = "jitter",
     .kind = FIELD_NUMBERS,
     .shape = "number",
     .numbers = jitter,
     .unit = "s",
     .frame = "",
     .meaning = "mean distance of its stamps from even ones"},
};
static const struct field_rows newest_rows = FIELD_ROWS(newest);

static const struct field_table stream_table = {
    .name = "stream", .group = {{&newest_rows, 0}, {&diagnostics_stream_counters, 0}}};

#define ONE_STREAM(constant, name, things, limit_s)                                                \
  FIELD_OF_KIND(#name, FIELD_MAP, struct diagnostics, stream[PROPRIOD_SHM_##constant], NULL,       \
                .map = &stream_table),

static const struct field streams[] = {PROPRIOD_SHM_STREAM_TABLE(ONE_STREAM)};
static const struct field_rows stream_rows = FIELD_ROWS(streams);

const struct field_table diagnostics_streams = {.name = "streams", .group = {{&stream_rows, 0}}};
