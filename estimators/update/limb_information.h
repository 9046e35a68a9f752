/* What the skin of a limb tells of the motion of the link that carries it, whatever the limb's
 * joints do.
 *
 * With m the carrier's motion, f the limb's joints, y = h(m, f) + noise of unit covariance,
 * P = L L^T what is known of f beforehand, H_m and H_f the differences of h, A = H_f L and
 * C C^T = 1 + A^T A, it is the information
 *   H_m^T (1 + A A^T)^-1 H_m = H_m^T H_m - T^T T,  T = C^-1 A^T H_m,
 * about m, and rows of its factor, like those that the carrier's own skin gives (skin_fusion.h). */
#ifndef LIMB_INFORMATION_H
#define LIMB_INFORMATION_H

#include "body/kinematics_batch.h"
#include "common/arena.h"
#include "common/status.h"
#include "skin/joint_measurement.h"

#include <stdbool.h>

enum {
  CARRIER_NUMBERS = 9, /* m: omegadot, vdot, omega of the carrier, its coordinates */
  CARRIER_STRIDE = 16  /* distance between rows of as many numbers */
};

struct limb_information {
  struct kinematics_batch kin;
  size_t n, stride; /* numbers of f, q dq ddq of all joints; distance between rows of these */
  size_t rows;      /* of the newest differences; 0: there are none */
  double *x, *y;    /* samples and their images */
  double *expected; /* [rows] h(m, f) */
  double *H_m;      /* [rows][CARRIER_STRIDE] */
  double *H_f, *A;  /* [rows][stride] */
  double *L, *C;    /* [n][stride] of P, lower; of 1 + A^T A, upper */
  double *T;        /* [n][CARRIER_STRIDE] */
  double *factor;   /* [CARRIER_NUMBERS][CARRIER_STRIDE] of the information, upper */
};

/* model: of the limb, its base being the carrier. [start] */
enum status limb_information_init(struct limb_information *info, const struct model *model,
                                  struct arena *arena);

/* What the blocks' rows read at m and f, and with `differences` how that changes with either.
 * [real-time] f: [n] q, dq, ddq. False: these are no motion. */
bool limb_information_expect(struct limb_information *info, const double m[CARRIER_NUMBERS],
                             const double *f, const struct link_rows *block, size_t n_blocks,
                             bool differences);

/* The information, from the differences. [real-time] P: [n][P_stride] or more of f, upper triangle;
 * what it says of accelerations is not used. False: it cannot be factored. */
bool limb_information_update(struct limb_information *info, const double *P, size_t P_stride);

/* Rows of the carrier for what the blocks read; those that see its rate alone are left out, as they
 * tell nothing new. [real-time] m: of the newest limb_information_expect. Of `rows` the link stays
 * to be written. */
void limb_information_rows(const struct limb_information *info, const double m[CARRIER_NUMBERS],
                           const struct link_rows *block, size_t n_blocks, struct link_rows *rows);

#endif
