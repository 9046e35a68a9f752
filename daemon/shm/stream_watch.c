#include "shm/stream_watch.h"

#include "common/clock.h"

static enum stream_word say_found(unsigned kind, uint64_t silences, struct message *text) {
  const char *name = propriod_shm_name(kind);
  if (silences > 1) {
    message_set(text, "%s: frames arrive again, after %llu silences", name,
                (unsigned long long)silences);
  } else {
    message_set(text, "%s: frames arrive%s", name, silences > 0 ? " again" : "");
  }
  return STREAM_FOUND;
}

enum stream_word stream_watch_look(struct stream_watch *watch, unsigned kind,
                                   const struct stream_diagnostics *stream, int64_t now_ns,
                                   struct message *text) {
  struct stream_said *said = &watch->said[kind];
  const bool present = atomic_load_explicit(&stream->present, memory_order_relaxed);
  const uint64_t stale = counter_read(&stream->stale);
  const bool trouble = !present || stale != said->stale;
  if (trouble) {
    said->trouble_ns = now_ns;
    said->silences += stale - said->stale;
    said->stale = stale;
  }
  if (said->heard && trouble) {
    said->heard = false;
    said->lost = true;
    message_set(text, "%s: silent for longer than input.%s_limit", propriod_shm_name(kind),
                propriod_shm_name(kind));
    return STREAM_LOST;
  }
  const bool steady = !said->lost || now_ns - said->trouble_ns >= STREAM_STEADY_NS;
  if (!said->heard && present && steady) {
    const uint64_t silences = said->lost ? said->silences : 0;
    said->heard = true;
    said->silences = 0;
    return say_found(kind, silences, text);
  }
  return STREAM_NO_WORD;
}
