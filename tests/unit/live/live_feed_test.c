#include "live/live_feed.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

/* What a browser would get that has got everything up to `since`, as text. */
static const char *told(const struct live_feed *feed, uint64_t since) {
  static char text[MOST];
  const size_t size = live_feed_size(feed, since);
  ck_assert_uint_lt(size, MOST);
  memset(text, '!', sizeof(text));
  live_feed_write(feed, since, (unsigned char *)text);
  ck_assert_int_eq(text[size], '!'); /* no more than it said */
  text[size] = '\0';
  return text;
}

static void take(struct live_feed *feed, const char *topic, const char *text) {
  live_feed_take(feed, topic, text, strlen(text));
}

START_TEST(of_each_topic_the_newest_message_is_told) {
  struct live_feed feed = {0};
  ck_assert_uint_eq(live_feed_size(&feed, 0), 0);
  take(&feed, "state", "<1>");
  take(&feed, "state", "<2 longer>");
  take(&feed, "meta", "<m>");
  ck_assert_str_eq(told(&feed, 0), "\xA4meta<m>\xA5state<2 longer>");
  take(&feed, "state", "<3>");
  ck_assert_str_eq(told(&feed, 0), "\xA4meta<m>\xA5state<3>");
  live_feed_free(&feed);
}
END_TEST

START_TEST(who_has_got_something_gets_only_what_is_newer) {
  struct live_feed feed = {0};
  take(&feed, "meta", "<m>");
  take(&feed, "state", "<1>");
  const uint64_t since = feed.newest;
  ck_assert_uint_eq(live_feed_size(&feed, since), 0);
  take(&feed, "centroidal", "<c>");
  ck_assert_str_eq(told(&feed, since), "\xAA"
                                       "centroidal<c>");
  ck_assert_uint_eq(live_feed_size(&feed, feed.newest), 0);
  live_feed_free(&feed);
}
END_TEST

START_TEST(all_events_are_told_in_their_order_and_of_many_the_last) {
  struct live_feed feed = {0};
  char wanted[MOST] = "", text[16];
  for (int i = 0; i < LIVE_EVENTS + 5; i++) {
    snprintf(text, sizeof(text), "<%d>", i);
    take(&feed, "event", text);
    if (i >= 5) {
      snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted),
               "\xA5"
               "event%s",
               text);
    }
  }
  ck_assert_str_eq(told(&feed, 0), wanted);
  const uint64_t since = feed.newest;
  take(&feed, "event", "<a>");
  take(&feed, "event", "<b>");
  ck_assert_str_eq(told(&feed, since), "\xA5"
                                       "event<a>\xA5"
                                       "event<b>");
  live_feed_free(&feed);
}
END_TEST

START_TEST(a_topic_that_the_page_does_not_know_is_passed_over) {
  struct live_feed feed = {0};
  take(&feed, "weather", "<w>");
  ck_assert_uint_eq(live_feed_size(&feed, 0), 0);
  live_feed_free(&feed);
}
END_TEST

SUITE(of_each_topic_the_newest_message_is_told, who_has_got_something_gets_only_what_is_newer,
      all_events_are_told_in_their_order_and_of_many_the_last,
      a_topic_that_the_page_does_not_know_is_passed_over)
