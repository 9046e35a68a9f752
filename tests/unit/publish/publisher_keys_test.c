/* Who may hear the publisher (faults.md P4). */
#include "support/publish_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static struct heard heard;

struct keys {
  char server_public[41], server_secret[41], friend_public[41], friend_secret[41];
  char stranger_public[41], stranger_secret[41];
};

static void write_file(const char *path, const char *text, mode_t mode) {
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  ck_assert_int_eq(chmod(path, mode), 0);
}

static struct keys make_keys(struct publish_settings *settings) {
  struct keys keys;
  zmq_curve_keypair(keys.server_public, keys.server_secret);
  zmq_curve_keypair(keys.friend_public, keys.friend_secret);
  zmq_curve_keypair(keys.stranger_public, keys.stranger_secret);
  char text[128];
  snprintf(settings->curve_secret_key, PUBLISH_FILE_SIZE, "%s/secret", fixture_folder);
  snprintf(settings->curve_clients, PUBLISH_FILE_SIZE, "%s/clients", fixture_folder);
  write_file(settings->curve_secret_key, keys.server_secret, 0600);
  snprintf(text, sizeof(text), "# who may listen\n\n  %s  a friend\n", keys.friend_public);
  write_file(settings->curve_clients, text, 0644);
  return keys;
}

/* Payload bytes that a TCP subscriber with these keys gets in a second; NULL: without CURVE. */
static long bytes_heard(const char *endpoint, const char *server_public, const char *public,
                        const char *secret) {
  void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_SUB);
  const int linger = 0, wait_ms = 1000;
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
  zmq_setsockopt(socket, ZMQ_RCVTIMEO, &wait_ms, sizeof(wait_ms));
  if (public != NULL) {
    zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server_public, strlen(server_public) + 1);
    zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, public, strlen(public) + 1);
    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret, strlen(secret) + 1);
  }
  zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
  ck_assert_int_eq(zmq_connect(socket, endpoint), 0);
  const int64_t end_ns = clock_now_ns() + NS_PER_S;
  long bytes = 0;
  int size = 0;
  while (size >= 0 && clock_now_ns() < end_ns) {
    char frame[1024];
    size = zmq_recv(socket, frame, sizeof(frame), 0);
    bytes += size > 0 ? size : 0;
  }
  zmq_close(socket);
  zmq_ctx_term(context);
  return bytes;
}

START_TEST(P4_over_tcp_with_keys_only_the_listed_client_hears_a_byte) {
  struct publish_settings settings = fixture_settings();
  const struct keys keys = make_keys(&settings);
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  const char *tcp = publisher_tcp_endpoint(publisher);
  ck_assert_int_gt(bytes_heard(tcp, keys.server_public, keys.friend_public, keys.friend_secret),
                   100000);
  ck_assert_int_eq(bytes_heard(tcp, keys.server_public, keys.stranger_public, keys.stranger_secret),
                   0);
  ck_assert_int_eq(bytes_heard(tcp, keys.stranger_public, keys.friend_public, keys.friend_secret),
                   0);
  ck_assert_int_eq(bytes_heard(tcp, NULL, NULL, NULL), 0);
  struct listener local = listen_to(ipc_of(&settings), "state"); /* ipc needs no keys */
  ck_assert_int_eq(count_gaps(&local, 100, &heard), 0);
  ck_assert_uint_ge(publisher_counters(publisher).failed, 1);
  feeder_stop(&feeder);
  listener_close(&local);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(P4_key_files_that_are_open_malformed_or_missing_are_refused_by_name) {
  struct publish_settings settings = fixture_settings();
  const struct keys keys = make_keys(&settings);
  struct message error;
  chmod(settings.curve_secret_key, 0640);
  ck_assert_ptr_null(fixture_try(&settings, &error));
  ck_assert_msg(strstr(error.text, "secret") && strstr(error.text, "640"), "%s", error.text);
  write_file(settings.curve_secret_key, "not a key\n", 0600);
  ck_assert_ptr_null(fixture_try(&settings, &error));
  ck_assert_msg(strstr(error.text, "secret:1: "), "%s", error.text);
  write_file(settings.curve_secret_key, "# nothing\n", 0600);
  ck_assert_ptr_null(fixture_try(&settings, &error));
  ck_assert_msg(strstr(error.text, "no key"), "%s", error.text);
  write_file(settings.curve_secret_key, keys.server_secret, 0600);
  write_file(settings.curve_clients, "# fine\nbroken\n", 0644);
  ck_assert_ptr_null(fixture_try(&settings, &error));
  ck_assert_msg(strstr(error.text, "clients:2: "), "%s", error.text);
  unlink(settings.curve_clients);
  ck_assert_ptr_null(fixture_try(&settings, &error));
  ck_assert_msg(strstr(error.text, "No such file"), "%s", error.text);
  fixture_remove_folder();
}
END_TEST

START_TEST(P4_another_user_cannot_open_the_ipc_socket) {
  if (getuid() != 0) {
    skip("needs root to become another user");
  }
  umask(0); /* the publisher's own umask counts, not the caller's */
  const struct publish_settings settings = fixture_settings();
  chmod(fixture_folder, 0755); /* so that only the socket's mode stands in the way */
  struct publisher *publisher = fixture_start(&settings);
  struct stat found;
  ck_assert_int_eq(stat(settings.ipc, &found), 0);
  ck_assert_int_eq(found.st_mode & 0777, 0660);
  const pid_t child = fork();
  if (child == 0) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, settings.ipc, sizeof(settings.ipc));
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (setgid(65534) != 0 || setuid(65534) != 0) {
      _exit(3);
    }
    const int connected = connect(fd, (struct sockaddr *)&address, sizeof(address));
    _exit(connected != 0 && errno == EACCES ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  ck_assert_int_eq(WEXITSTATUS(status), 0);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

SUITE(P4_over_tcp_with_keys_only_the_listed_client_hears_a_byte,
      P4_key_files_that_are_open_malformed_or_missing_are_refused_by_name,
      P4_another_user_cannot_open_the_ipc_socket)
