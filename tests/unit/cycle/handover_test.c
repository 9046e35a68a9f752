#include "cycle/handover.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static void *memory; /* of the test's one ring */

static struct handover *ring_of(size_t capacity) {
  struct handover *ring = NULL;
  struct arena count = {0};
  ck_assert_int_eq(handover_init(&ring, capacity, &count), STATUS_OK);
  ck_assert_ptr_null(ring);
  memory = aligned_alloc(ARENA_ALIGN, count.used);
  struct arena arena = arena_over(memory, count.used);
  ck_assert_int_eq(handover_init(&ring, capacity, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  return ring;
}

static bool hand_over(struct handover *ring, uint64_t seq) {
  struct cycle_result *result = handover_begin(ring);
  result->estimates.state.seq = seq;
  result->estimates.centroidal.seq = seq;
  return handover_commit(ring, (int64_t)(1000 * seq));
}

START_TEST(results_arrive_in_order_with_their_instant) {
  struct handover *ring = ring_of(4);
  ck_assert_ptr_null(handover_oldest(ring));
  for (uint64_t seq = 1; seq <= 3; seq++) {
    ck_assert(hand_over(ring, seq));
  }
  ck_assert_uint_eq(handover_waiting(ring), 3);
  for (uint64_t seq = 1; seq <= 3; seq++) {
    const struct cycle_result *result = handover_oldest(ring);
    ck_assert_ptr_nonnull(result);
    ck_assert_uint_eq(result->estimates.state.seq, seq);
    ck_assert_int_eq(result->committed_ns, (int64_t)(1000 * seq));
    handover_release(ring);
  }
  ck_assert_ptr_null(handover_oldest(ring));
  free(memory);
}
END_TEST

START_TEST(a_full_ring_drops_the_newest_counts_it_and_keeps_the_rest) {
  struct handover *ring = ring_of(3); /* rounded up to 4 */
  for (uint64_t seq = 1; seq <= 4; seq++) {
    ck_assert(hand_over(ring, seq));
  }
  ck_assert(!hand_over(ring, 5));
  ck_assert(!hand_over(ring, 6));
  ck_assert_uint_eq(handover_dropped(ring), 2);
  ck_assert_uint_eq(handover_oldest(ring)->estimates.state.seq, 1);
  handover_release(ring);
  ck_assert(hand_over(ring, 7));
  const uint64_t expected[] = {2, 3, 4, 7};
  for (int i = 0; i < 4; i++) {
    ck_assert_uint_eq(handover_oldest(ring)->estimates.state.seq, expected[i]);
    handover_release(ring);
  }
  free(memory);
}
END_TEST

START_TEST(a_slot_freed_between_begin_and_commit_does_not_revive_a_dropped_result) {
  struct handover *ring = ring_of(2);
  ck_assert(hand_over(ring, 1) && hand_over(ring, 2));
  handover_begin(ring)->estimates.state.seq = 3;
  handover_release(ring);
  ck_assert(!handover_commit(ring, 0));
  ck_assert_uint_eq(handover_oldest(ring)->estimates.state.seq, 2);
  handover_release(ring);
  ck_assert_ptr_null(handover_oldest(ring));
  free(memory);
}
END_TEST

START_TEST(no_capacity_and_too_little_memory_are_refused) {
  struct handover *ring = NULL;
  struct arena count = {0};
  ck_assert_int_eq(handover_init(&ring, 0, &count), STATUS_BAD_ARGUMENT);
  static _Alignas(64) unsigned char small[1024];
  struct arena arena = arena_over(small, sizeof(small));
  ck_assert_int_eq(handover_init(&ring, 8, &arena), STATUS_NO_MEMORY);
  ck_assert_ptr_null(ring);
}
END_TEST

struct reader {
  struct handover *ring;
  uint64_t results, gaps, torn;
  atomic_bool done;
};

static void *read_all(void *argument) {
  struct reader *reader = argument;
  uint64_t last = 0;
  for (;;) {
    const bool done = atomic_load(&reader->done);
    const struct cycle_result *result = handover_oldest(reader->ring);
    if (result == NULL) {
      if (done) {
        return NULL;
      }
      nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
      continue;
    }
    reader->gaps += result->estimates.state.seq - last - 1;
    reader->torn += result->estimates.centroidal.seq != result->estimates.state.seq;
    last = result->estimates.state.seq;
    reader->results++;
    handover_release(reader->ring);
  }
}

START_TEST(between_two_threads_every_result_arrives_whole_or_is_counted_as_dropped) {
  enum { RESULTS = 200000 };
  struct reader reader = {.ring = ring_of(256)};
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, read_all, &reader), 0);
  for (uint64_t seq = 1; seq <= RESULTS; seq++) {
    hand_over(reader.ring, seq);
    if (seq % 1000 == 0) {
      nanosleep(&(struct timespec){.tv_nsec = 100000},
                NULL); /* let the reader catch up now and then */
    }
  }
  /* the last one always arrives, so that every drop lies before a result and shows as a gap */
  while (!hand_over(reader.ring, RESULTS + 1)) {
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
  atomic_store(&reader.done, true);
  pthread_join(thread, NULL);
  ck_assert_uint_eq(reader.torn, 0);
  ck_assert_uint_eq(reader.results + reader.gaps, RESULTS + 1);
  ck_assert_uint_gt(reader.results, RESULTS / 100);
  free(memory);
}
END_TEST

START_TEST(a_reader_that_keeps_up_loses_nothing) {
  enum { RESULTS = 3000 };
  struct reader reader = {.ring = ring_of(64)};
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, read_all, &reader), 0);
  for (uint64_t seq = 1; seq <= RESULTS; seq++) {
    ck_assert(hand_over(reader.ring, seq));
    while (handover_waiting(reader.ring) > 32) {
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
  }
  atomic_store(&reader.done, true);
  pthread_join(thread, NULL);
  ck_assert_uint_eq(reader.results, RESULTS);
  ck_assert_uint_eq(reader.gaps + handover_dropped(reader.ring), 0);
  free(memory);
}
END_TEST

SUITE(results_arrive_in_order_with_their_instant,
      a_full_ring_drops_the_newest_counts_it_and_keeps_the_rest,
      a_slot_freed_between_begin_and_commit_does_not_revive_a_dropped_result,
      no_capacity_and_too_little_memory_are_refused,
      between_two_threads_every_result_arrives_whole_or_is_counted_as_dropped,
      a_reader_that_keeps_up_loses_nothing)
