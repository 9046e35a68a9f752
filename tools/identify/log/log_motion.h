/* A robot's motion and torques from a log: joint side, evenly sampled, low-passed without phase,
 * differentiated. What a log can have wrong is found here and named with its line. */
#ifndef LOG_MOTION_H
#define LOG_MOTION_H

#include "identify/log/log_map.h"
#include "model/motion.h"

#include <stdbool.h>

struct log_settings {
  double cutoff_hz; /* of positions; 0: twenty mean frequencies of the fastest joint's velocity, at
                       most 20 Hz and a fifth of the rate */
  double
      border_s; /* cut at both ends, where filters settle; negative: four periods of the cutoff */
  bool allow_still; /* joints may stand still */
};

/* The base at one instant, base coordinates. */
struct base_sample {
  vec3 omega;       /* rad/s */
  struct motion a;  /* rad/s^2; m/s^2: what an accelerometer at the base's origin reads */
  double wrench[6]; /* N m, N: of the world on all feet, about the base's origin */
};

struct log_motion {
  size_t n_joints, n;
  double dt;                  /* s */
  double cutoff_hz;           /* as chosen */
  double start;               /* s: stamp of the first sample */
  bool resampled;             /* stamps were uneven */
  double *q, *dq, *ddq, *tau; /* [n][n_joints] rad, rad/s, rad/s^2, N m (m, N); tau unfiltered */
  struct base_sample *base;   /* [n] how the base moves and what carries it; NULL: it is at rest */
};

/* [start] STATUS_BAD_ARGUMENT: stamps that go back, jumps, units that cannot be, a joint that
 * stands still; STATUS_TOO_FEW: less than a second; STATUS_NO_MEMORY. `error`: `file:line: ...`. */
enum status log_motion_make(const struct log_table *table, const struct log_map *map,
                            const struct model *model, const struct log_settings *settings,
                            const char *file, struct log_motion *motion, struct message *error);
/* The cutoff that is asked for, or that the motion asks for, Hz. [any] */
double log_motion_cutoff(const struct log_motion *motion, const struct log_settings *settings);

void log_motion_free(struct log_motion *motion);

#endif
