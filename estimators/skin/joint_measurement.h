/* What is measured at one instant, in the form that both filters take: encoders, and blocks of
 * whitened rows about the motion of single links. */
#ifndef JOINT_MEASUREMENT_H
#define JOINT_MEASUREMENT_H

#include "common/status.h"
#include "math/spatial.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ROWS_MAX 6 /* rows of a block: a link's whole acceleration, or an IMU's two triads */

/* Places in a link's motion as rows see it; `products` are those of skin_fusion.h. */
enum link_part {
  PART_OMEGADOT = 0, /* 3: rad/s^2 */
  PART_VDOT = 3,     /* 3: m/s^2, specific force at the link's origin */
  PART_PRODUCTS = 6, /* 6: rad^2/s^2 */
  PART_OMEGA = 12,   /* 3: rad/s */
  PART_SIZE = 15
};

/* z = W m + noise of unit covariance, m the link's motion by `enum link_part`, link coordinates.
 * @eq Leboutet22 145: one entry of the measurement vector. */
struct link_rows {
  size_t link;
  bool told_by_limb;             /* not by its skin, but by that of the limb that it carries */
  bool torn;                     /* the cells behind it contradict each other */
  unsigned rank;                 /* rows in use */
  double W[ROWS_MAX][PART_SIZE]; /* [rank][15] */
  double z[ROWS_MAX];            /* [rank] */
};

struct joint_measurement {
  const double *q;      /* [n] rad or m; read only where `q_used` */
  const bool *q_used;   /* [n] */
  const double *q_sd;   /* [n] rad or m, one standard deviation */
  const double *q_told; /* [n] of readings before that the estimate has taken and the covariance has
                           not, which it takes too: what they tell of each position, as a part of
                           its variance; NULL: none */
  const double *q_enough; /* [n] rad or m: blocks say nothing of a q that is known better; NULL: of
                             all (joint_points.h) */
  double dq_enough, omega_enough; /* rad/s or m/s: likewise of rates; 0: of all */
  size_t n_blocks;
  const struct link_rows *block; /* [n_blocks] */
};

/* The link's acceleration by itself, given its angular velocity. [real-time] Leboutet (138).
 * omega: rad/s, link coordinates. Writes `acceleration` (rad/s^2, m/s^2 of the link's origin) and,
 * if not NULL, `covariance` [6][6] angular first.
 * STATUS_TOO_FEW: rank below six; outputs untouched. */
enum status link_rows_solve(const struct link_rows *rows, vec3 omega, struct motion *acceleration,
                            double covariance[ROWS_MAX][ROWS_MAX]);

/* First and second factor of each of the six products. */
static const size_t PRODUCT_FACTOR[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

/* The six products of (137): wx^2 wy^2 wz^2 wxwy wywz wzwx. [any] */
static inline void omega_products(vec3 w, double out[6]) {
  out[0] = w.x * w.x;
  out[1] = w.y * w.y;
  out[2] = w.z * w.z;
  out[3] = w.x * w.y;
  out[4] = w.y * w.z;
  out[5] = w.z * w.x;
}

/* omega x (omega x r) as a matrix on the six products. [any]
 * @eq Leboutet22 135: the printed columns of [u]_bullet, for psi's order of products. */
static inline void centripetal_map(vec3 r, double map[3][6]) {
  const double rows[3][6] = {
      {0.0, -r.x, -r.x, r.y, 0.0, r.z},
      {-r.y, 0.0, -r.y, r.x, r.z, 0.0},
      {-r.z, -r.z, 0.0, 0.0, r.y, r.x},
  };
  memcpy(map, rows, sizeof(rows));
}

#endif
