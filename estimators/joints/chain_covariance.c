#include "joints/chain_covariance.h"

#include "numerics/matrix_piece.h"

#include <string.h>

ISA_KERNEL(chain_covariance_carry)

#define INLINE ISA_INLINE
#define UNROLL _Pragma("GCC unroll 8")

/* P of the parts of TILE joints, their own, with those of TILE others falls into pieces (own part,
 * other's part). Those with the own part first lie in P's upper triangle, row by row, and are read
 * and written there. The others lie at their mirror images, and are turned on the way. */
enum { TILE = PIECE };
typedef double tile_piece[TILE][TILE];
struct joint_tile {
  tile_piece turned[CHAIN_PARTS][CHAIN_PARTS]; /* own part behind the other's */
  tile_piece diagonal[CHAIN_PARTS];            /* of joints with themselves: both triangles */
} __attribute__((aligned(64)));

/* Where the piece of own joints `i` and others `j` stands in P. */
INLINE size_t place_of(const size_t *part, int own, int other, size_t i, size_t j, size_t stride) {
  return (part[own] + i) * stride + part[other] + j;
}

INLINE void gather(int parts, const size_t *part, size_t i, size_t j, const double *P,
                   size_t stride, struct joint_tile *tile) {
  for (int a = 0; a < parts; a++) {
    for (int b = 0; b < a; b++) {
      piece_turn(tile->turned[a][b][0], TILE, P + place_of(part, b, a, j, i, stride), stride);
    }
    for (size_t k = 0; i == j && k < TILE; k++) {
      const double *row = P + place_of(part, a, a, i + k, i, stride);
      for (size_t m = k; m < TILE; m++) {
        tile->diagonal[a][k][m] = tile->diagonal[a][m][k] = row[m];
      }
    }
  }
}

/* Asks for what a tile is written to, so that it has come when the tile is done. */
INLINE void expect(int parts, const size_t *part, size_t i, size_t j, double *next, size_t stride) {
  for (int a = 0; a < parts; a++) {
    for (int b = 0; b < parts; b++) {
      const double *from =
          next + (a <= b ? place_of(part, a, b, i, j, stride) : place_of(part, b, a, j, i, stride));
      for (size_t k = 0; k < TILE; k++) {
        __builtin_prefetch(from + k * stride, 1);
        __builtin_prefetch(from + k * stride + TILE - 1, 1);
      }
    }
  }
}

/* v = F v F^T of one row of each own part: first others' parts mix, then their own; each in place,
 * from the lowest. F's diagonal is one, but for the bias, which fades. */
INLINE void mix(int parts, const struct chain_passage *step, lanes v[CHAIN_PARTS][CHAIN_PARTS]) {
  UNROLL for (int a = 0; a < parts; a++) {
    UNROLL for (int b = 0; b < parts; b++) {
      UNROLL for (int d = b + 1; d < parts; d++) {
        v[a][b] += step->F[b][d] * v[a][d];
      }
      if (b == CHAIN_BIAS) {
        v[a][b] *= step->decay;
      }
    }
  }
  UNROLL for (int b = 0; b < parts; b++) {
    UNROLL for (int a = 0; a < parts; a++) {
      UNROLL for (int c = a + 1; c < parts; c++) {
        v[a][b] += step->F[a][c] * v[c][b];
      }
      if (a == CHAIN_BIAS) {
        v[a][b] *= step->decay;
      }
    }
  }
}

/* The rows of all pieces, one number of each own part at a time. `own` tells a tile of joints with
 * themselves. */
INLINE void carry_rows(int parts, bool own, const size_t *part, const struct chain_passage *step,
                       size_t i, size_t j, const double *P, double *next, size_t stride,
                       struct joint_tile *tile) {
  for (size_t k = 0; k < TILE; k++) {
    for (size_t w = 0; w < TILE; w += LANES) {
      lanes v[CHAIN_PARTS][CHAIN_PARTS];
      UNROLL for (int a = 0; a < parts; a++) {
        UNROLL for (int b = 0; b < parts; b++) {
          if (a > b) {
            v[a][b] = *(const lanes *)&tile->turned[a][b][k][w];
          } else if (a == b && own) {
            v[a][b] = *(const lanes *)&tile->diagonal[a][k][w];
          } else {
            v[a][b] = *(const loose_lanes *)(P + place_of(part, a, b, i + k, j + w, stride));
          }
        }
      }
      mix(parts, step, v);
      UNROLL for (int a = 0; a < parts; a++) {
        UNROLL for (int b = 0; b < parts; b++) {
          if (a <= b) {
            *(loose_lanes *)(next + place_of(part, a, b, i + k, j + w, stride)) = v[a][b];
          } else if (!own) {
            *(lanes *)&tile->turned[a][b][k][w] = v[a][b];
          }
        }
      }
    }
  }
}

INLINE void carry_tile(int parts, const size_t *part, const struct chain_passage *step, size_t i,
                       size_t j, const double *P, double *next, size_t stride,
                       struct joint_tile *tile) {
  expect(parts, part, i, j, next, stride);
  gather(parts, part, i, j, P, stride, tile);
  if (i == j) {
    carry_rows(parts, true, part, step, i, j, P, next, stride, tile);
    return; /* the mirror images are among what has been written */
  }
  carry_rows(parts, false, part, step, i, j, P, next, stride, tile);
  for (int a = 1; a < parts; a++) {
    for (int b = 0; b < a; b++) {
      piece_turn(next + place_of(part, b, a, j, i, stride), stride, tile->turned[a][b][0], TILE);
    }
  }
}

/* The tiles on the diagonal and right of it; the last of a row over part of the one before. `parts`
 * is a constant where inlined. */
INLINE void carry_tiles(int parts, const struct joint_chain *chain,
                        const struct chain_passage *step, const double *P, double *next,
                        size_t stride) {
  struct joint_tile tile;
  const size_t n = chain->count;
  size_t part[CHAIN_PARTS]; /* where no store of a vector can reach */
  UNROLL for (int a = 0; a < parts; a++) {
    part[a] = chain->part[a];
  }
  for (size_t at = 0; at < n; at += TILE) {
    const size_t i = at + TILE < n ? at : n - TILE;
    for (size_t to = at; to < n; to += TILE) {
      const size_t j = to + TILE < n ? to : n - TILE;
      carry_tile(parts, part, step, i, j, P, next, stride, &tile);
    }
  }
}

static void carry_whole(const struct joint_chain *chain, const struct chain_passage *step,
                        const double *P, double *next, size_t stride) {
  if (chain->parts == CHAIN_PARTS) {
    carry_tiles(CHAIN_PARTS, chain, step, P, next, stride);
  } else {
    carry_tiles(CHAIN_PARTS - 1, chain, step, P, next, stride);
  }
}

/* Fewer joints than a tile has are carried on in a copy of their own, with room for a tile. */
static void carry_few(const struct joint_chain *chain, const struct chain_passage *step,
                      const double *P, double *next, size_t stride) {
  enum { ROW = CHAIN_PARTS * TILE };
  double room[ROW * ROW] __attribute__((aligned(64))) = {0.0};
  double carried[ROW * ROW] __attribute__((aligned(64)));
  struct joint_chain roomy = *chain;
  roomy.count = TILE;
  for (size_t a = 0; a < chain->parts; a++) {
    roomy.part[a] = a * TILE;
    for (size_t b = a; b < chain->parts; b++) {
      piece_copy(room + a * TILE * ROW + b * TILE, ROW,
                 P + chain->part[a] * stride + chain->part[b], stride, chain->count, chain->count);
    }
  }
  carry_whole(&roomy, step, room, carried, ROW);
  for (size_t a = 0; a < chain->parts; a++) {
    for (size_t b = a; b < chain->parts; b++) {
      piece_copy(next + chain->part[a] * stride + chain->part[b], stride,
                 carried + a * TILE * ROW + b * TILE, ROW, chain->count, chain->count);
    }
  }
}

void ISA(chain_covariance_carry)(const struct joint_chain *chain, const struct chain_passage *step,
                                 const double *P, double *next, size_t stride) {
  if (chain->count >= TILE) {
    carry_whole(chain, step, P, next, stride);
  } else if (chain->count > 0) {
    carry_few(chain, step, P, next, stride);
  }
}
