#include "joints/base_covariance.h"

#include "numerics/matrix_piece.h"

#include <string.h>

ISA_KERNEL(base_covariance_cross)
ISA_KERNEL(base_covariance_own)

/* Joints that are carried on at a time with the base, and a row of base by base. */
enum { GROUP = 2 * PIECE };
enum { OWN_ROW = (BASE_PASSAGE_STATES + GROUP - 1) / GROUP * GROUP };

#define INLINE ISA_INLINE
#define UNROLL _Pragma("GCC unroll 8")

/* out[k] = row k of F times `in`; `width` numbers side by side, whole groups. What does not move
 * stays. */
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
  const size_t still = base->count - base->moving;
  piece_copy(out + base->moving * stride, stride, in + base->moving * stride, stride, still, width);
}

/* -- joints by base --------------------------------------------------------------------------- */

/* P of one part of a group of joints with all the base's states, joints side by side, and room for
 * what a piece spills over. */
typedef double joint_cross[BASE_PASSAGE_STATES + PIECE][GROUP] __attribute__((aligned(64)));

/* What stands right of the joints, from state `joints` on, is a block of their rows, what stands
 * left of them a block of the base's. A run of few states is turned as a whole piece; what that
 * spills over behind it is written after it. */
INLINE void gather_cross(const struct base_passage *base, size_t joints, size_t width,
                         const double *P, size_t stride, joint_cross cross) {
  for (const struct base_run *run = base->run; run < base->run + base->runs; run++) {
    const double *right = P + joints * stride + run->state;
    if (joints > run->state) {
      piece_copy(cross[run->at], GROUP, P + run->state * stride + joints, stride, run->count,
                 width);
    } else if (width == GROUP) {
      const size_t whole = run->count < PIECE ? PIECE : run->count;
      piece_turn_all(cross[run->at], GROUP, right, stride, GROUP, whole);
    } else {
      piece_turn_any(cross[run->at], GROUP, right, stride, width, run->count);
    }
  }
}

INLINE void scatter_cross(const struct base_passage *base, size_t joints, size_t width,
                          joint_cross cross, double *next, size_t stride) {
  for (const struct base_run *run = base->run; run < base->run + base->runs; run++) {
    double *right = next + joints * stride + run->state;
    if (joints > run->state) {
      piece_copy(next + run->state * stride + joints, stride, cross[run->at], GROUP, run->count,
                 width);
    } else if (width == GROUP) {
      const size_t whole = run->count < PIECE ? PIECE : run->count;
      piece_turn_all(right, stride, cross[run->at], GROUP, whole, GROUP);
    } else {
      piece_turn_any(right, stride, cross[run->at], GROUP, run->count, width);
    }
  }
}

/* Asks for what a group is scattered to right of its joints, so that it has come when the group is
 * done. */
INLINE void expect_cross(const struct base_passage *base, size_t joints, size_t width, double *next,
                         size_t stride) {
  for (size_t k = 0; k < width; k++) {
    for (const struct base_run *run = base->run; run < base->run + base->runs; run++) {
      const double *row = next + (joints + k) * stride + run->state;
      for (size_t i = 0; joints < run->state && i < run->count + PIECE - 1; i += PIECE) {
        __builtin_prefetch(row + i, 1);
      }
    }
  }
}

/* All parts of all joints of a group mix, and what they have with the base's states. */
INLINE void mix_parts(int parts, const struct chain_passage *step, size_t numbers,
                      joint_cross cross[CHAIN_PARTS]) {
  for (size_t k = 0; k < numbers; k += LANES) {
    lanes part[CHAIN_PARTS];
    UNROLL for (int a = 0; a < parts; a++) {
      part[a] = *(const lanes *)(cross[a][0] + k);
    }
    UNROLL for (int a = 0; a < parts; a++) {
      lanes sum = step->F[a][a] * part[a];
      UNROLL for (int b = a + 1; b < parts; b++) {
        sum += step->F[a][b] * part[b];
      }
      *(lanes *)(cross[a][0] + k) = sum;
    }
  }
}

/* A group of joints from `first` on. `parts` and, of whole groups, `width` are constants where
 * inlined. */
INLINE void carry_group(int parts, size_t width, const struct joint_chain *chain, size_t first,
                        const struct chain_passage *step, const struct base_passage *base,
                        const double *P, double *next, size_t stride,
                        joint_cross cross[CHAIN_PARTS]) {
  joint_cross moved;
  for (int a = 0; a < parts; a++) {
    expect_cross(base, chain->part[a] + first, width, next, stride);
    gather_cross(base, chain->part[a] + first, width, P, stride, cross[a]);
  }
  mix_parts(parts, step, base->count * GROUP, cross);
  for (int a = 0; a < parts; a++) {
    carry_rows(base, cross[a][0], moved[0], GROUP, GROUP);
    scatter_cross(base, chain->part[a] + first, width, moved, next, stride);
  }
}

void ISA(base_covariance_cross)(const struct joint_chain *joints, const struct chain_passage *step,
                                const struct base_passage *base, const double *P, double *next,
                                size_t stride) {
  joint_cross cross[CHAIN_PARTS];
  const size_t n = joints->count, width = n < GROUP ? n : GROUP;
  if (width < GROUP) { /* whole groups are carried on */
    memset(cross, 0, sizeof(cross));
  }
  for (size_t at = 0; at < n; at += GROUP) { /* the last group over part of the one before */
    const size_t first = at + width < n ? at : n - width;
    if (joints->parts == CHAIN_PARTS && width == GROUP) {
      carry_group(CHAIN_PARTS, GROUP, joints, first, step, base, P, next, stride, cross);
    } else if (joints->parts == CHAIN_PARTS) {
      carry_group(CHAIN_PARTS, width, joints, first, step, base, P, next, stride, cross);
    } else {
      carry_group(CHAIN_PARTS - 1, width, joints, first, step, base, P, next, stride, cross);
    }
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

/* B becomes F B, its transpose F (F B)^T: symmetric, so either way round. */
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
  for (size_t r = 0; r < base->runs; r++) {
    const struct base_run *a = &base->run[r];
    for (size_t s = r; s < base->runs; s++) {
      const struct base_run *b = &base->run[s];
      piece_copy(next + a->state * stride + b->state, stride, moved[a->at] + b->at, OWN_ROW,
                 a->count, b->count);
    }
  }
}
