#include "publish/curve.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zmq.h>

#define ZAP_ENDPOINT "inproc://zeromq.zap.01"

enum { Z85_KEY = 40, LINE_SIZE = 256, QUESTIONS_AT_ONCE = 16 };

/* The first word of a line, in place; "" when it is `#`, which begins a comment (and many a key,
 * being a Z85 letter). */
static const char *first_word(char *line) {
  line += strspn(line, " \t");
  line[strcspn(line, " \t\r\n")] = '\0';
  return strcmp(line, "#") == 0 ? "" : line;
}

/* Reads up to `most` keys, one a line. Returns their number, or -1 with `error` set. */
static int read_keys(const char *file, uint8_t key[][CURVE_KEY_SIZE], int most,
                     struct message *error) {
  FILE *in = fopen(file, "re");
  if (in == NULL) {
    message_set(error, "%s: %s", file, strerror(errno));
    return -1;
  }
  char line[LINE_SIZE];
  int count = 0;
  for (int number = 1; count >= 0 && fgets(line, sizeof(line), in) != NULL; number++) {
    const char *text = first_word(line);
    if (text[0] == '\0') {
      continue;
    }
    if (count == most) {
      message_set(error, "%s:%d: more than %d keys", file, number, most);
      count = -1;
    } else if (strlen(text) != Z85_KEY || zmq_z85_decode(key[count], text) == NULL) {
      message_set(error, "%s:%d: not a key of %d Z85 characters", file, number, (int)Z85_KEY);
      count = -1;
    } else {
      count++;
    }
  }
  fclose(in);
  return count;
}

static enum status read_secret(const char *file, uint8_t secret[CURVE_KEY_SIZE],
                               struct message *error) {
  struct stat found;
  if (stat(file, &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    message_set(error, "%s: mode %03o: a secret key may be readable by its owner only (chmod 600)",
                file, found.st_mode & 0777u);
    return STATUS_REFUSED;
  }
  uint8_t key[1][CURVE_KEY_SIZE];
  const int count = read_keys(file, key, 1, error);
  if (count == 0) {
    message_set(error, "%s: no key in it", file);
  }
  if (count != 1) {
    return STATUS_REFUSED;
  }
  memcpy(secret, key[0], CURVE_KEY_SIZE);
  return STATUS_OK;
}

enum status curve_read(const char *secret_file, const char *peers_file, struct curve_keys *keys,
                       struct message *error) {
  struct curve_keys *read = calloc(1, sizeof(*read));
  if (read == NULL) {
    message_set(error, "no memory for the keys");
    return STATUS_NO_MEMORY;
  }
  enum status status = read_secret(secret_file, read->secret, error);
  if (status == STATUS_OK) {
    const int count = read_keys(peers_file, read->peer, CURVE_MAX_PEERS, error);
    status = count < 0 ? STATUS_REFUSED : STATUS_OK;
    read->n_peers = count < 0 ? 0 : (size_t)count;
  }
  if (status == STATUS_OK) {
    *keys = *read;
  }
  free(read);
  return status;
}

enum status curve_gate_open(struct curve_gate *gate, void *context, const struct curve_keys *keys,
                            struct message *error) {
  *gate = (struct curve_gate){.socket = zmq_socket(context, ZMQ_REP), .keys = keys};
  const int no_wait = 0;
  if (gate->socket == NULL ||
      zmq_setsockopt(gate->socket, ZMQ_LINGER, &no_wait, sizeof(no_wait)) != 0 ||
      zmq_bind(gate->socket, ZAP_ENDPOINT) != 0) {
    message_set(error, "publish.curve: %s", zmq_strerror(errno));
    curve_gate_close(gate);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

/* A question has seven frames: version, number, domain, address, identity, mechanism, key. */
enum { FRAME_NUMBER = 1, FRAME_MECHANISM = 5, FRAME_KEY = 6, FRAMES = 7, FRAME_SIZE = 256 };

struct question {
  uint8_t frame[FRAMES][FRAME_SIZE];
  size_t size[FRAMES];
  bool sane;
};

/* False: nothing has been asked. */
static bool receive_question(void *socket, struct question *question) {
  int more = 1;
  question->sane = true;
  for (int i = 0; more; i++) {
    uint8_t surplus[FRAME_SIZE];
    const int size = zmq_recv(socket, i < FRAMES ? question->frame[i] : surplus, FRAME_SIZE,
                              i == 0 ? ZMQ_DONTWAIT : 0);
    if (size < 0) {
      return false;
    }
    if (i < FRAMES && size <= FRAME_SIZE) {
      question->size[i] = (size_t)size;
    } else {
      question->sane = false;
    }
    size_t more_size = sizeof(more);
    zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &more_size);
    question->sane = question->sane && (more || i == FRAMES - 1);
  }
  return true;
}

static bool is_known(const struct curve_keys *keys, const struct question *question) {
  if (!question->sane || question->size[FRAME_KEY] != CURVE_KEY_SIZE ||
      question->size[FRAME_MECHANISM] != strlen("CURVE") ||
      memcmp(question->frame[FRAME_MECHANISM], "CURVE", strlen("CURVE")) != 0) {
    return false;
  }
  for (size_t i = 0; i < keys->n_peers; i++) {
    if (memcmp(keys->peer[i], question->frame[FRAME_KEY], CURVE_KEY_SIZE) == 0) {
      return true;
    }
  }
  return false;
}

static void send_answer(void *socket, const struct question *question, bool admitted) {
  const char *code = admitted ? "200" : "400";
  const char *text = admitted ? "OK" : "this key is not in the list of clients";
  const size_t number_size = question->sane ? question->size[FRAME_NUMBER] : 0;
  zmq_send(socket, "1.0", 3, ZMQ_SNDMORE);
  zmq_send(socket, question->frame[FRAME_NUMBER], number_size, ZMQ_SNDMORE);
  zmq_send(socket, code, 3, ZMQ_SNDMORE);
  zmq_send(socket, text, strlen(text), ZMQ_SNDMORE);
  zmq_send(socket, "", 0, ZMQ_SNDMORE);
  zmq_send(socket, "", 0, 0);
}

void curve_gate_answer(struct curve_gate *gate) {
  struct question question;
  for (int i = 0; i < QUESTIONS_AT_ONCE && receive_question(gate->socket, &question); i++) {
    const bool admitted = is_known(gate->keys, &question);
    send_answer(gate->socket, &question, admitted);
    gate->admitted += admitted;
    gate->refused += !admitted;
  }
}

void curve_gate_close(struct curve_gate *gate) {
  if (gate->socket != NULL) {
    zmq_close(gate->socket);
    gate->socket = NULL;
  }
}
