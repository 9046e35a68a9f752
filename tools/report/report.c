#include "report.h"

#include "escape.h"
#include "report_index.h"

#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPORT_PLOT_SUFFIX ".plot.json"
#define REPORT_DRAW        "tools/report/draw_plots.py"

enum { PATH_SIZE = 512, TEXT_SIZE = 2048, NO_LIBRARY = 77 /* draw_plots.py */ };

struct report {
  char folder[PATH_SIZE], name[PATH_SIZE];
  FILE *markdown, *json, *html; /* html is the body; report_index adds head and tail */
  struct table *limits;         /* what was asked, what was found */
  size_t n_figures, n_missed, n_plots;
  bool failed;
};

static FILE *open_for(const struct report *report, const char *suffix) {
  char path[3 * PATH_SIZE];
  snprintf(path, sizeof(path), "%s/%s%s", report->folder, report->name, suffix);
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
  }
  return file;
}

static void close_if_open(FILE *file) {
  if (file != NULL) {
    fclose(file);
  }
}

static void write_title(struct report *report, const char *title) {
  printf("\n== %s: %s\n", report->name, title);
  fprintf(report->markdown, "# %s\n", title);
  fputs("{\"case\": ", report->json);
  print_json_string(report->json, report->name);
  fputs(", \"title\": ", report->json);
  print_json_string(report->json, title);
  fputs(", \"figures\": [", report->json);
  fprintf(report->html, "<h2 id=\"%s\">", report->name);
  print_escaped_xml(report->html, title);
  fputs("</h2>\n", report->html);
}

struct report *report_open(const char *folder, const char *name, const char *title) {
  struct report *report = calloc(1, sizeof(*report));
  if (report == NULL) {
    return NULL;
  }
  snprintf(report->folder, PATH_SIZE, "%s", folder);
  snprintf(report->name, PATH_SIZE, "%s", name);
  report->markdown = open_for(report, ".md");
  report->json = open_for(report, ".json");
  report->html = open_for(report, REPORT_BODY_SUFFIX);
  report->limits = table_create("What was asked", "figure", "found", "asked", "unit", "", NULL);
  if (report->markdown == NULL || report->json == NULL || report->html == NULL) {
    close_if_open(report->markdown);
    close_if_open(report->json);
    close_if_open(report->html);
    table_free(report->limits);
    free(report);
    return NULL;
  }
  write_title(report, title);
  return report;
}

void report_text(struct report *report, const char *format, ...) {
  if (report == NULL) {
    return;
  }
  char text[TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  printf("\n%s\n", text);
  fprintf(report->markdown, "\n%s\n", text);
  fputs("<p>", report->html);
  print_escaped_xml(report->html, text);
  fputs("</p>\n", report->html);
}

void report_table(struct report *report, struct table *table) {
  if (report != NULL) {
    table_print(table, stdout);
    table_print_markdown(table, report->markdown);
    table_print_html(table, report->html);
  }
  table_free(table);
}

void report_plot(struct report *report, struct plot *plot, const char *name) {
  if (report != NULL) {
    char suffix[PATH_SIZE];
    snprintf(suffix, sizeof(suffix), "-%s" REPORT_PLOT_SUFFIX, name);
    FILE *file = open_for(report, suffix);
    const enum status status = file != NULL ? plot_write(plot, file) : STATUS_REFUSED;
    close_if_open(file);
    report->n_plots += status == STATUS_OK;
    if (status != STATUS_OK) {
      fprintf(stderr, "%s%s: %s\n", report->name, suffix, status_text(status));
      report->failed = true;
    }
    fprintf(report->markdown, "\n![%s](%s-%s.svg)\n", name, report->name, name);
    fprintf(report->html, "<img src=\"%s-%s.svg\" alt=\"%s\">\n", report->name, name, name);
  }
  plot_free(plot);
}

/* Begins a figure's JSON object; the caller closes it. */
static void write_figure(struct report *report, const char *name, double value, const char *unit) {
  fputs(report->n_figures++ > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ", report->json);
  print_json_string(report->json, name);
  fputs(", \"value\": ", report->json);
  print_json_number(report->json, value);
  fputs(", \"unit\": ", report->json);
  print_json_string(report->json, unit);
}

void report_figure(struct report *report, const char *name, double value, const char *unit) {
  if (report != NULL) {
    write_figure(report, name, value, unit);
    fputs("}", report->json);
  }
}

static void hold_against(struct report *report, const char *name, double value, bool met,
                         const char *relation, double limit, const char *unit) {
  char asked[TABLE_CELL_SIZE];
  snprintf(asked, sizeof(asked), "%s %.4g", relation, limit);
  table_row(report->limits, name);
  table_number(report->limits, "%.4g", value);
  table_text(report->limits, asked);
  table_text(report->limits, unit);
  table_text(report->limits, met ? "met" : "MISSED");
  write_figure(report, name, value, unit);
  fprintf(report->json, ", \"asked\": \"%s\", \"limit\": ", relation);
  print_json_number(report->json, limit);
  fprintf(report->json, ", \"met\": %s}", met ? "true" : "false");
  report->n_missed += !met;
}

void report_at_most(struct report *report, const char *name, double value, double limit,
                    const char *unit) {
  if (report != NULL) {
    hold_against(report, name, value, value <= limit, "<=", limit, unit);
  }
}

void report_at_least(struct report *report, const char *name, double value, double limit,
                     const char *unit) {
  if (report != NULL) {
    hold_against(report, name, value, value >= limit, ">=", limit, unit);
  }
}

/* Has the pictures of this case drawn. False: they were not, and why stands on standard error; a
 * machine without the library has reports without pictures. */
static bool draw_plots(const struct report *report) {
  char pattern[3 * PATH_SIZE];
  /* Debian's own, which has the packages */
  snprintf(pattern, sizeof(pattern), "%s/%s-*" REPORT_PLOT_SUFFIX, report->folder, report->name);
  char *const argv[] = {"/usr/bin/python3", REPORT_DRAW, pattern, NULL};
  pid_t child;
  int status = 1;
  return posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) == 0 &&
         waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_LIBRARY);
}

/* True when everything reached the disk. */
static bool close_written(FILE *file) {
  const bool good = !ferror(file);
  return fclose(file) == 0 && good;
}

int report_close(struct report *report) {
  if (report == NULL) {
    return EXIT_FAILURE;
  }
  if (table_rows(report->limits) > 0) {
    report_table(report, report->limits);
  } else {
    table_free(report->limits);
  }
  fprintf(report->json, "\n], \"missed\": %zu}\n", report->n_missed);
  bool good = !report->failed;
  good = close_written(report->markdown) && good;
  good = close_written(report->json) && good;
  good = close_written(report->html) && good;
  good = (report->n_plots == 0 || draw_plots(report)) && good;
  good = report_index_write(report->folder) && good;
  free(report);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
