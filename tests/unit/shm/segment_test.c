#include "shm/segment.h"

#include "support/input_fixture.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/statfs.h>

static int segment_file(const struct fixture *f) {
  char path[128];
  snprintf(path, sizeof(path), "/dev/shm/%s", f->name);
  return open(path, O_RDWR | O_CLOEXEC);
}

static void refused_with(const struct fixture *f, const char *word) {
  struct propriod_shm writer;
  char why[PROPRIOD_SHM_REASON] = "";
  ck_assert_int_eq(propriod_shm_open(&writer, f->name, PROPRIOD_SHM_JOINTS, N_JOINTS, 0, why), -1);
  ck_assert_msg(strstr(why, word) != NULL, "\"%s\" does not name %s", why, word);
}

/* faults.md M1 */
START_TEST(every_mutated_header_member_is_refused_by_name_on_both_sides) {
  static const struct {
    const char *name;
    size_t offset, size;
  } members[] = {
#define MEMBER(member, size) {#member, offsetof(struct propriod_shm_header, member), size}
#define STREAM(kind, word, member, size)                                                           \
  { word " " #member, offsetof(struct propriod_shm_header, stream[kind].member), size }
#define STREAMS(kind, word)                                                                        \
  STREAM(kind, word, control, 8), STREAM(kind, word, slots, 8), STREAM(kind, word, slot_size, 4),  \
      STREAM(kind, word, n_slots, 4), STREAM(kind, word, reserved, 4)
      MEMBER(magic, 8),
      MEMBER(version, 4),
      MEMBER(byte_order, 4),
      MEMBER(size, 8),
      MEMBER(wanted, 8),
      MEMBER(layout_hash, 8),
      STREAMS(PROPRIOD_SHM_JOINTS, "joints"),
      STREAMS(PROPRIOD_SHM_IMU, "imu"),
      STREAMS(PROPRIOD_SHM_SKIN, "skin"),
      STREAMS(PROPRIOD_SHM_WRENCH, "wrench")};
  struct fixture *f = fixture_make();
  const int fd = segment_file(f);
  for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
    for (size_t byte = 0; byte < members[i].size; byte++) {
      const off_t at = (off_t)(members[i].offset + byte);
      uint8_t good, bad;
      ck_assert_int_eq(pread(fd, &good, 1, at), 1);
      bad = good ^ 0x41;
      ck_assert_int_eq(pwrite(fd, &bad, 1, at), 1);
      refused_with(f, members[i].name);
      struct message why;
      ck_assert_int_eq(segment_check(&f->keeper.place[0], &why), STATUS_STALE);
      ck_assert_msg(strstr(why.text, members[i].name) != NULL, "%s", why.text);
      ck_assert_int_eq(pwrite(fd, &good, 1, at), 1);
    }
  }
  struct message why;
  ck_assert_int_eq(segment_check(&f->keeper.place[0], &why), STATUS_OK);
  close(fd);
  fixture_free(f);
}
END_TEST

START_TEST(a_mutated_count_is_refused_and_its_stream_named) {
  struct fixture *f = fixture_make();
  const int fd = segment_file(f);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    const off_t at = (off_t)offsetof(struct propriod_shm_header, stream[kind].count);
    const uint32_t bad[] = {0, COUNT[kind] + 1, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
      ck_assert_int_eq(pwrite(fd, &bad[i], 4, at), 4);
      struct propriod_shm writer;
      char why[PROPRIOD_SHM_REASON] = "";
      ck_assert_int_eq(
          propriod_shm_open(&writer, f->name, (enum propriod_shm_kind)kind, COUNT[kind], 0, why),
          -1);
      struct message seen;
      ck_assert_int_eq(segment_check(&f->keeper.place[0], &seen), STATUS_STALE);
    }
    ck_assert_int_eq(pwrite(fd, &COUNT[kind], 4, at), 4);
  }
  close(fd);
  fixture_free(f);
}
END_TEST

START_TEST(a_driver_with_other_counts_learns_both_numbers) {
  struct fixture *f = fixture_make();
  struct propriod_shm writer;
  char why[PROPRIOD_SHM_REASON];
  ck_assert_int_eq(propriod_shm_open(&writer, f->name, PROPRIOD_SHM_JOINTS, 31, 0, why), -1);
  ck_assert_str_eq(why, "joints: propriod is configured for 30, this driver has 31");
  ck_assert_int_eq(propriod_shm_open(&writer, f->name, PROPRIOD_SHM_SKIN, 0, 0, why), -1);
  ck_assert_int_eq(propriod_shm_open(&writer, "a/b", PROPRIOD_SHM_SKIN, 1, 0, why), -1);
  ck_assert_int_eq(propriod_shm_open(&writer, "", PROPRIOD_SHM_SKIN, 1, 0, why), -1);
  ck_assert_int_eq(
      propriod_shm_open(&writer, "propriod-none", PROPRIOD_SHM_JOINTS, N_JOINTS, 0, why), -1);
  ck_assert_ptr_nonnull(strstr(why, "is propriod running?"));
  fixture_free(f);
}
END_TEST

static int try_to_write(void *arg) {
  struct fixture *f = arg;
  struct propriod_shm writer;
  char why[PROPRIOD_SHM_REASON];
  if (propriod_shm_open(&writer, f->name, PROPRIOD_SHM_JOINTS, N_JOINTS, 0, why) == 0) {
    return commit_joints(&writer, 2.0, 2) == 0 ? 0 : 2;
  }
  return strstr(why, "another writer") != NULL ? 1 : 3;
}

/* faults.md M5 */
START_TEST(a_second_writer_is_refused_until_the_first_is_gone) {
  struct fixture *f = fixture_make();
  struct propriod_shm first = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
  commit_joints(&first, 1.0, 1);
  ck_assert_int_eq(in_child(try_to_write, f), 1);
  refused_with(f, "another writer"); /* in the same process too */
  commit_joints(&first, 1.0, 3);
  ck_assert_int_eq(propriod_shm_control_of(&first)->head, 2);
  propriod_shm_close(&first);
  ck_assert_int_eq(in_child(try_to_write, f), 0);
  ck_assert_int_eq(in_child(try_to_write, f), 0); /* a dead writer is taken over */
  fixture_free(f);
}
END_TEST

static int second_daemon(void *arg) {
  struct fixture *f = arg;
  static struct segment_keeper other;
  struct diagnostics diagnostics;
  struct message error;
  char words[64];
  snprintf(words, sizeof(words), "another propriod, process %ld, reads", (long)getppid());
  return segment_keeper_init(&other, f->name, COUNT, &diagnostics, &error) == STATUS_REFUSED &&
                 strstr(error.text, words) != NULL
             ? 0
             : 1;
}

START_TEST(a_second_daemon_is_refused_and_the_first_one_named) {
  struct fixture *f = fixture_make();
  ck_assert_int_eq(in_child(second_daemon, f), 0);
  struct message why;
  ck_assert_int_eq(segment_check(&f->keeper.place[0], &why), STATUS_OK);
  fixture_free(f);
}
END_TEST

static int lock_all_of_it_and_wait(void *arg) {
  const struct fixture *f = arg;
  char path[80];
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  snprintf(path, sizeof(path), "/dev/shm/%s", f->name);
  const int fd = open(path, O_RDWR);
  if (fd < 0 || fcntl(fd, F_OFD_SETLK, &whole) != 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return 1;
  }
  raise(SIGSTOP);
  return 0;
}

START_TEST(a_driver_that_locks_the_segment_keeps_no_daemon_from_starting) {
  struct fixture *f = fixture_make();
  struct message error = {""};
  int status;
  const pid_t driver = fork();
  if (driver == 0) {
    _exit(lock_all_of_it_and_wait(f));
  }
  ck_assert_int_eq(waitpid(driver, &status, WUNTRACED), driver);
  ck_assert(WIFSTOPPED(status)); /* it holds what it can */
  segment_keeper_close(&f->keeper, false);
  ck_assert_msg(segment_keeper_init(&f->keeper, f->name, COUNT, &f->diagnostics, &error) ==
                    STATUS_OK,
                "%s", error.text);
  kill(driver, SIGKILL);
  waitpid(driver, &status, 0);
  fixture_free(f);
}
END_TEST

START_TEST(a_restarted_daemon_takes_the_segment_over_and_its_writer_notices_nothing) {
  struct fixture *f = fixture_make();
  struct propriod_shm writer = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
  commit_joints(&writer, 1.0, 1);
  segment_keeper_close(&f->keeper, false); /* as when the process ends */
  struct message error = {""};
  ck_assert_msg(segment_keeper_init(&f->keeper, f->name, COUNT, &f->diagnostics, &error) ==
                    STATUS_OK,
                "%s", error.text);
  ck_assert_int_eq(commit_joints(&writer, 2.0, propriod_shm_now_ns()), 0);
  f->input.segment = NULL;
  sensor_input_attach(&f->input, segment_keeper_current(&f->keeper));
  const struct sensor_frame *frame = sensor_input_take(&f->input, propriod_shm_now_ns());
  ck_assert(frame->joints.stamp.fresh);
  ck_assert_double_eq(frame->joints.q[29], 2.0);
  propriod_shm_close(&writer);
  fixture_free(f);
}
END_TEST

START_TEST(a_segment_taken_over_is_open_to_the_group_of_the_drivers_again) {
  struct fixture *f = fixture_make();
  const struct group *group = getgrnam(SEGMENT_GROUP);
  const int fd = segment_file(f);
  struct stat after;
  ck_assert_int_eq(fchmod(fd, 0600), 0);
  ck_assert_int_eq(fchown(fd, (uid_t)-1, getegid()), 0);
  segment_keeper_close(&f->keeper, false);
  struct message error = {""};
  ck_assert_msg(segment_keeper_init(&f->keeper, f->name, COUNT, &f->diagnostics, &error) ==
                    STATUS_OK,
                "%s", error.text);
  ck_assert_int_eq(fstat(fd, &after), 0);
  ck_assert_uint_eq(after.st_mode & 0777, 0660);
  ck_assert_uint_eq(after.st_nlink, 1); /* it is the same file */
  if (group != NULL && geteuid() == 0) {
    ck_assert_uint_eq(after.st_gid, group->gr_gid);
  } else if (group == NULL) {
    ck_assert_ptr_nonnull(strstr(f->keeper.place[0].warning.text, SEGMENT_GROUP));
  }
  close(fd);
  fixture_free(f);
}
END_TEST

START_TEST(a_daemon_with_other_counts_replaces_the_segment_and_the_old_writer_is_told) {
  struct fixture *f = fixture_make();
  struct propriod_shm writer = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
  commit_joints(&writer, 1.0, 1);
  segment_keeper_close(&f->keeper, false);
  const uint32_t other[PROPRIOD_SHM_STREAMS] = {9, 1, 312, 0};
  struct message error = {""};
  ck_assert_msg(segment_keeper_init(&f->keeper, f->name, other, &f->diagnostics, &error) ==
                    STATUS_OK,
                "%s", error.text);
  ck_assert_int_eq(commit_joints(&writer, 2.0, 2), -1);
  refused_with(f, "configured for 9");
  propriod_shm_close(&writer);
  fixture_free(f);
}
END_TEST

/* faults.md M2 */
START_TEST(a_segment_cut_short_or_removed_a_thousand_times_never_crashes_and_always_comes_back) {
  struct fixture *f = fixture_make();
  struct random rng = random_from(test_seed());
  struct propriod_shm writer = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
  for (int round = 0; round < 1000; round++) {
    const int fd = segment_file(f);
    const off_t size = round % 4 == 0 ? 0 : (off_t)random_uniform(&rng, 0.0, 130000.0);
    propriod_shm_close(&writer); /* a driver that writes on is killed by SIGBUS, not its victim */
    if (round % 2 == 0) {
      ck_assert_int_eq(ftruncate(fd, size), 0);
    } else {
      char path[128];
      snprintf(path, sizeof(path), "/dev/shm/%s", f->name);
      ck_assert_int_eq(unlink(path), 0);
    }
    close(fd);
    for (int i = 0; i < 3; i++) { /* the cycle reads on what is no longer there */
      sensor_input_begin(&f->input);
      sensor_input_wait(&f->input, 0, 1);
      sensor_input_take(&f->input, propriod_shm_now_ns());
    }
    struct message event;
    ck_assert_int_eq(segment_keeper_step(&f->keeper, &event), STATUS_STALE);
    sensor_input_attach(&f->input, segment_keeper_current(&f->keeper));
    writer = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
    ck_assert_int_eq(commit_joints(&writer, round, propriod_shm_now_ns()), 0);
    sensor_input_begin(&f->input);
    ck_assert(sensor_input_take(&f->input, propriod_shm_now_ns())->joints.stamp.fresh);
    ck_assert_double_eq(f->input.frame.joints.q[0], round);
    ck_assert_int_eq(segment_keeper_step(&f->keeper, &event), STATUS_OK);
  }
  ck_assert_int_eq(counter_read(&f->diagnostics.reattached), 1000);
  propriod_shm_close(&writer);
  fixture_free(f);
}
END_TEST

START_TEST(a_writer_of_a_removed_segment_is_told_at_once_when_the_daemon_replaces_it) {
  struct fixture *f = fixture_make();
  struct propriod_shm writer = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
  ck_assert_int_eq(commit_joints(&writer, 1.0, 1), 0);
  char path[128];
  snprintf(path, sizeof(path), "/dev/shm/%s", f->name);
  unlink(path);
  struct message event;
  ck_assert_int_eq(segment_keeper_step(&f->keeper, &event), STATUS_STALE);
  ck_assert_int_eq(commit_joints(&writer, 1.0, 2), -1);
  propriod_shm_close(&writer);
  writer = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
  ck_assert_int_eq(commit_joints(&writer, 1.0, 3), 0);
  propriod_shm_close(&writer);
  fixture_free(f);
}
END_TEST

START_TEST(a_bus_error_elsewhere_still_ends_the_process) {
  struct fixture *f = fixture_make();
  const pid_t child = fork();
  if (child == 0) {
    FILE *file = tmpfile();
    char *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    _exit(*(volatile char *)mapped);
  }
  int status = 0;
  waitpid(child, &status, 0);
#ifdef __SANITIZE_ADDRESS__
  ck_assert(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
#else
  ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
#endif
  fixture_free(f);
}
END_TEST

/* faults.md M6 */
START_TEST(a_full_dev_shm_is_a_clear_error_at_start) {
  if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=16k") != 0) {
    skip("mounting a small /dev/shm needs root");
  }
  struct segment segment;
  struct message error = {""};
  ck_assert_int_eq(segment_create(&segment, "propriod-full", COUNT, &error), STATUS_REFUSED);
  ck_assert_msg(strstr(error.text, "no room for its") != NULL, "%s", error.text);
  ck_assert_int_ne(access("/dev/shm/propriod-full", F_OK), 0); /* nothing left behind */
  const uint32_t small[PROPRIOD_SHM_STREAMS] = {1, 1, 0, 0};
  ck_assert_msg(segment_create(&segment, "propriod-full", small, &error) == STATUS_OK, "%s",
                error.text);
  segment_close(&segment);
}
END_TEST

START_TEST(no_more_descriptors_is_a_clear_error_at_start) {
  struct segment segment;
  struct message error = {""};
  const int first = dup(0);
  int last = first;
  for (int fd = last; fd >= 0; fd = dup(0)) {
    last = fd;
  }
  const enum status status = segment_create(&segment, "propriod-test-fds", COUNT, &error);
  close_range((unsigned)first, (unsigned)last, 0);
  ck_assert_int_eq(status, STATUS_REFUSED);
  ck_assert_msg(strstr(error.text, "Too many open files") != NULL, "%s", error.text);
}
END_TEST

START_TEST(cells_wanted_by_the_daemon_reach_the_driver_also_in_a_new_segment) {
  struct fixture *f = fixture_make();
  struct propriod_shm writer = fixture_open(f, PROPRIOD_SHM_SKIN, 0);
  for (uint32_t cell = 0; cell < N_CELLS; cell++) {
    ck_assert_int_eq(propriod_shm_wanted(&writer, cell), 1);
  }
  uint64_t wanted[(N_CELLS + 63) / 64] = {0};
  wanted[1259 / 64] |= 1ull << 1259 % 64;
  segment_keeper_want(&f->keeper, wanted);
  ck_assert_int_eq(propriod_shm_wanted(&writer, 0), 0);
  ck_assert_int_eq(propriod_shm_wanted(&writer, 1259), 1);
  ck_assert_int_eq(propriod_shm_wanted(&writer, 1260), 0);
  propriod_shm_close(&writer);
  segment_retire(&f->keeper.place[0]);
  struct message event;
  ck_assert_int_eq(segment_keeper_step(&f->keeper, &event), STATUS_STALE);
  sensor_input_attach(&f->input, segment_keeper_current(&f->keeper));
  writer = fixture_open(f, PROPRIOD_SHM_SKIN, 0);
  ck_assert_int_eq(propriod_shm_wanted(&writer, 0), 0);
  ck_assert_int_eq(propriod_shm_wanted(&writer, 1259), 1);
  propriod_shm_close(&writer);
  fixture_free(f);
}
END_TEST

SUITE(every_mutated_header_member_is_refused_by_name_on_both_sides,
      a_mutated_count_is_refused_and_its_stream_named,
      a_driver_with_other_counts_learns_both_numbers,
      a_second_writer_is_refused_until_the_first_is_gone,
      a_second_daemon_is_refused_and_the_first_one_named,
      a_driver_that_locks_the_segment_keeps_no_daemon_from_starting,
      a_restarted_daemon_takes_the_segment_over_and_its_writer_notices_nothing,
      a_segment_taken_over_is_open_to_the_group_of_the_drivers_again,
      a_daemon_with_other_counts_replaces_the_segment_and_the_old_writer_is_told,
      a_segment_cut_short_or_removed_a_thousand_times_never_crashes_and_always_comes_back,
      a_writer_of_a_removed_segment_is_told_at_once_when_the_daemon_replaces_it,
      a_bus_error_elsewhere_still_ends_the_process, a_full_dev_shm_is_a_clear_error_at_start,
      no_more_descriptors_is_a_clear_error_at_start,
      cells_wanted_by_the_daemon_reach_the_driver_also_in_a_new_segment)
