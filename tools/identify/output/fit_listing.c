#include "identify/output/fit_listing.h"

#include "table.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* Share of the torque: with more left over than this, a log and a robot do not belong together. */
static const double POOR = 0.15;

static const char *const teller_word[] = {"data", "prior", "constraint"};

/* Bodies are found, or base parameters alone. */
static bool of_bodies(const struct fit_listing *l) {
  return l->settings->method < FIT_WLS;
}

/* -- tables ----------------------------------------------------------------------------------- */

static void print_errors(const struct fit_listing *l, FILE *file) {
  const struct unknowns *u = l->unknowns;
  struct table *table =
      table_create(u->floating ? "Wrench on the base, rows that were not fitted"
                               : "Torque on rows that were not fitted",
                   u->floating ? "component" : "joint", "measured (N m, N)", "left by the fit",
                   "left by the prior", "noise", "late (ms)", NULL);
  for (size_t j = 0; j < u->n_channels; j++) {
    table_row(table, unknowns_channel(u, j));
    table_number(table, "%.3f", l->fit->test.torque[j]);
    table_number(table, "%.3f", l->fit->test.rms[j]);
    table_number(table, "%.3f", l->prior_error->rms[j]);
    table_number(table, "%.3f", l->fit->noise[j]);
    table_number(table, "%.1f", 1e3 * l->fit->lag[j]);
  }
  table_print(table, file);
  table_free(table);
}

static void print_bodies(const struct fit_listing *l, FILE *file) {
  struct table *table = table_create("Bodies", "link", "mass (kg)", "was", "centre x (m)", "y", "z",
                                     "was x", "y", "z", "told by", NULL);
  for (size_t i = 0; i < l->unknowns->bodies; i++) {
    const struct inertia now = convex_body(l->fit->x, i), was = convex_body(l->fit->prior, i);
    const vec3 c = inertia_com(&now), c0 = inertia_com(&was);
    size_t told[3] = {0};
    char words[64];
    for (size_t k = 0; k < TEN; k++) {
      told[l->fit->teller[TEN * i + k]]++;
    }
    snprintf(words, sizeof(words), "%zu data, %zu prior, %zu constraint", told[TOLD_BY_DATA],
             told[TOLD_BY_PRIOR], told[TOLD_BY_CONSTRAINT]);
    char name[MODEL_NAME_SIZE + 8];
    unknowns_body(l->unknowns, i, name, sizeof(name));
    table_row(table, name);
    table_number(table, "%.4f", now.m);
    table_number(table, "%.4f", was.m);
    const double number[6] = {c.x, c.y, c.z, c0.x, c0.y, c0.z};
    for (int k = 0; k < 6; k++) {
      table_number(table, "%.4f", number[k]);
    }
    table_text(table, words);
  }
  table_print(table, file);
  table_free(table);
}

/* What papers publish: combinations that torques tell, each with its deviation. */
static void print_base(const struct fit_listing *l, FILE *file) {
  struct table *table = table_create("Base parameters (kg, m, N, s)", "parameter", "value",
                                     "standard deviation", "share (%)", NULL);
  for (size_t i = 0; i < l->base->n_base; i++) {
    char expression[4096], label[64];
    const size_t at = l->base->order[i];
    base_parameter_expression(l->base, l->unknowns, i, expression, sizeof(expression));
    snprintf(label, sizeof(label), "%.52s%s", expression, strlen(expression) > 52 ? " ..." : "");
    table_row(table, label);
    table_number(table, "%.6f", l->fit->x[at]);
    table_number(table, "%.6f", l->fit->sd[at]);
    table_number(table, "%.1f", 100.0 * l->fit->sd[at] / fabs(l->fit->x[at]));
  }
  table_print(table, file);
  table_free(table);
}

/* What is only there when it was asked for. */
static void print_more_friction(const struct fit_listing *l, FILE *file) {
  const struct unknowns *u = l->unknowns;
  struct table *table = table_create("More friction", "joint", "asymmetry (N m s)",
                                     "Stribeck (N m)", "below (rad/s)", NULL);
  bool any = false;
  for (size_t j = 0; j < u->model->n_joints; j++) {
    const int both = u->at[j][DRIVE_ASYMMETRY], slow = u->at[j][DRIVE_STRIBECK];
    any = any || both != UNKNOWN_NONE || slow != UNKNOWN_NONE;
    table_row(table, u->model->joint[j].name);
    table_number(table, "%.4f", both != UNKNOWN_NONE ? l->fit->x[both] : (double)NAN);
    table_number(table, "%.4f", slow != UNKNOWN_NONE ? l->fit->x[slow] : (double)NAN);
    table_number(table, "%.4f", slow != UNKNOWN_NONE ? u->stribeck[j] : (double)NAN);
  }
  if (any) {
    table_print(table, file);
  }
  table_free(table);
}

static void print_drives(const struct fit_listing *l, FILE *file) {
  const struct unknowns *u = l->unknowns;
  struct table *table = table_create("Drives", "joint", "rotor (kg m²)", "viscous (N m s)",
                                     "Coulomb (N m)", "offset (N m)", NULL);
  for (size_t d = 0; d < u->n_drives; d++) {
    char name[2 * MODEL_NAME_SIZE + 8];
    const size_t n = u->model->n_joints;
    if (d < n) {
      snprintf(name, sizeof(name), "%s", u->model->joint[d].name);
    } else {
      snprintf(name, sizeof(name), "%s with %s", u->model->joint[u->coupling[d - n].motor].name,
               u->model->joint[u->coupling[d - n].joint].name);
    }
    table_row(table, name);
    for (int kind = 0; kind <= DRIVE_OFFSET; kind++) {
      table_number(table, "%.4f",
                   u->at[d][kind] != UNKNOWN_NONE ? l->fit->x[u->at[d][kind]] : (double)NAN);
    }
  }
  table_print(table, file);
  table_free(table);
}

/* By what was fitted, and how well. */
static void print_summary(const struct fit_listing *l, FILE *file) {
  const struct robot_fit *fit = l->fit;
  fprintf(file, "%s", fit_method_name[l->settings->method]);
  if (of_bodies(l)) {
    fprintf(file, ", lambda %g (%s), %s distance", fit->lambda,
            l->settings->lambda < 0.0 ? "chosen by cross-validation" : "given",
            fit_distance_name[l->settings->distance]);
  }
  fputc('\n', file);
  if (isfinite(fit->test.total)) {
    fprintf(file,
            "error on rows not fitted: %.2f %% of the torque (what was known before: %.2f %%)\n",
            100.0 * fit->test.total, 100.0 * l->prior_error->total);
  }
  fprintf(file, "error on rows fitted: %.2f %%\n", 100.0 * fit->train.total);
  if (l->base != NULL) {
    fprintf(file, "%zu unknowns, %zu of their combinations act on torques at all\n", fit->n,
            l->base->n_base);
  }
  if (of_bodies(l)) {
    fprintf(file, "bodies: %s; optimum to %.1e nats of %.4g, %d Newton steps\n",
            fit->physical ? "all can be" : "NOT all can be", fit->gap, fit->cost, fit->steps);
  }
}

/* Whether to believe it: torques that were not fitted and are not predicted, and whose. */
static void print_doubt(const struct fit_listing *l, FILE *file) {
  const struct robot_fit *fit = l->fit;
  const struct fit_error *judged = isfinite(fit->test.total) ? &fit->test : &fit->train;
  size_t worst = 0;
  for (size_t j = 1; j < l->unknowns->n_channels; j++) {
    const double share = judged->rms[j] / fmax(judged->torque[j], 1e-9);
    worst = share > judged->rms[worst] / fmax(judged->torque[worst], 1e-9) ? j : worst;
  }
  if (judged->total > POOR) {
    fprintf(file,
            "DO NOT BELIEVE IT: %.0f %% of the torque is left, most of %s (%.3g of %.3g): another\n"
            "robot's log, other columns, units or gains, or too little motion?\n",
            100.0 * judged->total, unknowns_channel(l->unknowns, worst), judged->rms[worst],
            judged->torque[worst]);
  } else if (isfinite(fit->test.total) && fit->test.total > l->prior_error->total) {
    fprintf(file, "It predicts worse than what was known before: move more, or for longer.\n");
  }
}

void fit_listing_print(const struct fit_listing *l, FILE *file) {
  print_summary(l, file);
  print_doubt(l, file);
  print_errors(l, file);
  if (!of_bodies(l)) {
    print_base(l, file);
    return;
  }
  print_bodies(l, file);
  if (!l->unknowns->floating) {
    print_drives(l, file);
    print_more_friction(l, file);
  }
}

/* -- YAML ------------------------------------------------------------------------------------- */

static void yaml_bodies(const struct fit_listing *l, FILE *file) {
  static const char *const ten[TEN] = {"m",   "hx",  "hy",  "hz",  "Ixx",
                                       "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
  fprintf(file, "# about the link's origin: value, standard deviation, told by\nlinks:\n");
  for (size_t i = 0; i < l->unknowns->bodies; i++) {
    char name[MODEL_NAME_SIZE + 8];
    unknowns_body(l->unknowns, i, name, sizeof(name));
    fprintf(file, "%s  %s:\n",
            i == l->unknowns->links ? "# about the joint's origin, in its frame\nrotors:\n" : "",
            name);
    for (size_t k = 0; k < TEN; k++) {
      const size_t at = TEN * i + k;
      fprintf(file, "    %s: [%.17g, %.3g, %s]\n", ten[k], l->fit->x[at], l->fit->sd[at],
              teller_word[l->fit->teller[at]]);
    }
  }
}

static void yaml_drives(const struct fit_listing *l, FILE *file) {
  const struct unknowns *u = l->unknowns;
  fprintf(file, "drives:\n");
  for (size_t i = TEN * u->bodies; i < u->n; i++) {
    char name[160];
    unknowns_name(u, i, name, sizeof(name));
    fprintf(file, "  %s: [%.17g, %.3g, %s]\n", name, l->fit->x[i], l->fit->sd[i],
            teller_word[l->fit->teller[i]]);
  }
  for (size_t j = 0; j < u->model->n_joints && !u->floating; j++) {
    if (u->at[j][DRIVE_STRIBECK] != UNKNOWN_NONE) {
      fprintf(file, "  %s stribeck speed: %.6g\n", u->model->joint[j].name, u->stribeck[j]);
    }
  }
}

static void yaml_base(const struct fit_listing *l, FILE *file) {
  fprintf(file, "# combinations that torques tell%s; what is not in one, no motion tells\nbase:\n",
          of_bodies(l) ? "" : ": value, standard deviation");
  for (size_t i = 0; i < l->base->n_base; i++) {
    char expression[4096];
    base_parameter_expression(l->base, l->unknowns, i, expression, sizeof(expression));
    fprintf(file, "  - [%.9g, ", base_parameter(l->base, i, l->fit->x));
    if (!of_bodies(l)) {
      fprintf(file, "%.3g, ", l->fit->sd[l->base->order[i]]);
    }
    fprintf(file, "\"%s\"]\n", expression);
  }
}

void fit_listing_yaml(const struct fit_listing *l, FILE *file) {
  const struct robot_fit *fit = l->fit;
  fprintf(file, "robot: \"%s\"\nlog: \"%s\"\nmethod: %s\n", l->robot, l->log,
          fit_method_name[l->settings->method]);
  if (of_bodies(l)) {
    fprintf(file, "distance: %s\nlambda: %.9g\n", fit_distance_name[l->settings->distance],
            fit->lambda);
  }
  fprintf(file, "error_fitted: %.6g\n", fit->train.total);
  if (isfinite(fit->test.total)) {
    fprintf(file, "error_unseen: %.6g\nerror_unseen_before: %.6g\n", fit->test.total,
            l->prior_error->total);
  }
  fprintf(file, "physical: %s\n", fit->physical ? "true" : "false");
  if (of_bodies(l)) {
    yaml_bodies(l, file);
    yaml_drives(l, file);
  }
  if (l->base != NULL) {
    yaml_base(l, file);
  }
}

/* -- JSON ------------------------------------------------------------------------------------- */

static void json_number(FILE *file, const char *key, double value) {
  if (isfinite(value)) {
    fprintf(file, ", \"%s\": %.9g", key, value);
  } else {
    fprintf(file, ", \"%s\": null", key);
  }
}

/* Bodies' masses, or base parameters: value, deviation. */
static void json_found(const struct fit_listing *l, FILE *file) {
  const struct unknowns *u = l->unknowns;
  if (of_bodies(l)) {
    fprintf(file, ", \"mass\": {");
    for (size_t i = 0; i < u->bodies; i++) {
      char name[MODEL_NAME_SIZE + 8];
      unknowns_body(u, i, name, sizeof(name));
      fprintf(file, "%s\"%s\": %.9g", i > 0 ? ", " : "", name, l->fit->x[TEN * i]);
    }
  } else {
    fprintf(file, ", \"base\": {");
    for (size_t i = 0; i < l->base->n_base; i++) {
      char expression[4096];
      const size_t at = l->base->order[i];
      base_parameter_expression(l->base, u, i, expression, sizeof(expression));
      fprintf(file, "%s\"%s\": [%.9g, %.9g]", i > 0 ? ", " : "", expression, l->fit->x[at],
              l->fit->sd[at]);
    }
  }
  fputc('}', file);
}

void fit_listing_json(const struct fit_listing *l, FILE *file) {
  const struct robot_fit *fit = l->fit;
  fprintf(file, "{\"method\": \"%s\", \"distance\": \"%s\"", fit_method_name[l->settings->method],
          fit_distance_name[l->settings->distance]);
  json_number(file, "lambda", of_bodies(l) ? fit->lambda : (double)NAN);
  json_number(file, "error_fitted", fit->train.total);
  json_number(file, "error_unseen", fit->test.total);
  json_number(file, "error_unseen_before", l->prior_error->total);
  json_number(file, "gap_nats", fit->gap);
  json_number(file, "unknowns", (double)fit->n);
  json_number(file, "base_parameters", l->base != NULL ? (double)l->base->n_base : (double)NAN);
  fprintf(file, ", \"physical\": %s", fit->physical ? "true" : "false");
  json_found(l, file);
  const struct fit_error *judged = isfinite(fit->test.total) ? &fit->test : &fit->train;
  fprintf(file, ", \"measured_and_left\": {");
  for (size_t j = 0; j < l->unknowns->n_channels; j++) {
    fprintf(file, "%s\"%s\": [%.9g, %.9g]", j > 0 ? ", " : "", unknowns_channel(l->unknowns, j),
            judged->torque[j], judged->rms[j]);
  }
  fprintf(file, "}}\n");
}
