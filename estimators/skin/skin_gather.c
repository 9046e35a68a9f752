#include "skin/skin_gather.h"

#include "math/dispatch.h"

ISA_KERNEL(skin_gather)

/* The skin's numbers come from memory: registers of eight are as fast as those of sixteen. */
#define VECTOR_BYTES (REGISTER_BYTES < 32 ? REGISTER_BYTES : 32)
enum { LANES = VECTOR_BYTES / sizeof(float) };

typedef float lanes __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

void ISA(skin_gather)(const float *G, const float *y, size_t padded, double *b) {
  lanes sum[SKIN_GATHER_ROWS] = {{0}};
  for (size_t k = 0; k < padded; k += LANES) {
    const lanes reading = *(const lanes *)(y + k);
    for (size_t row = 0; row < SKIN_GATHER_ROWS; row++) {
      sum[row] += *(const lanes *)(G + row * padded + k) * reading;
    }
  }
  for (size_t row = 0; row < SKIN_GATHER_ROWS; row++) {
    double total = 0.0;
    for (size_t lane = 0; lane < LANES; lane++) {
      total += (double)sum[row][lane];
    }
    b[row] = total;
  }
}
