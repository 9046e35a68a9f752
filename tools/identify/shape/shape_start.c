/* Where a fit under constraints of shape can begin, and why there may be no such place. */
#include "identify/shape/body_shapes.h"
#include "inertia/pseudo_inertia.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = CONVEX_TEN, MOST_CONES = 256 };

/* How far beyond its cones a piece may begin with while it looks for their inside; and how far
 * inside it must come, as a share of what the first guess has. */
static const double INSIDE = 1e-7, DEEPEST = 0.5;
/* The search is drawn to the first guess by this deviation, as a share. */
static const double DRAWN = 300.0;

/* A body that fills the ellipsoid evenly. */
static struct inertia evenly(const struct ellipsoid *e, double mass) {
  mat3 I;
  double trace = 0.0;
  for (int i = 0; i < 3; i++) {
    trace += mass * e->Q.m[i][i] / 5.0;
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      I.m[i][k] = (i == k ? trace : 0.0) - mass * e->Q.m[i][k] / 5.0;
    }
  }
  return inertia_of_body(mass, e->centre, &I);
}

/* All cones that a piece must be in, but those left out. */
struct wanted {
  const struct convex_cone *cone[MOST_CONES];
  const char *name[MOST_CONES];
  bool out[MOST_CONES];
  size_t n;
};

static void want(struct wanted *w, const struct shape_piece *piece) {
  for (size_t c = 0; c < piece->n_cones && w->n < MOST_CONES; c++) {
    w->cone[w->n] = &piece->cone[c];
    w->name[w->n++] = piece->name[c];
  }
}

/* The cone with its matrix as a share of its own diagonal at the guess, and t on that. */
static struct convex_cone widened(const struct convex_cone *cone, const double *guess) {
  struct convex_cone wide = *cone;
  double unit[CONE_SIZE];
  const int size = cone->size;
  for (int i = 0; i < size; i++) {
    double most = fabs(cone->constant[i * size + i]) + 1e-12;
    for (size_t k = 0; k < cone->columns; k++) {
      most = fmax(most, fabs(cone->slope[k][i * size + i] * guess[cone->first + k]));
    }
    unit[i] = 1.0 / sqrt(most);
  }
  memset(wide.slope, 0, sizeof(wide.slope));
  wide.first = 0;
  wide.columns = TEN + 1;
  for (int e = 0; e < size * size; e++) {
    const double share = unit[e / size] * unit[e % size];
    wide.constant[e] = cone->constant[e] * share;
    for (size_t k = 0; k < cone->columns; k++) {
      wide.slope[cone->first + k][e] = cone->slope[k][e] * share;
    }
  }
  for (int i = 0; i < size; i++) {
    wide.slope[TEN][i * size + i] = 1.0;
  }
  return wide;
}

/* The least t for which F + t > 0 in all cones that are wanted; below zero, and `start` is inside
 * of them. */
static enum status search(const struct wanted *w, const struct inertia *guess, double *t,
                          struct inertia *start) {
  struct convex_fit fit;
  double pi[TEN + 1], other = 0.0;
  inertia_to(guess, pi);
  pi[TEN] = 0.0;
  enum status status = convex_begin(&fit, 1, 1);
  for (size_t c = 0; c < w->n && status == STATUS_OK; c++) {
    if (w->out[c]) {
      continue;
    }
    const struct convex_cone cone = widened(w->cone[c], pi);
    double F[CONE_ENTRIES], worst = 0.0;
    cone_at(&cone, pi, F);
    for (int e = 0; e < cone.size * cone.size; e++) {
      worst += fabs(F[e]);
    }
    other = fmax(other, 1.0 + worst);
    status = convex_add_cone(&fit, &cone);
  }
  if (status == STATUS_OK) { /* t is not below -DEEPEST */
    const double one = 1.0;
    const struct convex_cone floor = cone_of_bound(TEN, &one, 1, -DEEPEST);
    status = convex_add_cone(&fit, &floor);
  }
  struct convex_solution solution;
  if (status == STATUS_OK) {
    status = convex_pull(&fit, 0, guess, DRAWN);
  }
  if (status == STATUS_OK) {
    convex_pull_one(&fit, TEN, 0.0, 1e3);
    fit.b[TEN] -= 1.0; /* minimise t */
    fit.gap = 1e-9;
    status = convex_solve(&fit, guess, &other, &solution);
  }
  if (status == STATUS_OK) {
    *t = solution.x[TEN];
    *start = convex_body(solution.x, 0);
  }
  convex_free(&fit);
  return status;
}

/* Leaves out what is not needed for a contradiction, so that those that are left exclude each
 * other. */
static void find_culprits(struct wanted *w, const struct inertia *guess) {
  for (size_t c = 0; c < w->n; c++) {
    double t;
    struct inertia start;
    w->out[c] = true;
    if (search(w, guess, &t, &start) != STATUS_OK || t < -INSIDE) {
      w->out[c] = false;
    }
  }
}

static void explain(const struct wanted *w, const char *body, struct message *error) {
  char list[256] = "";
  size_t used = 0;
  for (size_t c = 0; c < w->n; c++) {
    bool said = w->out[c];
    for (size_t before = 0; before < c && !said; before++) {
      said = !w->out[before] && strcmp(w->name[before], w->name[c]) == 0;
    }
    if (!said && used < sizeof(list)) {
      used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used > 0 ? " and " : "",
                               w->name[c]);
    }
  }
  message_set(error, "link '%s': no body can be in %s", body, list);
}

static enum status begin_piece(struct shape_piece *piece, const struct shape_piece *total,
                               const struct inertia *guess, const char *body,
                               struct message *error) {
  struct wanted w = {.n = 0};
  double t;
  want(&w, piece);
  if (total != NULL) {
    want(&w, total);
  }
  enum status status = search(&w, guess, &t, &piece->start);
  if (status == STATUS_OK && t > -INSIDE) {
    find_culprits(&w, guess);
    explain(&w, body, error);
    return STATUS_REFUSED;
  }
  if (status != STATUS_OK) {
    message_set(error, "link '%s': its constraints: %s", body, status_text(status));
  }
  return status;
}

/* A body of any shape of which something is asked as a whole becomes one piece. */
static enum status one_piece(struct body_shape *body) {
  if (body->n_pieces > 0 || body->total.n_cones == 0) {
    return STATUS_OK;
  }
  body->piece = calloc(1, sizeof(*body->piece));
  body->n_pieces = body->piece != NULL;
  return body->piece != NULL ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status begin_body(struct body_shapes *shapes, size_t i, const struct inertia *prior,
                              const char *name, struct message *error) {
  struct body_shape *body = &shapes->body[i];
  enum status status = one_piece(body);
  if (body->n_pieces > 1 && body->total.n_cones > 0) {
    message_set(error, "link '%s': %s is asked of a body in %zu pieces; one is possible", name,
                body->total.name[0], body->n_pieces);
    return STATUS_REFUSED;
  }
  for (size_t p = 0; p < body->n_pieces && status == STATUS_OK; p++) {
    struct shape_piece *piece = &body->piece[p];
    const double mass = prior->m / (double)body->n_pieces;
    const struct inertia guess = piece->n_cones > 0 ? evenly(&piece->within, mass) : *prior;
    status = begin_piece(piece, p == 0 ? &body->total : NULL, &guess, name, error);
  }
  return status;
}

enum status body_shapes_begin(struct body_shapes *shapes, const struct inertia *prior,
                              const char (*name)[SHAPE_NAME], struct message *error) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < shapes->bodies && status == STATUS_OK; i++) {
    const struct body_shape *body = &shapes->body[i];
    if (body->rule == BODY_IN_PIECES) {
      status = begin_body(shapes, i, &prior[i], name[i], error);
    } else if (body->n_pieces > 0 || body->total.n_cones > 0) {
      message_set(error, "link '%s' is %s, and has a shape of its own", name[i],
                  body->rule == BODY_FIXED ? "fixed" : "mirrored");
      status = STATUS_REFUSED;
    } else if (body->rule == BODY_MIRRORED &&
               (body->of == i || shapes->body[body->of].rule != BODY_IN_PIECES)) {
      message_set(error, "link '%s' mirrors '%s', which is mirrored or fixed itself", name[i],
                  name[body->of]);
      status = STATUS_REFUSED;
    }
  }
  return status;
}
