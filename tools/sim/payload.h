/* Something that the robot takes up and puts down: a box whose mass may vary. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include "common/message.h"
#include "common/status.h"
#include "sim_options.h"

struct payload {
  struct sim_payload options;
  bool exists;
  size_t link;           /* carries it */
  struct pose placement; /* pose of the named frame in that link's frame */
};

/* Finds the link. [start] STATUS_BAD_ARGUMENT with a message for a name that the robot does not
 * have, or a mass that would become negative. */
enum status payload_init(struct payload *payload, const struct sim_payload *options,
                         const struct model *model, struct message *error);

/* True while it is carried, at t seconds from the start. [any] */
bool payload_is_attached(const struct payload *payload, double t);

/* Its inertial parameters at t about the link's origin, link coordinates; zero while it is not
 * carried. [any] */
struct inertia payload_inertia(const struct payload *payload, double t);

/* The sum of two bodies' parameters about the same origin. [any] */
struct inertia payload_added(const struct inertia *link, const struct inertia *load);

#endif
