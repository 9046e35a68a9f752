/* A recording gives back what was written, and of a file that was cut, damaged or full all that is
 * whole. */
#include "recording/recording.h"

#include "recording/block_file.h"
#include "support/recorded_fixture.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

static char path[64];

static void new_path(void) {
  static int n;
  snprintf(path, sizeof(path), "/tmp/propriod-recording-%d-%d", (int)getpid(), n++);
  unlink(path);
}

static struct recording_writer *create(int level) {
  struct recording_writer *writer = NULL;
  struct message error = {""};
  const struct recording_header header = made_header();
  new_path();
  ck_assert_msg(recording_create(&writer, path, &header, level, &error) == STATUS_OK, "%s",
                error.text);
  return writer;
}

/* Cycles 1 .. n. */
static void write_cycles(struct recording_writer *writer, uint64_t n) {
  struct made_cycle made;
  made_begin(&made);
  for (uint64_t k = 1; k <= n; k++) {
    made_step(&made, k);
    ck_assert_int_eq(recording_add_cycle(writer, &made.cycle), STATUS_OK);
  }
}

static struct recording *open_it(void) {
  struct recording *recording = NULL;
  struct message error = {""};
  ck_assert_msg(recording_open(&recording, path, &error) == STATUS_OK, "%s", error.text);
  return recording;
}

/* Reads to the end and holds each cycle against what it was made as; how many there were. */
static uint64_t read_cycles(struct recording *recording, uint64_t *losses) {
  struct recording_item item;
  struct made_cycle made;
  uint64_t k = 0, cycles = 0;
  made_begin(&made);
  *losses = 0;
  while (recording_next(recording, &item) == STATUS_OK) {
    *losses += item.kind == RECORDING_LOSS;
    if (item.kind != RECORDING_CYCLE) {
      continue;
    }
    const uint64_t is = (uint64_t)(item.cycle->frame.t_ns - 5000000000) / 1000000;
    ck_assert_uint_gt(is, k);
    const bool whole = is == k + 1;
    while (k < is) {
      made_step(&made, ++k);
    }
    cycles++;
    if (*losses == 0) {
      ck_assert(whole);
      assert_same_cycle(&made.cycle, item.cycle);
    }
  }
  return cycles;
}

START_TEST(every_cycle_reads_back_bit_by_bit) {
  const int levels[] = {0, 1, 9};
  for (size_t i = 0; i < 3; i++) {
    uint64_t losses;
    struct recording_writer *writer = create(levels[i]);
    write_cycles(writer, 1500);
    ck_assert_int_eq(recording_finish(writer), STATUS_OK);
    struct recording *recording = open_it();
    const struct recording_summary summary = recording_summary(recording);
    ck_assert_uint_eq(summary.cycles, 1500);
    ck_assert_int_eq(summary.first_ns, 5001000000);
    ck_assert_int_eq(summary.last_ns, 6500000000);
    ck_assert(summary.ended && summary.cut == 0 && summary.places == 0 && summary.lost == 0);
    ck_assert_uint_eq(read_cycles(recording, &losses), 1500);
    ck_assert_uint_eq(losses, 0);
    recording_close(recording);
    unlink(path);
  }
}
END_TEST

START_TEST(without_its_skin_a_recording_is_the_same) {
  struct recording_writer *writer = create(3);
  const struct sensor_frame *frame;
  struct made_cycle made;
  write_cycles(writer, 700);
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  struct recording *recording = open_it();
  recording_leave_out(recording, RECORDED_SKIN);
  made_begin(&made);
  for (uint64_t k = 1; k <= 700; k++) {
    made_step(&made, k);
    ck_assert_int_eq(recording_read(recording, &frame), STATUS_OK);
    ck_assert_int_eq(frame->t_ns, made.cycle.frame.t_ns);
    ck_assert_mem_eq(frame->joints.q, made.cycle.frame.joints.q,
                     made_header().count[PROPRIOD_SHM_JOINTS] * sizeof(double));
    ck_assert_int_eq(frame->skin.stamp.t_ns, made.cycle.frame.skin.stamp.t_ns);
    ck_assert(frame->skin.acceleration[0] == 0.0f && frame->skin.flags[0] == 0);
  }
  ck_assert_int_eq(recording_read(recording, &frame), STATUS_OUT_OF_RANGE);
  recording_close(recording);
  unlink(path);
}
END_TEST

START_TEST(texts_and_events_stand_where_they_were_put) {
  struct recording_writer *writer = create(1);
  const struct event event = {77, EVENT_WARNING, "sensor_lost", "imu: silent for 0.5 s"};
  recording_add_text(writer, 1, "robot.urdf", "<robot/>", 8);
  recording_add_text(writer, 2, "robot.urdf", "", 0);
  write_cycles(writer, 10);
  ck_assert_int_eq(recording_add_event(writer, &event), STATUS_OK);
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  struct recording *recording = open_it();
  struct recording_item item;
  size_t size = 99;
  ck_assert_uint_eq(recording_generations(recording), 2);
  ck_assert_str_eq(recording_text(recording, 1, "robot.urdf", &size), "<robot/>");
  ck_assert_uint_eq(size, 8);
  ck_assert_str_eq(recording_text(recording, 2, "robot.urdf", &size), "");
  ck_assert_uint_eq(size, 0);
  ck_assert_ptr_null(recording_text(recording, 1, "cells.csv", &size));
  for (int k = 0; k < 10; k++) {
    ck_assert_int_eq(recording_next(recording, &item), STATUS_OK);
    ck_assert_int_eq(item.kind, RECORDING_CYCLE);
  }
  ck_assert_int_eq(recording_next(recording, &item), STATUS_OK);
  ck_assert_int_eq(item.kind, RECORDING_EVENT);
  ck_assert_int_eq(item.event.t_ns, 77);
  ck_assert_int_eq(item.event.severity, EVENT_WARNING);
  ck_assert_str_eq(item.event.kind, "sensor_lost");
  ck_assert_str_eq(item.event.text, "imu: silent for 0.5 s");
  ck_assert_int_eq(recording_next(recording, &item), STATUS_OUT_OF_RANGE);
  recording_close(recording);
  unlink(path);
}
END_TEST

/* Blocks are found without an index, at any length that a crash may leave. */
START_TEST(a_file_cut_anywhere_gives_all_blocks_before_the_cut) {
  struct recording_writer *writer = create(1);
  write_cycles(writer, 1000);
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  struct stat file;
  stat(path, &file);
  struct random random = random_from(test_seed());
  uint64_t before = 1000;
  for (off_t size = file.st_size; size >= 64;
       size -= (off_t)random_uniform(&random, 1.0, (double)file.st_size / 40.0)) {
    uint64_t losses;
    ck_assert_int_eq(truncate(path, size), 0);
    struct recording *recording = open_it();
    const struct recording_summary summary = recording_summary(recording);
    const uint64_t cycles = read_cycles(recording, &losses);
    ck_assert_uint_eq(losses, 0);
    ck_assert_uint_eq(cycles, summary.cycles);
    ck_assert_uint_le(cycles, before);
    ck_assert_uint_ge(cycles + 300, (uint64_t)(1000.0 * (double)size / (double)file.st_size));
    before = cycles;
    recording_close(recording);
  }
  unlink(path);
}
END_TEST

START_TEST(a_flipped_byte_costs_its_block_and_is_told) {
  struct recording_writer *writer = create(1);
  write_cycles(writer, 1000);
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  struct block_reader blocks;
  struct message error;
  ck_assert_int_eq(block_reader_open(&blocks, path, &error), STATUS_OK);
  const size_t n = blocks.n_blocks;
  const int fd = open(path, O_RDWR);
  for (size_t i = 1; i + 2 < n; i++) {
    /* once in its head, once in its payload */
    for (uint64_t at = blocks.block[i].offset + 20; at < blocks.block[i].offset + 100; at += 60) {
      unsigned char byte;
      uint64_t losses;
      ck_assert_int_eq(pread(fd, &byte, 1, (off_t)at), 1);
      byte ^= 0x10;
      ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
      struct recording *recording = open_it();
      ck_assert_uint_eq(read_cycles(recording, &losses), 1000 - blocks.block[i].head.items);
      ck_assert_uint_eq(losses, 1);
      recording_close(recording);
      byte ^= 0x10;
      ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
    }
  }
  close(fd);
  block_reader_close(&blocks);
  unlink(path);
}
END_TEST

START_TEST(cycles_that_never_came_are_told_where_they_are_missing) {
  struct recording_writer *writer = create(1);
  struct made_cycle made;
  made_begin(&made);
  for (uint64_t k = 1; k <= 100; k++) {
    made_step(&made, k);
    made.cycle.lost = k == 60 ? 9 : 0;
    if (k < 50 || k >= 60) {
      recording_add_cycle(writer, &made.cycle);
    }
  }
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  struct recording *recording = open_it();
  struct recording_item item;
  for (int k = 1; k < 50; k++) {
    ck_assert_int_eq(recording_next(recording, &item), STATUS_OK);
    ck_assert_int_eq(item.kind, RECORDING_CYCLE);
  }
  ck_assert_int_eq(recording_next(recording, &item), STATUS_OK);
  ck_assert_int_eq(item.kind, RECORDING_LOSS);
  ck_assert_uint_eq(item.loss.cycles, 9);
  ck_assert(!item.loss.damaged);
  ck_assert_int_eq(recording_next(recording, &item), STATUS_OK);
  ck_assert_int_eq(item.kind, RECORDING_CYCLE);
  ck_assert_uint_eq(recording_summary(recording).lost, 9);
  recording_close(recording);
  unlink(path);
}
END_TEST

/* The limit of a file's size stands for a full disk: what does not fit is not begun. */
START_TEST(a_full_disk_loses_whole_blocks_counts_them_and_goes_on_when_there_is_room) {
  signal(SIGXFSZ, SIG_IGN);
  struct random random = random_from(test_seed());
  const char *asked = getenv("PROPRIOD_FULL_DISKS");
  const int runs = asked != NULL ? atoi(asked) : 10;
  for (int run = 0; run < runs; run++) {
    struct recording_writer *writer = create(1);
    struct made_cycle made;
    made_begin(&made);
    const rlim_t room = (rlim_t)random_uniform(&random, 300.0, 300e3);
    const struct rlimit full = {room, RLIM_INFINITY}, free_again = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &full);
    for (uint64_t k = 1; k <= 1500; k++) {
      if (k == 1100) {
        setrlimit(RLIMIT_FSIZE, &free_again);
      }
      made_step(&made, k);
      recording_add_cycle(writer, &made.cycle);
    }
    recording_flush(writer);
    const struct recording_written written = recording_written(writer);
    ck_assert_uint_eq(written.cycles + written.lost, 1500);
    const enum status ended = recording_finish(writer);
    ck_assert_int_eq(ended, written.lost_blocks > 0 ? STATUS_REFUSED : STATUS_OK);
    uint64_t losses;
    struct recording *recording = open_it();
    ck_assert_uint_eq(recording_summary(recording).lost, written.lost);
    ck_assert_uint_eq(recording_summary(recording).places, 0);
    ck_assert_uint_eq(read_cycles(recording, &losses), written.cycles);
    ck_assert_uint_eq(losses > 0, written.lost > 0);
    ck_assert_int_eq(recording_summary(recording).last_ns, 6500000000);
    recording_close(recording);
    unlink(path);
  }
}
END_TEST

/* A writer that is killed at any instant leaves all but the block that it was filling. */
START_TEST(a_killed_writer_leaves_all_but_the_last_quarter_of_a_second) {
  struct random random = random_from(test_seed());
  _Atomic uint64_t *const added =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const char *asked = getenv("PROPRIOD_KILLS");
  const int kills = asked != NULL ? atoi(asked) : 8;
  for (int run = 0; run < kills; run++) {
    const uint64_t until = (uint64_t)random_uniform(&random, 1.0, 6000.0);
    new_path();
    *added = 0;
    const pid_t child = fork();
    if (child == 0) {
      struct recording_writer *writer;
      struct made_cycle made;
      struct message error;
      const struct recording_header header = made_header();
      recording_create(&writer, path, &header, 1, &error);
      made_begin(&made);
      for (uint64_t k = 1;; k++) {
        made_step(&made, k);
        recording_add_cycle(writer, &made.cycle);
        *added = k;
      }
    }
    while (*added < until) {
      usleep(200);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    uint64_t losses;
    struct recording *recording = open_it();
    const uint64_t cycles = read_cycles(recording, &losses);
    ck_assert_uint_eq(losses, 0);
    ck_assert_uint_ge(cycles + 251, *added);
    ck_assert(!recording_summary(recording).ended);
    recording_close(recording);
    unlink(path);
  }
}
END_TEST

static void assert_refused(const char *why) {
  struct recording *recording = NULL;
  struct message error = {""};
  ck_assert_int_eq(recording_open(&recording, path, &error), STATUS_REFUSED);
  ck_assert_ptr_null(recording);
  ck_assert_msg(strstr(error.text, path) != NULL && strstr(error.text, why) != NULL, "%s",
                error.text);
}

START_TEST(what_is_no_recording_is_refused_with_path_and_reason) {
  struct recording_writer *writer = create(1);
  write_cycles(writer, 10);
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  const int fd = open(path, O_RDWR);
  pwrite(fd, "3", 1, 7);
  assert_refused("newer version");
  pwrite(fd, "1", 1, 7);
  assert_refused("older version");
  pwrite(fd, "2", 1, 7);
  pwrite(fd, "\4", 1, 8);
  assert_refused("newer version");
  pwrite(fd, "\1", 1, 8);
  assert_refused("older version");
  pwrite(fd, "\3", 1, 8);
  pwrite(fd, "x", 1, 40);
  assert_refused("head is damaged");
  pwrite(fd, "RIFF", 4, 0);
  assert_refused("not a recording");
  ck_assert_int_eq(ftruncate(fd, 63), 0);
  assert_refused("too short");
  close(fd);
  unlink(path);
  assert_refused("No such file");
  mkdir(path, 0700);
  assert_refused("not a regular file");
  rmdir(path);
}
END_TEST

START_TEST(a_file_of_the_version_before_is_read) {
  struct recording_writer *writer = create(1);
  struct recording_head head;
  uint64_t losses;
  write_cycles(writer, 10);
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  const int fd = open(path, O_RDWR);
  ck_assert_int_eq(pread(fd, &head, sizeof(head), 0), sizeof(head));
  head.version = 2;
  head.checksum = XXH3_64bits(&head, offsetof(struct recording_head, checksum));
  ck_assert_int_eq(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
  close(fd);
  struct recording *recording = open_it();
  ck_assert_uint_eq(read_cycles(recording, &losses), 10);
  recording_close(recording);
  unlink(path);
}
END_TEST

START_TEST(a_name_that_exists_is_refused_and_its_file_untouched) {
  struct recording_writer *writer = NULL;
  struct message error = {""};
  const struct recording_header header = made_header();
  new_path();
  const int fd = open(path, O_WRONLY | O_CREAT, 0600);
  ck_assert_int_eq(write(fd, "dear", 4), 4);
  ck_assert_int_eq(recording_create(&writer, path, &header, 1, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "File exists"));
  struct stat file;
  fstat(fd, &file);
  ck_assert_int_eq(file.st_size, 4);
  close(fd);
  unlink(path);
}
END_TEST

START_TEST(one_writer_makes_one_whole_file_after_the_other) {
  struct recording_writer *writer = create(1);
  struct message error = {""};
  uint64_t losses;
  struct recording_header header = made_header();
  write_cycles(writer, 700);
  ck_assert_int_eq(recording_end(writer), STATUS_OK);
  /* a name that cannot be had costs nothing but itself */
  header.part = 1;
  ck_assert_int_eq(recording_begin_next(writer, path, &header, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "File exists"));
  for (uint64_t n = 300; n < 2000; n += 900) {
    struct recording *before = open_it();
    ck_assert_uint_eq(read_cycles(before, &losses), n == 300 ? 700 : 300);
    recording_close(before);
    unlink(path);
    new_path();
    ck_assert_int_eq(recording_begin_next(writer, path, &header, &error), STATUS_OK);
    write_cycles(writer, n);
    ck_assert_int_eq(recording_end(writer), STATUS_OK);
    ck_assert_uint_eq(recording_written(writer).cycles, n);
  }
  recording_free(writer);
  struct recording *recording = open_it();
  ck_assert_uint_eq(recording_header(recording)->part, 1);
  ck_assert_uint_eq(read_cycles(recording, &losses), 1200);
  recording_close(recording);
  unlink(path);
}
END_TEST

START_TEST(seeking_goes_to_the_block_of_an_instant) {
  struct recording_writer *writer = create(1);
  write_cycles(writer, 2000);
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  struct recording *recording = open_it();
  struct recording_item item;
  recording_seek(recording, 6200000000);
  ck_assert_int_eq(recording_next(recording, &item), STATUS_OK);
  ck_assert_int_eq(item.kind, RECORDING_CYCLE);
  ck_assert_int_le(item.cycle->frame.t_ns, 6200000000);
  ck_assert_int_ge(item.cycle->frame.t_ns, 6200000000 - RECORDING_BLOCK_NS);
  recording_seek(recording, 0);
  uint64_t losses;
  ck_assert_uint_eq(read_cycles(recording, &losses), 2000);
  recording_close(recording);
  unlink(path);
}
END_TEST

SUITE(every_cycle_reads_back_bit_by_bit, without_its_skin_a_recording_is_the_same,
      texts_and_events_stand_where_they_were_put,
      a_file_cut_anywhere_gives_all_blocks_before_the_cut,
      a_flipped_byte_costs_its_block_and_is_told,
      cycles_that_never_came_are_told_where_they_are_missing,
      a_full_disk_loses_whole_blocks_counts_them_and_goes_on_when_there_is_room,
      a_killed_writer_leaves_all_but_the_last_quarter_of_a_second,
      what_is_no_recording_is_refused_with_path_and_reason, a_file_of_the_version_before_is_read,
      a_name_that_exists_is_refused_and_its_file_untouched,
      one_writer_makes_one_whole_file_after_the_other, seeking_goes_to_the_block_of_an_instant)
