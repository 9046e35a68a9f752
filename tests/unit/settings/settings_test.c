#include "settings/settings.h"

#include "settings/setting_value.h"
#include "settings/yaml_reader.h"
#include "support/settings_text.h"
#include "support/suite.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Large, and written by every test: not on the stack of Check's processes. */
static struct settings settings;
static struct settings_report report;

static enum status read_text(const char *text) {
  return settings_read(text, strlen(text), "a.yaml", &settings, &report);
}

/* Writes `key: value` as nested maps, with what a configuration cannot be without. */
static void write_option(char *text, size_t size, const char *key, const char *value) {
  size_t used = 0;
  int depth = 0;
  if (strncmp(key, "robot.", 6) != 0) {
    used += (size_t)snprintf(text, size, "robot: {urdf: a.urdf}\n");
  }
  for (const char *word = key; word != NULL;) {
    const char *dot = strchr(word, '.');
    const int length = dot != NULL ? (int)(dot - word) : (int)strlen(word);
    used += (size_t)snprintf(text + used, size - used, "%*s%.*s:%s%s\n", 2 * depth, "", length,
                             word, dot == NULL ? " " : "", dot == NULL ? value : "");
    if (depth == 0 && strncmp(key, "robot.", 6) == 0 && strcmp(key, "robot.urdf") != 0) {
      used += (size_t)snprintf(text + used, size - used, "  urdf: a.urdf\n");
    }
    word = dot != NULL ? dot + 1 : NULL;
    depth++;
  }
}

static enum status read_option(const char *key, const char *value) {
  char text[8192];
  write_option(text, sizeof(text), key, value);
  return read_text(text);
}

/* Refused with exactly one error, which names file, line, the key and the words. */
static void assert_refused(const char *key, const char *value, const char *words) {
  ck_assert_msg(read_option(key, value) != STATUS_OK, "%s: %s was taken", key, value);
  const char *error = report.error[0].text;
  int line = 0, column = 0;
  ck_assert_msg(sscanf(error, "a.yaml:%d:%d: ", &line, &column) == 2 && line > 1 && column > 0 &&
                    strstr(error, key) != NULL && strstr(error, words) != NULL &&
                    report.n_errors == 1,
                "%s: %s: '%s' (%zu errors) lacks '%s'", key, value, error, report.n_errors, words);
}

static bool is_number(const struct setting *row) {
  return row->type == SETTING_INT || row->type == SETTING_REAL;
}

START_TEST(every_row_has_a_key_a_sentence_a_default_inside_its_limits_and_its_own_place) {
  settings_defaults(&settings);
  for (size_t i = 0; i < settings_count(); i++) {
    const struct setting *row = settings_row(i);
    const size_t end = strlen(row->sentence) - 1;
    ck_assert_ptr_nonnull(strchr(row->key, '.'));
    ck_assert_msg(row->sentence[0] >= 'A' && row->sentence[0] <= 'Z' && row->sentence[end] == '.',
                  "%s: '%s' is not a sentence", row->key, row->sentence);
    ck_assert_msg(!is_number(row) || row->min < row->max, "%s: limits", row->key);
    for (size_t j = 0; j < i; j++) {
      ck_assert_str_ne(row->key, settings_row(j)->key);
      ck_assert_msg(settings_offset(row) + row->offset !=
                        settings_offset(settings_row(j)) + settings_row(j)->offset,
                    "%s and %s share a place", row->key, settings_row(j)->key);
    }
  }
}
END_TEST

START_TEST(the_defaults_lack_nothing_but_the_robot) {
  settings_defaults(&settings);
  char *text = settings_text(&settings);
  ck_assert_int_eq(read_text(text), STATUS_OK);
  ck_assert_str_eq(settings.robot.urdf, "");
  free(text);
}
END_TEST

START_TEST(options_that_contradict_each_other_or_cannot_be_are_refused_and_named) {
  static const struct {
    const char *text, *words;
  } fault[] = {
      {"support: {enter: 0.3, leave: 0.5}",
       "a.yaml:2:30: support.leave: 0.5 is above support.enter"},
      {"motion: {snap_density_min: 1000}", "motion.snap_density: 100 is not between"},
      {"motion: {snap_density_max: 1}", "motion.snap_density: 100 is not between"},
      {"five_mass: {masses: [30, 13, 13], torso: [0, 0, 0], pelvis: [0, 0, 0], p_s: [1, 1]}",
       "five_mass.p_l: 0 elements; with 3 five_mass.masses it has 2"},
      {"cycle: {period: 0.02}", "input.joints_limit: 0.02 s is shorter than the 2 periods"},
      {"input: {segment: a/b}", "a.yaml:2:18: input.segment: \"a/b\" is neither an absolute path"},
      {"input: {segment: \"\"}", "a.yaml:2:18: input.segment: \"\" is neither an absolute path"},
      {"publish: {ipc: \"\"}\n"
       "service: {runtime_directory: /a/long/folder/a/long/folder/a/long/folder/a/long/folder"
       "/a/long/folder/a/long/folder/a/long/folder}",
       "a.yaml:3:30: service.runtime_directory: with /control.sock longer than the 107 bytes"}};
  for (size_t i = 0; i < sizeof(fault) / sizeof(fault[0]); i++) {
    char text[256];
    snprintf(text, sizeof(text), "robot: {urdf: a}\n%s\n", fault[i].text);
    ck_assert_int_eq(read_text(text), STATUS_REFUSED);
    ck_assert_msg(strstr(report.error[0].text, fault[i].words) != NULL, "%s", report.error[0].text);
  }
}
END_TEST

START_TEST(every_option_refuses_a_value_of_another_type) {
  for (size_t i = 0; i < settings_count(); i++) {
    const struct setting *row = settings_row(i);
    const bool list = row->type == SETTING_TEXTS || row->type == SETTING_REALS;
    assert_refused(row->key, "{a: 1}", "a group of settings, where");
    assert_refused(row->key, list ? "3" : "[1, 2]", list ? "a list is needed" : "a single value");
    assert_refused(row->key, "", list ? "a single value, where a list" : "has no value");
    if (row->type == SETTING_BOOL) {
      assert_refused(row->key, "yes", "'yes' is neither true nor false");
      assert_refused(row->key, "1", "neither true nor false");
    }
    if (row->type == SETTING_CHOICE) {
      assert_refused(row->key, "perhaps", row->choices[0]);
    }
    if (row->type == SETTING_TEXTS || row->type == SETTING_REALS) {
      char many[4096] = "[0";
      for (size_t n = 0; n < row->capacity; n++) {
        strcat(many, ",0");
      }
      assert_refused(row->key, strcat(many, "]"), "elements, the maximum is");
    }
  }
}
END_TEST

START_TEST(every_number_refuses_what_is_not_a_finite_number_without_unit) {
  static const struct {
    const char *value, *words;
  } fault[] = {{"much", "is not a number"},        {".nan", "not a finite number"},
               {"nan", "not a finite number"},     {"-.inf", "not a finite number"},
               {"inf", "not a finite number"},     {"1e999", "not a finite number"},
               {"0x10", "is not a number"},        {"1_000", "is not a number"},
               {"1,5", "decimal mark is a point"}, {"0.5 furlongs", "write the number alone"},
               {"--1", "is not a number"},         {"1e", "is not a number"},
               {"true", "is not a number"},        {"\"\"", "is not a number"}};
  for (size_t i = 0; i < settings_count(); i++) {
    for (size_t j = 0; j < sizeof(fault) / sizeof(fault[0]); j++) {
      char list[64];
      snprintf(list, sizeof(list), "[\"%s\"]",
               strcmp(fault[j].value, "\"\"") ? fault[j].value : "");
      if (is_number(settings_row(i))) {
        assert_refused(settings_row(i)->key, fault[j].value, fault[j].words);
      } else if (settings_row(i)->type == SETTING_REALS) {
        assert_refused(settings_row(i)->key, list, fault[j].words);
      }
    }
  }
}
END_TEST

START_TEST(every_number_is_refused_beyond_its_limits_and_taken_at_them) {
  for (size_t i = 0; i < settings_count(); i++) {
    const struct setting *row = settings_row(i);
    if (!is_number(row)) {
      continue;
    }
    const double step = row->type == SETTING_INT ? 1.0 : 0.01 * (fabs(row->min) + 1e-12);
    char value[64], limit[64];
    snprintf(value, sizeof(value), "%.17g", row->min - step);
    snprintf(limit, sizeof(limit), "is below the minimum %.9g", row->min);
    assert_refused(row->key, value, limit);
    snprintf(value, sizeof(value), "%.17g", row->max * 1.01 + 1.0);
    snprintf(limit, sizeof(limit), "the maximum %.9g", row->max);
    if (row->type == SETTING_REAL) {
      assert_refused(row->key, value, limit);
      assert_refused(row->key, value, row->unit);
    }
    assert_refused(row->key, "-1e300", "is below the minimum");
    assert_refused(row->key, "1e300", limit);
  }
}
END_TEST

START_TEST(a_whole_number_refuses_a_fraction) {
  for (size_t i = 0; i < settings_count(); i++) {
    if (settings_row(i)->type == SETTING_INT) {
      char value[64];
      snprintf(value, sizeof(value), "%g", settings_row(i)->min + 0.5);
      assert_refused(settings_row(i)->key, value, "is not a whole number");
    }
  }
}
END_TEST

START_TEST(a_key_with_one_letter_wrong_missing_or_swapped_is_refused_and_the_right_one_named) {
  for (size_t i = 0; i < settings_count(); i++) {
    const char *key = settings_row(i)->key;
    const size_t at = (size_t)(strchr(key, '.') - key) + 2;
    char wrong[YAML_KEY_SIZE], hint[YAML_KEY_SIZE + 32];
    snprintf(hint, sizeof(hint), "did you mean %s?", key);
    snprintf(wrong, sizeof(wrong), "%s", key);
    wrong[at] = 'Q';
    assert_refused(wrong, "1", hint);
    memmove(wrong + at, wrong + at + 1, strlen(wrong + at));
    assert_refused(wrong, "1", hint);
  }
}
END_TEST

START_TEST(an_unknown_group_is_one_error_and_a_word_without_likeness_gets_no_suggestion) {
  ck_assert_int_eq(read_text("robot: {urdf: a}\nrobto:\n  a: 1\n  b: 2\n"), STATUS_REFUSED);
  ck_assert_uint_eq(report.n_errors, 1);
  ck_assert_str_eq(report.error[0].text, "a.yaml:2:1: robto: unknown key, did you mean robot?");
  ck_assert_int_eq(read_text("robot: {urdf: a}\nwhatever_else: 1\n"), STATUS_REFUSED);
  ck_assert_str_eq(report.error[0].text, "a.yaml:2:1: whatever_else: unknown key");
  ck_assert_int_eq(read_text("robot: 5\n"), STATUS_REFUSED);
  ck_assert_str_eq(report.error[0].text,
                   "a.yaml:1:8: robot: a value, where a group of settings is needed");
}
END_TEST

START_TEST(an_option_at_the_top_level_is_sent_to_its_group) {
  ck_assert_int_eq(read_text("robot: {urdf: a}\nruntime_directory: /tmp\n"), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(report.error[0].text, "did you mean service.runtime_directory?"));
}
END_TEST

START_TEST(all_errors_of_a_file_are_reported_at_once_forty_of_them_in_words) {
  char text[4096] = "robot: {urdf: 3, imu: [], feet: 1}\n";
  for (int i = 0; i < 50; i++) {
    sprintf(text + strlen(text), "wrong%d: 1\n", i);
  }
  ck_assert_int_eq(read_text(text), STATUS_REFUSED);
  ck_assert_uint_eq(report.n_errors, 52);
  char *printed = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&printed, &size);
  settings_print_errors(out, &report);
  fclose(out);
  ck_assert_ptr_nonnull(strstr(printed, "a.yaml:1:23: robot.imu: a list, where a single value"));
  ck_assert_ptr_nonnull(strstr(printed, "a.yaml:1:33: robot.feet: a single value, where a list"));
  ck_assert_ptr_nonnull(strstr(printed, "a.yaml: 12 more errors\n"));
  free(printed);
}
END_TEST

START_TEST(a_refused_file_leaves_the_settings_untouched) {
  ck_assert_int_eq(read_option("cycle.period", "0.002"), STATUS_OK);
  const struct settings before = settings;
  ck_assert_int_eq(read_option("cycle.period", "0"), STATUS_REFUSED);
  ck_assert_int_eq(read_text("&"), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(memcmp(&before, &settings, sizeof(settings)), 0);
}
END_TEST

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

/* Makes and enters a locale that writes one and a half as 1,5. */
static bool enter_comma_locale(void) {
  static const char source[] = "escape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                               "thousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
  char folder[] = "/tmp/locale_XXXXXX", command[256];
  if (mkdtemp(folder) == NULL) {
    return false;
  }
  snprintf(command, sizeof(command), "%s/source", folder);
  write_file(command, source);
  snprintf(command, sizeof(command), "localedef -c --no-archive -i %s/source %s/xx_XX >%s/log 2>&1",
           folder, folder, folder);
  const int ignored = system(command); /* warns of the categories that it lacks, and fails so */
  (void)ignored;
  setenv("LOCPATH", folder, 1);
  const bool entered = setlocale(LC_NUMERIC, "xx_XX") != NULL;
  snprintf(command, sizeof(command), "rm -r %s", folder);
  return entered & (system(command) == 0);
}

START_TEST(a_locale_with_decimal_commas_changes_nothing) {
  if (!enter_comma_locale()) {
    skip("localedef cannot make a locale with decimal commas here");
  }
  char text[32];
  snprintf(text, sizeof(text), "%.1f", 1.5);
  ck_assert_str_eq(text, "1,5");
  ck_assert_int_eq(read_option("cycle.period", "0.0025"), STATUS_OK);
  ck_assert_double_eq(settings.pipeline.period_s, 0.0025);
  char *printed = settings_text(&settings);
  ck_assert_ptr_nonnull(strstr(printed, "period: 0.0025\n"));
  free(printed);
  assert_refused("cycle.period", "0,0025", "decimal mark is a point");
}
END_TEST

START_TEST(paths_are_relative_to_the_folder_of_the_file) {
  static const char text[] = "robot: {urdf: robots/a.urdf, cells: urdf}\n"
                             "service: {runtime_directory: /run/b}\n";
  ck_assert_int_eq(settings_read(text, strlen(text), "/etc/p/p.yaml", &settings, &report),
                   STATUS_OK);
  ck_assert_str_eq(settings.robot.urdf, "/etc/p/robots/a.urdf");
  ck_assert_str_eq(settings.robot.cells, "urdf");
  ck_assert_str_eq(settings.service.runtime_directory, "/run/b");
  ck_assert_int_eq(settings_read(text, strlen(text), "p.yaml", &settings, &report), STATUS_OK);
  ck_assert_str_eq(settings.robot.urdf, "robots/a.urdf");
}
END_TEST

START_TEST(options_that_need_a_restart_keep_their_running_value_and_are_named) {
  static struct settings running;
  struct message keys;
  ck_assert_int_eq(read_text("robot: {urdf: a, imu: x}\ncycle: {period: 0.001}\n"), STATUS_OK);
  running = settings;
  ck_assert_int_eq(read_text("robot: {urdf: a, imu: y}\ncycle: {period: 0.002}\n"
                             "publish: {ipc: other.sock}\n"),
                   STATUS_OK);
  ck_assert_uint_eq(settings_keep_running(&running, &settings, &keys), 2);
  ck_assert_str_eq(keys.text, "cycle.period publish.ipc");
  ck_assert_double_eq(settings.pipeline.period_s, 0.001);
  ck_assert_str_eq(settings.publish.ipc, running.publish.ipc);
  ck_assert_str_eq(settings.robot.imu, "y");
  ck_assert_uint_eq(settings_keep_running(&running, &settings, &keys), 0);
}
END_TEST

START_TEST(the_command_line_wins_over_the_file_and_is_checked_like_it) {
  static const char path[] = "/tmp/settings_test_override.yaml";
  write_file(path, "robot: {urdf: a}\ncycle: {period: 0.001}\n");
  struct settings_overrides overrides = {2, {"cycle.period=0.004", "robot.feet=[l, r]"}};
  ck_assert_int_eq(settings_load(path, &overrides, &settings, &report), STATUS_OK);
  ck_assert_double_eq(settings.pipeline.period_s, 0.004);
  ck_assert_uint_eq(settings.robot.n_feet, 2);
  ck_assert_str_eq(settings.robot.foot[1], "r");
  static const struct {
    const char *text, *words;
  } fault[] = {
      {"cycle.perod=1", "command line: cycle.perod: unknown key, did you mean cycle.period?"},
      {"publisher.segment=x",
       "command line: publisher.segment: unknown key, did you mean input.segment?"},
      {"cycle.period=-1", "command line: cycle.period: -1 is below the minimum"},
      {"cycle.period", "is not of the form key=value"}};
  for (size_t i = 0; i < sizeof(fault) / sizeof(fault[0]); i++) {
    overrides = (struct settings_overrides){1, {fault[i].text}};
    ck_assert_int_eq(settings_load(path, &overrides, &settings, &report), STATUS_REFUSED);
    ck_assert_ptr_nonnull(strstr(report.error[0].text, fault[i].words));
  }
  remove(path);
}
END_TEST

START_TEST(a_file_that_is_missing_or_none_is_refused_with_its_name) {
  ck_assert_int_ne(settings_load("/nowhere/a.yaml", NULL, &settings, &report), STATUS_OK);
  ck_assert_str_eq(report.error[0].text,
                   "/nowhere/a.yaml: cannot be opened: No such file or directory; proprioctl init "
                   "ROBOT.urdf writes a first one");
  ck_assert_int_ne(settings_load("/tmp", NULL, &settings, &report), STATUS_OK);
  ck_assert_str_eq(report.error[0].text, "/tmp: is not a file");
  ck_assert_int_ne(settings_load("/dev/zero", NULL, &settings, &report), STATUS_OK);
}
END_TEST

START_TEST(every_row_of_an_estimator_has_the_estimators_own_default) {
  struct settings by_rows, by_modules;
  settings_defaults(&by_rows);
  settings_defaults(&by_modules);
  by_modules.pipeline = pipeline_defaults();
  for (size_t i = 0; i < settings_count(); i++) {
    ck_assert_msg(settings_equal(settings_row(i), &by_rows, &by_modules), "%s",
                  settings_row(i)->key);
  }
}
END_TEST

START_TEST(a_key_of_earlier_versions_is_passed_over_and_named) {
  const char *text = "robot: {urdf: a.urdf}\ncentroidal:\n  corner: 30\n  joint_noise: 3\n";
  ck_assert_int_eq(settings_read(text, strlen(text), "a.yaml", &settings, &report), STATUS_OK);
  ck_assert_str_eq(report.retired, "centroidal.joint_noise");
  ck_assert_double_eq(settings.pipeline.centroidal.contacts.wrench.corner_hz, 30.0);
}
END_TEST

SUITE(a_key_of_earlier_versions_is_passed_over_and_named,
      every_row_of_an_estimator_has_the_estimators_own_default,
      every_row_has_a_key_a_sentence_a_default_inside_its_limits_and_its_own_place,
      the_defaults_lack_nothing_but_the_robot,
      options_that_contradict_each_other_or_cannot_be_are_refused_and_named,
      every_option_refuses_a_value_of_another_type,
      every_number_refuses_what_is_not_a_finite_number_without_unit,
      every_number_is_refused_beyond_its_limits_and_taken_at_them,
      a_whole_number_refuses_a_fraction,
      a_key_with_one_letter_wrong_missing_or_swapped_is_refused_and_the_right_one_named,
      an_unknown_group_is_one_error_and_a_word_without_likeness_gets_no_suggestion,
      an_option_at_the_top_level_is_sent_to_its_group,
      all_errors_of_a_file_are_reported_at_once_forty_of_them_in_words,
      a_refused_file_leaves_the_settings_untouched, a_locale_with_decimal_commas_changes_nothing,
      paths_are_relative_to_the_folder_of_the_file,
      options_that_need_a_restart_keep_their_running_value_and_are_named,
      the_command_line_wins_over_the_file_and_is_checked_like_it,
      a_file_that_is_missing_or_none_is_refused_with_its_name)
