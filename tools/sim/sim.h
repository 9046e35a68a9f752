/* A simulated robot that feeds sensors like a real one, and knows the truth.
 *
 *   struct sim_options options = sim_defaults(&robot, "humanoid30.urdf", "walk");
 *   options.seed = 7;
 *   if (sim_create(&sim, &options, &error) != STATUS_OK) { ... error.text ... }
 *   while (sim_step(sim) == STATUS_OK) {
 *     pipeline_step(pipeline, sim_frame(sim), &estimates);
 *     compare(&estimates, sim_truth(sim));
 *   }
 *   sim_destroy(sim);
 *
 * MuJoCo moves the bodies; its model is made from the robot's own, so that masses, frames and
 * joints agree to rounding, unless errors of the description are asked for (options.body). Nothing
 * here is real-time: it allocates and may take as long as it likes. One simulation belongs to one
 * thread; several may live side by side. */
#ifndef SIM_H
#define SIM_H

#include "common/message.h"
#include "common/status.h"
#include "robot/sensor_frame.h"
#include "sim_options.h"
#include "sim_truth.h"

struct sim;

/* Builds the robot, places it, and lets it settle on the ground. [start]
 * STATUS_BAD_ARGUMENT or STATUS_REFUSED with a message that names the option or the link. */
enum status sim_create(struct sim **sim, const struct sim_options *options, struct message *error);

/* Advances to the next frame instant: the first call to the start, each later one by one frame
 * period. [any]
 * STATUS_OUT_OF_RANGE when the duration is over (nothing moves any more), STATUS_NOT_FINITE when
 * the physics has blown up. */
enum status sim_step(struct sim *sim);

/* What the daemon would see at this instant: the newest samples that have arrived. Valid until the
 * next step. [any] */
const struct sensor_frame *sim_frame(const struct sim *sim);

/* What is true at this instant. Valid until the next step. [any] */
const struct sim_truth *sim_truth(const struct sim *sim);

/* Proper acceleration and angular velocity of every link at this instant, link coordinates, of the
 * link origin. [any] */
const struct motion *sim_link_acceleration(const struct sim *sim); /* [n_links] */
const struct motion *sim_link_velocity(const struct sim *sim);     /* [n_links] */

/* Moves the clock of all later stamps: to start at another instant than options.t0_ns, or to leave
 * a gap. [any] `by_ns` at least 0 once it has begun. */
void sim_shift_clock(struct sim *sim, int64_t by_ns);

/* Seconds that the simulation will last, the scenario's own where the options said 0. [any] */
double sim_duration(const struct sim *sim);

void sim_destroy(struct sim *sim);

#endif
