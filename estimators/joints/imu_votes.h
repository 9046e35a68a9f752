/* Whether an IMU on trial (imu_judge.h) is wrong: feet and encoders speak for and against it, and
 * alone: nothing else makes several of them wrong at once.
 *
 * Feet that slide as they would if its gyro or its accelerometer were wrong speak against that one
 * (stance_slide.h). Feet that are dragged speak against an accelerometer (force_witness.h), but not
 * soles against one that is on trial, of which they tell better (stance_witness.h): after a
 * landing, whose jump is tried, soles rock about their edges and are dragged, and skin feels the
 * blow a little otherwise. An accelerometer that reads for longer than a body rings that something
 * pulls it to the ground needs no witness (imu_pull.h). What skin says: link_votes.h. */
#ifndef IMU_VOTES_H
#define IMU_VOTES_H

struct instant;
struct joint_filter;

/* Asks feet and encoders about an IMU on trial, and refuses it when they speak against it
 * (joint_doubt_convict). Nobody does while nothing else tells how the base moves. [real-time] */
void imu_votes_step(struct joint_filter *filter, struct instant *now);

#endif
