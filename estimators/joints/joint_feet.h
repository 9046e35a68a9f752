/* What the feet that stand say of the base at an instant, and what is remembered of it.
 *
 * Feet that stand are never refused: one that surprises counts less (Huber), and how much it
 * strains, and which way it is dragged, is what the votes ask it about (imu_votes.h). Ground is
 * heard of once in each stance, unless it is other ground. */
#ifndef JOINT_FEET_H
#define JOINT_FEET_H

#include "process/joint_process.h"
#include "robot/robot.h"
#include "update/ground_judge.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instant;
struct joint_filter;

/* What is remembered of a foot, of instants that said something new. */
struct foot_memory {
  double strain;     /* normalised innovation of its rows, averaged */
  double usual;      /* the same over a second */
  vec3 mean;         /* innovation of its place in deviations, averaged, world axes */
  double drag;       /* that, squared, over the variance of such a mean; per axis */
  vec3 pointed;      /* its sole's normal of late, world axes */
  double turned;     /* rad: by how much that has turned since */
  bool stepped;      /* has landed since the estimate began: it did not stand there */
  int64_t landed_ns; /* when it has come to stand */
  int64_t heard_ns;  /* when it was heard how high the ground under it is, last */
  int64_t sloped_ns; /* ... which slope that has, under a sole */
};

/* Whether any sole stands at this instant, which tells how the base turns. [any] */
bool joint_feet_soles_stand(const struct joint_filter *filter, const struct instant *now);

/* Which way the soles that stand point on average, world axes, unit; 0: none stands. [any] */
vec3 joint_feet_normal(const struct joint_filter *filter, const struct instant *now);

/* Whether any foot stands at this instant. [any] */
bool joint_feet_stand(const struct joint_filter *filter, const struct instant *now);

/* Whether the robot walks at this instant, and what share is then to be learned of the IMU's biases
 * (considered.h). [real-time] share: [CONSIDERED_IMU]; x, P: before the update. */
bool joint_feet_teach(const struct joint_filter *filter, const struct instant *now, const double *x,
                      const double *P, double *share);

/* How easily each sole that stands turns about its normal at this instant: friction holds it, by
 * what it carries and by how much of it touches the ground, which is the less the less it carries;
 * wholly where the robot stands evenly. And how it rocks in a walk. [real-time] */
void joint_feet_loosen(const struct joint_filter *filter, const struct instant *now,
                       struct joint_densities *densities);

/* Feet that stand do so anew from the next instant on, where the base then has them; of the ground
 * under them they tell no more. [real-time] */
void joint_feet_again(struct joint_filter *filter);

/* Feet that come to stand at this instant forget in x and P where they stood before. [real-time]
 * The filter's kinematics: of the joints in x; its row_update is begun anew. */
void joint_feet_land(struct joint_filter *filter, const struct instant *now, double *x, double *P);

/* Adds the rows of the feet that stand to the filter's row_update. [real-time] The filter's
 * kinematics: of the joints in x. rows: [n_feet], written where a foot stands. */
void joint_feet_add(struct joint_filter *filter, const struct instant *now, const double *x,
                    const double *P, struct foot_rows rows[ROBOT_MAX_FEET]);

/* Judges these rows once they know what to expect. [real-time] What they say is remembered when it
 * is `fresh`; dt: s between two samples of joints. */
void joint_feet_judge(struct joint_filter *filter, const struct instant *now, bool fresh, double dt,
                      const struct foot_rows rows[ROBOT_MAX_FEET]);

/* Joint j is elsewhere than was believed: feet behind it come to stand anew at this instant.
 * [real-time] */
void joint_feet_lose(const struct joint_filter *filter, struct instant *now, size_t j);

#endif
