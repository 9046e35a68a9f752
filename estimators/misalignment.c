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

static void add(struct misalignment_sums *sums, double kept, double weight, double slope,
                double residual) {
  sums->count = kept * sums->count + weight;
  sums->slope = kept * sums->slope + weight * slope;
  sums->residual = kept * sums->residual + weight * residual;
  sums->across = kept * sums->across + weight * residual * slope;
  sums->along = kept * sums->along + weight * slope * slope;
  sums->spread = kept * sums->spread + weight * residual * residual;
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
  for (size_t i = 0; i < rows; i++) {
    const double slope =
        (misalignment->force[HELD - 1][i] - misalignment->force[0][i]) / ((HELD - 1) * dt);
    const double e = misalignment->residual[MIDDLE][i];
    const bool counts = fabs(slope) > LEAST_SLOPE &&
                        fabs(e) < misalignment->largest_s * fabs(slope) + NOISE_DEVIATIONS;
    add(&misalignment->sums[i], kept, counts ? 1.0 : 0.0, slope, e);
  }
}

/* Least squares of e = constant - delay slope, one constant for each row: a force that is late is
 * still what it was `delay` ago. */
bool misalignment_delay(const struct misalignment *misalignment, double worst, double *delay,
                        double *deviation) {
  double count = 0.0, across = 0.0, along = 0.0, spread = 0.0;
  for (size_t i = 0; i < MISALIGNMENT_ROWS; i++) {
    const struct misalignment_sums *s = &misalignment->sums[i];
    if (s->count > 1.0) {
      count += s->count - 1.0;
      across += s->across - s->residual * s->slope / s->count;
      along += s->along - s->slope * s->slope / s->count;
      spread += s->spread - s->residual * s->residual / s->count;
    }
  }
  if (!(along > 0.0)) {
    return false;
  }
  const double found = -across / along;
  const double rest = fmax(0.0, spread + found * across);
  const double sd = sqrt(rest / (fmax(1.0, count) * along));
  if (!(sd < worst)) {
    return false;
  }
  *delay = found;
  *deviation = sd;
  return true;
}
