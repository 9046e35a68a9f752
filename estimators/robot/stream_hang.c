#include "robot/stream_hang.h"

#include <string.h>

/* Frames that repeat themselves less often than that, at rest, of so many seen, and in motion, do
 * so by no chance. */
static const double SELDOM = 0.02, SEEN = 200.0;

void stream_hang_init(struct stream_hang *hang, size_t bytes, struct arena *arena) {
  *hang = (struct stream_hang){.bytes = bytes, .repeats = repeats_unknown()};
  hang->last = ARENA_ARRAY(arena, unsigned char, bytes);
}

static bool repeats_seldom(const struct repeats *r) {
  return r->at_rest.seen >= SEEN && r->at_rest.ordinarily < SELDOM &&
         (r->moving.seen < SEEN || r->moving.ordinarily < SELDOM);
}

bool stream_hangs(struct stream_hang *hang, const struct stream_stamp *stamp, const void *numbers,
                  bool moving) {
  if (!stamp->present || !stamp->fresh || stamp->t_ns == hang->t_ns || hang->bytes == 0) {
    return false;
  }
  hang->t_ns = stamp->t_ns;
  const bool equal = memcmp(numbers, hang->last, hang->bytes) == 0;
  if (equal && repeats_seldom(&hang->repeats)) {
    return true;
  }
  memcpy(hang->last, numbers, hang->bytes);
  repeats_watch(&hang->repeats, equal, moving);
  return false;
}
