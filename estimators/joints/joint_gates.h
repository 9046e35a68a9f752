/* What is believed of a new reading: encoders and IMU against what was predicted. What is believed
 * and still surprises opens the prior, or the surprise is pressed into everything else. */
#ifndef JOINT_GATES_H
#define JOINT_GATES_H

struct instant;
struct joint_filter;

/* Gate on a jump's statistic, chi-square of one degree: 4 deviations (accuracy.md 1.3). */
#define JUMP_GATE 16.0
/* A strike: an acceleration that jumps by more than this, per s^2. */
#define STRIKE    50.0

/* Judges the encoders of an instant that has just been predicted, dt s after the one before.
 * [real-time] Writes q_used, kick_q, kick; starts a joint anew whose encoder has slipped. */
void joint_gates_encoders(struct joint_filter *filter, struct instant *now, double dt);

/* Leaves a spike of the base's IMU out, for this pass and every replay. [real-time] */
void joint_gates_imu(struct joint_filter *filter, struct instant *now);

/* Between two looks of the skin the IMU on the base is alone in feeling a strike: its jumps are
 * followed here, each axis by itself. [real-time] Opens P. */
void joint_gates_base(struct joint_filter *filter, struct instant *now, double dt);

#endif
