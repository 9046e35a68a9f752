#include "identify/log/log_table.h"

#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct message error;

static struct log_table read_good(const char *text) {
  struct log_table table;
  const enum status status = log_table_read(text, strlen(text), "x.csv", &table, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  return table;
}

static void refuses(const char *text, enum status wanted, const char *words) {
  struct log_table table = {.n_rows = 77};
  ck_assert_int_eq(log_table_read(text, strlen(text), "x.csv", &table, &error), wanted);
  ck_assert_msg(strstr(error.text, words) != NULL, "'%s' lacks '%s'", error.text, words);
  ck_assert_uint_eq(table.n_rows, 77);
}

START_TEST(columns_are_found_by_name_whatever_separates_them) {
  const char *const text[] = {"t,q1,\"tau\"\n0,1,2\n0.1,3,4\n",
                              "\xef\xbb\xbft;q1;tau\r\n0;1;2\r\n0.1;3;4",
                              "# made by hand\n\nt q1  tau\n 0 1 2 \n\t0.1\t3\t4\n"};
  for (int i = 0; i < 3; i++) {
    struct log_table table = read_good(text[i]);
    ck_assert_uint_eq(table.n_rows, 2);
    ck_assert_int_eq(log_table_find(&table, "tau"), 2);
    ck_assert_double_eq(table.value[3], 0.1);
    ck_assert_double_eq(table.value[5], 4.0);
    log_table_free(&table);
  }
}
END_TEST

START_TEST(columns_without_names_are_numbered) {
  struct log_table table = read_good("1.5, -2\n3, 4\n");
  ck_assert_uint_eq(table.n_rows, 2);
  ck_assert_int_eq(log_table_find(&table, "2"), 1);
  ck_assert_double_eq(table.value[1], -2.0);
  log_table_free(&table);
}
END_TEST

/* Shortcuts for plain numbers give the very double that the C library gives. */
START_TEST(every_number_is_what_the_library_reads) {
  struct random random = random_from(test_seed());
  for (int i = 0; i < 20000; i++) {
    char text[64];
    const double size = random_uniform(&random, -12.0, 12.0);
    snprintf(text, sizeof(text), i % 3 == 0 ? "%.*e\n" : "%.*f\n",
             (int)random_uniform(&random, 0.0, 18.0),
             random_normal(&random) * (i % 3 == 0 ? size * size * size : size));
    struct log_table table = read_good(text);
    ck_assert_msg(table.value[0] == strtod(text, NULL), "%s is read as %.17g", text,
                  table.value[0]);
    log_table_free(&table);
  }
}
END_TEST

START_TEST(what_is_wrong_is_named_with_line_and_column) {
  refuses("t,q\n0,1\n1,abc\n", STATUS_BAD_ARGUMENT, "x.csv:3: column 'q': 'abc' is no number");
  refuses("t,q\n0,nan\n", STATUS_NOT_FINITE, "x.csv:2: column 'q': 'nan' is not finite");
  refuses("t,q\n0,1\n\n5\n", STATUS_BAD_ARGUMENT, "x.csv:4: column 'q' is missing");
  refuses("t,q\n0,1,2\n", STATUS_BAD_ARGUMENT, "x.csv:2: more than the 2 fields");
  refuses("t,q\n", STATUS_TOO_FEW, "not a single row");
  refuses("", STATUS_TOO_FEW, "not a single row");
}
END_TEST

START_TEST(files_stand_side_by_side_and_equal_names_are_told_apart) {
  struct log_table a = read_good("q,x\n1,2\n3,4\n"), b = read_good("q\n5\n6\n"),
                   c = read_good("q\n5\n");
  ck_assert_int_eq(log_table_join(&a, &c, 2, &error), STATUS_BAD_ARGUMENT);
  ck_assert_uint_eq(a.n_columns, 2);
  ck_assert_int_eq(log_table_join(&a, &b, 2, &error), STATUS_OK);
  ck_assert_int_eq(log_table_find(&a, "2:q"), 2);
  ck_assert_double_eq(a.value[5], 6.0);
  ck_assert_double_eq(a.value[4], 4.0);
  log_table_free(&a);
  log_table_free(&c);
}
END_TEST

START_TEST(a_misspelt_column_is_recognised_and_another_is_not) {
  struct log_table table = read_good("time,q_elbow,tau_elbow\n0,1,2\n");
  ck_assert_str_eq(log_table_nearest(&table, "q_elbwo"), "q_elbow");
  ck_assert_ptr_null(log_table_nearest(&table, "shoulder"));
  log_table_free(&table);
}
END_TEST

SUITE(columns_are_found_by_name_whatever_separates_them, columns_without_names_are_numbered,
      every_number_is_what_the_library_reads, what_is_wrong_is_named_with_line_and_column,
      files_stand_side_by_side_and_equal_names_are_told_apart,
      a_misspelt_column_is_recognised_and_another_is_not)
