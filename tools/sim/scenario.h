/* What the robot does: from the time to reference positions of all joints.
 *
 * Each scenario is one row of a table: name, a line of help, whether the base is held, how long it
 * lasts, how it begins and how it goes on. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "excitation.h"
#include "limbs.h"
#include "mjcf.h"
#include "posture.h"
#include "sim_options.h"
#include "walk.h"

struct scenario_run {
  struct sim_options options;
  struct posture posture; /* only with a free base */
  struct posture_target standing;
  struct limbs limbs;
  struct excitation excitation;
  struct walk walk;
  double leg_length;                  /* m */
  double q[MODEL_MAX_JOINTS];         /* rad or m: reference of the last tick */
  double dq[MODEL_MAX_JOINTS];        /* since the tick before */
  double dq_before[MODEL_MAX_JOINTS]; /* and before that */
  bool planned[ROBOT_MAX_FEET];       /* feet that shall carry now */
  vec3 force_W, point_B;              /* N, and m in base coordinates: external force of now */
};

/* Seconds that scenario `scenario` lasts if nobody says otherwise. [any] */
double scenario_duration(enum sim_scenario scenario);

/* The time constant with which the ground gives way, s: hard strikes on hard ground. [any] */
double scenario_contact_time(const struct sim_options *options);

/* Fills in what the scenario itself chooses where the options left it open: payload, push. [start]
 * After the robot's limbs are known. */
enum status scenario_begin(struct scenario_run *run, const struct sim_options *options,
                           struct message *error);
void scenario_end(struct scenario_run *run);

/* Something for the ground: blocks that the feet meet. [start] Returns how many were written. */
size_t scenario_blocks(const struct scenario_run *run, struct block *block);

/* Sets q, dq, planned and force for time t, `dt` after the last call. [worker] `truth` of about
 * now, for the balance of the robot's own controller. */
void scenario_step(struct scenario_run *run, double t, double dt, const struct sim_truth *truth);

/* The reference `since` s after the last tick, ticks `dt` apart: q, dq [n_joints] out. [worker]
 *
 * A quadratic B-spline through the ticks, half a tick late: velocity is continuous, so that the
 * drives do not see steps at the ticks, which would be sawteeth in the true accelerations. */
void scenario_reference(const struct scenario_run *run, double since, double dt, double *q,
                        double *dq);

/* With a held base: the exact motion of joint j at t. [any] */
struct jet scenario_motion(const struct scenario_run *run, size_t j, double t);

#endif
