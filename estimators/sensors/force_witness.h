/* What speaks against the base's accelerometer when none of its readings has jumped: one that is a
 * little off for long is followed, and takes the base's velocity with it.
 *
 * The estimate follows its IMU, so what the skin of all links feels of the base's specific force by
 * itself shows in its innovation: the offset that explains it best,
 *
 *   offset = (sum h h^T)^-1 sum h nu,  h = R_BL W_vdot^T of every whitened row.
 *
 * Feet that stand are dragged along. One that is dragged as the skin says is no slip; without skin
 * two or more, all dragged the same way, are none either where sensors feel that they stand: else
 * something may have lifted the robot. A foot that the robot tips over is not dragged. */
#ifndef FORCE_WITNESS_H
#define FORCE_WITNESS_H

#include "math/spatial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_rows;

struct force_witness {
  vec3 sample;     /* m/s^2: the offset of the newest sample, base axes */
  vec3 skin;       /* ... averaged over some */
  double scatter;  /* (m/s^2)^2: of samples about that, per axis */
  int64_t skin_ns; /* of the last sample, 0 for none */
};

/* Takes the innovation of one sample of skin. [real-time]
 *   block  [n_blocks], their rows one after another in nu, whitened by their own noise alone
 *   X_BL   [n_links] poses of the links in the base */
void force_witness_skin(struct force_witness *witness, const struct link_rows *block,
                        size_t n_blocks, const double *nu, const struct pose *X_BL, int64_t t_ns);

/* A foot that stands, as force_witness_denies sees it. */
struct dragged_foot {
  double drag; /* joint_filter_foot_drag, over what is usual for this foot */
  vec3 way;    /* where the estimate has it go, any length, world axes */
  bool felt;   /* that it stands is measured */
  bool turns;  /* it moves because it turns about an edge: nothing drags it */
};

/* True while skin and accelerometer differ by so much that one of them is wrong. [real-time] */
bool force_witness_differs(const struct force_witness *witness, int64_t t_ns);

/* True when the accelerometer is off, by what skin and feet say at t_ns. [real-time] foot: [n] */
bool force_witness_denies(const struct force_witness *witness, const struct dragged_foot *foot,
                          size_t n, const mat3 *R_WB, int64_t t_ns);

#endif
