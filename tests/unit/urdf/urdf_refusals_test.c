#include "urdf/urdf_reader.h"

#include "support/suite.h"
#include "support/urdf_refusals.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads what must be refused, and returns the complaint. */
static enum status refused(const char *text, size_t length, struct message *error) {
  static const struct model untouched;
  struct model model = untouched;
  struct arena count = {0};
  const enum status status = urdf_read(text, length, &count, &model, error);
  ck_assert_mem_eq(&model, &untouched, sizeof(model));
  return status;
}

START_TEST(every_bad_model_is_refused_in_the_exact_words) {
  int wrong = 0;
  for (int i = 0; i < REFUSALS; i++) {
    const struct refusal *bad = &refusals[i];
    struct message error = {"no complaint"};
    const enum status status = refused(bad->text, strlen(bad->text), &error);
    if (status != bad->status || strcmp(error.text, bad->complaint) != 0) {
      printf("%s\nwanted: %s: %s\ngot:    %s: %s\n", bad->text, status_text(bad->status),
             bad->complaint, status_text(status), error.text);
      wrong++;
    }
  }
  ck_assert_int_eq(wrong, 0);
  ck_assert_int_ge(REFUSALS, 40);
}
END_TEST

/* A text too long to write down, and what is said about it. */
static void assert_refused(const char *text, size_t length, enum status wanted,
                           const char *complaint) {
  struct message error = {"no complaint"};
  const enum status status = refused(text, length, &error);
  ck_assert_str_eq(error.text, complaint);
  ck_assert_int_eq(status, wanted);
}

/* A growing text; freed with the process. */
struct text {
  char *data;
  size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format,
                                                         ...) {
  enum { ROOM = 24 << 20 };
  if (text->data == NULL) {
    text->data = malloc(ROOM);
  }
  va_list arguments;
  va_start(arguments, format);
  text->length +=
      (size_t)vsnprintf(text->data + text->length, ROOM - text->length, format, arguments);
  va_end(arguments);
  ck_assert_uint_lt(text->length, ROOM);
}

static void append_times(struct text *text, size_t times, const char *what) {
  for (size_t i = 0; i < times; i++) {
    append(text, "%s", what);
  }
}

START_TEST(a_chain_of_129_moving_joints_is_refused_and_one_of_128_is_read) {
  for (int joints = 128; joints <= 129; joints++) {
    struct text text = {0};
    append(&text, "<robot>\n" HEAVY("l0"));
    for (int i = 1; i <= joints; i++) {
      append(&text, HEAVY("l%d") TURNS("j%d", "l%d", "l%d"), i, i, i - 1, i);
    }
    append(&text, "</robot>");
    struct arena count = {0};
    struct model model;
    struct message error;
    const enum status status = urdf_read(text.data, text.length, &count, &model, &error);
    ck_assert_int_eq(status, joints == 128 ? STATUS_OK : STATUS_OUT_OF_RANGE);
    if (joints == 128) {
      ck_assert_uint_eq(model.n_joints, 128);
    } else {
      ck_assert_str_eq(error.text, "260:1: joint 'j129': more than 128 moving joints");
    }
  }
}
END_TEST

START_TEST(more_than_4096_links_are_refused) {
  struct text text = {0};
  append(&text, "<robot>\n");
  append_times(&text, 4097, "<link name='l'/>\n");
  append(&text, "</robot>");
  assert_refused(text.data, text.length, STATUS_OUT_OF_RANGE,
                 "4098:1: <link>: more than 4096 of them");
}
END_TEST

START_TEST(a_hundred_thousand_nested_elements_are_refused) {
  struct text text = {0};
  append(&text, "<robot>");
  append_times(&text, 100000, "<a>");
  assert_refused(text.data, text.length, STATUS_OUT_OF_RANGE,
                 "1:101: elements nested more than 32 deep");
}
END_TEST

START_TEST(a_text_above_16_mebibytes_is_refused_unread) {
  struct text text = {0};
  append(&text, "<robot/>");
  while (text.length <= URDF_MAX_BYTES) {
    append(&text, "%1000s", "");
  }
  struct message wanted;
  message_set(&wanted, "1:1: %zu bytes, at most 16777216 are allowed", text.length);
  assert_refused(text.data, text.length, STATUS_OUT_OF_RANGE, wanted.text);
}
END_TEST

START_TEST(names_values_and_numbers_of_attributes_have_limits) {
  struct text name = {0}, value = {0}, many = {0};
  append(&name, "<robot><link name='%064d'/></robot>", 1);
  assert_refused(
      name.data, name.length, STATUS_OUT_OF_RANGE,
      "1:8: <link>: name '00000000000000000000...' has 64 bytes, at most 63 are allowed");
  append(&value, "<robot><visual mesh='%0600d'/></robot>", 1);
  assert_refused(value.data, value.length, STATUS_OUT_OF_RANGE,
                 "1:8: attribute 'mesh' has 600 bytes, at most 512 are allowed");
  append(&many, "<robot><visual");
  for (int i = 0; i < 65; i++) {
    append(&many, " a%d=''", i);
  }
  append(&many, "/></robot>");
  assert_refused(many.data, many.length, STATUS_OUT_OF_RANGE,
                 "1:8: <visual> has 65 attributes, at most 64 are allowed");
}
END_TEST

START_TEST(a_zero_byte_and_utf16_are_refused) {
  static const char inside[] = "<robot>\0</robot>";
  assert_refused(inside, sizeof(inside) - 1, STATUS_BAD_ARGUMENT,
                 "1:1: byte 7 is zero: not a text in UTF-8");
  static const char utf16[] = "\xff\xfe<\0r\0/\0>\0";
  assert_refused(utf16, sizeof(utf16) - 1, STATUS_BAD_ARGUMENT,
                 "1:1: byte 3 is zero: not a text in UTF-8");
}
END_TEST

START_TEST(a_billion_laughs_are_not_expanded) {
  struct text text = {0};
  append(&text, "<!DOCTYPE robot [\n<!ENTITY a0 'ha'>\n");
  for (int i = 1; i < 30; i++) {
    append(&text, "<!ENTITY a%d '&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;'>\n", i, i - 1,
           i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
  }
  append(&text, "]>\n<robot name='&a29;'/>");
  assert_refused(text.data, text.length, STATUS_BAD_ARGUMENT,
                 "33:1: not well-formed XML: undefined entity; entities are not expanded here: "
                 "xmllint --noent FILE writes what they stand for");
}
END_TEST

START_TEST(an_arena_that_is_too_small_is_refused_and_the_model_untouched) {
  static const char arm[] = ARM("");
  static _Alignas(ARENA_ALIGN) unsigned char block[ARENA_ALIGN];
  struct arena small = arena_over(block, sizeof(block));
  struct model model = {.n_joints = 77};
  struct message error;
  ck_assert_int_eq(urdf_read(arm, strlen(arm), &small, &model, &error), STATUS_NO_MEMORY);
  ck_assert_uint_eq(model.n_joints, 77);
}
END_TEST

START_TEST(a_good_model_with_a_byte_flipped_anywhere_never_breaks_the_reader) {
  static const char good[] = ARM(HAND SENSOR("s", "<parent link='arm'/>"));
  struct random random = random_from(test_seed());
  size_t read = 0;
  for (int i = 0; i < 20000; i++) {
    char text[sizeof(good)];
    memcpy(text, good, sizeof(good));
    const size_t at = (size_t)random_uniform(&random, 0.0, sizeof(good) - 1);
    text[at] = (char)random_uniform(&random, 0.0, 256.0);
    struct arena count = {0};
    struct model model;
    struct message error = {""};
    const enum status status = urdf_read(text, sizeof(good) - 1, &count, &model, &error);
    read += status == STATUS_OK;
    ck_assert(status == STATUS_OK || strlen(error.text) > strlen("1:1: "));
  }
  ck_assert_uint_gt(read, 100); /* names, moments and blanks may change */
}
END_TEST

SUITE(every_bad_model_is_refused_in_the_exact_words,
      a_chain_of_129_moving_joints_is_refused_and_one_of_128_is_read,
      more_than_4096_links_are_refused, a_hundred_thousand_nested_elements_are_refused,
      a_text_above_16_mebibytes_is_refused_unread,
      names_values_and_numbers_of_attributes_have_limits, a_zero_byte_and_utf16_are_refused,
      a_billion_laughs_are_not_expanded,
      an_arena_that_is_too_small_is_refused_and_the_model_untouched,
      a_good_model_with_a_byte_flipped_anywhere_never_breaks_the_reader)
