#include "common/file.h"

#include "support/suite.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], path[128];

static void set_up(void) {
  snprintf(folder, sizeof(folder), "/tmp/propriod-test.XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/file", folder);
}

static int files_in_folder(void) {
  int n = 0;
  DIR *d = opendir(folder);
  for (const struct dirent *entry; (entry = readdir(d)) != NULL;) {
    n += entry->d_name[0] != '.';
  }
  closedir(d);
  return n;
}

static void assert_holds(const char *expected) {
  char *text;
  size_t length;
  struct message error;
  ck_assert_int_eq(file_read(path, 1 << 20, &text, &length, &error), STATUS_OK);
  ck_assert_str_eq(text, expected);
  free(text);
}

static void clean_up(void) {
  unlink(path);
  rmdir(folder);
}

START_TEST(a_file_is_replaced_whole_with_the_mode_that_was_asked_for) {
  struct message error;
  struct stat file;
  set_up();
  ck_assert_int_eq(file_write(path, "first", 5, 0640, &error), STATUS_OK);
  ck_assert_int_eq(file_write(path, "second", 6, 0600, &error), STATUS_OK);
  assert_holds("second");
  ck_assert_int_eq(stat(path, &file), 0);
  ck_assert_int_eq(file.st_mode & 0777, 0600);
  ck_assert_int_eq(files_in_folder(), 1);
  clean_up();
}
END_TEST

START_TEST(a_full_disk_leaves_the_old_file_and_nothing_beside_it) {
  struct message error;
  set_up();
  if (mount("tmpfs", folder, "tmpfs", 0, "size=64k") != 0) {
    rmdir(folder);
    skip("mounting a small disk needs root");
  }
  static char much[256 * 1024];
  ck_assert_int_eq(file_write(path, "old", 3, 0644, &error), STATUS_OK);
  ck_assert_int_eq(file_write(path, much, sizeof(much), 0644, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "No space left"));
  assert_holds("old");
  ck_assert_int_eq(files_in_folder(), 1);
  umount(folder);
  clean_up();
}
END_TEST

START_TEST(a_writer_killed_at_any_moment_leaves_one_of_the_two_contents) {
  set_up();
  struct message error;
  static char a[100000], b[100000];
  memset(a, 'a', sizeof(a) - 1);
  memset(b, 'b', sizeof(b) - 1);
  ck_assert_int_eq(file_write(path, a, sizeof(a) - 1, 0644, &error), STATUS_OK);
  struct random rng = random_from(test_seed());
  for (int round = 0; round < 60; round++) {
    const pid_t child = fork();
    if (child == 0) {
      for (int k = 0;; k++) {
        file_write(path, k % 2 == 0 ? b : a, sizeof(a) - 1, 0644, &error);
      }
    }
    usleep((useconds_t)random_uniform(&rng, 0.0, 4000.0));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    char *text;
    size_t length;
    ck_assert_int_eq(file_read(path, 1 << 20, &text, &length, &error), STATUS_OK);
    ck_assert(strcmp(text, a) == 0 || strcmp(text, b) == 0);
    free(text);
  }
  char command[128];
  snprintf(command, sizeof(command), "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

SUITE(a_file_is_replaced_whole_with_the_mode_that_was_asked_for,
      a_full_disk_leaves_the_old_file_and_nothing_beside_it,
      a_writer_killed_at_any_moment_leaves_one_of_the_two_contents)
