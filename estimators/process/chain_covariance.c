#include "process/chain_covariance.h"

#include "numerics/matrix_piece.h"
#include "process/chain_mix.h"

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
  tile_piece of[CHAIN_PARTS][CHAIN_PARTS];
} __attribute__((aligned(64)));

/* Where the piece of own joints `i` and others `j` stands in P. */
INLINE size_t place_of(const size_t *part, int own, int other, size_t i, size_t j, size_t stride) {
  return (part[own] + i) * stride + part[other] + j;
}

/* The pieces that do not lie in P as they are wanted: own parts behind the other's, and, of joints
 * with themselves (`own`), each part with itself, both of whose triangles are wanted. */
INLINE void gather(int parts, bool own, const size_t *part, size_t i, size_t j, const double *P,
                   size_t stride, struct joint_tile *tile) {
  for (int a = 0; a < parts; a++) {
    for (int b = 0; b < a; b++) {
      piece_turn(tile->of[a][b][0], TILE, P + place_of(part, b, a, j, i, stride), stride);
    }
    for (size_t k = 0; own && k < TILE; k++) {
      const double *row = P + place_of(part, a, a, i + k, i, stride);
      for (size_t m = k; m < TILE; m++) {
        tile->of[a][a][k][m] = tile->of[a][a][m][k] = row[m];
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

/* Column b of the parts' pieces, of row k LANES joints from `w` on: the others' parts mix, then the
 * own. Columns before it are not read any more: what is to be turned takes their place in the tile.
 * Of joints with themselves the mirror images are among what is written. */
INLINE void carry_column(int parts, int b, bool own, const size_t *part, const struct chain_mix *by,
                         size_t i, size_t j, const double *P, double *next, size_t stride,
                         struct joint_tile *tile, size_t k, size_t w) {
  lanes v[CHAIN_PARTS];
  UNROLL for (int a = 0; a < parts; a++) {
    lanes other[CHAIN_PARTS] = {{0}};
    UNROLL for (int c = b; c < parts; c++) {
      if (c < a || (c == a && own)) {
        other[c] = *(const lanes *)&tile->of[a][c][k][w];
      } else {
        other[c] = *(const loose_lanes *)(P + place_of(part, a, c, i + k, j + w, stride));
      }
    }
    v[a] = chain_part(parts, by, b, other);
  }
  chain_mix(parts, by, v);
  UNROLL for (int a = 0; a < parts; a++) {
    if (a <= b) {
      *(loose_lanes *)(next + place_of(part, a, b, i + k, j + w, stride)) = v[a];
    } else if (!own) {
      *(lanes *)&tile->of[a][b][k][w] = v[a];
    }
  }
}

/* `own` tells a tile of joints with themselves; a constant where inlined. */
INLINE void carry_pieces(int parts, bool own, const size_t *part, const struct chain_mix *by,
                         size_t i, size_t j, const double *P, double *next, size_t stride,
                         struct joint_tile *tile) {
  gather(parts, own, part, i, j, P, stride, tile);
  for (size_t k = 0; k < TILE; k++) {
    for (size_t w = 0; w < TILE; w += LANES) {
      UNROLL for (int b = 0; b < parts; b++) {
        carry_column(parts, b, own, part, by, i, j, P, next, stride, tile, k, w);
      }
    }
  }
  for (int a = 1; a < parts && !own; a++) {
    for (int b = 0; b < a; b++) {
      piece_turn(next + place_of(part, b, a, j, i, stride), stride, tile->of[a][b][0], TILE);
    }
  }
}

INLINE void carry_tile(int parts, const size_t *part, const struct chain_mix *by, size_t i,
                       size_t j, const double *P, double *next, size_t stride,
                       struct joint_tile *tile) {
  expect(parts, part, i, j, next, stride);
  if (i == j) {
    carry_pieces(parts, true, part, by, i, j, P, next, stride, tile);
  } else {
    carry_pieces(parts, false, part, by, i, j, P, next, stride, tile);
  }
}

/* The tiles on the diagonal and right of it; the last of a row over part of the one before. `parts`
 * is a constant where inlined. */
INLINE void carry_tiles(int parts, const struct joint_chain *chain,
                        const struct chain_passage *step, const double *P, double *next,
                        size_t stride) {
  struct joint_tile tile;
  const struct chain_mix by = chain_mix_of(step);
  const size_t n = chain->count;
  size_t part[CHAIN_PARTS]; /* where no store of a vector can reach */
  UNROLL for (int a = 0; a < parts; a++) {
    part[a] = chain->part[a];
  }
  for (size_t at = 0; at < n; at += TILE) {
    const size_t i = at + TILE < n ? at : n - TILE;
    for (size_t to = at; to < n; to += TILE) {
      const size_t j = to + TILE < n ? to : n - TILE;
      carry_tile(parts, part, &by, i, j, P, next, stride, &tile);
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
