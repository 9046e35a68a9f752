/* A publisher without a daemon: fed by a thread with made-up estimates, heard by subscribers of the
 * test. */
#ifndef PUBLISH_FIXTURE_H
#define PUBLISH_FIXTURE_H

#include "common/clock.h"
#include "common/diagnostics.h"
#include "publish/publisher.h"
#include "support/suite.h"
#include "support/synthetic.h"

#include <msgpack.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <zmq.h>

extern char fixture_folder[64]; /* the test's own, of its endpoints */

/* Endpoints in a folder of the test's own; the system chooses the TCP port. */
struct publish_settings fixture_settings(void);

struct publisher *fixture_try(const struct publish_settings *settings, struct message *error);

struct publisher *fixture_start(const struct publish_settings *settings);

/* How many of so many results may be lost while a crowd is at work: none, unless this process has
 * no right to run before others and shares a busy machine with the crowd. */
int most_missed(int of);

void fixture_remove_folder(void);

/* Hands a result over every `period_ns` until told to stop. */
struct feeder {
  struct handover *handover;
  int64_t period_ns;
  atomic_uint_fast64_t fed;
  atomic_bool stop;
  int64_t longest_ns; /* that one hand-over took */
  pthread_t thread;
};

void feeder_start(struct feeder *feeder, struct publisher *publisher);

void feeder_stop(struct feeder *feeder);

/* A subscriber. */
struct listener {
  void *context, *socket;
};

struct listener listen_to(const char *endpoint, const char *topic);

/* One whose subscription has arrived; nothing that is published from now on is lost to it. */
struct listener listen_for_sure(const char *endpoint, const char *topic);

void listener_close(struct listener *listener);

/* One message, decoded: topic, seq, and the whole map's bytes. */
struct heard {
  char topic[16];
  uint64_t seq;
  int64_t t_ns;
  char status[16];
  int size;
  char bytes[128 * 1024];
};

bool heard_contains(const struct heard *heard, const char *text);

/* False: nothing came in twenty seconds. */
bool listener_hear(struct listener *listener, struct heard *heard);

/* Waits until `counter` has reached `n`, for a minute at most. */
void eventually_reaches(uint64_t (*counter)(struct publisher *publisher),
                        struct publisher *publisher, uint64_t n);

/* The endpoint to listen at. */
char *ipc_of(const struct publish_settings *settings);

/* Hears `cycles` states, the last of them into `heard`; returns how many seqs were missing among
 * them, or -1 when nothing came. */
int count_gaps(struct listener *listener, int cycles, struct heard *heard);

#endif
