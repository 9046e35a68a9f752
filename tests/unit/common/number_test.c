#include "common/number.h"

#include "support/robot_text.h"
#include "support/suite.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(every_double_survives_being_written_and_read) {
  struct random random = random_from(test_seed());
  for (int i = 0; i < 100000; i++) {
    const double value =
        random_normal(&random) * pow(10.0, floor(random_uniform(&random, -300.0, 300.0)));
    char text[NUMBER_SIZE];
    double again = 0.0;
    const char *end;
    number_write(value, text);
    ck_assert_int_eq(number_read(text, &again, &end), STATUS_OK);
    ck_assert_double_eq(again, value);
    ck_assert_int_eq(*end, '\0');
  }
}
END_TEST

START_TEST(what_is_not_a_decimal_number_is_refused_and_the_value_untouched) {
  const struct {
    const char *text;
    enum status status;
  } bad[] = {
      {"", STATUS_BAD_ARGUMENT},     {" ", STATUS_BAD_ARGUMENT},       {"x", STATUS_BAD_ARGUMENT},
      {"0x10", STATUS_BAD_ARGUMENT}, {"1.2.3", STATUS_BAD_ARGUMENT},   {"1-2", STATUS_BAD_ARGUMENT},
      {"1e", STATUS_BAD_ARGUMENT},   {"--1", STATUS_BAD_ARGUMENT},     {"1,5", STATUS_BAD_ARGUMENT},
      {"1 2", STATUS_BAD_ARGUMENT},  {"nan", STATUS_NOT_FINITE},       {"-NaN", STATUS_NOT_FINITE},
      {"inf", STATUS_NOT_FINITE},    {"+Infinity", STATUS_NOT_FINITE}, {"1e400", STATUS_NOT_FINITE},
      {"-1e400", STATUS_NOT_FINITE}};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    double value = 77.0;
    ck_assert_msg(number_read_list(bad[i].text, 1, &value) == bad[i].status, "'%s'", bad[i].text);
    ck_assert_double_eq(value, 77.0);
  }
}
END_TEST

START_TEST(a_list_has_exactly_as_many_numbers_as_asked_for) {
  double v[3] = {0};
  ck_assert_int_eq(number_read_list(" 1\t-2.5\n 3e2 ", 3, v), STATUS_OK);
  ck_assert(v[0] == 1.0 && v[1] == -2.5 && v[2] == 300.0);
  double w[3] = {7.0, 7.0, 7.0};
  ck_assert_int_eq(number_read_list("1 2", 3, w), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(number_read_list("1 2 3 4", 3, w), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(number_read_list("1 2 nan", 3, w), STATUS_NOT_FINITE);
  ck_assert(w[0] == 7.0 && w[1] == 7.0 && w[2] == 7.0);
}
END_TEST

/* Switches to a locale whose decimal point is a comma, made in the build folder by the first test
 * that needs it, or skips the test. */
static void enter_comma_locale(void) {
  const char *build = getenv("BUILD");
  char folder[256], command[4 * 256 + 128];
  snprintf(folder, sizeof(folder), "%s/tests/locale", build != NULL ? build : "build");
  snprintf(command, sizeof(command),
           "test -e '%s/de_DE.UTF-8' || { mkdir -p '%s' && "
           "localedef -c -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >'%s/log' 2>&1; }",
           folder, folder, folder, folder);
  const int made = system(command);
  setenv("LOCPATH", folder, 1);
  const char *entered = setlocale(LC_ALL, "de_DE.UTF-8");
  if (made == -1 || entered == NULL) {
    skip("a locale with a decimal comma cannot be made");
  }
  char text[8];
  snprintf(text, sizeof(text), "%.1f", 1.5);
  ck_assert_str_eq(text, "1,5"); /* the locale is what it promises */
}

START_TEST(a_locale_with_a_decimal_comma_changes_no_number) {
  enter_comma_locale();
  double value = 0.0;
  ck_assert_int_eq(number_read_list("1.5", 1, &value), STATUS_OK);
  ck_assert_double_eq(value, 1.5);
  ck_assert_int_eq(number_read_list("1,5", 1, &value), STATUS_BAD_ARGUMENT);
  char text[NUMBER_SIZE];
  number_write(0.1, text);
  ck_assert_str_eq(text, "0.1");
}
END_TEST

START_TEST(a_locale_with_a_decimal_comma_changes_no_robot) {
  const struct model before = test_model_file("config/robots/tx40.urdf");
  enter_comma_locale();
  const struct model after = test_model_file("config/robots/tx40.urdf");
  for (size_t i = 0; i < before.n_links; i++) {
    ck_assert_mem_eq(&before.inertia[i], &after.inertia[i], sizeof(before.inertia[i]));
  }
  for (size_t j = 0; j < before.n_joints; j++) {
    ck_assert_mem_eq(&before.joint[j].placement, &after.joint[j].placement,
                     sizeof(before.joint[j].placement));
  }
}
END_TEST

START_TEST(a_thousandth_that_rounds_to_zero_has_no_sign) {
  static const double none[] = {0.0, -0.0, -1e-18, -0.0004, 0.0004};
  for (size_t k = 0; k < sizeof(none) / sizeof(none[0]); k++) {
    const double rounded = number_to_thousandth(none[k]);
    ck_assert(rounded == 0.0 && !signbit(rounded));
  }
  assert_near(number_to_thousandth(-0.0216), -0.022, 1e-15);
  assert_near(number_to_thousandth(1.2344), 1.234, 1e-15);
}
END_TEST

SUITE(every_double_survives_being_written_and_read,
      what_is_not_a_decimal_number_is_refused_and_the_value_untouched,
      a_list_has_exactly_as_many_numbers_as_asked_for,
      a_locale_with_a_decimal_comma_changes_no_number,
      a_locale_with_a_decimal_comma_changes_no_robot, a_thousandth_that_rounds_to_zero_has_no_sign)
