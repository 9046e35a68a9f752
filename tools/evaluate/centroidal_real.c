/* A real iCub that walks, through the product's own path with its defaults: base velocity, tilt,
 * yaw and way against motion capture, centre of mass and lateral centre of pressure; beside it the
 * contact-aided invariant filter that others run. Encoders and IMU at 100 Hz, with the stamps as
 * logged, which are those of arrival, and evened. */
#include "report.h"
#include "settings/settings.h"
#include "support/give_up.h"
#include "support/icub_walk.h"
#include "support/walk_invariant.h"

#include <math.h>
#include <stdio.h>

static const char folder[] = "../shared/data";
/* The capture jumps by 65 mm at 8.36 s and stands still until 8.59 s, when the robot has come to
 * where it stands; velocities take in 40 ms beside. */
static const struct walk_stretch stretch = {5.5, 11.7, 8.22, 8.64};
static const double period_s = 0.01;

enum way { PIPELINE, INVARIANT, WAYS };
enum stamps { LOGGED, FITTED, EVENED, STAMPS };
static const char *const way_name[WAYS] = {"propriod", "invariant EKF"};
static const char *const stamps_name[STAMPS] = {"as logged", "clock fitted", "evened"};

static struct walk_log walk;

static struct walk_said said[WAYS][STAMPS];

/* -- report ----------------------------------------------------------------------------------- */

static void report_table_of(struct report *report, struct walk_score f[WAYS][STAMPS]) {
  struct table *table =
      table_create("Errors against motion capture, 5.5 to 11.7 s", "way", "stamps", "v x", "v y",
                   "v z (m/s)", "tilt (deg)", "yaw (deg)", "way (%)", NULL);
  for (int w = 0; w < WAYS; w++) {
    for (int s = 0; s < STAMPS; s++) {
      table_row(table, way_name[w]);
      table_text(table, stamps_name[s]);
      for (int a = 0; a < 3; a++) {
        table_number(table, "%.3f", f[w][s].velocity[a]);
      }
      table_number(table, "%.2f", f[w][s].tilt * 180.0 / M_PI);
      table_number(table, "%.2f", f[w][s].yaw * 180.0 / M_PI);
      table_number(table, "%.1f", 100.0 * f[w][s].way);
    }
  }
  report_table(report, table);
}

static void report_limits(struct report *report, struct walk_score f[WAYS][STAMPS]) {
  static const double limit[3] = {0.035, 0.040, 0.014};
  static const char *const axis[3] = {"x", "y", "z"};
  const struct walk_score *logged = &f[PIPELINE][LOGGED], *evened = &f[PIPELINE][EVENED];
  char name[96];
  double com = 0.0, still = 0.0;
  for (int a = 0; a < 3; a++) {
    snprintf(name, sizeof(name), "base velocity %s, as logged", axis[a]);
    report_at_most(report, name, logged->velocity[a], limit[a], "m/s");
    snprintf(name, sizeof(name), "base velocity %s, as logged, times the invariant EKF's", axis[a]);
    report_at_most(report, name, logged->velocity[a] / f[INVARIANT][LOGGED].velocity[a], 1.0, "");
    snprintf(name, sizeof(name), "base velocity %s, as logged, times evened", axis[a]);
    report_at_most(report, name, logged->velocity[a] / evened->velocity[a], 1.1, "");
    com += logged->com[a];
    still += logged->com_still[a];
  }
  report_at_most(report, "velocity of the centre of mass, times saying zero", com / still, 0.5, "");
  report_at_most(report, "tilt, mean, as logged", logged->tilt * 180.0 / M_PI, 0.5, "degrees");
  report_at_most(report, "yaw drift, as logged", fabs(logged->yaw) * 180.0 / M_PI, 1.0, "degrees");
  report_at_most(report, "drift of the way, as logged", 100.0 * logged->way, 6.0, "%");
  report_at_most(report, "lateral centre of pressure against the force split, each row",
                 1e3 * logged->cop, 35.0, "mm");
  report_at_most(report, "lateral centre of pressure against the force split, below 8 Hz",
                 1e3 * logged->cop_slow, 35.0, "mm");
  report_figure(report, "share of rows that are ok, as logged",
                (double)said[PIPELINE][LOGGED].ok / (double)said[PIPELINE][LOGGED].rows, "");
  report_at_most(report, "resets, as logged", (double)said[PIPELINE][LOGGED].resets, 0.0, "");
}

static void draw(struct report *report) {
  static double t[WALK_LOG_ROWS], v[WAYS + 1][2][WALK_LOG_ROWS];
  size_t n = 0;
  for (size_t row = WALK_LOG_EDGE; row + WALK_LOG_EDGE < walk.n; row++) {
    t[n] = walk_log_t(&walk, row);
    if (t[n] < stretch.from || t[n] > stretch.to) {
      continue;
    }
    const vec3 captured = walk_log_captured(&walk, row).velocity;
    const bool lost = !walk_counts(&walk, &stretch, row); /* a gap */
    v[WAYS][0][n] = lost ? (double)NAN : captured.x;
    v[WAYS][1][n] = lost ? (double)NAN : captured.y;
    for (int w = 0; w < WAYS; w++) {
      const vec3 own = walk_own_yaw(&said[w][LOGGED].R[row], said[w][LOGGED].v[row]);
      v[w][0][n] = own.x;
      v[w][1][n] = own.y;
    }
    n++;
  }
  struct plot *plot = plot_create("A real iCub walks, stamps as logged", "time (s)");
  for (int a = 0; a < 2; a++) {
    plot_panel(plot, a == 0 ? "base velocity x (m/s)" : "base velocity y (m/s)");
    plot_line(plot, "motion capture", t, v[WAYS][a], n);
    for (int w = 0; w < WAYS; w++) {
      plot_line(plot, way_name[w], t, v[w][a], n);
    }
  }
  report_plot(report, plot, "walk");
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : "build/evaluate", "centroidal_real", "A real iCub walks");
  if (!icub_walk_read(&walk, folder)) {
    report_text(report, "%s is not here: skipped.", folder);
    return report_close(report);
  }
  struct robot *robot = icub_walk_robot(folder);
  struct kinematics kin = icub_walk_kinematics(robot);
  static struct walk_score found[WAYS][STAMPS];
  static struct settings defaults; /* as the daemon has them, but for the rate of the cycle */
  settings_defaults(&defaults);
  defaults.pipeline.period_s = period_s;
  for (int s = STAMPS - 1; s >= 0; s--) { /* judged and drawn by the stamps as logged */
    if (!icub_walk_read(&walk, folder)) {
      give_up(folder, "cannot be read again");
    }
    if (s == EVENED) {
      walk_log_even(&walk);
    } else if (s == FITTED) {
      walk_log_fit(&walk);
    }
    if (!walk_run_pipeline(&walk, robot, &defaults.pipeline, &kin, &said[PIPELINE][s])) {
      give_up("icub", "the pipeline refuses it");
    }
    walk_run_invariant(&walk, robot, &said[INVARIANT][s]);
    for (int w = 0; w < WAYS; w++) {
      found[w][s] = walk_score(&walk, &stretch, &said[w][s], w == PIPELINE);
    }
  }
  report_text(
      report,
      "Encoders and IMU at 100 Hz through pipeline_step, defaults; 8.22 to 8.64 s, where motion "
      "capture jumps and stands still, left out; a constant tilt between markers and base taken "
      "out. The invariant EKF with its authors' settings, feet standing by their force.");
  report_table_of(report, found);
  report_limits(report, found);
  draw(report);
  robot_destroy(robot);
  return report_close(report);
}
