#include "common/event.h"

#include <string.h>

const char *event_severity_text(enum event_severity severity) {
  static const char *const text[] = {
      [EVENT_INFO] = "info", [EVENT_WARNING] = "warning", [EVENT_ERROR] = "error"};
  return text[severity];
}

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
