#include "common/log.h"

#include "common/clock.h"
#include "common/log_ids.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#define QUIET_NS  NS_PER_S /* between two lines of one cause */
#define LINE_SIZE 1024

struct cause {
  const char *name;
  enum log_level level; /* of the lines held back */
  int64_t last_ns;      /* when its last line was written */
  unsigned held_back;   /* lines since then */
};

struct log {
  FILE *out;
  bool priorities, journal;
  pthread_mutex_t mutex; /* over what follows; main, worker and publisher may log */
  size_t n_causes;
  struct cause cause[LOG_MAX_CAUSES];
};

struct log *log_open(FILE *out, bool priorities) {
  struct log *log = calloc(1, sizeof(*log));
  if (log != NULL) {
    log->out = out;
    log->priorities = priorities;
    pthread_mutex_init(&log->mutex, NULL);
  }
  return log;
}

bool log_is_journal(void) {
  const char *stream = getenv("JOURNAL_STREAM");
  struct stat stat;
  unsigned long long device, inode;
  return stream != NULL && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
         fstat(STDERR_FILENO, &stat) == 0 && stat.st_dev == device && stat.st_ino == inode;
}

void log_use_journal(struct log *log) {
  log->journal = true;
}

/* The cause's entry; the last one is shared by all that do not fit. */
static struct cause *find_cause(struct log *log, const char *name) {
  for (size_t i = 0; i < log->n_causes; i++) {
    if (strcmp(log->cause[i].name, name) == 0) {
      return &log->cause[i];
    }
  }
  if (log->n_causes == LOG_MAX_CAUSES) {
    return &log->cause[LOG_MAX_CAUSES - 1];
  }
  struct cause *cause = &log->cause[log->n_causes++];
  *cause = (struct cause){.name = name, .last_ns = INT64_MIN / 2};
  return cause;
}

/* False: the journal did not take it. */
static bool to_journal(enum log_level level, const char *cause, const char *line) {
  const char *id = log_id(cause);
  if (id == NULL) {
    return sd_journal_send("MESSAGE=%s", line, "PRIORITY=%i", (int)level, "PROPRIOD_CAUSE=%s",
                           cause, NULL) == 0;
  }
  return sd_journal_send("MESSAGE=%s", line, "PRIORITY=%i", (int)level, "PROPRIOD_CAUSE=%s", cause,
                         "MESSAGE_ID=%s", id, NULL) == 0;
}

/* Writes the line in one piece, control characters as '?', so that nothing that came from outside
 * can pretend to be another line. */
static void write_line(struct log *log, enum log_level level, const char *cause, char *line) {
  for (char *c = line; *c != '\0'; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7f) {
      *c = '?';
    }
  }
  if (log->journal && to_journal(level, cause, line)) {
    return;
  }
  if (log->priorities) {
    fprintf(log->out, "<%d>%s\n", (int)level, line);
  } else {
    fprintf(log->out, "propriod: %s\n", line);
  }
  fflush(log->out);
}

static void write_held_back(struct log *log, struct cause *cause) {
  char line[LINE_SIZE];
  snprintf(line, sizeof(line), "%s: %u more of the same", cause->name, cause->held_back);
  cause->held_back = 0;
  write_line(log, cause->level, cause->name, line);
}

void log_line(struct log *log, enum log_level level, const char *cause_name, const char *format,
              ...) {
  char line[LINE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  const int64_t now_ns = clock_now_ns();
  pthread_mutex_lock(&log->mutex);
  struct cause *cause = find_cause(log, cause_name);
  if (now_ns - cause->last_ns < QUIET_NS) {
    cause->held_back++;
    cause->level = level;
  } else {
    const size_t length = strlen(line);
    if (cause->held_back > 0) {
      snprintf(line + length, sizeof(line) - length, " (%u more before)", cause->held_back);
    }
    cause->held_back = 0;
    cause->last_ns = now_ns;
    write_line(log, level, cause_name, line);
  }
  pthread_mutex_unlock(&log->mutex);
}

void log_sum_up(struct log *log, int64_t now_ns) {
  pthread_mutex_lock(&log->mutex);
  for (size_t i = 0; i < log->n_causes; i++) {
    struct cause *cause = &log->cause[i];
    if (cause->held_back > 0 && now_ns - cause->last_ns >= QUIET_NS) {
      cause->last_ns = now_ns;
      write_held_back(log, cause);
    }
  }
  pthread_mutex_unlock(&log->mutex);
}

void log_close(struct log *log) {
  if (log != NULL) {
    log_sum_up(log, INT64_MAX / 2);
    pthread_mutex_destroy(&log->mutex);
    free(log);
  }
}
