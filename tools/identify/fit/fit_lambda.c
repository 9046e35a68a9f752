/* How much to trust what was known before: by cross-validation over blocks of time. */
#include "identify/fit/robot_fitter.h"

#include <math.h>

enum { CHOICES = 10 };

/* Lambda's choices: 1e-3, 1e-2 ... */
static const double LEAST_LAMBDA = 1e-3, LAMBDA_STEP = 10.0;
/* Share of lambda, nats: gap of solves that only compare. */
static const double COARSE_GAP = 1e-2;
/* Share of the torque: no sensor is right to so much, and what predicts better by less does so by
 * what sensors, filters and the ground have wrong alike in every block. */
static const double MEANS_NOTHING = 1e-3;

/* What every block has left over when it is not fitted: left [FIT_BLOCKS]. */
static enum status cross_validate(struct fitter *f, double lambda, double *left) {
  enum status status = STATUS_OK;
  f->convex.gap = COARSE_GAP * lambda;
  for (size_t b = 0; b < FIT_BLOCKS && status == STATUS_OK; b++) {
    struct convex_solution solution;
    status = fitter_set_problem(f, lambda, f->settings->distance, b);
    if (status == STATUS_OK) {
      status = fitter_solve(f, &solution);
    }
    if (status == STATUS_OK) {
      left[b] = fitter_misfit(f, b, solution.x);
    }
  }
  return status;
}

/* Whether the blocks cannot tell `other` from `best`: on average no worse by more than the standard
 * error of their differences, or by more than means anything. */
static bool as_good(const double *best, const double *other, double nothing) {
  double mean = 0.0, squares = 0.0;
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    mean += (other[b] - best[b]) / FIT_BLOCKS;
  }
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    const double off = other[b] - best[b] - mean;
    squares += off * off;
  }
  return mean <= fmax(nothing, sqrt(squares / (FIT_BLOCKS * (FIT_BLOCKS - 1.0))));
}

static double sum(const double *left) {
  double total = 0.0;
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    total += left[b];
  }
  return total;
}

/* The strongest pull that predicts as well as the best one: what the log cannot tell apart, what
 * was known before decides. */
enum status fitter_choose_lambda(struct fitter *f) {
  double left[CHOICES][FIT_BLOCKS], lambda[CHOICES];
  enum status status = STATUS_OK;
  double nothing = 0.0;
  int best = 0, chosen = 0;
  for (size_t b = 0; b < FIT_BLOCKS; b++) { /* of the squared torque of a block */
    nothing += MEANS_NOTHING * MEANS_NOTHING * f->block[b].constant / FIT_BLOCKS;
  }
  for (int i = 0; i < CHOICES && status == STATUS_OK; i++) {
    lambda[i] = i == 0 ? LEAST_LAMBDA : LAMBDA_STEP * lambda[i - 1];
    status = cross_validate(f, lambda[i], left[i]);
    best = status == STATUS_OK && sum(left[i]) < sum(left[best]) ? i : best;
  }
  for (int i = best; i < CHOICES && status == STATUS_OK; i++) {
    chosen = as_good(left[best], left[i], nothing) ? i : chosen;
  }
  f->fit->lambda = lambda[chosen];
  return status;
}
