/* Memory taken once, at start.
 *
 * A module's `init` takes everything it needs from an arena and nothing afterwards. The same `init`
 * runs twice: first over an empty arena (base NULL), which only counts, then over the block of that
 * size. Size and use cannot drift apart.
 *
 *   struct arena count = {0};
 *   filter_init(&filter, &settings, &count); // counts: touches no memory, leaves pointers NULL
 *
 *   struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
 *   filter_init(&filter, &settings, &arena); // for real
 *
 * Inside `init`, take all arrays first, then `if (arena_is_counting(a)) { return STATUS_OK; }`,
 * then fill them. */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>

#define ARENA_ALIGN ((size_t)64) /* a cache line, and the widest vector register */

struct arena {
  unsigned char *base; /* NULL: counting only */
  size_t capacity;     /* bytes at base */
  size_t used;         /* bytes taken so far, padded to ARENA_ALIGN */
  bool failed;         /* a request did not fit; stays set */
};

/* An arena over `capacity` bytes at `base` (aligned to ARENA_ALIGN). [start] */
struct arena arena_over(void *base, size_t capacity);

/* Takes `count` elements of `size` bytes, zeroed and aligned to ARENA_ALIGN. [start]
 * NULL while counting, on overflow of the product, or when the block is full (then `failed` is
 * set). */
void *arena_take(struct arena *arena, size_t count, size_t size);

/* True over an empty arena: `init` must return before it writes to what it took. [start] */
static inline bool arena_is_counting(const struct arena *arena) {
  return arena->base == NULL;
}

#define ARENA_ARRAY(arena, type, count) ((type *)arena_take((arena), (count), sizeof(type)))

#endif
