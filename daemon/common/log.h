/* Lines for people: to the journal under systemd, to standard error elsewhere.
 *
 * A fault that repeats a thousand times a second is one line a second and a count. Each line has a
 * cause, a short fixed word; lines of one cause that come within a second of the last are only
 * counted, and the next line says how many there were. Never called from the real-time thread,
 * which counts instead. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LOG_MAX_CAUSES 64 /* different causes that are told apart */

/* As syslog and the journal number them. */
enum log_level {
  LOG_LEVEL_ERROR = 3,
  LOG_LEVEL_WARNING = 4,
  LOG_LEVEL_NOTICE = 5,
  LOG_LEVEL_INFO = 6
};

struct log;

/* Opens the log on `out`. [start] With `priorities` each line begins with "<3>" to "<6>", as the
 * journal takes it from a service's standard error. NULL: no memory. */
struct log *log_open(FILE *out, bool priorities);

/* True when this process's standard error is the journal. [start] */
bool log_is_journal(void);

/* From here on lines go to the journal itself, with MESSAGE_ID (log_ids.h) and PROPRIOD_CAUSE; to
 * `out` when it does not take one. [start] */
void log_use_journal(struct log *log);

/* One line, without its line end. [start, main, worker] `cause` must be a string constant. */
__attribute__((format(printf, 4, 5))) void log_line(struct log *log, enum log_level level,
                                                    const char *cause, const char *format, ...);

/* Sums up what was held back more than a second ago. [main] Call about once a second. */
void log_sum_up(struct log *log, int64_t now_ns);

/* Sums up everything and closes. [main] NULL is allowed. */
void log_close(struct log *log);

#endif
