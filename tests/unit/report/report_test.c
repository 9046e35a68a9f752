#include "report.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TEXT = 1 << 20 };

/* What was written to the file so far, as text to be freed; closes the file. */
static char *contents(FILE *file) {
  char *text = calloc(1, MOST_TEXT);
  rewind(file);
  text[fread(text, 1, MOST_TEXT - 1, file)] = '\0';
  fclose(file);
  return text;
}

static char *told(struct plot *plot, enum status expected) {
  FILE *file = tmpfile();
  ck_assert_int_eq(plot_write(plot, file), expected);
  plot_free(plot);
  return contents(file);
}

static char *whole_file(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "no %s", path);
  return contents(file);
}

static size_t occurrences(const char *text, const char *word) {
  size_t count = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
    count++;
  }
  return count;
}

START_TEST(a_plot_tells_its_panels_series_and_gaps) {
  const double t[] = {0, 1, 2}, y[] = {1, (double)NAN, 3}, high[] = {2, 3, 4};
  struct plot *plot = plot_create("a \"b\"", "t (s)");
  plot_panel(plot, "one");
  plot_line(plot, "truth", t, y, 3);
  plot_band(plot, "ours", t, y, high, 3);
  plot_panel(plot, "two");
  plot_log_y(plot);
  plot_level(plot, "limit", 0.5);
  char *json = told(plot, STATUS_OK);
  ck_assert_str_eq(
      json, "{\"title\": \"a \\\"b\\\"\", \"x_label\": \"t (s)\", \"panels\": [\n"
            "{\"y_label\": \"one\", \"items\": [\n"
            "  {\"kind\": \"line\", \"name\": \"truth\", \"x\": [0,1,2], \"y\": [1,null,3]},\n"
            "  {\"kind\": \"band\", \"name\": \"ours\", \"x\": [0,1,2], \"y\": [1,null,3], "
            "\"high\": [2,3,4]}]},\n"
            "{\"y_label\": \"two\", \"items\": [\n"
            "  {\"kind\": \"log\", \"name\": \"\", \"at\": []},\n"
            "  {\"kind\": \"level\", \"name\": \"limit\", \"at\": [0.5]}]}]}\n");
  free(json);
}
END_TEST

START_TEST(a_plot_with_nothing_to_show_says_so) {
  const double t[1] = {0}, y[1] = {(double)NAN};
  struct plot *plot = plot_create("nothing", "t");
  plot_line(plot, "a", t, y, 1);
  plot_level(plot, "limit", 1.0);
  free(told(plot, STATUS_TOO_FEW));
}
END_TEST

/* Every kind of item in one picture. */
static struct plot *plot_of_all_kinds(void) {
  static const char *const category[] = {"soft", "hard"};
  const double t[] = {0, 1, 2}, y[] = {1, 2, 3}, high[] = {2, 3, 4};
  struct plot *plot = plot_create("a < b & c", "t (s)");
  plot_panel(plot, "one (m/s²)");
  plot_band(plot, "ours", t, y, high, 3);
  plot_line(plot, "ours", t, y, 3);
  plot_line(plot, "truth", t, y, 3);
  plot_points(plot, "theirs", t, high, 3);
  plot_level(plot, "limit", 2.5);
  plot_mark(plot, "push", 1.0);
  plot_y_range(plot, 0.0, 50.0);
  plot_panel(plot, "two");
  plot_log_y(plot);
  plot_line(plot, "theirs", t, y, 3);
  plot_panel(plot, "three");
  plot_bars(plot, "ours", category, y, 2);
  plot_bars(plot, "theirs", category, high, 2);
  return plot;
}

/* Bars begin at zero, which no logarithmic axis has: they were not drawn. */
START_TEST(bars_stand_on_a_logarithmic_axis) {
  if (system("/usr/bin/python3 -c 'import matplotlib' 2>/dev/null") != 0) {
    skip("python3-matplotlib is not installed");
  }
  static const char *const category[] = {"soft", "hard"};
  const double y[] = {3, 30};
  char folder[] = "/tmp/propriod-report-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(folder));
  struct report *report = report_open(folder, "bars", "A case");
  struct plot *plot = plot_create("bars", "");
  plot_panel(plot, "mass (kg)");
  plot_log_y(plot);
  plot_bars(plot, "ours", category, y, 2);
  report_plot(report, plot, "log");
  ck_assert_int_eq(report_close(report), EXIT_SUCCESS);
  char *svg = whole_file(folder, "bars-log.svg");
  ck_assert_uint_eq(occurrences(svg, "z\n\" clip-path="), 2); /* areas that close */
  free(svg);
  char command[64];
  snprintf(command, sizeof(command), "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(every_kind_is_drawn_and_a_name_keeps_its_colour_across_panels) {
  if (system("/usr/bin/python3 -c 'import matplotlib' 2>/dev/null") != 0) {
    skip("python3-matplotlib is not installed");
  }
  char folder[] = "/tmp/propriod-report-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(folder));
  struct report *report = report_open(folder, "kinds", "A case");
  report_plot(report, plot_of_all_kinds(), "all");
  ck_assert_int_eq(report_close(report), EXIT_SUCCESS);
  char *svg = whole_file(folder, "kinds-all.svg");
  static const char *const words[] = {"a &lt; b &amp; c", ">limit<", ">push<", ">soft<",
                                      ">one (m/s²)<"};
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    ck_assert_msg(strstr(svg, words[i]) != NULL, "%s is not in the picture", words[i]);
  }
  ck_assert_uint_eq(occurrences(svg, ">ours<"), 1); /* one entry in the legend */
  ck_assert_uint_eq(occurrences(svg, ">theirs<"), 1);
  ck_assert_uint_ge(occurrences(svg, "#1769aa"), 3); /* ours: band, line, bars */
  free(svg);
  char command[64];
  snprintf(command, sizeof(command), "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(columns_line_up_although_units_have_superscripts) {
  struct table *table = table_create("t", "case", "a (m/s²)", "b", NULL);
  table_row(table, "first");
  table_number(table, "%.2f", 1.5);
  table_number(table, "%.0f", (double)NAN);
  table_text(table, "a column too many");
  FILE *file = tmpfile();
  table_print(table, file);
  char *text = contents(file);
  ck_assert_str_eq(text, "\nt\n"
                         "  case   a (m/s²)  b\n"
                         "  -----  --------  -\n"
                         "  first      1.50  -\n");
  free(text);
  table_free(table);
}
END_TEST

START_TEST(a_label_of_a_hundred_and_fifty_characters_is_not_cut) {
  char label[151];
  memset(label, 'a', 150);
  label[149] = 'z';
  label[150] = '\0';
  struct table *table = table_create("t", "case", NULL);
  table_row(table, label);
  FILE *file = tmpfile();
  table_print(table, file);
  char *text = contents(file);
  ck_assert_ptr_nonnull(strstr(text, label));
  free(text);
  table_free(table);
}
END_TEST

START_TEST(a_report_holds_figures_against_limits_and_counts_them_in_the_index) {
  char folder[] = "/tmp/propriod-report-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int i = 0; i < 2; i++) {
    struct report *report = report_open(folder, i == 0 ? "alpha" : "beta", "A case");
    report_text(report, "seed %d", 7);
    report_figure(report, "quiet", 1.25, "m");
    report_at_most(report, "good", 0.2, 0.25, "");
    report_at_most(report, "bad", 0.3, 0.25, "");
    report_at_least(report, "not a number", (double)NAN, 0.0, "kg");
    const double t[2] = {0, 1};
    struct plot *plot = plot_create("p", "t");
    plot_line(plot, "a", t, t, 2);
    report_plot(report, plot, "line");
    ck_assert_int_eq(report_close(report), 0);
  }
  char *json = whole_file(folder, "alpha.json"), *index = whole_file(folder, "index.html");
  ck_assert_ptr_nonnull(strstr(json, "\"missed\": 2"));
  ck_assert_ptr_nonnull(strstr(json, "\"name\": \"not a number\", \"value\": null"));
  ck_assert_ptr_nonnull(strstr(index, "id=\"alpha\""));
  ck_assert_ptr_nonnull(strstr(index, "beta-line.svg"));
  ck_assert_ptr_nonnull(strstr(index, ">alpha</a></td><td>1</td><td class=\"missed\">2</td></tr>"));
  free(json), free(index), free(whole_file(folder, "beta.md"));
  char command[128];
  snprintf(command, sizeof(command), "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(a_plot_that_cannot_be_written_fails_the_report) {
  char folder[] = "/tmp/propriod-report-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(folder));
  struct report *report = report_open(folder, "alpha", "A case");
  report_plot(report, plot_create("empty", "t"), "empty");
  ck_assert_int_eq(report_close(report), 1);
  ck_assert_ptr_null(report_open("/nonexistent/folder", "alpha", "A case"));
  char command[128];
  snprintf(command, sizeof(command), "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

SUITE(a_plot_tells_its_panels_series_and_gaps, a_plot_with_nothing_to_show_says_so,
      bars_stand_on_a_logarithmic_axis,
      every_kind_is_drawn_and_a_name_keeps_its_colour_across_panels,
      columns_line_up_although_units_have_superscripts,
      a_label_of_a_hundred_and_fifty_characters_is_not_cut,
      a_report_holds_figures_against_limits_and_counts_them_in_the_index,
      a_plot_that_cannot_be_written_fails_the_report)
