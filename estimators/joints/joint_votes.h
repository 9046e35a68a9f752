/* Who is wrong: links of skin, the IMU, feet and encoders speak for and against each other.
 *
 * A link far off alone, or for long, is wrong, unless a jump of its own joint's acceleration is all
 * that it feels: that joint has come to a stop, or begun. Many at once, and the link that carries
 * the IMU among them, are a strike when the IMU has felt it; else it is they that are wrong, or the
 * IMU, when it is on trial (imu_judge.h) and the skin beside it feels another motion for longer
 * than a strike lasts. Where that link is not among them it is a joint that carries many. Feet and
 * encoders speak against an IMU on trial alone: nothing else makes several of them wrong at once.
 * Feet that slide as they would if its gyro or its accelerometer were wrong speak against that one
 * (stance_speed.h). Feet that are dragged speak against an accelerometer (force_witness.h), but not
 * soles against one that is on trial, of which they tell better (stance_witness.h): after a
 * landing, whose jump is tried, soles rock about their edges and are dragged, and skin feels the
 * blow a little otherwise. An accelerometer that reads for longer than a body rings that something
 * pulls it to the ground needs no witness: nothing does. */
#ifndef JOINT_VOTES_H
#define JOINT_VOTES_H

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

/* Takes links that are wrong out of an instant, given the innovations of all that its update has
 * prepared, and learns how much each link scatters. [real-time] Writes `convict`: it is the IMU
 * that is wrong. Returns how many are left out. */
size_t joint_votes_links(struct joint_filter *filter, struct instant *now, bool *convict);

/* Asks feet and encoders about an IMU on trial, and refuses it when they speak against it
 * (joint_doubt_convict). Nobody does while nothing else tells how the base moves. [real-time] */
void joint_votes_imu(struct joint_filter *filter, struct instant *now);

#endif
