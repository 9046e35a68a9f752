#include "publisher.h"

#include "clock.h"
#include "encode_centroidal.h"
#include "encode_diag.h"
#include "encode_event.h"
#include "encode_meta.h"
#include "encode_skin.h"
#include "encode_state.h"
#include "endpoints.h"
#include "ipc_claim.h"
#include "publish_pace.h"
#include "publish_pulse.h"
#include "publish_watch.h"
#include "subscribers.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <zmq.h>

enum {
  LONGEST_MESSAGE = 256 * 1024, /* bytes; `skin` of ROBOT_MAX_CELLS needs half */
  RESULTS_AT_ONCE = 64,         /* sent before looking after everything else */
  STACK = 256 * 1024,
  SILENT_PERIODS = 20 /* without a result before `diag` says stale */
};

/* `meta` behind its stamp, ready to be copied. */
struct meta_body {
  size_t size;
  char *bytes;
};

struct publisher {
  struct publish_settings settings;
  const struct diagnostics *diagnostics;
  int64_t period_ns, start_ns;
  char tcp_endpoint[PUBLISH_TCP_SIZE + sizeof("tcp://")];

  // what the threads share
  struct handover *handover;
  struct report_box *reports;
  void *memory; // of ring and reports
  struct event_queue events;
  pthread_mutex_t lock; // of the next four
  struct meta_body meta;
  bool meta_is_new;
  struct reload_report reload;
  struct publish_counters counters;
  atomic_uint_fast64_t heartbeat;
  atomic_bool stop;
  pthread_t thread;
  bool running;

  // the thread's own
  void *context, *socket;
  int claim; // on the ipc path
  struct curve_keys keys;
  struct curve_gate gate;
  struct subscribers subscribers;
  struct publish_pulse pulse;
  struct publish_watch watch;
  struct publish_counters count; // copied to `counters` each turn
  struct wire wire;
  char *message; // [LONGEST_MESSAGE]
  int64_t epoch_ns, newest_ns, next_diag_ns, next_meta_ns;
  uint64_t diag_seq, meta_seq, event_seq, skin_seq;
  struct joint_filter_counters filter;    // of the newest report
  bool reported;                          // there has been one
  enum estimate_status state, centroidal; // of the newest result
};

/* ---- one message ---- */

static void send_message(struct publisher *p, const char *topic) {
  if (p->wire.overflow) {
    p->count.too_long++;
    return;
  }
  zmq_send(p->socket, topic, strlen(topic), ZMQ_SNDMORE | ZMQ_DONTWAIT);
  zmq_send(p->socket, p->wire.data, p->wire.size, ZMQ_DONTWAIT);
  p->count.messages++;
  p->count.bytes += p->wire.size;
}

static enum estimate_status worse(enum estimate_status a, enum estimate_status b) {
  static const int rank[] = {[ESTIMATE_OK] = 0,
                             [ESTIMATE_INIT] = 1,
                             [ESTIMATE_DEGRADED] = 2,
                             [ESTIMATE_STALE] = 3,
                             [ESTIMATE_DIVERGED] = 4};
  return rank[a] >= rank[b] ? a : b;
}

/* The daemon's status: the worst of its estimates', or stale when the cycle is silent. */
static enum estimate_status overall(const struct publisher *p, int64_t now_ns) {
  if (p->newest_ns != 0 && now_ns - p->newest_ns > SILENT_PERIODS * p->period_ns) {
    return ESTIMATE_STALE;
  }
  return worse(p->state, p->centroidal);
}

static struct stamp stamp_now(const struct publisher *p, uint64_t seq, int64_t now_ns) {
  return (struct stamp){seq, now_ns, p->epoch_ns, overall(p, now_ns)};
}

/* ---- what is sent, topic by topic ---- */

static void send_result(struct publisher *p, const struct cycle_result *result) {
  const struct estimates *estimates = &result->estimates;
  encode_state(&p->wire, &estimates->state, p->epoch_ns);
  send_message(p, state_fields.topic);
  encode_centroidal(&p->wire, &estimates->centroidal, p->epoch_ns);
  send_message(p, centroidal_fields.topic);
  p->state = estimates->state.status;
  p->centroidal = estimates->centroidal.status;
  p->newest_ns = result->committed_ns;
  publish_watch_look(&p->watch, estimates, result->committed_ns, &p->events);
  p->count.results++;
}

static void send_results(struct publisher *p) {
  const struct cycle_result *result;
  for (int i = 0; i < RESULTS_AT_ONCE && (result = handover_oldest(p->handover)) != NULL; i++) {
    send_result(p, result);
    handover_release(p->handover);
  }
}

static void send_events(struct publisher *p, int64_t now_ns) {
  struct event event;
  for (int i = 0; i < EVENT_QUEUE && event_take(&p->events, &event); i++) {
    encode_event(&p->wire, &event, ++p->event_seq, p->epoch_ns, overall(p, now_ns));
    send_message(p, "event");
  }
}

/* The skin is published once it has spoken: before that its health means nothing. */
static void send_report(struct publisher *p) {
  const struct estimator_report *report = report_box_take(p->reports);
  if (report == NULL) {
    return;
  }
  p->filter = report->filter;
  p->reported = true;
  const struct stream_diagnostics *skin = &p->diagnostics->stream[PROPRIOD_SHM_SKIN];
  if (report->n_cells > 0 && counter_read(&skin->frames) > 0) {
    const bool present = atomic_load_explicit(&skin->present, memory_order_relaxed);
    encode_skin(&p->wire, report, ++p->skin_seq, p->epoch_ns, present ? p->state : ESTIMATE_STALE);
    send_message(p, skin_fields.topic);
  }
}

static void send_diag(struct publisher *p, int64_t now_ns) {
  pthread_mutex_lock(&p->lock);
  const struct reload_report reload = p->reload;
  pthread_mutex_unlock(&p->lock);
  const struct diag_content content = {
      .diagnostics = p->diagnostics,
      .publish = &p->count,
      .reload = &reload,
      .filter = p->reported ? &p->filter : NULL,
      .start_ns = p->start_ns,
      .state = p->state,
      .centroidal = p->centroidal,
  };
  const struct stamp stamp = stamp_now(p, ++p->diag_seq, now_ns);
  encode_diag(&p->wire, &content, &stamp);
  send_message(p, "diag");
}

static void send_meta(struct publisher *p, int64_t now_ns) {
  const struct stamp stamp = stamp_now(p, ++p->meta_seq, now_ns);
  fields_begin(&p->wire, &stamp, META_PAIRS);
  pthread_mutex_lock(&p->lock);
  wire_encoded(&p->wire, p->meta.bytes, p->meta.size);
  p->meta_is_new = false;
  pthread_mutex_unlock(&p->lock);
  send_message(p, "meta");
}

/* ---- the thread ---- */

/* True once every 1/rate seconds; what was missed is not made up for. */
static bool is_due(int64_t *next_ns, double rate_hz, int64_t now_ns) {
  if (now_ns < *next_ns) {
    return false;
  }
  *next_ns = now_ns + (int64_t)((double)NS_PER_S / rate_hz);
  return true;
}

/* Follows steps of the wall clock. */
static void measure_epoch(struct publisher *p, int64_t now_ns) {
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  p->epoch_ns = wall.tv_sec * NS_PER_S + wall.tv_nsec - now_ns;
}

static void update_counters(struct publisher *p) {
  p->count.dropped = handover_dropped(p->handover);
  p->count.not_finite = p->wire.replaced;
  p->count.subscribers = p->subscribers.now;
  p->count.accepted = p->subscribers.accepted;
  p->count.failed = p->subscribers.failed;
  p->count.flooding = p->subscribers.flooding;
  p->count.events_dropped = event_dropped(&p->events);
  pthread_mutex_lock(&p->lock);
  p->counters = p->count;
  pthread_mutex_unlock(&p->lock);
}

static bool meta_is_new(struct publisher *p) {
  pthread_mutex_lock(&p->lock);
  const bool is_new = p->meta_is_new;
  pthread_mutex_unlock(&p->lock);
  return is_new;
}

static void turn(struct publisher *p) {
  const int64_t now_ns = clock_now_ns();
  measure_epoch(p, now_ns);
  const bool subscribed = subscribers_look(&p->subscribers);
  if (p->gate.socket != NULL) {
    curve_gate_answer(&p->gate);
  }
  send_results(p);
  send_report(p);
  send_events(p, now_ns);
  update_counters(p);
  if (is_due(&p->next_diag_ns, p->settings.diag_hz, now_ns)) {
    send_diag(p, now_ns);
  }
  if (is_due(&p->next_meta_ns, p->settings.meta_hz, now_ns) || subscribed || meta_is_new(p)) {
    send_meta(p, now_ns);
  }
}

static void sleep_until(int64_t t_ns) {
  const struct timespec until = {.tv_sec = t_ns / NS_PER_S, .tv_nsec = t_ns % NS_PER_S};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void *publish(void *argument) {
  struct publisher *p = argument;
  pthread_setname_np(pthread_self(), "publisher");
  prctl(PR_SET_TIMERSLACK, 1); // wake when asked, not up to 50 us later
  while (!atomic_load_explicit(&p->stop, memory_order_relaxed)) {
    if (publish_pulse_beats(&p->pulse, clock_now_ns())) {
      atomic_fetch_add_explicit(&p->heartbeat, 1, memory_order_relaxed);
    }
    turn(p);
    if (handover_waiting(p->handover) == 0) {
      sleep_until(publish_next_look(p->newest_ns, p->period_ns, clock_now_ns()));
    }
  }
  turn(p);
  return NULL;
}

/* ---- start and stop ---- */

static enum status init_shared(struct publisher *p, struct arena *arena) {
  const double every = (double)NS_PER_S / (p->settings.skin_hz * (double)p->period_ns);
  const enum status status = handover_init(&p->handover, (size_t)p->settings.ring, arena);
  return status == STATUS_OK ? report_box_init(&p->reports, ROBOT_MAX_CELLS,
                                               every > 1.0 ? (unsigned)(every + 0.5) : 1, arena)
                             : status;
}

static bool make_shared(struct publisher *p, struct message *error) {
  struct arena count = {0};
  init_shared(p, &count);
  p->memory = aligned_alloc(ARENA_ALIGN, count.used);
  struct arena arena = arena_over(p->memory, p->memory != NULL ? count.used : 0);
  if (p->memory == NULL || init_shared(p, &arena) != STATUS_OK) {
    message_set(error, "publish.ring: no memory for %d results", p->settings.ring);
    return false;
  }
  return true;
}

static bool open_socket(struct publisher *p, struct message *error) {
  const int linger_ms = 0, high_water = p->settings.high_water;
  p->context = zmq_ctx_new();
  p->socket = p->context != NULL ? zmq_socket(p->context, ZMQ_XPUB) : NULL;
  if (p->socket == NULL ||
      zmq_setsockopt(p->socket, ZMQ_LINGER, &linger_ms, sizeof(linger_ms)) != 0 ||
      zmq_setsockopt(p->socket, ZMQ_SNDHWM, &high_water, sizeof(high_water)) != 0) {
    message_set(error, "publish: %s", zmq_strerror(errno));
    return false;
  }
  return subscribers_watch(&p->subscribers, p->context, p->socket, error) == STATUS_OK &&
         publish_pulse_open(&p->pulse, p->context, error) == STATUS_OK;
}

static bool bind_tcp(struct publisher *p, struct message *error) {
  const struct publish_settings *s = &p->settings;
  const bool keys = s->curve_secret_key[0] != '\0';
  if (keys && (curve_read(s->curve_secret_key, s->curve_clients, &p->keys, error) != STATUS_OK ||
               curve_gate_open(&p->gate, p->context, &p->keys, error) != STATUS_OK)) {
    return false;
  }
  if (endpoint_bind_tcp(p->socket, s->tcp, keys ? &p->keys : NULL, error) != STATUS_OK) {
    return false;
  }
  size_t size = sizeof(p->tcp_endpoint);
  zmq_getsockopt(p->socket, ZMQ_LAST_ENDPOINT, p->tcp_endpoint, &size);
  return true;
}

/* The socket's key options hold from then on: TCP comes last. */
static bool bind_endpoints(struct publisher *p, struct message *error) {
  const struct publish_settings *s = &p->settings;
  if (s->ipc[0] != '\0' && endpoint_bind_ipc(p->socket, s->ipc, &p->claim, error) != STATUS_OK) {
    return false;
  }
  return s->tcp[0] == '\0' || bind_tcp(p, error);
}

static bool start_thread(struct publisher *p, struct message *error) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  const int failed = pthread_create(&p->thread, &attributes, publish, p);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    message_set(error, "publisher thread: %s", strerror(failed));
    return false;
  }
  p->running = true;
  return true;
}

struct publisher *publisher_start(const struct publish_settings *settings,
                                  const struct publish_content *content, struct message *error) {
  struct publisher *p = calloc(1, sizeof(*p));
  char *message = malloc(LONGEST_MESSAGE);
  if (p == NULL || message == NULL) {
    message_set(error, "publisher: no memory");
    free(message);
    free(p);
    return NULL;
  }
  p->settings = *settings;
  p->diagnostics = content->diagnostics;
  p->period_ns = (int64_t)(content->period_s * (double)NS_PER_S);
  p->start_ns = clock_now_ns();
  p->claim = IPC_CLAIM_NONE;
  p->message = message;
  wire_init(&p->wire, message, LONGEST_MESSAGE);
  event_queue_init(&p->events);
  pthread_mutex_init(&p->lock, NULL);
  if (!publisher_describe(p, content->robot, content->period_s)) {
    message_set(error, "publisher: the description of %s does not fit", content->robot->model.name);
  } else if (make_shared(p, error) && open_socket(p, error) && bind_endpoints(p, error) &&
             start_thread(p, error)) {
    return p;
  }
  publisher_stop(p);
  return NULL;
}

void publisher_stop(struct publisher *p) {
  if (p == NULL) {
    return;
  }
  if (p->running) {
    atomic_store(&p->stop, true);
    pthread_join(p->thread, NULL);
  }
  curve_gate_close(&p->gate);
  subscribers_forget(&p->subscribers);
  publish_pulse_close(&p->pulse);
  if (p->socket != NULL) {
    zmq_close(p->socket);
  }
  if (p->context != NULL) {
    zmq_ctx_term(p->context);
  }
  ipc_release(p->settings.ipc, p->claim);
  pthread_mutex_destroy(&p->lock);
  free(p->meta.bytes);
  free(p->memory);
  free(p->message);
  free(p);
}

/* ---- from other threads ---- */

struct handover *publisher_handover(struct publisher *p) {
  return p->handover;
}

struct report_box *publisher_reports(struct publisher *p) {
  return p->reports;
}

bool publisher_describe(struct publisher *p, const struct robot *robot, double period_s) {
  char *bytes = malloc(LONGEST_MESSAGE);
  if (bytes == NULL) {
    return false;
  }
  struct wire wire;
  wire_init(&wire, bytes, LONGEST_MESSAGE);
  encode_meta_body(&wire, robot, period_s);
  if (wire.overflow) {
    free(bytes);
    return false;
  }
  pthread_mutex_lock(&p->lock);
  char *old = p->meta.bytes;
  p->meta = (struct meta_body){wire.size, bytes};
  p->meta_is_new = true;
  pthread_mutex_unlock(&p->lock);
  free(old);
  return true;
}

void publisher_event(struct publisher *p, enum event_severity severity, const char *kind,
                     const char *format, ...) {
  struct event event = {.t_ns = clock_now_ns(), .severity = severity};
  snprintf(event.kind, sizeof(event.kind), "%s", kind);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(event.text, sizeof(event.text), format, arguments);
  va_end(arguments);
  event_put(&p->events, &event);
}

void publisher_set_reload(struct publisher *p, const struct reload_report *report) {
  pthread_mutex_lock(&p->lock);
  p->reload = *report;
  pthread_mutex_unlock(&p->lock);
}

uint64_t publisher_heartbeat(const struct publisher *p) {
  return atomic_load_explicit(&p->heartbeat, memory_order_relaxed);
}

struct publish_counters publisher_counters(struct publisher *p) {
  pthread_mutex_lock(&p->lock);
  const struct publish_counters counters = p->counters;
  pthread_mutex_unlock(&p->lock);
  return counters;
}

const char *publisher_tcp_endpoint(const struct publisher *p) {
  return p->tcp_endpoint;
}
