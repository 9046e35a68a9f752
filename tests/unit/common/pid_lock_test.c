#include "common/pid_lock.h"
#include "support/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[32], path[64];

static void make_folder(void) {
  strcpy(folder, "/tmp/lock_test_XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/lock", folder);
}

static void remove_folder(void) {
  unlink(path);
  ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(a_lock_is_held_by_one_process_which_is_named_and_freed_by_its_end) {
  struct pid_lock first, next;
  struct message error;
  int status;
  make_folder();
  ck_assert_int_eq(pid_lock_take(&first, path, "runs", &error), STATUS_OK);
  const pid_t holder = getpid(), second = fork();
  if (second == 0) {
    char words[64];
    snprintf(words, sizeof(words), "another propriod, process %ld, runs", (long)holder);
    const bool refused = pid_lock_take(&next, path, "runs", &error) == STATUS_REFUSED;
    _exit(refused && strstr(error.text, words) != NULL && !next.held ? 0 : 1);
  }
  waitpid(second, &status, 0);
  ck_assert_int_eq(status, 0);
  close(first.fd); /* as the end of the process does; the file stays */
  ck_assert_int_eq(pid_lock_take(&next, path, "runs", &error), STATUS_OK);
  pid_lock_release(&next);
  remove_folder();
}
END_TEST

START_TEST(only_its_own_user_can_open_a_lock) {
  struct pid_lock lock;
  struct message error;
  struct stat file;
  make_folder();
  umask(0);
  ck_assert_int_eq(pid_lock_take_for(&lock, path, "runs", &error), STATUS_OK);
  ck_assert_int_eq(stat(lock.path, &file), 0);
  ck_assert_int_eq(file.st_mode & 0777, 0600);
  ck_assert_str_eq(lock.path + strlen(path), ".lock");
  pid_lock_release(&lock);
  ck_assert_int_ne(stat(lock.path, &file), 0); /* nothing left behind */
  pid_lock_release(&lock);                     /* harmless */
  remove_folder();
}
END_TEST

/* Who removes and makes again what another one has just opened must not end with two holders. */
START_TEST(eight_processes_that_take_and_release_a_lock_never_hold_it_together) {
  struct message error;
  char shared[64];
  make_folder();
  snprintf(shared, sizeof(shared), "%s/held", folder);
  for (int i = 0; i < 8; i++) {
    if (fork() == 0) {
      for (int turn = 0; turn < 400;) {
        struct pid_lock lock;
        if (pid_lock_take(&lock, path, "runs", &error) != STATUS_OK) {
          continue;
        }
        const int fd = open(shared, O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (fd < 0) {
          _exit(1); /* somebody else holds it too */
        }
        close(fd);
        unlink(shared);
        pid_lock_release(&lock);
        turn++;
      }
      _exit(0);
    }
  }
  for (int i = 0, status; i < 8; i++) {
    ck_assert_int_gt(wait(&status), 0);
    ck_assert_int_eq(status, 0);
  }
  remove_folder();
}
END_TEST

START_TEST(what_is_in_the_way_is_named) {
  struct pid_lock lock;
  struct message error;
  char place[400];
  ck_assert_int_eq(pid_lock_take(&lock, "/nowhere/lock", "runs", &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/lock: No such file"));
  make_folder();
  ck_assert_int_eq(symlink("/etc/passwd", path), 0);
  ck_assert_int_eq(pid_lock_take(&lock, path, "runs", &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, path));
  memset(place, 'x', sizeof(place) - 1);
  place[sizeof(place) - 1] = '\0';
  ck_assert_int_eq(pid_lock_take(&lock, place, "runs", &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "too long"));
  remove_folder();
}
END_TEST

SUITE(a_lock_is_held_by_one_process_which_is_named_and_freed_by_its_end,
      only_its_own_user_can_open_a_lock,
      eight_processes_that_take_and_release_a_lock_never_hold_it_together,
      what_is_in_the_way_is_named)
