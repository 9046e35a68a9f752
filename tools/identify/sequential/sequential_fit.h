/* The fit's problem by a sequence of quadratic programs, on bodies written so that they always can
 * be (body_chart.h).
 *
 * Linearised properly: pi(z + dz) is pi(z) + G dz with the Jacobian G, a trust region that grows
 * when the cost falls as promised and shrinks when it does not, absolute where an entry is near
 * zero, and linear constraints as they are.
 *
 * As printed: pi(z) is A(z_before) z, of which A is not the Jacobian; an entry may change by the
 * share l e^(-mu i) of itself in iteration i and so never its sign; nothing looks at the cost.
 * @eq Leboutet22 173 176 178 193
 * @differs Leboutet22 193: i counts in thirties, else the iteration freezes after the first.
 * @differs Leboutet22 180: n . h - (n . t) m <= 0 as it is, no mass of the step before.
 *
 * Neither proves anything: what either leaves is judged by the convex optimum. [start] [worker] */
#ifndef SEQUENTIAL_FIT_H
#define SEQUENTIAL_FIT_H

#include "identify/sequential/body_chart.h"

struct sequential_settings {
  enum chart_form form;
  bool printed;       /* of CHART_SQRT */
  int iterations;     /* at most */
  double reach, fade; /* l and mu of the printed form */
};

/* Settings as the program uses them. */
struct sequential_settings sequential_defaults(enum chart_form form, bool printed);

/* Solves from x [n], which keeps every cone, to x. *iterations: quadratic programs solved.
 * STATUS_BAD_ARGUMENT: a cone that is neither a body's own nor linear, or an entropic pull;
 * STATUS_NOT_CONSISTENT: a start beyond the border; STATUS_NO_MEMORY. x keeps every cone. */
enum status sequential_solve(const struct convex_fit *fit,
                             const struct sequential_settings *settings, double *x,
                             int *iterations);

#endif
