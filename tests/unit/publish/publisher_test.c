#include "support/publish_fixture.h"

#include <sys/stat.h>

static struct heard heard;

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Hears everything for a while: each topic's seq must rise by one. */
static void hear_without_gap(const char *endpoint, const char *name) {
  enum { CYCLES = 1500 };
  static int64_t delay_ns[CYCLES];
  struct listener listener = listen_to(endpoint, "");
  uint64_t last[2] = {0, 0};
  int states = 0, centroidals = 0;
  while (states < CYCLES) {
    ck_assert(listener_hear(&listener, &heard));
    const bool state = strcmp(heard.topic, "state") == 0;
    if (!state && strcmp(heard.topic, "centroidal") != 0) {
      continue;
    }
    ck_assert_msg(last[state] == 0 || heard.seq == last[state] + 1, "%s: %s %lu after %lu", name,
                  heard.topic, (unsigned long)heard.seq, (unsigned long)last[state]);
    last[state] = heard.seq;
    if (state) {
      delay_ns[states++] = clock_now_ns() - heard.t_ns;
    } else {
      centroidals++;
    }
  }
  ck_assert_int_ge(centroidals, CYCLES - 2);
  qsort(delay_ns, CYCLES, sizeof(delay_ns[0]), compare);
  printf("%s: %d states without a gap, from estimate to subscriber p50 %.0f us, p99 %.0f us\n",
         name, CYCLES, 1e-3 * (double)delay_ns[CYCLES / 2],
         1e-3 * (double)delay_ns[CYCLES * 99 / 100]);
  listener_close(&listener);
}

START_TEST(every_result_arrives_at_1_khz_over_ipc_and_tcp) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  hear_without_gap(ipc_of(&settings), "ipc");
  hear_without_gap(publisher_tcp_endpoint(publisher), "tcp");
  feeder_stop(&feeder);
  ck_assert_uint_eq(handover_dropped(publisher_handover(publisher)), 0);
  const struct publish_counters counters = publisher_counters(publisher);
  ck_assert_uint_ge(counters.results, 3000);
  ck_assert_uint_eq(counters.accepted, 2);
  ck_assert_uint_eq(counters.not_finite + counters.too_long + counters.failed, 0);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(a_new_subscriber_hears_meta_at_once_although_it_is_not_due) {
  struct publish_settings settings = fixture_settings();
  settings.meta_hz = 0.01;
  settings.diag_hz = 0.01;
  struct publisher *publisher = fixture_start(&settings);
  usleep(50000); /* let the first meta, which is due at the start, pass */
  for (int i = 0; i < 3; i++) {
    const int64_t before_ns = clock_now_ns();
    struct listener listener = listen_to(ipc_of(&settings), "meta");
    ck_assert(listener_hear(&listener, &heard));
    ck_assert_str_eq(heard.topic, "meta");
    ck_assert(heard_contains(&heard, "joint_29"));
    ck_assert_int_lt(clock_now_ns() - before_ns, 10 * NS_PER_S); /* due in a hundred */
    listener_close(&listener);
  }
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(a_new_description_is_published_at_once) {
  struct publish_settings settings = fixture_settings();
  settings.meta_hz = 0.01;
  struct publisher *publisher = fixture_start(&settings);
  struct listener listener = listen_to(ipc_of(&settings), "meta");
  ck_assert(listener_hear(&listener, &heard));
  ck_assert(heard_contains(&heard, "made_up"));
  struct robot robot = synthetic_robot();
  snprintf(robot.model.name, sizeof(robot.model.name), "another");
  ck_assert(publisher_describe(publisher, &robot, 0.002));
  ck_assert(listener_hear(&listener, &heard));
  ck_assert(heard_contains(&heard, "another"));
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

/* Listens until something is said, for a minute at most. */
static void hear_until(struct listener *listener, const char *words) {
  const int64_t deadline_ns = clock_now_ns() + 60 * NS_PER_S;
  do {
    ck_assert_int_lt(clock_now_ns(), deadline_ns);
    ck_assert(listener_hear(listener, &heard));
  } while (!heard_contains(&heard, words));
}

START_TEST(diag_says_stale_when_the_cycle_is_silent) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct listener listener = listen_to(ipc_of(&settings), "diag");
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  hear_until(&listener, "\xA6status\xA2ok");
  feeder_stop(&feeder);
  hear_until(&listener, "\xA6status\xA5stale");
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(diag_carries_counters_streams_and_the_last_reload) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct listener listener = listen_to(ipc_of(&settings), "diag");
  ck_assert(listener_hear(&listener, &heard));
  ck_assert(!heard_contains(&heard, "last_error"));
  const struct reload_report report = {
      .refused = 1, .last_ns = clock_now_ns(), .last_text = "robot.yaml:14:9: motion.x: no"};
  publisher_set_reload(publisher, &report);
  hear_until(&listener, "last_error");
  const char *const expected[] = {"robot.yaml:14:9: motion.x: no",
                                  "overruns",
                                  "wakeup",
                                  "busy",
                                  "joints",
                                  "imu",
                                  "skin",
                                  "wrench",
                                  "torn",
                                  "flooding",
                                  "uptime"};
  for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
    ck_assert_msg(heard_contains(&heard, expected[i]), "no %s", expected[i]);
  }
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(events_arrive_in_order_and_surplus_ones_are_counted) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct listener listener = listen_for_sure(ipc_of(&settings), "event");
  publisher_event(publisher, EVENT_ERROR, "reload", "%s:%d: %s", "a.yaml", 3, "no");
  ck_assert(listener_hear(&listener, &heard));
  ck_assert(heard_contains(&heard, "a.yaml:3: no") && heard_contains(&heard, "error"));
  const uint64_t first = heard.seq;
  /* more than wait at once, fewer than the sockets on the way hold */
  for (int i = 0; i < 2000; i++) {
    publisher_event(publisher, EVENT_INFO, "flood", "event %d", i);
  }
  usleep(100000);
  const uint64_t dropped = publisher_counters(publisher).events_dropped;
  ck_assert_uint_gt(dropped, 0);
  publisher_event(publisher, EVENT_INFO, "last", "the last one");
  uint64_t last = first;
  do {
    ck_assert(listener_hear(&listener, &heard));
    ck_assert_uint_gt(heard.seq, last);
    last = heard.seq;
  } while (!heard_contains(&heard, "the last one"));
  ck_assert_uint_eq(last - first + dropped, 2001);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(a_change_of_status_is_an_event_and_flicker_is_not_a_flood) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct listener listener = listen_for_sure(ipc_of(&settings), "event");
  const int64_t begin_ns = clock_now_ns();
  struct handover *ring = publisher_handover(publisher);
  for (uint64_t seq = 1; seq <= 1500; seq++) {
    struct cycle_result *result = handover_begin(ring);
    synthetic_estimates(&result->estimates, seq, clock_now_ns());
    result->estimates.state.status = seq % 2 == 0 ? PROPRIOD_STATUS_OK : PROPRIOD_STATUS_DEGRADED;
    handover_commit(ring, clock_now_ns());
    usleep(1000);
  }
  publisher_event(publisher, EVENT_INFO, "end", "end");
  int about_state = 0;
  do {
    ck_assert(listener_hear(&listener, &heard));
    about_state += heard_contains(&heard, "state: ");
  } while (!heard_contains(&heard, "\xA3"
                                   "end"));
  ck_assert_int_ge(about_state, 2);
  /* no more than one a second, and a few by which it begins */
  ck_assert_int_le(about_state, 4 + (int)((clock_now_ns() - begin_ns) / NS_PER_S));
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

static uint64_t heartbeat_of(struct publisher *publisher) {
  return publisher_heartbeat(publisher);
}

START_TEST(the_heartbeat_rises_with_and_without_results) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  const uint64_t before = publisher_heartbeat(publisher);
  eventually_reaches(heartbeat_of, publisher, before + 10);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

static uint64_t results_taken(struct publisher *publisher) {
  return publisher_counters(publisher).results;
}

START_TEST(without_endpoints_results_are_still_taken) {
  struct publish_settings settings = fixture_settings();
  settings.ipc[0] = settings.tcp[0] = '\0';
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  eventually_reaches(results_taken, publisher, 100);
  feeder_stop(&feeder);
  ck_assert_uint_eq(handover_dropped(publisher_handover(publisher)), 0);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

SUITE(every_result_arrives_at_1_khz_over_ipc_and_tcp,
      a_new_subscriber_hears_meta_at_once_although_it_is_not_due,
      a_new_description_is_published_at_once, diag_says_stale_when_the_cycle_is_silent,
      diag_carries_counters_streams_and_the_last_reload,
      events_arrive_in_order_and_surplus_ones_are_counted,
      a_change_of_status_is_an_event_and_flicker_is_not_a_flood,
      the_heartbeat_rises_with_and_without_results, without_endpoints_results_are_still_taken)
