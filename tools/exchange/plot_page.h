/* A page of HTML with panels of curves over time, each an SVG of its own: bands, lines, dots,
 * events, and the status below. Nothing is loaded from anywhere. */
#ifndef PLOT_PAGE_H
#define PLOT_PAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_BINS = 1000, PLOT_MOST_EVENTS = 500 };

/* What a quantity did in each slice of time: least and greatest; NaN where nothing is known. */
struct plot_bins {
  float low[PLOT_BINS], high[PLOT_BINS];
};

struct plot_event {
  double t_s;
  int severity; /* enum event_severity */
  char text[160];
};

/* What all panels share. */
struct plot_time {
  double span_s;                  /* from 0 to it, in PLOT_BINS slices */
  const struct plot_bins *status; /* enum propriod_status, or NULL */
  const struct plot_event *event; /* [n_events] */
  size_t n_events;
};

/* One panel: `deviation` and `measured` may be NULL. */
struct plot_panel {
  const char *title, *unit;
  const struct plot_bins *estimated, *deviation, *measured;
};

/* [start] */
void plot_page_begin(FILE *out, const char *title, const char *subtitle);
void plot_page_panel(FILE *out, const struct plot_panel *panel, const struct plot_time *time);
void plot_page_end(FILE *out, const struct plot_time *time);

/* No value in any slice. [start] */
void plot_bins_clear(struct plot_bins *bins);

/* Adds the least and the greatest of some values to their slice; low > high: there is none.
 * [start] */
void plot_bins_add(struct plot_bins *bins, size_t slice, float low, float high);

#endif
