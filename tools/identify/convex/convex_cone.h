/* A small symmetric matrix that is affine in a few unknowns and must be positive definite: the form
 * in which every constraint of the fit is written.
 *
 *   F(x) = constant + sum_k x[first + k] slope[k] > 0
 *
 * Size 4 with the pseudo-inertia says that a body can be; size 6 with the spatial inertia says less
 * (semi-consistent); size 1 is one linear inequality: friction that is not negative, a centre of
 * mass on the inner side of a plane, mass inside an ellipsoid. All functions: [any], bounded. */
#ifndef CONVEX_CONE_H
#define CONVEX_CONE_H

#include "common/status.h"
#include "inertia/bounding_ellipsoid.h"

#include <stdbool.h>
#include <stddef.h>

enum { CONE_SIZE = 6, CONE_COLUMNS = 11, CONE_ENTRIES = CONE_SIZE * CONE_SIZE };

struct convex_cone {
  size_t first, columns;                    /* it looks at x[first] .. x[first + columns - 1] */
  int size;                                 /* F is size x size */
  double constant[CONE_ENTRIES];            /* [size][size] */
  double slope[CONE_COLUMNS][CONE_ENTRIES]; /* [columns][size][size], symmetric */
};

/* The body whose ten parameters begin at `first` is physically consistent: J(pi) > 0.
 * @eq Wensing17 7 */
struct convex_cone cone_of_body(size_t first);

/* The same body has a positive definite spatial inertia, and may break the triangle inequalities:
 * what was asked for before. @eq Wensing17 3 */
struct convex_cone cone_of_spatial_inertia(size_t first);

/* slope . x[first ..] > least. */
struct convex_cone cone_of_bound(size_t first, const double *slope, size_t columns, double least);

/* Its centre of mass is inside the ellipsoid. @eq Wensing17 22 */
struct convex_cone cone_of_com(size_t first, const struct ellipsoid *ellipsoid);

/* Its mass can lie inside the ellipsoid, given that the body can be: tr(J Q) > 0. @eq Wensing17 23
 * STATUS_SINGULAR, STATUS_NOT_FINITE: no ellipsoid; `cone` is then untouched. */
enum status cone_of_ellipsoid(size_t first, const struct ellipsoid *ellipsoid,
                              struct convex_cone *cone);

/* F(x). F: [size][size] */
void cone_at(const struct convex_cone *cone, const double *x, double *F);

/* F = L L^T. False when F is not positive definite. L: [size][size], upper part zero. */
bool cone_factor(const double *F, int size, double *L);

/* L^-1 E L^-T in place of the symmetric E. */
void cone_whiten(const double *L, int size, double *E);

/* Eigenvalues of the symmetric W, whose content is lost, in any order. */
void cone_eigenvalues(double *W, int size, double *lambda);

#endif
