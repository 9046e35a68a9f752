/* What is believed of new readings of a floating base's IMU, against what was predicted. What is
 * believed and still surprises opens the prior, or the surprise is pressed into everything else. */
#ifndef IMU_GATES_H
#define IMU_GATES_H

struct instant;
struct joint_filter;

/* Judges the IMU of an instant that has just been predicted (imu_judge.h). [real-time] What is left
 * out becomes NaN, for this pass and every replay. */
void imu_gates_step(struct joint_filter *filter, struct instant *now);

/* What the IMU's readings open of a prior that makes them all but impossible (open_rate,
 * open_force): between two looks of the skin it is alone in feeling a strike. [real-time] At every
 * pass, as the prior is another one each time. dt: s since `before`. */
void imu_gates_open(struct joint_filter *filter, const struct instant *before, struct instant *now,
                    double dt);

#endif
