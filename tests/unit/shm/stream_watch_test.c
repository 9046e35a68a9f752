#include "shm/stream_watch.h"

#include "support/suite.h"

enum { SKIN = PROPRIOD_SHM_SKIN };

static struct stream_diagnostics stream;
static struct stream_watch watch;
static struct message text;

static void arrive(void) {
  atomic_store(&stream.present, true);
}

static void fall_silent(void) {
  atomic_store(&stream.present, false);
  counter_increment(&stream.stale);
}

static void expect(int64_t now_ns, enum stream_word word, const char *said) {
  message_set(&text, "%s", "");
  ck_assert_int_eq(stream_watch_look(&watch, SKIN, &stream, now_ns, &text), word);
  ck_assert_str_eq(text.text, said);
}

START_TEST(a_stream_is_said_to_arrive_to_be_lost_and_to_arrive_again_each_once) {
  expect(1, STREAM_NO_WORD, "");
  arrive();
  expect(2, STREAM_FOUND, "skin: frames arrive");
  expect(3, STREAM_NO_WORD, "");
  fall_silent();
  expect(4, STREAM_LOST, "skin: silent for longer than input.skin_limit");
  expect(5, STREAM_NO_WORD, "");
  arrive();
  expect(6, STREAM_NO_WORD, "");
  expect(5 + STREAM_STEADY_NS, STREAM_FOUND, "skin: frames arrive again");
  expect(6 + STREAM_STEADY_NS, STREAM_NO_WORD, "");
}
END_TEST

START_TEST(a_silence_that_was_over_before_anybody_looked_is_said_all_the_same) {
  arrive();
  expect(1, STREAM_FOUND, "skin: frames arrive");
  fall_silent();
  arrive();
  expect(2, STREAM_LOST, "skin: silent for longer than input.skin_limit");
  expect(3, STREAM_NO_WORD, "");
  expect(2 + STREAM_STEADY_NS, STREAM_FOUND, "skin: frames arrive again");
}
END_TEST

START_TEST(a_stream_that_flickers_is_lost_once_and_found_once_with_its_silences_counted) {
  int64_t t_ns = 1;
  arrive();
  expect(t_ns, STREAM_FOUND, "skin: frames arrive");
  fall_silent();
  expect(t_ns, STREAM_LOST, "skin: silent for longer than input.skin_limit");
  for (int i = 1; i < 50; i++) {
    arrive();
    t_ns += STREAM_STEADY_NS / 2;
    expect(t_ns, STREAM_NO_WORD, "");
    fall_silent();
    expect(++t_ns, STREAM_NO_WORD, "");
  }
  arrive();
  expect(t_ns + STREAM_STEADY_NS, STREAM_FOUND, "skin: frames arrive again, after 50 silences");
}
END_TEST

START_TEST(a_stream_that_was_never_heard_is_not_lost) {
  counter_increment(&stream.stale);
  expect(1, STREAM_NO_WORD, "");
  arrive();
  expect(2, STREAM_FOUND, "skin: frames arrive");
  expect(3, STREAM_NO_WORD, "");
}
END_TEST

SUITE(a_stream_is_said_to_arrive_to_be_lost_and_to_arrive_again_each_once,
      a_silence_that_was_over_before_anybody_looked_is_said_all_the_same,
      a_stream_that_flickers_is_lost_once_and_found_once_with_its_silences_counted,
      a_stream_that_was_never_heard_is_not_lost)
