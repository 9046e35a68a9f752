/* What a fit says about the log that it was made from: faults that make it worthless, and how much
 * to believe it. */
#ifndef JUDGEMENT_H
#define JUDGEMENT_H

#include "identify/command/session.h"

/* Refuses a fit whose log cannot be right: torques whose sign makes friction drive the joint.
 * [start] STATUS_REFUSED, with the joint, the value and the limit in `error`. */
enum status judge_fit(const struct session *session, const char *log, const struct robot_fit *fit,
                      struct message *error);

/* Refuses a log whose torques fit far better when they are shifted against the motion. [start]
 * STATUS_REFUSED, with the lag in `error`. The rows' torques are changed meanwhile. */
enum status judge_lag(const struct session *session, const char *log,
                      const struct base_parameters *base, struct message *error);

/* Why a fit failed: the joint that has least to tell, or bodies that come nowhere near. */
void explain_failure(const struct session *session, const char *log, enum status status,
                     struct message *error);

#endif
