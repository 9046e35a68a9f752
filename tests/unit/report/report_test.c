#include "plot_axis.h"
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

static char *drawn(struct plot *plot, enum status expected) {
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

START_TEST(a_long_series_is_thinned_and_keeps_its_one_spike) {
  enum { N = 200000 };
  double *t = malloc(N * sizeof(*t)), *y = malloc(N * sizeof(*y));
  for (int i = 0; i < N; i++) {
    t[i] = 1e-3 * i;
    y[i] = sin(0.1 * t[i]);
  }
  y[123456] = 50.0;
  struct plot *plot = plot_create("spike", "time (s)");
  plot_panel(plot, "y (m)");
  plot_y_range(plot, 0.0, 50.0);
  plot_line(plot, "signal", t, y, N);
  char *svg = drawn(plot, STATUS_OK);
  ck_assert_uint_lt(strlen(svg), 100000);
  /* the top of the only panel is where the value 50 lies, and the line gets there */
  const char *clip = strstr(svg, "<clipPath");
  double top;
  ck_assert_int_eq(sscanf(strstr(clip, " y=\""), " y=\"%lf\"", &top), 1);
  char place[32];
  snprintf(place, sizeof(place), " %.1f", top + 1.0);
  ck_assert_ptr_nonnull(strstr(strstr(svg, "stroke-linejoin"), place));
  free(svg), free(t), free(y);
}
END_TEST

START_TEST(the_truth_is_drawn_over_what_agrees_with_it_and_nothing_leaves_its_panel) {
  const double t[] = {0.0, 1.0, 2.0}, y[] = {0.0, 100.0, 0.0};
  struct plot *plot = plot_create("agreement", "time (s)");
  plot_panel(plot, "y (m)");
  plot_y_range(plot, 0.0, 1.0);
  plot_line(plot, "truth", t, y, 3);
  plot_line(plot, "ours", t, y, 3);
  char *svg = drawn(plot, STATUS_OK);
  const char *lines = strstr(svg, "<g clip-path"), *ours = strstr(lines, "stroke-linejoin");
  const char *truth = strstr(lines, "stroke-dasharray");
  ck_assert_ptr_nonnull(truth);
  ck_assert(ours < truth); /* what comes later is drawn on top */
  double clip, panel;
  ck_assert_int_eq(sscanf(strstr(strstr(svg, "<clipPath"), " y=\""), " y=\"%lf\"", &clip), 1);
  ck_assert_int_eq(sscanf(strstr(strstr(svg, "</g>"), "M84.0 "), "M84.0 %lf", &panel), 1);
  ck_assert_double_ge(clip, panel - 2.0); /* pixels */
  free(svg);
}
END_TEST

START_TEST(nan_leaves_a_gap_and_not_a_number_never_reaches_the_page) {
  const double t[5] = {0, 1, 2, 3, 4}, y[5] = {1, 2, (double)NAN, 2, 1};
  struct plot *plot = plot_create("gap", "t (s)");
  plot_panel(plot, "y");
  plot_line(plot, "a", t, y, 5);
  plot_band(plot, "a", t, y, y, 5);
  char *svg = drawn(plot, STATUS_OK);
  ck_assert_ptr_null(strstr(svg, "nan"));
  ck_assert_uint_eq(occurrences(svg, "<polygon"), 2);
  const char *line = strstr(svg, "stroke-linejoin");
  *strchr(line, '>') = '\0';
  ck_assert_uint_eq(occurrences(strstr(line, " d="), "M"), 2);
  free(svg);
}
END_TEST

START_TEST(names_are_escaped_and_keep_their_colour_across_panels) {
  const double t[2] = {0, 1}, y[2] = {0, 1};
  struct plot *plot = plot_create("a < b & \"c\"", "t");
  plot_panel(plot, "one");
  plot_line(plot, "x<y", t, y, 2);
  plot_panel(plot, "two");
  plot_line(plot, "other", t, y, 2);
  plot_line(plot, "x<y", t, y, 2);
  char *svg = drawn(plot, STATUS_OK);
  ck_assert_ptr_nonnull(strstr(svg, "a &lt; b &amp; &quot;c&quot;"));
  ck_assert_uint_eq(occurrences(svg, ">x&lt;y<"), 1); /* one entry in the legend */
  ck_assert_uint_eq(occurrences(svg, "stroke=\"#1769aa\""), 2);
  free(svg);
}
END_TEST

START_TEST(a_plot_with_too_many_series_says_so_and_one_with_nothing_to_show_too) {
  const double t[1] = {0}, y[1] = {(double)NAN};
  struct plot *plot = plot_create("many", "t");
  for (int i = 0; i < PLOT_MAX_SERIES + 1; i++) {
    plot_line(plot, "same", t, t, 1);
  }
  free(drawn(plot, STATUS_OUT_OF_RANGE));
  plot = plot_create("nothing", "t");
  plot_line(plot, "a", t, y, 1);
  free(drawn(plot, STATUS_TOO_FEW));
}
END_TEST

START_TEST(ticks_are_round_evenly_spaced_and_inside_the_axis) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < 1000; trial++) {
    const double low = random_normal(&random) * pow(10.0, random_uniform(&random, -6.0, 6.0));
    const double high = low + pow(10.0, random_uniform(&random, -4.0, 6.0));
    const struct plot_axis axis = axis_over(low, high, 5, false);
    double tick[AXIS_MAX_TICKS];
    int decimals;
    const size_t n = axis_ticks(&axis, 5, tick, &decimals);
    ck_assert(axis.low <= low + 1e-5 * (high - low) && axis.high >= high - 1e-5 * (high - low));
    ck_assert(n >= 3 && n <= 12);
    const double step = tick[1] - tick[0];
    const double digit = step / pow(10.0, floor(log10(step * 1.0001)));
    ck_assert(fabs(digit - 1) < 1e-3 || fabs(digit - 2) < 1e-3 || fabs(digit - 5) < 1e-3);
    for (size_t i = 0; i < n; i++) {
      ck_assert(tick[i] >= axis.low - 1e-5 * step && tick[i] <= axis.high + 1e-5 * step);
    }
  }
}
END_TEST

START_TEST(a_logarithmic_axis_has_decades_and_leaves_out_what_is_not_positive) {
  const struct plot_axis axis = axis_over(0.02, 300.0, 5, true);
  double tick[AXIS_MAX_TICKS];
  int decimals;
  ck_assert_uint_eq(axis_ticks(&axis, 5, tick, &decimals), 6); /* 0.01 to 1000 */
  assert_near(tick[0], 0.01, 1e-12);
  const double t[3] = {0, 1, 2}, y[3] = {1.0, -1.0, 100.0};
  struct plot *plot = plot_create("log", "t");
  plot_panel(plot, "y");
  plot_log_y(plot);
  plot_points(plot, "a", t, y, 3);
  char *svg = drawn(plot, STATUS_OK);
  ck_assert_uint_eq(occurrences(svg, "<circle"), 2);
  free(svg);
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

START_TEST(a_report_holds_figures_against_limits_and_lists_every_case_in_the_index) {
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

SUITE(a_long_series_is_thinned_and_keeps_its_one_spike,
      the_truth_is_drawn_over_what_agrees_with_it_and_nothing_leaves_its_panel,
      nan_leaves_a_gap_and_not_a_number_never_reaches_the_page,
      names_are_escaped_and_keep_their_colour_across_panels,
      a_plot_with_too_many_series_says_so_and_one_with_nothing_to_show_too,
      ticks_are_round_evenly_spaced_and_inside_the_axis,
      a_logarithmic_axis_has_decades_and_leaves_out_what_is_not_positive,
      columns_line_up_although_units_have_superscripts,
      a_report_holds_figures_against_limits_and_lists_every_case_in_the_index,
      a_plot_that_cannot_be_written_fails_the_report)
