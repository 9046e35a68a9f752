#include "plot.h"

#include "plot_data.h"

#include <stdlib.h>
#include <string.h>

static void copy_text(char out[PLOT_TEXT_SIZE], const char *text) {
  snprintf(out, PLOT_TEXT_SIZE, "%s", text);
}

static bool is_usable(const struct plot *plot) {
  return plot != NULL && plot->status == STATUS_OK;
}

struct plot *plot_create(const char *title, const char *x_label) {
  struct plot *plot = calloc(1, sizeof(*plot));
  if (plot != NULL) {
    copy_text(plot->title, title);
    copy_text(plot->x_label, x_label);
  }
  return plot;
}

void plot_free(struct plot *plot) {
  for (size_t p = 0; plot != NULL && p < plot->n_panels; p++) {
    for (size_t s = 0; s < plot->panel[p].n_series; s++) {
      free(plot->panel[p].series[s].x);
      free(plot->panel[p].series[s].y);
      free(plot->panel[p].series[s].y_high);
    }
  }
  free(plot);
}

void plot_panel(struct plot *plot, const char *y_label) {
  if (!is_usable(plot)) {
    return;
  }
  if (plot->n_panels == PLOT_MAX_PANELS) {
    plot->status = STATUS_OUT_OF_RANGE;
    return;
  }
  copy_text(plot->panel[plot->n_panels++].y_label, y_label);
}

/* The panel that is being filled; a plot without one gets one. */
static struct panel *current(struct plot *plot) {
  if (plot->n_panels == 0) {
    plot_panel(plot, "");
  }
  return &plot->panel[plot->n_panels - 1];
}

void plot_y_range(struct plot *plot, double low, double high) {
  if (is_usable(plot)) {
    struct panel *panel = current(plot);
    panel->fixed = true;
    panel->low = low;
    panel->high = high;
  }
}

void plot_log_y(struct plot *plot) {
  if (is_usable(plot)) {
    current(plot)->log = true;
  }
}

static int name_index(struct plot *plot, const char *name) {
  for (size_t i = 0; i < plot->n_names; i++) {
    if (strncmp(plot->name[i], name, PLOT_TEXT_SIZE - 1) == 0) {
      return (int)i;
    }
  }
  if (plot->n_names == PLOT_MAX_NAMES) {
    plot->status = STATUS_OUT_OF_RANGE;
    return 0;
  }
  copy_text(plot->name[plot->n_names], name);
  plot->colour[plot->n_names] = strcmp(name, "truth") == 0 ? 0 : ++plot->n_colours;
  return (int)plot->n_names++;
}

static double *copy_numbers(struct plot *plot, const double *from, size_t n) {
  if (from == NULL || n == 0) {
    return NULL;
  }
  double *copy = malloc(n * sizeof(*copy));
  if (copy == NULL) {
    plot->status = STATUS_NO_MEMORY;
    return NULL;
  }
  return memcpy(copy, from, n * sizeof(*copy));
}

static struct series *add_series(struct plot *plot, enum series_kind kind) {
  struct panel *panel = current(plot);
  if (panel->n_series == PLOT_MAX_SERIES) {
    plot->status = STATUS_OUT_OF_RANGE;
    return NULL;
  }
  struct series *series = &panel->series[panel->n_series++];
  series->kind = kind;
  series->name = -1;
  return series;
}

static void add_data(struct plot *plot, enum series_kind kind, const char *name, const double *x,
                     const double *y, const double *y_high, size_t n) {
  if (!is_usable(plot)) {
    return;
  }
  struct series *series = add_series(plot, kind);
  if (series == NULL) {
    return;
  }
  series->name = name_index(plot, name);
  series->colour = plot->colour[series->name];
  series->n = n;
  series->x = copy_numbers(plot, x, n);
  series->y = copy_numbers(plot, y, n);
  series->y_high = copy_numbers(plot, y_high, n);
}

void plot_line(struct plot *plot, const char *name, const double *x, const double *y, size_t n) {
  add_data(plot, SERIES_LINE, name, x, y, NULL, n);
}

void plot_points(struct plot *plot, const char *name, const double *x, const double *y, size_t n) {
  add_data(plot, SERIES_POINTS, name, x, y, NULL, n);
}

void plot_band(struct plot *plot, const char *name, const double *x, const double *low,
               const double *high, size_t n) {
  add_data(plot, SERIES_BAND, name, x, low, high, n);
}

void plot_bars(struct plot *plot, const char *name, const char *const category[],
               const double *value, size_t n) {
  if (!is_usable(plot)) {
    return;
  }
  struct panel *panel = current(plot);
  if (panel->n_categories == 0) {
    for (size_t i = 0; i < n && i < PLOT_MAX_CATEGORIES; i++) {
      copy_text(panel->category[i], category[i]);
    }
    panel->n_categories = n;
  }
  if (n > PLOT_MAX_CATEGORIES || n != panel->n_categories) {
    plot->status = STATUS_OUT_OF_RANGE;
    return;
  }
  add_data(plot, SERIES_BARS, name, NULL, value, NULL, n);
}

static void add_line_across(struct plot *plot, enum series_kind kind, const char *label,
                            double at) {
  if (!is_usable(plot)) {
    return;
  }
  struct series *series = add_series(plot, kind);
  if (series != NULL) {
    copy_text(series->label, label);
    series->n = 1;
    double **values = kind == SERIES_LEVEL ? &series->y : &series->x;
    *values = copy_numbers(plot, &at, 1);
  }
}

void plot_level(struct plot *plot, const char *label, double y) {
  add_line_across(plot, SERIES_LEVEL, label, y);
}

void plot_mark(struct plot *plot, const char *label, double x) {
  add_line_across(plot, SERIES_MARK, label, x);
}
