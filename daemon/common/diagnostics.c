#include "common/diagnostics.h"

#define CYCLE(member, meaning)                                                                     \
  { #member, meaning, offsetof(struct diagnostics, member) }
#define STREAM(member, meaning)                                                                    \
  { #member, meaning, offsetof(struct stream_diagnostics, member) }

const struct diagnostics_row diagnostics_cycle_rows[] = {
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
const size_t diagnostics_cycle_count =
    sizeof(diagnostics_cycle_rows) / sizeof(diagnostics_cycle_rows[0]);

const struct diagnostics_row diagnostics_stream_rows[] = {
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
const size_t diagnostics_stream_count =
    sizeof(diagnostics_stream_rows) / sizeof(diagnostics_stream_rows[0]);
