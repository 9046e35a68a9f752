/* What is known of bodies beside their motion: where their mass can be.
 *
 * A body consists of pieces, of which each lies inside an ellipsoid, (23), and has its centre of
 * mass on the inner side of planes, n.h - (n.t) m <= 0, which is exact for any mass; the body's
 * parameters are the sum of its pieces' (a union of ellipsoids, corollary 2). A body can also be
 * the mirror image of another, or be fixed to what was known before. @eq Wensing17 22 23
 * @eq Leboutet22 180 */
#ifndef BODY_SHAPES_H
#define BODY_SHAPES_H

#include "common/message.h"
#include "identify/convex/convex_fit.h"

enum { SHAPE_NAME = 48 };

struct shape_piece {
  size_t n_cones;
  struct convex_cone *cone; /* [n_cones] over the piece's own ten parameters */
  char (*name)[SHAPE_NAME]; /* [n_cones] "box 2", "mass" */
  struct ellipsoid within;  /* holds the piece; where its start is looked for */
  struct inertia start;     /* inside all cones, by body_shapes_begin */
};

enum body_rule { BODY_IN_PIECES, BODY_MIRRORED, BODY_FIXED };

struct body_shape {
  enum body_rule rule;
  size_t n_pieces; /* 0: of any shape */
  struct shape_piece *piece;
  size_t of;                /* mirrored: of this body */
  double sign[CONVEX_TEN];  /* mirrored: of the other's parameters */
  struct shape_piece total; /* what is asked of the body as a whole: of its only piece */
};

struct body_shapes {
  size_t bodies;
  struct body_shape *body; /* [bodies] */
};

/* Bodies of which nothing is known yet. [start] All functions: STATUS_NO_MEMORY. */
enum status body_shapes_init(struct body_shapes *shapes, size_t bodies);
void body_shapes_free(struct body_shapes *shapes);

/* One more piece, called `name` in messages. [start] placement: in the body's frame; m.
 * box: edges; cylinder: along z. STATUS_SINGULAR: without extent. */
enum status body_add_ellipsoid(struct body_shape *body, const struct ellipsoid *ellipsoid,
                               const char *name);
enum status body_add_box(struct body_shape *body, const struct pose *placement, vec3 edges,
                         const char *name);
enum status body_add_cylinder(struct body_shape *body, const struct pose *placement, double radius,
                              double length, const char *name);

/* The hull of points [n], m, and the smallest ellipsoid around them, both `margin` wider: the hull
 * as the polytope of 26 faces around it. */
enum status body_add_points(struct body_shape *body, const vec3 *point, size_t n, double margin,
                            const char *name);

/* Of a body in one piece, or of any shape: its mass, kg; where its centre of mass is. */
enum status body_bound_mass(struct body_shape *body, double least, double most);
enum status body_bound_com(struct body_shape *body, const struct ellipsoid *ellipsoid);

/* The mirror image of body `of`, axis (0 to 2) of both frames reversed; or fixed. [any] */
void body_mirror(struct body_shape *body, size_t of, int axis);
void body_fix(struct body_shape *body);

/* Finds where a fit can begin. [start] prior: [bodies]; name: [bodies] for messages.
 * STATUS_REFUSED: no body can be so; `error` names the constraints that exclude each other, or a
 * rule that cannot be followed. */
enum status body_shapes_begin(struct body_shapes *shapes, const struct inertia *prior,
                              const char (*name)[SHAPE_NAME], struct message *error);

#endif
