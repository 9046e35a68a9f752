#include "state_messages.h"

#include "common/clock.h"
#include "publish/publish_sender.h"
#include "publish/state_export.h"
#include "publish/topics.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static bool look(struct state_messages *m) {
  char why[PROPRIOD_STATE_REASON];
  return propriod_state_open(&m->reader, m->name, why) == 0;
}

bool state_messages_open(struct state_messages *m, const char *segment) {
  *m = (struct state_messages){.buffer = malloc(PUBLISH_LONGEST)};
  snprintf(m->name, sizeof(m->name), "%s" STATE_EXPORT_SUFFIX, segment);
  wire_init(&m->wire, m->buffer, m->buffer != NULL ? PUBLISH_LONGEST : 0);
  if (m->buffer == NULL || !look(m)) {
    state_messages_close(m);
    return false;
  }
  return true;
}

/* CLOCK_REALTIME less CLOCK_MONOTONIC, ns. */
static int64_t epoch_ns(void) {
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  return wall.tv_sec * NS_PER_S + wall.tv_nsec - clock_now_ns();
}

static void tell(struct state_messages *m, struct live_feed *feed) {
  const int64_t epoch = epoch_ns();
  wire_rewind(&m->wire);
  encode_state(&m->wire, &m->state, epoch);
  live_feed_take(feed, state_topic.name, m->wire.data, m->wire.size);
  wire_rewind(&m->wire);
  encode_centroidal(&m->wire, &m->centroidal, epoch);
  live_feed_take(feed, centroidal_topic.name, m->wire.data, m->wire.size);
}

void state_messages_take(struct state_messages *m, struct live_feed *feed) {
  if (m->reader.segment == NULL && clock_now_ns() > m->next_try_ns && !look(m)) {
    m->next_try_ns = clock_now_ns() + NS_PER_S;
  }
  if (m->reader.segment == NULL) {
    return;
  }
  if (propriod_state_read(&m->reader, &m->state, &m->centroidal) != 0) {
    // nothing yet, or the daemon has ended: another one makes another
    propriod_state_close(&m->reader);
    m->next_try_ns = clock_now_ns() + NS_PER_S;
  } else if (m->state.seq != m->seq) {
    m->seq = m->state.seq;
    tell(m, feed);
  }
}

void state_messages_close(struct state_messages *m) {
  propriod_state_close(&m->reader);
  free(m->buffer);
  m->buffer = NULL;
}
