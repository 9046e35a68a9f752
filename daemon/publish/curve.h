/* CURVE for subscribers beyond this machine: one's own secret key, the keys of those on the other
 * side, and the server's gate that asks for them. */
#ifndef CURVE_H
#define CURVE_H

#include "common/message.h"
#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

enum { CURVE_KEY_SIZE = 32, CURVE_MAX_PEERS = 256 };

struct curve_keys {
  uint8_t secret[CURVE_KEY_SIZE];
  size_t n_peers;
  uint8_t peer[CURVE_MAX_PEERS]
              [CURVE_KEY_SIZE]; /* public keys: a server's clients, a client's one server */
};

/* Reads a file with one Z85 secret key, which nobody but its owner may read, and a file with one
 * Z85 public key a line
 * (`#` begins a comment). [start] REFUSED with `error` set: file, line and what is wrong there;
 * `keys` untouched. */
enum status curve_read(const char *secret_file, const char *peers_file, struct curve_keys *keys,
                       struct message *error);

/* The gate: answers libzmq's question (ZAP) whether a client may come in. */
struct curve_gate {
  void *socket;
  const struct curve_keys *keys;
  uint64_t admitted, refused; /* since the start */
};

/* Opens the gate of a ZeroMQ context; `keys` must outlive it. [start] REFUSED with `error` set. */
enum status curve_gate_open(struct curve_gate *gate, void *context, const struct curve_keys *keys,
                            struct message *error);

/* Answers what has been asked meanwhile, at most 16 questions; never waits. [publisher] */
void curve_gate_answer(struct curve_gate *gate);

void curve_gate_close(struct curve_gate *gate);

#endif
