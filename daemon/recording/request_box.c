#include "recording/request_box.h"

#include <stdio.h>
#include <string.h>

void request_box_init(struct request_box *box) {
  memset(box, 0, sizeof(*box));
  pthread_mutex_init(&box->lock, NULL);
}

bool request_box_ask(struct request_box *box, const char *words) {
  pthread_mutex_lock(&box->lock);
  const bool is_free = box->words[0] == '\0';
  if (is_free) {
    snprintf(box->words, sizeof(box->words), "%s", words);
    box->asked = true;
    box->answered = false;
  }
  pthread_mutex_unlock(&box->lock);
  return is_free;
}

bool request_box_take(struct request_box *box, char words[REQUEST_WORDS_SIZE]) {
  pthread_mutex_lock(&box->lock);
  const bool asked = box->asked;
  box->asked = false;
  memcpy(words, box->words, sizeof(box->words));
  pthread_mutex_unlock(&box->lock);
  return asked;
}

void request_box_answer(struct request_box *box, bool ok, const struct message *text) {
  pthread_mutex_lock(&box->lock);
  box->text = *text;
  box->ok = ok;
  box->answered = true;
  pthread_mutex_unlock(&box->lock);
}

bool request_box_hear(struct request_box *box, char words[REQUEST_WORDS_SIZE], bool *ok,
                      struct message *text) {
  pthread_mutex_lock(&box->lock);
  const bool answered = box->answered;
  if (answered) {
    memcpy(words, box->words, sizeof(box->words));
    *ok = box->ok;
    *text = box->text;
    box->words[0] = '\0';
    box->answered = false;
  }
  pthread_mutex_unlock(&box->lock);
  return answered;
}
