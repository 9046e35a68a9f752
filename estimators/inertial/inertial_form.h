/* Ways to write the state of an inertial estimator, and what an uncertainty in kilograms and metres
 * means in each. One body, ten numbers x. All functions: [any]. */
#ifndef INERTIAL_FORM_H
#define INERTIAL_FORM_H

#include "common/status.h"
#include "inertia/inertia.h"
#include "inertia/log_cholesky.h"

enum inertial_form {
  INERTIAL_RUCKER, /* log-Cholesky of J = U U^T: the one to use */
  INERTIAL_FOSTER, /* log-Cholesky of J = U^T U, as printed */
  INERTIAL_LINEAR  /* the ten parameters: knows nothing of bodies */
};

/* Standard deviations of a body's parameters, or of their drift in one second. */
struct inertial_spread {
  double mass;  /* kg */
  double com;   /* m, each coordinate */
  double shape; /* logarithm of the radii of gyration, and their tilt against the link's axes as a
                   share of the mean radius */
};

/* The parameters of x. */
struct inertia inertial_form_body(enum inertial_form form, const double x[INERTIA_PARAMETERS]);

/* x of the parameters. STATUS_NOT_CONSISTENT, STATUS_NOT_FINITE; never in the linear form. */
enum status inertial_form_state(enum inertial_form form, const struct inertia *pi,
                                double x[INERTIA_PARAMETERS]);

/* G = d pi / d x */
void inertial_form_jacobian(enum inertial_form form, const double x[INERTIA_PARAMETERS],
                            double G[INERTIA_PARAMETERS][INERTIA_PARAMETERS]);

/* B with B B^T the covariance of the spread about the body `at`, in x; its columns are deviations
 * of Rucker's coordinates, in which mass, centre and shape stand apart. `at` must be physically
 * consistent; STATUS_NOT_CONSISTENT, STATUS_NOT_FINITE or STATUS_SINGULAR otherwise, B
 * untouched. */
enum status inertial_form_spread(enum inertial_form form, const struct inertia *at,
                                 const struct inertial_spread *spread,
                                 double B[INERTIA_PARAMETERS][INERTIA_PARAMETERS]);

#endif
