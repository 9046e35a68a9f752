/* What one case of `make evaluate` found: text, tables, plots, and figures held against what was
 * asked.
 *
 *   struct report *report = report_open("build/evaluate", "chain9", "Nine joints, 312 cells");
 *   report_text(report, "10 s per class, seed %lu.", seed);
 *   report_table(report, table);                      // takes the table over
 *   report_plot(report, plot, "elbow");               // takes the plot over: chain9-elbow.svg
 *   report_at_most(report, "ddq error, fast, relative to KF3", ratio, 0.25, "");
 *   return report_close(report);
 *
 * Text and tables go to standard output as they come. Closing shows the limits met and missed,
 * finishes CASE.md and CASE.json, and puts index.html together anew from all cases in the folder.
 * All functions: [start]. */
#ifndef REPORT_H
#define REPORT_H

#include "plot.h"
#include "table.h"

#include <stdbool.h>

struct report;

/* `name` is a file name without extension. NULL when the folder cannot be written (said on standard
 * error); every function below accepts that. */
struct report *report_open(const char *folder, const char *name, const char *title);

/* A paragraph. */
__attribute__((format(printf, 2, 3))) void report_text(struct report *report, const char *format,
                                                       ...);
/* Adds the table and frees it. */
void report_table(struct report *report, struct table *table);
/* Writes the plot to CASE-`name`.plot.json and frees it. Closing draws CASE-`name`.svg from it,
 * when the program runs in the project's folder; without python3-matplotlib there is no picture,
 * and a word on standard error. */
void report_plot(struct report *report, struct plot *plot, const char *name);

/* A figure in `unit` ("" for a ratio), for CASE.json; the last two are held against a limit, and
 * missing it is counted and shown. NaN misses every limit. */
void report_figure(struct report *report, const char *name, double value, const char *unit);
void report_at_most(struct report *report, const char *name, double value, double limit,
                    const char *unit);
void report_at_least(struct report *report, const char *name, double value, double limit,
                     const char *unit);

/* Finishes the files and frees the report. Returns the program's exit code: 0 when all was written,
 * 1 otherwise. A missed limit is a finding, not a failure of the program. */
int report_close(struct report *report);

#endif
