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
 * and their attitudes, and biases of IMUs on limbs, one of which may stand in for the base's; and
 * the numbers of its F that are not zero. A fixed base has those of limbs alone. */
enum {
  MOVING_MAX = 3 * 4 + 3 * 3 + BASE_MOVING,
  BASE_MAX = MOVING_MAX + 6 + 6 * ROBOT_MAX_FEET + 6 * (ROBOT_MAX_LIMBS + 1),
  BASE_ROW = (BASE_MAX + GROUP - 1) / GROUP * GROUP,
  TERMS_MAX = 3 * 10 + 3 * 6 + BASE_TERMS_MAX
};

#define INLINE ISA_INLINE
#define UNROLL _Pragma("GCC unroll 8")

/* -- moving numbers --------------------------------------------------------------------------- */

/* to = from, rows by columns; neither overlaps. */
INLINE void copy_block(double *to, size_t to_stride, const double *from, size_t from_stride,
                       size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i++) {
    size_t j = 0;
    for (; j + LANES <= columns; j += LANES) {
      *(loose_lanes *)(to + i * to_stride + j) = *(const loose_lanes *)(from + i * from_stride + j);
    }
    for (; j < columns; j++) {
      to[i * to_stride + j] = from[i * from_stride + j];
    }
  }
}

/* to = from^T of QUAD x QUAD. */
enum { QUAD = 4 };
#if REGISTER_BYTES >= 32
typedef double loose_quad __attribute__((vector_size(32), aligned(8), may_alias));
INLINE void turn_quad(double *to, size_t to_stride, const double *from, size_t from_stride) {
  const loose_quad a = *(const loose_quad *)from, b = *(const loose_quad *)(from + from_stride),
                   c = *(const loose_quad *)(from + 2 * from_stride),
                   d = *(const loose_quad *)(from + 3 * from_stride);
  const loose_quad ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                   ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
                   cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                   cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  *(loose_quad *)to = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  *(loose_quad *)(to + to_stride) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  *(loose_quad *)(to + 2 * to_stride) = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  *(loose_quad *)(to + 3 * to_stride) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}
#else
INLINE void turn_quad(double *to, size_t to_stride, const double *from, size_t from_stride) {
  UNROLL for (size_t i = 0; i < QUAD; i++) {
    UNROLL for (size_t j = 0; j < QUAD; j++) {
      to[j * to_stride + i] = from[i * from_stride + j];
    }
  }
}
#endif

/* to = from^T, `from` of rows by columns; neither overlaps. */
INLINE void turn_block(double *to, size_t to_stride, const double *from, size_t from_stride,
                       size_t rows, size_t columns) {
  size_t i = 0;
  for (; i + QUAD <= rows; i += QUAD) {
    size_t j = 0;
    for (; j + QUAD <= columns; j += QUAD) {
      turn_quad(to + j * to_stride + i, to_stride, from + i * from_stride + j, from_stride);
    }
    for (; j < columns; j++) {
      UNROLL for (size_t k = 0; k < QUAD; k++) {
        to[j * to_stride + i + k] = from[(i + k) * from_stride + j];
      }
    }
  }
  for (; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) {
      to[j * to_stride + i] = from[i * from_stride + j];
    }
  }
}

/* -- joints by joints ------------------------------------------------------------------------- */

/* P of the parts of TILE joints with those of TILE others: [its part][their part][its place][their
 * place]. What stands below P's diagonal is read and written at its mirror image. */
enum { TILE = 8 };
typedef double joint_tile[CHAIN_PARTS][CHAIN_PARTS][TILE][TILE] __attribute__((aligned(64)));

INLINE void gather_tile(int parts, const struct joint_chain *chain, size_t i, size_t j,
                        size_t count, const double *P, size_t stride, joint_tile tile) {
  for (int a = 0; a < parts; a++) {
    for (int b = 0; b < parts; b++) {
      const size_t row = chain->part[a] + i, column = chain->part[b] + j;
      if (b >= a) {
        copy_block(tile[a][b][0], TILE, P + row * stride + column, stride, count, count);
      } else {
        turn_block(tile[a][b][0], TILE, P + column * stride + row, stride, count, count);
      }
    }
    for (size_t k = 1; i == j && k < count; k++) { /* on the diagonal half of it means nothing */
      for (size_t m = 0; m < k; m++) {
        tile[a][a][k][m] = tile[a][a][m][k];
      }
    }
  }
}

INLINE void scatter_tile(int parts, const struct joint_chain *chain, size_t i, size_t j,
                         size_t count, const joint_tile tile, double *next, size_t stride) {
  for (int a = 0; a < parts; a++) {
    for (int b = 0; b < parts; b++) {
      const size_t row = chain->part[a] + i, column = chain->part[b] + j;
      if (b >= a) {
        copy_block(next + row * stride + column, stride, tile[a][b][0], TILE, count, count);
      } else {
        turn_block(next + column * stride + row, stride, tile[a][b][0], TILE, count, count);
      }
    }
  }
}

/* Numbers of a chain become sums of themselves and those above: v = F v, in place from the lowest.
 * They stand `apart`; `parts` is a constant where inlined. */
INLINE void carry_chain(int parts, const struct chain_passage *step, double *v, size_t apart) {
  lanes part[CHAIN_PARTS];
  UNROLL for (int a = 0; a < parts; a++) {
    part[a] = *(const lanes *)(v + (size_t)a * apart);
  }
  UNROLL for (int a = 0; a < parts; a++) {
    lanes sum = step->F[a][a] * part[a];
    UNROLL for (int b = a + 1; b < parts; b++) {
      sum += step->F[a][b] * part[b];
    }
    *(lanes *)(v + (size_t)a * apart) = sum;
  }
}

/* Asks for what a tile is scattered to, so that it has come when the tile is done. */
INLINE void expect_tile(int parts, const struct joint_chain *chain, size_t i, size_t j,
                        size_t count, double *next, size_t stride) {
  for (int a = 0; a < parts; a++) {
    for (int b = 0; b < parts; b++) {
      const size_t left = b >= a ? chain->part[a] + i : chain->part[b] + j;
      const size_t right = b >= a ? chain->part[b] + j : chain->part[a] + i;
      for (size_t k = 0; k < count; k++) {
        __builtin_prefetch(next + (left + k) * stride + right, 1);
      }
    }
  }
}

/* F tile F^T: first its parts mix, then theirs. */
INLINE void carry_tile(int parts, const struct chain_passage *step, joint_tile tile) {
  for (int other = 0; other < parts; other++) {
    for (size_t k = 0; k < TILE * TILE; k += LANES) {
      carry_chain(parts, step, tile[0][other][0] + k, CHAIN_PARTS * TILE * TILE);
    }
  }
  for (int own = 0; own < parts; own++) {
    for (size_t k = 0; k < TILE * TILE; k += LANES) {
      carry_chain(parts, step, tile[own][0][0] + k, TILE * TILE);
    }
  }
}

/* The tiles on the diagonal and right of it; the last of a row over part of the one before. `parts`
 * and, of whole tiles, `count` are constants where inlined. */
INLINE void carry_tiles(int parts, size_t count, const struct joint_chain *chain,
                        const struct chain_passage *step, const double *P, double *next,
                        size_t stride) {
  joint_tile tile;
  const size_t n = chain->count;
  if (count < TILE) { /* whole tiles are carried on */
    memset(tile, 0, sizeof(tile));
  }
  for (size_t at = 0; at < n; at += TILE) {
    const size_t i = at + count < n ? at : n - count;
    for (size_t to = at; to < n; to += TILE) {
      const size_t j = to + count < n ? to : n - count;
      expect_tile(parts, chain, i, j, count, next, stride);
      gather_tile(parts, chain, i, j, count, P, stride, tile);
      carry_tile(parts, step, tile);
      scatter_tile(parts, chain, i, j, count, tile, next, stride);
    }
  }
}

static void carry_joints(const struct joint_chain *chain, const struct chain_passage *step,
                         const double *P, double *next, size_t stride) {
  enum { UNBIASED = CHAIN_PARTS - 1 };
  const bool biased = chain->parts == CHAIN_PARTS, whole = chain->count >= TILE;
  if (biased && whole) {
    carry_tiles(CHAIN_PARTS, TILE, chain, step, P, next, stride);
  } else if (biased) {
    carry_tiles(CHAIN_PARTS, chain->count, chain, step, P, next, stride);
  } else if (whole) {
    carry_tiles(UNBIASED, TILE, chain, step, P, next, stride);
  } else {
    carry_tiles(UNBIASED, chain->count, chain, step, P, next, stride);
  }
}

/* -- the base's F ----------------------------------------------------------------------------- */

/* States that follow each other; `at` counts the base's own. */
struct base_run {
  size_t at, state, count;
};
enum { RUNS_MAX = 6 };

/* The base's states in rising order, those that move first, and the rows of F of these: row k is
 * the sum of `by[t]` times state `from[t]`, t from start[k] to start[k + 1]. */
struct base_rows {
  size_t count, moving, runs;
  struct base_run run[RUNS_MAX];
  size_t start[MOVING_MAX + 1];
  uint8_t from[TERMS_MAX]; /* counted as the base's own */
  double by[TERMS_MAX];
};

static void add_states(struct base_rows *rows, size_t state, size_t count) {
  if (count > 0) {
    rows->run[rows->runs++] = (struct base_run){rows->count, state, count};
    rows->count += count;
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
  for (size_t r = 0; r < rows->runs; r++) {
    for (size_t k = 0; k < rows->run[r].count; k++) {
      index[rows->run[r].state + k] = (uint8_t)(rows->run[r].at + k);
    }
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
  rows->count = rows->runs = rows->moving = 0;
  if (l->base == 0) {
    add_states(rows, l->limb, 6 * l->n_limbs);
    sort_terms(rows, term, 0);
    return;
  }
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

/* out[k] = row k of F times `in`, for the states that move; `width` numbers side by side, whole
 * groups. */
INLINE void carry_base(const struct base_rows *rows, const double *in, double *out, size_t stride,
                       size_t width) {
  for (size_t k = 0; k < rows->moving; k++) {
    for (size_t j = 0; j < width; j += GROUP) {
      lanes sum[GROUP / LANES];
      UNROLL for (size_t w = 0; w < GROUP / LANES; w++) {
        sum[w] = (lanes){0};
      }
      for (size_t t = rows->start[k]; t < rows->start[k + 1]; t++) {
        const double by = rows->by[t], *from = in + rows->from[t] * stride + j;
        UNROLL for (size_t w = 0; w < GROUP / LANES; w++) {
          sum[w] += by * *(const lanes *)(from + w * LANES);
        }
      }
      UNROLL for (size_t w = 0; w < GROUP / LANES; w++) {
        *(lanes *)(out + k * stride + j + w * LANES) = sum[w];
      }
    }
  }
}

/* -- joints by base --------------------------------------------------------------------------- */

/* P of one part of a group of joints, from state `joints` on, with all the base's states: [base's]
 * [joint]. What stands right of the joints is a block of their rows, what stands left of them a
 * block of the base's. */
INLINE void gather_cross(const struct base_rows *rows, size_t joints, size_t width, const double *P,
                         size_t stride, double cross[BASE_MAX][GROUP]) {
  for (const struct base_run *run = rows->run; run < rows->run + rows->runs; run++) {
    if (joints < run->state) {
      turn_block(cross[run->at], GROUP, P + joints * stride + run->state, stride, width,
                 run->count);
    } else {
      copy_block(cross[run->at], GROUP, P + run->state * stride + joints, stride, run->count,
                 width);
    }
  }
}

INLINE void scatter_cross(const struct base_rows *rows, size_t joints, size_t width,
                          double moved[MOVING_MAX][GROUP], double still[BASE_MAX][GROUP],
                          double *next, size_t stride) {
  for (const struct base_run *run = rows->run; run < rows->run + rows->runs; run++) {
    const double *from = run->at < rows->moving ? moved[run->at] : still[run->at];
    if (joints < run->state) {
      turn_block(next + joints * stride + run->state, stride, from, GROUP, run->count, width);
    } else {
      copy_block(next + run->state * stride + joints, stride, from, GROUP, run->count, width);
    }
  }
}

/* A group of joints from `first` on. `parts` and, of whole groups, `width` are constants where
 * inlined. */
INLINE void carry_group(int parts, size_t width, const struct joint_chain *chain, size_t first,
                        const struct chain_passage *step, const struct base_rows *rows,
                        const double *P, double *next, size_t stride,
                        double cross[CHAIN_PARTS][BASE_MAX][GROUP]) {
  double moved[MOVING_MAX][GROUP] __attribute__((aligned(64)));
  for (int a = 0; a < parts; a++) {
    gather_cross(rows, chain->part[a] + first, width, P, stride, cross[a]);
  }
  for (size_t k = 0; k < rows->count * GROUP; k += LANES) {
    carry_chain(parts, step, cross[0][0] + k, BASE_MAX * GROUP);
  }
  for (int a = 0; a < parts; a++) {
    carry_base(rows, cross[a][0], moved[0], GROUP, GROUP);
    scatter_cross(rows, chain->part[a] + first, width, moved, cross[a], next, stride);
  }
}

static void carry_cross(const struct joint_chain *chain, const struct chain_passage *step,
                        const struct base_rows *rows, const double *P, double *next,
                        size_t stride) {
  double cross[CHAIN_PARTS][BASE_MAX][GROUP] __attribute__((aligned(64)));
  const size_t n = chain->count, width = n < GROUP ? n : GROUP;
  if (width < GROUP) { /* whole groups are carried on */
    memset(cross, 0, sizeof(cross));
  }
  for (size_t at = 0; at < n; at += GROUP) { /* the last group over part of the one before */
    const size_t first = at + width < n ? at : n - width;
    if (chain->parts == CHAIN_PARTS && width == GROUP) {
      carry_group(CHAIN_PARTS, GROUP, chain, first, step, rows, P, next, stride, cross);
    } else if (chain->parts == CHAIN_PARTS) {
      carry_group(CHAIN_PARTS, width, chain, first, step, rows, P, next, stride, cross);
    } else {
      carry_group(CHAIN_PARTS - 1, width, chain, first, step, rows, P, next, stride, cross);
    }
  }
}

/* -- base by base ----------------------------------------------------------------------------- */

/* Both triangles from the upper one; zeros up to whole groups. */
INLINE void gather_own(const struct base_rows *rows, const double *P, size_t stride, size_t width,
                       double own[BASE_MAX][BASE_ROW]) {
  for (size_t r = 0; r < rows->runs; r++) {
    const struct base_run *a = &rows->run[r];
    for (size_t s = r; s < rows->runs; s++) {
      const struct base_run *b = &rows->run[s];
      const double *from = P + a->state * stride + b->state;
      copy_block(own[a->at] + b->at, BASE_ROW, from, stride, a->count, b->count);
      if (s > r) {
        turn_block(own[b->at] + a->at, BASE_ROW, from, stride, a->count, b->count);
      }
    }
    for (size_t k = a->at + 1; k < a->at + a->count; k++) { /* beside the diagonal */
      for (size_t m = a->at; m < k; m++) {
        own[k][m] = own[m][k];
      }
    }
  }
  for (size_t k = 0; k < rows->count; k++) {
    memset(own[k] + rows->count, 0, (width - rows->count) * sizeof(double));
  }
}

/* B becomes F B, its transpose F (F B)^T: symmetric, so either way round. */
static void carry_own(const struct base_rows *rows, const double *P, double *next, size_t stride) {
  double own[BASE_MAX][BASE_ROW] __attribute__((aligned(64)));
  double moved[MOVING_MAX][BASE_ROW] __attribute__((aligned(64)));
  const size_t width = (rows->count + GROUP - 1) / GROUP * GROUP;
  gather_own(rows, P, stride, width, own);
  carry_base(rows, own[0], moved[0], BASE_ROW, width);
  /* (F B)^T: column k is what has become of row k */
  turn_block(own[0], BASE_ROW, moved[0], BASE_ROW, rows->moving, rows->count);
  carry_base(rows, own[0], moved[0], BASE_ROW, width);
  for (size_t r = 0; r < rows->runs; r++) {
    const struct base_run *a = &rows->run[r];
    const double *from = a->at < rows->moving ? moved[a->at] : own[a->at];
    for (size_t s = r; s < rows->runs; s++) {
      const struct base_run *b = &rows->run[s];
      copy_block(next + a->state * stride + b->state, stride, from + b->at, BASE_ROW, a->count,
                 b->count);
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
  add_walk(l->velocity, l->base, d->velocity * dt, P, l->stride);
  add_walk(l->gyro_bias, l->base, d->gyro_bias * dt, P, l->stride);
  add_walk(l->accelerometer_bias, l->base, d->accelerometer_bias * dt, P, l->stride);
  add_walk(l->foot, 3 * l->n_feet, d->foot * dt, P, l->stride);
  add_walk(l->sole, 3 * l->n_soles, d->sole * dt, P, l->stride);
  for (size_t k = 0; k < l->n_limbs; k++) {
    add_walk(l->limb + 6 * k, 3, d->gyro_bias * dt, P, l->stride);
    add_walk(l->limb + 6 * k + 3, 3, d->accelerometer_bias * dt, P, l->stride);
  }
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
  if (layout->base > 0 || layout->n_limbs > 0) {
    struct base_rows rows;
    base_rows_of(layout, dt, x, chain, step, &rows);
    carry_cross(&chain[CHAIN_JOINTS], &step[CHAIN_JOINTS], &rows, P, next, layout->stride);
    carry_own(&rows, P, next, layout->stride);
    add_walks(layout, dt, densities, next);
  }
  if (layout->base > 0) {
    base_process_noise(layout, dt, densities, x, next);
  }
  for (int which = 0; which < N_CHAINS; which++) {
    add_noise(&chain[which], &step[which], &drive[which], dt, next, layout->stride);
  }
}
