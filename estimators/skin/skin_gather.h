/* The product of a link's whole skin: what all its readings say about six numbers. */
#ifndef SKIN_GATHER_H
#define SKIN_GATHER_H

#include <stddef.h>

enum { SKIN_GATHER_ROWS = 6 };

/* Numbers in a row with room for whole vectors. */
static inline size_t skin_gather_padded(size_t count) {
  enum { WIDEST = 8 };
  return (count + WIDEST - 1) / WIDEST * WIDEST;
}

/* b = G y. [real-time] G: [SKIN_GATHER_ROWS][padded]; y: [padded]; b: [SKIN_GATHER_ROWS], out. */
void skin_gather(const float *G, const float *y, size_t padded, double *b);

#endif
