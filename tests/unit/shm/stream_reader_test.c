#include "shm/stream_reader.h"

#include "support/input_fixture.h"

#include <signal.h>

/* A sanitizer makes the same work take longer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_US 200.0
#else
#define LIMIT_US 20.0
#endif

/* A stream reader over a private copy of a segment's bytes, so that they can be damaged. */
struct bench {
  struct fixture *fixture;
  struct propriod_shm writer;
  unsigned char *bytes; /* [size] */
  size_t size;
};

static struct bench bench_make(enum propriod_shm_kind kind, uint32_t fields) {
  struct bench b = {.fixture = fixture_make()};
  b.writer = fixture_open(b.fixture, kind, fields);
  b.size = b.writer.layout.size;
  b.bytes = aligned_alloc(ARENA_ALIGN, b.size);
  return b;
}

static void bench_free(struct bench *b) {
  propriod_shm_close(&b->writer);
  fixture_free(b->fixture);
  free(b->bytes);
}

static struct stream_reader *reader_of(struct bench *b) {
  return &b->fixture->input.reader[b->writer.kind];
}

static const struct propriod_shm_stream *place_of(struct bench *b) {
  return &b->writer.layout.stream[b->writer.kind];
}

static enum stream_news poll_copy(struct bench *b) {
  reader_of(b)->seen = 0;
  return stream_reader_poll(reader_of(b), b->bytes, place_of(b));
}

START_TEST(what_was_committed_is_what_is_read_in_every_array) {
  struct bench b = bench_make(PROPRIOD_SHM_SKIN, PROPRIOD_SHM_PROXIMITY | PROPRIOD_SHM_FORCE);
  struct random rng = random_from(test_seed());
  const struct propriod_shm_skin frame = propriod_shm_begin_skin(&b.writer);
  for (size_t i = 0; i < N_CELLS; i++) {
    frame.acceleration[3 * i] = (float)random_normal(&rng);
    frame.acceleration[3 * i + 1] = (float)random_normal(&rng);
    frame.acceleration[3 * i + 2] = (float)random_normal(&rng);
    frame.flags[i] = (uint8_t)(i % 8);
    frame.proximity[i] = (float)random_uniform(&rng, 0, 1);
    frame.force[i] = (float)random_uniform(&rng, 0, 9);
  }
  propriod_shm_commit(&b.writer, 42);
  ck_assert_int_eq(stream_reader_poll(reader_of(&b), b.writer.base, place_of(&b)),
                   STREAM_NEW_FRAME);
  const struct propriod_shm_skin read = propriod_shm_view_skin(reader_of(&b)->next_arrays, N_CELLS);
  ck_assert_mem_eq(read.acceleration, frame.acceleration, 12 * N_CELLS);
  ck_assert_mem_eq(read.flags, frame.flags, N_CELLS);
  ck_assert_mem_eq(read.proximity, frame.proximity, 4 * N_CELLS);
  ck_assert_mem_eq(read.force, frame.force, 4 * N_CELLS);
  ck_assert_int_eq(reader_of(&b)->next.t_ns, 42);
  bench_free(&b);
}
END_TEST

START_TEST(a_frame_is_read_once) {
  struct bench b = bench_make(PROPRIOD_SHM_JOINTS, 0);
  ck_assert_int_eq(stream_reader_poll(reader_of(&b), b.writer.base, place_of(&b)),
                   STREAM_NOTHING_NEW);
  commit_joints(&b.writer, 1.0, 1);
  ck_assert_int_eq(stream_reader_poll(reader_of(&b), b.writer.base, place_of(&b)),
                   STREAM_NEW_FRAME);
  ck_assert_int_eq(stream_reader_poll(reader_of(&b), b.writer.base, place_of(&b)),
                   STREAM_NOTHING_NEW);
  bench_free(&b);
}
END_TEST

/* The bytes of the newest slot that count: head up to the padding, and the arrays in use. */
static unsigned char *counting_byte(struct bench *b, uint64_t head, size_t i) {
  unsigned char *slot =
      b->bytes + place_of(b)->slots + (head - 1) % place_of(b)->n_slots * place_of(b)->slot_size;
  const size_t in_head = offsetof(struct propriod_shm_slot, pad);
  return i < in_head ? slot + i : slot + sizeof(struct propriod_shm_slot) + (i - in_head);
}

/* faults.md M4 */
START_TEST(none_of_a_million_random_flips_is_accepted) {
  struct bench b = bench_make(PROPRIOD_SHM_JOINTS, PROPRIOD_SHM_VELOCITY | PROPRIOD_SHM_EFFORT);
  struct random rng = random_from(test_seed());
  const struct propriod_shm_joints frame = propriod_shm_begin_joints(&b.writer);
  for (size_t j = 0; j < 3 * N_JOINTS; j++) {
    frame.q[j] = random_normal(&rng);
  }
  propriod_shm_commit(&b.writer, 123456789);
  memcpy(b.bytes, b.writer.base, b.size);
  ck_assert_int_eq(poll_copy(&b), STREAM_NEW_FRAME);
  const size_t counting = offsetof(struct propriod_shm_slot, pad) + 24 * N_JOINTS;
  for (int round = 0; round < 1000000; round++) {
    unsigned char *at[8];
    unsigned char was[8];
    const int flips = 1 + round % 8;
    for (int i = 0; i < flips; i++) {
      at[i] = counting_byte(&b, 1, (size_t)random_uniform(&rng, 0.0, (double)counting));
      was[i] = *at[i];
      *at[i] ^= (unsigned char)(1u << (unsigned)random_uniform(&rng, 0.0, 8.0));
    }
    bool changed = false;
    for (int i = 0; i < flips; i++) { /* the same bit twice is no change */
      changed = changed || *at[i] != *((i == 0 || at[i] != at[0]) ? &was[i] : &was[0]);
    }
    if (changed) {
      ck_assert_int_ne(poll_copy(&b), STREAM_NEW_FRAME);
    }
    for (int i = flips - 1; i >= 0; i--) {
      *at[i] = was[i];
    }
  }
  ck_assert_int_eq(poll_copy(&b), STREAM_NEW_FRAME);
  bench_free(&b);
}
END_TEST

START_TEST(every_pair_of_bits_of_neighbouring_words_of_a_lane_is_found_flipped) {
  struct bench b = bench_make(PROPRIOD_SHM_IMU, PROPRIOD_SHM_ORIENTATION);
  memset(propriod_shm_begin(&b.writer), 0, 80);
  propriod_shm_commit(&b.writer, 1);
  memcpy(b.bytes, b.writer.base, b.size);
  uint64_t *word =
      (uint64_t *)(void *)counting_byte(&b, 1, offsetof(struct propriod_shm_slot, pad));
  for (int i = 0; i < 64; i++) {
    for (int j = 0; j < 64; j++) {
      word[0] ^= 1ull << i;
      word[4] ^= 1ull << j;
      ck_assert_int_eq(poll_copy(&b), STREAM_CORRUPT);
      word[0] ^= 1ull << i;
      word[4] ^= 1ull << j;
    }
  }
  bench_free(&b);
}
END_TEST

START_TEST(any_head_that_is_not_the_newest_frames_number_gives_no_frame) {
  struct bench b = bench_make(PROPRIOD_SHM_JOINTS, 0);
  for (int i = 1; i <= 6; i++) {
    commit_joints(&b.writer, i, i);
  }
  memcpy(b.bytes, b.writer.base, b.size);
  uint64_t *head = (uint64_t *)(void *)(b.bytes + place_of(&b)->control);
  const uint64_t wrong[] = {7, 8, 1, 2, UINT64_MAX, 1ull << 63, 6 + (1ull << 32)};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    *head = wrong[i];
    ck_assert_int_eq(poll_copy(&b), STREAM_TORN);
  }
  *head = 0;
  ck_assert_int_eq(poll_copy(&b), STREAM_NOTHING_NEW);
  *head = 6;
  ck_assert_int_eq(poll_copy(&b), STREAM_NEW_FRAME);
  bench_free(&b);
}
END_TEST

/* Takes the writer's part up to the middle of a frame, and dies there. */
static int die_in_mid_write(void *arg) {
  struct fixture *f = arg;
  struct propriod_shm writer = fixture_open(f, PROPRIOD_SHM_SKIN, 0);
  for (int i = 1; i <= 3; i++) {
    commit_skin(&writer, (float)i, i);
  }
  propriod_shm_begin_skin(&writer).acceleration[0] = 99.0f;
  raise(SIGKILL);
  return 0;
}

static double poll_us(struct stream_reader *reader, const struct segment *segment) {
  const int64_t start_ns = propriod_shm_now_ns();
  stream_reader_poll(reader, segment->base, &segment->layout.stream[reader->kind]);
  return (double)(propriod_shm_now_ns() - start_ns) * 1e-3;
}

/* faults.md M3 */
START_TEST(a_writer_killed_in_mid_write_leaves_the_last_whole_frame_and_costs_under_20_us) {
  struct fixture *f = fixture_make();
  ck_assert_int_eq(in_child(die_in_mid_write, f), 128 + SIGKILL);
  struct stream_reader *reader = &f->input.reader[PROPRIOD_SHM_SKIN];
  const struct segment *segment = segment_keeper_current(&f->keeper);
  double best = 1e9;
  for (int i = 0; i < 1000; i++) {
    reader->seen = 0;
    best = fmin(best, poll_us(reader, segment));
  }
  ck_assert_double_lt(best, LIMIT_US);
  stream_reader_accept(reader);
  ck_assert_int_eq(reader->head.seq, 6);
  ck_assert(propriod_shm_view_skin(reader->arrays, N_CELLS).acceleration[0] == 3.0f);
  fixture_free(f);
}
END_TEST

/* faults.md M3: also where the head points into the slot, as after a stray write. */
START_TEST(a_slot_that_stays_odd_is_given_up_within_20_us) {
  struct bench b = bench_make(PROPRIOD_SHM_SKIN, 0);
  commit_skin(&b.writer, 1.0f, 1);
  propriod_shm_begin(&b.writer);
  propriod_shm_control_of(&b.writer)->head = 2;
  const struct segment *segment = segment_keeper_current(&b.fixture->keeper);
  double best = 1e9;
  for (int i = 0; i < 1000; i++) {
    best = fmin(best, poll_us(reader_of(&b), segment));
  }
  ck_assert_double_lt(best, LIMIT_US);
  ck_assert_int_eq(stream_reader_poll(reader_of(&b), segment->base, place_of(&b)), STREAM_TORN);
  bench_free(&b);
}
END_TEST

static _Noreturn void write_without_pause(struct fixture *f) {
  struct propriod_shm writer = fixture_open(f, PROPRIOD_SHM_SKIN, 0);
  for (int i = 1;; i++) {
    commit_skin(&writer, (float)(i % 10000), i);
  }
}

START_TEST(beside_a_writer_that_never_pauses_no_frame_read_is_a_mixture) {
  enum { FRAMES = 2000 };
  struct fixture *f = fixture_make();
  const pid_t child = fork();
  if (child == 0) {
    write_without_pause(f);
  }
  struct stream_reader *reader = &f->input.reader[PROPRIOD_SHM_SKIN];
  const struct segment *segment = segment_keeper_current(&f->keeper);
  for (int taken = 0; taken < FRAMES;) {
    const enum stream_news news =
        stream_reader_poll(reader, segment->base, &segment->layout.stream[PROPRIOD_SHM_SKIN]);
    ck_assert_int_ne(news, STREAM_CORRUPT);
    if (news == STREAM_NEW_FRAME) {
      stream_reader_accept(reader);
      const float *a = propriod_shm_view_skin(reader->arrays, N_CELLS).acceleration;
      size_t right = 0;
      while (right < 3 * N_CELLS && a[right] == (float)(reader->head.t_ns % 10000)) {
        right++;
      }
      ck_assert_uint_eq(right, 3 * N_CELLS);
      taken++;
    }
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  fixture_free(f);
}
END_TEST

SUITE(what_was_committed_is_what_is_read_in_every_array, a_frame_is_read_once,
      none_of_a_million_random_flips_is_accepted,
      every_pair_of_bits_of_neighbouring_words_of_a_lane_is_found_flipped,
      any_head_that_is_not_the_newest_frames_number_gives_no_frame,
      a_writer_killed_in_mid_write_leaves_the_last_whole_frame_and_costs_under_20_us,
      a_slot_that_stays_odd_is_given_up_within_20_us,
      beside_a_writer_that_never_pauses_no_frame_read_is_a_mixture)
