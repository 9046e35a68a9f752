/* Hearing propriod from C: the newest joint positions, ten times a second.
 * Build: gcc -O2 subscriber.c -lzmq -lmsgpackc -o subscriber
 * Run: ./subscriber [ENDPOINT [SECONDS]] */
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

/* Receives one message, topic and map. 0, or -1 when none waits. */
static int receive(void *socket, zmq_msg_t *map) {
  char topic[16];
  if (zmq_recv(socket, topic, sizeof(topic), ZMQ_DONTWAIT) < 0) {
    return -1;
  }
  return zmq_msg_recv(map, socket, 0) < 0 ? -1 : 0;
}

/* Receives all that waits and keeps the newest: a controller that is late must not work off the
 * past. (ZeroMQ's own option for that, ZMQ_CONFLATE, does not work with messages of two frames.)
 * Returns how many came. */
static int receive_newest(void *socket, zmq_msg_t *newest) {
  int count = 0;
  while (receive(socket, newest) == 0) {
    count++;
  }
  return count;
}

static const msgpack_object *find(const msgpack_object *map, const char *key) {
  for (uint32_t i = 0; i < map->via.map.size; i++) {
    const msgpack_object_str *name = &map->via.map.ptr[i].key.via.str;
    if (name->size == strlen(key) && memcmp(name->ptr, key, name->size) == 0) {
      return &map->via.map.ptr[i].val;
    }
  }
  return NULL;
}

static void print_state(const msgpack_object *state, int count) {
  const msgpack_object *seq = find(state, "seq"), *status = find(state, "status");
  const msgpack_object *q = find(state, "q"); /* absent when it is not estimated */
  printf("%.*s, number %llu, newest of %d:", (int)status->via.str.size, status->via.str.ptr,
         (unsigned long long)seq->via.u64, count);
  for (uint32_t j = 0; q != NULL && j < q->via.array.size && j < 8; j++) {
    printf(" %.4f", q->via.array.ptr[j].via.f64);
  }
  printf("\n");
  fflush(stdout);
}

int main(int argc, char **argv) {
  const char *endpoint = argc > 1 ? argv[1] : "ipc:///run/propriod/pub.sock";
  const int rounds = argc > 2 ? 10 * atoi(argv[2]) : -1;
  void *context = zmq_ctx_new();
  void *socket = zmq_socket(context, ZMQ_SUB);
  zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "state", strlen("state"));
  if (zmq_connect(socket, endpoint) != 0) {
    fprintf(stderr, "%s: %s\n", endpoint, zmq_strerror(errno));
    return 1;
  }
  int heard = 0;
  zmq_msg_t newest;
  zmq_msg_init(&newest);
  for (int i = 0; i != rounds; i++) {
    usleep(100000);
    const int count = receive_newest(socket, &newest);
    msgpack_unpacked state;
    msgpack_unpacked_init(&state);
    const char *map = (const char *)zmq_msg_data(&newest);
    if (count > 0 &&
        msgpack_unpack_next(&state, map, zmq_msg_size(&newest), NULL) == MSGPACK_UNPACK_SUCCESS) {
      print_state(&state.data, count);
      heard++;
    }
    msgpack_unpacked_destroy(&state);
  }
  zmq_msg_close(&newest);
  const int linger = 0;
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
  zmq_close(socket);
  zmq_ctx_term(context);
  return heard > 0 ? 0 : 1;
}
