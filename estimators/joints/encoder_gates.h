/* What is believed of new readings of the encoders, against what was predicted. What is believed
 * and still surprises opens the prior, or the surprise is pressed into everything else. */
#ifndef ENCODER_GATES_H
#define ENCODER_GATES_H

struct instant;
struct joint_filter;

/* Judges the encoders of an instant that has just been predicted; joints that stand apart first
 * take the blows that were handed to them (joint_knock.h). [real-time] Writes q_used, raises
 * kick_q, kick, kick_ddq; starts a joint anew whose encoder has slipped. */
void encoder_gates_step(struct joint_filter *filter, struct instant *now);

#endif
