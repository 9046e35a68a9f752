#include "misalignment.h"

#include <math.h>
#include <string.h>

enum { HELD = 5, MIDDLE = 2 };

/* Slope from which a force tells of its delay, deviations of noise per second: 2 ms leave a tenth.
 */
static const double LEAST_SLOPE = 50.0;
/* Deviations of noise that a residual may have beyond what a delay leaves. */
static const double NOISE_DEVIATIONS = 3.0;

void misalignment_init(struct misalignment *misalignment, double time_s, double largest_s) {
  *misalignment = (struct misalignment){.time_s = time_s, .largest_s = largest_s};
}

void misalignment_break(struct misalignment *misalignment) {
  misalignment->held = 0;
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
  misalignment->held += misalignment->held < HELD;
  if (misalignment->held < HELD) {
    return;
  }
  const double kept = exp(-dt / misalignment->time_s);
  misalignment->count *= kept;
  misalignment->across *= kept;
  misalignment->along *= kept;
  misalignment->spread *= kept;
  for (size_t i = 0; i < rows; i++) {
    const double slope =
        (misalignment->force[HELD - 1][i] - misalignment->force[0][i]) / ((HELD - 1) * dt);
    const double e = misalignment->residual[MIDDLE][i];
    if (fabs(slope) > LEAST_SLOPE &&
        fabs(e) < misalignment->largest_s * fabs(slope) + NOISE_DEVIATIONS) {
      misalignment->count += 1.0;
      misalignment->across += e * slope;
      misalignment->along += slope * slope;
      misalignment->spread += e * e;
    }
  }
}

/* Least squares of e = -delay slope: a force that is late is still what it was `delay` ago. */
bool misalignment_delay(const struct misalignment *misalignment, double worst, double *delay,
                        double *deviation) {
  if (!(misalignment->along > 0.0)) {
    return false;
  }
  const double found = -misalignment->across / misalignment->along;
  const double rest = fmax(0.0, misalignment->spread + found * misalignment->across);
  const double sd = sqrt(rest / (fmax(1.0, misalignment->count) * misalignment->along));
  if (!(sd < worst)) {
    return false;
  }
  *delay = found;
  *deviation = sd;
  return true;
}
