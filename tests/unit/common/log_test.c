#include "common/log.h"

#include "common/clock.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *text;
static size_t size;
static FILE *out;

static struct log *open_on_memory(bool priorities) {
  out = open_memstream(&text, &size);
  struct log *log = log_open(out, priorities);
  ck_assert_ptr_nonnull(log);
  return log;
}

static size_t lines(void) {
  size_t n = 0;
  for (const char *c = text; *c != '\0'; c++) {
    n += *c == '\n';
  }
  return n;
}

START_TEST(a_line_carries_its_priority_for_the_journal_and_the_name_elsewhere) {
  struct log *log = open_on_memory(true);
  log_line(log, LOG_LEVEL_ERROR, "a", "broken %d", 7);
  log_line(log, LOG_LEVEL_INFO, "b", "fine");
  ck_assert_str_eq(text, "<3>broken 7\n<6>fine\n");
  log_close(log);
  log = open_on_memory(false);
  log_line(log, LOG_LEVEL_ERROR, "a", "broken %d", 7);
  ck_assert_str_eq(text, "propriod: broken 7\n");
  log_close(log);
}
END_TEST

START_TEST(a_thousand_lines_of_one_cause_are_one_and_the_number_of_the_others) {
  struct log *log = open_on_memory(false);
  for (int i = 0; i < 1000; i++) {
    log_line(log, LOG_LEVEL_WARNING, "stale", "joints are stale");
  }
  ck_assert_uint_eq(lines(), 1);
  log_line(log, LOG_LEVEL_WARNING, "torn", "another cause is not held back");
  ck_assert_uint_eq(lines(), 2);
  log_sum_up(log, clock_now_ns());
  ck_assert_uint_eq(lines(), 2);
  log_sum_up(log, clock_now_ns() + 2 * NS_PER_S);
  ck_assert_uint_eq(lines(), 3);
  ck_assert_ptr_nonnull(strstr(text, "stale: 999 more of the same\n"));
  log_close(log);
}
END_TEST

START_TEST(a_cause_that_goes_on_gets_one_line_a_second_with_the_number_of_those_left_out) {
  struct log *log = open_on_memory(false);
  const int64_t begin_ns = clock_now_ns();
  int said = 0, first = 0, second = 0;
  do {
    log_line(log, LOG_LEVEL_WARNING, "stale", "joints are stale");
    said++;
    nanosleep(&(struct timespec){.tv_nsec = 5 * NS_PER_MS}, NULL);
  } while (lines() < 3);
  ck_assert_int_ge(clock_now_ns() - begin_ns, 2 * NS_PER_S);
  ck_assert_int_eq(
      sscanf(text,
             "propriod: joints are stale\npropriod: joints are stale (%d more before)\n"
             "propriod: joints are stale (%d more before)\n",
             &first, &second),
      2);
  ck_assert_int_eq(first + second, said - 3);
  log_close(log);
}
END_TEST

START_TEST(closing_sums_up_what_was_held_back) {
  struct log *log = open_on_memory(false);
  log_line(log, LOG_LEVEL_WARNING, "a", "once");
  log_line(log, LOG_LEVEL_WARNING, "a", "twice");
  log_close(log);
  fflush(out);
  ck_assert_str_eq(text, "propriod: once\npropriod: a: 1 more of the same\n");
}
END_TEST

START_TEST(what_comes_from_outside_cannot_make_a_line_of_its_own) {
  struct log *log = open_on_memory(true);
  log_line(log, LOG_LEVEL_INFO, "a", "client says %s", "x\n<0>the house is on fire\x1b[2J\x7f");
  ck_assert_str_eq(text, "<6>client says x?<0>the house is on fire?[2J?\n");
  log_close(log);
}
END_TEST

START_TEST(more_causes_than_are_told_apart_lose_no_first_line_but_share_the_last_place) {
  static char cause[LOG_MAX_CAUSES + 10][16];
  struct log *log = open_on_memory(false);
  for (int i = 0; i < LOG_MAX_CAUSES + 10; i++) {
    snprintf(cause[i], sizeof(cause[i]), "c%d", i);
    log_line(log, LOG_LEVEL_INFO, cause[i], "%s", cause[i]);
  }
  ck_assert_uint_eq(lines(), LOG_MAX_CAUSES);
  log_close(log);
}
END_TEST

START_TEST(a_line_longer_than_its_room_is_cut_and_ends) {
  struct log *log = open_on_memory(false);
  char *longer = malloc(5000);
  memset(longer, 'x', 4999);
  longer[4999] = '\0';
  log_line(log, LOG_LEVEL_INFO, "a", "%s", longer);
  ck_assert_uint_eq(lines(), 1);
  ck_assert_uint_lt(strlen(text), 1100);
  log_close(log);
  free(longer);
}
END_TEST

SUITE(a_line_carries_its_priority_for_the_journal_and_the_name_elsewhere,
      a_thousand_lines_of_one_cause_are_one_and_the_number_of_the_others,
      a_cause_that_goes_on_gets_one_line_a_second_with_the_number_of_those_left_out,
      closing_sums_up_what_was_held_back, what_comes_from_outside_cannot_make_a_line_of_its_own,
      more_causes_than_are_told_apart_lose_no_first_line_but_share_the_last_place,
      a_line_longer_than_its_room_is_cut_and_ends)
