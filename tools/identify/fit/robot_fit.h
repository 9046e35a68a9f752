/* A robot's bodies and drives from its rows.
 *
 *   minimise  sum_j |(Y_j x - tau_j) / noise_j|^2 + lambda d(x, x0)^2   over bodies that can be
 *
 * to the global optimum, with Huber's weights against outliers and a pull to the prior x0 that
 * decides what torques do not tell. How strong it is, is chosen by cross-validation over blocks of
 * time of the training part: the strongest that predicts as well as the best, by the blocks'
 * scatter or to a thousandth of the torque. @eq Leboutet22 63 73 */
#ifndef ROBOT_FIT_H
#define ROBOT_FIT_H

#include "identify/convex/convex_fit.h"
#include "identify/fit/base_parameters.h"
#include "identify/fit/weighed_rows.h"
#include "identify/shape/body_shapes.h"

enum fit_method {
  FIT_PC_IRLS,      /* as above */
  FIT_PC_WLS,       /* without Huber's weights */
  FIT_SQP,          /* the same problem as pc-irls on square roots of pseudo-inertias, by a sequence
                       of quadratic programs (sequential_fit.h) */
  FIT_SQP_PRINTED,  /* as the thesis prints it */
  FIT_LOG_CHOLESKY, /* like sqp, on log-Cholesky parameters */
  FIT_WLS,          /* base parameters, bodies need not be; each joint by its noise */
  FIT_TLS,          /* the same, rows' columns as noisy as torques. @eq Leboutet22 22 23 */
  FIT_OLS,          /* like wls, all joints alike */
  FIT_METHODS
};

enum fit_distance { FIT_PULLBACK, FIT_EUCLIDEAN, FIT_ENTROPIC, FIT_DISTANCES };

extern const char *const fit_method_name[FIT_METHODS];
extern const char *const fit_distance_name[FIT_DISTANCES];

#define FIT_CHOOSE (-1.0) /* lambda: by cross-validation */

struct fit_settings {
  enum fit_method method;
  enum fit_distance distance;
  double lambda;       /* weight of the squared distance beside squared standard deviations */
  double train_share;  /* of the log's beginning, to fit; the rest validates */
  double huber;        /* standard deviations */
  const double *start; /* [n] where a sequence of quadratic programs begins, without shapes; NULL:
                          at the prior */
  const struct body_shapes *shapes; /* begun; NULL: bodies may be of any shape */
};

struct fit_settings fit_defaults(void);

/* Who decided a parameter's value. */
enum fit_teller { TOLD_BY_DATA, TOLD_BY_PRIOR, TOLD_BY_CONSTRAINT };

struct fit_error {
  double total;                    /* |tau - Y x| / |tau| over all moving rows of all joints */
  double rms[MODEL_MAX_JOINTS];    /* N m (N) of the residual */
  double torque[MODEL_MAX_JOINTS]; /* N m (N), root mean square of tau */
  size_t rows;
};

struct robot_fit {
  size_t n;
  double *x, *prior;       /* [n] */
  double *sd;              /* [n] standard deviations, data and pull together; 0: not computed */
  enum fit_teller *teller; /* [n] */
  double lambda;
  bool physical;                  /* all bodies can be */
  double cost, gap;               /* nats; the gap is 0 without constraints */
  double above;                   /* share: the gap of the cost with the pull, at the optimum */
  int steps;                      /* Newton's, of the last solve; programs of a sequence */
  double noise[MODEL_MAX_JOINTS]; /* N m (N) */
  double outliers[MODEL_MAX_JOINTS];
  double lag[MODEL_MAX_JOINTS];      /* s: of torques behind the motion, by correlation */
  double friction[MODEL_MAX_JOINTS]; /* N m (N): mean, against the motion, before anything forbids
                                        that it drives */
  struct fit_error train, test; /* test: of rows never fitted; total NaN where there are none */
};

/* [start] prior: [n] what x is pulled to; its bodies can be. base: may be NULL unless the method is
 * ols, wls or tls. STATUS_TOO_FEW: too little that moves; STATUS_NOT_CONSISTENT: a prior outside of
 * the constraints; STATUS_NO_MEMORY; statuses of convex_solve and, of the methods that take them,
 * sequential_solve. */
enum status robot_fit_make(const struct unknowns *unknowns, const struct row_set *rows,
                           const struct base_parameters *base, const double *prior,
                           const struct fit_settings *settings, struct robot_fit *fit);
void robot_fit_free(struct robot_fit *fit);

/* What x leaves of the instants first <= k < last. */
struct fit_error robot_fit_error(const struct row_set *rows, const double *x, size_t first,
                                 size_t last);

#endif
