/* propriod-identify compare: several methods on one log, in one table. */
#include "identify/command/commands.h"
#include "identify/command/judgement.h"
#include "table.h"

#include <math.h>
#include <stdio.h>

static const char help[] =
    "usage: propriod-identify compare --robot FILE --log FILE [OPTION ...]\n"
    "\n"
    "Fits by several methods to the first part of the log and says which predicts the\n"
    "torques of the rest, or of --validate, best.\n";

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
enum { ROWS = sizeof(row) / sizeof(row[0]) };

/* What was fitted, judged on what was not. */
struct comparison {
  struct session session;
  struct base_parameters base;
  struct row_set other;
  double error[ROWS];
};

static double total_error(const struct comparison *c, const struct robot_fit *fit) {
  return c->other.n > 0 ? robot_fit_error(&c->other, fit->x, 0, c->other.n).total : fit->test.total;
}

static void compare_one(struct comparison *c, const struct identify_options *o, int i,
                        struct table *table) {
  struct fit_settings settings = o->fit;
  struct robot_fit fit;
  settings.method = row[i].method;
  settings.distance = row[i].distance;
  settings.lambda = row[i].lambda;
  if (c->session.shapes.bodies > 0 && row[i].distance != FIT_ENTROPIC) {
    settings.shapes = &c->session.shapes;
  }
  c->error[i] = (double)NAN;
  table_row(table, row[i].name);
  const enum status status = robot_fit_make(&c->session.unknowns, &c->session.rows, &c->base,
                                            c->session.prior, &settings, &fit);
  if (status != STATUS_OK) {
    table_text(table, status_text(status));
    return;
  }
  const bool pulled = settings.method < FIT_WLS; /* bodies that can be */
  c->error[i] = total_error(c, &fit);
  table_number(table, "%.2f", 100.0 * c->error[i]);
  table_number(table, "%.2f", 100.0 * fit.train.total);
  table_number(table, "%.3g", pulled ? fit.lambda : (double)NAN);
  table_number(table, "%.2f", fit.cost);
  table_number(table, "%.1e", pulled ? 100.0 * fit.above : (double)NAN);
  table_number(table, "%.0f", pulled ? fit.steps : (double)NAN);
  table_text(table, fit.physical ? "yes" : "no");
  robot_fit_free(&fit);
}

static void tell(const struct comparison *c, const struct identify_options *o,
                 const struct table *table, double prior) {
  int best = 0;
  for (int i = 1; i < ROWS; i++) {
    best = isfinite(c->error[i]) && !(c->error[i] >= c->error[best]) ? i : best;
  }
  if (o->json) {
    printf("{\"best\": \"%s\", \"prior\": %.9g, \"error_unseen\": {", row[best].name, prior);
    for (int i = 0; i < ROWS; i++) {
      printf(isfinite(c->error[i]) ? "%s\"%s\": %.9g" : "%s\"%s\": null", i > 0 ? ", " : "",
             row[i].name, c->error[i]);
    }
    printf("}}\n");
    return;
  }
  table_print(table, stdout);
  printf("what was known before: %.2f %%\nbest on rows not fitted: %s, %.2f %%\n", 100.0 * prior,
         row[best].name, 100.0 * c->error[best]);
}

int run_compare(int argc, char **argv) {
  struct identify_options o;
  struct comparison c = {0};
  struct message error;
  const int read = identify_options_read(argc, argv, help, &o);
  if (read != IDENTIFY_OK) {
    return read < 0 ? IDENTIFY_OK : read;
  }
  enum status status = session_open(&o.session, &c.session, &error);
  if (status == STATUS_OK && o.validate != NULL) {
    status = session_rows(&o.session, &c.session, o.validate, &c.other, &error);
  }
  if (status == STATUS_OK) {
    status = base_parameters_find(&c.session.unknowns, o.session.up, &c.base);
  }
  if (status == STATUS_OK) {
    const struct row_set *rows = c.other.n > 0 ? &c.other : &c.session.rows;
    const size_t first = c.other.n > 0 ? 0 : (size_t)(o.fit.train_share * (double)c.session.rows.n);
    const double prior = robot_fit_error(rows, c.session.prior, first, rows->n).total;
    struct table *table =
        table_create("Methods", "method", "unseen (%)", "fitted (%)", "lambda", "cost (nats)",
                     "above optimum (%)", "steps", "bodies can be", NULL);
    for (int i = 0; i < ROWS; i++) {
      compare_one(&c, &o, i, table);
    }
    tell(&c, &o, table, prior);
    table_free(table);
  }
  row_set_free(&c.other);
  base_parameters_free(&c.base);
  session_close(&c.session);
  return status == STATUS_OK ? IDENTIFY_OK : identify_failed("compare", &error);
}
