/* What a plot holds, between plot.c that collects it and plot_draw.c that draws it. */
#ifndef PLOT_DATA_H
#define PLOT_DATA_H

#include "plot.h"

#define PLOT_TEXT_SIZE 96

enum series_kind {
  SERIES_LINE,
  SERIES_POINTS,
  SERIES_BAND,
  SERIES_BARS,
  SERIES_LEVEL,
  SERIES_MARK
};

struct series {
  enum series_kind kind;
  int name; /* index into plot.name; -1 for levels and marks */
  size_t colour;
  char label[PLOT_TEXT_SIZE]; /* of levels and marks */
  size_t n;
  double *x, *y, *y_high; /* [n]; y is the lower edge of a band */
};

struct panel {
  char y_label[PLOT_TEXT_SIZE];
  bool log, fixed;
  double low, high; /* when fixed */
  size_t n_series;
  struct series series[PLOT_MAX_SERIES];
  size_t n_categories;
  char category[PLOT_MAX_CATEGORIES][PLOT_TEXT_SIZE];
};

struct plot {
  char title[PLOT_TEXT_SIZE], x_label[PLOT_TEXT_SIZE];
  size_t n_panels;
  struct panel panel[PLOT_MAX_PANELS];
  size_t n_names;
  char name[PLOT_MAX_NAMES][PLOT_TEXT_SIZE];
  size_t colour[PLOT_MAX_NAMES]; /* 0 is kept for the truth */
  size_t n_colours;
  enum status status; /* the first failure */
};

#endif
