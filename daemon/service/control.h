/* The control socket: one request, one answer, for proprioctl and scripts.
 *
 * A client connects, sends one line, gets lines of text and the end of the stream. The first line
 * of an answer is `ok` or `failed`. Clients that ask the same at the same time share one answer, so
 * a burst of `reload` is one reload. Everything is bounded: clients, bytes, time. All of it runs in
 * the main thread; nothing a client does reaches the cycle. Who may connect is decided by the
 * socket's mode, 0660, and its folder. */
#ifndef CONTROL_H
#define CONTROL_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/un.h>

#define CONTROL_SOCKET       "control.sock" /* its name in the runtime folder */
#define CONTROL_PATH_SIZE    sizeof(((struct sockaddr_un *)0)->sun_path)
#define CONTROL_MAX_CLIENTS  16
#define CONTROL_REQUEST_SIZE 64                  /* bytes of a request with its line end */
#define CONTROL_ANSWER_SIZE  16384               /* bytes of an answer; longer ones are cut */
#define CONTROL_PATIENCE_NS  INT64_C(5000000000) /* for a client to send its request */

/* Writes the answer to `request` (without line end) behind the `ok` or `failed` line. [main] True
 * stands for `ok`. */
typedef bool control_answer(void *context, const char *request, FILE *answer);

struct control;

/* Listens on the Unix socket `path`. [start] A socket left behind by a dead daemon is replaced: the
 * caller holds the lock of the folder. NULL with `error` set when that is not possible. */
struct control *control_open(const char *path, struct message *error);

/* Readable when control_step has something to do. [main] */
int control_fd(const struct control *control);

/* Takes new clients, reads requests, answers them, sends away who takes too long. [main] Never
 * blocks but in `answer`; call also now and then without being readable. */
void control_step(struct control *control, int64_t now_ns, control_answer *answer, void *context);

/* Closes and removes the socket. [main] NULL is allowed. */
void control_close(struct control *control);

/* The other end: asks and waits at most `timeout_ms`. [any program] On STATUS_OK `answer` holds
 * what came, zero-terminated, its first line included. STATUS_REFUSED: this user may not connect;
 * STATUS_STALE: nobody listens or no answer in time; `error` says which. */
enum status control_ask(const char *path, const char *request, int timeout_ms,
                        char answer[CONTROL_ANSWER_SIZE], struct message *error);

#endif
