#include "sensors/force_witness.h"

#include "numerics/small_matrix.h"
#include "skin/joint_measurement.h"

#include <math.h>

/* Memory of the skin's offset, ns, and how long it counts. */
static const int64_t SKIN_TIME_NS = 20000000, SKIN_VALID_NS = 30000000;
/* Memory of its scatter, ns; five deviations of its mean, in those of a sample at 250 Hz. */
static const int64_t SCATTER_TIME_NS = 200000000;
static const double OF_ITS_SCATTER = 5.0 / 3.0;
/* An offset that skin may have without saying anything, m/s^2; one that it has at strikes alone;
 * one that the accelerometer would have jumped by. */
static const double SKIN_SILENT = 0.4, SKIN_DIFFERS = 1.0, SKIN_JUMPED = 4.0;
/* Drag of a foot that speaks with the skin, and of feet that speak alone. */
static const double DRAG_WITH_SKIN = 2.0, DRAG_ALONE = 10.0;
/* Directions agree: the cosine between a foot's and that away from the skin's; the length of the
 * mean of unit vectors of several feet. */
static const double AGREES = 0.7, ALIKE = 0.9;

/* h of one whitened row. */
static void row_by_force(const struct link_rows *block, unsigned row, const mat3 *R_BL,
                         double h[3]) {
  vec3_to(mat3_mul_vec3(R_BL, vec3_from(&block->W[row][PART_VDOT])), h);
}

void force_witness_skin(struct force_witness *w, const struct link_rows *block, size_t n_blocks,
                        const double *nu, const struct pose *X_BL, int64_t t_ns) {
  double information[9] = {0.0}, offset[3] = {0.0}; /* sum h nu, until it is solved for */
  for (size_t b = 0; b < n_blocks; b++) {
    for (unsigned i = 0; i < block[b].rank; i++, nu++) {
      double h[3];
      row_by_force(&block[b], i, &X_BL[block[b].link].R, h);
      small_rank_one(3, 3, 1.0, h, h, information, 3);
      small_add(3, *nu, h, offset);
    }
  }
  if (!small_cholesky_lower(3, information)) { /* skin does not see all axes */
    return;
  }
  small_cholesky_solve(3, information, offset);
  if (!vec3_is_finite(vec3_from(offset))) {
    return;
  }
  const int64_t since = t_ns - w->skin_ns;
  const bool goes_on = w->skin_ns > 0 && since > 0 && since < SKIN_VALID_NS;
  const double share = goes_on ? (double)since / (double)(SKIN_TIME_NS + since) : 1.0;
  w->sample = vec3_from(offset);
  const vec3 off = vec3_sub(w->sample, w->skin);
  const double part = goes_on ? (double)since / (double)(SCATTER_TIME_NS + since) : 0.0;
  w->scatter += part * (vec3_dot(off, off) / 3.0 - w->scatter);
  w->skin = vec3_axpy(w->skin, share, off);
  w->skin_ns = t_ns;
}

static bool skin_is_heard(const struct force_witness *w, int64_t t_ns) {
  return w->skin_ns > 0 && t_ns - w->skin_ns < SKIN_VALID_NS;
}

/* The offset is larger than this, m/s^2, and than what its own scatter explains. */
static bool skin_says(const struct force_witness *w, double least) {
  return vec3_norm(w->skin) > fmax(least, OF_ITS_SCATTER * sqrt(w->scatter));
}

bool force_witness_differs(const struct force_witness *w, int64_t t_ns) {
  return skin_is_heard(w, t_ns) && skin_says(w, SKIN_DIFFERS);
}

static vec3 direction(vec3 v) {
  const double length = vec3_norm(v);
  return length > 0.0 ? vec3_scale(1.0 / length, v) : VEC3_ZERO;
}

/* A foot is dragged as the skin says that the accelerometer errs. */
static bool skin_denies(const struct force_witness *w, const struct dragged_foot *foot, size_t n,
                        const mat3 *R_WB, int64_t t_ns) {
  const vec3 skin_W = mat3_mul_vec3(R_WB, w->skin);
  const double size = vec3_norm(skin_W);
  if (!skin_is_heard(w, t_ns) || !skin_says(w, SKIN_SILENT) || size > SKIN_JUMPED) {
    return false;
  }
  bool denies = false;
  for (size_t i = 0; i < n; i++) {
    const double with = -vec3_dot(direction(foot[i].way), direction(skin_W));
    denies = denies || (!foot[i].turns && foot[i].drag > DRAG_WITH_SKIN && with > AGREES);
  }
  return denies;
}

static bool feet_deny(const struct dragged_foot *foot, size_t n) {
  vec3 way = VEC3_ZERO;
  bool all = n > 1;
  for (size_t i = 0; i < n; i++) {
    way = vec3_axpy(way, 1.0 / (double)n, direction(foot[i].way));
    all = all && foot[i].felt && !foot[i].turns && foot[i].drag > DRAG_ALONE;
  }
  return all && vec3_norm(way) > ALIKE;
}

bool force_witness_denies(const struct force_witness *w, const struct dragged_foot *foot, size_t n,
                          const mat3 *R_WB, int64_t t_ns) {
  return skin_denies(w, foot, n, R_WB, t_ns) || feet_deny(foot, n);
}
