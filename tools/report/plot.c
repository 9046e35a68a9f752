#include "plot.h"

#include "escape.h"

#include <math.h>
#include <stdlib.h>

struct plot {
  FILE *json; /* into text */
  char *text;
  size_t size;
  size_t panels, series; /* begun; series in the newest panel */
  bool has_data;         /* something finite to show */
};

struct plot *plot_create(const char *title, const char *x_label) {
  struct plot *plot = calloc(1, sizeof(*plot));
  if (plot == NULL) {
    return NULL;
  }
  plot->json = open_memstream(&plot->text, &plot->size);
  if (plot->json == NULL) {
    free(plot);
    return NULL;
  }
  fputs("{\"title\": ", plot->json);
  print_json_string(plot->json, title);
  fputs(", \"x_label\": ", plot->json);
  print_json_string(plot->json, x_label);
  fputs(", \"panels\": [", plot->json);
  return plot;
}

void plot_free(struct plot *plot) {
  if (plot != NULL) {
    fclose(plot->json);
    free(plot->text);
    free(plot);
  }
}

void plot_panel(struct plot *plot, const char *y_label) {
  if (plot != NULL) {
    fputs(plot->panels++ > 0 ? "]},\n{\"y_label\": " : "\n{\"y_label\": ", plot->json);
    print_json_string(plot->json, y_label);
    fputs(", \"items\": [", plot->json);
    plot->series = 0;
  }
}

/* Begins an object of the newest panel; the caller closes it. False: no plot. */
static bool begin_item(struct plot *plot, const char *kind, const char *name) {
  if (plot == NULL) {
    return false;
  }
  if (plot->panels == 0) {
    plot_panel(plot, "");
  }
  fprintf(plot->json, "%s{\"kind\": \"%s\", \"name\": ", plot->series++ > 0 ? ",\n  " : "\n  ",
          kind);
  print_json_string(plot->json, name);
  return true;
}

static void put_numbers(struct plot *plot, const char *key, const double *value, size_t n) {
  fprintf(plot->json, ", \"%s\": [", key);
  for (size_t i = 0; i < n; i++) {
    fputs(i > 0 ? "," : "", plot->json);
    print_json_number(plot->json, value[i]);
    plot->has_data = plot->has_data || isfinite(value[i]);
  }
  fputs("]", plot->json);
}

static void put_series(struct plot *plot, const char *kind, const char *name, const double *x,
                       const double *y, const double *y_high, size_t n) {
  if (begin_item(plot, kind, name)) {
    const bool had_data = plot->has_data;
    put_numbers(plot, "x", x, n);
    plot->has_data = had_data;
    put_numbers(plot, "y", y, n);
    if (y_high != NULL) {
      put_numbers(plot, "high", y_high, n);
    }
    fputs("}", plot->json);
  }
}

void plot_line(struct plot *plot, const char *name, const double *x, const double *y, size_t n) {
  put_series(plot, "line", name, x, y, NULL, n);
}

void plot_points(struct plot *plot, const char *name, const double *x, const double *y, size_t n) {
  put_series(plot, "points", name, x, y, NULL, n);
}

void plot_band(struct plot *plot, const char *name, const double *x, const double *low,
               const double *high, size_t n) {
  put_series(plot, "band", name, x, low, high, n);
}

void plot_bars(struct plot *plot, const char *name, const char *const category[],
               const double *value, size_t n) {
  if (begin_item(plot, "bars", name)) {
    fputs(", \"category\": [", plot->json);
    for (size_t i = 0; i < n; i++) {
      fputs(i > 0 ? ", " : "", plot->json);
      print_json_string(plot->json, category[i]);
    }
    fputs("]", plot->json);
    put_numbers(plot, "y", value, n);
    fputs("}", plot->json);
  }
}

static void put_values(struct plot *plot, const char *kind, const char *name, const double *value,
                       size_t n) {
  if (begin_item(plot, kind, name)) {
    const bool had_data = plot->has_data;
    put_numbers(plot, "at", value, n);
    plot->has_data = had_data;
    fputs("}", plot->json);
  }
}

void plot_level(struct plot *plot, const char *label, double y) {
  put_values(plot, "level", label, &y, 1);
}

void plot_mark(struct plot *plot, const char *label, double x) {
  put_values(plot, "mark", label, &x, 1);
}

void plot_y_range(struct plot *plot, double low, double high) {
  put_values(plot, "range", "", (const double[]){low, high}, 2);
}

void plot_log_y(struct plot *plot) {
  put_values(plot, "log", "", NULL, 0);
}

enum status plot_write(const struct plot *plot, FILE *file) {
  if (plot == NULL || fflush(plot->json) != 0) {
    return STATUS_NO_MEMORY;
  }
  if (!plot->has_data) {
    return STATUS_TOO_FEW;
  }
  fwrite(plot->text, 1, plot->size, file);
  return fputs("]}]}\n", file) >= 0 && !ferror(file) ? STATUS_OK : STATUS_REFUSED;
}
