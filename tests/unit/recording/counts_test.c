/* A column of several converters is kept as the counts of each, and comes back bit by bit. */
#include "recording/counts.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 250, ELEMENTS = 7, N = ROWS * ELEMENTS, WIDTH = 8, CONTINUOUS = 2, STILL = 5 };

/* Encoders, a gyroscope, a force; one sensor gives doubles to their last bit, one never changes. */
static const double steps[ELEMENTS] = {
    2.0 * M_PI / (1 << 19), 2.0 * M_PI / (1 << 12), 0.0, 5.326e-4, 0.1, 0.01, 9.81 / 2048};

static double numbers[N], back[N];
static struct converter converters[ELEMENTS];
static unsigned char *scratch, *place;
static size_t room;

static void fill(unsigned long seed) {
  struct random random = random_from(seed);
  double value[ELEMENTS] = {0.0};
  for (size_t i = 0; i < N; i++) {
    const size_t e = i % ELEMENTS;
    const double step = steps[e];
    value[e] += (step > 0.0 ? 5.0 * step : 0.1) * random_normal(&random);
    numbers[i] = e == STILL ? 3.0 : step > 0.0 ? step * rint(value[e] / step) : value[e];
  }
}

static size_t pack(enum column_coding *coding) {
  const struct counted_column column = {
      (const unsigned char *)numbers, ROWS, ELEMENTS, WIDTH, converters, ELEMENTS};
  unsigned char *end = counts_pack(&column, scratch, place, coding);
  return end != NULL ? (size_t)(end - place) : 0;
}

static void begin(void) {
  const size_t bytes = counts_scratch(ROWS, ELEMENTS, WIDTH);
  room = sizeof(numbers) + counts_overhead(ELEMENTS);
  memset(converters, 0, sizeof(converters));
  scratch = malloc(bytes); /* to the byte, so that a sanitizer sees what is beyond */
  place = malloc(room);
  ck_assert(scratch != NULL && place != NULL);
}

static void end(void) {
  free(scratch);
  free(place);
}

START_TEST(each_number_of_a_row_has_a_step_of_its_own_and_comes_back_bit_by_bit) {
  enum column_coding coding;
  begin();
  fill(test_seed());
  numbers[3 * ELEMENTS] = NAN; /* an encoder without an answer */
  numbers[9 * ELEMENTS + 4] = -0.0;
  numbers[11 * ELEMENTS + 4] = 0.05;
  const size_t size = pack(&coding);
  ck_assert_uint_eq(coding, COLUMN_STEPS);
  for (size_t e = 0; e < ELEMENTS; e++) {
    const double step = e == CONTINUOUS || e == STILL ? 0.0 : steps[e];
    ck_assert_msg(fabs(converters[e].step - step) <= 1e-6 * step, "%zu: %g", e, converters[e].step);
  }
  ck_assert_uint_le(size, N * 4 + 2 * ROWS * 4 + 300);
  ck_assert_uint_eq(counts_unpack(coding, place, size, ROWS, ELEMENTS, WIDTH, (void *)back), size);
  ck_assert_mem_eq(back, numbers, sizeof(numbers));
  ck_assert_uint_eq(counts_size(coding, place, size, ROWS, ELEMENTS, WIDTH), size);
  end();
}
END_TEST

START_TEST(what_is_cut_or_made_up_is_refused) {
  enum column_coding coding;
  begin();
  fill(test_seed());
  const size_t size = pack(&coding);
  for (size_t left = 0; left < size; left++) {
    unsigned char *cut = malloc(left + 1);
    memcpy(cut, place, left);
    ck_assert_uint_eq(counts_unpack(coding, cut, left, ROWS, ELEMENTS, WIDTH, (void *)back), 0);
    ck_assert_uint_eq(counts_size(coding, cut, left, ROWS, ELEMENTS, WIDTH), 0);
    free(cut);
  }
  struct counts_head head;
  memcpy(&head, place, sizeof(head));
  head.n_exceptions++;
  memcpy(place, &head, sizeof(head));
  ck_assert_uint_eq(counts_unpack(coding, place, size, ROWS, ELEMENTS, WIDTH, (void *)back), 0);
  ck_assert_uint_eq(counts_unpack(coding, place, size, SIZE_MAX / 8, 8, WIDTH, (void *)back), 0);
  end();
}
END_TEST

/* A robot that stands: no encoder changes, so that none has a step. */
static void stand(void) {
  for (size_t i = ELEMENTS; i < N; i++) {
    numbers[i] = numbers[i - ELEMENTS];
  }
}

START_TEST(a_step_is_found_soon_after_a_robot_sets_off_and_seldom_looked_for_where_none_is) {
  enum column_coding coding;
  begin();
  fill(test_seed());
  stand();
  for (int block = 0; block < 4; block++) { /* a second of standing */
    ck_assert_uint_eq(pack(&coding), 0);
  }
  int blocks = 0;
  do {
    fill(test_seed() + (unsigned)++blocks);
  } while (pack(&coding) == 0);
  ck_assert_int_le(blocks, 5);
  for (int block = 0; block < 200; block++) {
    fill(test_seed());
    pack(&coding);
  }
  ck_assert_uint_eq(converters[CONTINUOUS].patience, 40);
  ck_assert_uint_eq(converters[0].patience, 0);
  end();
}
END_TEST

SUITE(each_number_of_a_row_has_a_step_of_its_own_and_comes_back_bit_by_bit,
      what_is_cut_or_made_up_is_refused,
      a_step_is_found_soon_after_a_robot_sets_off_and_seldom_looked_for_where_none_is)
