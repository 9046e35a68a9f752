/* The joints as their driver has them: in its own order, with its own signs and zeros.
 *
 *   q = sign * reading + offset
 *
 * of each joint of the model. A place of the stream may belong to a joint that is held fast: its
 * readings are ignored. A joint that mimics another needs no place and is read where that one
 * is. */
#ifndef JOINT_STREAM_H
#define JOINT_STREAM_H

#include "common/message.h"
#include "common/status.h"
#include "model/model.h"

#include <stdbool.h>

#define JOINT_STREAM_SIZE 96 /* bytes of a place's text with its final zero */

/* Where a joint of the model is read. */
struct joint_source {
  size_t place;  /* in the stream */
  double sign;   /* 1 or -1; of one that follows, times its ratio */
  double offset; /* rad or m */
  bool follows;  /* it has no place of its own, but that of the joint it mimics */
};

struct joint_stream {
  size_t count;                             /* places */
  bool plain;                               /* as the model has them */
  struct joint_source of[MODEL_MAX_JOINTS]; /* [n_joints] */
};

/* Reads the stream's places, each "name", "-name" (it turns the other way) or "name=0.1" (its zero
 * is there); none: the model's own order, without those that mimic others. [start] [worker]
 * `*stream` is written only with STATUS_OK; BAD_ARGUMENT with `error`: a name that is neither a
 * joint nor one held fast, one named twice, a moving joint without a place, an offset that is no
 * number. */
enum status joint_stream_read(const struct model *model, const char *const *place, size_t count,
                              struct joint_stream *stream, struct message *error);

/* What the numbers of a stream are: velocities and torques have no zero to be moved, and torques
 * are of the leader alone. */
enum joint_quantity { JOINT_POSITIONS, JOINT_VELOCITIES, JOINT_TORQUES };

/* The model's numbers from the stream's, and back. [real-time] to: [n_joints], [count]; places that
 * no joint has stay. */
void joint_stream_take(const struct joint_stream *stream, size_t n_joints, const double *from,
                       enum joint_quantity quantity, double *to);
void joint_stream_give(const struct joint_stream *stream, size_t n_joints, const double *from,
                       enum joint_quantity quantity, double *to);

#endif
