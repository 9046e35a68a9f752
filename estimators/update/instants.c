#include "update/instants.h"

#include <string.h>

/* Instants that keep their covariances at first, and samples after which one less does. */
enum { FIRST_REACH = 3, REACH_MEMORY = 2000 };

enum status instants_init(struct instants *instants, const struct joint_layout *layout,
                          size_t capacity, size_t blocks_max, int64_t merge_ns,
                          struct arena *arena) {
  *instants = (struct instants){
      .capacity = capacity, .merge_ns = merge_ns, .n_joints = layout->n, .reach = FIRST_REACH};
  instants->at = ARENA_ARRAY(arena, struct instant *, capacity);
  instants->storage = ARENA_ARRAY(arena, struct instant, capacity);
  instants->spare = ARENA_ARRAY(arena, double *, capacity);
  for (size_t i = 0; i < capacity; i++) {
    struct instant instant = {
        .q = ARENA_ARRAY(arena, double, layout->n),
        .q_used = ARENA_ARRAY(arena, bool, layout->n),
        .kick_q = ARENA_ARRAY(arena, double, layout->n),
        .kick = ARENA_ARRAY(arena, double, layout->n),
        .pending.told = ARENA_ARRAY(arena, double, layout->n),
        .kick_ddq = ARENA_ARRAY(arena, double, layout->n),
        .limb = ARENA_ARRAY(arena, struct imu_triads, layout->n_limbs),
        .block = ARENA_ARRAY(arena, struct link_rows, blocks_max),
        .x = ARENA_ARRAY(arena, double, layout->numbers),
    };
    double *P = ARENA_ARRAY(arena, double, layout->size * layout->stride);
    if (!arena_is_counting(arena) && !arena->failed) {
      instants->storage[i] = instant;
      instants->at[i] = &instants->storage[i];
      instants->spare[instants->spares++] = P;
    }
  }
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static void let_go(struct instants *instants, struct instant *instant) {
  if (instant->P != NULL) {
    instants->spare[instants->spares++] = instant->P;
    instant->P = NULL;
  }
}

void instants_clear(struct instants *instants) {
  for (size_t i = 0; i < instants->count; i++) {
    let_go(instants, instants->at[i]);
  }
  instants->count = 0;
}

void instants_hold(struct instants *instants, size_t index) {
  if (instants->at[index]->P == NULL) {
    instants->at[index]->P = instants->spare[--instants->spares];
  }
}

size_t instants_base(const struct instants *instants, size_t index) {
  size_t base = index - 1;
  while (base > 0 && instants->at[base]->P == NULL) {
    base--;
  }
  return base;
}

size_t instants_next(const struct instants *instants) {
  size_t next = 1;
  while (next + 1 < instants->count && instants->at[next]->P == NULL) {
    next++;
  }
  return next;
}

void instants_thin(struct instants *instants, int64_t keep_ns) {
  size_t kept = 0;
  instants->added = 0;
  for (size_t i = 1; i + instants->reach < instants->count; i++) {
    struct instant *instant = instants->at[i];
    if (i - kept < INSTANTS_KEEP_EVERY && instant->t_ns != keep_ns) {
      let_go(instants, instant);
    }
    kept = instant->P != NULL ? i : kept;
  }
}

/* A sample has come to instant `index`: of what was there, all from the one before it on had to
 * have covariances. */
static void note_reach(struct instants *instants, size_t index) {
  const size_t back = instants->count + 1 - index;
  const size_t needed = back > instants->added ? back - instants->added : 0;
  instants->unreached++;
  if (needed >= instants->reach) {
    instants->reach = needed;
    instants->unreached = 0;
  } else if (instants->unreached > REACH_MEMORY) {
    instants->reach--;
    instants->unreached = 0;
  }
}

/* Index of the instant within merge_ns of t_ns that has nothing of `stream`, nearest first; or
 * count. The oldest is never taken: its estimate is final. */
static size_t find_near(const struct instants *instants, int64_t t_ns, enum stream stream) {
  size_t best = instants->count;
  int64_t distance = instants->merge_ns;
  for (size_t i = 1; i < instants->count; i++) {
    const int64_t apart = instants->at[i]->t_ns - t_ns, size = apart < 0 ? -apart : apart;
    if (size < distance && (instants->at[i]->streams & stream) == 0) {
      best = i;
      distance = size;
    }
  }
  return best;
}

/* A fresh instant at `index`, those behind it moved on by one. */
static void insert(struct instants *instants, size_t index, int64_t t_ns) {
  struct instant *fresh = instants->at[instants->count];
  memmove(instants->at + index + 1, instants->at + index,
          (instants->count - index) * sizeof(*instants->at));
  instants->at[index] = fresh;
  instants->count++;
  instants->added++;
  instants_hold(instants, index);
  fresh->t_ns = t_ns;
  fresh->streams = fresh->filtered = 0;
  fresh->n_blocks = 0;
  fresh->has_orientation = false;
  fresh->open_rate = fresh->open_force = fresh->open_pulse = VEC3_ZERO;
  fresh->imu_nis = 0.0;
  fresh->blow = (struct blow){.square = 0.0};
  memset(fresh->contact, 0, sizeof(fresh->contact));
  fresh->rests = false;
  fresh->revision = 0;
  fresh->pending.since_ns = 0;
  fresh->felt_ns = 0;
  memset(fresh->pending.told, 0, instants->n_joints * sizeof(*fresh->pending.told));
  memset(fresh->kick_q, 0, instants->n_joints * sizeof(*fresh->kick_q));
  memset(fresh->kick, 0, instants->n_joints * sizeof(*fresh->kick));
  memset(fresh->kick_ddq, 0, instants->n_joints * sizeof(*fresh->kick_ddq));
}

static void drop_oldest(struct instants *instants) {
  for (size_t dropped = instants_next(instants); dropped > 0; dropped--) {
    struct instant *oldest = instants->at[0];
    let_go(instants, oldest);
    memmove(instants->at, instants->at + 1, (instants->count - 1) * sizeof(*instants->at));
    instants->at[--instants->count] = oldest;
  }
}

enum status instants_place(struct instants *instants, int64_t t_ns, enum stream stream,
                           size_t *index) {
  if (instants->count > 0 && t_ns <= instants->at[0]->t_ns) {
    return STATUS_STALE;
  }
  size_t place = find_near(instants, t_ns, stream);
  if (place == instants->count) {
    if (instants_full(instants)) {
      if (t_ns < instants->at[instants_next(instants)]->t_ns) {
        return STATUS_STALE; /* older than what would become the oldest */
      }
      drop_oldest(instants);
    }
    place = instants->count;
    while (place > 0 && instants->at[place - 1]->t_ns > t_ns) {
      place--;
    }
    insert(instants, place, t_ns);
  }
  note_reach(instants, place);
  instants->at[place]->streams |= stream;
  *index = place;
  return STATUS_OK;
}
