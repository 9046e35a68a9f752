/* What the process is allowed, looked at before ZeroMQ aborts for want of it. */
#ifndef PROCESS_LIMITS_H
#define PROCESS_LIMITS_H

#include "common/message.h"
#include "common/status.h"

/* Allows as many file descriptors as there may be. [start] REFUSED with `error`: too few for
 * ZeroMQ, which would abort the process at its start. */
enum status process_allow_descriptors(struct message *error);

/* [start] REFUSED with `error`: no room for the threads of ZeroMQ, which would abort as well. */
enum status process_has_room_for_zeromq(struct message *error);

#endif
