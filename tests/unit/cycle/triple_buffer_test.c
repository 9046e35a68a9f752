#include "cycle/triple_buffer.h"

#include "support/suite.h"

#include <pthread.h>
#include <stdint.h>

START_TEST(what_was_handed_over_is_taken_once_and_the_newest_wins) {
  struct triple_buffer b;
  int value[TRIPLE_BUFFERS] = {0};
  triple_buffer_init(&b);
  ck_assert(!triple_buffer_take(&b));
  for (int i = 1; i <= 5; i++) {
    value[b.back] = i;
    triple_buffer_hand_over(&b);
  }
  ck_assert(triple_buffer_take(&b));
  ck_assert_int_eq(value[b.front], 5);
  ck_assert(!triple_buffer_take(&b));
  ck_assert_uint_ne(b.front, b.back);
}
END_TEST

enum { WRITES = 200000, WORDS = 64 };

static struct {
  struct triple_buffer buffer;
  uint64_t word[TRIPLE_BUFFERS][WORDS];
} shared;

static void *write_all(void *unused) {
  (void)unused;
  for (uint64_t i = 1; i <= WRITES; i++) {
    for (int k = 0; k < WORDS; k++) {
      shared.word[shared.buffer.back][k] = i;
    }
    triple_buffer_hand_over(&shared.buffer);
  }
  return NULL;
}

START_TEST(a_reader_sees_each_buffer_whole_and_never_an_older_one) {
  pthread_t writer;
  uint64_t last = 0;
  triple_buffer_init(&shared.buffer);
  ck_assert_int_eq(pthread_create(&writer, NULL, write_all, NULL), 0);
  while (last < WRITES) {
    if (!triple_buffer_take(&shared.buffer)) {
      continue;
    }
    const uint64_t *word = shared.word[shared.buffer.front];
    ck_assert_uint_gt(word[0], last);
    for (int k = 1; k < WORDS; k++) {
      ck_assert_uint_eq(word[k], word[0]);
    }
    last = word[0];
  }
  pthread_join(writer, NULL);
}
END_TEST

SUITE(what_was_handed_over_is_taken_once_and_the_newest_wins,
      a_reader_sees_each_buffer_whole_and_never_an_older_one)
