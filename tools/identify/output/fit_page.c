#include "identify/output/fit_page.h"

#include "identify/output/body_views.h"
#include "report/escape.h"

#include <math.h>

enum { WIDTH = 900, HEIGHT = 150, POINTS = 1800, TEN = INERTIA_PARAMETERS };

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
    "charset=\"utf-8\"><title>propriod-identify</title>\n"
    "<style>body{font:15px sans-serif;max-width:960px;margin:2em auto;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:2px 10px;text-align:right;"
    "border-bottom:1px solid "
    "#ddd}td{white-space:nowrap}td:first-child,th:first-child{text-align:left}"
    "svg{display:block;background:#fafafa;margin:2px 0 12px}.m{stroke:#222}.p{stroke:#d55e00}"
    ".r{stroke:#0072b2}polyline{fill:none;stroke-width:1.2}</style></head><body>\n";

/* --- torques --- */

/* What one line of a plot shows of row k. */
enum line { MEASURED, PREDICTED, LEFT };

static double value_of(const struct channel_rows *joint, const double *x, size_t k,
                       enum line line) {
  const double rest = row_residual(joint, k, x);
  return line == MEASURED ? joint->tau[k] : line == PREDICTED ? joint->tau[k] - rest : rest;
}

static void print_line(FILE *file, const struct channel_rows *joint, const double *x, size_t first,
                       size_t n, double most, enum line line) {
  static const char *const kind[] = {"m", "p", "r"};
  const size_t every = 1 + n / POINTS;
  fprintf(file, "<polyline class=\"%s\" points=\"", kind[line]);
  for (size_t k = 0; k < n; k += every) {
    const double y = value_of(joint, x, first + k, line);
    fprintf(file, "%.1f,%.1f ", (double)WIDTH * (double)k / (double)n,
            0.5 * HEIGHT * (1.0 - 0.95 * y / most));
  }
  fputs("\"/>", file);
}

static void print_torques(const struct fit_listing *l, const struct row_set *rows, size_t first,
                          FILE *file) {
  const size_t n = rows->n - first;
  fprintf(
      file,
      "<h2>Torques that were not fitted</h2><p>measured (dark), predicted (orange), what is left "
      "(blue), over %.1f s</p>\n",
      (double)n * rows->dt);
  for (size_t j = 0; j < rows->n_channels; j++) {
    const struct channel_rows *joint = &rows->channel[j];
    double most = 1e-9;
    for (size_t k = first; k < rows->n; k++) {
      most = fmax(most, fmax(fabs(joint->tau[k]), fabs(value_of(joint, l->fit->x, k, PREDICTED))));
    }
    fputs("<p>", file);
    print_escaped_xml(file, unknowns_channel(l->unknowns, j));
    fprintf(file, ", full height &plusmn;%.3g N m, %.3g N m left</p>\n", most, l->fit->test.rms[j]);
    fprintf(file, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">", WIDTH, HEIGHT, WIDTH,
            HEIGHT);
    for (int line = MEASURED; line <= LEFT; line++) {
      print_line(file, joint, l->fit->x, first, n, most, (enum line)line);
    }
    fputs("</svg>\n", file);
  }
}

/* --- tables --- */

static void print_bodies(const struct fit_listing *l, FILE *file) {
  fputs("<h2>Bodies</h2><table><tr><th>link</th><th>mass (kg)</th><th>&plusmn;</th><th>was</th>"
        "<th>centre of mass (m)</th><th>was</th><th>told by log, prior, constraints</th></tr>\n",
        file);
  for (size_t i = 0; i < l->unknowns->bodies; i++) {
    const struct inertia now = convex_body(l->fit->x, i), was = convex_body(l->fit->prior, i);
    const vec3 c = inertia_com(&now), c0 = inertia_com(&was);
    char name[MODEL_NAME_SIZE + 8];
    size_t told[3] = {0};
    for (size_t k = 0; k < TEN; k++) {
      told[l->fit->teller[TEN * i + k]]++;
    }
    fputs("<tr><td>", file);
    unknowns_body(l->unknowns, i, name, sizeof(name));
    print_escaped_xml(file, name);
    fprintf(file,
            "</td><td>%.4f</td><td>%.4f</td><td>%.4f</td><td>%.4f %.4f %.4f</td><td>%.4f %.4f "
            "%.4f</td><td>%zu, %zu, %zu</td></tr>\n",
            now.m, l->fit->sd[TEN * i], was.m, c.x, c.y, c.z, c0.x, c0.y, c0.z, told[TOLD_BY_DATA],
            told[TOLD_BY_PRIOR], told[TOLD_BY_CONSTRAINT]);
  }
  fputs("</table>\n", file);
}

static void print_views(const struct fit_listing *l, FILE *file) {
  fputs("<h2>Their shape</h2><p>even ellipsoids of the same mass, centre and moments, in their "
        "links' frames: now (orange), as described before (dark)</p>\n",
        file);
  for (size_t i = 0; i < l->unknowns->bodies; i++) {
    const struct inertia now = convex_body(l->fit->x, i), was = convex_body(l->fit->prior, i);
    char name[MODEL_NAME_SIZE + 8];
    fputs("<p>", file);
    unknowns_body(l->unknowns, i, name, sizeof(name));
    print_escaped_xml(file, name);
    fputs("</p>\n", file);
    body_views(&now, &was, file);
  }
}

static void print_drives(const struct fit_listing *l, FILE *file) {
  fputs("<h2>Drives</h2><table><tr><th>what (N m, rad, s)</th><th>now</th><th>&plusmn;</th>"
        "<th>was</th></tr>\n",
        file);
  for (size_t i = TEN * l->unknowns->bodies; i < l->unknowns->n; i++) {
    char name[160];
    unknowns_name(l->unknowns, i, name, sizeof(name));
    fputs("<tr><td>", file);
    print_escaped_xml(file, name);
    fprintf(file, "</td><td>%.5g</td><td>%.2g</td><td>%.5g</td></tr>\n", l->fit->x[i],
            l->fit->sd[i], l->fit->prior[i]);
  }
  fputs("</table>\n", file);
}

static void print_base(const struct fit_listing *l, FILE *file) {
  fputs("<h2>Base parameters</h2><table><tr><th>what (kg, m, N, s)</th><th>value</th>"
        "<th>&plusmn;</th></tr>\n",
        file);
  for (size_t i = 0; i < l->base->n_base; i++) {
    char expression[4096];
    const size_t at = l->base->order[i];
    base_parameter_expression(l->base, l->unknowns, i, expression, sizeof(expression));
    fputs("<tr><td style=\"white-space:normal\">", file);
    print_escaped_xml(file, expression);
    fprintf(file, "</td><td>%.5g</td><td>%.2g</td></tr>\n", l->fit->x[at], l->fit->sd[at]);
  }
  fputs("</table>\n", file);
}

/* A number where it means something. */
static void print_cell(FILE *file, const char *format, double value, bool there) {
  fputs("<td>", file);
  if (there) {
    fprintf(file, format, value);
  }
  fputs("</td>", file);
}

static void print_methods(const struct method_result *result, FILE *file) {
  const size_t best = method_results_best(result);
  fputs(
      "<h2>What predicts how well</h2><p>torque left on rows that were not fitted, and by how much "
      "the cost stays above the least that bodies that can be have</p><table><tr><th>method</th>"
      "<th>unseen (%)</th><th>fitted (%)</th><th>lambda</th><th>above optimum (%)</th>"
      "<th>bodies can be</th></tr>\n",
      file);
  for (size_t i = 0; i < METHOD_RESULTS; i++) {
    const struct method_result *r = &result[i];
    const bool there = r->status == STATUS_OK;
    fputs(i == best ? "<tr><td><b>" : "<tr><td>", file);
    print_escaped_xml(file, r->name);
    fputs(i == best ? "</b></td>" : "</td>", file);
    print_cell(file, "%.2f", 100.0 * r->unseen, there);
    print_cell(file, "%.2f", 100.0 * r->fitted, there);
    print_cell(file, "%.3g", r->lambda, there && r->pulled);
    print_cell(file, "%.1e", 100.0 * r->above, there && r->pulled);
    fprintf(file, "<td>%s</td></tr>\n",
            !there        ? status_text(r->status)
            : r->physical ? "yes"
                          : "no");
  }
  fputs("</table>\n", file);
}

void fit_page(const struct fit_listing *l, const struct row_set *rows, size_t first, FILE *file) {
  const bool bodies = l->settings->method < FIT_WLS;
  fputs(head, file);
  fputs("<h1>What ", file);
  print_escaped_xml(file, l->unknowns->model->name);
  fputs(" weighs</h1><p>from ", file);
  print_escaped_xml(file, l->log);
  fprintf(file, ", by %s", fit_method_name[l->settings->method]);
  if (bodies) {
    fprintf(file, ", lambda %g", l->fit->lambda);
  }
  fprintf(file, ". Torque error on rows not fitted: <b>%.2f %%</b>", 100.0 * l->fit->test.total);
  fprintf(file, " (what was known before: %.2f %%), on rows fitted: %.2f %%. %s</p>\n",
          100.0 * l->prior_error->total, 100.0 * l->fit->train.total,
          l->fit->physical ? "All bodies can be." : "<b>Not all bodies can be.</b>");
  if (first < rows->n) {
    print_torques(l, rows, first, file);
  }
  if (l->methods != NULL) {
    print_methods(l->methods, file);
  }
  if (bodies) {
    print_bodies(l, file);
    print_views(l, file);
    print_drives(l, file);
  } else {
    print_base(l, file);
  }
  fputs("</body></html>\n", file);
}
