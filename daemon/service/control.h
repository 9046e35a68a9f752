/* The control socket: one request, one answer, for proprioctl and scripts.
 *
 * A client connects, sends one line, gets lines of text and the end of the stream. The first line
 * of an answer is `ok` or `failed`. Clients that ask the same at the same time share one answer, so
 * a burst of `reload` is one reload. Everything is bounded: clients, bytes, time. All of it runs in
 * the main thread; nothing a client does reaches the cycle. Who may connect is decided by the
 * socket's mode, 0660. No user holds more than a few places, and some are kept for root and the
 * daemon's own user, who alone are trusted with what cannot be undone. */
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
#define CONTROL_MAX_A_USER   4     /* places for one user but root and the daemon's own */
#define CONTROL_KEPT_FREE    4     /* places that only root and the daemon's own user get */
#define CONTROL_REQUEST_SIZE 64    /* bytes of a request with its line end */
#define CONTROL_ANSWER_SIZE  16384 /* bytes of an answer; longer ones are cut */
#define CONTROL_PATIENCE_NS  INT64_C(5000000000) /* for a client to send its request */

/* Who asks what. */
struct control_request {
  const char *words; /* without line end */
  bool trusted;      /* by root or the daemon's own user */
};

enum control_verdict {
  CONTROL_FAILED, /* the answer is complete */
  CONTROL_OK,     /* the same, for good */
  CONTROL_LATER,  /* control_tell() will answer */
  CONTROL_AGAIN   /* not now: ask again at the next step */
};

/* Writes the answer to a request behind the `ok` or `failed` line. [main] */
typedef enum control_verdict control_answer(void *context, const struct control_request *request,
                                            FILE *answer);

struct control;

/* Listens on the Unix socket `path`. [start] A socket left behind by a dead daemon is replaced: the
 * caller holds the lock of the folder. NULL with `error` set when that is not possible. */
struct control *control_open(const char *path, struct message *error);

/* Readable when control_step has something to do. [main] */
int control_fd(const struct control *control);

/* Takes new clients, reads requests, answers them, sends away who takes too long. [main] Never
 * blocks but in `answer`; call also now and then without being readable. */
void control_step(struct control *control, int64_t now_ns, control_answer *answer, void *context);

/* Answers everybody whose `words` were to be answered later. [main] */
void control_tell(struct control *control, const char *words, bool ok, const char *text);

/* Closes and removes the socket. [main] NULL is allowed. */
void control_close(struct control *control);

/* The other end: asks and waits at most `timeout_ms`. [any program] On STATUS_OK `answer` holds
 * what came, zero-terminated, its first line included. STATUS_REFUSED: this user may not connect;
 * STATUS_STALE: nobody listens or no answer in time; `error` says which. */
enum status control_ask(const char *path, const char *request, int timeout_ms,
                        char answer[CONTROL_ANSWER_SIZE], struct message *error);

#endif
