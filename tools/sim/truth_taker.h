/* Takes the truth of one instant from the simulated bodies. */
#ifndef TRUTH_TAKER_H
#define TRUTH_TAKER_H

#include "common/status.h"
#include "sim_physics.h"
#include "sim_truth.h"

struct truth_taker {
  struct sim_truth truth;      /* what was taken last; its pointers lead here; W is the ground's */
  struct sim_truth world;      /* the same, W with z up: another on a ramp */
  mat3 R_WG;                   /* how the ground lies in it */
  struct motion *velocity;     /* [n_links] of the link origin, link coordinates */
  struct motion *acceleration; /* [n_links] proper */
  double *joints;              /* [4 n_joints] q, dq, ddq, tau */
  double standing_height;      /* m, of the base origin when the scenario began; 0: base held */
};

/* [start] Free with `truth_taker_free`. */
enum status truth_taker_init(struct truth_taker *taker, const struct physics *physics);
void truth_taker_free(struct truth_taker *taker);

/* Fills `velocity` and `acceleration` of every link. [any] After `physics_forward` or
 * `physics_prescribe`. */
void truth_take_links(struct truth_taker *taker, struct physics *physics);

/* Where a link is in that world. [any] */
struct pose truth_link_pose(const struct truth_taker *taker, const struct physics *physics,
                            size_t link);

/* Fills `world` from `truth`, once that has all. [any] */
void truth_turn(struct truth_taker *taker);

/* Fills `truth`, but for what only the scenario knows: its payload and planned feet. [any] After
 * `truth_take_links` at the same instant. */
void truth_take(struct truth_taker *taker, struct physics *physics, int64_t t_ns);

#endif
