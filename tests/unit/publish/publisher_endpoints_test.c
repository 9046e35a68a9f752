/* Where the publisher may be heard, and who else may sit there (faults.md P3). */
#include "support/publish_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static struct heard heard;

START_TEST(P3_a_port_in_use_is_named) {
  struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct publish_settings other = settings;
  snprintf(other.tcp, sizeof(other.tcp), "%s",
           publisher_tcp_endpoint(publisher) + strlen("tcp://"));
  other.ipc[0] = '\0';
  struct message error;
  ck_assert_ptr_null(fixture_try(&other, &error));
  ck_assert_msg(strstr(error.text, other.tcp) != NULL && strstr(error.text, "serves"), "%s",
                error.text);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(P3_a_second_daemon_is_refused_by_name_and_the_first_serves_on) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  struct listener listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 100, &heard), 0);
  struct message error;
  ck_assert_ptr_null(fixture_try(&settings, &error));
  char process[32];
  snprintf(process, sizeof(process), "process %ld", (long)getpid());
  ck_assert_msg(strstr(error.text, settings.ipc) && strstr(error.text, process), "%s", error.text);
  ck_assert_int_eq(count_gaps(&listener, 100, &heard), 0);
  /* the path still leads to the first */
  struct listener late = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&late, 100, &heard), 0);
  feeder_stop(&feeder);
  listener_close(&late);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

static int serve_without_lock(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
  ck_assert_int_eq(listen(fd, 4), 0);
  return fd;
}

START_TEST(P3_a_stale_socket_is_replaced_a_live_one_and_a_file_are_not) {
  const struct publish_settings settings = fixture_settings();
  struct message error;
  const int foreign = serve_without_lock(settings.ipc);
  ck_assert_ptr_null(fixture_try(&settings, &error));
  ck_assert_msg(strstr(error.text, "another program"), "%s", error.text);
  close(foreign); /* now it is stale */
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  struct listener listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 10, &heard), 0);
  feeder_stop(&feeder);
  listener_close(&listener);
  publisher_stop(publisher);
  ck_assert_int_ne(access(settings.ipc, F_OK), 0);

  FILE *precious = fopen(settings.ipc, "w");
  fputs("precious", precious);
  fclose(precious);
  ck_assert_ptr_null(fixture_try(&settings, &error));
  ck_assert_msg(strstr(error.text, "not a socket"), "%s", error.text);
  struct stat found;
  ck_assert_int_eq(stat(settings.ipc, &found), 0);
  ck_assert_int_eq(found.st_size, 8);
  fixture_remove_folder();
}
END_TEST

START_TEST(P3_who_was_killed_leaves_a_claim_that_the_next_one_takes) {
  const struct publish_settings settings = fixture_settings();
  const pid_t child = fork();
  if (child == 0) {
    struct message error;
    if (fixture_try(&settings, &error) == NULL) {
      _exit(1);
    }
    raise(SIGKILL);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ck_assert_int_eq(access(settings.ipc, F_OK), 0);
  publisher_stop(fixture_start(&settings));
  fixture_remove_folder();
}
END_TEST

START_TEST(P3_addresses_that_cannot_be_are_refused_with_the_key_and_the_reason) {
  static const struct {
    const char *ipc, *tcp, *expected;
  } cases[] = {
      {"pub.sock", "", "absolute"},
      {"/no/such/folder/pub.sock", "", "No such file"},
      {"", "0.0.0.0:9872", "beyond loopback"},
      {"", "*:9872", "beyond loopback"},
      {"", "192.168.1.2:9872", "beyond loopback"},
      {"", "127.0.0.1.example.org:9872", "beyond loopback"},
      {"", "[::]:9872", "beyond loopback"},
      {"", "127.0.0.1:99999", "not ADDRESS:PORT"},
      {"", "127.0.0.1", "not ADDRESS:PORT"},
      {"", "127.0.0.1:12ab", "not ADDRESS:PORT"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct publish_settings settings = fixture_settings();
    snprintf(settings.ipc, sizeof(settings.ipc), "%s", cases[i].ipc);
    snprintf(settings.tcp, sizeof(settings.tcp), "%s", cases[i].tcp);
    struct message error;
    ck_assert_ptr_null(fixture_try(&settings, &error));
    ck_assert_msg(strstr(error.text, cases[i].expected), "%s%s: %s", cases[i].ipc, cases[i].tcp,
                  error.text);
  }
  fixture_remove_folder();
}
END_TEST

START_TEST(every_way_to_write_loopback_is_served) {
  static const struct {
    const char *tcp, *served;
  } cases[] = {{"127.0.0.1:0", "tcp://127.0.0.1:"}, {"localhost:0", "tcp://127.0.0.1:"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct publish_settings settings = fixture_settings();
    snprintf(settings.tcp, sizeof(settings.tcp), "%s", cases[i].tcp);
    struct publisher *publisher = fixture_start(&settings);
    ck_assert_msg(
        strncmp(publisher_tcp_endpoint(publisher), cases[i].served, strlen(cases[i].served)) == 0,
        "%s is served as %s", cases[i].tcp, publisher_tcp_endpoint(publisher));
    publisher_stop(publisher);
  }
  fixture_remove_folder();
}
END_TEST

SUITE(P3_a_port_in_use_is_named, P3_a_second_daemon_is_refused_by_name_and_the_first_serves_on,
      P3_a_stale_socket_is_replaced_a_live_one_and_a_file_are_not,
      P3_who_was_killed_leaves_a_claim_that_the_next_one_takes,
      P3_addresses_that_cannot_be_are_refused_with_the_key_and_the_reason,
      every_way_to_write_loopback_is_served)
