#include "identify/shape/body_shapes.h"

#include "inertia/pseudo_inertia.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = CONVEX_TEN, CYLINDER_FACES = 12 };

/* -- pieces ----------------------------------------------------------------------------------- */

enum status body_shapes_init(struct body_shapes *shapes, size_t bodies) {
  *shapes = (struct body_shapes){bodies, calloc(bodies + 1, sizeof(struct body_shape))};
  return shapes->body != NULL ? STATUS_OK : STATUS_NO_MEMORY;
}

static void piece_free(struct shape_piece *piece) {
  free(piece->cone);
  free(piece->name);
}

void body_shapes_free(struct body_shapes *shapes) {
  for (size_t i = 0; i < shapes->bodies && shapes->body != NULL; i++) {
    struct body_shape *body = &shapes->body[i];
    for (size_t p = 0; p < body->n_pieces; p++) {
      piece_free(&body->piece[p]);
    }
    piece_free(&body->total);
    free(body->piece);
  }
  free(shapes->body);
  *shapes = (struct body_shapes){0};
}

static enum status add_cone(struct shape_piece *piece, const struct convex_cone *cone,
                            const char *name) {
  const size_t n = piece->n_cones + 1;
  struct convex_cone *cones = realloc(piece->cone, n * sizeof(*cones));
  if (cones == NULL) {
    return STATUS_NO_MEMORY;
  }
  piece->cone = cones;
  char(*names)[SHAPE_NAME] = realloc(piece->name, n * sizeof(*names));
  if (names == NULL) {
    return STATUS_NO_MEMORY;
  }
  piece->name = names;
  piece->cone[n - 1] = *cone;
  snprintf(piece->name[n - 1], SHAPE_NAME, "%s", name);
  piece->n_cones = n;
  return STATUS_OK;
}

enum status body_add_ellipsoid(struct body_shape *body, const struct ellipsoid *ellipsoid,
                               const char *name) {
  struct convex_cone cone;
  enum status status = cone_of_ellipsoid(0, ellipsoid, &cone);
  if (status != STATUS_OK) {
    return status;
  }
  struct shape_piece *pieces = realloc(body->piece, (body->n_pieces + 1) * sizeof(*pieces));
  if (pieces == NULL) {
    return STATUS_NO_MEMORY;
  }
  body->piece = pieces;
  struct shape_piece *piece = &pieces[body->n_pieces++];
  *piece = (struct shape_piece){.within = *ellipsoid};
  return add_cone(piece, &cone, name);
}

/* n . c <= distance, n a unit vector. @eq Leboutet22 180 */
static enum status add_plane(struct shape_piece *piece, vec3 n, double distance, const char *name) {
  const double slope[4] = {distance, -n.x, -n.y, -n.z};
  const struct convex_cone cone = cone_of_bound(0, slope, 4, 0.0);
  return add_cone(piece, &cone, name);
}

static struct shape_piece *newest(struct body_shape *body) {
  return &body->piece[body->n_pieces - 1];
}

static enum status add_placed_plane(struct body_shape *body, const struct pose *placement, vec3 n,
                                    double distance, const char *name) {
  const vec3 turned = mat3_mul_vec3(&placement->R, n);
  return add_plane(newest(body), turned, distance + vec3_dot(turned, placement->p), name);
}

enum status body_add_box(struct body_shape *body, const struct pose *placement, vec3 edges,
                         const char *name) {
  /* the smallest ellipsoid through the corners */
  const struct ellipsoid around =
      ellipsoid_from_axes(placement, vec3_scale(0.5 * sqrt(3.0), edges));
  enum status status = body_add_ellipsoid(body, &around, name);
  const double half[3] = {0.5 * edges.x, 0.5 * edges.y, 0.5 * edges.z};
  for (int face = 0; face < 6 && status == STATUS_OK; face++) {
    const double side = face % 2 == 0 ? 1.0 : -1.0;
    const vec3 n = {face / 2 == 0 ? side : 0.0, face / 2 == 1 ? side : 0.0,
                    face / 2 == 2 ? side : 0.0};
    status = add_placed_plane(body, placement, n, half[face / 2], name);
  }
  return status;
}

enum status body_add_cylinder(struct body_shape *body, const struct pose *placement, double radius,
                              double length, const char *name) {
  /* the smallest ellipsoid through both rims */
  const vec3 axes = {sqrt(1.5) * radius, sqrt(1.5) * radius, 0.5 * sqrt(3.0) * length};
  const struct ellipsoid around = ellipsoid_from_axes(placement, axes);
  enum status status = body_add_ellipsoid(body, &around, name);
  for (int face = 0; face < CYLINDER_FACES && status == STATUS_OK; face++) {
    const double angle = 2.0 * M_PI * face / CYLINDER_FACES;
    const vec3 n = {cos(angle), sin(angle), 0.0};
    status = add_placed_plane(body, placement, n, radius, name);
  }
  for (int end = -1; end <= 1 && status == STATUS_OK; end += 2) {
    status = add_placed_plane(body, placement, (vec3){0.0, 0.0, end}, 0.5 * length, name);
  }
  return status;
}

/* -- points ----------------------------------------------------------------------------------- */

enum { KHACHIYAN_STEPS = 2000 };
static const double KHACHIYAN_GAP = 1e-3;

/* Weights of points whose scatter about their mean is the smallest ellipsoid around them all, to a
 * thousandth: Khachiyan's algorithm, on (x, 1). */
static bool weigh_points(const vec3 *point, size_t n, double *weight) {
  for (size_t i = 0; i < n; i++) {
    weight[i] = 1.0 / (double)n;
  }
  for (int k = 0; k < KHACHIYAN_STEPS; k++) {
    mat4 X = {{{0.0}}}, L;
    for (size_t i = 0; i < n; i++) {
      const double p[4] = {point[i].x, point[i].y, point[i].z, 1.0};
      for (int e = 0; e < 16; e++) {
        X.m[e / 4][e % 4] += weight[i] * p[e / 4] * p[e % 4];
      }
    }
    if (sym4_cholesky(&X, &L) != STATUS_OK) {
      return false;
    }
    double most = 0.0;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
      /* |L^-1 (p, 1)|^2 by forward substitution */
      double y[4] = {point[i].x, point[i].y, point[i].z, 1.0}, length = 0.0;
      for (int r = 0; r < 4; r++) {
        for (int c = 0; c < r; c++) {
          y[r] -= L.m[r][c] * y[c];
        }
        y[r] /= L.m[r][r];
        length += y[r] * y[r];
      }
      at = length > most ? i : at;
      most = fmax(most, length);
    }
    if (most <= 4.0 * (1.0 + KHACHIYAN_GAP)) {
      return true;
    }
    const double step = (most - 4.0) / (4.0 * (most - 1.0));
    for (size_t i = 0; i < n; i++) {
      weight[i] *= 1.0 - step;
    }
    weight[at] += step;
  }
  return true;
}

/* The ellipsoid of the weights, widened until it holds every point. */
static enum status enclose(const vec3 *point, size_t n, const double *weight,
                           struct ellipsoid *around) {
  struct ellipsoid e = {.centre = VEC3_ZERO};
  double most = 0.0;
  for (size_t i = 0; i < n; i++) {
    e.centre = vec3_axpy(e.centre, weight[i], point[i]);
  }
  for (size_t i = 0; i < n; i++) {
    const vec3 d = vec3_sub(point[i], e.centre);
    const double v[3] = {d.x, d.y, d.z};
    for (int k = 0; k < 9; k++) {
      e.Q.m[k / 3][k % 3] += 3.0 * weight[i] * v[k / 3] * v[k % 3];
    }
  }
  for (size_t i = 0; i < n; i++) {
    /* a point mass has 1 - (x - c)^T Q^-1 (x - c) of room */
    const struct inertia there = inertia_of_body(1.0, point[i], &(mat3){{{0.0}}});
    double room;
    const enum status status = ellipsoid_room(&e, &there, &room);
    if (status != STATUS_OK) {
      return status;
    }
    most = fmax(most, 1.0 - room);
  }
  for (int k = 0; k < 9; k++) {
    e.Q.m[k / 3][k % 3] *= most * (1.0 + 1e-9);
  }
  *around = e;
  return STATUS_OK;
}

static enum status add_faces(struct shape_piece *piece, const vec3 *point, size_t n,
                             const char *name) {
  enum status status = STATUS_OK;
  for (int face = 0; face < 27 && status == STATUS_OK; face++) {
    const vec3 out = {face / 9 - 1, face / 3 % 3 - 1, face % 3 - 1};
    if (face == 13) {
      continue; /* no direction */
    }
    const vec3 unit = vec3_scale(1.0 / vec3_norm(out), out);
    double furthest = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
      furthest = fmax(furthest, vec3_dot(unit, point[i]));
    }
    status = add_plane(piece, unit, furthest, name);
  }
  return status;
}

enum status body_add_points(struct body_shape *body, const vec3 *point, size_t n, double margin,
                            const char *name) {
  /* an octahedron of the margin about every point */
  const size_t wide = 6 * n;
  vec3 *cloud = calloc(wide + 1, sizeof(*cloud));
  double *weight = calloc(wide + 1, sizeof(*weight));
  struct ellipsoid around;
  enum status status = cloud != NULL && weight != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  for (size_t i = 0; i < wide && status == STATUS_OK; i++) {
    double step[3] = {0.0};
    step[i % 3] = i % 6 < 3 ? margin : -margin;
    cloud[i] = vec3_add(point[i / 6], (vec3){step[0], step[1], step[2]});
  }
  if (status == STATUS_OK && !weigh_points(cloud, wide, weight)) {
    status = STATUS_SINGULAR;
  }
  if (status == STATUS_OK) {
    status = enclose(cloud, wide, weight, &around);
  }
  if (status == STATUS_OK) {
    status = body_add_ellipsoid(body, &around, name);
  }
  if (status == STATUS_OK) {
    status = add_faces(newest(body), cloud, wide, name);
  }
  free(cloud);
  free(weight);
  return status;
}

/* -- bodies as a whole ------------------------------------------------------------------------ */

enum status body_bound_mass(struct body_shape *body, double least, double most) {
  const double up[1] = {1.0}, down[1] = {-1.0};
  const struct convex_cone above = cone_of_bound(0, up, 1, least),
                           below = cone_of_bound(0, down, 1, -most);
  const enum status status = add_cone(&body->total, &above, "mass");
  return status == STATUS_OK ? add_cone(&body->total, &below, "mass") : status;
}

enum status body_bound_com(struct body_shape *body, const struct ellipsoid *ellipsoid) {
  const struct convex_cone cone = cone_of_com(0, ellipsoid);
  return add_cone(&body->total, &cone, "com");
}

void body_mirror(struct body_shape *body, size_t of, int axis) {
  body->rule = BODY_MIRRORED;
  body->of = of;
  for (int k = 0; k < TEN; k++) {
    /* odd in the axis: its own first moment, and its two products */
    static const int axes[TEN][2] = {{-1, -1}, {0, -1}, {1, -1}, {2, -1}, {0, 0},
                                     {0, 1},   {0, 2},  {1, 1},  {1, 2},  {2, 2}};
    const bool odd = (axes[k][0] == axis) != (axes[k][1] == axis);
    body->sign[k] = odd ? -1.0 : 1.0;
  }
}

void body_fix(struct body_shape *body) {
  body->rule = BODY_FIXED;
}
