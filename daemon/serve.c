#include "serve.h"

#include "common/clock.h"
#include "service/metrics.h"
#include "service/status_page.h"
#include "service/systemd.h"
#include "shm/stream_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define TICK_NS       (100 * NS_PER_MS) /* the main thread turns at least this often */
#define SAVER_LATE_NS (10 * NS_PER_S)   /* the saver turns once a second, and waits for its disk */

/* What turns with every second or tick. */
struct rounds {
  bool end;    /* asked to end */
  bool reload; /* asked to reload */
  int64_t second_ns, metrics_ns;
  struct watchdog watchdog;
  const char *hung; /* the thread last reported to stand still */
  bool saver_late;  /* it has been told that nothing is saved */
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

static enum control_verdict forget(const struct serve *s, bool trusted, FILE *out) {
  struct message error;
  if (!trusted) {
    fputs("only root and the user of the service may let it forget\n", out);
    return CONTROL_FAILED;
  }
  if (learned_store_forget(s->learned, &error) != STATUS_OK) {
    fputs(error.text, out);
    return CONTROL_FAILED;
  }
  log_line(s->log, LOG_LEVEL_NOTICE, "learned", "learned inertial parameters are forgotten");
  return CONTROL_OK;
}

static const char record_word[] = "record ";

static enum control_verdict answer(void *context, const struct control_request *request,
                                   FILE *out) {
  struct serve *s = context;
  if (strcmp(request->words, "reload") == 0 && s->reloader->loader->given_up) {
    fputs("the configuration that was ordered before is still being read: does the disk answer?\n",
          out);
    return CONTROL_FAILED;
  }
  if (strcmp(request->words, "reload") == 0) {
    return reload_begin(s->reloader) ? CONTROL_LATER : CONTROL_AGAIN;
  }
  if (strcmp(request->words, "status") == 0) {
    status_page_write(out, s->reloader->file, s->reloader->running->robot, s->diagnostics,
                      &s->reloader->report);
    return CONTROL_OK;
  }
  if (strcmp(request->words, "counters") == 0) {
    status_page_write_counters(out, s->diagnostics);
    return CONTROL_OK;
  }
  if (strncmp(request->words, record_word, sizeof(record_word) - 1) == 0) {
    return recorder_ask(s->recorder, request->words + sizeof(record_word) - 1) ? CONTROL_LATER
                                                                               : CONTROL_AGAIN;
  }
  if (strcmp(request->words, "forget") == 0) {
    return forget(s, request->trusted, out);
  }
  if (origin_is_asked(request->words)) {
    return origin_answer(&s->origin, request, out);
  }
  fputs("unknown request; there are reload, status, counters, record, forget, origin\n", out);
  return CONTROL_FAILED;
}

/* Begins what a signal has asked for, and ends what is under way: who waits for it is told; what it
 * says goes to log, event and diag in any case. */
static void get_on_with_reload(const struct serve *s, struct rounds *rounds) {
  char text[CONTROL_ANSWER_SIZE] = "";
  FILE *out = fmemopen(text, sizeof(text), "w");
  if (out == NULL) {
    log_line(s->log, LOG_LEVEL_ERROR, "reload waits", "reload: %s", strerror(errno));
    return;
  }
  const enum reload_state state = reload_step(s->reloader, clock_now_ns(), out);
  fclose(out);
  if (state == RELOAD_DONE || state == RELOAD_REFUSED) {
    control_tell(s->control, "reload", state == RELOAD_DONE, text);
  }
  rounds->reload = rounds->reload && !reload_begin(s->reloader);
}

/* Whoever asked the recorder hears what has come of it. */
static void pass_on_answer(const struct serve *s) {
  char words[REQUEST_WORDS_SIZE], request[sizeof(record_word) + REQUEST_WORDS_SIZE];
  struct message text;
  bool ok;
  if (recorder_answer(s->recorder, words, &ok, &text)) {
    char line[MESSAGE_SIZE + 2];
    snprintf(request, sizeof(request), "%s%s", record_word, words);
    snprintf(line, sizeof(line), "%s\n", text.text);
    control_tell(s->control, request, ok, line);
  }
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
    systemd_alive();
  } else if (hung != NULL && hung != rounds->hung) {
    log_line(s->log, LOG_LEVEL_ERROR, "hung", "the %s thread stands still", hung);
  }
  rounds->hung = hung;
}

/* A disk that does not answer is no reason to end, but somebody should know. */
static void look_after_saver(const struct serve *s, struct rounds *rounds, int64_t now_ns) {
  const int64_t silent_ns = learned_store_silence(s->learned, now_ns);
  const bool late = silent_ns > SAVER_LATE_NS;
  if (late && !rounds->saver_late) {
    log_line(
        s->log, LOG_LEVEL_ERROR, "hung",
        "the saver thread stands still for %.0f s: what is learned is not saved; does the disk "
        "answer?",
        (double)silent_ns * 1e-9);
    publisher_event(s->publisher, EVENT_ERROR, "saver_late", "nothing is saved for %.0f s",
                    (double)silent_ns * 1e-9);
  }
  rounds->saver_late = late;
}

/* Streams that have spoken and are silent, as "; no imu". */
static void list_silent(const struct diagnostics *d, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS && used < size; kind++) {
    const struct stream_diagnostics *stream = &d->stream[kind];
    if (counter_read(&stream->frames) > 0 &&
        !atomic_load_explicit(&stream->present, memory_order_relaxed)) {
      used += (size_t)snprintf(text + used, size - used, "; no %s", propriod_shm_name(kind));
    }
  }
}

/* For `systemctl status`: how it is, and why, as `proprioctl status` says it. */
static void tell_status(const struct serve *s) {
  const struct diagnostics *d = s->diagnostics;
  const struct robot *robot = s->reloader->running->robot;
  const struct publish_statuses statuses = publisher_statuses(s->publisher);
  const bool heard = counter_read(&d->stream[PROPRIOD_SHM_JOINTS].frames) > 0;
  char silent[64];
  list_silent(d, silent, sizeof(silent));
  systemd_status("%s: %.40s: %zu joints, %zu cells%s%s; %llu cycles, %llu predicted, %llu "
                 "skipped%s%s%.100s",
                 propriod_status_words[statuses.daemon], robot->model.name, robot->model.n_joints,
                 robot->n_cells, heard ? "" : "; waiting for its joints", silent,
                 (unsigned long long)counter_read(&d->cycles),
                 (unsigned long long)counter_read(&d->predicted),
                 (unsigned long long)counter_read(&d->skipped),
                 recorder_counters(s->recorder).running ? "; recording" : "",
                 s->reloader->report.last_text[0] != '\0' ? "; reload refused: " : "",
                 s->reloader->report.last_text);
}

static void metrics_path(const struct serve *s, char *path, size_t size) {
  settings_runtime_path(&s->reloader->running->settings, METRICS_FILE, path, size);
}

static void show_metrics(const struct serve *s, struct rounds *rounds, int64_t now_ns) {
  const struct metrics_content content = {
      .robot = s->reloader->running->robot->model.name,
      .diagnostics = s->diagnostics,
      .publish = publisher_counters(s->publisher),
      .statuses = publisher_statuses(s->publisher),
      .record = recorder_counters(s->recorder),
      .reloads = &s->reloader->report,
  };
  char path[SETTINGS_PATH_SIZE];
  struct message error;
  if (now_ns - rounds->metrics_ns < METRICS_PERIOD_NS) {
    return;
  }
  rounds->metrics_ns = now_ns;
  metrics_path(s, path, sizeof(path));
  if (metrics_save(path, &content, &error) != STATUS_OK) {
    log_line(s->log, LOG_LEVEL_WARNING, "metrics", "%s", error.text);
  }
}

static void once_a_second(const struct serve *s, struct rounds *rounds, int64_t now_ns) {
  if (now_ns - rounds->second_ns >= NS_PER_S) {
    rounds->second_ns = now_ns;
    look_after_segments(s);
    look_after_saver(s, rounds, now_ns);
    log_sum_up(s->log, now_ns);
    tell_status(s);
    show_metrics(s, rounds, now_ns);
  }
}

/* As often as the watchdog needs, at least every TICK_NS. */
static int pause_ms(const struct rounds *rounds) {
  const int64_t half_ns = rounds->watchdog.interval_ns / 2;
  const int64_t pause_ns = half_ns > 0 && half_ns < TICK_NS ? half_ns : TICK_NS;
  return (int)(pause_ns / NS_PER_MS) + 1;
}

void serve(struct serve *s) {
  char path[SETTINGS_PATH_SIZE];
  struct rounds rounds = {.end = false};
  watchdog_init(&rounds.watchdog, systemd_watchdog_ns());
  watchdog_watch(&rounds.watchdog, "cycle");
  watchdog_watch(&rounds.watchdog, "publisher");
  watchdog_watch(&rounds.watchdog, "worker");
  struct pollfd wait[] = {{.fd = s->signals, .events = POLLIN},
                          {.fd = control_fd(s->control), .events = POLLIN},
                          {.fd = loader_fd(s->reloader->loader), .events = POLLIN}};
  while (!rounds.end) {
    poll(wait, sizeof(wait) / sizeof(wait[0]), pause_ms(&rounds));
    take_signals(s->signals, &rounds);
    get_on_with_reload(s, &rounds);
    control_step(s->control, clock_now_ns(), answer, s);
    pass_on_answer(s);
    feed_watchdog(s, &rounds, clock_now_ns());
    look_after_streams(s, &rounds, clock_now_ns());
    origin_look(&s->origin);
    once_a_second(s, &rounds, clock_now_ns());
  }
  metrics_path(s, path, sizeof(path));
  unlink(path); /* what does not run has no numbers */
}
