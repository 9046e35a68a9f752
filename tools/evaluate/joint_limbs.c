/* Joint velocities and accelerations of a humanoid without skin, with a cheap IMU on each of six
 * limbs: forearms, thighs and shanks. */
#include "report.h"
#include "support/joint_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const LIMB[] = {"left_elbow_link",
                                   "right_elbow_link",
                                   "left_hip_pitch_link",
                                   "right_hip_pitch_link",
                                   "left_knee_link",
                                   "right_knee_link",
                                   NULL};

/* What is asked, times KF3. */
static const struct {
  const char *name, *scenario;
  double imu_errors; /* 1: bias 0.3 m/s^2 and 0.03 rad/s of each IMU */
} CASE[] = {
    {"walking", "walk", 0.0},
    {"walking, biased IMUs", "walk", 1.0},
    {"arms swing", "arm-swing", 0.0},
    {"arms swing, biased IMUs", "arm-swing", 1.0},
};
enum { CASES = sizeof(CASE) / sizeof(CASE[0]) };
static const double LIMIT = 0.5;

/* Joints of humanoid30 that lie between the base and an IMU: two of the torso, four of each arm,
 * four of each leg. */
static bool is_seen(size_t j) {
  return j < 2 || (j >= 4 && j < 8) || (j >= 11 && j < 15) || (j >= 18 && j < 22) ||
         (j >= 24 && j < 28);
}

/* Root mean square error over the joints that IMUs see, or over the others. */
static double rms(const struct joint_run *run, enum estimator by, enum derivative of, bool seen) {
  double sum = 0.0;
  size_t count = 0;
  for (size_t j = 0; j < run->n_joints; j++) {
    for (size_t k = run->from; is_seen(j) == seen && k < run->n; k++, count++) {
      const double e = run->estimate[by][of][j * run->n + k] - run->truth[of][j * run->n + k];
      sum += e * e;
    }
  }
  return sqrt(sum / (double)count);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median over the joints that IMUs see of the mean squared error over its own variance. */
static double median_nees(const struct joint_run *run) {
  double nees[MODEL_MAX_JOINTS] = {0};
  size_t seen = 0;
  for (size_t j = 0; j < run->n_joints; j++) {
    for (size_t k = run->from; is_seen(j) && k < run->n; k++) {
      const size_t i = j * run->n + k;
      const double e = run->estimate[BY_FILTER][OF_DDQ][i] - run->truth[OF_DDQ][i];
      nees[seen] += e * e / (run->ddq_sd[i] * run->ddq_sd[i]) / (double)(run->n - run->from);
    }
    seen += is_seen(j);
  }
  qsort(nees, seen, sizeof(nees[0]), by_value);
  return nees[seen / 2];
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : ".", "joint_limbs", "IMUs on six limbs, no skin");
  report_text(report,
              "30 joints and a floating base, encoders of 1e-3 rad, a base IMU and one on each "
              "forearm, thigh and shank (0.05 m/s² and 0.005 rad/s a sample), all at 1 kHz, seed "
              "401. Joints between base and IMUs; KF3 with the best density for the run.");
  struct table *table = table_create("RMS error to KF3", "case", "dq", "ddq", "ddq of other joints",
                                     "ddq (rad/s²)", "median NEES", "resets", NULL);
  for (int i = 0; i < CASES; i++) {
    const struct joint_run_options options = {.robot = "humanoid30",
                                              .scenario = CASE[i].scenario,
                                              .encoder_noise = 1e-3,
                                              .rate_hz = 1000.0,
                                              .imu_errors = CASE[i].imu_errors,
                                              .limb = LIMB,
                                              .limb_place = {0.03, 0.0, -0.1},
                                              .seconds = 5.0,
                                              .score_from_s = 1.0,
                                              .seed = 401};
    struct joint_run run = joint_run_of(&options);
    const double dq = rms(&run, BY_FILTER, OF_DQ, true) / rms(&run, BY_KF3, OF_DQ, true),
                 ddq = rms(&run, BY_FILTER, OF_DDQ, true) / rms(&run, BY_KF3, OF_DDQ, true);
    table_row(table, CASE[i].name);
    table_number(table, "%.3f", dq);
    table_number(table, "%.3f", ddq);
    table_number(table, "%.3f",
                 rms(&run, BY_FILTER, OF_DDQ, false) / rms(&run, BY_KF3, OF_DDQ, false));
    table_number(table, "%.3f", rms(&run, BY_FILTER, OF_DDQ, true));
    table_number(table, "%.2f", median_nees(&run));
    table_number(table, "%.0f", (double)run.counters.resets);
    char what[96];
    snprintf(what, sizeof(what), "dq error to KF3, %s", CASE[i].name);
    report_at_most(report, what, dq, LIMIT, "");
    snprintf(what, sizeof(what), "ddq error to KF3, %s", CASE[i].name);
    report_at_most(report, what, ddq, LIMIT, "");
    joint_run_free(&run);
  }
  report_table(report, table);
  return report_close(report);
}
