/* What subscribers and other processes may do to the publisher (faults.md P1 to P5), each with its
 * figure. */
#include "publish_fixture.h"

#include "ipc_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static struct heard heard;

static char *ipc_of(const struct publish_settings *settings) {
  static char endpoint[128];
  snprintf(endpoint, sizeof(endpoint), "ipc://%s", settings->ipc);
  return endpoint;
}

/* Hears `cycles` states; returns how many seqs were missing among them, or -1 when nothing came. */
static int count_gaps(struct listener *listener, int cycles) {
  uint64_t last = 0;
  int gaps = 0;
  for (int i = 0; i < cycles; i++) {
    if (!listener_hear(listener, &heard)) {
      return -1;
    }
    gaps += last == 0 ? 0 : (int)(heard.seq - last - 1);
    last = heard.seq;
  }
  return gaps;
}

/* ---- P1 ---- */

/* A process that subscribes to everything, says so in `ready`, hears for a while and exits with 0
 * when nothing was missing. */
static pid_t fork_subscriber(const char *endpoint, int ready) {
  const pid_t child = fork();
  if (child != 0) {
    return child;
  }
  struct listener listener = listen_to(endpoint, "state");
  if (count_gaps(&listener, 100) != 0 || write(ready, "r", 1) != 1) {
    _exit(2);
  }
  _exit(count_gaps(&listener, 1500) == 0 ? 0 : 1);
}

START_TEST(P1_four_of_eight_subscribers_stopped_and_the_others_miss_nothing) {
  enum { SUBSCRIBERS = 8 };
  const struct publish_settings settings = fixture_settings();
  pid_t child[SUBSCRIBERS];
  int ready[2];
  ck_assert_int_eq(pipe(ready), 0);
  for (int i = 0; i < SUBSCRIBERS; i++) { // before there are threads to be copied
    child[i] = fork_subscriber(ipc_of(&settings), ready[1]);
  }
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  for (int i = 0; i < SUBSCRIBERS; i++) {
    char byte;
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
  }
  for (int i = 0; i < SUBSCRIBERS; i += 2) {
    kill(child[i], SIGSTOP);
  }
  for (int i = 1; i < SUBSCRIBERS; i += 2) {
    int status;
    ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "subscriber %d missed some", i);
  }
  for (int i = 0; i < SUBSCRIBERS; i += 2) {
    kill(child[i], SIGKILL);
    waitpid(child[i], NULL, 0);
  }
  feeder_stop(&feeder);
  ck_assert_uint_eq(handover_dropped(publisher_handover(publisher)), 0);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(P1_a_stopped_subscriber_hears_again_when_it_goes_on) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  struct listener listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 100), 0);
  const uint64_t before = heard.seq;
  sleep(3); // more than its queue and the sockets' buffers hold
  ck_assert_int_ge(count_gaps(&listener, 3000), 0);
  ck_assert_uint_gt(heard.seq, before + 2500);
  ck_assert_int_eq(count_gaps(&listener, 200), 0);
  feeder_stop(&feeder);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

/* ---- P2 ---- */

/* The sanitizers keep what was freed, and notes about it: memory then means nothing. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const long most_growth_kib = LONG_MAX;
#else
static const long most_growth_kib = 16 * 1024;
#endif

static long resident_kib(void) {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  ck_assert_int_eq(fscanf(file, "%ld %ld", &total, &resident), 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A process that subscribes to 200 000 topics when the pipe says go, and stays. */
static pid_t fork_flood(const char *endpoint, int go) {
  const pid_t child = fork();
  if (child != 0) {
    return child;
  }
  char byte;
  struct listener listener = listen_to(endpoint, "state");
  if (!listener_hear(&listener, &heard) || read(go, &byte, 1) != 1) {
    _exit(1);
  }
  for (int i = 0; i < 200000; i++) {
    char topic[40];
    const int length = snprintf(topic, sizeof(topic), "no such topic %08d", i);
    zmq_setsockopt(listener.socket, ZMQ_SUBSCRIBE, topic, (size_t)length);
  }
  pause();
  _exit(0);
}

START_TEST(P2_two_hundred_thousand_subscriptions_cost_little_memory_and_no_message) {
  const struct publish_settings settings = fixture_settings();
  int go[2];
  ck_assert_int_eq(pipe(go), 0);
  const pid_t flood = fork_flood(ipc_of(&settings), go[0]);
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  struct listener listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 500), 0);
  const long before_kib = resident_kib();
  ck_assert_int_eq(write(go[1], "g", 1), 1);
  ck_assert_int_eq(count_gaps(&listener, 2500), 0);
  const long grown_kib = resident_kib() - before_kib;
  const struct publish_counters counters = publisher_counters(publisher);
  feeder_stop(&feeder);
  printf("P2: %lu connections shut down, memory grew by %ld KiB, longest hand-over %.0f us\n",
         (unsigned long)counters.flooding, grown_kib, 1e-3 * (double)feeder.longest_ns);
  ck_assert_uint_ge(counters.flooding, 1);
  ck_assert_int_lt(grown_kib, most_growth_kib);
  ck_assert_uint_eq(handover_dropped(publisher_handover(publisher)), 0);
  kill(flood, SIGKILL);
  waitpid(flood, NULL, 0);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(P2_a_topic_longer_than_any_ends_its_connection) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  char topic[4096];
  memset(topic, 'x', sizeof(topic) - 1);
  topic[sizeof(topic) - 1] = '\0';
  struct listener rude = listen_to(ipc_of(&settings), topic);
  struct listener listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 500), 0);
  ck_assert_uint_gt(publisher_counters(publisher).accepted,
                    2); // it came back, and was refused again
  feeder_stop(&feeder);
  listener_close(&rude);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

/* ---- P3 ---- */

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
  ck_assert_int_eq(count_gaps(&listener, 100), 0);
  struct message error;
  ck_assert_ptr_null(fixture_try(&settings, &error));
  char process[32];
  snprintf(process, sizeof(process), "process %ld", (long)getpid());
  ck_assert_msg(strstr(error.text, settings.ipc) && strstr(error.text, process), "%s", error.text);
  ck_assert_int_eq(count_gaps(&listener, 100), 0);
  struct listener late = listen_to(ipc_of(&settings), "state"); // the path still leads to the first
  ck_assert_int_eq(count_gaps(&late, 100), 0);
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
  close(foreign); // now it is stale
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  struct listener listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 10), 0);
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

/* ---- P4 ---- */

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
  struct listener local = listen_to(ipc_of(&settings), "state"); // ipc needs no keys
  ck_assert_int_eq(count_gaps(&local, 100), 0);
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
  umask(0); // the publisher's own umask counts, not the caller's
  const struct publish_settings settings = fixture_settings();
  chmod(fixture_folder, 0755); // so that only the socket's mode stands in the way
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

/* ---- P5 ---- */

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

/* A greeting of ZMTP 3, as far as random bytes leave it one. */
static size_t malformed(struct random *random, unsigned char *bytes, size_t most) {
  static const unsigned char greeting[64] = {0xFF, 0,    0, 0, 0,   0,   0,   0,
                                             1,    0x7F, 3, 0, 'N', 'U', 'L', 'L'};
  const size_t length = (size_t)random_uniform(random, 0.0, (double)most);
  const size_t sane = (size_t)random_uniform(random, 0.0, 65.0);
  for (size_t i = 0; i < length; i++) {
    bytes[i] = i < sane ? greeting[i] : (unsigned char)random_uniform(random, 0.0, 256.0);
  }
  return length;
}

START_TEST(P5_a_hundred_thousand_malformed_connections_disturb_nobody) {
  enum { CONNECTIONS = 100000 };
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  struct listener listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 100), 0);
  const long before_kib = resident_kib();
  struct random random = random_from(test_seed());
  const int64_t start_ns = clock_now_ns();
  int made = 0;
  for (int i = 0; i < CONNECTIONS; i++) {
    unsigned char bytes[200];
    const int fd = connect_to(settings.ipc);
    made += fd >= 0;
    if (fd >= 0) {
      send(fd, bytes, malformed(&random, bytes, sizeof(bytes)), MSG_NOSIGNAL | MSG_DONTWAIT);
      close(fd);
    }
    if (i % 10 == 0) { // the healthy one must not fall behind because this test does not read
      while (zmq_recv(listener.socket, heard.bytes, sizeof(heard.bytes), ZMQ_DONTWAIT) >= 0) {
      }
    }
  }
  const double took_s = 1e-9 * (double)(clock_now_ns() - start_ns);
  printf("P5: %d malformed connections in %.1f s, memory grew by %ld KiB\n", made, took_s,
         resident_kib() - before_kib);
  ck_assert_int_eq(made, CONNECTIONS);
  listener_close(&listener);
  listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 500), 0);
  ck_assert_int_lt(resident_kib() - before_kib, most_growth_kib);
  feeder_stop(&feeder);
  ck_assert_uint_eq(handover_dropped(publisher_handover(publisher)), 0);
  ck_assert_uint_ge(publisher_counters(publisher).accepted, CONNECTIONS / 2);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(P5_connections_that_say_nothing_are_closed_after_two_seconds) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  int fd[50];
  for (int i = 0; i < 50; i++) {
    fd[i] = connect_to(settings.ipc);
    ck_assert_int_ge(fd[i], 0);
  }
  usleep(500000);
  ck_assert_uint_eq(publisher_counters(publisher).subscribers, 50);
  sleep(3);
  ck_assert_uint_eq(publisher_counters(publisher).subscribers, 0);
  for (int i = 0; i < 50; i++) {
    close(fd[i]);
  }
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

SUITE(P1_four_of_eight_subscribers_stopped_and_the_others_miss_nothing,
      P1_a_stopped_subscriber_hears_again_when_it_goes_on,
      P2_two_hundred_thousand_subscriptions_cost_little_memory_and_no_message,
      P2_a_topic_longer_than_any_ends_its_connection, P3_a_port_in_use_is_named,
      P3_a_second_daemon_is_refused_by_name_and_the_first_serves_on,
      P3_a_stale_socket_is_replaced_a_live_one_and_a_file_are_not,
      P3_who_was_killed_leaves_a_claim_that_the_next_one_takes,
      P3_addresses_that_cannot_be_are_refused_with_the_key_and_the_reason,
      P4_over_tcp_with_keys_only_the_listed_client_hears_a_byte,
      P4_key_files_that_are_open_malformed_or_missing_are_refused_by_name,
      P4_another_user_cannot_open_the_ipc_socket,
      P5_a_hundred_thousand_malformed_connections_disturb_nobody,
      P5_connections_that_say_nothing_are_closed_after_two_seconds)
