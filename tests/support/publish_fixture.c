#include "support/publish_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct diagnostics fixture_diagnostics;
char fixture_folder[64];

struct publish_settings fixture_settings(void) {
  struct publish_settings settings = {.tcp = "127.0.0.1:0",
                                      .high_water = 64,
                                      .skin_hz = 10.0,
                                      .diag_hz = 20.0,
                                      .meta_hz = 1.0,
                                      .ring = 256};
  if (fixture_folder[0] == '\0') {
    snprintf(fixture_folder, sizeof(fixture_folder), "/tmp/propriod-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(fixture_folder));
  }
  snprintf(settings.ipc, sizeof(settings.ipc), "%s/pub.sock", fixture_folder);
  return settings;
}

struct publisher *fixture_try(const struct publish_settings *settings, struct message *error) {
  static struct robot robot;
  robot = synthetic_robot();
  const struct publish_content content = {
      .robot = &robot, .diagnostics = &fixture_diagnostics, .period_s = 0.001};
  *error = (struct message){""};
  return publisher_start(settings, &content, error);
}

/* Lets this process run before whatever else is busy on the machine, where that is allowed: gaps
 * are to be the publisher's, not a compiler's. Threads made from here on inherit it. */
static bool run_before_others(void) {
  const struct sched_param lowest = {.sched_priority = 1};
  return sched_setscheduler(0, SCHED_RR, &lowest) == 0;
}

int most_missed(int of) {
  return run_before_others() ? 0 : of / 50;
}

struct publisher *fixture_start(const struct publish_settings *settings) {
  struct message error;
  run_before_others();
  struct publisher *publisher = fixture_try(settings, &error);
  ck_assert_msg(publisher != NULL, "%s", error.text);
  return publisher;
}

void fixture_remove_folder(void) {
  char command[128];
  snprintf(command, sizeof(command), "rm -rf '%s'", fixture_folder);
  ck_assert_int_eq(system(command), 0);
}

static void *feeder_run(void *argument) {
  struct feeder *feeder = argument;
  int64_t next_ns = clock_now_ns();
  for (uint64_t seq = 1; !atomic_load(&feeder->stop); seq++) {
    const int64_t before_ns = clock_now_ns();
    synthetic_estimates(&handover_begin(feeder->handover)->estimates, seq, before_ns);
    handover_commit(feeder->handover, clock_now_ns());
    const int64_t took_ns = clock_now_ns() - before_ns;
    feeder->longest_ns = took_ns > feeder->longest_ns ? took_ns : feeder->longest_ns;
    atomic_store(&feeder->fed, seq);
    next_ns += feeder->period_ns;
    if (next_ns <
        clock_now_ns()) { /* as the cycle does: a machine that stood still makes no burst */
      next_ns = clock_now_ns() + feeder->period_ns;
    }
    const struct timespec until = {next_ns / NS_PER_S, next_ns % NS_PER_S};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  }
  return NULL;
}

void feeder_start(struct feeder *feeder, struct publisher *publisher) {
  *feeder = (struct feeder){.handover = publisher_handover(publisher), .period_ns = NS_PER_MS};
  ck_assert_int_eq(pthread_create(&feeder->thread, NULL, feeder_run, feeder), 0);
}

void feeder_stop(struct feeder *feeder) {
  atomic_store(&feeder->stop, true);
  pthread_join(feeder->thread, NULL);
}

struct listener listen_to(const char *endpoint, const char *topic) {
  struct listener listener = {.context = zmq_ctx_new()};
  listener.socket = zmq_socket(listener.context, ZMQ_SUB);
  const int linger = 0, wait_ms = 20000;
  zmq_setsockopt(listener.socket, ZMQ_LINGER, &linger, sizeof(linger));
  zmq_setsockopt(listener.socket, ZMQ_RCVTIMEO, &wait_ms, sizeof(wait_ms));
  zmq_setsockopt(listener.socket, ZMQ_SUBSCRIBE, topic, strlen(topic));
  ck_assert_int_eq(zmq_connect(listener.socket, endpoint), 0);
  return listener;
}

struct listener listen_for_sure(const char *endpoint, const char *topic) {
  static struct heard welcome;
  struct listener listener = listen_to(endpoint, topic);
  /* what is asked for later is heard of later, and of `meta` there is one for everybody who asks */
  zmq_setsockopt(listener.socket, ZMQ_SUBSCRIBE, "meta", 4);
  do {
    ck_assert(listener_hear(&listener, &welcome));
  } while (strcmp(welcome.topic, "meta") != 0);
  zmq_setsockopt(listener.socket, ZMQ_UNSUBSCRIBE, "meta", 4);
  return listener;
}

void eventually_reaches(uint64_t (*counter)(struct publisher *publisher),
                        struct publisher *publisher, uint64_t n) {
  const int64_t deadline_ns = clock_now_ns() + 60 * NS_PER_S;
  while (counter(publisher) < n) {
    ck_assert_int_lt(clock_now_ns(), deadline_ns);
    usleep(1000);
  }
}

void listener_close(struct listener *listener) {
  zmq_close(listener->socket);
  zmq_ctx_term(listener->context);
}

static uint64_t heard_number(const struct heard *heard, const char *key) {
  msgpack_unpacked unpacked;
  msgpack_unpacked_init(&unpacked);
  ck_assert_int_eq(msgpack_unpack_next(&unpacked, heard->bytes, (size_t)heard->size, NULL),
                   MSGPACK_UNPACK_SUCCESS);
  uint64_t number = UINT64_MAX;
  for (uint32_t i = 0; i < unpacked.data.via.map.size; i++) {
    const msgpack_object_kv *pair = &unpacked.data.via.map.ptr[i];
    if (pair->key.via.str.size == strlen(key) &&
        memcmp(pair->key.via.str.ptr, key, strlen(key)) == 0) {
      number = pair->val.via.u64;
    }
  }
  msgpack_unpacked_destroy(&unpacked);
  return number;
}

bool heard_contains(const struct heard *heard, const char *text) {
  return memmem(heard->bytes, (size_t)heard->size, text, strlen(text)) != NULL;
}

bool listener_hear(struct listener *listener, struct heard *heard) {
  const int topic = zmq_recv(listener->socket, heard->topic, sizeof(heard->topic) - 1, 0);
  if (topic < 0) {
    return false;
  }
  heard->topic[topic] = '\0';
  heard->size = zmq_recv(listener->socket, heard->bytes, sizeof(heard->bytes), 0);
  ck_assert_int_gt(heard->size, 0);
  int more = 0;
  size_t more_size = sizeof(more);
  zmq_getsockopt(listener->socket, ZMQ_RCVMORE, &more, &more_size);
  ck_assert_msg(!more, "a third frame");
  heard->seq = heard_number(heard, "seq");
  heard->t_ns = (int64_t)heard_number(heard, "t_mono_ns");
  return true;
}

char *ipc_of(const struct publish_settings *settings) {
  static char endpoint[128];
  snprintf(endpoint, sizeof(endpoint), "ipc://%s", settings->ipc);
  return endpoint;
}

int count_gaps(struct listener *listener, int cycles, struct heard *heard) {
  uint64_t last = 0;
  int gaps = 0;
  for (int i = 0; i < cycles; i++) {
    if (!listener_hear(listener, heard)) {
      return -1;
    }
    gaps += last == 0 ? 0 : (int)(heard->seq - last - 1);
    last = heard->seq;
  }
  return gaps;
}
