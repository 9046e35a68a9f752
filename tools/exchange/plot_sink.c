/* A page of plots (plot_page.h): every number of the series in slices of time, of which the panels
 * that were asked for are drawn at the end. */
#include "common/event.h"
#include "exchange/formats.h"
#include "exchange/part_file.h"
#include "exchange/plot_page.h"

#include <float.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 200, LIVELIEST = 4, TITLE_SIZE = 512 };

/* The rows of one slice, gathered before they go into the bins: those of a row lie far apart. */
struct slice {
  size_t at;
  float *low, *high; /* [width] of the series; low > high: no value yet */
};

struct plot {
  struct sink_about about;
  struct part_file file;
  struct plot_bins *bins[SERIES_KINDS]; /* [width] */
  struct slice slice[SERIES_KINDS];
  struct plot_event event[PLOT_MOST_EVENTS];
  size_t n_events, n_panels;
};

static void plot_close(void *state) {
  struct plot *plot = state;
  if (plot != NULL) {
    part_file_drop(&plot->file);
    for (int kind = 0; kind < SERIES_KINDS; kind++) {
      free(plot->bins[kind]);
      free(plot->slice[kind].low);
    }
    free(plot);
  }
}

static void empty(struct slice *slice, size_t width) {
  for (size_t i = 0; i < width; i++) {
    slice->low[i] = HUGE_VALF;
    slice->high[i] = -HUGE_VALF;
  }
}

/* What has been gathered goes into the bins. */
static void put_away(struct plot *plot, enum series_kind kind) {
  struct slice *slice = &plot->slice[kind];
  const size_t width = plot->about.set->series[kind].width;
  for (size_t i = 0; plot->bins[kind] != NULL && i < width; i++) {
    plot_bins_add(&plot->bins[kind][i], slice->at, slice->low[i], slice->high[i]);
  }
}

static bool make_bins(struct plot *plot) {
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    const struct series *series = &plot->about.set->series[kind];
    if (series->n_arrays == 0 || kind == SERIES_SKIN) {
      continue;
    }
    plot->bins[kind] = malloc(series->width * sizeof(*plot->bins[kind]));
    struct slice *slice = &plot->slice[kind];
    slice->low = malloc(2 * series->width * sizeof(*slice->low));
    if (plot->bins[kind] == NULL || slice->low == NULL) {
      return false;
    }
    slice->high = slice->low + series->width;
    for (size_t i = 0; i < series->width; i++) {
      plot_bins_clear(&plot->bins[kind][i]);
    }
    empty(slice, series->width);
  }
  return true;
}

static enum status plot_open(void **state, const char *path, const struct sink_about *about,
                             struct message *error) {
  struct plot *plot = calloc(1, sizeof(*plot));
  if (plot == NULL) {
    return STATUS_NO_MEMORY;
  }
  plot->about = *about;
  enum status status = make_bins(plot) ? STATUS_OK : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    status = part_file_open(&plot->file, path, error);
  }
  if (status != STATUS_OK) {
    plot_close(plot);
    return status;
  }
  *state = plot;
  return STATUS_OK;
}

static double seconds(const struct plot *plot, int64_t t_ns) {
  return 1e-9 * (double)(t_ns - plot->about.first_ns);
}

static double span(const struct plot *plot) {
  return fmax(seconds(plot, plot->about.last_ns), 1e-6);
}

static void gather(struct slice *slice, const double *row, size_t width) {
  for (size_t i = 0; i < width; i++) {
    const float number = (float)row[i];
    const bool is_number = fabsf(number) <= FLT_MAX;
    slice->low[i] = is_number && number < slice->low[i] ? number : slice->low[i];
    slice->high[i] = is_number && number > slice->high[i] ? number : slice->high[i];
  }
}

static enum status plot_row(void *state, const struct series *series, int64_t t_ns,
                            const double *row, struct message *error) {
  struct plot *plot = state;
  struct slice *slice = &plot->slice[series->kind];
  (void)error;
  const double place = seconds(plot, t_ns) / span(plot) * PLOT_BINS;
  if (plot->bins[series->kind] != NULL && place >= 0.0 && place < PLOT_BINS + 1) {
    const size_t at = (size_t)fmin(place, PLOT_BINS - 1);
    if (at != slice->at) {
      put_away(plot, series->kind);
      empty(slice, series->width);
      slice->at = at;
    }
    gather(slice, row, series->width);
  }
  return STATUS_OK;
}

static enum status plot_event(void *state, const struct event *event, struct message *error) {
  struct plot *plot = state;
  (void)error;
  const double t_s = seconds(plot, event->t_ns);
  if (plot->n_events < PLOT_MOST_EVENTS && t_s >= 0.0 && t_s <= span(plot)) {
    struct plot_event *made = &plot->event[plot->n_events++];
    *made = (struct plot_event){.t_s = t_s, .severity = (int)event->severity};
    snprintf(made->text, sizeof(made->text), "%s: %.100s", event->kind, event->text);
  }
  return STATUS_OK;
}

/* -- panels ----------------------------------------------------------------------------------- */

/* Bins of an element of an array, or NULL when there is no such array. */
static const struct plot_bins *bins_of(const struct plot *plot, enum series_kind kind,
                                       const char *name, size_t element) {
  const struct series_array *array = series_find(&plot->about.set->series[kind], name);
  return array != NULL && plot->bins[kind] != NULL && element < array->count * array->per
             ? &plot->bins[kind][array->at + element]
             : NULL;
}

/* What the sensors said of the same quantity. */
static const struct plot_bins *measured(const struct plot *plot, const char *name, size_t element) {
  static const char *const same[][2] = {{"q", "q"}, {"dq", "dq"}, {"effort", "tau"}};
  for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
    if (strcmp(name, same[i][0]) == 0) {
      return bins_of(plot, SERIES_JOINTS, same[i][1], element);
    }
  }
  return NULL;
}

static void draw(struct plot *plot, const struct series *series, const struct series_array *array,
                 size_t element) {
  char title[SERIES_ELEMENT_SIZE], unit[SERIES_NAME_SIZE], deviation[SERIES_NAME_SIZE + 4];
  series_element_name(plot->about.set, array, element, title);
  series_element_unit(plot->about.set, array, element, unit);
  snprintf(deviation, sizeof(deviation), "%s_sd", array->name);
  if (strcmp(array->name, "cop_position") == 0) {
    snprintf(deviation, sizeof(deviation), "cop_sd");
  }
  const struct plot_panel panel = {
      .title = title,
      .unit = unit,
      .estimated = &plot->bins[series->kind][array->at + element],
      .deviation = bins_of(plot, series->kind, deviation, element),
      .measured = series->kind == SERIES_STATE ? measured(plot, array->name, element) : NULL};
  const struct plot_time time = {.span_s = span(plot),
                                 .status = bins_of(plot, SERIES_STATE, "status", 0),
                                 .event = plot->event,
                                 .n_events = plot->n_events};
  if (plot->n_panels++ < MOST_PANELS) {
    plot_page_panel(plot->file.file, &panel, &time);
  }
}

/* Panels of all that is called so: a pattern for an array, or for an array and what it is of. */
static size_t draw_matching(struct plot *plot, const char *pattern) {
  static const enum series_kind looked_in[] = {SERIES_STATE, SERIES_CENTROIDAL, SERIES_JOINTS,
                                               SERIES_IMU, SERIES_WRENCH};
  size_t drawn = 0;
  for (size_t k = 0; drawn == 0 && k < sizeof(looked_in) / sizeof(looked_in[0]); k++) {
    const struct series *series = &plot->about.set->series[looked_in[k]];
    for (size_t a = 0; plot->bins[looked_in[k]] != NULL && a < series->n_arrays; a++) {
      const struct series_array *array = &series->array[a];
      for (size_t i = 0; i < array->count * array->per; i++) {
        char name[SERIES_ELEMENT_SIZE];
        series_element_name(plot->about.set, array, i, name);
        if (fnmatch(pattern, array->name, 0) == 0 || fnmatch(pattern, name, 0) == 0) {
          draw(plot, series, array, i);
          drawn++;
        }
      }
    }
  }
  return drawn;
}

static double travel(const struct plot_bins *bins) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (size_t i = 0; bins != NULL && i < PLOT_BINS; i++) {
    if (!isnan(bins->low[i])) {
      low = fmin(low, (double)bins->low[i]);
      high = fmax(high, (double)bins->high[i]);
    }
  }
  return high - low;
}

/* Position, velocity and acceleration of the joints that moved most. */
static void draw_liveliest(struct plot *plot) {
  static const char *const names[] = {"q", "dq", "ddq"};
  const struct series *series = &plot->about.set->series[SERIES_STATE];
  bool taken[MODEL_MAX_JOINTS] = {false};
  for (int n = 0; n < LIVELIEST; n++) {
    size_t most = MODEL_MAX_JOINTS;
    for (size_t j = 0; j < plot->about.set->robot->model.n_joints; j++) {
      if (!taken[j] &&
          (most == MODEL_MAX_JOINTS || travel(bins_of(plot, SERIES_STATE, "q", j)) >
                                           travel(bins_of(plot, SERIES_STATE, "q", most)))) {
        most = j;
      }
    }
    for (size_t k = 0; most < MODEL_MAX_JOINTS && k < sizeof(names) / sizeof(names[0]); k++) {
      draw(plot, series, series_find(series, names[k]), most);
    }
    taken[most % MODEL_MAX_JOINTS] = true;
  }
}

static enum status draw_panels(struct plot *plot, struct message *error) {
  static const char *const usual[] = {"com_position", "com_velocity", "cop_position_[xy]",
                                      "base_angular_velocity", "foot_force"};
  if (plot->about.n_quantities == 0) {
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
      draw_matching(plot, usual[i]);
    }
    draw_liveliest(plot);
  }
  for (size_t i = 0; i < plot->about.n_quantities; i++) {
    if (draw_matching(plot, plot->about.quantities[i]) == 0) {
      message_set(error, "nothing is called '%s'; proprioctl echo meta names what there is",
                  plot->about.quantities[i]);
      return STATUS_REFUSED;
    }
  }
  if (plot->n_panels > MOST_PANELS) {
    message_set(error, "%zu panels; a page has at most %d", plot->n_panels, MOST_PANELS);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

static enum status plot_finish(void *state, struct message *error) {
  struct plot *plot = state;
  char title[TITLE_SIZE], subtitle[TITLE_SIZE];
  const struct plot_time time = {
      .span_s = span(plot), .event = plot->event, .n_events = plot->n_events};
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    put_away(plot, (enum series_kind)kind);
  }
  snprintf(title, sizeof(title), "%s, %.4g s", plot->about.set->robot->model.name, time.span_s);
  snprintf(subtitle, sizeof(subtitle), "%s", plot->about.source != NULL ? plot->about.source : "");
  plot_page_begin(plot->file.file, title, subtitle);
  enum status status = draw_panels(plot, error);
  plot_page_end(plot->file.file, &time);
  if (status == STATUS_OK) {
    status = part_file_finish(&plot->file, true, error);
  }
  return status;
}

const struct sink_format plot_format = {.open = plot_open,
                                        .row = plot_row,
                                        .event = plot_event,
                                        .finish = plot_finish,
                                        .close = plot_close};
