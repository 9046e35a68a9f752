/* The truth as a CSV file: one line per frame, SI units, the first line names the columns.
 *
 *   t_ns                                      instant, as in the sensors' stamps
 *   q_J dq_J ddq_J tau_J                      of each joint J by name: rad (m) and derivatives, N m
 *   base_{x,y,z} base_q{x,y,z,w}              pose of the base in the world
 *   base_v{x,y,z} base_a{x,y,z}               velocity and acceleration of its origin, world
 *   omega_{x,y,z} omegadot_{x,y,z} f_{x,y,z}  rate, its derivative, specific force, base frame
 *   com_{x,y,z} com_v{x,y,z} com_a{x,y,z}     centre of mass, world
 *   L_{x,y,z} dL_{x,y,z}                      angular momentum about it and its rate, world
 *   cop_{x,y,z}                               centre of pressure, world; empty in the air
 *   F_n{x,y,z} F_f{x,y,z} F_contact           per foot frame F: moment, force, carries or not
 *   push_{x,y,z}                              external force, world
 *   mass payload_mass                         kg, whole robot; what it carries */
#ifndef TRUTH_LOG_H
#define TRUTH_LOG_H

#include "common/message.h"
#include "common/status.h"
#include "sim_truth.h"

struct truth_log;

/* Begins a file for this robot. [start] STATUS_REFUSED with path and reason. */
enum status truth_log_create(struct truth_log **log, const char *path, const struct robot *robot,
                             struct message *error);

/* Adds one line. [any] STATUS_REFUSED when the disk is full. */
enum status truth_log_write(struct truth_log *log, const struct sim_truth *truth);

/* [start] STATUS_REFUSED when not everything reached the disk. NULL is allowed. */
enum status truth_log_close(struct truth_log *log);

#endif
