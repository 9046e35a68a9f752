#include "identify/shape/shaped_fit.h"

#include "inertia/pseudo_inertia.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = CONVEX_TEN };

/* A cone that is left to this share of what the start has is at its border. */
static const double BORDER = 1e-3;

/* -- the map ---------------------------------------------------------------------------------- */

static size_t pieces_of(const struct body_shape *body) {
  return body->rule != BODY_IN_PIECES ? 0 : body->n_pieces > 0 ? body->n_pieces : 1;
}

/* The first piece of body i among all. */
static size_t first_piece(const struct body_shapes *shapes, size_t i) {
  size_t n = 0;
  for (size_t k = 0; k < i; k++) {
    n += pieces_of(&shapes->body[k]);
  }
  return n;
}

static void map_body(struct shaped_fit *fit, size_t i, const struct inertia *prior) {
  const struct body_shape *body = &fit->shapes->body[i];
  const size_t from = body->rule == BODY_MIRRORED ? body->of : i;
  const size_t first = first_piece(fit->shapes, from), n = pieces_of(&fit->shapes->body[from]);
  for (size_t k = 0; k < TEN; k++) {
    const size_t at = TEN * i + k;
    fit->sign[at] = body->rule == BODY_MIRRORED ? body->sign[k] : 1.0;
    fit->n_z_of[at] = body->rule == BODY_FIXED ? 0 : n;
    for (size_t p = 0; p < fit->n_z_of[at]; p++) {
      fit->z_of[SHAPED_PIECES * at + p] = TEN * (first + p) + k;
    }
  }
  if (body->rule == BODY_FIXED) {
    inertia_to(prior, fit->x0 + TEN * i);
  }
}

/* x from z. */
static void widen(struct shaped_fit *fit, const double *z) {
  for (size_t i = 0; i < fit->n_x; i++) {
    fit->x[i] = fit->x0[i];
    for (size_t p = 0; p < fit->n_z_of[i]; p++) {
      fit->x[i] += fit->sign[i] * z[fit->z_of[SHAPED_PIECES * i + p]];
    }
  }
}

/* A_z = T^T A T, b_z = T^T (b - A x0). */
static void narrow(struct shaped_fit *fit, const struct convex_fit *whole) {
  const size_t n = fit->n_x, m = fit->z.n;
  memset(fit->AT, 0, n * m * sizeof(double));
  for (size_t k = 0; k < n; k++) {
    for (size_t p = 0; p < fit->n_z_of[k]; p++) {
      const size_t to = fit->z_of[SHAPED_PIECES * k + p];
      cblas_daxpy((int)n, fit->sign[k], whole->A + k, (int)n, fit->AT + to, (int)m);
    }
  }
  convex_slope(whole, fit->x0, fit->rest);
  for (size_t i = 0; i < n; i++) {
    for (size_t p = 0; p < fit->n_z_of[i]; p++) {
      const size_t to = fit->z_of[SHAPED_PIECES * i + p];
      cblas_daxpy((int)m, fit->sign[i], fit->AT + i * m, 1, fit->z.A + to * m, 1);
      fit->z.b[to] -= fit->sign[i] * fit->rest[i];
    }
  }
}

/* -- cones ------------------------------------------------------------------------------------ */

static enum status add_cones(struct shaped_fit *fit, const struct shape_piece *piece, size_t at) {
  enum status status = STATUS_OK;
  for (size_t c = 0; c < piece->n_cones && status == STATUS_OK; c++) {
    struct convex_cone cone = piece->cone[c];
    cone.first += TEN * at;
    status = convex_add_cone(&fit->z, &cone);
  }
  return status;
}

/* Pieces of body i: their cones, where they begin, and how far they stay from the very border. */
static enum status add_body(struct shaped_fit *fit, size_t i, const struct inertia *prior,
                            double margin) {
  const struct body_shape *body = &fit->shapes->body[i];
  const size_t first = first_piece(fit->shapes, i), n = pieces_of(body);
  enum status status = STATUS_OK;
  for (size_t p = 0; p < n && status == STATUS_OK; p++) {
    const struct shape_piece *piece = body->n_pieces > 0 ? &body->piece[p] : NULL;
    fit->start[first + p] = piece != NULL ? piece->start : *prior;
    const mat4 J = pseudo_inertia(&fit->start[first + p]);
    for (int e = 0; e < 16; e++) {
      fit->z.cone[first + p].constant[e] = -margin * J.m[e / 4][e % 4];
    }
    if (piece != NULL) {
      status = add_cones(fit, piece, first + p);
    }
    if (piece != NULL && p == 0 && status == STATUS_OK) {
      status = add_cones(fit, &body->total, first);
    }
  }
  return status;
}

static enum status make(struct shaped_fit *fit, const struct inertia *prior, size_t others,
                        const struct convex_cone *cone, size_t n_cones, double margin) {
  const size_t bodies = fit->shapes->bodies, pieces = first_piece(fit->shapes, bodies);
  enum status status = convex_begin(&fit->z, pieces, others);
  fit->start = calloc(pieces + 1, sizeof(*fit->start));
  fit->z_found = calloc(TEN * pieces + others + 1, sizeof(double));
  fit->AT = calloc(fit->n_x * (TEN * pieces + others) + 1, sizeof(double));
  if (status != STATUS_OK || fit->start == NULL || fit->AT == NULL || fit->z_found == NULL) {
    return STATUS_NO_MEMORY;
  }
  for (size_t i = 0; i < bodies && status == STATUS_OK; i++) {
    map_body(fit, i, &prior[i]);
    status = add_body(fit, i, &prior[i], margin);
  }
  for (size_t i = TEN * bodies; i < fit->n_x; i++) {
    fit->sign[i] = 1.0;
    fit->n_z_of[i] = 1;
    fit->z_of[SHAPED_PIECES * i] = i - TEN * bodies + TEN * pieces;
  }
  for (size_t c = 0; c < n_cones && status == STATUS_OK; c++) {
    struct convex_cone moved = cone[c];
    moved.first = moved.first - TEN * bodies + TEN * pieces;
    status = convex_add_cone(&fit->z, &moved);
  }
  return status;
}

enum status shaped_fit_init(struct shaped_fit *fit, const struct body_shapes *shapes,
                            const struct inertia *prior, size_t others,
                            const struct convex_cone *cone, size_t n_cones, double margin) {
  const size_t n = TEN * shapes->bodies + others;
  for (size_t i = 0; i < shapes->bodies; i++) {
    if (shapes->body[i].n_pieces > SHAPED_PIECES) {
      return STATUS_BAD_ARGUMENT;
    }
  }
  *fit = (struct shaped_fit){.shapes = shapes,
                             .n_x = n,
                             .x0 = calloc(n + 1, sizeof(double)),
                             .x = calloc(n + 1, sizeof(double)),
                             .z_of = calloc(SHAPED_PIECES * n + 1, sizeof(size_t)),
                             .n_z_of = calloc(n + 1, sizeof(size_t)),
                             .sign = calloc(n + 1, sizeof(double)),
                             .rest = calloc(n + 1, sizeof(double))};
  const bool memory = fit->x0 != NULL && fit->x != NULL && fit->z_of != NULL &&
                      fit->n_z_of != NULL && fit->sign != NULL && fit->rest != NULL;
  const enum status status =
      memory ? make(fit, prior, others, cone, n_cones, margin) : STATUS_NO_MEMORY;
  if (status != STATUS_OK) {
    shaped_fit_free(fit);
  }
  return status;
}

void shaped_fit_free(struct shaped_fit *fit) {
  convex_free(&fit->z);
  free(fit->x0);
  free(fit->x);
  free(fit->z_of);
  free(fit->n_z_of);
  free(fit->sign);
  free(fit->rest);
  free(fit->AT);
  free(fit->start);
  free(fit->z_found);
  *fit = (struct shaped_fit){0};
}

/* -- solving ---------------------------------------------------------------------------------- */

enum status shaped_fit_solve(struct shaped_fit *fit, const struct convex_fit *whole,
                             const double *others, struct convex_solution *solution) {
  convex_clear(&fit->z);
  narrow(fit, whole);
  fit->z.gap = whole->gap;
  struct convex_solution of_z;
  const enum status status = convex_solve(&fit->z, fit->start, others, &of_z);
  if (status == STATUS_OK) {
    widen(fit, of_z.x);
    memcpy(fit->z_found, of_z.x, fit->z.n * sizeof(double));
    *solution = of_z;
    solution->x = fit->x;
    solution->cost = convex_cost(whole, fit->x);
  }
  return status;
}

enum status shaped_fit_sequence(struct shaped_fit *fit, const double *others,
                                const struct sequential_settings *settings, double *x, int *steps) {
  const size_t first = TEN * fit->z.bodies;
  for (size_t i = 0; i < fit->z.bodies; i++) {
    inertia_to(&fit->start[i], fit->z_found + TEN * i);
  }
  memcpy(fit->z_found + first, others, (fit->z.n - first) * sizeof(double));
  const enum status status = sequential_solve(&fit->z, settings, fit->z_found, steps);
  if (status == STATUS_OK) {
    widen(fit, fit->z_found);
    memcpy(x, fit->x, fit->n_x * sizeof(double));
  }
  return status;
}

bool shaped_fit_holds(const struct shaped_fit *fit, size_t body) {
  const struct body_shape *shape = &fit->shapes->body[body];
  const size_t own = shape->rule == BODY_MIRRORED ? shape->of : body;
  const size_t first = TEN * first_piece(fit->shapes, own);
  const size_t last = first + TEN * pieces_of(&fit->shapes->body[own]);
  if (shape->rule == BODY_FIXED) {
    return true;
  }
  double begin[TEN];
  for (size_t c = 0; c < fit->z.n_cones; c++) {
    const struct convex_cone *cone = &fit->z.cone[c];
    if (cone->first < first || cone->first >= last || cone->size != 1) {
      continue;
    }
    double now, then;
    struct convex_cone own_cone = *cone;
    own_cone.first = cone->first % TEN;
    inertia_to(&fit->start[cone->first / TEN], begin);
    cone_at(cone, fit->z_found, &now);
    cone_at(&own_cone, begin, &then);
    if (now < BORDER * then) {
      return true;
    }
  }
  return false;
}
