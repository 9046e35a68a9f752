/* Copies of the filter's chains: their covariance is that of a Kalman filter, and what it does not
 * know of goes on in it as the error of that filter does. */
#include "process/shock_chains.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { CHAINS = 3, LENGTH = 4, DDQ = 2 };

static const double DT = 1e-3, NOISE = 2.5e-4; /* s; rad */
static const double DENSITY[CHAINS] = {30.0, 1e4, 1e8};

static struct shock_chains chains_of(size_t length) {
  struct shock_chains chains;
  struct arena arena = {0};
  shock_chains_init(&chains, CHAINS, length, &arena);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  shock_chains_init(&chains, CHAINS, length, &arena);
  shock_chains_reset(&chains);
  return chains;
}

static void step(struct shock_chains *chains, double noise) {
  const struct chain_drive drive = {.density = DENSITY};
  for (size_t j = 0; j < CHAINS; j++) {
    chains->r[j] = noise * noise;
  }
  shock_chains_predict(chains, &drive, DT);
  shock_chains_correct(chains, 0);
}

static void settle(struct shock_chains *chains, int steps) {
  for (int k = 0; k < steps; k++) {
    step(chains, NOISE);
  }
}

/* The error of a chain that is predicted and then pulled back by its gain. */
static void follow_error(const struct shock_chains *chains, size_t j, double error[LENGTH]) {
  const double taylor[LENGTH] = {1.0, DT, DT * DT / 2.0, DT * DT * DT / 6.0};
  for (size_t a = 0; a < LENGTH; a++) {
    for (size_t b = a + 1; b < LENGTH; b++) {
      error[a] += taylor[b - a] * error[b];
    }
  }
  const double innovation = error[0];
  for (size_t a = 0; a < LENGTH; a++) {
    error[a] -= chains->gain[a * CHAINS + j] * innovation;
  }
}

START_TEST(a_jump_nobody_knows_of_goes_on_as_the_error_of_the_filter) {
  struct shock_chains chains = chains_of(LENGTH);
  double error[CHAINS][LENGTH] = {{0.0}};
  settle(&chains, 2000);
  for (size_t j = 0; j < CHAINS; j++) {
    error[j][DDQ] = 7.0;
    shock_chains_at(&chains, chains.U, DDQ, DDQ)[j] += 49.0;
  }
  for (int k = 0; k < 100; k++) {
    step(&chains, NOISE);
    for (size_t j = 0; j < CHAINS; j++) {
      follow_error(&chains, j, error[j]);
      for (size_t i = 0; i < LENGTH; i++) {
        const double U = shock_chains_at(&chains, chains.U, i, i)[j];
        const double scale = 49.0 * pow(DT, 2.0 * (2.0 - (double)i)) * 1e-9;
        ck_assert_double_eq_tol(U, error[j][i] * error[j][i], 1e-6 * U + scale);
      }
    }
  }
  free(chains.P);
}
END_TEST

/* A jump is unknown until a chain has followed: (r dt / density)^1/8, here 27, 13 and 4 ms. */
START_TEST(a_livelier_copy_follows_sooner) {
  struct shock_chains chains = chains_of(LENGTH);
  double sum[CHAINS] = {0.0};
  settle(&chains, 2000);
  double *U = shock_chains_at(&chains, chains.U, DDQ, DDQ);
  for (size_t j = 0; j < CHAINS; j++) {
    U[j] = 1.0;
  }
  for (int k = 0; k < 1000; k++) {
    settle(&chains, 1);
    for (size_t j = 0; j < CHAINS; j++) {
      sum[j] += U[j];
    }
  }
  ck_assert_double_gt(sum[0], 1.5 * sum[1]);
  ck_assert_double_gt(sum[1], 1.5 * sum[2]);
  ck_assert_double_lt(U[0], 1e-6);
  free(chains.P);
}
END_TEST

/* Neither half of P runs away from the other, however many steps are rounded. */
START_TEST(its_covariance_stays_one_for_as_long_as_it_runs) {
  struct shock_chains chains = chains_of(LENGTH);
  settle(&chains, 3000);
  const double settled = shock_chains_at(&chains, chains.P, DDQ, DDQ)[2];
  for (int k = 0; k < 200000; k++) {
    step(&chains, k % 4 == 0 ? 1e-5 : NOISE);
  }
  settle(&chains, 3000);
  ck_assert(shock_chains_sound(&chains));
  ck_assert_double_eq_tol(shock_chains_at(&chains, chains.P, DDQ, DDQ)[2], settled, 1e-6 * settled);
  free(chains.P);
}
END_TEST

START_TEST(without_a_reading_nothing_is_corrected) {
  struct shock_chains chains = chains_of(LENGTH - 1);
  const double before = shock_chains_at(&chains, chains.P, 0, 0)[1];
  shock_chains_at(&chains, chains.U, 1, 1)[1] = 3.0;
  for (size_t j = 0; j < CHAINS; j++) {
    chains.r[j] = HUGE_VAL;
  }
  shock_chains_correct(&chains, 0);
  ck_assert_double_eq(shock_chains_at(&chains, chains.P, 0, 0)[1], before);
  ck_assert_double_eq(shock_chains_at(&chains, chains.U, 1, 1)[1], 3.0);
  free(chains.P);
}
END_TEST

START_TEST(what_is_no_variance_is_seen) {
  struct shock_chains chains = chains_of(LENGTH);
  ck_assert(shock_chains_sound(&chains));
  shock_chains_at(&chains, chains.U, 1, 1)[1] = (double)NAN;
  ck_assert(!shock_chains_sound(&chains));
  shock_chains_reset(&chains);
  ck_assert(shock_chains_sound(&chains));
  shock_chains_at(&chains, chains.P, 3, 3)[2] = 0.0;
  ck_assert(!shock_chains_sound(&chains));
  free(chains.P);
}
END_TEST

SUITE(a_jump_nobody_knows_of_goes_on_as_the_error_of_the_filter, a_livelier_copy_follows_sooner,
      its_covariance_stays_one_for_as_long_as_it_runs, without_a_reading_nothing_is_corrected,
      what_is_no_variance_is_seen)
