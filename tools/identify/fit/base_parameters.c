#include "identify/fit/base_parameters.h"

#include "identify/rows/body_regressor.h"

#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOTIONS_PER_UNKNOWN = 3 };

/* Share of the largest: a smaller diagonal of R is a column that says nothing of its own; and
 * coefficients below it are rounding. */
static const double RANK = 1e-8, COEFFICIENT = 1e-6;
/* Share of the longest column: a shorter one is rounding of zero. */
static const double NOTHING = 1e-12;

/* Random numbers in [-1, 1], the same on every machine. */
static double draw(uint64_t *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(int32_t)(*state >> 32) / 2147483648.0;
}

/* A random motion within the joint's limits. */
static void draw_motion(const struct model *model, uint64_t *state, double *q, double *dq,
                        double *ddq) {
  for (size_t j = 0; j < model->n_joints; j++) {
    const struct joint *joint = &model->joint[j];
    const bool limited = isfinite(joint->q_min) && isfinite(joint->q_max);
    const double centre = limited ? 0.5 * (joint->q_min + joint->q_max) : 0.0;
    q[j] = centre + draw(state) * (limited ? 0.5 * (joint->q_max - joint->q_min) : M_PI);
    const double share = draw(state);
    dq[j] = 3.0 * share * share * share; /* a good part of them slow */
    ddq[j] = draw(state) * 10.0;
  }
}

static vec3 draw_vector(uint64_t *state, double size) {
  const double x = size * draw(state), y = size * draw(state), z = size * draw(state);
  return (vec3){x, y, z};
}

/* A random motion of a floating base. */
static void draw_base(vec3 up, uint64_t *state, struct base_motion *base) {
  base->v_B.ang = draw_vector(state, 3.0);
  base->a_B.ang = draw_vector(state, 10.0);
  base->a_B.lin = vec3_add(up, draw_vector(state, vec3_norm(up)));
}

/* The regressor of random motions, column-major [rows][n]. */
struct sample {
  size_t rows, n;
  double *W;
};

static enum status take_sample(const struct unknowns *u, vec3 up, struct sample *s) {
  const size_t channels = u->n_channels, motions = s->rows / channels;
  struct body_regressor body;
  enum status status = body_regressor_init(&body, u);
  if (status != STATUS_OK) {
    return status;
  }
  uint64_t state = 20220131;
  size_t *column = calloc(u->n, sizeof(*column));
  double *row = calloc(u->n, sizeof(*row));
  for (size_t k = 0; k < motions && status == STATUS_OK && column != NULL && row != NULL; k++) {
    double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
    draw_motion(u->model, &state, q, dq, ddq);
    struct robot_motion at = {
        .base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = up}}, .q = q, .dq = dq, .ddq = ddq};
    if (u->floating) {
      draw_base(up, &state, &at.base);
    }
    status = body_regressor_step(&body, &at);
    for (size_t j = 0; j < channels && status == STATUS_OK; j++) {
      const size_t n = unknowns_columns(u, j, column);
      unknowns_row(u, body_regressor_row(&body, j), dq, ddq, j, column, n, row);
      for (size_t c = 0; c < n; c++) {
        s->W[column[c] * s->rows + k * channels + j] = row[c];
      }
    }
  }
  const bool memory = column != NULL && row != NULL;
  free(column);
  free(row);
  body_regressor_free(&body);
  return memory ? status : STATUS_NO_MEMORY;
}

static int by_place(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* Factors the independent columns alone, then solves for the others' combinations. */
static enum status combine(struct base_parameters *base, const struct sample *s) {
  const size_t others = base->n - base->n_base;
  double *W1 = calloc(s->rows * base->n_base, sizeof(double));
  double *W2 = calloc(s->rows * (others + 1), sizeof(double));
  base->K = calloc(base->n_base * (others + 1), sizeof(double));
  enum status status = W1 != NULL && W2 != NULL && base->K != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  for (size_t i = 0; i < base->n && status == STATUS_OK; i++) {
    double *to = i < base->n_base ? W1 + i * s->rows : W2 + (i - base->n_base) * s->rows;
    memcpy(to, s->W + base->order[i] * s->rows, s->rows * sizeof(double));
  }
  if (status == STATUS_OK && others > 0 &&
      LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (lapack_int)s->rows, (lapack_int)base->n_base,
                    (lapack_int)others, W1, (lapack_int)s->rows, W2, (lapack_int)s->rows) != 0) {
    status = STATUS_SINGULAR;
  }
  for (size_t i = 0; i < base->n_base && status == STATUS_OK; i++) {
    for (size_t k = 0; k < others; k++) {
      const double value = W2[k * s->rows + i];
      base->K[i * others + k] = fabs(value) < COEFFICIENT ? 0.0 : value;
    }
  }
  free(W1);
  free(W2);
  return status;
}

static double column_length(const struct sample *s, size_t i) {
  double squares = 0.0;
  for (size_t r = 0; r < s->rows; r++) {
    squares += s->W[i * s->rows + r] * s->W[i * s->rows + r];
  }
  return sqrt(squares);
}

/* Pivots by columns of unit length, and keeps those that say something of their own. */
static enum status choose(struct base_parameters *base, const struct sample *s) {
  double *R = calloc(s->rows * s->n, sizeof(double)), *tau = calloc(s->n, sizeof(double));
  lapack_int *pivot = calloc(s->n, sizeof(*pivot));
  enum status status = R != NULL && tau != NULL && pivot != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  double longest = 0.0;
  for (size_t i = 0; i < s->n; i++) {
    longest = fmax(longest, column_length(s, i));
  }
  for (size_t i = 0; i < s->n && status == STATUS_OK; i++) {
    const double length = column_length(s, i);
    for (size_t r = 0; r < s->rows && length > NOTHING * longest; r++) {
      R[i * s->rows + r] = s->W[i * s->rows + r] / length;
    }
  }
  if (status == STATUS_OK && LAPACKE_dgeqp3(LAPACK_COL_MAJOR, (lapack_int)s->rows, (lapack_int)s->n,
                                            R, (lapack_int)s->rows, pivot, tau) != 0) {
    status = STATUS_SINGULAR;
  }
  for (size_t i = 0; i < s->n && status == STATUS_OK; i++) {
    base->order[i] = (size_t)pivot[i] - 1;
    base->n_base += fabs(R[i * s->rows + i]) > RANK * fabs(R[0]);
  }
  if (status == STATUS_OK) {
    qsort(base->order, base->n_base, sizeof(*base->order), by_place);
    qsort(base->order + base->n_base, base->n - base->n_base, sizeof(*base->order), by_place);
  }
  free(R);
  free(tau);
  free(pivot);
  return status;
}

enum status base_parameters_find(const struct unknowns *unknowns, vec3 up,
                                 struct base_parameters *base) {
  const size_t channels = unknowns->n_channels, n = unknowns->n;
  struct base_parameters found = {.n = n, .order = calloc(n, sizeof(size_t))};
  struct sample s = {.rows = channels * (1 + MOTIONS_PER_UNKNOWN * n / channels), .n = n};
  s.W = calloc(s.rows * n, sizeof(double));
  enum status status =
      found.order != NULL && s.W != NULL ? take_sample(unknowns, up, &s) : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    status = choose(&found, &s);
  }
  if (status == STATUS_OK) {
    status = combine(&found, &s);
  }
  free(s.W);
  if (status != STATUS_OK) {
    base_parameters_free(&found);
    return status;
  }
  *base = found;
  return STATUS_OK;
}

void base_parameters_free(struct base_parameters *base) {
  free(base->order);
  free(base->K);
  *base = (struct base_parameters){0};
}

double base_parameter(const struct base_parameters *base, size_t i, const double *x) {
  const size_t others = base->n - base->n_base;
  double sum = x[base->order[i]];
  for (size_t k = 0; k < others; k++) {
    sum += base->K[i * others + k] * x[base->order[base->n_base + k]];
  }
  return sum;
}

void base_parameter_expression(const struct base_parameters *base, const struct unknowns *unknowns,
                               size_t i, char *out, size_t size) {
  const size_t others = base->n - base->n_base;
  char name[160];
  unknowns_name(unknowns, base->order[i], name, sizeof(name));
  size_t used = (size_t)snprintf(out, size, "%s", name);
  for (size_t k = 0; k < others && used < size; k++) {
    const double c = base->K[i * others + k];
    if (c != 0.0) {
      unknowns_name(unknowns, base->order[base->n_base + k], name, sizeof(name));
      used += (size_t)snprintf(out + used, size - used, " %c %.4g %s", c < 0.0 ? '-' : '+', fabs(c),
                               name);
    }
  }
}
