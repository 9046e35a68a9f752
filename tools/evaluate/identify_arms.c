/* propriod-identify on recordings of three real arms: how well torques are predicted that were not
 * fitted, and what it finds against what others published. Skips with a word what is not here. */
#include "common/file.h"
#include "identify/command/session.h"
#include "report.h"
#include "urdf/urdf_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "../shared/data/"

enum { LONGEST = 1 << 16, PANELS = 7 /* of joints */ };

/* A recording and how its columns are told; written to a scratch folder first. */
struct arm {
  const char *name, *robot, *columns;
  const char *log[2], *validate;
  double cutoff_hz, rate_hz; /* 0: as the program chooses */
  double limit_fixed, limit; /* of the error on unseen rows, with lambda 1e-2 and chosen */
};

static const char tx40_columns[] =
    "rate: 5000\n"
    "position: [Joint_1, Joint_2, Joint_3, Joint_4, Joint_5, Joint_6]\n"
    "torque: ['2:Joint_1', '2:Joint_2', '2:Joint_3', '2:Joint_4', '2:Joint_5', '2:Joint_6']\n"
    "offset: [0, -1.5707963267948966, 1.5707963267948966, 0, 0, 0]\n"
    "reduction: [32, 32, 45, -48, 45, 32]\n"
    "coupling: [6, 5, 32]\n";
static const char panda_columns[] = "time: t\n"
                                    "position: [q1, q2, q3, q4, q5, q6, q7]\n"
                                    "torque: [c1, c2, c3, c4, c5, c6, c7]\n";
static const char ur10e_columns[] = "time: '1'\n"
                                    "position: ['2', '3', '4', '5', '6', '7']\n"
                                    "torque: ['14', '15', '16', '17', '18', '19']\n"
                                    "gain: [14.87, 13.26, 11.13, 10.62, 11.03, 11.47]\n";

static char scratch[] = "/tmp/identify_arms.XXXXXX";

static const char *scratch_file(const char *name) {
  static char path[4][128];
  static int next;
  char *out = path[next++ % 4];
  snprintf(out, sizeof(path[0]), "%s/%s", scratch, name);
  return out;
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
    fprintf(stderr, "identify_arms: %s cannot be written\n", path);
    exit(EXIT_FAILURE);
  }
}

static char *whole(const char *path) {
  char *text;
  size_t length;
  struct message error;
  return file_read(path, LOG_MAX_BYTES, &text, &length, &error) == STATUS_OK ? text : NULL;
}

/* The published description leaves the last link without extent, which no body has: it gets that of
 * a ball of 2.5 cm. */
static bool make_tx40(const char *to) {
  static const char mass[] = "<mass value=\"0.2\"/>", none[] = "\"0.000\"", ball[] = "\"5e-5\" ";
  char *text = whole(FOLDER "tx40_real/tx40_mdh_modified.urdf");
  char *at = text != NULL ? strstr(text, mass) : NULL;
  static const char *const moment[] = {"ixx=", "iyy=", "izz="};
  for (int i = 0; i < 3 && at != NULL; i++) {
    char *value = strstr(at, moment[i]);
    at = value != NULL && strncmp(value + 4, none, strlen(none)) == 0 ? at : NULL;
    if (at != NULL) {
      memcpy(value + 4, ball, strlen(ball));
    }
  }
  if (at != NULL) {
    write_text(to, text);
  }
  free(text);
  return at != NULL;
}

/* Seven numbers, one a line, `rows` times; NULL at the end. */
static bool next_seven(FILE *file, double value[7]) {
  for (int i = 0; i < 7; i++) {
    if (fscanf(file, "%lf", &value[i]) != 1) {
      return false;
    }
  }
  return true;
}

/* Time, positions and torques of the Panda in one table. */
static bool make_panda(const char *to) {
  FILE *time = fopen(FOLDER "panda_real/exciting_traj_time.txt", "r");
  FILE *q = fopen(FOLDER "panda_real/exciting_traj_positions.txt", "r");
  FILE *tau = fopen(FOLDER "panda_real/exciting_traj_torques.txt", "r");
  FILE *out = fopen(to, "w");
  double t, a[7], b[7];
  const bool open = time != NULL && q != NULL && tau != NULL && out != NULL;
  if (open) {
    fprintf(out, "t,q1,q2,q3,q4,q5,q6,q7,c1,c2,c3,c4,c5,c6,c7\n");
  }
  while (open && fscanf(time, "%lf", &t) == 1 && next_seven(q, a) && next_seven(tau, b)) {
    fprintf(out, "%.9g", t);
    for (int i = 0; i < 14; i++) {
      fprintf(out, ",%.9g", i < 7 ? a[i] : b[i - 7]);
    }
    fputc('\n', out);
  }
  FILE *const all[] = {time, q, tau, out};
  for (int i = 0; i < 4; i++) {
    if (all[i] != NULL) {
      fclose(all[i]);
    }
  }
  return open;
}

/* -- one arm ---------------------------------------------------------------------------------- */

/* What an arm's log becomes. */
struct bench {
  struct session session;
  struct base_parameters base;
  struct row_set other;
  struct fit_settings settings;
};

static bool open_bench(struct report *report, const struct arm *arm, struct bench *b) {
  struct session_options o = session_defaults();
  struct message error;
  o.robot = arm->robot;
  o.columns = scratch_file("columns.yaml");
  write_text(o.columns, arm->columns);
  for (int i = 0; i < 2 && arm->log[i] != NULL; i++) {
    o.log[o.n_logs++] = arm->log[i];
  }
  o.motion.cutoff_hz = arm->cutoff_hz;
  o.rows.rate_hz = arm->rate_hz;
  *b = (struct bench){.settings = fit_defaults()};
  enum status status = session_open(&o, &b->session, &error);
  if (status == STATUS_OK && arm->validate != NULL) {
    status = session_rows(&o, &b->session, arm->validate, &b->other, &error);
    b->settings.train_share = 1.0;
  }
  if (status == STATUS_OK) {
    status = base_parameters_find(&b->session.unknowns, o.up, &b->base);
  }
  if (status != STATUS_OK) {
    report_text(report, "%s: skipped: %s", arm->name, error.text);
  }
  return status == STATUS_OK;
}

static void close_bench(struct bench *b) {
  row_set_free(&b->other);
  base_parameters_free(&b->base);
  session_close(&b->session);
}

static struct robot_fit fit_from(const struct bench *b, enum fit_method method, double lambda,
                                 const double *start) {
  struct fit_settings settings = b->settings;
  struct robot_fit fit;
  settings.start = start;
  settings.method = method;
  settings.lambda = lambda;
  const enum status status = robot_fit_make(&b->session.unknowns, &b->session.rows, &b->base,
                                            b->session.prior, &settings, &fit);
  if (status != STATUS_OK) {
    fprintf(stderr, "identify_arms: %s\n", status_text(status));
    exit(EXIT_FAILURE);
  }
  if (b->other.n > 0) {
    fit.test = robot_fit_error(&b->other, fit.x, 0, b->other.n);
  }
  return fit;
}

static struct robot_fit fit_of(const struct bench *b, enum fit_method method, double lambda) {
  return fit_from(b, method, lambda, NULL);
}

static double prior_error(const struct bench *b) {
  const struct row_set *rows = b->other.n > 0 ? &b->other : &b->session.rows;
  const size_t first = b->other.n > 0 ? 0 : (size_t)(b->settings.train_share * (double)rows->n);
  return robot_fit_error(rows, b->session.prior, first, rows->n).total;
}

static void figure(struct report *report, const char *arm, const char *what, double value,
                   double limit) {
  char name[128];
  snprintf(name, sizeof(name), "%s: torque error on unseen motion, %s", arm, what);
  if (isfinite(limit)) {
    report_at_most(report, name, 100.0 * value, limit, "%");
  } else {
    report_figure(report, name, 100.0 * value, "%");
  }
}

/* Measured and predicted torques of the rows that were not fitted. */
static void plot_torques(struct report *report, const struct bench *b, const struct arm *arm,
                         const struct robot_fit *fit) {
  const struct row_set *rows = b->other.n > 0 ? &b->other : &b->session.rows;
  const size_t first = b->other.n > 0 ? 0 : (size_t)(b->settings.train_share * (double)rows->n);
  const size_t n = rows->n - first < LONGEST ? rows->n - first : LONGEST;
  static double measured[LONGEST], predicted[LONGEST];
  struct plot *plot = plot_create("Torque on motion that was not fitted", "time (s)");
  for (size_t j = 0; j < rows->n_channels && j < PANELS; j++) {
    char label[32];
    snprintf(label, sizeof(label), "joint %zu (N m)", j + 1);
    for (size_t k = 0; k < n; k++) {
      measured[k] = rows->channel[j].tau[first + k];
      predicted[k] = measured[k] - row_residual(&rows->channel[j], first + k, fit->x);
    }
    plot_panel(plot, label);
    plot_line(plot, "measured", rows->t + first, measured, n);
    plot_line(plot, "predicted", rows->t + first, predicted, n);
  }
  report_plot(report, plot, arm->name);
}

static void tell(struct report *report, const struct arm *arm, struct bench *b,
                 struct table *table) {
  static const struct {
    const char *name;
    enum fit_method method;
    double lambda;
  } way[] = {{"weighted least squares", FIT_WLS, 1.0},
             {"lambda 1e-2", FIT_PC_IRLS, 1e-2},
             {"lambda chosen", FIT_PC_IRLS, FIT_CHOOSE}};
  const double limit[] = {HUGE_VAL, arm->limit_fixed, arm->limit};
  char label[64];
  snprintf(label, sizeof(label), "%s, %.3g Hz", arm->name, b->session.motion.cutoff_hz);
  table_row(table, label);
  table_number(table, "%.2f", 100.0 * prior_error(b));
  for (int i = 0; i < 3; i++) {
    struct robot_fit fit = fit_of(b, way[i].method, way[i].lambda);
    table_number(table, "%.2f", 100.0 * fit.test.total);
    figure(report, label, way[i].name, fit.test.total, limit[i]);
    if (i == 2) {
      table_number(table, "%.3g", fit.lambda);
      table_text(table, fit.physical ? "yes" : "no");
      table_number(table, "%.1e", fit.gap / fit.cost);
      plot_torques(report, b, arm, &fit);
    }
    robot_fit_free(&fit);
  }
}

static void tell_above(struct report *report, const struct arm *arm, const struct bench *b,
                       enum fit_method method, const char *from, double above, double limit) {
  char name[128];
  snprintf(name, sizeof(name), "%s, %.3g Hz: %s %s, cost above the convex optimum", arm->name,
           b->session.motion.cutoff_hz, fit_method_name[method], from);
  if (isfinite(limit)) {
    report_at_most(report, name, 100.0 * above, limit, "%");
  } else {
    report_figure(report, name, 100.0 * above, "%");
  }
}

/* By how much a hundred quadratic programs stay above the convex optimum of the same problem, from
 * the prior, and once more from where they came to: linearised properly, as printed, and on
 * log-Cholesky parameters. */
static void tell_sequences(struct report *report, const struct arm *arm, const struct bench *b) {
  static const struct {
    enum fit_method method;
    double limit, again; /* %: from the prior, and once more */
  } way[] = {{FIT_SQP, 1.0, 0.1},
             {FIT_SQP_PRINTED, HUGE_VAL, HUGE_VAL},
             {FIT_LOG_CHOLESKY, HUGE_VAL, HUGE_VAL}};
  for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
    struct robot_fit first = fit_of(b, way[i].method, 1e-2);
    struct robot_fit second = fit_from(b, way[i].method, 1e-2, first.x);
    tell_above(report, arm, b, way[i].method, "from the prior", first.above, way[i].limit);
    tell_above(report, arm, b, way[i].method, "once more", second.above, way[i].again);
    robot_fit_free(&first);
    robot_fit_free(&second);
  }
}

/* -- the TX40 against what others published --------------------------------------------------- */

/* Value of a published name such as mx2, Ixx3, Ia4, fvm6. Its m, mx ... are about the link's
 * origin; rotor 6 turns with joints 5 and 6. NaN: no such name. */
static double named(const struct unknowns *u, const double *x, const char *name) {
  static const char *const ten[10] = {"m",   "mx",  "my",  "mz",  "Ixx",
                                      "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
  static const char *const own[4] = {"Ia", "fv", "fs", "off"};
  static const char *const coupled[3] = {"Iam6", "fvm6", "fsm6"};
  char word[16];
  int joint;
  for (int i = 0; i < 3; i++) {
    if (strcmp(name, coupled[i]) == 0) {
      return x[u->at[6][i]];
    }
  }
  if (sscanf(name, "%15[A-Za-z]%d", word, &joint) != 2 || joint < 1 || joint > 6) {
    return (double)NAN;
  }
  for (int i = 0; i < 10; i++) {
    if (strcmp(word, ten[i]) == 0) {
      return x[10 * (joint - 1) + i];
    }
  }
  for (int i = 0; i < 4; i++) {
    if (strcmp(word, own[i]) == 0) { /* published ones of joints 5 and 6 have the coupling's part */
      const double part = joint >= 5 && i < 2 ? x[u->at[6][i]] : 0.0;
      return x[u->at[joint - 1][i]] + part;
    }
  }
  return (double)NAN;
}

/* "Izz2 + 1.0*Ia2 - 0.05*m3": */
static double combined(const struct unknowns *u, const double *x, char *expression) {
  double sum = 0.0, sign = 1.0;
  for (char *word = strtok(expression, " "); word != NULL; word = strtok(NULL, " ")) {
    if (strcmp(word, "+") == 0 || strcmp(word, "-") == 0) {
      sign = word[0] == '-' ? -1.0 : 1.0;
      continue;
    }
    char *star = strchr(word, '*');
    sum += sign * (star != NULL ? strtod(word, NULL) : 1.0) *
           named(u, x, star != NULL ? star + 1 : word);
  }
  return sum;
}

/* Fitted to the whole recording and without Huber's weights, as theirs are. */
static void against_published(struct report *report, const struct bench *b) {
  struct bench all = *b;
  all.settings.train_share = 1.0;
  char *text = whole(FOLDER "tx40_real/TX40_bp_5.csv");
  struct robot_fit fit = fit_of(&all, FIT_PC_WLS, 1e-2);
  struct table *table = table_create(
      "TX40: parameters that others tell to 5 %, and friction, fitted to the whole recording",
      "parameter", "published", "deviation", "found", "apart (deviations)", NULL);
  double worst = 0.0, count = 0.0, within = 0.0;
  char *rest = NULL;
  for (char *line = text != NULL ? strtok_r(text, "\r\n", &rest) : NULL; line != NULL;
       line = strtok_r(NULL, "\r\n", &rest)) {
    char expression[512], label[64];
    double ols, ols_percent, wls, percent;
    if (sscanf(line, "%511[^,],%lf,%lf,%lf,%lf", expression, &ols, &ols_percent, &wls, &percent) !=
        5) {
      continue;
    }
    snprintf(label, sizeof(label), "%.40s%s", expression, strlen(expression) > 40 ? " ..." : "");
    const bool friction = strncmp(expression, "fv", 2) == 0 || strncmp(expression, "fs", 2) == 0;
    if (!friction && percent >= 5.0) {
      continue;
    }
    const double found = combined(&b->session.unknowns, fit.x, expression);
    const double sd = 0.01 * percent * fabs(wls), apart = fabs(found - wls) / sd;
    table_row(table, label);
    table_number(table, "%.4f", wls);
    table_number(table, "%.4f", sd);
    table_number(table, "%.4f", found);
    table_number(table, "%.2f", apart);
    worst = fmax(worst, apart);
    within += apart <= 3.0;
    count += 1.0;
  }
  if (count > 0.0) {
    report_table(report, table);
    report_at_most(report, "TX40: worst of them, published deviations apart", worst, 3.0, "");
    report_figure(report, "TX40: share of them within three", within / count, "");
  } else {
    table_free(table);
  }
  robot_fit_free(&fit);
  free(text);
}

static void evaluate(struct report *report, const struct arm *arm, struct table *table) {
  struct bench b;
  if (!open_bench(report, arm, &b)) {
    return;
  }
  tell(report, arm, &b, table);
  tell_sequences(report, arm, &b);
  if (strncmp(arm->name, "tx40", 4) == 0 && arm->cutoff_hz > 0.0) {
    report_at_most(report, "TX40: base parameters", (double)b.base.n_base, 61.0, "");
    report_at_least(report, "TX40: base parameters, not fewer", (double)b.base.n_base, 61.0, "");
    against_published(report, &b);
  }
  close_bench(&b);
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "identify_arms",
                                      "Three real arms, identified");
  if (mkdtemp(scratch) == NULL || access(FOLDER "tx40_real", R_OK) != 0) {
    report_text(report, "%s is not here: skipped.", FOLDER);
    return report_close(report);
  }
  const char *tx40 = strdup(scratch_file("tx40.urdf")), *panda = strdup(scratch_file("panda.csv"));
  make_tx40(tx40);
  make_panda(panda);
  const struct arm arm[] = {
      /* rows as others have made them of this recording, and as the program chooses */
      {"tx40",
       tx40,
       tx40_columns,
       {FOLDER "tx40_real/pos_read_data.csv", FOLDER "tx40_real/curr_data.csv"},
       NULL,
       100.0,
       500.0,
       9.1,
       8.8},
      {"tx40 by itself",
       tx40,
       tx40_columns,
       {FOLDER "tx40_real/pos_read_data.csv", FOLDER "tx40_real/curr_data.csv"},
       NULL,
       0.0,
       0.0,
       9.1,
       8.8},
      {"panda",
       "config/robots/panda.urdf",
       panda_columns,
       {panda, NULL},
       NULL,
       0.0,
       0.0,
       HUGE_VAL,
       2.5},
      {"ur10e",
       "config/robots/ur10e.urdf",
       ur10e_columns,
       {FOLDER "ur10e_real/excite_30s_12harm.csv", NULL},
       FOLDER "ur10e_real/ptp_10_points.csv",
       0.0,
       0.0,
       HUGE_VAL,
       5.1}};
  report_text(report,
              "Fitted to the first 70 %% of a recording and judged on the moving rows of the "
              "rest; the UR10e fitted on an exciting motion and judged on another, from point "
              "to point. Errors are shares of the torque, root mean square over all joints, "
              "both sides through the same low-pass: a lower cutoff leaves less. The TX40 is "
              "shown at 100 Hz, as others have treated it, and as the program chooses.");
  struct table *table =
      table_create("Torque error on unseen motion (%)", "arm", "prior", "weighted least squares",
                   "lambda 1e-2", "lambda chosen", "lambda", "bodies can be", "gap / cost", NULL);
  for (size_t i = 0; i < sizeof(arm) / sizeof(arm[0]); i++) {
    evaluate(report, &arm[i], table);
  }
  report_table(report, table);
  const char *const made[] = {"tx40.urdf", "panda.csv", "columns.yaml"};
  for (int i = 0; i < 3; i++) {
    unlink(scratch_file(made[i]));
  }
  rmdir(scratch);
  return report_close(report);
}
