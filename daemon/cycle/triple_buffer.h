/* The newest of what one thread writes, for one other that reads, without either ever waiting.
 *
 * Of three buffers one is always free to be written and one always whole to be read; the third lies
 * between them and changes hands. The reader gets the newest, not all. The buffers themselves are
 * the owner's: this tells which is whose. */
#ifndef TRIPLE_BUFFER_H
#define TRIPLE_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>

enum { TRIPLE_BUFFERS = 3 };

struct triple_buffer {
  unsigned back;       /* buffer being written: the writer's */
  unsigned front;      /* buffer being read: the reader's */
  atomic_uint between; /* the third, perhaps not yet taken */
};

/* Nothing written yet. [start] */
void triple_buffer_init(struct triple_buffer *buffer);

/* Hands over the buffer numbered `back`, written now; `back` is another one afterwards.
 * [real-time] */
void triple_buffer_hand_over(struct triple_buffer *buffer);

/* True when something was handed over since the last time: it is in buffer `front`, until the next
 * true. [any] one thread. */
bool triple_buffer_take(struct triple_buffer *buffer);

#endif
