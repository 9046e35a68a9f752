/* What is taken back, and opened, when others speak against the IMU: all that a reading which was
 * believed may have entered. Rows and covariances of one instant; what comes next finds its way. */
#ifndef JOINT_DOUBT_H
#define JOINT_DOUBT_H

#include "sensors/imu_judge.h"

struct instant;
struct joint_filter;

/* What has been decided at this instant stands: late samples do not have it filtered again, and
 * what was prepared for it is of before. [real-time] */
void joint_doubt_decide(struct joint_filter *filter, const struct instant *now);

/* Feet, encoders or skin speak against triads, bits as of imu_judge_convict: which of them are on
 * trial (imu_judge.h) are refused, and x and P of the instant forget what they have done.
 * [real-time] */
void joint_doubt_convict(struct joint_filter *filter, struct instant *now, unsigned accused);

/* Triads, as bits, are refused that have not been tried: they may have told for some readings what
 * is too little for a trial. P of the instant. [real-time] */
void joint_doubt_untried(struct joint_filter *filter, struct instant *now, unsigned refused);

/* A triad that was refused is to be listened to again though it is as far off as before: what it is
 * off by may be its bias. P of the instant. [real-time] */
void joint_doubt_bias(struct joint_filter *filter, struct instant *now, enum imu_triad triad);

/* A triad turns out to have been `times` as noisy as was believed, since so many s: so much is the
 * base's turning off, and by what it was thought to be at the IMU's arm its force, -domega x r; or
 * its force itself. By what that was integrated to since, velocity. P of the instant.
 * [real-time] */
void joint_doubt_noisy(struct joint_filter *filter, struct instant *now, enum imu_triad triad,
                       double times, double since);

/* Since the filter began skin has scattered by `times` the variance that was believed: so much less
 * it has told of the accelerometer's bias. P of the instant. [real-time] */
void joint_doubt_skin(struct joint_filter *filter, struct instant *now, double times);

/* The gyro has jumped by so much, rad/s, when nothing was felt: it lies from now on, or has lied
 * for some time. P of the instant. [real-time] */
void joint_doubt_turn(struct joint_filter *filter, struct instant *now, double jump);

/* Skin and feet speak against an accelerometer that has not jumped (force_witness.h): what it is
 * off by is its bias from now on, and the velocity is what legs say. [real-time] */
void joint_doubt_force(struct joint_filter *filter, struct instant *now);

/* The base has moved for so long without feet to carry it that its velocity must be wrong: it is
 * opened. [real-time] */
void joint_doubt_velocity(struct joint_filter *filter, struct instant *now);

/* The base rests, and its gyro reads so much, rad/s, beside what was known of its bias: that and
 * what has been turned by it are opened. [real-time] */
void joint_doubt_resting(struct joint_filter *filter, struct instant *now, double off);

/* It hangs, and no foot has stood yet: how high is not known. [real-time] */
void joint_doubt_height(struct joint_filter *filter, struct instant *now);

#endif
