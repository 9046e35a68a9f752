#include "publish/publisher.h"

#include "common/clock.h"
#include "publish/encode_meta.h"
#include "publish/endpoints.h"
#include "publish/publish_sender.h"
#include "publish/status_events.h"
#include "publish/subscribers.h"
#include "publish/zmq_heartbeat.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <zmq.h>

enum { RESULTS_AT_ONCE = 64 /* sent before looking after everything else */, STACK = 256 * 1024 };

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

  /* what the threads share */
  struct handover *handover;
  struct estimator_reports *reports;
  void *memory;                       /* of ring and reports */
  struct event_queue events, *copies; /* copies: of somebody else, or NULL */
  pthread_mutex_t lock;               /* of the next five */
  struct meta_body meta;
  bool meta_is_new;
  struct reload_report reload;
  struct publish_counters counters;
  struct publish_statuses statuses;
  atomic_uint_fast64_t heartbeat;
  atomic_bool stop;
  pthread_t thread;
  bool running;

  /* the thread's own */
  void *context, *socket;
  struct pid_lock claim; /* on the ipc path */
  struct curve_keys keys;
  struct curve_gate gate;
  struct subscribers subscribers;
  struct zmq_heartbeat zmq_heartbeat;
  struct status_events watch;
  struct publish_counters count; /* copied to `counters` each turn */
  struct publish_sender sender;
  int64_t next_diag_ns, next_meta_ns;
  struct estimator_counters estimators; /* of the newest report */
  bool reported;                        /* there has been one */
  struct diagnostics_window recent;
};

/* -- what is sent ----------------------------------------------------------------------------- */

static void send_results(struct publisher *p) {
  const struct cycle_result *result;
  for (int i = 0; i < RESULTS_AT_ONCE && (result = handover_oldest(p->handover)) != NULL; i++) {
    publish_sender_result(&p->sender, result);
    status_events_look(&p->watch, &result->estimates, result->committed_ns, &p->events);
    handover_release(p->handover);
    p->count.results++;
  }
}

/* The skin is published once it has spoken: before that its health means nothing. */
static void send_report(struct publisher *p) {
  const struct estimator_report *report = estimator_reports_take(p->reports);
  if (report == NULL) {
    return;
  }
  p->estimators = report->counters;
  p->reported = true;
  const struct stream_diagnostics *skin = &p->diagnostics->stream[PROPRIOD_SHM_SKIN];
  if (report->n_cells > 0 && counter_read(&skin->frames) > 0) {
    publish_sender_skin(&p->sender, report,
                        atomic_load_explicit(&skin->present, memory_order_relaxed));
  }
}

static void send_events(struct publisher *p, int64_t now_ns) {
  struct event event;
  for (int i = 0; i < EVENT_QUEUE && event_take(&p->events, &event); i++) {
    publish_sender_event(&p->sender, &event, now_ns);
    if (p->copies != NULL) {
      event_put(p->copies, &event);
    }
  }
}

static void send_diag(struct publisher *p, int64_t now_ns) {
  pthread_mutex_lock(&p->lock);
  struct reload_report reload = p->reload;
  pthread_mutex_unlock(&p->lock);
  reload.estimated = reload.last_ns != 0 ? RELOAD_LAST : 0;
  diagnostics_window_step(&p->recent, p->diagnostics, now_ns);
  const struct diag_content content = {
      .diagnostics = p->diagnostics,
      .recent = &p->recent,
      .publish = &p->count,
      .reload = &reload,
      .estimators = p->reported ? &p->estimators : NULL,
      .start_ns = p->start_ns,
  };
  publish_sender_diag(&p->sender, content, now_ns);
}

static void send_meta(struct publisher *p, int64_t now_ns) {
  pthread_mutex_lock(&p->lock); /* it may be exchanged */
  publish_sender_meta(&p->sender, p->meta.bytes, p->meta.size, now_ns);
  p->meta_is_new = false;
  pthread_mutex_unlock(&p->lock);
}

/* -- the thread ------------------------------------------------------------------------------- */

/* True once every 1/rate seconds; what was missed is not made up for. */
static bool is_due(int64_t *next_ns, double rate_hz, int64_t now_ns) {
  if (now_ns < *next_ns) {
    return false;
  }
  *next_ns = now_ns + (int64_t)((double)NS_PER_S / rate_hz);
  return true;
}

static void update_counters(struct publisher *p) {
  p->count.dropped = handover_dropped(p->handover);
  p->count.messages = p->sender.messages;
  p->count.bytes = p->sender.bytes;
  p->count.too_long = p->sender.too_long;
  p->count.not_finite = p->sender.wire.replaced;
  p->count.subscribers = p->subscribers.now;
  p->count.accepted = p->subscribers.accepted;
  p->count.failed = p->subscribers.failed;
  p->count.flooding = p->subscribers.flooding;
  p->count.events_dropped = event_dropped(&p->events);
  pthread_mutex_lock(&p->lock);
  p->counters = p->count;
  p->statuses = (struct publish_statuses){publish_sender_overall(&p->sender, clock_now_ns()),
                                          p->sender.state, p->sender.centroidal};
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
  publish_sender_look_at_clock(&p->sender, now_ns);
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

static void *publish(void *argument) {
  struct publisher *p = argument;
  pthread_setname_np(pthread_self(), "publisher");
  prctl(PR_SET_TIMERSLACK, 1); /* wake when asked, not up to 50 us later */
  while (!atomic_load_explicit(&p->stop, memory_order_relaxed)) {
    if (zmq_heartbeat_is_heard(&p->zmq_heartbeat, clock_now_ns())) {
      atomic_fetch_add_explicit(&p->heartbeat, 1, memory_order_relaxed);
    }
    turn(p);
    if (handover_waiting(p->handover) == 0) {
      sleep_until(publish_next_look(p->sender.newest_ns, p->period_ns, clock_now_ns()));
    }
  }
  turn(p);
  return NULL;
}

/* -- start and stop --------------------------------------------------------------------------- */

static enum status init_shared(struct publisher *p, struct arena *arena) {
  const double every = fmin((double)NS_PER_S / (p->settings.skin_hz * (double)p->period_ns), 1e9);
  const enum status status = handover_init(&p->handover, (size_t)p->settings.ring, arena);
  return status == STATUS_OK
             ? estimator_reports_init(&p->reports, ROBOT_MAX_CELLS,
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
  if (publish_sender_init(&p->sender, p->socket, p->period_ns) != STATUS_OK) {
    message_set(error, "publish: no memory");
    return false;
  }
  return subscribers_watch(&p->subscribers, p->context, p->socket, error) == STATUS_OK &&
         zmq_heartbeat_open(&p->zmq_heartbeat, p->context, error) == STATUS_OK;
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
  if (p == NULL) {
    message_set(error, "publisher: no memory");
    return NULL;
  }
  p->settings = *settings;
  p->diagnostics = content->diagnostics;
  p->copies = content->events;
  p->period_ns = (int64_t)(content->period_s * (double)NS_PER_S);
  p->start_ns = clock_now_ns();
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
  zmq_heartbeat_close(&p->zmq_heartbeat);
  if (p->socket != NULL) {
    zmq_close(p->socket);
  }
  if (p->context != NULL) {
    zmq_ctx_term(p->context);
  }
  ipc_release(p->settings.ipc, &p->claim);
  pthread_mutex_destroy(&p->lock);
  free(p->meta.bytes);
  free(p->memory);
  publish_sender_free(&p->sender);
  free(p);
}

/* -- from other threads ----------------------------------------------------------------------- */

struct handover *publisher_handover(struct publisher *p) {
  return p->handover;
}

struct estimator_reports *publisher_reports(struct publisher *p) {
  return p->reports;
}

bool publisher_describe(struct publisher *p, const struct robot *robot, double period_s) {
  char *bytes = malloc(PUBLISH_LONGEST);
  if (bytes == NULL) {
    return false;
  }
  struct wire wire;
  wire_init(&wire, bytes, PUBLISH_LONGEST);
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

struct publish_statuses publisher_statuses(struct publisher *p) {
  pthread_mutex_lock(&p->lock);
  const struct publish_statuses statuses = p->statuses;
  pthread_mutex_unlock(&p->lock);
  return statuses;
}

const char *publisher_tcp_endpoint(const struct publisher *p) {
  return p->tcp_endpoint;
}
