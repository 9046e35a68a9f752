/* A recording (proprioctl record, propriod-sim --record) in place of a log: replayed through the
 * joint filter, whose positions, velocities and accelerations are taken, beside the torques as
 * measured.
 *
 * On a floating base also how the base moves, and what the wrench sensors say that all feet carry,
 * about the base. Cycles of which something is missing are left out; the longest stretch without a
 * hole counts. */
#ifndef RECORDED_LOG_H
#define RECORDED_LOG_H

#include "generation.h"
#include "identify/log/log_motion.h"

/* Whether the file begins as a recording does; false also when it cannot be read. [start] */
bool is_recording(const char *path);

/* The robot that a recording holds: of its first configuration. [start] STATUS_REFUSED with
 * `error`. generation_free frees it. */
enum status recorded_robot(const char *path, struct generation **generation, struct message *error);

/* Replays the parts `paths` [n] of one session. [start] model: whose joints, by name, are wanted,
 * in its order. STATUS_BAD_ARGUMENT: a joint that was not recorded; STATUS_TOO_FEW: less than a
 * second; STATUS_REFUSED: no torques, or a foot without a wrench; STATUS_NO_MEMORY; `error` says
 * which. */
enum status recorded_log_read(const char *const *paths, size_t n, const struct model *model,
                              const struct log_settings *settings, struct log_motion *motion,
                              struct message *error);

#endif
