/* A log of a real arm, streamed through the product's own path: bodies and drives from
 * propriod-identify on one log, another log (or the same) through the pipeline that a configuration
 * makes. */
#ifndef ARM_LOG_H
#define ARM_LOG_H

#include "inertial/inertial_estimator.h"

#include <stdbool.h>

enum { ARM_PLOTTED = 4000 };

/* What is streamed, and how. Paths are relative to the project's folder. */
struct arm_log {
  const char *name, *robot, *link;
  const char *columns;         /* for propriod-identify */
  const char *fitted;          /* to this log; NULL: to the one that is streamed */
  const char *log;             /* CSV: t, q, ..., efforts; NULL: the Panda's files */
  size_t joints, first_effort; /* first_effort: its column, from 0 */
  double judged_s;             /* s from the start of the stream on */
  const char *settings;        /* YAML: the paragraph beside the robot and the drives */
  const char *drives;          /* YAML: lines below what propriod-identify found of them */
  const double *gain;          /* [joints] of the efforts; NULL: they are torques */
  struct inertia load;         /* fastened to the link, in the log's efforts only; no mass: none */
  double gain_wrong;           /* share by which all efforts are too large since the fit */
  double from_s;               /* s of the log that are not streamed */
};

extern const struct arm_log ARM_UR10E_EXCITE, ARM_UR10E_POINTS;

/* Its stamps are off by 0.15 ms, as much as 2e-4 rad at its rates: the second is told less noise
 * than it has. */
extern const struct arm_log ARM_PANDA, ARM_PANDA_QUIET;

/* How the mass of the link went. */
struct arm_course {
  size_t n, frames, judged;
  double t[ARM_PLOTTED], mass[ARM_PLOTTED], low[ARM_PLOTTED], high[ARM_PLOTTED]; /* s, kg: 2 sd */
  double reference;       /* kg: the fit's, and the load */
  double worst;           /* share of it, judged */
  double worst_later;     /* the same, from the tenth second on */
  double sigmas;          /* worst error in its own deviations, judged */
  double lowest, highest; /* of the fit's mass, from the start */
  size_t unphysical, not_ok;
  double sigmas_ok;    /* largest error in its deviations while the status was ok */
  size_t wrong_and_ok; /* judged instants with status ok and an error beyond three deviations */
  double wrong_since_s, longest_wrong_s; /* s: of them in a row, judged or not */
  size_t told;                           /* instants that tell something */
  double error, sd;                      /* kg: the newest until the tenth second */
  struct inertia_estimate last;
};

/* Fits and streams. False, with a word in `why` [200], when the recording is not here or the arm
 * was not fitted. */
bool arm_log_run(const struct arm_log *arm, struct arm_course *course, char why[200]);

#endif
