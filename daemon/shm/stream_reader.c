#include "shm/stream_reader.h"

#include <string.h>

enum status stream_reader_init(struct stream_reader *reader, unsigned kind, uint32_t count,
                               struct arena *arena) {
  if (kind >= PROPRIOD_SHM_STREAMS || count > propriod_shm_max_count(kind)) {
    return STATUS_BAD_ARGUMENT;
  }
  const size_t bytes = propriod_shm_used(kind, count, UINT32_MAX);
  unsigned char *const arrays = ARENA_ARRAY(arena, unsigned char, bytes);
  unsigned char *const next_arrays = ARENA_ARRAY(arena, unsigned char, bytes);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  memset(reader, 0, sizeof(*reader));
  reader->kind = kind;
  reader->count = count;
  reader->arrays = arrays;
  reader->next_arrays = next_arrays;
  /* all bits set is NaN: nothing read yet is no number */
  memset(arrays, 0xff, bytes);
  memset(next_arrays, 0xff, bytes);
  return STATUS_OK;
}

void stream_reader_attach(struct stream_reader *reader) {
  reader->seen = 0;
}

/* Copies word by word and sums what was copied, not what may stand there a moment later. Relaxed
 * atomic loads: the writer may be writing; the slot's number then tells. */
static struct propriod_shm_sum copy_and_sum(propriod_shm_word *to, const propriod_shm_word *from,
                                            size_t words) {
  struct propriod_shm_sum sum = propriod_shm_sum_begin();
  /* four sums beside each other, which the processor overlaps */
  for (size_t i = 0; i + 4 <= words; i += 4) {
    for (size_t lane = 0; lane < 4; lane++) {
      const uint64_t word = __atomic_load_n(&from[i + lane], __ATOMIC_RELAXED);
      to[i + lane] = word;
      sum.lane[lane] = propriod_shm_stir(sum.lane[lane], word);
    }
  }
  /* what is left over */
  for (size_t lane = 0; lane < words % 4; lane++) {
    const size_t i = words - words % 4 + lane;
    to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    sum.lane[lane] = propriod_shm_stir(sum.lane[lane], to[i]);
  }
  return sum;
}

/* Copies frame `number` out of its slot; true when its checksum fits. */
static bool copy_frame(struct stream_reader *reader, const struct propriod_shm_slot *slot,
                       uint64_t number) {
  struct propriod_shm_slot *next = &reader->next;
  /* the slot's head */
  next->seq = 2 * number;
  next->t_ns = __atomic_load_n(&slot->t_ns, __ATOMIC_RELAXED);
  next->commit_ns = __atomic_load_n(&slot->commit_ns, __ATOMIC_RELAXED);
  next->fields = __atomic_load_n(&slot->fields, __ATOMIC_RELAXED);
  next->reserved = __atomic_load_n(&slot->reserved, __ATOMIC_RELAXED);
  next->checksum = __atomic_load_n(&slot->checksum, __ATOMIC_RELAXED);
  /* only the arrays that this frame has */
  const uint64_t bytes = propriod_shm_used(reader->kind, reader->count, next->fields);
  const struct propriod_shm_sum sum =
      copy_and_sum((propriod_shm_word *)(void *)reader->next_arrays,
                   (const propriod_shm_word *)(const void *)(slot + 1), bytes / 8);
  return propriod_shm_sum_end(&sum, next) == next->checksum;
}

enum stream_news stream_reader_poll(struct stream_reader *reader, const unsigned char *base,
                                    const struct propriod_shm_stream *place) {
  const struct propriod_shm_control *control =
      (const struct propriod_shm_control *)(const void *)(base + place->control);
  for (int tries = 0, copies = 0; tries < STREAM_TRIES && copies < STREAM_COPIES; tries++) {
    /* the newest frame that is whole */
    const uint64_t number = __atomic_load_n(&control->head, __ATOMIC_ACQUIRE);
    if (number == 0 || number == reader->seen) {
      return STREAM_NOTHING_NEW;
    }
    const struct propriod_shm_slot *slot =
        (const struct propriod_shm_slot *)(const void *)(base + place->slots +
                                                         (number - 1) % place->n_slots *
                                                             place->slot_size);
    /* acquire: no word of the frame is read before its number */
    if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) != 2 * number) {
      continue;
    }
    copies++;
    const bool fits = copy_frame(reader, slot, number);
    /* the number is read again after all else; the fence pairs with the writer's: one word of a
     * later frame among those copied, and its odd number or a later one stands here */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&slot->seq, __ATOMIC_RELAXED) == 2 * number) {
      reader->seen = number;
      return fits ? STREAM_NEW_FRAME : STREAM_CORRUPT;
    }
  }
  return STREAM_TORN;
}

void stream_reader_accept(struct stream_reader *reader) {
  /* the two copies change places */
  unsigned char *const accepted = reader->next_arrays;
  reader->next_arrays = reader->arrays;
  reader->arrays = accepted;
  reader->head = reader->next;
}
