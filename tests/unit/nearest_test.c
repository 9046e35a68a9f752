#include "nearest.h"
#include "suite.h"

static const struct {
  const char *name;
  int other;
} table[] = {{"status", 1}, {"echo", 2}, {"reload", 3}, {"hz", 4}};

static const char *nearest(const char *typed) {
  return nearest_word(typed, &table[0].name, 4, sizeof(table[0]));
}

START_TEST(one_edit_of_each_kind_counts_one) {
  ck_assert_uint_eq(word_distance("status", "status"), 0);
  ck_assert_uint_eq(word_distance("status", "statu"), 1);
  ck_assert_uint_eq(word_distance("status", "sstatus"), 1);
  ck_assert_uint_eq(word_distance("status", "stutus"), 1);
  ck_assert_uint_eq(word_distance("status", "sttaus"), 1);
  ck_assert_uint_eq(word_distance("", "abc"), 3);
  ck_assert_uint_eq(word_distance("kitten", "sitting"), 3);
}
END_TEST

START_TEST(a_typing_slip_finds_the_word_that_was_meant) {
  ck_assert_str_eq(nearest("stauts"), "status");
  ck_assert_str_eq(nearest("ehco"), "echo");
  ck_assert_str_eq(nearest("relaod"), "reload");
}
END_TEST

START_TEST(a_word_unlike_all_others_suggests_nothing) {
  ck_assert_ptr_null(nearest("calibrate"));
  ck_assert_ptr_null(nearest("xyz"));
}
END_TEST

START_TEST(very_long_words_are_compared_within_bounds) {
  char word[500];
  for (int i = 0; i < 499; i++) {
    word[i] = 'a';
  }
  word[499] = '\0';
  ck_assert_uint_eq(word_distance(word, "a"), 62);
  ck_assert_ptr_null(nearest(word));
}
END_TEST

SUITE(one_edit_of_each_kind_counts_one, a_typing_slip_finds_the_word_that_was_meant,
      a_word_unlike_all_others_suggests_nothing, very_long_words_are_compared_within_bounds)
