#include "update/instants.h"

#include "support/random_model.h"

static struct instants new_instants(size_t capacity) {
  struct instants instants;
  const struct joint_layout layout = joint_layout_of(2, true, false, 0);
  struct arena count = {0};
  ck_assert_int_eq(instants_init(&instants, &layout, capacity, 1, 500, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(instants_init(&instants, &layout, capacity, 1, 500, &arena), STATUS_OK);
  return instants;
}

static size_t place(struct instants *instants, int64_t t_ns, enum stream stream) {
  size_t index = 99;
  ck_assert_int_eq(instants_place(instants, t_ns, stream, &index), STATUS_OK);
  return index;
}

START_TEST(instants_stand_in_order_of_time_however_samples_arrive) {
  struct random rng = random_from(test_seed());
  struct instants instants = new_instants(8);
  place(&instants, 1, STREAM_JOINTS);
  for (int k = 0; k < 1000; k++) {
    const int64_t newest = instants_newest(&instants)->t_ns;
    const int64_t t = newest + (int64_t)random_uniform(&rng, -3000.0, 4000.0);
    size_t index;
    if (t > instants.at[0]->t_ns &&
        instants_place(&instants, t, STREAM_SKIN, &index) == STATUS_OK) {
      ck_assert_int_le(instants.at[index]->t_ns - t < 0 ? t - instants.at[index]->t_ns
                                                        : instants.at[index]->t_ns - t,
                       500);
    }
    for (size_t i = 1; i < instants.count; i++) {
      ck_assert_int_ge(instants.at[i]->t_ns, instants.at[i - 1]->t_ns);
    }
    ck_assert_uint_le(instants.count, instants.capacity);
  }
}
END_TEST

START_TEST(samples_of_other_streams_share_an_instant_and_of_the_same_do_not) {
  struct instants instants = new_instants(8);
  place(&instants, 1000, STREAM_JOINTS);
  const size_t a = place(&instants, 3000, STREAM_JOINTS);
  ck_assert_uint_eq(place(&instants, 3400, STREAM_SKIN), a);
  ck_assert_uint_ne(place(&instants, 3450, STREAM_JOINTS), a);
  ck_assert_uint_eq(instants.at[a]->streams, STREAM_JOINTS | STREAM_SKIN);
  /* the oldest is final: nothing joins it */
  ck_assert_uint_ne(place(&instants, 1100, STREAM_SKIN), 0);
}
END_TEST

START_TEST(what_is_older_than_the_oldest_is_refused) {
  struct instants instants = new_instants(4);
  for (int64_t t = 1000; t <= 9000; t += 1000) {
    place(&instants, t, STREAM_JOINTS);
  }
  size_t index = 99;
  ck_assert_int_eq(instants.at[0]->t_ns, 6000);
  ck_assert_int_eq(instants_place(&instants, 6000, STREAM_SKIN, &index), STATUS_STALE);
  ck_assert_int_eq(instants_place(&instants, 5, STREAM_SKIN, &index), STATUS_STALE);
  ck_assert_uint_eq(index, 99);
}
END_TEST

/* Instants held by covariances of their own, `reach` of the newest and one in a few before. */
START_TEST(covariances_are_let_go_but_for_the_newest_and_one_in_a_few) {
  struct instants instants = new_instants(16);
  for (int64_t t = 1; t <= 200; t++) {
    place(&instants, 1000 * t, STREAM_JOINTS);
    if (t > 3 && t % 3 == 0) { /* skin, three instants late */
      place(&instants, 1000 * (t - 3) + 500, STREAM_SKIN);
    }
    instants_thin(&instants, 77000);
    size_t held = 0, last = 0;
    for (size_t i = 0; i < instants.count; i++) {
      const struct instant *instant = instants.at[i];
      const bool pinned = instant->t_ns == 77000;
      const bool near = i + 3 >= instants.count;
      if (i == 0 || near || pinned) {
        ck_assert_ptr_nonnull(instant->P);
      }
      if (instant->P != NULL) {
        ck_assert_uint_le(i - last, INSTANTS_KEEP_EVERY);
        last = i;
        held++;
        for (size_t k = 0; k < i; k++) { /* nobody else's */
          ck_assert_ptr_ne(instants.at[k]->P, instant->P);
        }
      }
    }
    ck_assert_uint_eq(held + instants.spares, instants.capacity);
    ck_assert_uint_le(held, instants.reach + 1 + instants.capacity / INSTANTS_KEEP_EVERY + 1);
    ck_assert_uint_le(instants.reach, 6);
    if (t > 30) { /* a whole window, whatever was dropped */
      ck_assert_uint_ge(instants.count, instants.capacity - INSTANTS_KEEP_EVERY + 1);
    }
  }
}
END_TEST

START_TEST(a_covariance_that_was_let_go_is_given_anew_behind_the_one_to_start_from) {
  struct instants instants = new_instants(16);
  for (int64_t t = 1; t <= 14; t++) {
    place(&instants, 1000 * t, STREAM_JOINTS);
    instants_thin(&instants, 0);
  }
  ck_assert_ptr_null(instants.at[7]->P);
  const size_t base = instants_base(&instants, 8);
  ck_assert_ptr_nonnull(instants.at[base]->P);
  ck_assert_uint_le(8 - base, INSTANTS_KEEP_EVERY);
  for (size_t i = base + 1; i < 8; i++) {
    ck_assert_ptr_null(instants.at[i]->P);
    instants_hold(&instants, i);
    ck_assert_ptr_nonnull(instants.at[i]->P);
  }
  instants_clear(&instants);
  ck_assert_uint_eq(instants.spares, instants.capacity);
}
END_TEST

START_TEST(an_instant_that_takes_the_place_of_an_old_one_knows_nothing_of_its_knocks) {
  struct instants instants = new_instants(4);
  for (int64_t t = 1000; t <= 20000; t += 1000) {
    const struct instant *fresh = instants.at[place(&instants, t, STREAM_JOINTS)];
    for (int j = 0; j < 2; j++) {
      ck_assert_double_eq(fresh->kick[j], 0.0);
      ck_assert_double_eq(fresh->kick_q[j], 0.0);
      fresh->kick[j] = fresh->kick_q[j] = 1.0;
    }
  }
}
END_TEST

SUITE(an_instant_that_takes_the_place_of_an_old_one_knows_nothing_of_its_knocks,
      instants_stand_in_order_of_time_however_samples_arrive,
      samples_of_other_streams_share_an_instant_and_of_the_same_do_not,
      what_is_older_than_the_oldest_is_refused,
      covariances_are_let_go_but_for_the_newest_and_one_in_a_few,
      a_covariance_that_was_let_go_is_given_anew_behind_the_one_to_start_from)
