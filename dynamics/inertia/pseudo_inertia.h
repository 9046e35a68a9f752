/* The pseudo-inertia of a body, and whether any distribution of mass can have its parameters.
 *
 *   J = [ Sigma  h ; h^T  m ],  Sigma = tr(I)/2 1 - I = integral of x x^T dm,  h = m c
 *
 * It is linear in the ten parameters, and positive definite exactly when a distribution of mass
 * that fills some volume has them (Wensing17 theorem 3). @eq Wensing17 7
 * All functions: [any]. */
#ifndef PSEUDO_INERTIA_H
#define PSEUDO_INERTIA_H

#include "math/sym4.h"
#include "model/model.h"

/* J of the ten parameters, kg m^2, kg m and kg. */
mat4 pseudo_inertia(const struct inertia *pi);
/* The ten parameters of the symmetric J; its lower triangle is read. */
struct inertia inertia_from_pseudo(const mat4 *J);

/* The first condition that the parameters violate, in the order in which they are tested. */
enum inertia_condition {
  INERTIA_CONSISTENT = 0,
  INERTIA_NOT_FINITE,
  INERTIA_MASS_NOT_POSITIVE,
  INERTIA_MOMENT_NOT_POSITIVE, /* a principal moment about the centre of mass is not positive */
  INERTIA_TRIANGLE_VIOLATED,   /* one principal moment is not below the sum of the other two */
  INERTIA_TOO_THIN             /* consistent, but the mass spreads less than the margin asks for */
};

struct inertia_verdict {
  enum inertia_condition condition;
  double value; /* what was found: the mass (kg), the smallest principal moment (kg m^2), what the
                   sum of the two smaller principal moments exceeds the largest by (kg m^2), or the
                   smallest spread (m) */
  double limit; /* what `value` must exceed: 0, or the margin */
};

/* Tests the parameters. `margin` (m, 0 or more) is the least root-mean-square distance of the mass
 * from any plane through the centre of mass: 0 asks for consistency alone, 1e-4 keeps the
 * parameters away from the boundary as well. STATUS_OK, STATUS_NOT_CONSISTENT or STATUS_NOT_FINITE;
 * `verdict` (may be NULL) is always written. */
enum status inertia_consistency(const struct inertia *pi, double margin,
                                struct inertia_verdict *verdict);

/* A phrase for messages, such as "mass is not positive". Never NULL. */
const char *inertia_condition_text(enum inertia_condition condition);

#endif
