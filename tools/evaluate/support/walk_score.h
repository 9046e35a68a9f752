/* How an estimate of a walking robot's base fares against motion capture. */
#ifndef WALK_SCORE_H
#define WALK_SCORE_H

#include "support/walk_log.h"

#include "body/kinematics.h"
#include "pipeline.h"

/* What was said, row by row; NaN where nothing was. */
struct walk_said {
  mat3 R[WALK_LOG_ROWS];
  vec3 p[WALK_LOG_ROWS], v[WALK_LOG_ROWS];             /* m, m/s: base, its own world */
  vec3 com_B[WALK_LOG_ROWS], com_v[WALK_LOG_ROWS];     /* m, m/s: centre of mass */
  double cop_y[WALK_LOG_ROWS], split_y[WALK_LOG_ROWS]; /* m: estimate; the feet's force split */
  double q[WALK_LOG_ROWS][MODEL_MAX_JOINTS];           /* rad */
  bool fine[WALK_LOG_ROWS];                            /* the status was ok */
  size_t ok, rows;
  uint64_t resets;
};

/* The stretch of the log that counts, and what of it does not: there the capture is lost; s. */
struct walk_stretch {
  double from, to, lost_from, lost_to;
};

/* Steps the product's pipeline over the log, `settings` as the daemon has them. [start] False: no
 * memory, or the pipeline refuses the robot. kin: of the robot, used. */
bool walk_run_pipeline(struct walk_log *log, const struct robot *robot,
                       const struct pipeline_settings *settings, struct kinematics *kin,
                       struct walk_said *said);

struct walk_score {
  double n, velocity[3];       /* m/s, mean absolute, axes of the own yaw */
  double tilt;                 /* rad, mean, without what is constant: markers sit as they sit */
  double askew;                /* rad: that constant */
  double yaw, way;             /* rad; share of the way: drift over the walk */
  double com[3], com_still[3]; /* m/s: mean error of the centre of mass' velocity; of saying zero */
  double cop, cop_n;           /* m: lateral, each row against the force split */
  double cop_slow;             /* m: what of it is below 8 Hz */
};

/* [any] `with_com`: the centre of mass was said too. */
struct walk_score walk_score(const struct walk_log *log, const struct walk_stretch *stretch,
                             const struct walk_said *said, bool with_com);

/* Whether a row counts. [any] */
bool walk_counts(const struct walk_log *log, const struct walk_stretch *stretch, size_t row);

/* A vector of R's world in axes of R's own yaw. [any] */
vec3 walk_own_yaw(const mat3 *R, vec3 v);

#endif
