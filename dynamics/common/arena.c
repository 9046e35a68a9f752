#include "common/arena.h"

#include <stdint.h>
#include <string.h>

struct arena arena_over(void *base, size_t capacity) {
  return (struct arena){.base = base, .capacity = capacity};
}

void *arena_take(struct arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - ARENA_ALIGN) / size) {
    arena->failed = true;
    return NULL;
  }
  const size_t bytes = (count * size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
  if (arena->base == NULL) {
    arena->used += bytes;
    return NULL;
  }
  if (bytes > arena->capacity - arena->used) {
    arena->failed = true;
    return NULL;
  }
  void *block = arena->base + arena->used;
  arena->used += bytes;
  memset(block, 0, bytes);
  return block;
}
