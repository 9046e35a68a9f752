/* Cases of sensors and models that are wrong as those of real robots are, and what is asked of the
 * estimate in each: one row per case, run on three robots of different size. */
#ifndef TRUST_CASE_H
#define TRUST_CASE_H

#include "fault_bench.h"

enum case_measure {
  MEASURE_MEAN,   /* mean absolute error of a component */
  MEASURE_NORM,   /* mean norm of the error */
  MEASURE_RMS,    /* of a component */
  MEASURE_WORST,  /* largest error of a component */
  MEASURE_NEES,   /* per component; asked to be at most */
  MEASURE_BEYOND, /* share of components beyond five deviations */
  MEASURE_OK,     /* share of instants that are not ok */
  MEASURE_PUSHES, /* found in a motion without any, per minute */
  MEASURE_RESETS,
  MEASURE_LIE /* s, longest stretch of ok and beyond five deviations, of any quantity */
};

/* At most `limit`, in SI; `ratio`: times what the run with `against` reaches. */
struct case_limit {
  enum case_measure measure;
  enum quantity quantity; /* of the measures that have one */
  double limit;
  bool ratio;
};

enum { CASE_LIMITS = 6, CASE_SPOILS = 8 };

/* What a run is like. */
struct case_run {
  const char *with[CASE_SPOILS]; /* "NAME=VALUE", numbers of propriod-sim */
  bool no_skin, no_imu, no_forces, no_torques;
  double cell_noise;        /* m/s^2, as told in the settings; 0: the default */
  double begin_s;           /* s: the daemon starts so late, the robot long moves */
  struct burst_fault burst; /* of length 0: none */
};

struct trust_case {
  const char *name;
  enum bench_motion motion;
  struct case_run run;
  double from_s, seconds;               /* s: scored from .. to the end; 0: 5 and 12 */
  struct case_limit limit[CASE_LIMITS]; /* ends with limit 0 unless full */
  const struct case_run *against;
};

/* NULL beyond the last. [any] */
const struct trust_case *trust_case(size_t i);
const struct trust_case *trust_case_find(const char *name); /* NULL: none */

/* The robots that every case is run on; NULL beyond the last. [any] */
const char *trust_case_robot(size_t i);

/* Runs one on a robot. [start] Statuses of scaled_robot_load, tape_record, trust_run_init.
 * `reference` is written when the case has something to compare with. */
enum status trust_case_run(const struct trust_case *c, const char *robot, uint64_t seed,
                           struct score *score, struct score *reference, struct message *error);

/* What one limit's measure came to, SI or, as a ratio, times the reference. [any] */
double trust_case_figure(const struct trust_case *c, const struct case_limit *limit,
                         const struct score *score, const struct score *reference);

/* "mean tilt (deg)": what the limit is about; the scale that prints it. [any] */
void trust_case_title(const struct case_limit *limit, char *text, size_t size, double *scale,
                      const char **unit);

#endif
