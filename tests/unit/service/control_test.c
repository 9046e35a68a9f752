#include "service/control.h"

#include "common/clock.h"
#include "support/suite.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 }; /* with a busy machine */

/* A server in a thread of its own, on a socket in a new folder. */
struct server {
  char folder[64], path[96];
  struct control *control;
  pthread_t thread;
  atomic_bool stop;
  atomic_int answered; /* calls of `answer` */
  atomic_int slow_ms;  /* how long an answer takes */
};

static enum control_verdict answer(void *context, const struct control_request *asked, FILE *out) {
  struct server *server = context;
  const char *request = asked->words;
  if (strcmp(request, "later") == 0) {
    server->answered++;
    return CONTROL_LATER;
  }
  if (strcmp(request, "again") == 0) {
    return ++server->answered < 5 ? CONTROL_AGAIN : CONTROL_OK;
  }
  if (strcmp(request, "trusted?") == 0) {
    return asked->trusted ? CONTROL_OK : CONTROL_FAILED;
  }
  server->answered++;
  usleep((useconds_t)server->slow_ms * 1000u);
  fprintf(out, "you asked %s\n", request);
  if (strcmp(request, "everything") == 0) {
    for (int i = 0; i < 100000; i++) {
      fputs("0123456789\n", out);
    }
  }
  return strcmp(request, "reload") == 0 ? CONTROL_OK : CONTROL_FAILED;
}

static void *serve(void *argument) {
  struct server *server = argument;
  while (!server->stop) {
    struct pollfd wait = {.fd = control_fd(server->control), .events = POLLIN};
    poll(&wait, 1, 20);
    control_step(server->control, clock_now_ns(), answer, server);
  }
  return NULL;
}

static struct server *start(void) {
  struct server *server = calloc(1, sizeof(*server));
  struct message error;
  strcpy(server->folder, "/tmp/control_test_XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(server->folder));
  snprintf(server->path, sizeof(server->path), "%s/control.sock", server->folder);
  server->control = control_open(server->path, &error);
  ck_assert_ptr_nonnull(server->control);
  pthread_create(&server->thread, NULL, serve, server);
  return server;
}

static void stop(struct server *server) {
  server->stop = true;
  pthread_join(server->thread, NULL);
  control_close(server->control);
  ck_assert_int_ne(access(server->path, F_OK), 0);
  rmdir(server->folder);
  free(server);
}

static int connect_raw(const struct server *server) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, server->path);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ck_assert_int_eq(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
  return fd;
}

START_TEST(an_answer_begins_with_ok_or_failed_and_holds_what_was_written) {
  struct server *server = start();
  char text[CONTROL_ANSWER_SIZE];
  ck_assert_int_eq(control_ask(server->path, "reload", PATIENCE_MS, text, NULL), STATUS_OK);
  ck_assert_str_eq(text, "ok\nyou asked reload\n");
  ck_assert_int_eq(control_ask(server->path, "dance", PATIENCE_MS, text, NULL), STATUS_OK);
  ck_assert_str_eq(text, "failed\nyou asked dance\n");
  stop(server);
}
END_TEST

START_TEST(only_user_and_group_may_connect) {
  struct server *server = start();
  struct stat stat_now;
  ck_assert_int_eq(stat(server->path, &stat_now), 0);
  ck_assert_int_eq(stat_now.st_mode & 0777, 0660);
  stop(server);
}
END_TEST

START_TEST(a_socket_left_by_a_dead_daemon_is_replaced) {
  struct server *server = start();
  const int left = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "%s/left", server->folder);
  ck_assert_int_eq(bind(left, (const struct sockaddr *)&address, sizeof(address)), 0);
  close(left);
  struct message error;
  struct control *control = control_open(address.sun_path, &error);
  ck_assert_ptr_nonnull(control);
  control_close(control);
  stop(server);
}
END_TEST

START_TEST(a_path_too_long_or_without_folder_is_refused_with_a_reason) {
  struct message error = {.text = ""};
  char path[200];
  memset(path, 'x', sizeof(path) - 1);
  path[0] = '/';
  path[sizeof(path) - 1] = '\0';
  ck_assert_ptr_null(control_open(path, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "longer than"));
  ck_assert_ptr_null(control_open("/nowhere/control.sock", &error));
  ck_assert_str_eq(error.text, "/nowhere/control.sock: No such file or directory");
}
END_TEST

START_TEST(nobody_there_and_no_answer_are_told_apart_from_a_refusal) {
  struct message error = {.text = ""};
  char text[CONTROL_ANSWER_SIZE];
  ck_assert_int_eq(control_ask("/tmp/no such socket", "status", 100, text, &error), STATUS_STALE);
  ck_assert_ptr_nonnull(strstr(error.text, "is propriod running?"));
  struct server *server = start();
  server->slow_ms = 1500;
  ck_assert_int_eq(control_ask(server->path, "status", 50, text, &error), STATUS_STALE);
  ck_assert_ptr_nonnull(strstr(error.text, "no answer within 50 ms"));
  stop(server);
}
END_TEST

START_TEST(clients_that_ask_the_same_meanwhile_share_one_answer) {
  struct server *server = start();
  server->slow_ms = 300;
  int fd[10];
  for (int i = 0; i < 10; i++) {
    fd[i] = connect_raw(server);
    ck_assert_int_eq(send(fd[i], "reload\n", 7, 0), 7);
  }
  for (int i = 0; i < 10; i++) {
    char text[64] = "";
    ck_assert_int_gt(recv(fd[i], text, sizeof(text) - 1, 0), 0);
    ck_assert_str_eq(text, "ok\nyou asked reload\n");
    close(fd[i]);
  }
  ck_assert_int_le(server->answered, 5); /* two, unless this thread was held up meanwhile */
  stop(server);
}
END_TEST

START_TEST(a_client_that_says_nothing_keeps_nobody_else_waiting) {
  struct server *server = start();
  const int silent = connect_raw(server), half = connect_raw(server);
  ck_assert_int_eq(send(half, "rel", 3, 0), 3);
  char text[CONTROL_ANSWER_SIZE];
  ck_assert_int_eq(control_ask(server->path, "reload", PATIENCE_MS, text, NULL), STATUS_OK);
  close(silent);
  ck_assert_int_eq(send(half, "oad\n", 4, 0), 4);
  ck_assert_int_gt(recv(half, text, sizeof(text), 0), 0);
  close(half);
  stop(server);
}
END_TEST

START_TEST(too_many_clients_are_told_so_and_the_first_are_still_served) {
  struct server *server = start();
  int fd[CONTROL_MAX_CLIENTS];
  for (int i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    fd[i] = connect_raw(server);
  }
  char text[CONTROL_ANSWER_SIZE];
  do { /* until all of them have been let in */
    ck_assert_int_eq(control_ask(server->path, "reload", PATIENCE_MS, text, NULL), STATUS_OK);
  } while (strncmp(text, "ok\n", 3) == 0);
  for (int i = 0; i < 300; i++) { /* also when the answer comes before the question */
    ck_assert_int_eq(control_ask(server->path, "reload", PATIENCE_MS, text, NULL), STATUS_OK);
    ck_assert_str_eq(text, "failed\ntoo many clients at once\n");
  }
  ck_assert_int_eq(send(fd[0], "reload\n", 7, 0), 7);
  ck_assert_int_gt(recv(fd[0], text, sizeof(text), 0), 0);
  for (int i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    close(fd[i]);
  }
  stop(server);
}
END_TEST

START_TEST(a_request_without_end_and_an_answer_without_end_are_cut) {
  struct server *server = start();
  const int fd = connect_raw(server);
  char noise[4096], text[CONTROL_ANSWER_SIZE];
  memset(noise, 'x', sizeof(noise));
  ck_assert_int_gt(send(fd, noise, sizeof(noise), MSG_NOSIGNAL), 0);
  ck_assert_int_le(recv(fd, text, sizeof(text), 0), 0);
  close(fd);
  ck_assert_int_eq(control_ask(server->path, "everything", PATIENCE_MS, text, NULL), STATUS_OK);
  ck_assert_uint_lt(strlen(text), CONTROL_ANSWER_SIZE);
  ck_assert_int_eq(control_ask(server->path, "reload", PATIENCE_MS, text, NULL), STATUS_OK);
  stop(server);
}
END_TEST

START_TEST(who_asks_something_else_meanwhile_has_an_answer_of_its_own) {
  struct server *server = start();
  server->slow_ms = 100;
  const char *const request[] = {"reload", "reload", "status", "reload", "status"};
  int fd[5];
  for (int i = 0; i < 5; i++) {
    char line[16];
    const int length = snprintf(line, sizeof(line), "%s\n", request[i]);
    fd[i] = connect_raw(server);
    ck_assert_int_eq(send(fd[i], line, (size_t)length, 0), length);
  }
  for (int i = 0; i < 5; i++) {
    char text[64] = "", expected[64];
    snprintf(expected, sizeof(expected), "%s\nyou asked %s\n",
             strcmp(request[i], "reload") == 0 ? "ok" : "failed", request[i]);
    ck_assert_int_gt(recv(fd[i], text, sizeof(text) - 1, 0), 0);
    ck_assert_str_eq(text, expected);
    close(fd[i]);
  }
  stop(server);
}
END_TEST

START_TEST(a_client_whose_request_takes_too_long_is_sent_away) {
  struct server *server = start();
  server->stop = true; /* from here on the test steps, at instants of its choosing */
  pthread_join(server->thread, NULL);
  const int fd = connect_raw(server);
  char byte;
  ck_assert_int_eq(send(fd, "rel", 3, 0), 3);
  control_step(server->control, 1000, answer, server);
  control_step(server->control, 1000 + CONTROL_PATIENCE_NS, answer, server);
  ck_assert_int_lt(recv(fd, &byte, 1, MSG_DONTWAIT), 0); /* still there */
  control_step(server->control, 1001 + CONTROL_PATIENCE_NS, answer, server);
  ck_assert_int_eq(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
  close(fd);
  control_close(server->control);
  rmdir(server->folder);
  free(server);
}
END_TEST

/* Lets the test step by itself, at instants of its choosing. */
static void stop_stepping(struct server *server) {
  server->stop = true;
  pthread_join(server->thread, NULL);
}

static void free_stepped(struct server *server) {
  control_close(server->control);
  rmdir(server->folder);
  free(server);
}

static int ask_raw(const struct server *server, const char *line) {
  const int fd = connect_raw(server);
  ck_assert_int_eq(send(fd, line, strlen(line), 0), (ssize_t)strlen(line));
  return fd;
}

static void expect_answer(int fd, const char *expected) {
  char text[64] = "";
  ck_assert_int_gt(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT), 0);
  ck_assert_str_eq(text, expected);
  close(fd);
}

START_TEST(who_waits_for_something_long_is_told_at_its_end_and_others_meanwhile) {
  struct server *server = start();
  stop_stepping(server);
  const int first = ask_raw(server, "later\n"), second = ask_raw(server, "later\n");
  control_step(server->control, 1000, answer, server);
  ck_assert_int_eq(server->answered, 1); /* asked once for both */
  const int other = ask_raw(server, "reload\n"), gone = ask_raw(server, "later\n");
  close(gone);
  control_step(server->control, 2000 + 2 * CONTROL_PATIENCE_NS, answer, server);
  expect_answer(other, "ok\nyou asked reload\n");
  char byte;
  ck_assert_int_lt(recv(first, &byte, 1, MSG_DONTWAIT), 0); /* nothing yet, and still there */
  control_tell(server->control, "later", true, "at last\n");
  expect_answer(first, "ok\nat last\n");
  expect_answer(second, "ok\nat last\n");
  free_stepped(server);
}
END_TEST

START_TEST(who_comes_at_the_wrong_moment_is_asked_for_again) {
  struct server *server = start();
  stop_stepping(server);
  const int fd = ask_raw(server, "again\n");
  for (int i = 0; i < 5; i++) {
    control_step(server->control, 1000, answer, server);
  }
  expect_answer(fd, "ok\n");
  free_stepped(server);
}
END_TEST

enum { STRANGER = 65534 };

/* As another user: opens `n` connections that say nothing, and asks "trusted?" over one more.
 * Answers with the number of connections that stay open, plus 100 when it was trusted. */
static int as_stranger(struct server *server, int n) {
  int fd[CONTROL_MAX_CLIENTS + 1], open_ones = 0;
  char text[CONTROL_ANSWER_SIZE] = "", byte;
  if (chown(server->folder, STRANGER, (gid_t)-1) != 0 ||
      chown(server->path, STRANGER, (gid_t)-1) != 0 || setuid(STRANGER) != 0) {
    return 99;
  }
  const enum status asked = control_ask(server->path, "trusted?", PATIENCE_MS, text, NULL);
  const bool trusted = asked == STATUS_OK && strncmp(text, "ok\n", 3) == 0;
  for (int i = 0; i < n; i++) {
    fd[i] = connect_raw(server);
  }
  for (int tries = 0; n > 0 && open_ones != CONTROL_MAX_A_USER && tries < 2000; tries++) {
    usleep(10000);
    open_ones = 0;
    for (int i = 0; i < n; i++) {
      open_ones += recv(fd[i], &byte, 1, MSG_DONTWAIT) < 0;
    }
  }
  if (n > 0) {
    raise(SIGSTOP); /* holds on to them */
  }
  return open_ones + (trusted ? 100 : 0);
}

START_TEST(no_user_holds_more_than_its_places_and_root_always_gets_one) {
  if (geteuid() != 0) {
    skip("only root can become another user");
  }
  struct server *server = start();
  char text[CONTROL_ANSWER_SIZE];
  int status;
  const pid_t silent = fork();
  if (silent == 0) {
    _exit(as_stranger(server, CONTROL_MAX_CLIENTS));
  }
  waitpid(silent, &status, WUNTRACED);
  ck_assert(WIFSTOPPED(status));
  for (int i = 0; i < 20; i++) {
    ck_assert_int_eq(control_ask(server->path, "trusted?", PATIENCE_MS, text, NULL), STATUS_OK);
    ck_assert_str_eq(text, "ok\n");
  }
  kill(silent, SIGCONT);
  waitpid(silent, &status, 0);
  ck_assert_int_eq(WEXITSTATUS(status), CONTROL_MAX_A_USER); /* and it was not trusted */
  chown(server->folder, 0, (gid_t)-1);
  stop(server);
}
END_TEST

SUITE(who_waits_for_something_long_is_told_at_its_end_and_others_meanwhile,
      who_comes_at_the_wrong_moment_is_asked_for_again,
      no_user_holds_more_than_its_places_and_root_always_gets_one,
      who_asks_something_else_meanwhile_has_an_answer_of_its_own,
      a_client_whose_request_takes_too_long_is_sent_away,
      an_answer_begins_with_ok_or_failed_and_holds_what_was_written,
      only_user_and_group_may_connect, a_socket_left_by_a_dead_daemon_is_replaced,
      a_path_too_long_or_without_folder_is_refused_with_a_reason,
      nobody_there_and_no_answer_are_told_apart_from_a_refusal,
      clients_that_ask_the_same_meanwhile_share_one_answer,
      a_client_that_says_nothing_keeps_nobody_else_waiting,
      too_many_clients_are_told_so_and_the_first_are_still_served,
      a_request_without_end_and_an_answer_without_end_are_cut)
