#include "process/base_covariance.h"

#include "numerics/matrix_piece.h"
#include "process/chain_mix.h"

#include <string.h>

ISA_KERNEL(base_covariance_cross)
ISA_KERNEL(base_covariance_own)

/* Joints that are carried on at a time with the base, and a row of base by base. */
enum { GROUP = 2 * PIECE };
enum { OWN_ROW = (BASE_PASSAGE_STATES + GROUP - 1) / GROUP * GROUP };

#define INLINE ISA_INLINE
#define UNROLL _Pragma("GCC unroll 8")

/* out[k] = row k of F times `in`; `width` numbers side by side, whole groups. */
INLINE void carry_rows(const struct base_passage *base, const double *in, double *out,
                       size_t stride, size_t width) {
  for (size_t k = 0; k < base->moving; k++) {
    for (size_t j = 0; j < width; j += GROUP) {
      lanes sum[GROUP / LANES];
      UNROLL for (size_t w = 0; w < GROUP / LANES; w++) {
        sum[w] = (lanes){0};
      }
      for (size_t t = base->start[k]; t < base->start[k + 1]; t++) {
        const double by = base->by[t], *from = in + base->from[t] * stride + j;
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

/* P of one part of a group of joints with the base's states that move, joints side by side, and
 * room for what a piece spills over. */
typedef double joint_cross[BASE_PASSAGE_MOVING + PIECE][GROUP] __attribute__((aligned(64)));

/* States of a run that move. */
INLINE size_t moving_of(const struct base_passage *base, const struct base_run *run) {
  const size_t left = base->moving > run->at ? base->moving - run->at : 0;
  return run->count < left ? run->count : left;
}

/* What stands right of the joints, from state `joints` on, is a block of their rows, what stands
 * left of them a block of the base's. A run of few states is turned as a whole piece; what that
 * spills over behind it is written after it. */
INLINE void gather_cross(const struct base_passage *base, size_t joints, size_t width,
                         const double *P, size_t stride, joint_cross cross) {
  for (const struct base_run *run = base->run; run < base->run + base->runs; run++) {
    const double *right = P + joints * stride + run->state;
    const size_t count = moving_of(base, run);
    if (joints > run->state) {
      piece_copy(cross[run->at], GROUP, P + run->state * stride + joints, stride, count, width);
    } else if (width == GROUP && count > 0) {
      piece_turn_all(cross[run->at], GROUP, right, stride, GROUP, count < PIECE ? PIECE : count);
    } else {
      piece_turn_any(cross[run->at], GROUP, right, stride, width, count);
    }
  }
}

INLINE void scatter_cross(const struct base_passage *base, size_t joints, size_t width,
                          joint_cross cross, double *next, size_t stride) {
  for (const struct base_run *run = base->run; run < base->run + base->runs; run++) {
    double *right = next + joints * stride + run->state;
    const size_t count = moving_of(base, run);
    if (joints > run->state) {
      piece_copy(next + run->state * stride + joints, stride, cross[run->at], GROUP, count, width);
    } else if (width == GROUP && count > 0) {
      piece_turn_all(right, stride, cross[run->at], GROUP, count < PIECE ? PIECE : count, GROUP);
    } else {
      piece_turn_any(right, stride, cross[run->at], GROUP, count, width);
    }
  }
}

/* Asks for what a group is scattered to right of its joints, so that it has come when the group is
 * done. */
INLINE void expect_cross(const struct base_passage *base, size_t joints, size_t width, double *next,
                         size_t stride) {
  for (const struct base_run *run = base->run; run < base->run + base->runs; run++) {
    const size_t reach = moving_of(base, run) + PIECE - 1;
    const double *row = next + joints * stride + run->state;
    for (size_t k = 0; joints < run->state && k < width; k++, row += stride) {
      for (size_t i = 0; i < reach; i += PIECE) {
        __builtin_prefetch(row + i, 1);
      }
    }
  }
}

/* The parts of a chain mix: some numbers of each, from number `k` on. `to` may be `from`. */
INLINE void mix_at(int parts, const struct chain_mix *by, const double *const *from,
                   double *const *to, size_t k) {
  lanes part[CHAIN_PARTS];
  UNROLL for (int a = 0; a < parts; a++) {
    part[a] = *(const loose_lanes *)(from[a] + k);
  }
  chain_mix(parts, by, part);
  UNROLL for (int a = 0; a < parts; a++) {
    *(loose_lanes *)(to[a] + k) = part[a];
  }
}

/* All parts of all joints of a group mix, and what they have with the base's states. */
INLINE void mix_parts(int parts, const struct chain_mix *by, size_t numbers,
                      joint_cross cross[CHAIN_PARTS]) {
  double *part[CHAIN_PARTS];
  for (int a = 0; a < parts; a++) {
    part[a] = cross[a][0];
  }
  for (size_t k = 0; k < numbers; k += LANES) {
    mix_at(parts, by, (const double *const *)part, part, k);
  }
}

/* A group of joints from `first` on. `parts` and, of whole groups, `width` are constants where
 * inlined. */
INLINE void carry_group(int parts, size_t width, const struct joint_chain *chain, size_t first,
                        const struct chain_mix *by, const struct base_passage *base,
                        const double *P, double *next, size_t stride,
                        joint_cross cross[CHAIN_PARTS]) {
  joint_cross moved;
  for (int a = 0; a < parts; a++) {
    expect_cross(base, chain->part[a] + first, width, next, stride);
    gather_cross(base, chain->part[a] + first, width, P, stride, cross[a]);
  }
  mix_parts(parts, by, base->moving * GROUP, cross);
  for (int a = 0; a < parts; a++) {
    carry_rows(base, cross[a][0], moved[0], GROUP, GROUP);
    scatter_cross(base, chain->part[a] + first, width, moved, next, stride);
  }
}

/* The states that do not move stand side by side behind all joints' own: there the parts of each
 * joint mix where they are. */
INLINE void carry_still(int parts, const struct joint_chain *chain,
                        const struct chain_passage *step, const struct base_passage *base,
                        const double *P, double *next, size_t stride) {
  const size_t count = base->count - base->moving;
  const struct chain_mix by = chain_mix_of(step);
  for (size_t i = 0; i < chain->count; i++) {
    const double *from[CHAIN_PARTS];
    double *to[CHAIN_PARTS];
    for (int a = 0; a < parts; a++) {
      const size_t at = (chain->part[a] + i) * stride + base->still;
      from[a] = P + at;
      to[a] = next + at;
    }
    for (size_t k = 0; count >= LANES && k < count; k += LANES) { /* the last over those before */
      mix_at(parts, &by, from, to, k + LANES < count ? k : count - LANES);
    }
    for (size_t k = 0; count < LANES && k < count; k++) {
      for (int a = 0; a < parts; a++) {
        double sum = 0.0;
        for (int b = a; b < parts; b++) {
          sum += step->F[a][b] * from[b][k];
        }
        to[a][k] = sum;
      }
    }
  }
}

void ISA(base_covariance_cross)(const struct joint_chain *joints, const struct chain_passage *step,
                                const struct base_passage *base, const double *P, double *next,
                                size_t stride) {
  joint_cross cross[CHAIN_PARTS];
  const struct chain_mix by = chain_mix_of(step);
  const size_t n = joints->count, width = n < GROUP ? n : GROUP;
  if (width < GROUP) { /* whole groups are carried on */
    memset(cross, 0, sizeof(cross));
  }
  for (size_t at = 0; at < n; at += GROUP) { /* the last group over part of the one before */
    const size_t first = at + width < n ? at : n - width;
    if (joints->parts == CHAIN_PARTS && width == GROUP) {
      carry_group(CHAIN_PARTS, GROUP, joints, first, &by, base, P, next, stride, cross);
    } else if (joints->parts == CHAIN_PARTS) {
      carry_group(CHAIN_PARTS, width, joints, first, &by, base, P, next, stride, cross);
    } else {
      carry_group(CHAIN_PARTS - 1, width, joints, first, &by, base, P, next, stride, cross);
    }
  }
  if (joints->parts == CHAIN_PARTS) {
    carry_still(CHAIN_PARTS, joints, step, base, P, next, stride);
  } else {
    carry_still(CHAIN_PARTS - 1, joints, step, base, P, next, stride);
  }
}

/* -- base by base ----------------------------------------------------------------------------- */

/* Both triangles from the upper one; zeros up to whole groups. */
INLINE void gather_own(const struct base_passage *base, const double *P, size_t stride,
                       size_t width, double own[BASE_PASSAGE_STATES][OWN_ROW]) {
  for (size_t r = 0; r < base->runs; r++) {
    const struct base_run *a = &base->run[r];
    for (size_t s = r; s < base->runs; s++) {
      const struct base_run *b = &base->run[s];
      piece_copy(own[a->at] + b->at, OWN_ROW, P + a->state * stride + b->state, stride, a->count,
                 b->count);
    }
  }
  for (size_t k = 0; k < base->count; k++) {
    for (size_t m = 0; m < k; m++) {
      own[k][m] = own[m][k];
    }
    memset(own[k] + base->count, 0, (width - base->count) * sizeof(double));
  }
}

/* B becomes F B, its transpose F (F B)^T: symmetric, so either way round. What does not move stays
 * as it is. */
void ISA(base_covariance_own)(const struct base_passage *base, const double *P, double *next,
                              size_t stride) {
  double own[BASE_PASSAGE_STATES][OWN_ROW] __attribute__((aligned(64)));
  double moved[BASE_PASSAGE_STATES][OWN_ROW] __attribute__((aligned(64)));
  const size_t width = (base->count + GROUP - 1) / GROUP * GROUP;
  gather_own(base, P, stride, width, own);
  carry_rows(base, own[0], moved[0], OWN_ROW, width);
  /* (F B)^T: column k is what has become of row k */
  piece_turn_all(own[0], OWN_ROW, moved[0], OWN_ROW, base->moving, base->count);
  carry_rows(base, own[0], moved[0], OWN_ROW, width);
  piece_copy(moved[base->moving], OWN_ROW, own[base->moving], OWN_ROW, base->count - base->moving,
             width);
  for (size_t r = 0; r < base->runs; r++) {
    const struct base_run *a = &base->run[r];
    for (size_t s = r; s < base->runs; s++) {
      const struct base_run *b = &base->run[s];
      piece_copy(next + a->state * stride + b->state, stride, moved[a->at] + b->at, OWN_ROW,
                 a->count, b->count);
    }
  }
}
