/* A real arm: what the last link of a Franka Panda weighs, streamed from a recording, against the
 * convex batch fit of the same ten parameters to the same rows. All other bodies and the friction
 * come from a fit of the whole arm. Skips with a word when the recording is not here. */
#include "report.h"
#include "settings/robot_files.h"
#include "support/panda_last_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STARTS = 16, VARIANTS = 7, CHOICES = 10 };

enum source { ONLINE, STAMPED, OFFLINE, SOURCES };
static const char *const SOURCE_NAME[SOURCES] = {"joint filter", "joint filter, as stamped",
                                                 "zero phase"};

struct variant {
  const char *name;
  enum source source;
  struct inertial_filter_settings settings;
};

/* The arm as a choice makes it. */
struct arm {
  struct panda_choice choice;
  struct robot *robot; /* with the fitted bodies and friction */
  struct panda_nominal nominal;
  struct inertial_filter_settings settings;
  struct inertia guess; /* where streams begin */
};

static struct panda_recording recording;
static struct panda_motion motion[SOURCES];
static struct panda_course course[VARIANTS];

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "inertial_panda: %s\n", what);
  exit(EXIT_FAILURE);
}

static struct robot *load(void) {
  const struct robot_settings settings = {.urdf = "config/robots/panda.urdf", .fixed_base = true};
  struct robot *robot;
  struct message error;
  if (robot_load(&settings, NULL, &robot, &error) != STATUS_OK) {
    give_up(error.text);
  }
  return robot;
}

/* A body that the last link is not: the description's, about half as heavy, 52 mm off its
 * centre. */
static struct inertia wrong_guess(const struct robot *robot) {
  const struct pose shifted = {MAT3_IDENTITY, {0.03, -0.03, 0.03}};
  return inertia_transform(&shifted, &robot->model.inertia[PANDA_LAST]);
}

/* Not a humanoid's defaults: the link stays as it is, so nothing drifts, and a wrong guess is no
 * bias to calibrate away; of its shape only the order of magnitude is known; and what the arm's
 * model misses lasts longer than a block, which therefore counts for less. */
static struct inertial_filter_settings arm_settings(const struct panda_nominal *nominal) {
  struct inertial_filter_settings s = inertial_filter_defaults();
  s.calibration_s = 0.0;
  s.core.drift = (struct inertial_spread){0.0, 0.0, 0.0, 0.0};
  s.core.prior = (struct inertial_spread){1.0, 0.05, 1.0, 1.0};
  s.torque_noise = panda_noise_over(nominal, s.block_s);
  return s;
}

/* Prepares the motions and fits the whole arm. */
static struct arm make_arm(struct panda_choice choice) {
  struct arm arm = {.choice = choice, .robot = load()};
  panda_offline(&recording, choice.cutoff_hz, &motion[OFFLINE]);
  for (int s = 0; s < SOURCES; s++) {
    panda_slide(&motion[s], choice.travel);
  }
  arm.guess = wrong_guess(arm.robot);
  if (panda_fit(arm.robot, &motion[OFFLINE], &choice, &arm.nominal) != STATUS_OK) {
    give_up("the fit of the whole arm failed");
  }
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    arm.robot->model.inertia[j + 1] = arm.nominal.body[j + 1];
    arm.robot->model.joint[j].coulomb = panda_coulomb(&arm.nominal, j);
    arm.robot->model.joint[j].viscous = arm.nominal.viscous[j];
  }
  arm.settings = arm_settings(&arm.nominal);
  return arm;
}

static struct panda_batch batch_of(const struct arm *arm, enum source source, double from_s) {
  struct panda_batch batch;
  if (panda_batch(arm->robot, &arm->nominal, &motion[source], from_s, &arm->settings, &batch) !=
      STATUS_OK) {
    give_up("the batch fit failed");
  }
  return batch;
}

static void stream(const struct arm *arm, const struct variant *variant, double from_s,
                   const struct inertia *reference, struct panda_course *out) {
  if (panda_stream(arm->robot, &arm->nominal, &motion[variant->source], from_s, &variant->settings,
                   &arm->guess, reference, out) != STATUS_OK) {
    give_up(variant->name);
  }
}

/* -- the recording and the whole arm ---------------------------------------------------------- */

static void report_arm(struct report *report, const struct arm *arm) {
  const struct panda_nominal *n = &arm->nominal;
  const double lean = hypot(n->up.x, n->up.y) / n->up.z;
  report_text(
      report,
      "%zu samples, a real arm without hand. %zu came twice, %zu of the robot's were missed, "
      "stamps jitter by %.2f ms about the robot's clock, which positions and velocities give "
      "back.",
      recording.n_samples, recording.twice, recording.missed, 1e3 * recording.jitter);
  report_text(
      report,
      "All seven bodies fitted together, physically consistent (gap %.0e nats), pulled "
      "towards config/robots/panda.urdf by %.1f of their size where torques do not tell (how "
      "links share their mass is hardly told), with friction that builds up over %.0f mrad "
      "and %.1f rad, errors of the torque sensors (gains to %.0f %%) and a base that leans by "
      "%.2f degrees. Motion by zero-phase filters, %.0f Hz, and central differences. "
      "`Scatter` is that of the residual's means over %.1f s: all weights come from it; a block of "
      "the stream has %.2f N m.",
      n->gap, arm->choice.pull, 1e3 * arm->choice.travel[0], arm->choice.travel[1],
      100.0 * arm->choice.gain, lean * 180.0 / M_PI, arm->choice.cutoff_hz, PANDA_SPAN,
      arm->settings.torque_noise);
  struct table *table =
      table_create("The whole arm", "joint", "mass of its link (kg)", "friction, early (N m)",
                   "late", "viscous (N m s)", "stiffness (N m)", "sensor's zero (N m)",
                   "its gain (%)", "residual (N m)", "scatter (N m)", "torque late (ms)", NULL);
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    char name[8];
    snprintf(name, sizeof(name), "%zu", j + 1);
    table_row(table, name);
    table_number(table, "%.2f", n->body[j + 1].m);
    table_number(table, "%.3f", n->coulomb[0][j]);
    table_number(table, "%.3f", n->coulomb[1][j]);
    table_number(table, "%.3f", n->viscous[j]);
    table_number(table, "%.3f", n->stiffness[j]);
    table_number(table, "%.3f", n->zero[j]);
    table_number(table, "%+.1f", 100.0 * n->gain[j]);
    table_number(table, "%.3f", n->misfit[j]);
    table_number(table, "%.3f", n->scatter[j]);
    table_number(table, "%.1f", 1e3 * n->delay[j]);
  }
  report_table(report, table);
}

static void body_row(struct table *table, const char *name, enum source source,
                     const struct inertia *body) {
  const vec3 c = inertia_com(body);
  table_row(table, name);
  table_text(table, SOURCE_NAME[source]);
  table_number(table, "%.4f", body->m);
  table_number(table, "%.1f", 1e3 * c.x);
  table_number(table, "%.1f", 1e3 * c.y);
  table_number(table, "%.1f", 1e3 * c.z);
  table_text(table, inertia_consistency(body, 0.0, NULL) == STATUS_OK ? "yes" : "no");
}

static void report_batches(struct report *report, const struct arm *arm) {
  struct table *table = table_create("The last link in one batch", "fit", "motion", "mass (kg)",
                                     "CoM x (mm)", "y", "z", "physical", NULL);
  for (int s = 0; s < SOURCES; s++) {
    const struct panda_batch batch = batch_of(arm, (enum source)s, 0.0);
    body_row(table, "least squares", (enum source)s, &batch.least_squares);
    body_row(table, "convex", (enum source)s, &batch.convex);
  }
  body_row(table, "where streams begin", ONLINE, &arm->guess);
  report_table(report, table);
}

/* -- streaming -------------------------------------------------------------------------------- */

/* The paper's: printed form or plain parameters, one step, random walk, no gate. */
static struct inertial_filter_settings as_printed(struct inertial_filter_settings s,
                                                  enum inertial_form form) {
  s.core.form = form;
  s.core.iterations = 1;
  s.core.memory = false;
  s.core.drift = (struct inertial_spread){2.0, 0.02, 0.1, 0.1};
  s.gate = INERTIAL_GATE_NONE;
  s.detector_window = 0;
  s.correct_regressor = false;
  return s;
}

static struct inertial_filter_settings in_form(struct inertial_filter_settings s,
                                               enum inertial_form form) {
  s.core.form = form;
  return s;
}

static void report_streams(struct report *report, const struct variant *variant) {
  struct table *table =
      table_create("The last link streamed, against the convex batch of the same rows", "filter",
                   "motion", "mass (kg)", "sd (kg)", "worst from 1 s on (%)", "within 1 % from (s)",
                   "worst parameter at the end (sd)", "unphysical (% of time)", "alarms", NULL);
  for (size_t v = 0; v < VARIANTS; v++) {
    const struct panda_course *c = &course[v];
    table_row(table, variant[v].name);
    table_text(table, SOURCE_NAME[variant[v].source]);
    table_number(table, "%.4f", c->result.link[0].estimate.m);
    table_number(table, "%.4f", c->result.link[0].mass_sd);
    table_number(table, "%.2f", 100.0 * c->worst_mass);
    table_number(table, "%.2f", c->settled);
    table_number(table, "%.2f", c->end_distance);
    table_number(table, "%.1f", 100.0 * (double)c->unphysical / (double)c->instants);
    table_number(table, "%.0f", (double)c->result.counters.changes);
  }
  report_table(report, table);
}

static void plot_streams(struct report *report, const struct variant *variant,
                         const struct panda_batch *batch) {
  static const size_t shown[] = {4, 3, 0}; /* ours on top */
  static const char *const axis[3] = {"CoM x (m)", "CoM y (m)", "CoM z (m)"};
  const vec3 com = inertia_com(&batch->convex);
  const double centre[3] = {com.x, com.y, com.z};
  struct plot *plot = plot_create("The last link of a real Panda", "time (s)");
  plot_panel(plot, "mass (kg)");
  plot_y_range(plot, 0.8 * batch->convex.m, 1.2 * batch->convex.m);
  plot_level(plot, "convex batch", batch->convex.m);
  for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
    const struct panda_course *c = &course[shown[i]];
    plot_line(plot, variant[shown[i]].name, c->t, c->mass, c->n);
  }
  for (int a = 0; a < 3; a++) {
    plot_panel(plot, axis[a]);
    plot_y_range(plot, centre[a] - 0.02, centre[a] + 0.02);
    plot_level(plot, "convex batch", centre[a]);
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
      const struct panda_course *c = &course[shown[i]];
      plot_line(plot, variant[shown[i]].name, c->t, c->com[a], c->n);
    }
  }
  plot_panel(plot, "worst parameter (sd)");
  plot_y_range(plot, 0.0, 6.0);
  plot_level(plot, "2 sd", 2.0);
  for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
    const struct panda_course *c = &course[shown[i]];
    plot_line(plot, variant[shown[i]].name, c->t, c->distance, c->n);
  }
  report_plot(report, plot, "last_link");
}

static void compare(struct report *report, const struct arm *arm) {
  const struct inertial_filter_settings s = arm->settings;
  const struct variant variant[VARIANTS] = {
      {"ours", ONLINE, s},
      {"ours", OFFLINE, s},
      {"ours", STAMPED, s},
      {"Foster as printed", ONLINE, as_printed(s, INERTIAL_FOSTER)},
      {"linear as printed", ONLINE, as_printed(s, INERTIAL_LINEAR)},
      {"Foster's form in ours", ONLINE, in_form(s, INERTIAL_FOSTER)},
      {"linear in ours", ONLINE, in_form(s, INERTIAL_LINEAR)}};
  const struct panda_batch batch = batch_of(arm, ONLINE, 0.0);
  for (size_t v = 0; v < VARIANTS; v++) {
    const struct panda_batch own = batch_of(arm, variant[v].source, 0.0);
    stream(arm, &variant[v], 0.0, &own.convex, &course[v]);
  }
  report_streams(report, variant);
  report_text(
      report,
      "Start and stop shake the arm's stand at about 5 Hz (up to 0.7 N m at joint 2), which no "
      "model of the arm has, and friction is up to 0.5 N m more in the first 0.2 s of motion: "
      "the alarm with zero-phase motion is the stop. As stamped, the jitter makes ddq "
      "noisier than the weights say.");
  plot_streams(report, variant, &batch);
  const struct panda_course *ours = &course[0];
  report_at_most(report, "mass against the convex batch from 1 s on", ours->worst_mass, 0.01,
                 "of it");
  report_at_most(report, "worst parameter at the end", ours->end_distance, 2.0, "sd");
  report_at_most(report, "instants unphysical", (double)ours->unphysical, 0.0, "");
  report_at_least(report, "instants at which the linear filter is unphysical",
                  (double)course[4].unphysical, 1.0, "");
}

/* -- how far that holds ----------------------------------------------------------------------- */

/* The stream begun elsewhere: the arm is moving, and each start sees other friction. */
static void report_starts(struct report *report, const struct arm *arm) {
  static struct panda_course run;
  const struct variant ours = {"ours", ONLINE, arm->settings};
  const struct panda_batch batch = batch_of(arm, ONLINE, 0.0);
  struct table *table = table_create("The stream begun elsewhere, against the whole batch",
                                     "start (s)", "worst from 1 s on (%)", "within 1 % from (s)",
                                     "sd of the mass at the end (%)", "unphysical", NULL);
  double worst = 0.0;
  for (int start = 0; start < STARTS; start++) {
    char name[16];
    stream(arm, &ours, (double)start, &batch.convex, &run);
    snprintf(name, sizeof(name), "%d", start);
    table_row(table, name);
    table_number(table, "%.2f", 100.0 * run.worst_mass);
    table_number(table, "%.2f", run.settled);
    table_number(table, "%.2f", 100.0 * run.result.link[0].mass_sd / batch.convex.m);
    table_number(table, "%.0f", (double)run.unphysical);
    worst = fmax(worst, run.worst_mass);
  }
  report_table(report, table);
  report_figure(report, "mass from 1 s on, worst of 16 starts", worst, "of the batch");
}

/* What the fit of the whole arm leaves to choice, and the arm known from the first half alone. */
static void report_choices(struct report *report) {
  static struct panda_course run;
  static const struct {
    const char *name;
    double cutoff_hz, travel[PANDA_SLIDERS], pull, gain, to_s, from_s;
  } row[CHOICES] = {
      {"as above", 20.0, {2e-3, 0.3}, 0.5, 0.05, HUGE_VAL, 0.0},
      {"10 Hz", 10.0, {2e-3, 0.3}, 0.5, 0.05, HUGE_VAL, 0.0},
      {"40 Hz", 40.0, {2e-3, 0.3}, 0.5, 0.05, HUGE_VAL, 0.0},
      {"friction over 1 mrad", 20.0, {1e-3, 0.3}, 0.5, 0.05, HUGE_VAL, 0.0},
      {"friction over 4 mrad", 20.0, {4e-3, 0.3}, 0.5, 0.05, HUGE_VAL, 0.0},
      {"friction over 0.1 rad", 20.0, {2e-3, 0.1}, 0.5, 0.05, HUGE_VAL, 0.0},
      {"sensors' gains to 2 %", 20.0, {2e-3, 0.3}, 0.5, 0.02, HUGE_VAL, 0.0},
      {"pull 0.25", 20.0, {2e-3, 0.3}, 0.25, 0.05, HUGE_VAL, 0.0},
      {"pull 1", 20.0, {2e-3, 0.3}, 1.0, 0.05, HUGE_VAL, 0.0},
      {"arm from the first half, link from the second", 20.0, {2e-3, 0.3}, 0.5, 0.05, 10.5, 10.5}};
  struct table *table = table_create("What the choices change", "choice", "convex batch (kg)",
                                     "stream (kg)", "worst from 1 s on (%)", "within 1 % from (s)",
                                     "worst parameter at the end (sd)", "unphysical", NULL);
  for (size_t k = 0; k < CHOICES; k++) {
    const struct panda_choice choice = {.cutoff_hz = row[k].cutoff_hz,
                                        .travel = {row[k].travel[0], row[k].travel[1]},
                                        .pull = row[k].pull,
                                        .gain = row[k].gain,
                                        .from_s = 0.0,
                                        .to_s = row[k].to_s};
    const struct arm arm = make_arm(choice);
    const struct variant ours = {"ours", ONLINE, arm.settings};
    const struct panda_batch batch = batch_of(&arm, ONLINE, row[k].from_s);
    stream(&arm, &ours, row[k].from_s, &batch.convex, &run);
    table_row(table, row[k].name);
    table_number(table, "%.4f", batch.convex.m);
    table_number(table, "%.4f", run.result.link[0].estimate.m);
    table_number(table, "%.2f", 100.0 * run.worst_mass);
    table_number(table, "%.2f", run.settled);
    table_number(table, "%.2f", run.end_distance);
    table_number(table, "%.0f", (double)run.unphysical);
    robot_destroy(arm.robot);
  }
  report_table(report, table);
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : "build/evaluate", "inertial_panda", "A real arm");
  if (!panda_read(&recording)) {
    report_text(report, "%s is not here: skipped.", PANDA_FOLDER);
    return report_close(report);
  }
  struct robot *robot = load();
  if (!panda_online(&recording, robot, false, &motion[ONLINE]) ||
      !panda_online(&recording, robot, true, &motion[STAMPED])) {
    give_up("no joint filter");
  }
  robot_destroy(robot);
  const struct arm arm = make_arm(panda_choice());
  report_arm(report, &arm);
  report_batches(report, &arm);
  compare(report, &arm);
  report_starts(report, &arm);
  report_choices(report);
  robot_destroy(arm.robot);
  return report_close(report);
}
