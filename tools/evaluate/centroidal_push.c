/* Pushes: onset and impulse with leg torques, with foot sensors, and with neither. */
#include "report.h"
#include "support/centroidal_run.h"

#include <math.h>
#include <stdio.h>

enum { SEEDS = 2, TRACE = 4000 };

enum sensing { BY_TORQUES, BY_SENSORS, BY_NOTHING, SENSINGS };
static const char *const sensing_name[SENSINGS] = {"leg torques", "foot sensors", "neither"};

struct push_case {
  const char *name;
  const char *scenario;
  double gain; /* relative error of the torques, one deviation per joint */
};
static const struct push_case cases[] = {{"standing", "push", 0.0},
                                         {"standing, torques 5 % off", "push", 0.05}};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

struct outcome {
  double onset_s, impulse, truth; /* s after the true onset; N s */
  int false_pushes;
};

static struct trace {
  size_t n;
  double t[TRACE], truth[TRACE], found[SENSINGS][TRACE];
} trace;

static struct outcome push(const struct push_case *c, const struct stock_robot *stock,
                           enum sensing sensing, uint64_t seed) {
  static struct centroidal_run run;
  struct sim_options options = centroidal_run_options(stock, c->scenario, 1000.0, seed);
  struct outcome out = {.onset_s = (double)NAN};
  vec3 truth = VEC3_ZERO;
  double began = -1.0;
  size_t at = 0;
  options.duration_s = 4.0;
  options.joints.has_effort = sensing == BY_TORQUES;
  options.joints.effort_gain = c->gain;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = sensing == BY_SENSORS ? 1000.0 : 0.0;
  centroidal_run_begin(&run, stock, &options, true, NULL);
  while (centroidal_run_step(&run)) {
    const struct sim_truth *now = sim_truth(run.sim);
    const struct propriod_centroidal *found = &run.out[WAY_SKIN];
    const bool pushed = vec3_norm(now->push_force_W) > 0.0;
    truth = vec3_axpy(truth, run.dt, now->push_force_W);
    began = pushed && began < 0.0 ? run.t : began;
    if (found->push_active && began < 0.0) {
      out.false_pushes = (int)found->push_count;
    }
    if (found->push_active && began >= 0.0 && isnan(out.onset_s)) {
      out.onset_s = run.t - began;
    }
    if (began >= 0.0 && run.t < began + 0.35) {
      out.impulse = vec3_norm(found->push_impulse);
    }
    if (seed == 21 && at < TRACE && run.t > 1.5) {
      trace.t[at] = run.t;
      trace.truth[at] = vec3_norm(now->push_force_W);
      trace.found[sensing][at++] = vec3_norm(found->push_force);
      trace.n = at;
    }
  }
  out.truth = vec3_norm(truth);
  centroidal_run_end(&run);
  return out;
}

static void evaluate(struct report *report, const struct push_case *c,
                     const struct stock_robot *stock) {
  struct table *table = table_create(c->name, "sensing", "seed", "onset (ms)", "impulse (N s)",
                                     "true impulse (N s)", "false pushes", NULL);
  char name[128];
  for (int sensing = 0; sensing < (c->gain > 0.0 ? BY_SENSORS : SENSINGS); sensing++) {
    double onset = 0.0, error = 0.0, bound = 0.0;
    for (int s = 0; s < SEEDS; s++) {
      const struct outcome out = push(c, stock, (enum sensing)sensing, 21 + (uint64_t)s);
      table_row(table, sensing_name[sensing]);
      table_number(table, "%.0f", 21.0 + s);
      table_number(table, "%.1f", 1e3 * out.onset_s);
      table_number(table, "%.2f", out.impulse);
      table_number(table, "%.2f", out.truth);
      table_number(table, "%.0f", out.false_pushes);
      onset = fmax(onset, isnan(out.onset_s) ? 1.0 : out.onset_s);
      error = fmax(error, fabs(out.impulse / out.truth - 1.0));
      bound = fmax(bound, out.impulse / out.truth);
    }
    snprintf(name, sizeof(name), "%s, %s: onset, worst", c->name, sensing_name[sensing]);
    report_at_most(report, name, 1e3 * onset, 20.0, "ms");
    snprintf(name, sizeof(name), "%s, %s: impulse, %s", c->name, sensing_name[sensing],
             sensing == BY_NOTHING ? "lower bound over truth" : "worst relative error");
    report_at_most(report, name, sensing == BY_NOTHING ? bound : error,
                   sensing == BY_NOTHING ? 1.0 : 0.15, "");
  }
  report_table(report, table);
}

int main(int argc, char **argv) {
  struct stock_robot stock;
  struct message error;
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "centroidal_push",
                                      "Pushes, with and without torques and foot sensors");
  if (stock_robot_load("humanoid30", "config/robots", &stock, &error) != STATUS_OK) {
    give_up("humanoid30", error.text);
  }
  report_text(report, "A half-sine of 0.2 s at the pelvis of the standing robot; seeds 21 and 22. "
                      "Without torques and foot sensors the ground's share is not seen: the "
                      "impulse is a lower bound and is published as one.");
  for (int c = 0; c < CASES; c++) {
    evaluate(report, &cases[c], &stock);
    if (c == 0) {
      struct plot *plot = plot_create("A push while standing", "time (s)");
      plot_panel(plot, "force (N)");
      plot_line(plot, "truth", trace.t, trace.truth, trace.n);
      for (int s = 0; s < SENSINGS; s++) {
        plot_line(plot, sensing_name[s], trace.t, trace.found[s], trace.n);
      }
      report_plot(report, plot, "standing");
    }
  }
  robot_destroy(stock.robot);
  return report_close(report);
}
