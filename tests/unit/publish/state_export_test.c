#include "common/clock.h"
#include "publish/state_export.h"
#include "publish/topics.h"
#include "support/suite.h"
#include "support/synthetic.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>

static struct state_export shown;
static struct estimates estimates;
static struct propriod_state read_back;
static struct propriod_centroidal centroidal_back;
static struct propriod_state_reader reader;
static char name[64], path[PROPRIOD_SHM_PATH], why[PROPRIOD_STATE_REASON];

static void open_both(void) {
  struct message error = {""};
  char input[32];
  snprintf(input, sizeof(input), "propriod-test-%d", getpid());
  snprintf(name, sizeof(name), "%s-state", input);
  snprintf(path, sizeof(path), "/dev/shm/%s", name);
  ck_assert_msg(state_export_open(&shown, input, NS_PER_MS, &error) == STATUS_OK, "%s", error.text);
  ck_assert_msg(propriod_state_open(&reader, name, why) == 0, "%s", why);
}

static void close_both(void) {
  propriod_state_close(&reader);
  state_export_close(&shown);
}

static int read_both(void) {
  return propriod_state_read(&reader, &read_back, &centroidal_back);
}

START_TEST(a_reader_gets_every_word_as_it_was_and_of_joints_those_in_use) {
  open_both();
  ck_assert_int_eq(read_both(), -1); /* nothing yet */
  synthetic_estimates(&estimates, 41, 123456789);
  estimates.centroidal.status = PROPRIOD_STATUS_DEGRADED;
  state_export_write(&shown, &estimates);
  memset(&read_back, 0xFF, sizeof(read_back));
  memset(&centroidal_back, 0xFF, sizeof(centroidal_back));
  ck_assert_int_eq(read_both(), 0);
  ck_assert_mem_eq(&centroidal_back, &estimates.centroidal, sizeof(centroidal_back));
  const struct propriod_state *s = &estimates.state;
  ck_assert_mem_eq(&read_back, s, PROPRIOD_STATE_HEAD_BYTES);
  const double(*const got)[PROPRIOD_MAX_JOINTS] = (const void *)read_back.q,
                      (*const sent)[PROPRIOD_MAX_JOINTS] = (const void *)s->q;
  for (size_t a = 0; a < PROPRIOD_STATE_ARRAYS; a++) {
    ck_assert_mem_eq(got[a], sent[a], SYNTHETIC_JOINTS * sizeof(double));
    ck_assert(isnan(got[a][SYNTHETIC_JOINTS])); /* still as it was filled before */
  }
  ck_assert_uint_eq(s->joint_health[SYNTHETIC_JOINTS - 1],
                    read_back.joint_health[SYNTHETIC_JOINTS - 1]);
  memset(&centroidal_back, 0, sizeof(centroidal_back));
  ck_assert_int_eq(propriod_state_read(&reader, NULL, &centroidal_back), 0);
  ck_assert_mem_eq(&centroidal_back, &estimates.centroidal, sizeof(centroidal_back));
  ck_assert_int_eq(propriod_state_read(&reader, &read_back, NULL), 0);
  close_both();
}
END_TEST

static bool next_topic(int *t, struct field_place *at) {
  *t = 1;
  *at = (struct field_place){0};
  return field_next(&centroidal_topic, at);
}

START_TEST(a_part_with_a_number_that_is_not_finite_does_not_claim_to_be_estimated) {
  static const struct field_table *const tables[] = {&state_topic, &centroidal_topic};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  open_both();
  struct field_place at = {0};
  int t = 0;
  for (uint64_t k = 0; field_next(tables[t], &at) || (t == 0 && next_topic(&t, &at)); k++) {
    const struct field *field = at.field;
    const bool real =
        field->kind == FIELD_REAL || field->kind == FIELD_VEC3 || field->kind == FIELD_QUAT;
    const bool alone = field->kind == FIELD_REAL && field->per == FIELD_ONCE;
    synthetic_estimates(&estimates, k + 1, 1);
    char *source = t ? (char *)&estimates.centroidal : (char *)&estimates.state;
    if (real) {
      memcpy(source + at.offset + (alone ? 0 : sizeof(double)), &bad[k % 3],
             sizeof(double)); /* the second element, where there are more */
    }
    const uint64_t missing = real ? field->part : 0;
    state_export_write(&shown, &estimates);
    ck_assert_int_eq(read_both(), 0);
    ck_assert_uint_eq(read_back.estimated, UINT32_MAX & ~(t ? 0 : missing));
    ck_assert_uint_eq(centroidal_back.estimated, UINT32_MAX & ~(t ? missing : 0));
  }
  close_both();
}
END_TEST

struct writer {
  atomic_bool stop;
  uint64_t written;
};

/* Writes states whose every joint says the number of its state. */
static void *write_states(void *argument) {
  struct writer *writer = argument;
  for (uint64_t seq = 1; !atomic_load(&writer->stop); seq++) {
    estimates.state.seq = seq;
    for (int j = 0; j < SYNTHETIC_JOINTS; j++) {
      estimates.state.q[j] = estimates.state.effort[j] = (double)seq;
    }
    estimates.centroidal.dcm_position.z = (double)seq;
    state_export_write(&shown, &estimates);
    writer->written = seq;
    if (seq % 64 == 0) {
      nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    }
  }
  return NULL;
}

START_TEST(
    beside_a_writer_at_full_speed_every_state_read_is_whole_and_none_is_older_than_the_last) {
  open_both();
  synthetic_estimates(&estimates, 0, 0);
  struct writer writer = {.written = 0};
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, write_states, &writer), 0);
  const int64_t end_ns = clock_now_ns() + NS_PER_S;
  uint64_t last = 0, reads = 0, misses = 0;
  while (clock_now_ns() < end_ns) {
    if (read_both() != 0) {
      misses++;
      continue;
    }
    reads++;
    ck_assert_uint_ge(read_back.seq, last);
    last = read_back.seq;
    ck_assert(centroidal_back.dcm_position.z == (double)last);
    for (int j = 0; j < SYNTHETIC_JOINTS; j++) {
      ck_assert(read_back.q[j] == (double)last && read_back.effort[j] == (double)last);
    }
  }
  atomic_store(&writer.stop, true);
  pthread_join(thread, NULL);
  printf("%lu states written, %lu read whole, %lu times none in 16 attempts\n",
         (unsigned long)writer.written, (unsigned long)reads, (unsigned long)misses);
  ck_assert_uint_gt(reads, 100);
  ck_assert_uint_gt(last, 100);
  close_both();
}
END_TEST

START_TEST(a_writer_that_died_in_mid_write_leaves_the_state_before_readable) {
  open_both();
  synthetic_estimates(&estimates, 7, 7);
  state_export_write(&shown, &estimates);
  shown.segment->slot[1].seq = 3; /* state 2 was begun */
  shown.segment->slot[1].state.seq = 99;
  ck_assert_int_eq(read_both(), 0);
  ck_assert_uint_eq(read_back.seq, 7);
  close_both();
}
END_TEST

START_TEST(a_slot_that_never_completes_is_given_up_within_bounds) {
  open_both();
  synthetic_estimates(&estimates, 7, 7);
  state_export_write(&shown, &estimates);
  shown.segment->slot[0].seq = 1;
  ck_assert_int_eq(read_both(), -1);
  shown.segment->slot[0].seq = 2;
  shown.segment->slot[0].state.n_joints = UINT64_MAX; /* must not be believed */
  ck_assert_int_eq(read_both(), -1);
  close_both();
}
END_TEST

START_TEST(readers_learn_that_it_is_over_and_that_there_is_a_new_one) {
  open_both();
  synthetic_estimates(&estimates, 1, 1);
  state_export_write(&shown, &estimates);
  ck_assert_int_eq(read_both(), 0);
  state_export_close(&shown);
  ck_assert_int_eq(read_both(), -1);
  propriod_state_close(&reader);
  ck_assert_int_eq(propriod_state_open(&reader, name, why), -1);
  ck_assert_msg(strstr(why, "is propriod running"), "%s", why);
  open_both();
  estimates.state.seq = 2;
  state_export_write(&shown, &estimates);
  ck_assert_int_eq(read_both(), 0);
  ck_assert_uint_eq(read_back.seq, 2);
  close_both();
}
END_TEST

START_TEST(another_version_or_size_is_refused_with_the_reason) {
  open_both();
  propriod_state_close(&reader);
  shown.segment->version = 99;
  ck_assert_int_eq(propriod_state_open(&reader, name, why), -1);
  ck_assert_msg(strstr(why, "version 99"), "%s", why);
  shown.segment->version = PROPRIOD_STATE_VERSION;
  ck_assert_int_eq(truncate(path, 4096), 0);
  ck_assert_int_eq(propriod_state_open(&reader, name, why), -1);
  ck_assert_msg(strstr(why, "size"), "%s", why);
  ck_assert_int_eq(propriod_state_open(&reader, "a/b", why), -1);
  ck_assert_int_eq(truncate(path, sizeof(struct propriod_state_segment)), 0);
  close_both();
}
END_TEST

START_TEST(the_segment_is_for_its_group_only) {
  open_both();
  struct stat file;
  ck_assert_int_eq(stat(path, &file), 0);
  ck_assert_int_eq(file.st_mode & 0777, 0640);
  close_both();
}
END_TEST

START_TEST(
    a_second_daemon_is_refused_while_the_first_lives_and_tells_its_readers_when_it_has_died) {
  open_both();
  char input[32];
  snprintf(input, sizeof(input), "propriod-test-%d", getpid());
  struct state_export second;
  struct message error = {""};
  ck_assert_int_eq(state_export_open(&second, input, NS_PER_MS, &error), STATUS_REFUSED);
  ck_assert_msg(strstr(error.text, path) && strstr(error.text, "another propriod"), "%s",
                error.text);
  synthetic_estimates(&estimates, 5, 5);
  state_export_write(&shown, &estimates);
  ck_assert_int_eq(read_both(), 0);
  munmap(shown.current.base, sizeof(*shown.current.base)); /* as when the first is killed */
  close(shown.current.fd);
  close(shown.lock.fd);
  const int locked = open(path, O_RDONLY); /* a reader that locks it keeps nobody from starting */
  ck_assert_int_eq(flock(locked, LOCK_EX | LOCK_NB), 0);
  ck_assert_int_eq(state_export_open(&second, input, NS_PER_MS, &error), STATUS_OK);
  ck_assert_int_eq(read_both(), -1); /* and not the last one for ever */
  state_export_close(&second);
  propriod_state_close(&reader);
}
END_TEST

START_TEST(without_a_segment_writing_is_harmless_and_bad_names_are_refused) {
  struct message error = {""};
  shown = (struct state_export){.segment = NULL};
  state_export_write(&shown, &estimates);
  state_export_close(&shown);
  ck_assert_int_eq(state_export_open(&shown, "a/b", NS_PER_MS, &error), STATUS_REFUSED);
  ck_assert_msg(strstr(error.text, "neither a path"), "%s", error.text);
}
END_TEST

/* faults.md M2 */
START_TEST(a_segment_removed_or_cut_short_is_made_anew_and_its_readers_are_told) {
  open_both();
  synthetic_estimates(&estimates, 1, 1);
  for (uint64_t round = 1; round <= 200; round++) {
    struct message event = {""};
    ck_assert_int_eq(state_export_check(&shown, &event), STATUS_OK);
    ck_assert_int_eq(round % 2 == 0 ? unlink(path) : truncate(path, round % 4 == 1 ? 0 : 4096), 0);
    state_export_write(&shown, &estimates); /* the cycle writes on what is no longer there */
    ck_assert_int_eq(state_export_check(&shown, &event), STATUS_STALE);
    ck_assert_msg(strstr(event.text, path) && strstr(event.text, "made anew"), "%s", event.text);
    if (round % 2 == 0) { /* one that was cut short ends who reads it */
      ck_assert_int_eq(read_both(), -1);
    }
    propriod_state_close(&reader);
    ck_assert_msg(propriod_state_open(&reader, name, why) == 0, "%s", why);
    estimates.state.seq = round;
    state_export_write(&shown, &estimates);
    ck_assert_int_eq(read_both(), 0);
    ck_assert_uint_eq(read_back.seq, round);
  }
  close_both();
  ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

static void *write_on(void *argument) {
  while (!atomic_load((atomic_bool *)argument)) {
    state_export_write(&shown, &estimates);
  }
  return NULL;
}

START_TEST(a_cycle_that_writes_all_the_time_survives_two_hundred_removals) {
  atomic_bool stop = false;
  pthread_t thread;
  struct message event;
  open_both();
  synthetic_estimates(&estimates, 1, 1);
  ck_assert_int_eq(pthread_create(&thread, NULL, write_on, &stop), 0);
  for (int round = 0; round < 200; round++) {
    ck_assert_int_eq(unlink(path), 0);
    while (state_export_check(&shown, &event) == STATUS_REFUSED) {
      sched_yield();
    }
  }
  propriod_state_close(&reader);
  ck_assert_msg(propriod_state_open(&reader, name, why) == 0, "%s", why);
  atomic_store(&stop, true);
  pthread_join(thread, NULL);
  state_export_write(&shown, &estimates);
  ck_assert_int_eq(read_both(), 0);
  close_both();
}
END_TEST

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
static const double most_us = 1000.0; /* the sanitizers look at every word */
#else
static const double most_us = 5.0; /* on a busy machine; measured 0.3 and 1 */
#endif

/* Microseconds of one call: the best of many batches, since others use this machine too. */
static double best_us(void (*call)(void)) {
  enum { BATCHES = 40, TIMES = 500 };
  double best = 1e9;
  for (int b = 0; b < BATCHES; b++) {
    const int64_t start_ns = clock_now_ns();
    for (int i = 0; i < TIMES; i++) {
      call();
    }
    best = fmin(best, 1e-3 * (double)(clock_now_ns() - start_ns) / TIMES);
  }
  return best;
}

static void write_once(void) {
  state_export_write(&shown, &estimates);
}

static void read_once(void) {
  ck_assert_int_eq(read_both(), 0);
}

START_TEST(writing_and_reading_thirty_joints_takes_less_than_a_few_microseconds) {
  open_both();
  synthetic_estimates(&estimates, 1, 1);
  const double write_us = best_us(write_once), read_us = best_us(read_once);
  printf("state in shared memory: write %.2f us, read %.2f us\n", write_us, read_us);
  ck_assert_double_lt(write_us, most_us);
  ck_assert_double_lt(read_us, most_us);
  close_both();
}
END_TEST

SUITE(a_reader_gets_every_word_as_it_was_and_of_joints_those_in_use,
      a_part_with_a_number_that_is_not_finite_does_not_claim_to_be_estimated,
      beside_a_writer_at_full_speed_every_state_read_is_whole_and_none_is_older_than_the_last,
      a_writer_that_died_in_mid_write_leaves_the_state_before_readable,
      a_slot_that_never_completes_is_given_up_within_bounds,
      readers_learn_that_it_is_over_and_that_there_is_a_new_one,
      another_version_or_size_is_refused_with_the_reason, the_segment_is_for_its_group_only,
      a_second_daemon_is_refused_while_the_first_lives_and_tells_its_readers_when_it_has_died,
      without_a_segment_writing_is_harmless_and_bad_names_are_refused,
      a_segment_removed_or_cut_short_is_made_anew_and_its_readers_are_told,
      a_cycle_that_writes_all_the_time_survives_two_hundred_removals,
      writing_and_reading_thirty_joints_takes_less_than_a_few_microseconds)
