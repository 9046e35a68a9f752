#include "common/event.h"

#include <string.h>

static const char *const severities[] = {"info", "warning", "error", NULL};

static const struct field rows[] = {
    FIELD_OF_KIND("severity", FIELD_CHOICE, struct event, severity, "info, warning or error",
                  .words = severities),
    FIELD_OF_KIND("kind", FIELD_TEXT, struct event, kind, "a short word that programs can compare"),
    FIELD_OF_KIND("text", FIELD_TEXT, struct event, text, "what happened, for people"),
};
const struct field_rows event_fields = FIELD_ROWS(rows);

void event_queue_init(struct event_queue *queue) {
  memset(queue, 0, sizeof(*queue));
  pthread_mutex_init(&queue->lock, NULL);
}

void event_put(struct event_queue *queue, const struct event *event) {
  pthread_mutex_lock(&queue->lock);
  if (queue->put - queue->taken == EVENT_QUEUE) {
    queue->dropped++;
  } else {
    queue->event[queue->put++ % EVENT_QUEUE] = *event;
  }
  pthread_mutex_unlock(&queue->lock);
}

bool event_take(struct event_queue *queue, struct event *event) {
  pthread_mutex_lock(&queue->lock);
  const bool any = queue->put != queue->taken;
  if (any) {
    *event = queue->event[queue->taken++ % EVENT_QUEUE];
  }
  pthread_mutex_unlock(&queue->lock);
  return any;
}

uint64_t event_dropped(struct event_queue *queue) {
  pthread_mutex_lock(&queue->lock);
  const uint64_t dropped = queue->dropped;
  pthread_mutex_unlock(&queue->lock);
  return dropped;
}
