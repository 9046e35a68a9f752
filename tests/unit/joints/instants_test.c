#include "joints/instants.h"

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
      what_is_older_than_the_oldest_is_refused)
