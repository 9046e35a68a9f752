/* Whose skin is wrong: links speak for and against each other, and against the IMU.
 *
 * A link far off alone, or for long, is wrong, unless a jump of its own joint's acceleration is all
 * that it feels: that joint has come to a stop, or begun. Many at once, and the link that carries
 * the IMU among them, are a strike when the IMU has felt it; else it is they that are wrong, or the
 * IMU, when it is on trial (imu_judge.h) and the skin beside it feels another motion for longer
 * than a strike lasts. Where that link is not among them it is a joint that carries many. Skin
 * that feels a pull to the ground may be turned round: it speaks against no IMU. */
#ifndef LINK_VOTES_H
#define LINK_VOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instant;
struct joint_filter;

/* That skin scatters more than it is said to, as far as it has been noticed. */
struct noticed_excess {
  double excess;    /* logarithm of how much more, of variance: mean of all links */
  int64_t first_ns; /* of the first sample of skin */
};

/* What is remembered of links' skin. */
struct link_votes {
  double *excess;       /* [n_links] logarithm of how much more noise it has in motion than it is
                           said to have; 0 at least */
  uint8_t *far;         /* [n_links] readings in a row that were far off */
  int64_t far_ns;       /* when one last was */
  unsigned against_imu; /* samples in a row in which many were, and the one beside the IMU */
  struct noticed_excess noticed;
};

/* Each scatters as it is said to. [any] */
void link_votes_reset(struct link_votes *links, size_t n_links);

/* Takes links that are wrong out of an instant, given the innovations of all that its update has
 * prepared, and learns how much each link scatters. [real-time] Writes `convict`: it is the IMU
 * that is wrong. Returns how many are left out. */
size_t link_votes_take(struct joint_filter *filter, struct instant *now, bool *convict);

#endif
