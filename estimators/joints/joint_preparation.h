/* What can be done about a skin sample before it arrives.
 *
 * Skin comes some milliseconds after its instant, and nearly all of an update is independent of
 * what was read: factor, sigma points, gains and the covariance behind it depend on the estimate
 * before, on which cells are at work and on which encoders are believed. So once the instant at
 * which the skin must have looked has been filtered without it, the filter prepares for the sample
 * in two cycles that have time, one half in each; the cycle in which it arrives is left with the
 * mean, and with the instants since. When anything turns out otherwise the preparation is thrown
 * away and nothing is lost but the time it took. */
#ifndef JOINT_PREPARATION_H
#define JOINT_PREPARATION_H

#include "process/considered.h"
#include "update/instants.h"

struct joint_filter;

struct joint_preparation {
  const struct instant *of;           /* NULL: nothing is prepared */
  int64_t t_ns;                       /* its time */
  uint64_t revision, before_revision; /* of it, and of the estimate that it starts from */
  size_t n_blocks;
  struct link_rows *block; /* [n_links + 1] those expected; their z mean nothing */
  double *x;               /* [numbers] prior, IMU and feet taken */
  double *P;               /* [size][stride] posterior; before that of the kept prior variances
                                 and what is not observed: the rest the gain only writes */
  struct considered bias;  /* of the prior that the rows were computed from */
  const struct instant
      *kept; /* whose prior, IMU and feet taken, x and its own P hold; NULL: none */
  uint64_t kept_step, kept_before_revision; /* of the cycle, and of the estimate before */
  int64_t interval_ns;                      /* between the last two skin samples; 0: not known */
};

/* [start] */
enum status joint_preparation_init(struct joint_preparation *preparation,
                                   const struct joint_layout *layout, size_t blocks_max,
                                   struct arena *arena);

/* Keeps what instant `index` holds, its prior with IMU and feet taken but not its encoders, if that
 * is where the skin must have looked next: the preparation begins with it in this cycle.
 * [real-time] */
void joint_preparation_keep(struct joint_filter *filter, size_t index);

/* Prepares for the skin that comes next, if its instant has been filtered: the next half.
 * [real-time]
 */
void joint_preparation_step(struct joint_filter *filter);

/* True when what was prepared is what instant `index` needs now, its skin being there. [real-time]
 * Completes what is half done: joint_update_finish comes next. */
bool joint_preparation_ready(struct joint_filter *filter, size_t index);

#endif
