/* Any bytes in a segment behind a sound header: the reader ends in bounded work, stays within the
 * segment, and takes only frames whose checksum fits what it copied. Input: a byte of which bits 0
 * to 3 make the newest frame of that stream look committed and summed, then the segment's bytes. */
#include "propriod/shm_layout.h"
#include "require.h"
#include "shm/stream_reader.h"

#include <string.h>

static const uint32_t counts[PROPRIOD_SHM_STREAMS] = {3, 1, 5, 2};

/* Gives the first slot the number and the checksum of a committed frame. */
static void commit(unsigned char *base, unsigned kind, const struct propriod_shm_stream *place) {
  struct propriod_shm_control *control = (void *)(base + place->control);
  struct propriod_shm_slot *slot = (void *)(base + place->slots);
  control->head = 1;
  slot->seq = 2;
  const uint64_t bytes = propriod_shm_used(kind, place->count, slot->fields);
  slot->checksum = propriod_shm_checksum(slot, slot + 1, bytes);
}

static void read_stream(unsigned char *base, unsigned kind, const struct propriod_shm_stream *place,
                        bool committed) {
  struct stream_reader reader;
  struct arena count = {0};
  REQUIRE(stream_reader_init(&reader, kind, place->count, &count) == STATUS_OK);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  REQUIRE(stream_reader_init(&reader, kind, place->count, &arena) == STATUS_OK);
  if (committed) {
    commit(base, kind, place);
  }
  const enum stream_news news = stream_reader_poll(&reader, base, place);
  REQUIRE(!committed || news == STREAM_NEW_FRAME);
  if (news == STREAM_NEW_FRAME) {
    const uint64_t bytes = propriod_shm_used(kind, place->count, reader.next.fields);
    REQUIRE(propriod_shm_checksum(&reader.next, reader.next_arrays, bytes) == reader.next.checksum);
    stream_reader_accept(&reader);
    REQUIRE(stream_reader_poll(&reader, base, place) == STREAM_NOTHING_NEW);
  }
  free(arena.base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct propriod_shm_header header = propriod_shm_layout(counts);
  if (size == 0) {
    return 0;
  }
  unsigned char *base = aligned_alloc(4096, header.size);
  memset(base, 0, header.size);
  const size_t room = header.size - PROPRIOD_SHM_HEADER_SIZE, used = size - 1;
  memcpy(base + PROPRIOD_SHM_HEADER_SIZE, data + 1, used < room ? used : room);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    read_stream(base, kind, &header.stream[kind], (data[0] >> kind & 1) != 0);
  }
  free(base);
  return 0;
}
