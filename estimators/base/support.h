/* Which feet carry the robot, without force sensors if need be.
 *
 * The centre of pressure of the net external wrench lies between the feet in proportion to what
 * they carry. Feet that hang clearly higher than the lowest one carry nothing. Where feet have
 * force sensors their vertical forces are the shares; once these are seen to measure, or have felt
 * the robot, a robot that they do not feel is carried by something else, a crane or the floor that
 * it lies on. These shares are smoothed; a Schmitt trigger on them names the support foot.
 *
 * Forces that tell at once who stands are the shares as they are: a foot that has left the ground
 * and counts for some milliseconds more as one that stands drags the base along.
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "common/status.h"
#include "math/spatial.h"
#include "robot/robot.h"

#include <stdbool.h>
#include <stddef.h>

enum support_phase {
  SUPPORT_NONE,   /* flight, or lifted off the ground */
  SUPPORT_SINGLE, /* one foot */
  SUPPORT_DOUBLE, /* two feet or more */
  SUPPORT_STRIKE  /* a foot has just come down */
};

struct support_settings {
  double share_hz;     /* Hz: corner frequency of the shares */
  double enter, leave; /* shares at which a foot becomes and ceases to be the support foot */
  double loaded;       /* share from which a foot counts as standing */
  double clearance;    /* m: a sole this much higher than the lowest one carries nothing */
  double flight;       /* of the weight: less vertical force than this is no support */
  double strike_s;     /* s: how long a touch-down counts as a strike */
};

struct support_settings support_defaults(void);

struct support {
  struct support_settings settings;
  size_t n_feet;
  double share[ROBOT_MAX_FEET]; /* 0 .. 1, sum 1 unless in flight */
  bool stands[ROBOT_MAX_FEET];
  bool touched_down[ROBOT_MAX_FEET]; /* began to stand in this step */
  int foot;                          /* the support foot, -1 in flight */
  enum support_phase phase;
  double since_touch_down_s;
  bool felt; /* the feet's sensors have felt the robot, or that they do not */
  bool started;
};

/* What a step knows. World axes, z up; positions relative to any one point. */
struct support_input {
  const vec3 *sole; /* [n_feet] m */
  bool cop_known;
  vec3 cop;               /* m: centre of pressure of all contacts */
  double f_z;             /* N: vertical force of all contacts */
  double weight;          /* N */
  const double *foot_f_z; /* [n_feet] N: measured, or NULL */
  bool measured;          /* ... by sensors whose readings vary: nothing is not felt either */
  bool at_once;           /* ... and needs no smoothing */
  const bool *absent;     /* [n_feet] nobody knows where it is; or NULL */
  const bool *swings;     /* [n_feet] it moves as none does that comes to stand; or NULL */
};

/* [start] OUT_OF_RANGE: shares that are no shares, frequencies or times that are not positive. */
enum status support_init(struct support *support, const struct support_settings *settings,
                         size_t n_feet);

/* [real-time] dt: s since the last step. */
void support_step(struct support *support, const struct support_input *input, double dt);

/* After a silence: of what was, nothing is smoothed into what comes. [real-time] stepped: feet may
 * be elsewhere, those that stand have come to. */
void support_resume(struct support *support, bool stepped);

/* Shares of the feet whose weighted mean comes nearest to `cop` in the horizontal plane: the least
 * uneven ones that are not negative. [any] may: [n] which feet may carry at all. */
void support_shares(const vec3 *sole, const bool *may, size_t n, vec3 cop, double *share);

#endif
