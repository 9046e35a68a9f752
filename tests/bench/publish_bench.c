/* What publishing costs: the cycle (hand-over, state in shared memory), the publisher's thread
 * (encoding), and how old a state is when a subscriber or a reader of shared memory has it. 30
 * joints. */
#include "common/clock.h"
#include "common/diagnostics.h"
#include "publish/publisher.h"
#include "publish/state_export.h"
#include "publish/topics.h"
#include "support/synthetic.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zmq.h>

enum { BATCHES = 200, TIMES = 100, CYCLES = 1500 };

static struct diagnostics diagnostics;
static struct estimates estimates;
static struct handover *ring;
static struct state_export shown;
static struct propriod_state_reader reader;
static struct propriod_state state;
static struct propriod_centroidal centroidal;
static struct wire wire;
static char bytes[64 * 1024];

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, double *us, size_t count) {
  qsort(us, count, sizeof(double), by_value);
  printf("{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"us\", \"p99\": %.3f, \"runs\": %zu}\n",
         name, us[count / 2], us[count * 99 / 100], count);
}

/* Median of batches of one call. */
static void measure(const char *name, void (*call)(void)) {
  static double us[BATCHES];
  for (int b = 0; b < BATCHES; b++) {
    const int64_t start_ns = clock_now_ns();
    for (int i = 0; i < TIMES; i++) {
      call();
    }
    us[b] = 1e-3 * (double)(clock_now_ns() - start_ns) / TIMES;
  }
  print(name, us, BATCHES);
}

static void hand_over(void) {
  handover_begin(ring)->estimates.state.seq++;
  handover_commit(ring, clock_now_ns());
  handover_oldest(ring);
  handover_release(ring);
}

static void write_state(void) {
  state_export_write(&shown, &estimates);
}

static void read_state(void) {
  propriod_state_read(&reader, &state, &centroidal);
}

static size_t encoded_size;

static void encode(void) {
  encode_state(&wire, &estimates.state, 0);
  encoded_size = wire.size;
  encode_centroidal(&wire, &estimates.centroidal, 0);
  encoded_size += wire.size;
}

static int measure_costs(void) {
  struct message error = {""};
  char name[32], path[48], why[PROPRIOD_STATE_REASON];
  snprintf(name, sizeof(name), "propriod-bench-%d", getpid());
  snprintf(path, sizeof(path), "%s-state", name);
  struct arena arena = {0};
  handover_init(&ring, 256, &arena);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  if (handover_init(&ring, 256, &arena) != STATUS_OK ||
      state_export_open(&shown, name, NS_PER_MS, &error) != STATUS_OK ||
      propriod_state_open(&reader, path, why) != 0) {
    fprintf(stderr, "publish_bench: %s\n", error.text);
    return 1;
  }
  synthetic_estimates(&estimates, 1, 1);
  wire_init(&wire, bytes, sizeof(bytes));
  measure("handover", hand_over);
  measure("state_export_write", write_state);
  measure("state_export_read", read_state);
  measure("encode_state_and_centroidal", encode);
  printf("{\"name\": \"state_and_centroidal_size\", \"value\": %zu, \"unit\": \"bytes\"}\n",
         encoded_size);
  propriod_state_close(&reader);
  state_export_close(&shown);
  free(arena.base);
  return 0;
}

/* Hands a result over each millisecond, stamped with the instant of handing over. */
static void *cycle(void *argument) {
  atomic_bool *stop = argument;
  int64_t next_ns = clock_now_ns();
  for (uint64_t seq = 1; !atomic_load(stop); seq++) {
    struct cycle_result *result = handover_begin(ring);
    synthetic_estimates(&result->estimates, seq, clock_now_ns());
    handover_commit(ring, clock_now_ns());
    next_ns += NS_PER_MS;
    const struct timespec until = {next_ns / NS_PER_S, next_ns % NS_PER_S};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  }
  return NULL;
}

/* From the estimate's instant to its arrival at a subscriber. */
static void measure_delay(const char *name, void *context, const char *endpoint) {
  static double us[CYCLES];
  void *socket = zmq_socket(context, ZMQ_SUB);
  zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "state", 5);
  zmq_connect(socket, endpoint);
  for (int i = -100; i < CYCLES; i++) {
    char topic[8];
    zmq_recv(socket, topic, sizeof(topic), 0);
    const int size = zmq_recv(socket, bytes, sizeof(bytes), 0);
    const int64_t now_ns = clock_now_ns();
    msgpack_unpacked map;
    msgpack_unpacked_init(&map);
    msgpack_unpack_next(&map, bytes, (size_t)size, NULL);
    if (i >= 0) { /* t_mono_ns is the fourth pair */
      us[i] = 1e-3 * (double)(now_ns - map.data.via.map.ptr[3].val.via.i64);
    }
    msgpack_unpacked_destroy(&map);
  }
  print(name, us, CYCLES);
  const int linger = 0;
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
  zmq_close(socket);
}

static int measure_delays(void) {
  struct publish_settings settings = {.tcp = "127.0.0.1:0",
                                      .high_water = 64,
                                      .skin_hz = 10.0,
                                      .diag_hz = 10.0,
                                      .meta_hz = 1.0,
                                      .ring = 256};
  snprintf(settings.ipc, sizeof(settings.ipc), "/tmp/propriod-bench-%d.sock", getpid());
  const struct robot robot = synthetic_robot();
  const struct publish_content content = {
      .robot = &robot, .diagnostics = &diagnostics, .period_s = 1e-3};
  struct message error = {""};
  struct publisher *publisher = publisher_start(&settings, &content, &error);
  if (publisher == NULL) {
    fprintf(stderr, "publish_bench: %s\n", error.text);
    return 1;
  }
  ring = publisher_handover(publisher);
  atomic_bool stop = false;
  pthread_t thread;
  pthread_create(&thread, NULL, cycle, &stop);
  char ipc[128];
  snprintf(ipc, sizeof(ipc), "ipc://%s", settings.ipc);
  void *context = zmq_ctx_new();
  measure_delay("subscriber_delay_ipc", context, ipc);
  measure_delay("subscriber_delay_tcp", context, publisher_tcp_endpoint(publisher));
  zmq_ctx_term(context);
  atomic_store(&stop, true);
  pthread_join(thread, NULL);
  publisher_stop(publisher);
  snprintf(ipc, sizeof(ipc), "%s.lock", settings.ipc);
  unlink(ipc);
  return 0;
}

int main(void) {
  return measure_costs() != 0 || measure_delays() != 0;
}
