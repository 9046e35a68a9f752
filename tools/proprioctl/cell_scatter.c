#include "cell_scatter.h"

#include "skin/cell_health.h"
#include "skin/skin_fusion.h"

#include <math.h>
#include <stdlib.h>

/* Samples that make a cell's scatter. */
static const double LEAST_SAMPLES = 50.0;
/* The filter finds its way before, frames of skin. */
static const size_t SETTLING = 20;

struct cell_scatter {
  struct generation *generation;
  struct estimates out;
  double *squares, *samples; /* [n_cells] (m/s^2)^2 of three axes; how many */
  size_t frames;             /* of skin */
};

struct cell_scatter *cell_scatter_create(struct generation *generation) {
  struct cell_scatter *s = calloc(1, sizeof(*s));
  const size_t n = generation->robot->n_cells + 1;
  if (s == NULL) {
    return NULL;
  }
  s->generation = generation;
  s->squares = calloc(n, sizeof(double));
  s->samples = calloc(n, sizeof(double));
  if (s->squares == NULL || s->samples == NULL) {
    cell_scatter_free(s);
    return NULL;
  }
  return s;
}

/* Of 3 n readings, `rank` numbers of the link's motion were fitted: the residuals are so much
 * smaller than what scatters. */
static double left_by_fit(const struct link_skin *link) {
  const double readings = 3.0 * (double)link->n_cells;
  return readings > link->rank ? readings / (readings - link->rank) : 0.0;
}

static void add_link(struct cell_scatter *s, const struct cell_health *health,
                     const struct link_skin *link) {
  const double scale = left_by_fit(link);
  for (size_t k = 0; k < link->n_cells; k++) {
    const size_t cell = link->cell[k];
    const float *r = health->residual[cell];
    const double square = (double)(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    if (link->used[k] && square > 0.0 && scale > 0.0) { /* one left out has a residual of zero */
      s->squares[cell] += scale * square;
      s->samples[cell] += 1.0;
    }
  }
}

void cell_scatter_add(struct cell_scatter *s, const struct sensor_frame *frame) {
  struct pipeline *pipeline = s->generation->pipeline;
  pipeline_step(pipeline, frame, &s->out);
  s->frames += frame->skin.stamp.fresh;
  for (size_t i = 0;
       frame->skin.stamp.fresh && s->frames > SETTLING && i < s->generation->robot->model.n_links;
       i++) {
    const struct link_skin *link = pipeline_skin(pipeline, i);
    if (link != NULL) {
      add_link(s, pipeline_cells(pipeline), link);
    }
  }
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double cell_scatter_median(const struct cell_scatter *s) {
  const size_t n = s->generation->robot->n_cells;
  double *deviation = malloc((n + 1) * sizeof(double));
  size_t found = 0;
  for (size_t c = 0; deviation != NULL && c < n; c++) {
    if (s->samples[c] >= LEAST_SAMPLES) {
      deviation[found++] = sqrt(s->squares[c] / s->samples[c] / 3.0);
    }
  }
  if (found > 0) {
    qsort(deviation, found, sizeof(double), by_value);
  }
  const double median = found > 0 ? deviation[found / 2] : -1.0;
  free(deviation);
  return median;
}

void cell_scatter_free(struct cell_scatter *s) {
  if (s != NULL) {
    free(s->squares);
    free(s->samples);
    free(s);
  }
}
