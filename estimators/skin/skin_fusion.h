/* The acceleration of each link from the skin cells that sit on it: weighted least squares, one
 * small matrix-vector product per link.
 *
 * A cell at r on a link reads (in link coordinates, specific force)
 *   a = vdot + omegadot x r + omega x (omega x r),
 * linear in the link's acceleration x = [omegadot; vdot] and in the six products of omega. Stacked
 * with weights W, the normal equations are (H^T W H) x + C omega-products = H^T W a. Only the right
 * side changes from sample to sample, and its matrix H^T W R does not depend on which cells are
 * used: a cell that is left out is a zero in the reading. So a change of the set costs one sum over
 * the link's cells and one 6x6 factorisation, never a new 6x3N matrix.
 *
 * What the filter takes is the whitened form: with H^T W H = U^T U, U of size rank x 6,
 *   z = U x + K [wx^2 wy^2 wz^2 wxwy wywz wzwx] + noise of unit covariance.
 * The reading z is raw: the centripetal term K belongs into the prediction, where it keeps its
 * correlation with the state. Where cells are too few or in line, rank is below six and z holds the
 * observable part with its honest covariance. */
#ifndef SKIN_FUSION_H
#define SKIN_FUSION_H

#include "common/arena.h"
#include "common/status.h"
#include "math/spatial.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "skin/joint_measurement.h"

#include <stdbool.h>
#include <stdint.h>

#define SKIN_FUSION_SIZE 6 /* numbers of a link's acceleration, angular first */

/* One link's skin. Matrices are row-major; x = [omegadot; vdot] of the link's origin, link
 * coordinates. */
struct link_skin {
  size_t link;                                  /* index into model.link */
  size_t n_cells;                               /* cells on this link */
  size_t n_used;                                /* of them, in the last reading */
  bool torn;                                    /* too many of these contradict each other */
  unsigned rank;                                /* rows of U, K and z that hold meaning, 0..6 */
  double U[SKIN_FUSION_SIZE][SKIN_FUSION_SIZE]; /* [rank][6] s^2/m-weighted: z per x */
  double K[SKIN_FUSION_SIZE][SKIN_FUSION_SIZE]; /* [rank][6] z per product of omega */
  double z[SKIN_FUSION_SIZE];                   /* [rank] whitened reading, unit variance */
  double factor[SKIN_FUSION_SIZE][SKIN_FUSION_SIZE]; /* pivoted Cholesky factor about the centre */
  uint8_t pivot[SKIN_FUSION_SIZE];                   /* its order of rows */
  double length;  /* m: radius of the cells about their centre, scales the angular rows */
  vec3 centre;    /* m: mean of the cells' places, link coordinates */
  size_t *cell;   /* [n_cells] index into robot.cell */
  vec3 *place;    /* [n_cells] m, relative to `centre` */
  double *weight; /* [n_cells] 1/(m/s^2)^2 */
  bool *used;     /* [n_cells] in the last reading */
  size_t padded;  /* 3 n_cells rounded up to whole vectors */
  float *gather;  /* [6][padded] H^T W R about the centre, with lengths scaled */
  float *reading; /* [padded] m/s^2, cell frames, zero where a cell is left out */
};

struct skin_fusion {
  const struct robot *robot;
  double range;           /* m/s^2: a reading at or beyond is saturated */
  size_t n_links;         /* links that carry skin */
  struct link_skin *link; /* [n_links] by rising link index */
  int *of_link;           /* [model.n_links] index into `link`, or -1 */
  bool *masked;           /* [n_cells] left out by decision of their health */
  bool *idle;             /* [n_cells] not chosen */
  uint64_t rejected;      /* readings left out because invalid, saturated or not finite */
  uint64_t refactored;    /* changes of a link's set */
};

/* Prepares the fusion for all cells of `robot`, which must outlive it. [start]
 * cell_noise: m/s^2, one standard deviation per axis; `noise_of_cell` [n_cells] overrides it where
 * not NULL and positive. range: m/s^2. STATUS_OUT_OF_RANGE: noise or range not positive. */
enum status skin_fusion_init(struct skin_fusion *fusion, const struct robot *robot,
                             double cell_noise, const double *noise_of_cell, double range,
                             struct arena *arena);

/* Leaves a cell out, or takes it back; effective with the next reading. [any] */
void skin_fusion_mask(struct skin_fusion *fusion, size_t cell, bool masked);

/* Prepares U and K as if every cell were usable, before any reading has come. [start] */
void skin_fusion_assume_all(struct skin_fusion *fusion);

/* Uses the chosen cells and no others, effective with the next reading. All at first. [any]
 * chosen: [n_cells] */
void skin_fusion_choose(struct skin_fusion *fusion, const bool *chosen);

/* Fuses one reading: z of every link, U and K where the set of usable cells changed. [real-time]
 * A cell is usable when it is flagged valid, finite, inside the range, not three times one number,
 * and neither masked nor idle.
 * STATUS_BAD_ARGUMENT: the reading has another number of cells; nothing changes. */
enum status skin_fusion_step(struct skin_fusion *fusion, const struct skin_reading *reading);

/* Takes cell `k` of the link out of the reading that was fused last, as if it had not come.
 * [real-time] */
void skin_fusion_drop(struct skin_fusion *fusion, struct link_skin *link, size_t k);

/* The same for several cells of a link at the price of one: first each is left out, then the link
 * is mended. [real-time] */
void skin_fusion_leave_out(struct link_skin *link, size_t k);
void skin_fusion_mend(struct skin_fusion *fusion, struct link_skin *link);

/* The last reading of a link as the filter takes it. [real-time] */
struct link_rows skin_fusion_rows(const struct link_skin *link);

/* The link's acceleration by itself, given its angular velocity. [real-time] Leboutet (138).
 * omega: rad/s, link coordinates. Writes `acceleration` (rad/s^2, m/s^2 of the link's origin) and,
 * if not NULL, `covariance` [6][6] angular first.
 * STATUS_TOO_FEW: rank below six; outputs untouched. */
enum status skin_fusion_solve(const struct link_skin *link, vec3 omega, struct motion *acceleration,
                              double covariance[SKIN_FUSION_SIZE][SKIN_FUSION_SIZE]);

/* Specific force of all points of a moving link, link coordinates, m/s^2: linear in their place. */
struct force_field {
  vec3 at_origin; /* m/s^2 */
  mat3 gradient;  /* 1/s^2 */
};

/* The field of a link that moves so. [real-time] Leboutet (134). omega: rad/s, acceleration:
 * rad/s^2 and m/s^2 of the link's origin, link coordinates. */
struct force_field force_field_of(vec3 omega, const struct motion *acceleration);

/* What cell `k` of the link would read in this motion, in *link* coordinates, m/s^2. [real-time] */
static inline vec3 skin_fusion_predict(const struct link_skin *link, size_t k,
                                       const struct force_field *field) {
  const vec3 r = vec3_add(link->place[k], link->centre);
  return vec3_add(field->at_origin, mat3_mul_vec3(&field->gradient, r));
}

#endif
