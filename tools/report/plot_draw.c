/* Draws a plot as SVG. */
#include "escape.h"
#include "plot_axis.h"
#include "plot_data.h"

#include <math.h>
#include <string.h>

enum {
  WIDTH = 920, /* of the page, pixels */
  LEFT = 84,   /* room for tick labels and the y label */
  RIGHT = 24,
  TITLE = 34, /* height of the title */
  LEGEND_ROW = 20,
  PANEL = 230,         /* height of the only panel ... */
  PANEL_STACKED = 170, /* ... and of each of several */
  GAP = 22,            /* between panels */
  FOOT = 50,           /* tick labels and x label */
  X_TICKS = 10,
  Y_TICKS = 5,
  LAYERS = 4,      /* drawn one after the other */
  LABEL_ROOM = 14, /* height of a label of a line across */
  ABOVE_BARS = 14, /* room for the values of bars as high as the panel */
  CHARACTER = 7    /* width of a character at the labels' size, to place the legend */
};

static const char INK[] = "#1f2933", SOFT[] = "#52606d", GRID[] = "#e4e7eb", LIMIT[] = "#b42318";

/* The first is the truth's. Distinct in lightness as well as in hue, for those who do not see all
 * hues. */
static const char *const COLOUR[PLOT_MAX_NAMES + 1] = {
    "#1f2933", "#1769aa", "#d9640b", "#2e8540", "#8b3fa8", "#c2185b",
    "#00838f", "#8d6e00", "#5c6bc0", "#a1440e", "#558b2f", "#ad1457",
    "#0277bd", "#6d4c41", "#00695c", "#7b1fa2", "#33691e"};

struct extent {
  double low, high;
};

static void include(struct extent *extent, double value, bool log) {
  if (isfinite(value) && (!log || value > 0.0)) {
    extent->low = fmin(extent->low, value);
    extent->high = fmax(extent->high, value);
  }
}

static struct extent x_extent(const struct plot *plot) {
  struct extent extent = {HUGE_VAL, -HUGE_VAL};
  for (size_t p = 0; p < plot->n_panels; p++) {
    for (size_t s = 0; s < plot->panel[p].n_series; s++) {
      const struct series *series = &plot->panel[p].series[s];
      for (size_t i = 0; series->x != NULL && i < series->n; i++) {
        include(&extent, series->x[i], false);
      }
    }
  }
  return extent;
}

static struct extent y_extent(const struct panel *panel) {
  struct extent extent = {HUGE_VAL, -HUGE_VAL};
  for (size_t s = 0; s < panel->n_series; s++) {
    const struct series *series = &panel->series[s];
    for (size_t i = 0; series->y != NULL && i < series->n; i++) {
      include(&extent, series->y[i], panel->log);
      if (series->y_high != NULL) {
        include(&extent, series->y_high[i], panel->log);
      }
    }
    if (series->kind == SERIES_BARS && !panel->log) {
      include(&extent, 0.0, false);
    }
  }
  return extent;
}

static void text(FILE *file, double x, double y, const char *style, const char *words) {
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  print_escaped_xml(file, words);
  fputs("</text>\n", file);
}

/* -- legend ----------------------------------------------------------------------------------- */

static bool is_line(const struct plot *plot, size_t name) {
  for (size_t p = 0; p < plot->n_panels; p++) {
    for (size_t s = 0; s < plot->panel[p].n_series; s++) {
      const struct series *series = &plot->panel[p].series[s];
      if (series->name == (int)name && series->kind == SERIES_LINE) {
        return true;
      }
    }
  }
  return false;
}

/* Draws the legend at height y (or only measures it, file NULL) and returns its number of rows. */
static int legend(const struct plot *plot, double y, FILE *file) {
  double x = LEFT;
  int rows = 1;
  for (size_t i = 0; i < plot->n_names; i++) {
    const double width = 34.0 + CHARACTER * (double)strlen(plot->name[i]) + 16.0;
    if (x > LEFT && x + width > WIDTH - RIGHT) {
      x = LEFT;
      rows++;
    }
    if (file != NULL) {
      const double middle = y + LEGEND_ROW * (rows - 1);
      fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"24\" height=\"%d\" fill=\"%s\"/>\n", x,
              middle - (is_line(plot, i) ? 1.5 : 5.0), is_line(plot, i) ? 3 : 10,
              COLOUR[plot->colour[i]]);
      text(file, x + 31.0, middle + 4.5, "class=\"label\"", plot->name[i]);
    }
    x += width;
  }
  return plot->n_names == 0 ? 0 : rows;
}

/* -- frame of a panel ------------------------------------------------------------------------- */

static void y_grid(FILE *file, const struct plot_axis *x, const struct plot_axis *y) {
  double tick[AXIS_MAX_TICKS];
  int decimals;
  const size_t n = axis_ticks(y, Y_TICKS, tick, &decimals);
  for (size_t i = 0; i < n; i++) {
    char label[32];
    axis_label(y, tick[i], decimals, label, sizeof(label));
    const double place = axis_place(y, tick[i]);
    fprintf(file, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\"/>\n", x->start, place, x->stop, GRID);
    text(file, x->start - 8.0, place + 4.5, "class=\"label\" text-anchor=\"end\"", label);
  }
}

static void x_grid(FILE *file, const struct plot_axis *x, const struct plot_axis *y, bool labels) {
  double tick[AXIS_MAX_TICKS];
  int decimals;
  const size_t n = axis_ticks(x, X_TICKS, tick, &decimals);
  for (size_t i = 0; i < n; i++) {
    char label[32];
    axis_label(x, tick[i], decimals, label, sizeof(label));
    const double place = axis_place(x, tick[i]);
    fprintf(file, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", place, y->start, y->stop, GRID);
    if (labels) {
      text(file, place, y->start + 18.0, "class=\"label\" text-anchor=\"middle\"", label);
    }
  }
}

static void category_labels(FILE *file, const struct panel *panel, const struct plot_axis *x,
                            const struct plot_axis *y) {
  const double width = (x->stop - x->start) / (double)panel->n_categories;
  for (size_t i = 0; i < panel->n_categories; i++) {
    text(file, x->start + ((double)i + 0.5) * width, y->start + 18.0,
         "class=\"label\" text-anchor=\"middle\"", panel->category[i]);
  }
}

static void y_label(FILE *file, const struct plot_axis *y, const char *label) {
  const double middle = 0.5 * (y->start + y->stop);
  fprintf(file,
          "<text transform=\"translate(26 %.1f) rotate(-90)\" class=\"label\" "
          "text-anchor=\"middle\">",
          middle);
  print_escaped_xml(file, label);
  fputs("</text>\n", file);
}

/* -- series ----------------------------------------------------------------------------------- */

static bool is_shown(const struct plot_axis *y, double x, double value) {
  return isfinite(x) && isfinite(value) && (!y->log || value > 0.0);
}

/* The last index of the run from `first` on that falls into the same column of one pixel. */
static size_t column_end(const struct plot_axis *x, const double *values, size_t first, size_t n) {
  const double column = floor(axis_place(x, values[first]));
  size_t last = first;
  while (last + 1 < n && floor(axis_place(x, values[last + 1])) == column) {
    last++;
  }
  return last;
}

static void line_to(FILE *file, const struct plot_axis *x, const struct plot_axis *y,
                    const struct series *series, size_t i, bool *drawing) {
  if (!is_shown(y, series->x[i], series->y[i])) {
    *drawing = false;
    return;
  }
  fprintf(file, "%c%.1f %.1f", *drawing ? 'L' : 'M', axis_place(x, series->x[i]),
          axis_place(y, series->y[i]));
  *drawing = true;
}

/* A column with many samples is drawn by its first, lowest, highest and last. */
static void column(FILE *file, const struct plot_axis *x, const struct plot_axis *y,
                   const struct series *series, size_t first, size_t last, bool *drawing) {
  size_t lowest = first, highest = first;
  for (size_t i = first; i <= last; i++) {
    lowest = series->y[i] < series->y[lowest] ? i : lowest;
    highest = series->y[i] > series->y[highest] ? i : highest;
  }
  const size_t early = lowest < highest ? lowest : highest;
  const size_t late = lowest < highest ? highest : lowest;
  const size_t chosen[4] = {first, early, late, last};
  for (int k = 0; k < 4; k++) {
    if (k == 0 || chosen[k] != chosen[k - 1]) {
      line_to(file, x, y, series, chosen[k], drawing);
    }
  }
}

/* The line of the truth: dashed over the others, so that it is seen where they agree with it. */
static bool is_truth(const struct series *series) {
  return series->kind == SERIES_LINE && series->colour == 0;
}

static void draw_line(FILE *file, const struct plot_axis *x, const struct plot_axis *y,
                      const struct series *series) {
  bool drawing = false;
  fprintf(file,
          "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" stroke-linejoin=\"round\"%s d=\"",
          COLOUR[series->colour], is_truth(series) ? " stroke-dasharray=\"7 4\"" : "");
  for (size_t i = 0; i < series->n;) {
    const size_t last = isfinite(series->x[i]) ? column_end(x, series->x, i, series->n) : i;
    column(file, x, y, series, i, last, &drawing);
    i = last + 1;
  }
  fputs("\"/>\n", file);
}

static void draw_points(FILE *file, const struct plot_axis *x, const struct plot_axis *y,
                        const struct series *series) {
  for (size_t i = 0; i < series->n; i++) {
    if (is_shown(y, series->x[i], series->y[i])) {
      fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n",
              axis_place(x, series->x[i]), axis_place(y, series->y[i]), COLOUR[series->colour]);
    }
  }
}

static bool is_banded(const struct plot_axis *y, const struct series *series, size_t i) {
  return is_shown(y, series->x[i], series->y[i]) && is_shown(y, series->x[i], series->y_high[i]);
}

/* Along the upper edge and back along the lower, every `step`-th point of [first, end). */
static void band_polygon(FILE *file, const struct plot_axis *x, const struct plot_axis *y,
                         const struct series *series, size_t first, size_t end) {
  const size_t step = 1 + (end - first) / (2 * (size_t)WIDTH); /* finer than pixels is not seen */
  const size_t n = (end - first + step - 1) / step;
  fprintf(file, "<polygon fill=\"%s\" fill-opacity=\"0.16\" points=\"", COLOUR[series->colour]);
  for (size_t k = 0; k < 2 * n; k++) {
    const bool upper = k < n;
    const size_t i = first + step * (upper ? k : 2 * n - 1 - k);
    fprintf(file, "%.1f,%.1f ", axis_place(x, series->x[i]),
            axis_place(y, upper ? series->y_high[i] : series->y[i]));
  }
  fputs("\"/>\n", file);
}

/* One polygon per run without gaps. */
static void draw_band(FILE *file, const struct plot_axis *x, const struct plot_axis *y,
                      const struct series *series) {
  for (size_t first = 0; first < series->n;) {
    size_t end = first;
    while (end < series->n && is_banded(y, series, end)) {
      end++;
    }
    if (end > first) {
      band_polygon(file, x, y, series, first, end);
    }
    first = end + 1;
  }
}

static size_t bars_before(const struct panel *panel, const struct series *series) {
  size_t count = 0;
  for (const struct series *s = panel->series; s < series; s++) {
    count += s->kind == SERIES_BARS;
  }
  return count;
}

static void draw_bars(FILE *file, const struct panel *panel, const struct plot_axis *x,
                      const struct plot_axis *y, const struct series *series) {
  const size_t side_by_side = bars_before(panel, panel->series + panel->n_series);
  const double group = (x->stop - x->start) / (double)panel->n_categories;
  const double width = fmin(46.0, 0.78 * group / (double)side_by_side);
  const double offset = width * ((double)bars_before(panel, series) - 0.5 * (double)side_by_side);
  const double floor_place = axis_place(y, y->log ? y->low : fmax(y->low, fmin(y->high, 0.0)));
  for (size_t i = 0; i < series->n; i++) {
    if (!is_shown(y, 0.0, series->y[i])) {
      continue;
    }
    const double left = x->start + ((double)i + 0.5) * group + offset;
    const double top = axis_place(y, series->y[i]);
    fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
            left + 1.0, fmin(top, floor_place), width - 2.0, fabs(floor_place - top),
            COLOUR[series->colour]);
    char label[32];
    snprintf(label, sizeof(label), "%.3g", series->y[i]);
    text(file, left + 0.5 * width, top + (series->y[i] < 0.0 ? 13.0 : -4.0),
         "class=\"small\" text-anchor=\"middle\"", label);
  }
}

static void draw_level(FILE *file, const struct plot_axis *x, const struct plot_axis *y,
                       const struct series *series) {
  const double place = axis_place(y, series->y[0]);
  const bool at_top = place - y->stop < LABEL_ROOM; /* then the label hangs below the line */
  fprintf(file, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-dasharray=\"6 4\"/>\n", x->start,
          place, x->stop, LIMIT);
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" class=\"small halo\" text-anchor=\"end\" fill=\"%s\">",
          x->stop - 4.0, place + (at_top ? 12.0 : -4.0), LIMIT);
  print_escaped_xml(file, series->label);
  fputs("</text>\n", file);
}

static void draw_mark(FILE *file, const struct plot_axis *x, const struct plot_axis *y,
                      const struct series *series) {
  const double place = axis_place(x, series->x[0]);
  fprintf(file, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-dasharray=\"4 4\"/>\n", place,
          y->start, y->stop, SOFT);
  text(file, place + 4.0, y->stop + 12.0, "class=\"small halo\"", series->label);
}

static void draw_series(FILE *file, const struct panel *panel, const struct plot_axis *x,
                        const struct plot_axis *y, const struct series *series) {
  switch (series->kind) {
  case SERIES_LINE:
    draw_line(file, x, y, series);
    break;
  case SERIES_POINTS:
    draw_points(file, x, y, series);
    break;
  case SERIES_BAND:
    draw_band(file, x, y, series);
    break;
  case SERIES_BARS:
    draw_bars(file, panel, x, y, series);
    break;
  case SERIES_LEVEL:
    draw_level(file, x, y, series);
    break;
  case SERIES_MARK:
    draw_mark(file, x, y, series);
    break;
  }
}

/* Bands first, then data, the truth, and lines across: nothing important is covered. */
static int layer(const struct series *series) {
  const enum series_kind kind = series->kind;
  return kind == SERIES_BAND                           ? 0
         : kind == SERIES_LEVEL || kind == SERIES_MARK ? 3
         : is_truth(series)                            ? 2
                                                       : 1;
}

static void draw_panel(FILE *file, const struct plot *plot, size_t index, const struct plot_axis *x,
                       double top, double height) {
  const struct panel *panel = &plot->panel[index];
  const struct extent extent =
      panel->fixed ? (struct extent){panel->low, panel->high} : y_extent(panel);
  struct plot_axis y = isfinite(extent.low) && isfinite(extent.high)
                           ? axis_over(extent.low, extent.high, Y_TICKS, panel->log)
                           : axis_over(1.0, 10.0, Y_TICKS, panel->log);
  if (panel->fixed) {
    y.low = panel->low;
    y.high = panel->high;
  }
  y.start = top + height;
  y.stop = top;
  y_grid(file, x, &y);
  if (panel->n_categories > 0) {
    category_labels(file, panel, x, &y);
  } else {
    x_grid(file, x, &y, index + 1 == plot->n_panels);
  }
  y_label(file, &y, panel->y_label);
  const double room = panel->n_categories > 0 ? ABOVE_BARS : 1.0;
  fprintf(file,
          "<clipPath id=\"panel%zu\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
          "height=\"%.1f\"/></clipPath>\n<g clip-path=\"url(#panel%zu)\">\n",
          index, x->start, top - room, x->stop - x->start, height + room, index);
  for (int step = 0; step < LAYERS; step++) {
    for (size_t s = 0; s < panel->n_series; s++) {
      if (layer(&panel->series[s]) == step) {
        draw_series(file, panel, x, &y, &panel->series[s]);
      }
    }
  }
  fprintf(file, "</g>\n<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"%s\"/>\n", x->start,
          top, top + height, x->stop, SOFT);
}

static void head(FILE *file, double height, const char *title) {
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
          "viewBox=\"0 0 %d %.0f\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"%s\">\n"
          "<style>.label{font-size:13px}.small{font-size:11px}"
          ".halo{paint-order:stroke;stroke:#fff;stroke-width:3px}</style>\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          WIDTH, height, WIDTH, height, INK);
  text(file, LEFT, 23.0, "font-size=\"16\" font-weight=\"bold\"", title);
}

static bool has_data(const struct plot *plot) {
  for (size_t p = 0; p < plot->n_panels; p++) {
    const struct extent extent = y_extent(&plot->panel[p]);
    if (extent.low <= extent.high) {
      return true;
    }
  }
  return false;
}

enum status plot_write(const struct plot *plot, FILE *file) {
  if (plot == NULL) {
    return STATUS_NO_MEMORY;
  }
  if (plot->status != STATUS_OK) {
    return plot->status;
  }
  if (!has_data(plot)) {
    return STATUS_TOO_FEW;
  }
  const double panel = plot->n_panels > 1 ? PANEL_STACKED : PANEL;
  const double top = TITLE + LEGEND_ROW * legend(plot, 0.0, NULL) + 12.0;
  const double n = (double)plot->n_panels;
  const struct extent extent = x_extent(plot);
  struct plot_axis x = {.low = 0.0, .high = 1.0};
  if (extent.low <= extent.high) {
    x = axis_over(extent.low, extent.high, X_TICKS, false);
    x.low = extent.low < extent.high ? extent.low : x.low; /* time runs from edge to edge */
    x.high = extent.low < extent.high ? extent.high : x.high;
  }
  x.start = LEFT;
  x.stop = WIDTH - RIGHT;
  head(file, top + n * panel + (n - 1.0) * GAP + FOOT, plot->title);
  legend(plot, TITLE + 10.0, file);
  for (size_t p = 0; p < plot->n_panels; p++) {
    draw_panel(file, plot, p, &x, top + (double)p * (panel + GAP), panel);
  }
  text(file, 0.5 * (x.start + x.stop), top + n * panel + (n - 1.0) * GAP + 40.0,
       "class=\"label\" text-anchor=\"middle\"", plot->x_label);
  fputs("</svg>\n", file);
  return ferror(file) ? STATUS_REFUSED : STATUS_OK;
}
