/* propriod-identify compare: several methods on one log, in one table. */
#include "identify/command/commands.h"
#include "identify/fit/method_results.h"
#include "table.h"

#include <math.h>
#include <stdio.h>

static const char help[] =
    "usage: propriod-identify compare --robot FILE --log FILE [OPTION ...]\n"
    "\n"
    "Fits by several methods to the first part of the log and says which predicts the\n"
    "torques of the rest, or of --validate, best.\n";

/* What was fitted, judged on what was not. */
struct comparison {
  struct session session;
  struct base_parameters base;
  struct row_set other;
  struct method_result result[METHOD_RESULTS];
};

static void print_one(const struct method_result *r, struct table *table) {
  table_row(table, r->name);
  if (r->status != STATUS_OK) {
    table_text(table, r->status == STATUS_BAD_ARGUMENT ? "not with com" : status_text(r->status));
    return;
  }
  table_number(table, "%.2f", 100.0 * r->unseen);
  table_number(table, "%.2f", 100.0 * r->fitted);
  table_number(table, "%.3g", r->pulled ? r->lambda : (double)NAN);
  table_number(table, "%.2f", r->cost);
  table_number(table, "%.1e", r->pulled ? 100.0 * r->above : (double)NAN);
  table_number(table, "%.0f", r->pulled ? r->steps : (double)NAN);
  table_text(table, r->physical ? "yes" : "no");
}

static void print_json(const struct method_result *result, size_t best, double prior) {
  printf("{\"best\": \"%s\", \"prior\": %.9g, \"error_unseen\": {", result[best].name, prior);
  for (size_t i = 0; i < METHOD_RESULTS; i++) {
    printf(isfinite(result[i].unseen) ? "%s\"%s\": %.9g" : "%s\"%s\": null", i > 0 ? ", " : "",
           result[i].name, result[i].unseen);
  }
  printf("}}\n");
}

static void tell(const struct comparison *c, bool json, double prior) {
  const size_t best = method_results_best(c->result);
  if (json) {
    print_json(c->result, best, prior);
    return;
  }
  struct table *table =
      table_create("Methods", "method", "unseen (%)", "fitted (%)", "lambda", "cost (nats)",
                   "above optimum (%)", "steps", "bodies can be", NULL);
  for (size_t i = 0; i < METHOD_RESULTS; i++) {
    print_one(&c->result[i], table);
  }
  table_print(table, stdout);
  table_free(table);
  printf("what was known before: %.2f %%\nbest on rows not fitted: %s, %.2f %%\n", 100.0 * prior,
         c->result[best].name, 100.0 * c->result[best].unseen);
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
    o.fit.shapes = c.session.shapes.bodies > 0 ? &c.session.shapes : NULL;
    method_results_find(&c.session.unknowns, &c.session.rows, c.other.n > 0 ? &c.other : NULL,
                        &c.base, c.session.prior, &o.fit, c.result);
    tell(&c, o.json, prior);
  }
  row_set_free(&c.other);
  base_parameters_free(&c.base);
  session_close(&c.session);
  return status == STATUS_OK ? IDENTIFY_OK : identify_failed("compare", &error);
}
