/* Ten numbers z without a cone for ten parameters with one: ways to write a body that can be.
 *
 *   pi = pi_border + chart(z)
 *
 * pi_border is what a body keeps of the prior so as to stay from the very border (convex_cone.h's
 * constant, turned round): chart(z) alone may come to the border and not beyond. [any] */
#ifndef BODY_CHART_H
#define BODY_CHART_H

#include "identify/convex/convex_fit.h"

enum chart_form {
  CHART_SQRT,        /* J = C C^T, z the entries of C by rows. @eq Leboutet22 168 173 */
  CHART_LOG_CHOLESKY /* Rucker and Wensing's form. @eq Foster24 17 */
};

/* Of CHART_SQRT the rows and columns of J in the order of `order`: where the smallest comes last, a
 * body near the border leaves no entry that means nothing. */
struct body_chart {
  enum chart_form form;
  int order[4];
};

/* The order as printed. */
struct body_chart body_chart_printed(enum chart_form form);

/* Of a body's square root: largest first, as Cholesky's method pivots. */
void body_chart_pivot(struct body_chart *chart, const struct convex_cone *body, const double *pi);

/* The ten parameters of z. */
void body_chart_at(const struct body_chart *chart, const struct convex_cone *body, const double *z,
                   double *pi);

/* z of ten parameters; of a body at the border, of one a hundredth of pi_border further inside.
 * STATUS_NOT_CONSISTENT: beyond. */
enum status body_chart_from(const struct body_chart *chart, const struct convex_cone *body,
                            const double *pi, double *z);

/* d pi / d z. */
void body_chart_jacobian(const struct body_chart *chart, const double *z,
                         double G[CONVEX_TEN][CONVEX_TEN]);

/* How large entries of z like z[k] are: a step of this size is a large one. size: [10] */
void body_chart_sizes(const struct body_chart *chart, const double *z, double *size);

/* Adds to K what a cost of slope `r` [10] in pi curves by, beyond its Jacobian: of J = C C^T the
 * part E E^T of a step E, as far as it is positive. Of log-Cholesky nothing. */
void body_chart_curvature(const struct body_chart *chart, const double *r,
                          double K[CONVEX_TEN][CONVEX_TEN]);

/* A way dpi [10] out of a border where a cost of slope `r` falls, J + t v v^T, seen from what the
 * body keeps of the prior; what a chart's own slope does not see there. False: it falls nowhere,
 * and where no direction is in the way the body is at its best. */
bool body_chart_way_out(const struct convex_cone *body, const double *r, double dpi[CONVEX_TEN]);

#endif
