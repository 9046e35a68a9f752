#include "inertial/misalignment.h"

#include "model/joint_drive.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum { HELD = MISALIGNMENT_HELD, MIDDLE = HELD / 2, TERMS = MISALIGNMENT_TERMS };

/* Slope from which a force tells of its delay, deviations of noise per second: 2 ms leave a
 * tenth. */
static const double LEAST_SLOPE = 50.0;
/* A force moves evenly: of its way over what is held, the two halves differ by at most this share,
 * and twice the way over the two samples beside the middle differs from it by as much. */
static const double UNEVEN = 0.7;
/* Deviations of noise that a residual may have beyond what a delay leaves. */
static const double NOISE_DEVIATIONS = 3.0;
/* A row tells from this many samples on. */
static const double LEAST_COUNT = 10.0;
/* A term of the fit must keep this share of itself that the terms before it do not have. */
static const double LEAST_OWN = 0.05;

void misalignment_init(struct misalignment *misalignment, double time_s, double largest_s) {
  *misalignment = (struct misalignment){.time_s = time_s, .largest_s = largest_s};
}

void misalignment_break(struct misalignment *misalignment) {
  misalignment->held = 0;
}

static bool is_even(const struct misalignment_sample *at, size_t i) {
  const double way = at[HELD - 1].force[i] - at[0].force[i],
               inner = at[MIDDLE + 1].force[i] - at[MIDDLE - 1].force[i],
               bend = at[HELD - 1].force[i] - 2.0 * at[MIDDLE].force[i] + at[0].force[i];
  return fmax(fabs(bend), fabs(2.0 * inner - way)) < UNEVEN * fabs(way);
}

/* The middle of what is held tells of a delay. Where friction is fitted, what it leaves must not
 * choose the samples: those of the smallest residuals are those in which a delay and friction
 * cancel. */
static bool tells(const struct misalignment *misalignment, size_t i, double slope) {
  const struct misalignment_sample *middle = &misalignment->sample[MIDDLE];
  const double most = misalignment->largest_s * fabs(slope) + NOISE_DEVIATIONS;
  return fabs(slope) > LEAST_SLOPE && is_even(misalignment->sample, i) &&
         (middle->rate[i] != 0.0 || fabs(middle->residual[i]) < most);
}

void misalignment_step(struct misalignment *misalignment, double dt,
                       const struct misalignment_sample *sample, size_t rows) {
  struct misalignment_sample *at = misalignment->sample;
  memmove(at, at + 1, (HELD - 1) * sizeof(*at));
  at[HELD - 1] = *sample;
  misalignment->held += misalignment->held < HELD;
  if (misalignment->held < HELD) {
    return;
  }
  const double kept = exp(-dt / misalignment->time_s);
  for (size_t i = 0; i < rows; i++) {
    const double slope = (at[HELD - 1].force[i] - at[0].force[i]) / ((HELD - 1) * dt);
    double *sums = &misalignment->sums[i][0][0];
    small_scale(TERMS * TERMS, kept, sums);
    if (tells(misalignment, i, slope)) {
      const double rate = at[MIDDLE].rate[i],
                   term[TERMS] = {1.0, rate, coulomb_share(rate), slope, at[MIDDLE].residual[i]};
      small_rank_one(TERMS, TERMS, 1.0, term, term, sums, TERMS);
    }
  }
}

/* Takes out of S what the first three terms explain: Schur's complement. Leaves out a term that the
 * others already have. Returns how many were taken. */
static int take_out_nuisances(double S[TERMS][TERMS]) {
  int taken = 0;
  double whole[TERMS];
  for (size_t t = 0; t < TERMS; t++) {
    whole[t] = S[t][t];
  }
  for (size_t t = 0; t < MISALIGNMENT_SLOPE; t++) {
    if (S[t][t] > LEAST_OWN * LEAST_OWN * whole[t]) {
      const size_t rest = TERMS - 1 - t;
      small_rank_one(rest, rest, -1.0 / S[t][t], &S[t][t + 1], &S[t][t + 1], &S[t + 1][t + 1],
                     TERMS);
      taken++;
    }
  }
  return taken;
}

/* What one row tells: count - terms, slope^2, slope residual, residual^2, friction and constant
 * taken out. False when it tells nothing. */
struct told {
  double count, along, across, spread;
};

static bool tell(const double sums[TERMS][TERMS], struct told *told) {
  double S[TERMS][TERMS];
  const double samples = sums[0][0], whole = sums[MISALIGNMENT_SLOPE][MISALIGNMENT_SLOPE];
  if (!(whole > 0.0)) {
    return false;
  }
  memcpy(S, sums, sizeof(S));
  told->count = samples - (double)take_out_nuisances(S);
  told->along = S[MISALIGNMENT_SLOPE][MISALIGNMENT_SLOPE];
  told->across = S[MISALIGNMENT_SLOPE][MISALIGNMENT_RESIDUAL];
  told->spread = S[MISALIGNMENT_RESIDUAL][MISALIGNMENT_RESIDUAL];
  return told->count > LEAST_COUNT && told->along > LEAST_OWN * whole;
}

/* Least squares of residual = constant + friction - delay slope, with a constant and friction for
 * each row and one delay for all: a force that is late is still what it was `delay` ago. Where rows
 * differ by more than their scatter allows, their differences are the scatter. */
struct inertial_delay misalignment_delay(const struct misalignment *misalignment, size_t first,
                                         size_t rows, double worst) {
  struct told sum = {0.0, 0.0, 0.0, 0.0}, row;
  double own = 0.0, telling = 0.0; /* sum of along times the square of each row's own delay */
  for (size_t i = first; i < first + rows; i++) {
    if (tell(misalignment->sums[i], &row)) {
      sum.count += row.count;
      sum.along += row.along;
      sum.across += row.across;
      sum.spread += row.spread;
      own += row.across * row.across / row.along;
      telling += 1.0;
    }
  }
  if (!(sum.along > 0.0)) {
    return (struct inertial_delay){.known = false};
  }
  const double found = -sum.across / sum.along;
  const double within = fmax(0.0, sum.spread + found * sum.across) / fmax(1.0, sum.count);
  const double between = fmax(0.0, own + found * sum.across) / fmax(1.0, telling - 1.0);
  const double sd = sqrt(fmax(within, between) / sum.along);
  const bool known = sd < worst && fabs(found) <= misalignment->largest_s;
  return known ? (struct inertial_delay){true, found, sd} : (struct inertial_delay){.known = false};
}
