#include "settings/yaml_reader.h"

#include "settings/settings.h"
#include "support/suite.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct message error;

static enum status read_text(const char *text) {
  struct yaml_items items = {0};
  error.text[0] = '\0';
  const enum status status = yaml_items_read(text, strlen(text), "a.yaml", &items, &error);
  if (status == STATUS_OK) {
    yaml_items_free(&items);
  }
  return status;
}

/* Refused, and the message begins with the place and has the words. */
static void assert_refused(const char *text, const char *place, const char *words) {
  ck_assert_int_ne(read_text(text), STATUS_OK);
  ck_assert_msg(strncmp(error.text, place, strlen(place)) == 0 && strstr(error.text, words) != NULL,
                "'%s' is not '%s ... %s'", error.text, place, words);
}

START_TEST(nested_maps_become_dotted_keys_with_the_place_of_each_value) {
  static const char text[] = "motion:\n  noise: 0.1 # rad\n  feet: [left, \"right\"]\nempty: {}\n";
  struct yaml_items items = {0};
  ck_assert_int_eq(yaml_items_read(text, strlen(text), "a.yaml", &items, &error), STATUS_OK);
  ck_assert_uint_eq(items.count, 6);
  ck_assert_str_eq(items.item[0].key, "motion");
  ck_assert_int_eq(items.item[0].kind, YAML_MAP);
  ck_assert_str_eq(items.item[1].key, "motion.noise");
  ck_assert_str_eq(items.item[1].text, "0.1");
  ck_assert_int_eq(items.item[1].line, 2);
  ck_assert_int_eq(items.item[1].column, 10);
  ck_assert_int_eq(items.item[1].key_column, 3);
  ck_assert_int_eq(items.item[2].kind, YAML_LIST);
  ck_assert_uint_eq(items.item[2].n_elements, 2);
  ck_assert_str_eq(items.item[4].text, "right");
  ck_assert(items.item[4].quoted && !items.item[3].quoted);
  ck_assert_str_eq(items.item[5].key, "empty");
  yaml_items_free(&items);
}
END_TEST

START_TEST(what_is_not_yaml_is_refused_with_line_and_column) {
  assert_refused("a: [1, 2\nb: 3\n", "a.yaml:2:2: ", "not well-formed YAML");
  assert_refused("a:\n\tb: 3\n", "a.yaml:2:1: ", "a tab; YAML is indented with blanks");
  assert_refused("a: 1\n  b: 2\n", "a.yaml:2:4: ", "mapping values are not allowed");
  assert_refused("a: \"never closed\n", "a.yaml:2:1: ", "quoted scalar");
  assert_refused("\tb: 2\n", "a.yaml:1:1: ", "a tab; YAML is indented with blanks");
  assert_refused("a: @\n", "a.yaml:1:4: ", "cannot start any token");
}
END_TEST

START_TEST(what_is_not_text_is_refused_with_line_and_column) {
  assert_refused("a: 1\nb: \xff\xfe\n", "a.yaml:2:4: ", "not a text file");
  assert_refused("a: \x01\n", "a.yaml:1:4: ", "not a text file");
  struct yaml_items items = {0};
  ck_assert_int_eq(yaml_items_read("a: 1\nb\0: 2", 10, "a.yaml", &items, &error),
                   STATUS_BAD_ARGUMENT);
  ck_assert_str_eq(error.text, "a.yaml:2:2: not a text file: a zero byte");
  ck_assert_uint_eq(items.count, 0);
}
END_TEST

START_TEST(an_empty_file_a_list_and_a_single_value_are_refused) {
  assert_refused("", "a.yaml:1:1: ", "empty");
  assert_refused("# only a comment\n", "a.yaml:1:1: ", "empty");
  assert_refused("- a\n", "a.yaml:1:1: ", "a list, not a map");
  assert_refused("42\n", "a.yaml:1:1: ", "not a map");
}
END_TEST

START_TEST(anchors_aliases_tags_directives_and_merge_keys_are_refused) {
  assert_refused("a: &x 1\n", "a.yaml:1:4: a: ", "anchors");
  assert_refused("a: &x [1]\n", "a.yaml:1:4: a: ", "anchors");
  assert_refused("a: &x {b: 1}\n", "a.yaml:1:4: a: ", "anchors");
  assert_refused("a: *x\n", "a.yaml:1:4: a: ", "aliases");
  assert_refused("a: !!float 1\n", "a.yaml:1:4: a: ", "tags");
  assert_refused("a: !mine {b: 1}\n", "a.yaml:1:4: a: ", "tags");
  assert_refused("%YAML 1.1\n---\na: 1\n", "a.yaml:1:1: ", "directives");
  assert_refused("<<: {a: 1}\n", "a.yaml:1:1: ", "a key has letters");
}
END_TEST

START_TEST(a_second_document_is_refused) {
  assert_refused("a: 1\n---\nb: 2\n", "a.yaml:2:1: ", "second document");
  ck_assert_int_eq(read_text("---\na: 1\n...\n"), STATUS_OK);
}
END_TEST

START_TEST(a_key_given_twice_is_refused_and_its_first_line_named) {
  assert_refused("a: 1\nb: 2\na: 3\n", "a.yaml:3:1: a: ", "given twice, first in line 1");
  assert_refused("m:\n  a: 1\nm:\n  b: 2\n", "a.yaml:3:1: m: ", "given twice, first in line 1");
  assert_refused("m: {x: 1, x: 2}\n", "a.yaml:1:11: m.x: ", "given twice, first in line 1");
  ck_assert_int_eq(read_text("m: {x: 1}\nn: {x: 2}\n"), STATUS_OK);
}
END_TEST

START_TEST(a_dotted_or_odd_key_cannot_pretend_to_be_another) {
  assert_refused("motion.noise: 1\n", "a.yaml:1:1: ", "nested, not dotted");
  assert_refused("\"\": 1\n", "a.yaml:1:1: ", "1 to");
  assert_refused("? [a]\n: 1\n", "a.yaml:1:3: ", "a key must be a word");
  assert_refused("a:\n- [1, 2]\n", "a.yaml:2:3: a: ", "a list holds single values");
  assert_refused("a:\n- b: 1\n", "a.yaml:2:3: a: ", "a list holds single values");
}
END_TEST

/* `repeat` times `piece`. */
static char *repeated(const char *piece, size_t repeat) {
  const size_t length = strlen(piece);
  char *text = malloc(length * repeat + 1);
  for (size_t i = 0; i < repeat; i++) {
    memcpy(text + i * length, piece, length);
  }
  text[length * repeat] = '\0';
  return text;
}

/* Of a processor, which this thread may have to share. */
static double worked_ms(void) {
  struct timespec worked;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked);
  return 1e3 * (double)worked.tv_sec + 1e-6 * (double)worked.tv_nsec;
}

static double milliseconds_to_refuse(const char *text) {
  double best = 1e9;
  for (int i = 0; i < 10; i++) {
    const double before_ms = worked_ms();
    ck_assert_int_ne(read_text(text), STATUS_OK);
    best = fmin(best, worked_ms() - before_ms);
  }
  return best;
}

START_TEST(a_hundred_thousand_levels_are_refused_within_10_ms) {
  static const char *const opening[] = {"[", "{", "[\n", "- ", "? ", "{a: ", "a: [[", "{? "};
  for (size_t i = 0; i < sizeof(opening) / sizeof(opening[0]); i++) {
    char *text = repeated(opening[i], 100000);
    const double ms = milliseconds_to_refuse(text);
    ck_assert_msg(ms < 10.0, "'%s' repeated took %g ms", opening[i], ms);
    free(text);
  }
}
END_TEST

START_TEST(forty_thousand_anchors_or_keys_or_values_are_refused_within_50_ms) {
  static const char *const piece[] = {"- &a x\n", "a: &a x\n", "- *a\n", "{}: x\n", "x\n"};
  for (size_t i = 0; i < sizeof(piece) / sizeof(piece[0]); i++) {
    char *text = repeated(piece[i], 40000);
    ck_assert_double_lt(milliseconds_to_refuse(text), 50.0);
    free(text);
  }
  char *text = malloc(700000);
  size_t length = 0;
  for (int i = 0; i < 40000; i++) {
    length += (size_t)sprintf(text + length, "key%d: 1\n", i);
  }
  ck_assert_double_lt(milliseconds_to_refuse(text), 50.0);
  ck_assert_ptr_nonnull(strstr(error.text, "more than 1024 keys"));
  strcpy(text, "a:\n");
  for (int i = 0; i < 40000; i++) {
    strcpy(text + 3 + 4 * i, "- 1\n");
  }
  ck_assert_double_lt(milliseconds_to_refuse(text), 50.0);
  ck_assert_ptr_nonnull(strstr(error.text, "more than 8192 values"));
  free(text);
}
END_TEST

START_TEST(a_file_of_100_megabytes_is_refused_within_50_ms) {
  static struct settings settings;
  static struct settings_report report;
  char path[] = "/tmp/huge_XXXXXX";
  const int fd = mkstemp(path);
  const size_t block = (size_t)1 << 20;
  char *text = repeated("a: 1\n", block / 5 + 1);
  for (int i = 0; i < 100; i++) {
    ck_assert_int_eq(write(fd, text, block), block);
  }
  close(fd);
  const double before_ms = worked_ms();
  const enum status status = settings_load(path, NULL, &settings, &report);
  const double ms = worked_ms() - before_ms;
  unlink(path);
  free(text);
  ck_assert_int_eq(status, STATUS_OUT_OF_RANGE);
  ck_assert_ptr_nonnull(strstr(report.error[0].text, "at most 1048576 are allowed"));
  ck_assert_double_lt(ms, 50.0);
}
END_TEST

START_TEST(no_prefix_of_a_file_and_no_flipped_bit_does_more_than_give_a_message) {
  static const char good[] = "motion:\n  noise: 0.1 # rad\n  feet: [left, \"right\"]\n";
  struct random random = random_from(test_seed());
  char text[sizeof(good)];
  for (size_t length = 0; length < sizeof(good); length++) {
    memcpy(text, good, length);
    text[length] = '\0';
    read_text(text);
  }
  for (int i = 0; i < 20000; i++) {
    memcpy(text, good, sizeof(good));
    for (int flips = 0; flips <= i % 4; flips++) {
      const double at = random_uniform(&random, 0.0, 8.0 * (sizeof(good) - 1) - 1e-6);
      text[(size_t)at / 8] ^= (char)(1 << ((size_t)at % 8));
    }
    if (read_text(text) != STATUS_OK) {
      ck_assert_int_eq(strncmp(error.text, "a.yaml:", 7), 0);
    }
  }
}
END_TEST

SUITE(nested_maps_become_dotted_keys_with_the_place_of_each_value,
      what_is_not_yaml_is_refused_with_line_and_column,
      what_is_not_text_is_refused_with_line_and_column,
      an_empty_file_a_list_and_a_single_value_are_refused,
      anchors_aliases_tags_directives_and_merge_keys_are_refused, a_second_document_is_refused,
      a_key_given_twice_is_refused_and_its_first_line_named,
      a_dotted_or_odd_key_cannot_pretend_to_be_another,
      a_hundred_thousand_levels_are_refused_within_10_ms,
      forty_thousand_anchors_or_keys_or_values_are_refused_within_50_ms,
      a_file_of_100_megabytes_is_refused_within_50_ms,
      no_prefix_of_a_file_and_no_flipped_bit_does_more_than_give_a_message)
