#include "publish/publish_sender.h"

#include "common/clock.h"
#include "publish/encode_meta.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

enum { SILENT_PERIODS = 20 /* without a result before the daemon's status is stale */ };

enum status publish_sender_init(struct publish_sender *s, void *socket, int64_t period_ns) {
  *s = (struct publish_sender){.socket = socket, .period_ns = period_ns};
  s->buffer = malloc(PUBLISH_LONGEST);
  wire_init(&s->wire, s->buffer, s->buffer != NULL ? PUBLISH_LONGEST : 0);
  return s->buffer != NULL ? STATUS_OK : STATUS_NO_MEMORY;
}

void publish_sender_free(struct publish_sender *s) {
  free(s->buffer);
  s->buffer = NULL;
}

void publish_sender_look_at_clock(struct publish_sender *s, int64_t now_ns) {
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  s->epoch_ns = wall.tv_sec * NS_PER_S + wall.tv_nsec - now_ns;
}

static void send_message(struct publish_sender *s, const char *topic) {
  if (s->wire.overflow) {
    s->too_long++;
    return;
  }
  zmq_send(s->socket, topic, strlen(topic), ZMQ_SNDMORE | ZMQ_DONTWAIT);
  zmq_send(s->socket, s->wire.data, s->wire.size, ZMQ_DONTWAIT);
  s->messages++;
  s->bytes += s->wire.size;
}

static enum propriod_status worse(enum propriod_status a, enum propriod_status b) {
  static const int rank[] = {[PROPRIOD_STATUS_OK] = 0,
                             [PROPRIOD_STATUS_INIT] = 1,
                             [PROPRIOD_STATUS_DEGRADED] = 2,
                             [PROPRIOD_STATUS_STALE] = 3,
                             [PROPRIOD_STATUS_DIVERGED] = 4};
  return rank[a] >= rank[b] ? a : b;
}

enum propriod_status publish_sender_overall(const struct publish_sender *s, int64_t now_ns) {
  if (s->newest_ns != 0 && now_ns - s->newest_ns > SILENT_PERIODS * s->period_ns) {
    return PROPRIOD_STATUS_STALE;
  }
  return worse(s->state, s->centroidal);
}

static struct stamp stamp_now(const struct publish_sender *s, uint64_t seq, int64_t now_ns) {
  return (struct stamp){seq, now_ns, s->epoch_ns, publish_sender_overall(s, now_ns)};
}

/* Only where links are estimated, and seldom: inertial parameters change slowly. */
static void send_inertia(struct publish_sender *s, const struct cycle_result *result) {
  const struct inertia_estimate *inertia = &result->estimates.inertia;
  if (inertia->result.n_links == 0 || result->committed_ns < s->next_inertia_ns) {
    return;
  }
  s->next_inertia_ns = result->committed_ns + (int64_t)((double)NS_PER_S / INERTIA_RATE_HZ);
  encode_inertia(&s->wire, inertia, ++s->inertia_seq, s->epoch_ns);
  send_message(s, inertia_topic.name);
}

void publish_sender_result(struct publish_sender *s, const struct cycle_result *result) {
  const struct estimates *estimates =
      world_origin_show(&result->origin, &result->estimates, &s->room);
  encode_state(&s->wire, &estimates->state, s->epoch_ns);
  send_message(s, state_topic.name);
  encode_centroidal(&s->wire, &estimates->centroidal, s->epoch_ns);
  send_message(s, centroidal_topic.name);
  send_inertia(s, result);
  s->state = estimates->state.status;
  s->centroidal = estimates->centroidal.status;
  s->newest_ns = result->committed_ns;
  s->origin = result->origin;
}

void publish_sender_event(struct publish_sender *s, const struct event *event, int64_t now_ns) {
  encode_event(&s->wire, event, ++s->event_seq, s->epoch_ns, publish_sender_overall(s, now_ns));
  send_message(s, event_topic.name);
}

void publish_sender_skin(struct publish_sender *s, const struct estimator_report *report,
                         bool skin_present) {
  encode_skin(&s->wire, report, ++s->skin_seq, s->epoch_ns,
              skin_present ? s->state : PROPRIOD_STATUS_STALE);
  send_message(s, skin_topic.name);
}

void publish_sender_diag(struct publish_sender *s, struct diag_content content, int64_t now_ns) {
  const struct stamp stamp = stamp_now(s, ++s->diag_seq, now_ns);
  content.state = s->state;
  content.centroidal = s->centroidal;
  encode_diag(&s->wire, &content, &stamp);
  send_message(s, diag_topic.name);
}

void publish_sender_meta(struct publish_sender *s, const char *meta, size_t size, int64_t now_ns) {
  const struct stamp stamp = stamp_now(s, ++s->meta_seq, now_ns);
  fields_begin(&s->wire, &stamp, 1 + meta_pairs);
  wire_text(&s->wire, "origin"); /* of the estimators' own world in the published one */
  wire_array(&s->wire, 3);
  wire_real(&s->wire, s->origin.x);
  wire_real(&s->wire, s->origin.y);
  wire_real(&s->wire, s->origin.yaw);
  wire_encoded(&s->wire, meta, size);
  send_message(s, "meta");
}

/* A result is handed over a little earlier or later each cycle: most come within MARGIN of the last
 * one's phase, and who missed it by little looks again after SHORTEST. */
static const int64_t margin_ns = 40 * NS_PER_US, shortest_ns = 50 * NS_PER_US;

int64_t publish_next_look(int64_t newest_ns, int64_t period_ns, int64_t now_ns) {
  const int64_t due_ns = newest_ns + period_ns + margin_ns;
  if (due_ns > now_ns) {
    return due_ns;
  }
  int64_t nap_ns = (now_ns - due_ns) / 2;
  nap_ns = nap_ns < shortest_ns ? shortest_ns : nap_ns;
  nap_ns = nap_ns > period_ns ? period_ns : nap_ns;
  return now_ns + nap_ns;
}
