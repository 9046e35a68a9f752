/* A simulation kept in memory: every frame that the daemon would have seen, with the truth beside
 * it. Recorded once per robot, motion and seed; faults of sensors are put into copies of its frames
 * afterwards, any number of times. */
#ifndef TAPE_H
#define TAPE_H

#include "common/message.h"
#include "sim.h"

struct tape {
  const struct robot *robot;  /* as described to the estimators; borrowed */
  struct sim_options options; /* as simulated */
  double period_s;
  size_t count;               /* instants */
  struct sensor_frame *frame; /* [count]; their pointers lead into the arrays below */
  struct sim_truth *truth;    /* [count]; likewise. `inertia` is NULL */
  double *joints;             /* [count][6 n_joints] q, dq, ddq, tau true; q, tau read */
  struct force *wrench;       /* [count][n_wrench] */
  float *acceleration;        /* [n_skin][3 n_cells] */
  uint8_t *flags;             /* [n_skin][n_cells] */
};

/* Runs the simulation to its end. [start] Free with tape_free. Statuses of sim_create;
 * STATUS_NOT_FINITE: the physics has blown up; STATUS_REFUSED: the robot fell. */
enum status tape_record(struct tape *tape, const struct sim_options *options,
                        struct message *error);
void tape_free(struct tape *tape);

/* A frame with arrays of its own, to be spoilt. */
struct frame_copy {
  struct sensor_frame frame;
  double q[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
  struct force wrench[ROBOT_MAX_WRENCH];
  float *acceleration; /* [n_cells][3] */
  uint8_t *flags;      /* [n_cells] */
};

/* [start] Free with frame_copy_free. */
enum status frame_copy_init(struct frame_copy *copy, const struct robot *robot);
void frame_copy_free(struct frame_copy *copy);

/* Copies instant k of the tape. [any] */
void tape_take(const struct tape *tape, size_t k, struct frame_copy *copy);

#endif
