/* Line and bar plots, told as JSON for draw_plots.py: one or more panels above one another, over
 * one x axis.
 *
 *   struct plot *plot = plot_create("Elbow acceleration", "time (s)");
 *   plot_panel(plot, "acceleration (rad/s²)");
 *   plot_band(plot, "skin UKF, 3 sigma", t, low, high, n);
 *   plot_line(plot, "truth", t, truth, n);
 *   plot_line(plot, "skin UKF", t, estimate, n);
 *   plot_panel(plot, "error (rad/s²)");
 *   plot_line(plot, "skin UKF", t, error, n);
 *   report_plot(report, plot, "elbow");
 *
 * Data are copied. Labels carry their unit in parentheses. A name that comes again, in this panel
 * or another, keeps its colour and has one entry in the legend; the name `truth` is always dark.
 * NaN leaves a gap. All functions: [start]; without a plot (no memory) they do nothing and writing
 * says so. */
#ifndef PLOT_H
#define PLOT_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct plot;

/* NULL when there is no memory; every function below accepts that. */
struct plot *plot_create(const char *title, const char *x_label);
void plot_free(struct plot *plot);

/* Begins a panel below the last one. What follows goes into it. */
void plot_panel(struct plot *plot, const char *y_label);
/* Fixes the panel's y range; without it the data decide. */
void plot_y_range(struct plot *plot, double low, double high);
/* A logarithmic y axis for this panel; values that are not positive are left out. */
void plot_log_y(struct plot *plot);

/* A line through n points (x ascending). */
void plot_line(struct plot *plot, const char *name, const double *x, const double *y, size_t n);
/* Dots, not joined. */
void plot_points(struct plot *plot, const char *name, const double *x, const double *y, size_t n);
/* A translucent band between low[i] and high[i]. */
void plot_band(struct plot *plot, const char *name, const double *x, const double *low,
               const double *high, size_t n);
/* A dashed horizontal line with a label at its end: a limit, a target. */
void plot_level(struct plot *plot, const char *label, double y);
/* A dashed vertical line through the panel with a label at its top: an event. */
void plot_mark(struct plot *plot, const char *label, double x);
/* One bar per category for this name; several names stand side by side. The panel's first call sets
 * the categories, later ones give values in the same order. Values are printed above the bars. */
void plot_bars(struct plot *plot, const char *name, const char *const category[],
               const double *value, size_t n);

/* Writes the plot as JSON. STATUS_NO_MEMORY; STATUS_TOO_FEW: nothing finite to show;
 * STATUS_REFUSED: writing failed. */
enum status plot_write(const struct plot *plot, FILE *file);

#endif
