#include "live/live_feed.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[LIVE_TOPICS] = {"meta", "state",   "centroidal",
                                               "skin", "inertia", "diag"};
static const char event_name[] = "event";

/* Keeps a copy in the place's own memory, which grows to the longest. */
static bool keep(struct live_message *place, const void *bytes, size_t size) {
  if (size > place->room) {
    char *more = realloc(place->bytes, size);
    if (more == NULL) {
      return false;
    }
    place->bytes = more;
    place->room = size;
  }
  memcpy(place->bytes, bytes, size);
  place->size = size;
  return true;
}

void live_feed_take(struct live_feed *feed, const char *topic, const void *bytes, size_t size) {
  struct live_message *place = NULL;
  for (size_t i = 0; i < LIVE_TOPICS; i++) {
    place = strcmp(names[i], topic) == 0 ? &feed->topic[i] : place;
  }
  if (strcmp(event_name, topic) == 0) {
    place = &feed->event[feed->events++ % LIVE_EVENTS];
  }
  if (place != NULL && keep(place, bytes, size)) {
    place->number = ++feed->newest;
  }
}

/* A short text of MessagePack, then the map; NULL only counts. */
static size_t put(const struct live_message *message, const char *name, uint64_t since,
                  unsigned char *to) {
  const size_t length = strlen(name);
  if (message->number <= since) {
    return 0;
  }
  if (to != NULL) {
    to[0] = (unsigned char)(0xA0 | length);
    memcpy(to + 1, name, length);
    memcpy(to + 1 + length, message->bytes, message->size);
  }
  return 1 + length + message->size;
}

static size_t put_all(const struct live_feed *feed, uint64_t since, unsigned char *to) {
  size_t size = 0;
  for (size_t i = 0; i < LIVE_TOPICS; i++) {
    size += put(&feed->topic[i], names[i], since, to != NULL ? to + size : NULL);
  }
  // events in their order: the oldest that is kept lies where the next one goes
  for (uint64_t k = 0; k < LIVE_EVENTS; k++) {
    const struct live_message *event = &feed->event[(feed->events + k) % LIVE_EVENTS];
    size += put(event, event_name, since, to != NULL ? to + size : NULL);
  }
  return size;
}

size_t live_feed_size(const struct live_feed *feed, uint64_t since) {
  return put_all(feed, since, NULL);
}

void live_feed_write(const struct live_feed *feed, uint64_t since, unsigned char *to) {
  put_all(feed, since, to);
}

void live_feed_free(struct live_feed *feed) {
  for (size_t i = 0; i < LIVE_TOPICS; i++) {
    free(feed->topic[i].bytes);
  }
  for (size_t i = 0; i < LIVE_EVENTS; i++) {
    free(feed->event[i].bytes);
  }
  memset(feed, 0, sizeof(*feed));
}
