/* The body as it really is: the robot that the daemon is told, with errors of manufacture.
 *
 * Lengths, frames, masses and friction differ by what struct sim_body_error asks for. Everything
 * else, names, sensors and feet on their links, is the described robot's own. */
#ifndef BODY_ERRORS_H
#define BODY_ERRORS_H

#include "common/status.h"
#include "sim_options.h"

struct real_body {
  struct robot robot; /* as simulated; its arrays but these two are the described robot's */
  struct joint *joint;
  struct inertia *inertia;
};

/* Draws the errors from the options' seed. [start] Free with `real_body_free`. Without errors asked
 * for, it is the described robot to the bit. */
enum status real_body_init(struct real_body *body, const struct sim_options *options);
void real_body_free(struct real_body *body);

/* A link that is heavier by the share `heavier` (inertia with it) and whose mass lies `off` (m,
 * link coordinates) from where it was described. [any] */
struct inertia inertia_with_errors(const struct inertia *described, double heavier, vec3 off);

#endif
