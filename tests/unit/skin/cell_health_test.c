#include "skin/cell_health.h"

#include "support/suite.h"
#include "support/synthetic_robot.h"

#include <float.h>

enum { PER_LINK = 30 };

static struct random rng;
static struct robot *robot;
static struct skin_fusion fusion;
static struct cell_health health;
static struct skin_reading reading;
static struct motion moves[2];        /* the truth of the last sample, link coordinates */
static const struct motion *estimate; /* what the estimate says of it, or NULL */
static const double NOISE = 0.1;

/* One link of a chain of one joint moves; both links carry 30 cells of noise 0.1 m/s^2. */
static void set_up_with(size_t per_link) {
  rng = random_from(test_seed());
  robot = synthetic_robot(1, true, per_link, &rng);
  struct cell_health_settings settings = cell_health_defaults();
  settings.noise = NOISE;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    ck_assert_int_eq(skin_fusion_init(&fusion, robot, NOISE, NULL, settings.range, &arena),
                     STATUS_OK);
    ck_assert_int_eq(cell_health_init(&health, robot, &settings, &arena), STATUS_OK);
  }
  reading = (struct skin_reading){.n_cells = robot->n_cells,
                                  .acceleration = calloc(3 * robot->n_cells, sizeof(float)),
                                  .flags = calloc(robot->n_cells, 1),
                                  .proximity = calloc(robot->n_cells, sizeof(float)),
                                  .force = calloc(robot->n_cells, sizeof(float))};
}

static void set_up(void) {
  set_up_with(PER_LINK);
}

/* A link that swings: what it does at time t, and what its cells then read. */
static void swing(int64_t t_ns, double amplitude, vec3 omega[2]) {
  const double t = (double)t_ns * 1e-9;
  for (int i = 0; i < 2; i++) {
    omega[i] = (vec3){amplitude * sin(6.0 * t), 0.5 * amplitude * cos(5.0 * t), 0.2 * amplitude};
    moves[i].ang = (vec3){6.0 * amplitude * cos(6.0 * t), -2.5 * amplitude * sin(5.0 * t), 0.0};
    moves[i].lin = (vec3){3.0 * amplitude * sin(4.0 * t), 9.81, 2.0 * amplitude * cos(7.0 * t)};
  }
  reading.stamp = (struct stream_stamp){true, true, reading.stamp.seq + 1, t_ns};
  for (size_t c = 0; c < robot->n_cells; c++) {
    const struct skin_cell *cell = &robot->cell[c];
    const struct motion *m = &moves[cell->link];
    const vec3 r = cell->placement.p, w = omega[cell->link];
    const vec3 a =
        vec3_add(m->lin, vec3_add(vec3_cross(m->ang, r), vec3_cross(w, vec3_cross(w, r))));
    const vec3 f = mat3_tmul_vec3(&cell->placement.R, a);
    reading.acceleration[3 * c] = (float)(f.x + NOISE * random_normal(&rng));
    reading.acceleration[3 * c + 1] = (float)(f.y + NOISE * random_normal(&rng));
    reading.acceleration[3 * c + 2] = (float)(f.z + NOISE * random_normal(&rng));
    reading.flags[c] = CELL_VALID;
  }
}

/* One 250 Hz sample. `spoil` may change the reading before anybody sees it. */
static void sample(int k, double amplitude, void (*spoil)(int k)) {
  vec3 omega[2];
  swing((int64_t)k * 4000000, amplitude, omega);
  if (spoil != NULL) {
    spoil(k);
  }
  ck_assert_int_eq(skin_fusion_step(&fusion, &reading), STATUS_OK);
  cell_health_step(&health, &fusion, &reading, omega, estimate);
}

START_TEST(healthy_cells_stay_ok_for_a_minute_of_motion_and_rest) {
  set_up();
  for (int k = 0; k < 15000; k++) {
    sample(k, k / 2500 % 2 == 0 ? 1.0 : 0.0, NULL);
  }
  ck_assert_uint_eq(health.count[CELL_OK] + health.count[CELL_SUSPECT], robot->n_cells);
  ck_assert_uint_eq(health.changes, 0);
  /* a component beyond six sigma is a matter of 2e-9 */
  ck_assert_uint_le(health.outliers, 1);
}
END_TEST

static void fail_every_way(int k) {
  static const float bad[][3] = {{(float)NAN, 1.0f, 2.0f}, {1.0f, (float)INFINITY, 2.0f},
                                 {-1.0f, -1.0f, -1.0f},    {0.0f, 0.0f, 0.0f},
                                 {39.5f, 1.0f, 2.0f},      {1.0f, FLT_MAX, 2.0f}};
  for (size_t c = 0; c < sizeof(bad) / sizeof(bad[0]); c++) {
    memcpy(reading.acceleration + 3 * c, bad[c], sizeof(bad[c]));
  }
  uint32_t ones = UINT32_MAX; /* an all-ones word is a NaN */
  memcpy(reading.acceleration + 3 * 6, &ones, sizeof(ones));
  reading.acceleration[3 * 7] += (float)(5.0 + 0.001 * k); /* a wrong bias */
  const float x = reading.acceleration[3 * 8];             /* two axes swapped */
  reading.acceleration[3 * 8] = reading.acceleration[3 * 8 + 1];
  reading.acceleration[3 * 8 + 1] = x;
}

START_TEST(dead_saturated_biased_and_swapped_cells_are_faulty_within_20_samples_with_their_reason) {
  static const enum cell_reason expected[] = {
      CELL_REASON_NOT_FINITE, CELL_REASON_NOT_FINITE, CELL_REASON_PATTERN,    CELL_REASON_PATTERN,
      CELL_REASON_SATURATED,  CELL_REASON_SATURATED,  CELL_REASON_NOT_FINITE, CELL_REASON_RESIDUAL};
  set_up();
  for (int k = 0; k < 20; k++) {
    sample(k, 1.0, fail_every_way);
  }
  for (size_t c = 0; c < sizeof(expected) / sizeof(expected[0]); c++) {
    ck_assert_int_eq(health.cell[c].state, CELL_FAULTY);
    ck_assert_int_eq(health.cell[c].reason, expected[c]);
  }
  for (int k = 20; k < 250; k++) { /* a swap shows only where the two axes read differently */
    sample(k, 1.0, fail_every_way);
  }
  ck_assert_int_eq(health.cell[8].state, CELL_FAULTY);
  ck_assert_uint_eq(health.count[CELL_FAULTY], 9);
}
END_TEST

START_TEST(a_cell_that_recovers_is_taken_back_after_its_probation) {
  set_up();
  for (int k = 0; k < 100; k++) {
    sample(k, 1.0, fail_every_way);
  }
  ck_assert_uint_ge(health.count[CELL_FAULTY], 8);
  for (int k = 100; k < 100 + health.settings.readmit_after + 1; k++) {
    sample(k, 1.0, NULL);
  }
  ck_assert_uint_eq(health.count[CELL_FAULTY], 0);
  ck_assert(!fusion.masked[0]);
}
END_TEST

START_TEST(who_was_taken_back_begins_with_a_clean_slate) {
  set_up();
  health.settings.readmit_after = 5;
  for (int k = 0; k < 100; k++) {
    sample(k, 1.0, fail_every_way);
  }
  for (int k = 100; k < 100 + health.settings.readmit_after; k++) {
    sample(k, 1.0, NULL);
  }
  ck_assert_int_eq(health.cell[0].state, CELL_OK);
}
END_TEST

static float frozen[3];
static void freeze_one(int k) {
  if (k == 50) {
    memcpy(frozen, reading.acceleration + 3 * 4, sizeof(frozen));
  }
  if (k >= 50) {
    memcpy(reading.acceleration + 3 * 4, frozen, sizeof(frozen));
  }
}

START_TEST(a_frozen_cell_is_not_blamed_at_rest_and_found_within_50_samples_of_motion) {
  set_up();
  for (int k = 0; k < 1000; k++) {
    sample(k, 0.0, freeze_one);
  }
  ck_assert_int_eq(health.cell[4].state, CELL_OK);
  for (int k = 1000; k < 1050; k++) {
    sample(k, 1.0, freeze_one);
  }
  ck_assert_int_eq(health.cell[4].state, CELL_FAULTY);
}
END_TEST

START_TEST(a_cell_found_frozen_stays_so_at_rest_until_its_reading_changes) {
  set_up();
  for (int k = 0; k < 2000; k++) {
    sample(k, k >= 100 && k < 400 ? 1.0 : 0.0, freeze_one);
  }
  ck_assert_int_eq(health.cell[4].state, CELL_FAULTY);
  ck_assert_int_eq(health.cell[4].reason, CELL_REASON_STUCK);
  for (int k = 2000; k < 2000 + health.settings.readmit_after; k++) {
    sample(k, 0.0, NULL);
  }
  ck_assert_int_eq(health.cell[4].state, CELL_OK);
}
END_TEST

/* Cells are read at 250 Hz and measure at 50, in turn. */
static float measured[3 * 2 * PER_LINK];
static void poll_in_turn(int k) {
  for (size_t c = 0; c < robot->n_cells; c++) {
    if ((size_t)k % 5 == c % 5) {
      memcpy(measured + 3 * c, reading.acceleration + 3 * c, 3 * sizeof(float));
    }
    memcpy(reading.acceleration + 3 * c, measured + 3 * c, 3 * sizeof(float));
  }
}

START_TEST(cells_that_measure_less_often_than_they_are_read_tell_each_measurement_once) {
  set_up();
  estimate = moves;
  for (int k = 0; k < 250; k++) {
    sample(k, 2.0, poll_in_turn);
  }
  const uint64_t repeated = health.rejected[CELL_REASON_REPEATED];
  for (int k = 250; k < 500; k++) {
    sample(k, 2.0, poll_in_turn);
    for (size_t i = 0; i < fusion.n_links; i++) {
      const struct link_skin *link = &fusion.link[i];
      ck_assert_uint_eq(link->n_used, PER_LINK / 5);
      for (size_t c = 0; c < link->n_cells; c++) {
        ck_assert_int_eq(link->used[c], (size_t)k % 5 == link->cell[c] % 5);
      }
    }
  }
  ck_assert_uint_eq(health.rejected[CELL_REASON_REPEATED] - repeated, 250 * robot->n_cells * 4 / 5);
  ck_assert_uint_eq(health.count[CELL_OK], robot->n_cells); /* and nobody is to blame */
}
END_TEST

static void poll_and_freeze(int k) {
  poll_in_turn(k);
  freeze_one(k < 250 ? 0 : k == 250 ? 50 : k); /* from sample 250 on */
}

START_TEST(one_of_those_that_freezes_is_found_all_the_same) {
  set_up();
  estimate = moves;
  for (int k = 0; k < 400; k++) {
    sample(k, 2.0, poll_and_freeze);
  }
  ck_assert_int_eq(health.cell[4].state, CELL_FAULTY);
  ck_assert_int_eq(health.cell[4].reason, CELL_REASON_STUCK);
  ck_assert_uint_eq(health.count[CELL_OK], robot->n_cells - 1);
}
END_TEST

/* Steps of .08 m/s^2: one reading in eighty is as the one before. */
static void round_to_few_bits(int k) {
  (void)k;
  for (size_t i = 0; i < 3 * robot->n_cells; i++) {
    reading.acceleration[i] = 0.08f * roundf(reading.acceleration[i] / 0.08f);
  }
}

START_TEST(cells_of_few_bits_repeat_themselves_by_chance_and_lose_little) {
  set_up();
  estimate = moves;
  for (int k = 0; k < 2000; k++) {
    sample(k, k < 1000 ? 0.0 : 2.0, round_to_few_bits);
  }
  ck_assert_uint_le(health.rejected[CELL_REASON_REPEATED], 2000 * robot->n_cells / 50);
  ck_assert_uint_eq(health.count[CELL_FAULTY], 0);
}
END_TEST

static void bend_one(int k) {
  (void)k;
  reading.acceleration[0] += 5.0f;
}

START_TEST(among_four_cells_nobody_is_called_wrong_by_the_others) {
  set_up_with(4);
  for (int k = 0; k < 250; k++) {
    sample(k, 1.0, bend_one);
  }
  ck_assert_uint_eq(health.count[CELL_OK], robot->n_cells);
  ck_assert_uint_eq(health.outliers, 0);
}
END_TEST

static double spike;
static void spike_one_in_a_hundred(int k) {
  (void)k;
  for (size_t c = 0; c < robot->n_cells; c++) {
    if (random_uniform(&rng, 0.0, 1.0) < 0.01) {
      reading.acceleration[3 * c + 1] += (float)spike;
    }
  }
}

START_TEST(spikes_of_20_to_300_sigma_never_reach_the_fused_motion) {
  static const double sizes[] = {20.0, 50.0, 300.0};
  for (size_t s = 0; s < 3; s++) {
    double clean = 0.0, spiked = 0.0;
    for (int run = 0; run < 2; run++) {
      set_up();
      spike = sizes[s] * NOISE;
      double sum = 0.0;
      for (int k = 0; k < 2000; k++) {
        struct motion motion;
        sample(k, 1.0, run == 0 ? NULL : spike_one_in_a_hundred);
        const double t = k * 0.004;
        const struct link_skin *link = &fusion.link[1];
        const vec3 omega = {sin(6.0 * t), 0.5 * cos(5.0 * t), 0.2};
        ck_assert_int_eq(skin_fusion_solve(link, omega, &motion, NULL), STATUS_OK);
        const vec3 truth = {3.0 * sin(4.0 * t), 9.81, 2.0 * cos(7.0 * t)};
        sum += vec3_dot(vec3_sub(motion.lin, truth), vec3_sub(motion.lin, truth));
      }
      *(run == 0 ? &clean : &spiked) = sqrt(sum / 2000.0);
    }
    ck_assert_double_le(spiked, 1.1 * clean);
  }
}
END_TEST

static void touch_some(int k) {
  for (size_t c = 0; c < 5; c++) {
    reading.flags[c] |= CELL_FORCE | CELL_PROXIMITY;
    reading.proximity[c] = k >= 20 && k < 200 ? 0.9f : 0.1f;
    reading.force[c] = k >= 50 && k < 150 ? 3.0f : 0.0f;
  }
}

START_TEST(a_cell_is_left_out_from_the_first_sample_near_something_until_it_is_free_again) {
  set_up();
  for (int k = 0; k < 300; k++) {
    sample(k, 0.5, touch_some);
    const int free_since = 200 + health.settings.release_after - 1;
    const enum cell_state expected = k < 20           ? CELL_OK
                                     : k < 50         ? CELL_PRECONTACT
                                     : k < 150        ? CELL_CONTACT
                                     : k < free_since ? CELL_PRECONTACT
                                                      : CELL_OK;
    ck_assert_int_eq(health.cell[2].state, expected);
    ck_assert(fusion.masked[2] == (expected != CELL_OK));
  }
}
END_TEST

static void silence(int k) {
  if (k >= 50) {
    reading.flags[9] = 0;
  }
}

/* The driver says which of its cells have measured. */
static void answer_in_turn(int k) {
  for (size_t c = 0; c < robot->n_cells; c++) {
    reading.flags[c] = (size_t)k % 5 == c % 5 ? CELL_VALID : 0;
  }
}

START_TEST(cells_that_answer_every_fifth_time_are_well) {
  set_up();
  estimate = moves;
  for (int k = 0; k < 500; k++) {
    sample(k, 2.0, answer_in_turn);
    ck_assert(k < 5 || health.count[CELL_OK] == robot->n_cells);
    ck_assert_uint_eq(fusion.link[1].n_used, PER_LINK / 5);
  }
}
END_TEST

START_TEST(a_cell_that_the_driver_calls_invalid_for_100_ms_is_stale) {
  set_up();
  for (int k = 0; k < 50 + 26; k++) {
    sample(k, 0.5, silence);
  }
  ck_assert_int_eq(health.cell[9].state, CELL_STALE);
  ck_assert_int_eq(health.cell[9].reason, CELL_REASON_INVALID);
}
END_TEST

START_TEST(a_cell_that_nobody_wants_and_its_driver_leaves_out_keeps_its_state) {
  set_up();
  fusion.idle[9] = true;
  for (int k = 0; k < 50 + 100; k++) {
    sample(k, 0.5, silence);
  }
  ck_assert_int_eq(health.cell[9].state, CELL_OK);
}
END_TEST

static float stood_at[3 * 2 * PER_LINK];

/* Two thirds of the moving link's cells read what they read at the first sample. */
static void freeze_most(int k) {
  if (k == 0) {
    memcpy(stood_at, reading.acceleration, 3 * robot->n_cells * sizeof(float));
  }
  for (size_t c = 0; c < robot->n_cells; c++) {
    if (robot->cell[c].link == 1 && c % 3 != 0) {
      memcpy(reading.acceleration + 3 * c, stood_at + 3 * c, 3 * sizeof(float));
    }
  }
}

/* They agree with one another that the link stands still: only the estimate can tell. Before it has
 * moved far enough to tell the others contradict them, and are taken back later. */
START_TEST(frozen_cells_are_found_though_they_are_most_of_a_link_and_no_others_in_the_end) {
  set_up();
  estimate = moves;
  for (int k = 0; k < 500; k++) {
    sample(k, 2.0, freeze_most);
  }
  for (size_t c = 0; c < robot->n_cells; c++) {
    const bool stands = robot->cell[c].link == 1 && c % 3 != 0;
    ck_assert_int_eq(health.cell[c].state == CELL_FAULTY, stands);
    ck_assert(!stands || health.cell[c].reason == CELL_REASON_STUCK);
  }
}
END_TEST

/* Every cell reads so much more along its own x, which point in all directions. */
static void offset_all(int k) {
  (void)k;
  for (size_t c = 0; c < robot->n_cells; c++) {
    reading.acceleration[3 * c] += 20.0f;
  }
}

START_TEST(a_link_whose_cells_contradict_each_other_is_torn_even_when_few_are_left) {
  set_up();
  for (int k = 0; k < 200; k++) {
    sample(k, 1.0, k < 50 ? NULL : offset_all);
    ck_assert(fusion.link[0].torn == (k >= 50));
    ck_assert(fusion.link[1].torn == (k >= 50));
  }
  ck_assert_uint_gt(health.count[CELL_FAULTY], robot->n_cells / 2);
}
END_TEST

/* One alone is left out; the rest can be believed. */
START_TEST(a_link_is_not_torn_by_one_cell) {
  set_up();
  for (int k = 0; k < 200; k++) {
    sample(k, 1.0, bend_one);
    ck_assert(!fusion.link[0].torn && !fusion.link[1].torn);
  }
}
END_TEST

SUITE(a_link_whose_cells_contradict_each_other_is_torn_even_when_few_are_left,
      a_link_is_not_torn_by_one_cell, who_was_taken_back_begins_with_a_clean_slate,
      a_cell_found_frozen_stays_so_at_rest_until_its_reading_changes,
      cells_that_measure_less_often_than_they_are_read_tell_each_measurement_once,
      one_of_those_that_freezes_is_found_all_the_same,
      cells_of_few_bits_repeat_themselves_by_chance_and_lose_little,
      among_four_cells_nobody_is_called_wrong_by_the_others,
      a_cell_that_nobody_wants_and_its_driver_leaves_out_keeps_its_state,
      frozen_cells_are_found_though_they_are_most_of_a_link_and_no_others_in_the_end,
      healthy_cells_stay_ok_for_a_minute_of_motion_and_rest,
      dead_saturated_biased_and_swapped_cells_are_faulty_within_20_samples_with_their_reason,
      a_cell_that_recovers_is_taken_back_after_its_probation,
      a_frozen_cell_is_not_blamed_at_rest_and_found_within_50_samples_of_motion,
      spikes_of_20_to_300_sigma_never_reach_the_fused_motion,
      a_cell_is_left_out_from_the_first_sample_near_something_until_it_is_free_again,
      cells_that_answer_every_fifth_time_are_well,
      a_cell_that_the_driver_calls_invalid_for_100_ms_is_stale)
