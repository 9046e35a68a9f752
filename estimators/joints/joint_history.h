/* How the body moved a few milliseconds ago: the joint filter's motion once all that was measured
 * then has come. Where no skin measures them, the angular accelerations of a free base and those of
 * its joints are the change of their rates from the instant before to the next, which is waited
 * for.
 *
 * What the filter publishes is for now: until the skin has come, and between two looks of it,
 * accelerations are predictions, and lag behind the forces of the same stamp. At the instants at
 * which the skin looked they are measured, and corrected when it comes late. Those are kept here,
 * each as soon as every stream that is alive has been heard of beyond it, and at the latest when
 * the filter's window has passed; without skin, or when it falls silent, all instants are. None are
 * while the filter looks for its way: for half a second after it began again or found that an
 * encoder slipped, and while an encoder contradicts it, as happens when a computer that cannot keep
 * up misses most frames. Whoever compares motion with forces takes it from here. */
#ifndef JOINT_HISTORY_H
#define JOINT_HISTORY_H

#include "common/arena.h"
#include "common/status.h"
#include "joints/joint_filter.h"
#include "model/motion.h"
#include "process/joint_process.h"

#include <stdint.h>

/* The whole robot's motion at one instant, gravity within the base's proper acceleration. The
 * base's pose and linear velocity are left zero: no force depends on them. */
struct past_motion {
  int64_t t_ns;
  double *q, *dq, *ddq; /* [n_joints] rad or m, per s, per s^2 */
  struct base_motion base;
};

struct joint_history {
  size_t n_joints;
  uint64_t taken;             /* motions put in since init, ... */
  uint64_t known;             /* ... of which the last may wait for the next one's rates */
  int64_t doubted_ns;         /* instants up to this are not */
  struct past_motion *motion; /* [JOINT_HISTORY_KEPT] a ring, by rising time */
  struct past_motion between; /* what joint_history_between lends; scratch */
  double *x;                  /* [size] of the filter's state */
};

#define JOINT_HISTORY_KEPT 64

/* Prepares for filters whose state has this layout. [start] On a counting arena only counts.
 * STATUS_NO_MEMORY. */
enum status joint_history_init(struct joint_history *history, const struct joint_layout *layout,
                               struct arena *arena);

/* Takes over the instants of `filter` that have become final since the last call. [real-time] Call
 * after each joint_filter_step. */
void joint_history_collect(struct joint_history *history, const struct joint_filter *filter);

/* Puts one motion in, newer than all before; older ones are passed over. [real-time] */
void joint_history_put(struct joint_history *history, const struct past_motion *motion);

/* The kept motion nearest to t_ns, within `within_ns` of it. [real-time] `motion` is valid until
 * the next is put. STATUS_TOO_FEW: not known yet, ask again; STATUS_STALE: there is none, and there
 * will be none. */
enum status joint_history_at(const struct joint_history *history, int64_t t_ns, int64_t within_ns,
                             const struct past_motion **motion);

/* Time between the last two motions, ns; 0 when there are none. [real-time] */
int64_t joint_history_spacing(const struct joint_history *history);

/* The motion at t_ns, linear between its two neighbours. [real-time] `motion` is lent until the
 * next call. STATUS_TOO_FEW: not known yet, ask again; STATUS_STALE: older than what is kept, or in
 * a gap longer than `gap_ns`. */
enum status joint_history_between(struct joint_history *history, int64_t t_ns, int64_t gap_ns,
                                  const struct past_motion **motion);

#endif
