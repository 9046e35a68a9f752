#include "misalignment.h"

#include <math.h>
#include <string.h>

enum { HELD = 5, MIDDLE = 2 };

void misalignment_init(struct misalignment *misalignment, double time_s) {
  *misalignment = (struct misalignment){.time_s = time_s};
}

static void shift_in(double held[HELD][MISALIGNMENT_ROWS], const double *values, size_t rows) {
  memmove(held[0], held[1], (HELD - 1) * sizeof(held[0]));
  memset(held[HELD - 1], 0, sizeof(held[0]));
  memcpy(held[HELD - 1], values, rows * sizeof(*values));
}

void misalignment_step(struct misalignment *misalignment, double dt, const double *force,
                       const double *residual, size_t rows) {
  rows = rows < MISALIGNMENT_ROWS ? rows : MISALIGNMENT_ROWS;
  shift_in(misalignment->force, force, rows);
  shift_in(misalignment->residual, residual, rows);
  misalignment->dt = dt;
  if (++misalignment->samples < HELD) {
    return;
  }
  const double kept = exp(-dt / misalignment->time_s);
  double across = 0.0, along = 0.0, spread = 0.0;
  for (size_t i = 0; i < rows; i++) {
    const double slope =
        (misalignment->force[HELD - 1][i] - misalignment->force[0][i]) / ((HELD - 1) * dt);
    const double e = misalignment->residual[MIDDLE][i];
    across += e * slope;
    along += slope * slope;
    spread += e * e;
  }
  misalignment->across = kept * misalignment->across + across;
  misalignment->along = kept * misalignment->along + along;
  misalignment->spread = kept * misalignment->spread + spread;
}

/* Least squares of e = -delay slope: a force that is late is still what it was `delay` ago. */
bool misalignment_delay(const struct misalignment *misalignment, double worst, double *delay,
                        double *deviation) {
  if (!(misalignment->along > 0.0)) {
    return false;
  }
  const double found = -misalignment->across / misalignment->along;
  const double rest = fmax(0.0, misalignment->spread + found * misalignment->across);
  const double samples = fmax(1.0, misalignment->time_s / misalignment->dt);
  const double sd = sqrt(rest / (samples * misalignment->along));
  if (!(sd < worst)) {
    return false;
  }
  *delay = found;
  *deviation = sd;
  return true;
}
