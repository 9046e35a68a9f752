#include "body/regressor.h"
#include "inertia/pseudo_inertia.h"
#include "inertial/inertial_prior.h"
#include "inertial/inertial_update.h"
#include "numerics/small_matrix.h"
#include "support/core_rows.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static struct inertial_core *new_core_with_biases(const struct inertia *prior, double reluctance) {
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.reluctance = reluctance;
  settings.n_bias = ROWS;
  for (int r = 0; r < ROWS; r++) {
    settings.bias_sd[r] = 20.0 * CORE_NOISE[r];
  }
  return core_new(&settings, prior);
}

/* Rows with a bias each, and a gain each behind them where they have a `force`. */
static struct measured_rows measured(const struct core_sample *sample, const double *force) {
  struct measured_rows rows = {.n = ROWS, .Y = &sample->Y[0][0], .z = sample->z, .force = force};
  for (size_t r = 0; r < ROWS; r++) {
    rows.bias[r] = r;
    rows.stick[r] = SIZE_MAX;
    rows.gain[r] = force != NULL ? ROWS + r : SIZE_MAX;
  }
  return rows;
}

/* A reluctant estimate errs by more than the best one would: its covariance has to say so. Mass and
 * biases of bodies drawn from the prior, after rows that tell of them weakly. */
START_TEST(errors_of_a_reluctant_estimate_are_as_large_as_its_covariance_says) {
  enum { SEEDS = 300 };
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal();
  struct inertial_core *core = new_core_with_biases(&mean, 10.0);
  double squared[2] = {0.0, 0.0};
  for (int seed = 0; seed < SEEDS; seed++) {
    const struct inertia truth = core_drawn_from_prior(&random, &mean);
    double bias[ROWS], Y[ROWS][TEN + ROWS], covariance[TEN][TEN], mass;
    vec3 com;
    for (int r = 0; r < ROWS; r++) {
      bias[r] = 20.0 * CORE_NOISE[r] * random_normal(&random);
    }
    ck_assert_int_eq(inertial_core_reset(core, &mean), STATUS_OK);
    for (int k = 0; k < 3; k++) {
      struct core_sample sample;
      core_measure(&random, &truth, 8.0, &sample);
      for (int r = 0; r < ROWS; r++) {
        sample.z[r] += bias[r];
      }
      const struct inertial_rows rows = core_with_biases(&sample, Y);
      ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
    }
    inertial_core_deviations(core, 0, covariance, &mass, &com);
    const double b = core->x[TEN + 5] - bias[5];
    squared[0] += pow((core->pi[0].m - truth.m) / mass, 2.0) / SEEDS;
    squared[1] += b * b / core->P[(TEN + 5) * (TEN + ROWS) + TEN + 5] / SEEDS;
  }
  for (int i = 0; i < 2; i++) { /* 300 squares at 99.9 %, and 15 % for the linearisation */
    assert_near(squared[i], 1.0, 3.3 * sqrt(2.0 / SEEDS) + 0.15);
  }
}
END_TEST

/* A core whose rows have small biases and gains that may be off. */
static struct inertial_core *new_core_with_gains(const struct inertia *mean, double prior_mass,
                                                 double gain) {
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.reluctance = 10.0;
  settings.prior.mass = prior_mass;
  settings.n_bias = 2 * ROWS;
  settings.n_gain = ROWS;
  for (int r = 0; r < ROWS; r++) {
    settings.bias_sd[r] = 0.1 * CORE_NOISE[r];
    settings.bias_sd[ROWS + r] = gain;
  }
  return core_new(&settings, mean);
}

/* A sample by gains that are off by this. */
static void weigh_by_gains(struct inertial_core *core, struct random *random,
                           const struct inertia *truth, const double gain[ROWS]) {
  struct core_sample sample;
  double Y[ROWS][TEN + 2 * ROWS], force[ROWS];
  core_measure(random, truth, 1.0, &sample);
  for (int r = 0; r < ROWS; r++) {
    force[r] = sample.z[r];
    sample.z[r] += gain[r] * force[r];
  }
  const struct measured_rows beside = measured(&sample, force);
  for (size_t r = 0; r < ROWS; r++) {
    row_memory_beside(&beside, r, TEN, 2 * ROWS, Y[r]);
  }
  const struct inertial_rows rows = {.n = ROWS, .Y = Y[0], .z = sample.z, .R = sample.R};
  ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
}

/* Gains that had all changed by 5 % were taken for load, ten deviations off. They are mostly off
 * together and the mass is off, as the prior says, and rows are many and good. */
START_TEST(a_mass_is_as_uncertain_as_the_gains_of_its_rows) {
  enum { SEEDS = 300 };
  static const double GAIN = 0.05;
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal();
  const double prior = 0.1 * mean.m;
  struct inertial_core *core = new_core_with_gains(&mean, prior, GAIN);
  double squared = 0.0, largest = 0.0;
  for (int seed = 0; seed < SEEDS; seed++) {
    double gain[ROWS], covariance[TEN][TEN], mass;
    vec3 com;
    const double common = random_normal(&random);
    for (int r = 0; r < ROWS; r++) {
      gain[r] = GAIN * (sqrt(0.8) * common + sqrt(0.2) * random_normal(&random));
    }
    const double more = prior / mean.m * random_normal(&random);
    const struct inertia truth = inertia_axpy(&mean, more, &mean);
    ck_assert_int_eq(inertial_core_reset(core, &mean), STATUS_OK);
    for (int k = 0; k < 20; k++) {
      weigh_by_gains(core, &random, &truth, gain);
    }
    inertial_core_deviations(core, 0, covariance, &mass, &com);
    const double sigmas = (core->pi[0].m - truth.m) / mass;
    squared += sigmas * sigmas / SEEDS;
    largest = fmax(largest, fabs(sigmas));
    ck_assert_double_gt(mass, 0.5 * GAIN * mean.m);
    ck_assert_double_lt(inertial_core_mass_by_rows(core, 0), 0.2 * mass);
  }
  assert_near(squared, 1.0, 3.3 * sqrt(2.0 / SEEDS) + 0.15);
  ck_assert_double_lt(largest, 4.5);
}
END_TEST

/* As noise of their rows alone, gains were a load for good: 5 % of the link. */
START_TEST(gains_are_learned_beside_a_mass_that_is_known) {
  static const double GAIN = 0.05;
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal();
  struct inertial_core *core = new_core_with_gains(&mean, 0.02 * mean.m, GAIN);
  double gain[ROWS], learned = 0.0;
  for (int r = 0; r < ROWS; r++) {
    gain[r] = GAIN;
  }
  for (int k = 0; k < 50; k++) {
    weigh_by_gains(core, &random, &mean, gain);
  }
  for (int r = 0; r < ROWS; r++) {
    learned += core->x[TEN + ROWS + r] / ROWS;
  }
  assert_near(learned, GAIN, 0.3 * GAIN);
  assert_near(core->pi[0].m, mean.m, 0.3 * GAIN * mean.m);
}
END_TEST

START_TEST(the_prior_means_the_same_kilograms_and_metres_in_every_form) {
  const struct inertia mean = core_nominal();
  double reference[TEN][TEN];
  for (int form = INERTIAL_RUCKER; form <= INERTIAL_LINEAR; form++) {
    struct inertial_core_settings settings = CORE_SETTINGS;
    settings.form = (enum inertial_form)form;
    struct inertial_core *core = core_new(&settings, &mean);
    double C[TEN][TEN], mass;
    vec3 com;
    inertial_core_deviations(core, 0, C, &mass, &com);
    assert_near(mass, CORE_SETTINGS.prior.mass, 1e-10);
    assert_near(com.x, CORE_SETTINGS.prior.com, 1e-10);
    assert_near(com.z, CORE_SETTINGS.prior.com, 1e-10);
    for (int i = 0; i < TEN; i++) {
      for (int j = 0; j < TEN; j++) {
        reference[i][j] = form == INERTIAL_RUCKER ? C[i][j] : reference[i][j];
        assert_near(C[i][j], reference[i][j], 1e-9);
      }
    }
    inertial_core_predict(core, 4.0);
    inertial_core_deviations(core, 0, C, &mass, &com);
    assert_near(mass, hypot(CORE_SETTINGS.prior.mass, 2.0 * CORE_SETTINGS.drift.mass), 1e-10);
  }
}
END_TEST

/* The parameters are constant but for a drift: the state stays where it is, bit by bit, and its
 * covariance grows by dt B B^T, however the time is cut. @eq Foster24 10 12 18 */
START_TEST(prediction_moves_nothing_and_adds_the_drift_of_the_time_that_passed) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal(), truth = core_drawn_from_prior(&random, &mean);
  for (int form = INERTIAL_RUCKER; form <= INERTIAL_LINEAR; form++) {
    struct inertial_core_settings settings = CORE_SETTINGS;
    settings.form = (enum inertial_form)form;
    struct inertial_core *core = core_new(&settings, &mean);
    struct core_sample sample;
    const struct inertial_rows rows = core_measure(&random, &truth, 1.0, &sample);
    ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
    double x[TEN], P[TEN * TEN], B[TEN][TEN];
    const struct inertia pi = core->pi[0];
    memcpy(x, core->x, sizeof(x));
    memcpy(P, core->P, sizeof(P));
    inertial_core_predict(core, 0.05);
    inertial_core_predict(core, 0.4);
    inertial_core_predict(core, 0.25);
    ck_assert_int_eq(memcmp(x, core->x, sizeof(x)), 0);
    ck_assert_int_eq(memcmp(&pi, &core->pi[0], sizeof(pi)), 0);
    /* a linear estimate may be no body: then the drift is that about the prior */
    if (inertial_form_spread(settings.form, &pi, &settings.drift, B) != STATUS_OK) {
      ck_assert_int_eq(inertial_form_spread(settings.form, &mean, &settings.drift, B), STATUS_OK);
    }
    for (int i = 0; i < TEN; i++) {
      for (int j = 0; j < TEN; j++) {
        double grown = P[i * TEN + j];
        for (int k = 0; k < TEN; k++) {
          grown += 0.7 * B[i][k] * B[j][k];
        }
        assert_near(core->P[i * TEN + j], grown, 1e-12);
      }
    }
  }
}
END_TEST

/* -- a load from the start -------------------------------------------------------------------- */

/* A core whose start has measured `truth` and that supposes a load. */
static struct inertial_core *new_supposing_core(struct random *random, const struct inertia *mean,
                                                const struct inertial_spread *prior,
                                                const struct inertia *truth) {
  const struct inertial_spread load = {.mass = 8.0, .com = 0.15, .shape = 0.6};
  struct inertial_core *core = new_core_with_biases(mean, 10.0);
  struct core_sample sample;
  core->settings.prior = *prior;
  ck_assert_int_eq(inertial_core_reset(core, mean), STATUS_OK);
  core_measure(random, truth, 1.0, &sample);
  const struct measured_rows start = measured(&sample, NULL);
  inertial_core_suppose(core, &start, &load);
  return core;
}

/* One more sample of it. */
static void weigh(struct inertial_core *core, struct random *random, const struct inertia *truth) {
  struct core_sample sample;
  double Y[ROWS][TEN + ROWS];
  core_measure(random, truth, 1.0, &sample);
  const struct inertial_rows rows = core_with_biases(&sample, Y);
  ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
}

/* What is told before rows have decided and after, of a body with 5 kg beside or without. */
START_TEST(a_load_from_the_start_is_told_as_far_as_rows_speak_for_it) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal(),
                       beside = inertia_of_body(5.0, (vec3){0.1, 0.0, 0.2}, &CORE_SHAPE);
  for (int laden = 0; laden < 2; laden++) {
    const struct inertia truth = laden ? inertia_add(&mean, &beside) : mean;
    const struct inertial_spread prior = {0.2, 5e-3, 0.05};
    struct inertial_core *core = new_supposing_core(&random, &mean, &prior, &truth);
    double C[TEN][TEN], mass;
    vec3 com;
    assert_near(inertial_core_told(core, 0).m, mean.m, 1e-12);
    for (int k = 0; k < 30; k++) {
      weigh(core, &random, &truth);
      inertial_core_deviations(core, 0, C, &mass, &com); /* the model is told, and reaches to it */
      assert_near(inertial_core_told(core, 0).m, truth.m, 3.0 * mass);
    }
    const double evidence = inertial_evidence(core, core->P_laden, NULL) -
                            inertial_evidence(core, core->P_unladen, NULL);
    ck_assert(laden ? evidence > 3.0 : evidence < -3.0);
    core->laden = laden ? 1.0 : 0.0;
    assert_near(inertial_core_told(core, 0).m, truth.m, 0.05);
    inertial_core_deviations(core, 0, C, &mass, &com);
    ck_assert_double_lt(mass, 0.05);
  }
}
END_TEST

/* Halfway between a load and none, deviations reach to both. */
START_TEST(what_is_told_of_a_load_that_may_be_reaches_to_it_and_to_none) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal(),
                       beside = inertia_of_body(5.0, (vec3){0.1, 0.0, 0.2}, &CORE_SHAPE),
                       truth = inertia_add(&mean, &beside);
  struct inertial_core *core = new_supposing_core(&random, &mean, &CORE_SETTINGS.prior, &truth);
  double C[TEN][TEN], saved[TEN * TEN], mass;
  vec3 com;
  for (int k = 0; k < 30; k++) {
    weigh(core, &random, &truth);
  }
  core->laden = 0.5;
  const struct inertia told = inertial_core_told(core, 0);
  struct inertia kept;
  ck_assert(told.m > mean.m + 1.0 && told.m < truth.m - 1.0);
  inertial_core_deviations(core, 0, C, &mass, &com);
  assert_near(told.m, truth.m, 1.5 * mass);
  assert_near(told.m, mean.m, 1.5 * mass);
  ck_assert_double_gt(inertial_core_mass_by_rows(core, 0), 0.4 * (truth.m - mean.m));
  /* as kilograms, not as logarithms: a load may be heavier than its link */
  core->laden = 0.0;
  inertial_core_deviations(core, 0, C, &mass, &com);
  ck_assert_double_ge(mass, core->pi[0].m - inertial_core_told(core, 0).m);
  core->laden = 0.5;
  /* but for its errors' part, of which two deviations count for one while a load is supposed */
  inertial_core_save(core, &kept, saved);
  ck_assert_mem_eq(&kept, &told, sizeof(told));
  const double doubled = saved[0];
  small_scale(core->n * core->n, 0.25, core->P);
  inertial_core_save(core, &kept, saved);
  assert_near(doubled - saved[0], 12.0 * core->P[0], 1e-12);
}
END_TEST

/* Concludes a copy in which a load is this likely. */
static struct inertial_core *concluded(const struct inertial_core *core, double laden) {
  struct inertial_core *copy = new_core_with_biases(core->first, 10.0);
  ck_assert_int_eq(inertial_core_adopt(copy, core), STATUS_OK);
  copy->laden = laden;
  inertial_core_conclude(copy);
  ck_assert(!copy->supposed);
  return copy;
}

START_TEST(what_is_concluded_are_both_fits_as_likely_as_they_are) {
  enum { N = TEN + ROWS };
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal(),
                       beside = inertia_of_body(5.0, (vec3){0.1, 0.0, 0.2}, &CORE_SHAPE),
                       truth = inertia_add(&mean, &beside);
  struct inertial_core *core = new_supposing_core(&random, &mean, &CORE_SETTINGS.prior, &truth);
  weigh(core, &random, &truth);
  const struct inertial_core *none = concluded(core, 0.0), *load = concluded(core, 1.0);
  struct inertial_core *both = concluded(core, 0.3);
  ck_assert_double_gt(load->pi[0].m, none->pi[0].m + 0.1);
  for (int i = 0; i < N; i++) {
    assert_near(load->x[i], core->x[i], 1e-12);
    assert_near(both->x[i], 0.7 * none->x[i] + 0.3 * load->x[i], 1e-12);
    for (int j = 0; j < N; j++) {
      const double apart = (load->x[i] - none->x[i]) * (load->x[j] - none->x[j]);
      assert_near(load->P[i * N + j], core->P[i * N + j], 1e-12);
      assert_near(both->P[i * N + j],
                  0.7 * none->P[i * N + j] + 0.3 * load->P[i * N + j] + 0.21 * apart, 1e-9);
    }
  }
  /* and no more reluctant to leave than that: the load is found all the same */
  for (int k = 0; k < 30; k++) {
    weigh(both, &random, &truth);
  }
  assert_near(both->pi[0].m, truth.m, 0.2);
}
END_TEST

/* What biases had of the start's measurement was given back with the load that nothing spoke for: a
 * change that came then was taken to be larger by it, 0.4 kg on a trunk for good. */
START_TEST(a_load_that_is_not_told_leaves_what_was_measured_to_biases) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal();
  struct inertial_core *core = new_supposing_core(&random, &mean, &CORE_SETTINGS.prior, &mean);
  struct core_sample sample;
  double Y[ROWS][TEN + ROWS];
  core_measure(&random, &mean, 1.0, &sample);
  for (int r = 0; r < ROWS; r++) {
    sample.z[r] += 8.0 * CORE_NOISE[r];
  }
  for (int k = 0; k < 100; k++) { /* standing, it may be a load or biases */
    const struct inertial_rows rows = core_with_biases(&sample, Y);
    ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
  }
  core->laden = 0.0;
  inertial_core_conclude(core);
  assert_near(core->pi[0].m, mean.m, 0.2);
  inertial_core_linearise(core, core->x);
  for (int r = 0; r < ROWS; r++) {
    assert_near(small_dot(TEN + ROWS, Y[r], core->flat), sample.z[r], 2.0 * CORE_NOISE[r]);
  }
}
END_TEST

/* One sample after a start that was so noisy: how well the mass is known, kg. */
static double mass_known_after(double noise) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal();
  const struct inertial_spread load = {.mass = 8.0, .com = 0.15, .shape = 0.6};
  struct inertial_core *core = new_core_with_biases(&mean, 10.0);
  struct core_sample sample;
  core_measure(&random, &mean, 1.0, &sample);
  struct measured_rows start = measured(&sample, NULL);
  for (int r = 0; r < ROWS; r++) {
    start.noise[r] = noise * CORE_NOISE[r];
  }
  inertial_core_suppose(core, &start, &load);
  weigh(core, &random, &mean);
  return inertial_core_mass_deviation(core, 0);
}

START_TEST(a_start_that_was_noisy_tells_the_less) {
  const double quiet = mass_known_after(0.0), noisy = mass_known_after(20.0),
               untold = mass_known_after(1e6);
  ck_assert_double_gt(noisy, 1.1 * quiet);
  ck_assert_double_gt(untold, 1.1 * noisy);
}
END_TEST

/* With drift in both, a prior without the load foretells as well in the end: what was carried for
 * an hour was told no longer. */
START_TEST(a_load_is_told_for_as_long_as_it_is_carried) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal(),
                       beside = inertia_of_body(2.0, (vec3){0.02, 0.0, 0.05}, &CORE_SHAPE),
                       truth = inertia_add(&mean, &beside);
  struct inertial_core *core = new_supposing_core(&random, &mean, &CORE_SETTINGS.prior, &truth);
  for (int s = 0; s < 3600; s++) {
    inertial_core_predict(core, 1.0);
    weigh(core, &random, &truth);
  }
  assert_near(core->pi[0].m, truth.m, 0.1);
  ck_assert_double_gt(inertial_evidence(core, core->P_laden, NULL) -
                          inertial_evidence(core, core->P_unladen, NULL),
                      10.0);
}
END_TEST

/* One that keeps no rows cannot go on supposing. */
START_TEST(a_core_without_memory_takes_over_what_is_concluded) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal(), truth = inertia_axpy(&mean, 0.5, &mean);
  struct inertial_core *core = new_supposing_core(&random, &mean, &CORE_SETTINGS.prior, &truth),
                       *next = new_core_with_biases(&mean, 10.0);
  weigh(core, &random, &truth);
  core->laden = 0.25;
  const struct inertia expected = concluded(core, 0.25)->pi[0];
  ck_assert_double_gt(core->pi[0].m, expected.m + 0.5);
  next->settings.memory = false;
  ck_assert_int_eq(inertial_core_adopt(next, core), STATUS_OK);
  assert_near(inertial_core_told(next, 0).m, expected.m, 1e-12);
  assert_near(next->pi[0].m, expected.m, 1e-12);
  ck_assert(!next->supposed);
}
END_TEST

/* In the linear form it is the density of the measurements themselves, N(Y x, Y P Y^T + R). */
START_TEST(the_evidence_of_a_prior_is_the_density_of_the_rows) {
  struct random random = random_from(test_seed());
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.form = INERTIAL_LINEAR;
  settings.drift = (struct inertial_spread){0.0, 0.0, 0.0};
  const struct inertia mean = core_nominal(), truth = core_drawn_from_prior(&random, &mean);
  struct inertial_core *core = core_new(&settings, &mean);
  struct core_sample sample;
  const struct inertial_rows rows = core_measure(&random, &truth, 1.0, &sample);
  double P[2][TEN * TEN], e[ROWS], pi[TEN], density[2];
  inertia_to(&mean, pi);
  for (int r = 0; r < ROWS; r++) {
    e[r] = sample.z[r];
    for (int i = 0; i < TEN; i++) {
      e[r] -= sample.Y[r][i] * pi[i];
    }
  }
  for (int wide = 0; wide < 2; wide++) {
    double S[ROWS * ROWS], white[ROWS], log_det = 0.0;
    for (int i = 0; i < TEN * TEN; i++) {
      P[wide][i] = (wide ? 9.0 : 1.0) * core->P_prior[i];
    }
    for (int r = 0; r < ROWS; r++) {
      white[r] = e[r];
      for (int s = 0; s < ROWS; s++) {
        S[r * ROWS + s] = r == s ? sample.R[r] : 0.0;
        for (int i = 0; i < TEN * TEN; i++) {
          S[r * ROWS + s] += sample.Y[r][i / TEN] * P[wide][i] * sample.Y[s][i % TEN];
        }
      }
    }
    ck_assert(small_cholesky_lower(ROWS, S));
    small_solve_lower(ROWS, 1, S, white, 1);
    for (int r = 0; r < ROWS; r++) {
      log_det += log(S[r * ROWS + r]);
    }
    density[wide] = -0.5 * small_dot(ROWS, white, white) - log_det;
  }
  ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
  const double found = inertial_evidence(core, P[1], NULL) - inertial_evidence(core, P[0], NULL);
  assert_near(found, density[1] - density[0], 1e-6 * (1.0 + fabs(found)));
}
END_TEST

SUITE(errors_of_a_reluctant_estimate_are_as_large_as_its_covariance_says,
      a_mass_is_as_uncertain_as_the_gains_of_its_rows,
      gains_are_learned_beside_a_mass_that_is_known,
      the_prior_means_the_same_kilograms_and_metres_in_every_form,
      prediction_moves_nothing_and_adds_the_drift_of_the_time_that_passed,
      a_load_from_the_start_is_told_as_far_as_rows_speak_for_it,
      what_is_told_of_a_load_that_may_be_reaches_to_it_and_to_none,
      what_is_concluded_are_both_fits_as_likely_as_they_are,
      a_load_that_is_not_told_leaves_what_was_measured_to_biases,
      a_start_that_was_noisy_tells_the_less, a_load_is_told_for_as_long_as_it_is_carried,
      a_core_without_memory_takes_over_what_is_concluded,
      the_evidence_of_a_prior_is_the_density_of_the_rows)
