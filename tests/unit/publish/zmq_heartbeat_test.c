#include "publish/zmq_heartbeat.h"

#include "common/clock.h"
#include "support/suite.h"

#include <time.h>
#include <zmq.h>

static void wait_ms(int ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * NS_PER_MS}, NULL);
}

START_TEST(it_beats_while_libzmq_carries_messages) {
  void *context = zmq_ctx_new();
  struct zmq_heartbeat heartbeat;
  struct message error;
  ck_assert_int_eq(zmq_heartbeat_open(&heartbeat, context, &error), STATUS_OK);
  int64_t last_ns = 0;
  int beats = 0;
  for (int i = 0; i < 80; i++) {
    ck_assert(zmq_heartbeat_is_heard(&heartbeat, clock_now_ns()));
    beats += heartbeat.heard_ns != last_ns;
    last_ns = heartbeat.heard_ns;
    wait_ms(10);
  }
  ck_assert_int_ge(beats, 5);
  zmq_heartbeat_close(&heartbeat);
  zmq_ctx_term(context);
}
END_TEST

START_TEST(it_stops_within_its_patience_when_nothing_arrives) {
  void *context = zmq_ctx_new();
  struct zmq_heartbeat heartbeat;
  struct message error;
  char name[80];
  size_t size = sizeof(name);
  ck_assert_int_eq(zmq_heartbeat_open(&heartbeat, context, &error), STATUS_OK);
  ck_assert_int_eq(zmq_getsockopt(heartbeat.far, ZMQ_LAST_ENDPOINT, name, &size), 0);
  ck_assert(zmq_heartbeat_is_heard(&heartbeat, clock_now_ns()));
  wait_ms(50);
  ck_assert(zmq_heartbeat_is_heard(&heartbeat, clock_now_ns()));
  ck_assert_int_eq(zmq_unbind(heartbeat.far, name), 0);
  ck_assert_int_eq(zmq_disconnect(heartbeat.near, name), 0);
  wait_ms(50);
  const int64_t cut_ns = clock_now_ns();
  while (zmq_heartbeat_is_heard(&heartbeat, clock_now_ns())) {
    ck_assert_int_lt(clock_now_ns() - cut_ns, 2 * ZMQ_HEARTBEAT_PATIENCE_NS);
    wait_ms(10);
  }
  zmq_heartbeat_close(&heartbeat);
  zmq_ctx_term(context);
}
END_TEST

START_TEST(closing_what_is_not_open_is_harmless) {
  struct zmq_heartbeat heartbeat = {.far = NULL};
  zmq_heartbeat_close(&heartbeat);
  zmq_heartbeat_close(&heartbeat);
}
END_TEST

SUITE(it_beats_while_libzmq_carries_messages, it_stops_within_its_patience_when_nothing_arrives,
      closing_what_is_not_open_is_harmless)
