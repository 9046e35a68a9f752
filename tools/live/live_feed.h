/* What the live page is told: of each topic the newest message, as propriod published it, and of
 * events the last few, all of them.
 *
 * A WebSocket message is a row of pairs in MessagePack, the topic's name and its map. Who connects
 * first gets what is there of every topic, then what has changed since. Nothing is decoded here. */
#ifndef LIVE_FEED_H
#define LIVE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIVE_TOPICS = 6, LIVE_EVENTS = 32 };

struct live_message {
  uint64_t number; /* 1, 2, ... in the order in which they came; 0: none yet */
  char *bytes;     /* the map */
  size_t size, room;
};

struct live_feed {
  uint64_t newest; /* number of the newest message */
  struct live_message topic[LIVE_TOPICS];
  struct live_message event[LIVE_EVENTS]; /* event k at k % LIVE_EVENTS */
  uint64_t events;
};

/* Zero is an empty feed. Takes a message of a topic; one of no topic that the page knows, or that
 * there is no memory for, is passed over. */
void live_feed_take(struct live_feed *feed, const char *topic, const void *bytes, size_t size);

/* Bytes that live_feed_write will write for what came behind number `since`. */
size_t live_feed_size(const struct live_feed *feed, uint64_t since);
void live_feed_write(const struct live_feed *feed, uint64_t since, unsigned char *to);

void live_feed_free(struct live_feed *feed);

#endif
