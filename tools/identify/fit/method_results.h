/* Several methods on one log: what each predicts of rows that it has not seen. */
#ifndef METHOD_RESULTS_H
#define METHOD_RESULTS_H

#include "identify/fit/robot_fit.h"

enum { METHOD_RESULTS = 11 };

struct method_result {
  const char *name;
  enum status status; /* without STATUS_OK nothing else is said */
  double unseen;      /* share of the torque left on rows not fitted */
  double fitted;      /* the same on those that were */
  bool pulled;        /* bodies that can be, near the prior: the next four mean something */
  double lambda;
  double above; /* share of the cost above its optimum (robot_fit.h) */
  int steps;
  bool physical;
  double cost; /* nats */
};

/* Fits by every method with the share to train and the shapes of `settings`. other: rows to judge
 * by, or NULL for those of `rows` that are not fitted. [start] result: [METHOD_RESULTS], filled. */
void method_results_find(const struct unknowns *unknowns, const struct row_set *rows,
                         const struct row_set *other, const struct base_parameters *base,
                         const double *prior, const struct fit_settings *settings,
                         struct method_result *result);

/* The one that predicts best. */
size_t method_results_best(const struct method_result *result);

#endif
