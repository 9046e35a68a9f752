#include "publish/publish_pulse.h"

#include "common/clock.h"
#include "support/suite.h"

#include <time.h>
#include <zmq.h>

static void wait_ms(int ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * NS_PER_MS}, NULL);
}

START_TEST(it_beats_while_libzmq_carries_messages) {
  void *context = zmq_ctx_new();
  struct publish_pulse pulse;
  struct message error;
  ck_assert_int_eq(publish_pulse_open(&pulse, context, &error), STATUS_OK);
  int64_t last_ns = 0;
  int beats = 0;
  for (int i = 0; i < 80; i++) {
    ck_assert(publish_pulse_beats(&pulse, clock_now_ns()));
    beats += pulse.heard_ns != last_ns;
    last_ns = pulse.heard_ns;
    wait_ms(10);
  }
  ck_assert_int_ge(beats, 5);
  publish_pulse_close(&pulse);
  zmq_ctx_term(context);
}
END_TEST

START_TEST(it_stops_within_its_patience_when_nothing_arrives) {
  void *context = zmq_ctx_new();
  struct publish_pulse pulse;
  struct message error;
  char name[80];
  size_t size = sizeof(name);
  ck_assert_int_eq(publish_pulse_open(&pulse, context, &error), STATUS_OK);
  ck_assert_int_eq(zmq_getsockopt(pulse.far, ZMQ_LAST_ENDPOINT, name, &size), 0);
  ck_assert(publish_pulse_beats(&pulse, clock_now_ns()));
  wait_ms(50);
  ck_assert(publish_pulse_beats(&pulse, clock_now_ns()));
  ck_assert_int_eq(zmq_unbind(pulse.far, name), 0);
  ck_assert_int_eq(zmq_disconnect(pulse.near, name), 0);
  wait_ms(50);
  const int64_t cut_ns = clock_now_ns();
  while (publish_pulse_beats(&pulse, clock_now_ns())) {
    ck_assert_int_lt(clock_now_ns() - cut_ns, 2 * PUBLISH_PULSE_PATIENCE_NS);
    wait_ms(10);
  }
  publish_pulse_close(&pulse);
  zmq_ctx_term(context);
}
END_TEST

START_TEST(closing_what_is_not_open_is_harmless) {
  struct publish_pulse pulse = {.far = NULL};
  publish_pulse_close(&pulse);
  publish_pulse_close(&pulse);
}
END_TEST

SUITE(it_beats_while_libzmq_carries_messages, it_stops_within_its_patience_when_nothing_arrives,
      closing_what_is_not_open_is_harmless)
