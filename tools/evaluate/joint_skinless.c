/* Joints without skin, from the start and when it is lost while moving: never much worse than what
 * encoders alone give. 50 seeds. */
#include "report.h"
#include "support/joint_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 50, FIRST_SEED = 301, FIRST_BARE_LINK = 6 };
static const double LIMIT = 1.2;

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double ratio_of(const char *scenario, double lost_at_s, unsigned long seed) {
  const struct joint_run_options options = {.robot = "chain9",
                                            .scenario = scenario,
                                            .encoder_noise = 1e-3,
                                            .rate_hz = 200.0,
                                            .skin_hz = 200.0,
                                            .seconds = 8.0,
                                            .score_from_s = fmax(2.0, lost_at_s),
                                            .no_skin_from_link = FIRST_BARE_LINK,
                                            .no_skin_s = lost_at_s,
                                            .seed = seed};
  struct joint_run run = joint_run_of(&options);
  /* joint j moves link j + 1 */
  const double ours = joint_run_rms(&run, BY_FILTER, OF_DDQ, FIRST_BARE_LINK - 1, false),
               theirs = joint_run_rms(&run, BY_KF3, OF_DDQ, FIRST_BARE_LINK - 1, false);
  joint_run_free(&run);
  return ours / theirs;
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : ".", "joint_skinless", "Joints without skin");
  report_text(report,
              "The chain's last four links carry no skin from the start, or lose it at 3 s while "
              "moving. Encoders 1e-3 rad, 200 Hz, seeds %d to %d.",
              FIRST_SEED, FIRST_SEED + SEEDS - 1);
  static const char *const scenario[] = {"medium", "fast"};
  struct table *table = table_create("RMS error of ddq of those joints to KF3", "motion", "skin",
                                     "median", "worst", NULL);
  for (int s = 0; s < 2; s++) {
    for (int lost = 0; lost < 2; lost++) {
      double ratio[SEEDS];
      for (int i = 0; i < SEEDS; i++) {
        ratio[i] = ratio_of(scenario[s], 3.0 * lost, (unsigned long)(FIRST_SEED + i));
      }
      qsort(ratio, SEEDS, sizeof(ratio[0]), by_value);
      const char *name = scenario[s], *how = lost ? "lost at 3 s" : "none";
      table_row(table, name);
      table_text(table, how);
      table_number(table, "%.3f", ratio[SEEDS / 2]);
      table_number(table, "%.3f", ratio[SEEDS - 1]);
      char what[96];
      snprintf(what, sizeof(what), "worst of %d seeds, %s, skin %s", SEEDS, name, how);
      report_at_most(report, what, ratio[SEEDS - 1], LIMIT, "");
    }
  }
  report_table(report, table);
  return report_close(report);
}
