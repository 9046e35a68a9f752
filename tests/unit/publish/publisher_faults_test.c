/* What subscribers may do to the publisher (faults.md P1, P2 and P5), each with its figure. */
#include "publish/accept_limit.h"
#include "support/publish_fixture.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static struct heard heard;

/* -- P1 --------------------------------------------------------------------------------------- */

/* A process that subscribes to everything, says in `ready` whether it hears all ('r') or misses
 * some
 * ('m'), hears for a while and exits with 0 when nothing was missing. */
static pid_t fork_subscriber(const char *endpoint, int ready) {
  const pid_t child = fork();
  if (child != 0) {
    return child;
  }
  struct listener listener = listen_to(endpoint, "state");
  const bool all = count_gaps(&listener, 100, &heard) == 0;
  if (write(ready, all ? "r" : "m", 1) != 1 || !all) {
    _exit(2);
  }
  _exit(count_gaps(&listener, 1500, &heard) == 0 ? 0 : 1);
}

START_TEST(P1_four_of_eight_subscribers_stopped_and_the_others_miss_nothing) {
  enum { SUBSCRIBERS = 8 };
  const struct publish_settings settings = fixture_settings();
  pid_t child[SUBSCRIBERS];
  int ready[2];
  ck_assert_int_eq(pipe(ready), 0);
  for (int i = 0; i < SUBSCRIBERS; i++) { /* before there are threads to be copied */
    child[i] = fork_subscriber(ipc_of(&settings), ready[1]);
  }
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  for (int i = 0; i < SUBSCRIBERS; i++) {
    char byte;
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(byte, 'r');
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
  ck_assert_int_eq(count_gaps(&listener, 100, &heard), 0);
  const uint64_t before = heard.seq;
  sleep(3); /* more than its queue and the sockets' buffers hold */
  ck_assert_int_ge(count_gaps(&listener, 3000, &heard), 0);
  ck_assert_uint_gt(heard.seq, before + 2500);
  ck_assert_int_eq(count_gaps(&listener, 200, &heard), 0);
  feeder_stop(&feeder);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

/* -- P2 --------------------------------------------------------------------------------------- */

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

static uint64_t times_flooded(struct publisher *publisher) {
  return publisher_counters(publisher).flooding;
}

static uint64_t times_accepted(struct publisher *publisher) {
  return publisher_counters(publisher).accepted;
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
  ck_assert_int_eq(count_gaps(&listener, 500, &heard), 0);
  const long before_kib = resident_kib();
  ck_assert_int_eq(write(go[1], "g", 1), 1);
  const int missed = count_gaps(&listener, 2500, &heard);
  ck_assert(missed >= 0 && missed <= most_missed(2500));
  eventually_reaches(times_flooded, publisher, 1);
  eventually_reaches(times_accepted, publisher, 3); /* it was shut out, and came back */
  const long grown_kib = resident_kib() - before_kib;
  const struct publish_counters counters = publisher_counters(publisher);
  feeder_stop(&feeder);
  printf("P2: %lu connections shut down, memory grew by %ld KiB, longest hand-over %.0f us\n",
         (unsigned long)counters.flooding, grown_kib, 1e-3 * (double)feeder.longest_ns);
  ck_assert_int_lt(grown_kib, most_growth_kib);
  ck_assert_uint_le(handover_dropped(publisher_handover(publisher)), (uint64_t)most_missed(3000));
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
  ck_assert_int_eq(count_gaps(&listener, 500, &heard), 0);
  eventually_reaches(times_accepted, publisher, 3); /* it came back, and was refused again */
  feeder_stop(&feeder);
  listener_close(&rude);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

/* -- P5 --------------------------------------------------------------------------------------- */

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
  ck_assert_int_eq(count_gaps(&listener, 100, &heard), 0);
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
    if (i % 10 == 0) { /* the healthy one must not fall behind because this test does not read */
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
  ck_assert_int_eq(count_gaps(&listener, 500, &heard), 0);
  ck_assert_int_lt(resident_kib() - before_kib, most_growth_kib);
  feeder_stop(&feeder);
  ck_assert_uint_le(handover_dropped(publisher_handover(publisher)),
                    (uint64_t)most_missed((int)atomic_load(&feeder.fed)));
  ck_assert_uint_ge(publisher_counters(publisher).accepted, CONNECTIONS / 2);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

/* libzmq would end the process at the first connection without a descriptor. */
START_TEST(P5_connections_beyond_the_descriptors_are_closed_and_the_others_served) {
  enum { DESCRIPTORS = 128, CONNECTIONS = 300 };
  const struct publish_settings settings = fixture_settings();
  const struct rlimit few = {DESCRIPTORS, DESCRIPTORS};
  int stay[2];
  ck_assert_int_eq(pipe(stay), 0);
  const pid_t crowd = fork(); /* so that its ends of the connections are not ours */
  if (crowd == 0) {
    char byte;
    if (read(stay[0], &byte, 1) != 1) {
      _exit(1);
    }
    for (int i = 0; i < CONNECTIONS; i++) {
      connect_to(settings.ipc);
    }
    pause();
  }
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
  struct publisher *publisher = fixture_start(&settings);
  struct feeder feeder;
  feeder_start(&feeder, publisher);
  struct listener listener = listen_to(ipc_of(&settings), "state");
  ck_assert_int_eq(count_gaps(&listener, 100, &heard), 0);
  ck_assert_int_eq(write(stay[1], "g", 1), 1);
  ck_assert_int_eq(count_gaps(&listener, 1000, &heard), 0);
  const uint64_t now = publisher_counters(publisher).subscribers;
  printf("P5: %lu of %d connections are open\n", (unsigned long)now, CONNECTIONS);
  ck_assert_uint_ge(now, 10);
  ck_assert_uint_lt(now, DESCRIPTORS - ACCEPT_LIMIT_SPARE);
  FILE *file = fopen("/dev/null", "re"); /* there is room for a reload */
  ck_assert_ptr_nonnull(file);
  fclose(file);
  kill(crowd, SIGKILL);
  waitpid(crowd, NULL, 0);
  feeder_stop(&feeder);
  listener_close(&listener);
  publisher_stop(publisher);
  fixture_remove_folder();
}
END_TEST

START_TEST(P5_connections_that_say_nothing_are_closed_after_two_seconds) {
  const struct publish_settings settings = fixture_settings();
  struct publisher *publisher = fixture_start(&settings);
  const int64_t begin_ns = clock_now_ns();
  int fd[50];
  for (int i = 0; i < 50; i++) {
    fd[i] = connect_to(settings.ipc);
    ck_assert_int_ge(fd[i], 0);
  }
  eventually_reaches(times_accepted, publisher, 50);
  const int64_t deadline_ns = clock_now_ns() + 60 * NS_PER_S;
  while (publisher_counters(publisher).subscribers > 0) {
    ck_assert_int_lt(clock_now_ns(), deadline_ns);
    usleep(10000);
  }
  ck_assert_int_ge(clock_now_ns() - begin_ns, 2 * NS_PER_S - 100 * NS_PER_MS);
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
      P2_a_topic_longer_than_any_ends_its_connection,
      P5_a_hundred_thousand_malformed_connections_disturb_nobody,
      P5_connections_beyond_the_descriptors_are_closed_and_the_others_served,
      P5_connections_that_say_nothing_are_closed_after_two_seconds)
