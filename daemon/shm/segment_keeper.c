#include "shm/segment_keeper.h"

#include <string.h>

enum status segment_keeper_init(struct segment_keeper *keeper, const char *name,
                                const uint32_t count[PROPRIOD_SHM_STREAMS],
                                struct diagnostics *diagnostics, struct message *error) {
  struct segment first;
  struct pid_lock lock = {.held = false};
  char path[PROPRIOD_SHM_PATH];
  if (propriod_shm_path(name, path) == 0 &&
      pid_lock_take_for(&lock, path, "reads this segment", error) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  const enum status status = segment_create(&first, name, count, error);
  if (status != STATUS_OK) {
    pid_lock_release(&lock);
    return status;
  }
  memset(keeper, 0, sizeof(*keeper));
  keeper->lock = lock;
  strcpy(keeper->name, first.name);
  memcpy(keeper->count, count, sizeof(keeper->count));
  memset(keeper->wanted, 0xff, sizeof(keeper->wanted));
  keeper->diagnostics = diagnostics;
  keeper->place[0] = first;
  keeper->place[1].fd = -1;
  atomic_store(&keeper->offered, &keeper->place[0]);
  return STATUS_OK;
}

/* Unmaps the segment that was replaced, once the cycle reads the new one. */
static void release_old(struct segment_keeper *keeper) {
  struct segment *old = &keeper->place[1 - keeper->current];
  if (keeper->leaving && atomic_load(&keeper->in_use) != old) {
    segment_close(old);
    keeper->leaving = false;
  }
}

static enum status replace(struct segment_keeper *keeper, const struct message *why,
                           struct message *event) {
  struct segment *next = &keeper->place[1 - keeper->current];
  struct message error;
  segment_retire(&keeper->place[keeper->current]);
  if (segment_create(next, keeper->name, keeper->count, &error) != STATUS_OK) {
    counter_increment(&keeper->diagnostics->refused);
    message_set(event, "%.200s; %.300s", why->text, error.text);
    return STATUS_REFUSED;
  }
  keeper->current = 1 - keeper->current;
  keeper->leaving = true;
  atomic_store(&keeper->offered, next);
  counter_increment(&keeper->diagnostics->reattached);
  message_set(event, "%s; made anew", why->text);
  return STATUS_STALE;
}

enum status segment_keeper_step(struct segment_keeper *keeper, struct message *event) {
  struct message why;
  release_old(keeper);
  if (segment_check(&keeper->place[keeper->current], &why) == STATUS_OK) {
    return STATUS_OK;
  }
  if (keeper->leaving) { /* both places taken: the cycle has not come round since the last time */
    message_set(event, "%.400s; waiting for the cycle to let go", why.text);
    return STATUS_REFUSED;
  }
  const enum status status = replace(keeper, &why, event);
  release_old(keeper);
  return status;
}

/* Stored before it is used: the main thread, seeing another one in use, may unmap the old. It
 * offers first and looks at what is in use then; this side stores first and looks at what is
 * offered then. In the one order of these four that all see (seq_cst), one of the two sees the
 * other. The main thread offers another one once a second at most: this ends. */
const struct segment *segment_keeper_current(struct segment_keeper *keeper) {
  struct segment *offered = atomic_load_explicit(&keeper->offered, memory_order_acquire);
  bool other = false;
  while (atomic_load_explicit(&keeper->in_use, memory_order_relaxed) != offered) {
    atomic_store(&keeper->in_use, offered);
    offered = atomic_load(&keeper->offered);
    other = true;
  }
  if (other) {
    segment_want(offered, keeper->wanted);
  }
  return offered;
}

void segment_keeper_let_go(struct segment_keeper *keeper) {
  atomic_store(&keeper->in_use, NULL);
}

void segment_keeper_want(struct segment_keeper *keeper, const uint64_t *wanted) {
  struct segment *const in_use = atomic_load_explicit(&keeper->in_use, memory_order_relaxed);
  memcpy(keeper->wanted, wanted, (keeper->count[PROPRIOD_SHM_SKIN] + 63) / 64 * sizeof(wanted[0]));
  if (in_use != NULL) {
    segment_want(in_use, keeper->wanted);
  }
}

void segment_keeper_close(struct segment_keeper *keeper, bool remove) {
  segment_keeper_let_go(keeper);
  release_old(keeper);
  if (remove) {
    segment_retire(&keeper->place[keeper->current]);
  }
  segment_close(&keeper->place[keeper->current]);
  pid_lock_release(&keeper->lock);
}
