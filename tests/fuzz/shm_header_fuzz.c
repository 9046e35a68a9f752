/* A segment's header with any bytes changed: refused with the member that is wrong, unless all that
 * the daemon relies on is as it must be for its counts. Input: four counts (32 bits each), then
 * changes, four bytes each: offset (16 bits), whether the hash is made to fit, value. */
#include "propriod/shm_layout.h"
#include "require.h"

#include <stdbool.h>
#include <string.h>

static const size_t covered = offsetof(struct propriod_shm_header, retired);

static uint16_t two_bytes(const uint8_t *data) {
  return (uint16_t)(data[0] | data[1] << 8);
}

/* Applies the changes; true if one of them lies in the part that must not change. */
static bool change(struct propriod_shm_header *header, const uint8_t *data, size_t size) {
  const struct propriod_shm_header before = *header;
  unsigned char *bytes = (unsigned char *)header;
  for (; size >= 4; data += 4, size -= 4) {
    bytes[two_bytes(data) % sizeof(*header)] = data[3];
    if (data[2] & 1) {
      header->layout_hash = propriod_shm_layout_hash(header);
    }
  }
  return memcmp(&before, header, covered) != 0;
}

/* A header of other counts, complete with its hash, is as good as the first. */
static bool is_anothers(const struct propriod_shm_header *header) {
  uint32_t count[PROPRIOD_SHM_STREAMS];
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    count[kind] = header->stream[kind].count;
  }
  const struct propriod_shm_header own = propriod_shm_layout(count);
  return memcmp(&own, header, covered) == 0;
}

/* Every stream lies within the segment, behind the one before. */
static void require_inside(const struct propriod_shm_header *header) {
  uint64_t end = sizeof(*header);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    const struct propriod_shm_stream *stream = &header->stream[kind];
    REQUIRE(stream->control >= end && stream->control % PROPRIOD_SHM_LINE == 0);
    REQUIRE(stream->slots >= stream->control + sizeof(struct propriod_shm_control));
    REQUIRE(stream->slot_size >=
            sizeof(struct propriod_shm_slot) + propriod_shm_used(kind, stream->count, UINT32_MAX));
    end = stream->slots + (uint64_t)stream->slot_size * stream->n_slots;
  }
  REQUIRE(header->wanted >= end);
  REQUIRE(header->size >= header->wanted + header->stream[PROPRIOD_SHM_SKIN].count / 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint32_t count[PROPRIOD_SHM_STREAMS];
  if (size < sizeof(count)) {
    return 0;
  }
  memcpy(count, data, sizeof(count));
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    count[kind] %= propriod_shm_max_count(kind) + 1;
  }
  struct propriod_shm_header header = propriod_shm_layout(count);
  const uint64_t file_size = header.size;
  char why[PROPRIOD_SHM_REASON] = "";
  REQUIRE(propriod_shm_check(&header, file_size, why) == 0);
  REQUIRE(propriod_shm_check(&header, file_size - 1, why) != 0);
  const bool changed = change(&header, data + sizeof(count), size - sizeof(count));
  why[0] = '\0';
  if (propriod_shm_check(&header, file_size, why) == 0) {
    require_inside(&header);
    REQUIRE(!changed || is_anothers(&header));
  } else {
    REQUIRE(changed && strncmp(why, "segment header: ", 16) == 0);
  }
  return 0;
}
