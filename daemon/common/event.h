/* Things that happened, on their way to subscribers: a bounded queue that any thread but the
 * real-time one may fill. */
#ifndef EVENT_H
#define EVENT_H

#include "common/message.h"
#include "describe/field.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum event_severity { EVENT_INFO, EVENT_WARNING, EVENT_ERROR };

enum { EVENT_KIND_SIZE = 32, EVENT_QUEUE = 64 };

struct event {
  int64_t t_ns; /* CLOCK_MONOTONIC */
  enum event_severity severity;
  char kind[EVENT_KIND_SIZE]; /* a short lower-case word that programs can compare */
  char text[MESSAGE_SIZE];
};

struct event_queue {
  pthread_mutex_t lock;
  struct event event[EVENT_QUEUE];
  uint64_t put, taken; /* since the start */
  uint64_t dropped;    /* came when EVENT_QUEUE others were waiting */
};

/* What of it is published. */
extern const struct field_rows event_fields;

/* An empty queue. [start] */
void event_queue_init(struct event_queue *queue);

/* Adds an event; drops and counts it when the queue is full. [worker] */
void event_put(struct event_queue *queue, const struct event *event);

/* Takes the oldest event; false when there is none. [worker] */
bool event_take(struct event_queue *queue, struct event *event);

/* Events dropped since the start. [worker] */
uint64_t event_dropped(struct event_queue *queue);

#endif
