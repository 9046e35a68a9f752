/* What the robot does: from the time to reference positions of all joints.
 *
 * Each scenario is one row of the table in scenario_motions.c, beside its function: its word, a
 * line of help, how it moves and begins, what it lays on the ground, how long it lasts. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "excitation.h"
#include "limbs.h"
#include "mjcf.h"
#include "posture.h"
#include "sim_options.h"
#include "trot.h"
#include "walk.h"

struct scenario_run;

/* Now. */
struct scenario_instant {
  double t, dt;                  /* s from the start; since the last call */
  const struct sim_truth *truth; /* of about now, for the robot's own balance */
};

/* Changes `target`, which holds the standing posture, and run->posture.q of the joints that are not
 * legs', run->planned and run->force_W. [any] */
typedef void scenario_move(struct scenario_run *run, const struct scenario_instant *now,
                           struct posture_target *target);

struct scenario {
  const char *name, *help;
  scenario_move *move;             /* NULL: the base is held, and joints follow the excitation */
  enum excitation_kind excitation; /* of the held robot, or of the upper body in move_sines */
  double duration_s;               /* if nobody says otherwise */
  bool walks;                      /* begins standing, on two feet; ends on uneven ground too */
  bool trots;                      /* trots or hops: the same on four */
  void (*begin)(struct scenario_run *run); /* chooses what the options left open; NULL: nothing */
  size_t (*blocks)(const struct scenario_run *run, struct block *block); /* NULL: plain ground */
};

/* The scenario of that word, or NULL; number `i` of the table, NULL beyond the last. [any] */
const struct scenario *scenario_find(const char *name);
const struct scenario *scenario_at(size_t i);

struct scenario_run {
  const struct scenario *scenario;
  struct sim_options options;
  struct posture posture; /* only with a free base */
  struct posture_target standing;
  struct limbs limbs;
  struct excitation excitation;
  struct walk walk;
  struct trot trot;
  double leg_length;                  /* m */
  double reach;                       /* of its steps on usually bent legs: how far it reaches */
  double q[MODEL_MAX_JOINTS];         /* rad or m: reference of the last tick */
  double dq[MODEL_MAX_JOINTS];        /* since the tick before */
  double dq_before[MODEL_MAX_JOINTS]; /* and before that */
  bool planned[ROBOT_MAX_FEET];       /* feet that shall carry now */
  vec3 force_W, point_B;              /* N, and m in base coordinates: external force of now */
};

/* The time constant with which the ground gives way, s: hard strikes on hard ground. [any] */
double scenario_contact_time(const struct sim_options *options);

/* Begins the scenario of options->scenario, which fills in what the options left open, to the
 * measure of the robot: payload, push, steps. [start] STATUS_REFUSED: this robot cannot do it. */
enum status scenario_begin(struct scenario_run *run, const struct sim_options *options,
                           struct message *error);
void scenario_end(struct scenario_run *run);

/* Something for the ground: blocks that the feet meet. [start] Returns how many were written. */
size_t scenario_blocks(const struct scenario_run *run, struct block *block);

/* Sets q, dq, planned and force for time t, `dt` after the last call. [any] `truth` of about
 * now, for the balance of the robot's own controller. */
void scenario_step(struct scenario_run *run, double t, double dt, const struct sim_truth *truth);

/* The reference `since` s after the last tick, ticks `dt` apart: q, dq [n_joints] out. [any]
 *
 * A quadratic B-spline through the ticks, half a tick late: velocity is continuous, so that the
 * drives do not see steps at the ticks, which would be sawteeth in the true accelerations. */
void scenario_reference(const struct scenario_run *run, double since, double dt, double *q,
                        double *dq);

/* With a held base: the exact motion of joint j at t. [any] */
struct jet scenario_motion(const struct scenario_run *run, size_t j, double t);

#endif
