#include "support/inertial_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void summary_add(struct summary *summary, const struct inertial_run *run) {
  for (size_t w = 0; w < run->n_ways; w++) {
    const struct inertial_score *s = &run->state[w].score;
    const struct inertia_estimate *out = &run->state[w].out;
    const double told = (double)(s->told > 0 ? s->told : 1);
    const double figure[FIGURES] = {
        [OF_UNPHYSICAL] = (double)s->unphysical / told,
        [OF_RMS] = root_mean_square(s->squares, s->n),
        [OF_SETTLED] = root_mean_square(s->squares_settled, s->n_settled),
        [OF_WORST] = s->worst_error,
        [OF_RISE] = score_slowest_rise(s),
        [OF_OVERSHOOT] = s->overshoot,
        [OF_SIGMAS] = s->worst_sigmas,
        [OF_COM_SIGMAS] = s->worst_com_sigmas,
        [OF_AFTER_1S] = s->after_1s / run->what->load.mass,
        [OF_COM_AFTER_5S] = s->com_after_5s / s->com_shift,
        [OF_PUBLISHED] = s->published_off_s,
        [OF_DELAY] = out->delay.known ? out->delay.s : (double)NAN,
        [OF_ALARMS] = (double)out->result.counters.changes,
    };
    for (int f = 0; f < FIGURES; f++) {
      summary->value[w][f][summary->seeds] = figure[f];
    }
  }
  summary->least_swing = summary->seeds == 0 ? run->swing : fmin(summary->least_swing, run->swing);
  summary->seeds++;
}

double median_of(const struct summary *summary, size_t way, enum figure figure) {
  double sorted[TABLE_SEEDS];
  size_t known = 0;
  for (size_t s = 0; s < summary->seeds; s++) {
    const double value = summary->value[way][figure][s];
    size_t k = known;
    if (isnan(value)) {
      continue;
    }
    for (; k > 0 && sorted[k - 1] > value; k--) {
      sorted[k] = sorted[k - 1];
    }
    sorted[k] = value;
    known++;
  }
  return known > 0 ? sorted[known / 2] : (double)NAN;
}

double worst_of(const struct summary *summary, size_t way, enum figure figure) {
  double worst = 0.0;
  for (size_t s = 0; s < summary->seeds; s++) {
    const double size = fabs(summary->value[way][figure][s]);
    worst = size > worst || isnan(size) ? size : worst;
  }
  return worst;
}

/* A figure as a reader takes it: "-" where there is none, "never" where nothing came to its end. */
static void table_figure(char text[24], const char *format, double value) {
  if (isnan(value)) {
    snprintf(text, 24, "-");
  } else if (isinf(value)) {
    snprintf(text, 24, "never");
  } else {
    snprintf(text, 24, format, value);
  }
}

void table_pair(struct table *table, const char *format, const struct summary *summary, size_t way,
                enum figure figure, double scale) {
  char text[TABLE_CELL_SIZE], two[2][24];
  table_figure(two[0], format, scale * median_of(summary, way, figure));
  table_figure(two[1], format, scale * worst_of(summary, way, figure));
  snprintf(text, sizeof(text), "%s / %s", two[0], two[1]);
  table_text(table, text);
}

struct window plot_window(const struct inertial_run *run, double from_s, double to_s) {
  size_t first = 0, last = run->plotted;
  while (first < last && run->time[first] < from_s) {
    first++;
  }
  while (last > first && run->time[last - 1] > to_s) {
    last--;
  }
  return (struct window){first, last - first};
}

void plot_mass(struct plot *plot, const char *name, const struct inertial_run *run,
               const float *mass, struct window window) {
  double value[RUN_PLOTTED];
  for (size_t i = 0; i < window.count; i++) {
    value[i] = (double)mass[window.first + i];
  }
  plot_line(plot, name, run->time + window.first, value, window.count);
}

void plot_masses(struct plot *plot, const struct inertial_run *run, const size_t *way,
                 size_t n_ways, struct window window) {
  plot_line(plot, "truth", run->time + window.first, run->truth + window.first, window.count);
  for (size_t k = n_ways; k-- > 0;) {
    const struct inertial_way *of = &run->way[way[k]];
    char name[64];
    snprintf(name, sizeof(name), of->source == FROM_FILTER ? "%s" : "%s, %s", of->name,
             motion_source_name[of->source]);
    plot_mass(plot, name, run, run->state[way[k]].mass, window);
  }
}

struct summary run_case(const struct inertial_case *what, const struct inertial_way *way,
                        size_t n_ways, void (*draw)(void *context, const struct inertial_run *run),
                        void *context) {
  struct summary summary = {0};
  struct inertial_run *run = calloc(1, sizeof(*run));
  if (run == NULL) {
    give_up(what->name, "no memory");
  }
  for (uint64_t s = 0; s < TABLE_SEEDS; s++) {
    inertial_run_begin(run, what, way, n_ways, FIRST_SEED + s);
    while (inertial_run_step(run)) {
    }
    if (run->fallen) {
      give_up(what->name, "the robot fell");
    }
    summary_add(&summary, run);
    if (s == 0 && draw != NULL) {
      draw(context, run);
    }
    inertial_run_end(run);
  }
  free(run);
  return summary;
}
