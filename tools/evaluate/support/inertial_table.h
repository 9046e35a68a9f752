/* What several seeds of one case found, way by way: the median and the worst. */
#ifndef INERTIAL_TABLE_H
#define INERTIAL_TABLE_H

#include "report.h"
#include "support/inertial_run.h"

enum { TABLE_SEEDS = 5 };

/* Settings were tuned on seeds from 9000 on, the paper's filters' random walks too. */
static const uint64_t FIRST_SEED = 20261121;

enum figure {
  OF_UNPHYSICAL,   /* share of the time */
  OF_RMS,          /* kg */
  OF_SETTLED,      /* kg: RMS without the first 0.3 s after each switch */
  OF_WORST,        /* kg: largest of these */
  OF_RISE,         /* s: the slowest of the run */
  OF_OVERSHOOT,    /* of a step */
  OF_SIGMAS,       /* settled: largest error of the mass over its deviation */
  OF_COM_SIGMAS,   /* the same of the centre of mass */
  OF_AFTER_1S,     /* of the load */
  OF_COM_AFTER_5S, /* of the centre of mass's distance from the link's origin */
  OF_PUBLISHED,    /* s after the load until what is published stays within 2 % */
  OF_DELAY,        /* s: as told; NaN while not known */
  OF_ALARMS,
  FIGURES
};

struct summary {
  size_t seeds;
  double least_swing; /* rad: of the runs' largest ranges of a joint that carries the link */
  double value[RUN_WAYS][FIGURES][TABLE_SEEDS];
};

/* Values in rising order, NaN last; the middle one, and the largest size. */
double median_of(const struct summary *summary, size_t way, enum figure figure);

/* The largest by size; NaN when any is. */
double worst_of(const struct summary *summary, size_t way, enum figure figure);

/* Two figures in one cell: median and worst, times `scale`. */
void table_pair(struct table *table, const char *format, const struct summary *summary, size_t way,
                enum figure figure, double scale);

/* Samples of a plot from one time to another. */
struct window {
  size_t first, count;
};

struct window plot_window(const struct inertial_run *run, double from_s, double to_s);

void plot_mass(struct plot *plot, const char *name, const struct inertial_run *run,
               const float *mass, struct window window);

/* The truth, and the masses that some ways estimated. */
void plot_masses(struct plot *plot, const struct inertial_run *run, const size_t *way,
                 size_t n_ways, struct window window);

/* One case with all its seeds; the first seed's run is shown to `draw` before it ends. */
struct summary run_case(const struct inertial_case *what, const struct inertial_way *way,
                        size_t n_ways, void (*draw)(void *context, const struct inertial_run *run),
                        void *context);

#endif
