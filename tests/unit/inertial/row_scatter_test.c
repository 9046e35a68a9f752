#include "inertial/row_scatter.h"
#include "support/random_model.h"
#include "support/suite.h"

enum { ROWS = 2 };
static const double BLOCK = 0.02;

/* Noise with this correlation time (s; 0: white for a block), of unit variance of a block's mean
 * in row 0 and `loud` times that deviation in row 1. */
struct coloured {
  struct random random;
  double last[ROWS], time_s, loud;
};

static void sample(struct coloured *noise, double dt, double residual[ROWS]) {
  const double keep = noise->time_s > 0.0 ? exp(-dt / noise->time_s) : 0.0;
  const double white = noise->time_s > 0.0 ? 1.0 : sqrt(BLOCK / dt);
  for (int r = 0; r < ROWS; r++) {
    noise->last[r] =
        keep * noise->last[r] + sqrt(1.0 - keep * keep) * white * random_normal(&noise->random);
    residual[r] = (r == 1 ? noise->loud : 1.0) * noise->last[r];
  }
}

/* The mean of `count` samples. */
static void mean_of(struct coloured *noise, double dt, int count, double residual[ROWS]) {
  double one[ROWS];
  residual[0] = residual[1] = 0.0;
  for (int k = 0; k < count; k++) {
    sample(noise, dt, one);
    residual[0] += one[0] / count;
    residual[1] += one[1] / count;
  }
}

static struct row_scatter learned_from(struct coloured *noise, double dt, int count,
                                       double seconds) {
  struct row_scatter scatter;
  row_scatter_reset(&scatter, 0.0);
  for (double t = 0.0; t < seconds; t += count * dt) {
    double residual[ROWS];
    mean_of(noise, dt, count, residual);
    row_scatter_take(&scatter, residual, ROWS, 0, count * dt, BLOCK);
  }
  return scatter;
}

static struct row_scatter learned(struct coloured *noise, double dt, double seconds) {
  return learned_from(noise, dt, 1, seconds);
}

START_TEST(white_noise_as_told_stays_what_it_is) {
  struct coloured noise = {.random = random_from(test_seed()), .loud = 0.3};
  const struct row_scatter scatter = learned(&noise, 0.01, 60.0);
  ck_assert_double_lt(row_scatter_ratio(&scatter, 0), 1.8); /* the largest of eight estimates */
  ck_assert_double_eq(row_scatter_ratio(&scatter, 1), 1.0); /* told noise is the least */
}
END_TEST

START_TEST(noise_five_times_as_told_is_learned_within_two_seconds) {
  struct coloured noise = {.random = random_from(test_seed()), .loud = 5.0};
  const struct row_scatter scatter = learned(&noise, 0.01, 2.0);
  ck_assert_double_gt(row_scatter_ratio(&scatter, 1), 0.4 * 25.0);
  ck_assert_double_lt(row_scatter_ratio(&scatter, 1), 3.0 * 25.0);
  ck_assert_double_eq(row_scatter_worst(&scatter),
                      fmax(row_scatter_ratio(&scatter, 0), row_scatter_ratio(&scatter, 1)));
}
END_TEST

/* A mean over a time T >> tau has the variance 2 tau/T, however often it was sampled. */
START_TEST(coloured_noise_counts_the_same_at_94_hz_and_at_1_khz) {
  const double tau = 0.1, expected = 2.0 * tau / BLOCK;
  double ratio[2];
  for (int i = 0; i < 2; i++) {
    struct coloured noise = {.random = random_from(test_seed()), .time_s = tau, .loud = 1.0};
    const struct row_scatter scatter =
        i == 0 ? learned(&noise, 1.0 / 94.0, 60.0) : learned_from(&noise, 1e-3, 10, 60.0);
    ratio[i] = row_scatter_ratio(&scatter, 0);
    ck_assert_double_gt(ratio[i], 0.5 * expected);
    ck_assert_double_lt(ratio[i], 2.0 * expected);
  }
  ck_assert_double_lt(fabs(log(ratio[0] / ratio[1])), log(2.0));
}
END_TEST

START_TEST(noise_that_is_told_to_last_counts_so_until_it_is_learned) {
  struct coloured noise = {.random = random_from(test_seed()), .loud = 1.0};
  struct row_scatter scatter;
  row_scatter_reset(&scatter, 0.0);
  ck_assert_double_eq(row_scatter_ratio(&scatter, 0), 1.0); /* it is told to be white */
  row_scatter_reset(&scatter, 0.1);
  ck_assert_double_gt(row_scatter_ratio(&scatter, 0), 10.0);
  for (int k = 0; k < 6000; k++) {
    double residual[ROWS];
    sample(&noise, 0.01, residual);
    row_scatter_take(&scatter, residual, ROWS, 0, 0.01, BLOCK);
    if (k == 0) { /* up to 0.2 s means do not average: 20 samples are one */
      ck_assert_double_gt(row_scatter_ratio(&scatter, 0), 10.0);
    }
  }
  ck_assert_double_lt(row_scatter_ratio(&scatter, 0), 2.5); /* it was white */
}
END_TEST

/* A bias of the accelerometer that motion shows was never found for the noise it was taken for,
 * and a load of 3 kg on a trotting robot neither. */
START_TEST(what_stays_is_noise_only_where_it_is_no_bias) {
  struct coloured noise = {.random = random_from(test_seed()), .loud = 1.0};
  struct row_scatter scatter;
  row_scatter_reset(&scatter, 0.0);
  for (int k = 0; k < 3000; k++) {
    double residual[ROWS];
    sample(&noise, BLOCK, residual);
    residual[0] += 2.0;
    residual[1] += k / 64 % 2 == 0 ? 2.0 : -2.0; /* it turns: that is noise anywhere */
    row_scatter_take(&scatter, residual, ROWS, ROWS, BLOCK, BLOCK);
  }
  ck_assert_double_lt(row_scatter_ratio(&scatter, 0), 2.5);
  ck_assert_double_gt(row_scatter_ratio(&scatter, 1), 50.0);
  row_scatter_reset(&scatter, 0.0);
  for (int k = 0; k < 3000; k++) { /* of a joint */
    double residual[ROWS];
    sample(&noise, BLOCK, residual);
    residual[0] += 2.0;
    row_scatter_take(&scatter, residual, ROWS, 0, BLOCK, BLOCK);
  }
  ck_assert_double_gt(row_scatter_ratio(&scatter, 0), 50.0);
}
END_TEST

START_TEST(a_load_that_is_taken_up_teaches_little) {
  struct coloured noise = {.random = random_from(test_seed()), .loud = 1.0};
  struct row_scatter scatter = learned(&noise, 0.01, 20.0);
  const double before = row_scatter_ratio(&scatter, 0);
  const double load[ROWS] = {100.0, 100.0};
  for (int k = 0; k < 5; k++) { /* until it is noticed */
    row_scatter_take(&scatter, load, ROWS, 0, 0.01, BLOCK);
  }
  ck_assert_double_lt(row_scatter_ratio(&scatter, 0), 3.0 * before);
}
END_TEST

/* Friction of one drive is no noise of the motion. */
START_TEST(one_noisy_row_leaves_the_others_as_they_are) {
  struct coloured white = {.random = random_from(test_seed()), .loud = 1.0};
  struct row_scatter scatter;
  row_scatter_reset(&scatter, 0.0);
  for (int k = 0; k < 12000; k++) { /* an offset that turns about each 1.28 s */
    double residual[ROWS];
    sample(&white, 0.01, residual);
    residual[0] += k / 128 % 2 == 0 ? 5.0 : -5.0;
    row_scatter_take(&scatter, residual, ROWS, 0, 0.01, BLOCK);
  }
  ck_assert_double_eq(row_scatter_worst(&scatter), row_scatter_ratio(&scatter, 0));
  ck_assert_double_lt(row_scatter_ratio(&scatter, 1), 0.01 * row_scatter_ratio(&scatter, 0));
}
END_TEST

START_TEST(other_rows_begin_anew) {
  struct coloured noise = {.random = random_from(test_seed()), .loud = 5.0};
  struct row_scatter scatter = learned(&noise, 0.01, 10.0);
  const double one = 0.0;
  row_scatter_take(&scatter, &one, 1, 0, 0.01, BLOCK);
  ck_assert_double_eq(row_scatter_worst(&scatter), 1.0);
}
END_TEST

SUITE(white_noise_as_told_stays_what_it_is, noise_five_times_as_told_is_learned_within_two_seconds,
      coloured_noise_counts_the_same_at_94_hz_and_at_1_khz,
      what_stays_is_noise_only_where_it_is_no_bias, a_load_that_is_taken_up_teaches_little,
      other_rows_begin_anew, one_noisy_row_leaves_the_others_as_they_are,
      noise_that_is_told_to_last_counts_so_until_it_is_learned)
