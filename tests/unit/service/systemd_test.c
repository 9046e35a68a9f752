#include "service/systemd.h"

#include "common/clock.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct watchdog watched(int64_t interval_ns) {
  struct watchdog dog;
  watchdog_init(&dog, interval_ns);
  ck_assert_uint_eq(watchdog_watch(&dog, "cycle"), 0);
  ck_assert_uint_eq(watchdog_watch(&dog, "publisher"), 1);
  return dog;
}

START_TEST(it_is_fed_once_an_interval_while_all_threads_advance) {
  struct watchdog dog = watched(100);
  const char *hung;
  int fed = 0;
  for (int64_t t = 0; t < 1000; t += 10) {
    const uint64_t count[] = {(uint64_t)t, (uint64_t)t / 10};
    fed += watchdog_feed(&dog, t, count, &hung);
    ck_assert_ptr_null(hung);
  }
  ck_assert_int_eq(fed, 10);
}
END_TEST

START_TEST(one_thread_that_stands_still_ends_the_feeding_and_is_named) {
  struct watchdog dog = watched(100);
  const char *hung;
  ck_assert(watchdog_feed(&dog, 0, (const uint64_t[]){5, 7}, &hung));
  ck_assert(!watchdog_feed(&dog, 100, (const uint64_t[]){5, 8}, &hung));
  ck_assert_str_eq(hung, "cycle");
  ck_assert(!watchdog_feed(&dog, 200, (const uint64_t[]){6, 7}, &hung));
  ck_assert_str_eq(hung, "publisher");
  ck_assert(watchdog_feed(&dog, 300, (const uint64_t[]){6, 8}, &hung));
  ck_assert_ptr_null(hung);
}
END_TEST

START_TEST(nobody_watching_means_nothing_to_feed) {
  struct watchdog dog = watched(0);
  const char *hung;
  ck_assert(!watchdog_feed(&dog, NS_PER_S, (const uint64_t[]){1, 1}, &hung));
  ck_assert_ptr_null(hung);
}
END_TEST

/* A socket such as systemd's, whose name the environment tells. */
static int listen_as_systemd(char path[64]) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(path, 64, "/tmp/notify_test_%ld", (long)getpid());
  strcpy(address.sun_path, path);
  unlink(path);
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
  setenv("NOTIFY_SOCKET", path, 1);
  return fd;
}

static void assert_told(int fd, const char *wanted) {
  char text[512] = "";
  ck_assert_int_gt(recv(fd, text, sizeof(text) - 1, 0), 0);
  ck_assert_str_eq(text, wanted);
}

START_TEST(systemd_is_told_in_its_own_words) {
  char path[64];
  const int fd = listen_as_systemd(path);
  systemd_ready();
  assert_told(fd, "READY=1");
  systemd_reloading(INT64_C(1234567890123));
  assert_told(fd, "RELOADING=1\nMONOTONIC_USEC=1234567890");
  systemd_alive();
  assert_told(fd, "WATCHDOG=1");
  systemd_status("%d joints", 30);
  assert_told(fd, "STATUS=30 joints");
  systemd_stopping();
  assert_told(fd, "STOPPING=1");
  close(fd);
  unlink(path);
}
END_TEST

START_TEST(the_watchdog_is_fed_three_times_as_often_as_systemd_asks) {
  char pid[32];
  setenv("WATCHDOG_USEC", "3000000", 1);
  snprintf(pid, sizeof(pid), "%ld", (long)getpid());
  setenv("WATCHDOG_PID", pid, 1);
  ck_assert_int_eq(systemd_watchdog_ns(), NS_PER_S);
  setenv("WATCHDOG_PID", "1", 1); /* meant for another process */
  ck_assert_int_eq(systemd_watchdog_ns(), 0);
  unsetenv("WATCHDOG_USEC");
  ck_assert_int_eq(systemd_watchdog_ns(), 0);
}
END_TEST

SUITE(it_is_fed_once_an_interval_while_all_threads_advance,
      one_thread_that_stands_still_ends_the_feeding_and_is_named,
      nobody_watching_means_nothing_to_feed, systemd_is_told_in_its_own_words,
      the_watchdog_is_fed_three_times_as_often_as_systemd_asks)
