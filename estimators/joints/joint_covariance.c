#include "joints/joint_covariance.h"

#include "joints/base_process.h"
#include "joints/joint_chains.h"
#include "math/dispatch.h"
#include "model/model.h"
#include "robot/robot.h"

#include <stdint.h>
#include <string.h>

ISA_KERNEL(joint_covariance_predict)

typedef double lanes __attribute__((vector_size(REGISTER_BYTES), may_alias));
typedef double loose_lanes __attribute__((vector_size(REGISTER_BYTES), aligned(8), may_alias));
enum { LANES = REGISTER_BYTES / sizeof(double) };

/* Joints that are carried on at a time with the base. */
enum { GROUP = 16 };
/* States of a floating base: two chains, attitude to position, biases of the IMU, places of feet
 * and their attitudes; and the numbers of its F that are not zero. */
enum {
  MOVING_MAX = 3 * 4 + 3 * 3 + BASE_MOVING,
  BASE_MAX = MOVING_MAX + 6 + 6 * ROBOT_MAX_FEET,
  BASE_ROW = (BASE_MAX + 7) / 8 * 8,
  TERMS_MAX = 3 * 10 + 3 * 6 + BASE_TERMS_MAX
};

#define INLINE ISA_INLINE
#define UNROLL _Pragma("GCC unroll 8")

#if REGISTER_BYTES >= 32
typedef double loose_quad __attribute__((vector_size(32), aligned(8), may_alias));
INLINE void quad_transpose(const loose_quad *from, loose_quad *to) {
  const loose_quad ab_even = __builtin_shufflevector(from[0], from[1], 0, 4, 2, 6),
                   ab_odd = __builtin_shufflevector(from[0], from[1], 1, 5, 3, 7),
                   cd_even = __builtin_shufflevector(from[2], from[3], 0, 4, 2, 6),
                   cd_odd = __builtin_shufflevector(from[2], from[3], 1, 5, 3, 7);
  to[0] = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  to[1] = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  to[2] = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  to[3] = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}
#endif

/* -- joints by joints ------------------------------------------------------------------------- */

/* P of the parts of a few joints with those of all joints, row by row: [joint][its part][their
 * part][all joints], `width` numbers from row to row, whole vectors. */
enum { FEW = 4, PAIRS = CHAIN_PARTS * CHAIN_PARTS };
struct few_joints {
  size_t count, width;
  double *row;
};

INLINE double *row_of(const struct few_joints *few, size_t i, size_t a, size_t b) {
  return few->row + ((i * CHAIN_PARTS + a) * CHAIN_PARTS + b) * few->width;
}

/* to = from, the last vector over what the one before has copied. */
INLINE void copy_run(double *to, const double *from, size_t count) {
  if (count < LANES) {
    memcpy(to, from, count * sizeof(double));
    return;
  }
  for (size_t j = 0; j + LANES < count; j += LANES) {
    *(loose_lanes *)(to + j) = *(const loose_lanes *)(from + j);
  }
  *(loose_lanes *)(to + count - LANES) = *(const loose_lanes *)(from + count - LANES);
}

/* Columns of P onto rows: those of FEW joints from the `first` on, down to row `end`. */
INLINE void turn_columns(const struct few_joints *few, size_t a, size_t b, const double *column,
                         size_t stride, size_t end) {
  size_t j = 0;
#if REGISTER_BYTES >= 32
  for (; few->count == FEW && j + FEW <= end; j += FEW) {
    loose_quad column_of[FEW], turned[FEW];
    UNROLL for (size_t i = 0; i < FEW; i++) {
      column_of[i] = *(const loose_quad *)(column + (j + i) * stride);
    }
    quad_transpose(column_of, turned);
    UNROLL for (size_t i = 0; i < FEW; i++) {
      *(loose_quad *)(row_of(few, i, a, b) + j) = turned[i];
    }
  }
#endif
  for (; j < end; j++) {
    for (size_t i = 0; i < few->count; i++) {
      row_of(few, i, a, b)[j] = column[j * stride + i];
    }
  }
}

/* From the upper triangle: where the other's state stands first, its column is read. */
INLINE void gather_joints(const struct joint_chain *chain, size_t first, const double *P,
                          size_t stride, const struct few_joints *few) {
  for (size_t a = 0; a < chain->parts; a++) {
    for (size_t b = 0; b < chain->parts; b++) {
      for (size_t i = 0; b >= a && i < few->count; i++) {
        const double *row = P + (chain->part[a] + first + i) * stride + chain->part[b];
        copy_run(row_of(few, i, a, b), row, chain->count);
      }
      const double *column = P + chain->part[b] * stride + chain->part[a] + first;
      turn_columns(few, a, b, column, stride, b < a ? chain->count : b == a ? first : 0);
    }
    for (size_t i = 1; i < few->count; i++) { /* beside the diagonal */
      for (size_t j = 0; j < i; j++) {
        row_of(few, i, a, a)[first + j] = row_of(few, j, a, a)[first + i];
      }
    }
  }
}

/* Row a of F block F^T into `next`, columns of parts c >= a. `parts` and `a` are constants where
 * inlined. The last vector goes over what the one before has written; where there are fewer joints
 * than a vector holds, only what is theirs is written. */
INLINE void carry_part(int parts, int a, const struct joint_chain *chain,
                       const struct chain_passage *step, const double *block, size_t width,
                       double *next) {
  const size_t count = chain->count, last = count < LANES ? 0 : count - LANES;
  for (size_t at = 0; at < count; at += LANES) {
    const size_t j = at < last ? at : last;
    lanes row[CHAIN_PARTS];
    UNROLL for (int d = a; d < parts; d++) {
      const double *from = block + (size_t)d * width + j;
      row[d] = step->F[a][a] * *(const loose_lanes *)(from + (size_t)(a * CHAIN_PARTS) * width);
      UNROLL for (int b = a + 1; b < parts; b++) {
        row[d] += step->F[a][b] * *(const loose_lanes *)(from + (size_t)(b * CHAIN_PARTS) * width);
      }
    }
    UNROLL for (int c = a; c < parts; c++) {
      lanes sum = step->F[c][c] * row[c];
      UNROLL for (int d = c + 1; d < parts; d++) {
        sum += step->F[c][d] * row[d];
      }
      if (count < LANES) {
        memcpy(next + chain->part[c], &sum, count * sizeof(double));
      } else {
        *(loose_lanes *)(next + chain->part[c] + j) = sum;
      }
    }
  }
}

INLINE void carry_any(int parts, size_t a, const struct joint_chain *chain,
                      const struct chain_passage *step, const double *block, size_t width,
                      double *next) {
  switch (a) {
  case 0:
    carry_part(parts, 0, chain, step, block, width, next);
    break;
  case 1:
    carry_part(parts, 1, chain, step, block, width, next);
    break;
  case 2:
    carry_part(parts, 2, chain, step, block, width, next);
    break;
  case 3:
    carry_part(parts, 3, chain, step, block, width, next);
    break;
  default:
    carry_part(parts, 4, chain, step, block, width, next);
    break;
  }
}

/* The rows of one joint in F P F^T. */
INLINE void carry_joint(const struct joint_chain *chain, const struct chain_passage *step,
                        const double *block, size_t width, double *next, size_t stride) {
  for (size_t a = 0; a < chain->parts; a++) {
    double *to = next + chain->part[a] * stride;
    if (chain->parts == CHAIN_PARTS) {
      carry_any(CHAIN_PARTS, a, chain, step, block, width, to);
    } else {
      carry_any(CHAIN_PARTS - 1, a, chain, step, block, width, to);
    }
  }
}

static void carry_joints(const struct joint_chain *chain, const struct chain_passage *step,
                         const double *P, double *next, size_t stride) {
  double row[FEW * PAIRS * MODEL_MAX_JOINTS] __attribute__((aligned(64)));
  struct few_joints few = {.width = (chain->count + LANES - 1) / LANES * LANES, .row = row};
  memset(row, 0, FEW * PAIRS * few.width * sizeof(double)); /* whole vectors are read */
  for (size_t first = 0; first < chain->count; first += FEW) {
    few.count = chain->count - first < FEW ? chain->count - first : FEW;
    gather_joints(chain, first, P, stride, &few);
    for (size_t i = 0; i < few.count; i++) {
      carry_joint(chain, step, row_of(&few, i, 0, 0), few.width, next + (first + i) * stride,
                  stride);
    }
  }
}

/* -- the base's F ----------------------------------------------------------------------------- */

/* The base's states in rising order, those that move first, and the rows of F of these: row k is
 * the sum of `by[t]` times state `from[t]`, t from start[k] to start[k + 1]. */
struct base_rows {
  size_t count, moving;
  size_t state[BASE_MAX];
  size_t start[MOVING_MAX + 1];
  uint8_t from[TERMS_MAX]; /* index into `state` */
  double by[TERMS_MAX];
};

static void add_states(struct base_rows *rows, size_t from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    rows->state[rows->count++] = from + i;
  }
}

/* Terms of a chain's F, in order of their rows. */
static size_t chain_terms(const struct joint_chain *chain, const struct chain_passage *step,
                          struct base_term *term) {
  size_t n = 0;
  for (size_t a = 0; a < chain->parts; a++) {
    for (size_t i = 0; i < chain->count; i++) {
      for (size_t b = a; b < chain->parts; b++) {
        term[n++] = (struct base_term){chain->part[a] + i, chain->part[b] + i, step->F[a][b]};
      }
    }
  }
  return n;
}

/* Sorts terms by their rows: all rows are counted, then each term finds its place. */
static void sort_terms(struct base_rows *rows, const struct base_term *term, size_t n) {
  uint8_t index[CHAIN_PARTS * MODEL_MAX_JOINTS + BASE_MAX];
  size_t filled[MOVING_MAX] = {0};
  for (size_t k = 0; k < rows->count; k++) {
    index[rows->state[k]] = (uint8_t)k;
  }
  memset(rows->start, 0, sizeof(rows->start));
  for (size_t t = 0; t < n; t++) {
    rows->start[index[term[t].to] + 1]++;
  }
  for (size_t k = 0; k < rows->moving; k++) {
    rows->start[k + 1] += rows->start[k];
  }
  for (size_t t = 0; t < n; t++) {
    const size_t k = index[term[t].to], place = rows->start[k] + filled[k]++;
    rows->from[place] = index[term[t].from];
    rows->by[place] = term[t].by;
  }
}

static void base_rows_of(const struct joint_layout *l, double dt, const double *x,
                         const struct joint_chain chain[N_CHAINS],
                         const struct chain_passage step[N_CHAINS], struct base_rows *rows) {
  struct base_term term[TERMS_MAX];
  const size_t biased = l->biases > 0 ? 3 : 0;
  size_t n = 0;
  rows->count = 0;
  add_states(rows, l->omega, 6); /* and omegadot */
  add_states(rows, l->force, 3);
  add_states(rows, l->omegaddot, 6);         /* and the force's derivative */
  add_states(rows, l->bias_ang, 2 * biased); /* and bias_lin */
  add_states(rows, l->attitude, BASE_MOVING);
  rows->moving = rows->count;
  add_states(rows, l->gyro_bias, l->size - l->gyro_bias);
  for (int which = CHAIN_ANGULAR; which < N_CHAINS; which++) {
    n += chain_terms(&chain[which], &step[which], term + n);
  }
  n += base_process_terms(l, dt, x, term + n);
  sort_terms(rows, term, n);
}

/* out[k] = row k of F times `in`, for the states that move; `width` numbers side by side. */
INLINE void carry_base(const struct base_rows *rows, const double *in, double *out, size_t stride,
                       size_t width) {
  for (size_t k = 0; k < rows->moving; k++) {
    for (size_t j = 0; j < width; j += LANES) {
      lanes sum = {0};
      for (size_t t = rows->start[k]; t < rows->start[k + 1]; t++) {
        sum += rows->by[t] * *(const lanes *)(in + rows->from[t] * stride + j);
      }
      *(lanes *)(out + k * stride + j) = sum;
    }
  }
}

/* -- joints by base --------------------------------------------------------------------------- */

/* Where P of one part of joints i, i + 1 ... with a base's state stands in the upper triangle. */
struct run {
  size_t at, by;
};

static struct run run_of(size_t joints, size_t state, size_t stride) {
  return joints < state ? (struct run){joints * stride + state, stride}
                        : (struct run){state * stride + joints, 1};
}

/* `count` numbers, mostly a whole group. */
INLINE void copy_stepped(double *to, size_t to_by, const double *from, size_t from_by,
                         size_t count) {
  if (count == GROUP && to_by == 1 && from_by == 1) {
    for (size_t i = 0; i < GROUP; i += LANES) {
      *(loose_lanes *)(to + i) = *(const loose_lanes *)(from + i);
    }
  } else if (count == GROUP) {
    _Pragma("GCC unroll 16") for (size_t i = 0; i < GROUP; i++) {
      to[i * to_by] = from[i * from_by];
    }
  } else {
    for (size_t i = 0; i < count; i++) {
      to[i * to_by] = from[i * from_by];
    }
  }
}

/* The joints' parts mix: in place, from the lowest on. */
INLINE void carry_group(const struct chain_passage *step, size_t parts, size_t count,
                        double cross[CHAIN_PARTS][BASE_MAX][GROUP]) {
  for (size_t a = 0; a < parts; a++) {
    for (size_t k = 0; k < count; k++) {
      for (size_t j = 0; j < GROUP; j += LANES) {
        lanes sum = step->F[a][a] * *(const lanes *)(cross[a][k] + j);
        for (size_t b = a + 1; b < parts; b++) {
          sum += step->F[a][b] * *(const lanes *)(cross[b][k] + j);
        }
        *(lanes *)(cross[a][k] + j) = sum;
      }
    }
  }
}

static void carry_cross(const struct joint_chain *chain, const struct chain_passage *step,
                        const struct base_rows *rows, const double *P, double *next,
                        size_t stride) {
  double cross[CHAIN_PARTS][BASE_MAX][GROUP] __attribute__((aligned(64)));
  double moved[MOVING_MAX][GROUP] __attribute__((aligned(64)));
  const size_t count = chain->count, width = count < GROUP ? count : GROUP;
  if (width < GROUP) { /* whole groups are read */
    memset(cross, 0, sizeof(cross));
  }
  for (size_t at = 0; at < count; at += GROUP) { /* the last group over part of the one before */
    const size_t first = at + width < count ? at : count - width;
    for (size_t a = 0; a < chain->parts; a++) {
      for (size_t k = 0; k < rows->count; k++) {
        const struct run run = run_of(chain->part[a] + first, rows->state[k], stride);
        copy_stepped(cross[a][k], 1, P + run.at, run.by, width);
      }
    }
    carry_group(step, chain->parts, rows->count, cross);
    for (size_t a = 0; a < chain->parts; a++) {
      carry_base(rows, cross[a][0], moved[0], GROUP, GROUP);
      for (size_t k = 0; k < rows->count; k++) {
        const struct run run = run_of(chain->part[a] + first, rows->state[k], stride);
        const double *from = k < rows->moving ? moved[k] : cross[a][k];
        copy_stepped(next + run.at, run.by, from, 1, width);
      }
    }
  }
}

/* -- base by base ----------------------------------------------------------------------------- */

/* B becomes F B, its transpose F (F B)^T: symmetric, so either way round. */
static void carry_own(const struct base_rows *rows, const double *P, double *next, size_t stride) {
  double own[BASE_MAX][BASE_ROW] __attribute__((aligned(64)));
  double moved[MOVING_MAX][BASE_ROW] __attribute__((aligned(64)));
  const size_t width = (rows->count + LANES - 1) / LANES * LANES;
  for (size_t k = 0; k < rows->count; k++) {
    const double *row = P + rows->state[k] * stride;
    for (size_t m = k; m < rows->count; m++) {
      own[k][m] = own[m][k] = row[rows->state[m]];
    }
    memset(own[k] + rows->count, 0, (width - rows->count) * sizeof(double));
  }
  carry_base(rows, own[0], moved[0], BASE_ROW, width);
  for (size_t k = 0; k < rows->moving; k++) { /* (F B)^T: column k is what has become of row k */
    for (size_t m = 0; m < rows->count; m++) {
      own[m][k] = moved[k][m];
    }
  }
  carry_base(rows, own[0], moved[0], BASE_ROW, width);
  for (size_t k = 0; k < rows->count; k++) {
    const double *from = k < rows->moving ? moved[k] : own[k];
    double *row = next + rows->state[k] * stride;
    for (size_t m = k; m < rows->count; m++) {
      row[rows->state[m]] = from[m];
    }
  }
}

/* -- noise ------------------------------------------------------------------------------------ */

static void add_noise(const struct joint_chain *chain, const struct chain_passage *step,
                      const struct chain_drive *drive, double dt, double *P, size_t stride) {
  for (size_t a = 0; a < chain->length; a++) {
    for (size_t b = a; b < chain->length; b++) {
      const double unit =
          chain_noise((unsigned)(chain->length - 1 - a), (unsigned)(chain->length - 1 - b), dt);
      for (size_t i = 0; i < chain->count; i++) {
        P[(chain->part[a] + i) * stride + chain->part[b] + i] += chain_density(drive, i) * unit;
      }
    }
  }
  for (size_t i = 0; chain->parts > chain->length && i < chain->count; i++) {
    const double noise =
        chain_bias_noise(drive, i, step->decay); /* of b, and of the sum that holds it */
    const size_t s = chain->part[chain->seen] + i, b = chain->part[chain->length] + i;
    P[s * stride + s] += noise;
    P[s * stride + b] += noise;
    P[b * stride + b] += noise;
  }
}

static void add_walk(size_t from, size_t count, double variance, double *P, size_t stride) {
  for (size_t i = from; i < from + count; i++) {
    P[i * (stride + 1)] += variance;
  }
}

static void add_walks(const struct joint_layout *l, double dt, const struct joint_densities *d,
                      double *P) {
  add_walk(l->velocity, 3, d->velocity * dt, P, l->stride);
  add_walk(l->gyro_bias, 3, d->gyro_bias * dt, P, l->stride);
  add_walk(l->accelerometer_bias, 3, d->accelerometer_bias * dt, P, l->stride);
  add_walk(l->foot, 3 * l->n_feet, d->foot * dt, P, l->stride);
  add_walk(l->sole, 3 * l->n_soles, d->sole * dt, P, l->stride);
}

/* --------------------------------------------------------------------------------------------- */

void ISA(joint_covariance_predict)(const struct joint_layout *layout, double dt,
                                   const struct joint_densities *densities, const double *x,
                                   const double *P, double *next) {
  struct joint_chain chain[N_CHAINS];
  struct chain_passage step[N_CHAINS];
  struct chain_drive drive[N_CHAINS];
  joint_chains_of(layout, chain);
  chain_drives_of(densities, drive);
  for (int which = 0; which < N_CHAINS; which++) {
    step[which] = chain_passage_of(&chain[which], dt, densities->bias_time);
  }
  carry_joints(&chain[CHAIN_JOINTS], &step[CHAIN_JOINTS], P, next, layout->stride);
  if (layout->base > 0) {
    struct base_rows rows;
    base_rows_of(layout, dt, x, chain, step, &rows);
    carry_cross(&chain[CHAIN_JOINTS], &step[CHAIN_JOINTS], &rows, P, next, layout->stride);
    carry_own(&rows, P, next, layout->stride);
    add_walks(layout, dt, densities, next);
    base_process_noise(layout, dt, densities, x, next);
  }
  for (int which = 0; which < N_CHAINS; which++) {
    add_noise(&chain[which], &step[which], &drive[which], dt, next, layout->stride);
  }
}
