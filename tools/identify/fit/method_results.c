#include "identify/fit/method_results.h"

#include <math.h>

static const struct {
  const char *name;
  enum fit_method method;
  enum fit_distance distance;
  double lambda;
} row[] = {
    {"ols", FIT_OLS, FIT_PULLBACK, 1.0},
    {"tls", FIT_TLS, FIT_PULLBACK, 1.0},
    {"wls", FIT_WLS, FIT_PULLBACK, 1.0},
    {"pc-wls, lambda 1e-2", FIT_PC_WLS, FIT_PULLBACK, 1e-2},
    {"pc-irls, lambda 1e-2", FIT_PC_IRLS, FIT_PULLBACK, 1e-2},
    {"sqp-printed, lambda 1e-2", FIT_SQP_PRINTED, FIT_PULLBACK, 1e-2},
    {"sqp, lambda 1e-2", FIT_SQP, FIT_PULLBACK, 1e-2},
    {"log-cholesky, lambda 1e-2", FIT_LOG_CHOLESKY, FIT_PULLBACK, 1e-2},
    {"pc-irls, euclidean", FIT_PC_IRLS, FIT_EUCLIDEAN, FIT_CHOOSE},
    {"pc-irls, entropic", FIT_PC_IRLS, FIT_ENTROPIC, FIT_CHOOSE},
    {"pc-irls", FIT_PC_IRLS, FIT_PULLBACK, FIT_CHOOSE},
};
_Static_assert(sizeof(row) / sizeof(row[0]) == METHOD_RESULTS, "one row each");

static struct method_result result_of(const struct robot_fit *fit, const struct row_set *other,
                                      bool pulled) {
  return (struct method_result){
      .unseen = other != NULL ? robot_fit_error(other, fit->x, 0, other->n).total : fit->test.total,
      .fitted = fit->train.total,
      .pulled = pulled,
      .lambda = fit->lambda,
      .above = fit->above,
      .steps = fit->steps,
      .physical = fit->physical,
      .cost = fit->cost};
}

void method_results_find(const struct unknowns *unknowns, const struct row_set *rows,
                         const struct row_set *other, const struct base_parameters *base,
                         const double *prior, const struct fit_settings *settings,
                         struct method_result *result) {
  for (size_t i = 0; i < METHOD_RESULTS; i++) {
    struct fit_settings own = *settings;
    struct robot_fit fit;
    own.method = row[i].method;
    own.distance = row[i].distance;
    own.lambda = row[i].lambda;
    own.shapes = row[i].distance == FIT_ENTROPIC ? NULL : settings->shapes;
    result[i] = (struct method_result){.unseen = (double)NAN};
    const enum status status = robot_fit_make(unknowns, rows, base, prior, &own, &fit);
    if (status == STATUS_OK) {
      result[i] = result_of(&fit, other, row[i].method < FIT_WLS);
      robot_fit_free(&fit);
    }
    result[i].name = row[i].name;
    result[i].status = status;
  }
}

size_t method_results_best(const struct method_result *result) {
  size_t best = 0;
  for (size_t i = 1; i < METHOD_RESULTS; i++) {
    best = isfinite(result[i].unseen) && !(result[i].unseen >= result[best].unseen) ? i : best;
  }
  return best;
}
