/* One request at a time from the main thread to the recorder, and its answer back. */
#ifndef REQUEST_BOX_H
#define REQUEST_BOX_H

#include "common/message.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { REQUEST_WORDS_SIZE = 64 };

struct request_box {
  pthread_mutex_t lock;
  char words[REQUEST_WORDS_SIZE]; /* "": there is none */
  struct message text;            /* the answer, for people */
  bool asked, answered, ok;
};

/* [start] */
void request_box_init(struct request_box *box);

/* Puts a request in. [main] False: another has not been answered yet. */
bool request_box_ask(struct request_box *box, const char *words);

/* Takes a request out, once. [recorder] False: there is none. */
bool request_box_take(struct request_box *box, char words[REQUEST_WORDS_SIZE]);

/* Answers it. [recorder] */
void request_box_answer(struct request_box *box, bool ok, const struct message *text);

/* Takes the answer out. [main] False: there is none yet. `words` is what had been asked. */
bool request_box_hear(struct request_box *box, char words[REQUEST_WORDS_SIZE], bool *ok,
                      struct message *text);

#endif
