#include "serve.h"

#include "common/clock.h"
#include "service/notify.h"
#include "service/status_page.h"
#include "shm/stream_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define TICK_NS (100 * NS_PER_MS) /* the main thread turns at least this often */

/* What turns with every second or tick. */
struct rounds {
  bool end;    /* asked to end */
  bool reload; /* asked to reload */
  int64_t second_ns;
  struct watchdog watchdog;
  const char *hung; /* the thread last reported to stand still */
  struct stream_watch streams;
};

static sigset_t served_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

int signals_open(void) {
  const sigset_t set = served_signals();
  signal(SIGPIPE, SIG_IGN);
  return pthread_sigmask(SIG_BLOCK, &set, NULL) == 0
             ? signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC)
             : -1;
}

bool signals_want_end(void) {
  sigset_t waiting;
  sigpending(&waiting);
  return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
}

/* A hundred SIGHUPs since the last time are one reload. */
static void take_signals(int signals, struct rounds *rounds) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
    if (info.ssi_signo == SIGHUP) {
      rounds->reload = true;
    } else {
      rounds->end = true;
    }
  }
}

static bool forget(const struct serve *s, FILE *out) {
  struct message error;
  if (learned_saver_forget(s->saver, &error) != STATUS_OK) {
    fputs(error.text, out);
    return false;
  }
  log_line(s->log, LOG_LEVEL_NOTICE, "learned", "learned inertial parameters are forgotten");
  return true;
}

static bool answer(void *context, const char *request, FILE *out) {
  const struct serve *s = context;
  if (strcmp(request, "reload") == 0) {
    return reload(s->reloader, out);
  }
  if (strcmp(request, "status") == 0) {
    status_page_write(out, s->reloader->file, s->reloader->running->robot, s->diagnostics,
                      &s->reloader->report);
    return true;
  }
  if (strcmp(request, "counters") == 0) {
    status_page_write_counters(out, s->diagnostics);
    return true;
  }
  if (strcmp(request, "forget") == 0) {
    return forget(s, out);
  }
  fputs("unknown request; there are reload, status, counters, forget\n", out);
  return false;
}

/* A reload that nobody waits for: what it says goes to log, event and diag. */
static void reload_by_signal(const struct serve *s) {
  FILE *nowhere = fopen("/dev/null", "we");
  if (nowhere == NULL) {
    log_line(s->log, LOG_LEVEL_ERROR, "reload refused", "reload refused: %s", strerror(errno));
    return;
  }
  reload(s->reloader, nowhere);
  fclose(nowhere);
}

/* `status` is STALE for what was made anew and REFUSED for what is lost. */
static void tell_of_segment(const struct serve *s, const char *kind, enum status status,
                            const struct message *event) {
  if (status != STATUS_OK) {
    const bool lost = status == STATUS_REFUSED;
    log_line(s->log, lost ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING, kind, "%s", event->text);
    publisher_event(s->publisher, lost ? EVENT_ERROR : EVENT_WARNING, kind, "%s", event->text);
  }
}

static void look_after_segments(const struct serve *s) {
  struct message event;
  const enum status input = segment_keeper_step(s->segment, &event);
  tell_of_segment(s, "segment", input, &event);
  const enum status state = state_export_check(s->state, &event);
  tell_of_segment(s, "state_segment", state, &event);
}

/* Sensors lost and found go to log and event. */
static void look_after_streams(const struct serve *s, struct rounds *rounds, int64_t now_ns) {
  static const char *const cause[PROPRIOD_SHM_STREAMS][2] = {{"joints found", "joints lost"},
                                                             {"imu found", "imu lost"},
                                                             {"skin found", "skin lost"},
                                                             {"wrench found", "wrench lost"}};
  struct message text;
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    const enum stream_word word =
        stream_watch_look(&rounds->streams, kind, &s->diagnostics->stream[kind], now_ns, &text);
    if (word == STREAM_NO_WORD) {
      continue;
    }
    const bool lost = word == STREAM_LOST;
    log_line(s->log, lost ? LOG_LEVEL_WARNING : LOG_LEVEL_NOTICE, cause[kind][lost], "%s",
             text.text);
    publisher_event(s->publisher, lost ? EVENT_WARNING : EVENT_INFO,
                    lost ? "sensor_lost" : "sensor_found", "%s", text.text);
  }
}

/* The counts stand in the order in which serve() has the threads watched. */
static void feed_watchdog(const struct serve *s, struct rounds *rounds, int64_t now_ns) {
  const uint64_t counts[] = {counter_read(&s->diagnostics->cycles),
                             publisher_heartbeat(s->publisher), worker_heartbeat(s->worker)};
  const char *hung = NULL;
  if (watchdog_feed(&rounds->watchdog, now_ns, counts, &hung)) {
    notify_alive();
  } else if (hung != NULL && hung != rounds->hung) {
    log_line(s->log, LOG_LEVEL_ERROR, "hung", "the %s thread stands still", hung);
  }
  rounds->hung = hung;
}

static void tell_status(const struct serve *s) {
  const struct diagnostics *d = s->diagnostics;
  const struct robot *robot = s->reloader->running->robot;
  notify_status("%s: %zu joints, %zu cells; %llu cycles, %llu predicted, %llu skipped%s%.100s",
                robot->model.name, robot->model.n_joints, robot->n_cells,
                (unsigned long long)counter_read(&d->cycles),
                (unsigned long long)counter_read(&d->predicted),
                (unsigned long long)counter_read(&d->skipped),
                s->reloader->report.last_text[0] != '\0' ? "; reload refused: " : "",
                s->reloader->report.last_text);
}

static void once_a_second(const struct serve *s, struct rounds *rounds, int64_t now_ns) {
  if (now_ns - rounds->second_ns >= NS_PER_S) {
    rounds->second_ns = now_ns;
    look_after_segments(s);
    log_sum_up(s->log, now_ns);
    tell_status(s);
  }
}

/* As often as the watchdog needs, at least every TICK_NS. */
static int pause_ms(const struct rounds *rounds) {
  const int64_t half_ns = rounds->watchdog.interval_ns / 2;
  const int64_t pause_ns = half_ns > 0 && half_ns < TICK_NS ? half_ns : TICK_NS;
  return (int)(pause_ns / NS_PER_MS) + 1;
}

void serve(struct serve *s) {
  struct rounds rounds = {.end = false};
  watchdog_init(&rounds.watchdog, notify_interval_ns());
  watchdog_watch(&rounds.watchdog, "cycle");
  watchdog_watch(&rounds.watchdog, "publisher");
  watchdog_watch(&rounds.watchdog, "worker");
  struct pollfd wait[] = {{.fd = s->signals, .events = POLLIN},
                          {.fd = control_fd(s->control), .events = POLLIN}};
  while (!rounds.end) {
    poll(wait, sizeof(wait) / sizeof(wait[0]), pause_ms(&rounds));
    take_signals(s->signals, &rounds);
    if (rounds.reload && !rounds.end) {
      rounds.reload = false;
      reload_by_signal(s);
    }
    control_step(s->control, clock_now_ns(), answer, s);
    feed_watchdog(s, &rounds, clock_now_ns());
    look_after_streams(s, &rounds, clock_now_ns());
    once_a_second(s, &rounds, clock_now_ns());
  }
}
