#include "recording/recording_writer.h"

#include "recording/block_file.h"
#include "recording/cycle_block.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CYCLES = 1024 }; /* of a block */

struct recording_writer {
  struct block_writer file;
  struct cycle_block block;
  uint32_t number; /* of the next block */
  struct recording_written written;
};

static struct recording_head head_of(const struct recording_header *header) {
  struct recording_head head = {.part = header->part,
                                .model_hash = header->model_hash,
                                .session = header->session,
                                .wall_ns = header->wall_ns};
  memcpy(head.count, header->count, sizeof(head.count));
  return head;
}

enum status recording_create(struct recording_writer **writer, const char *path,
                             const struct recording_header *header, int level,
                             struct message *error) {
  struct recording_writer *w = calloc(1, sizeof(*w));
  if (w == NULL ||
      cycle_block_init(&w->block, header->count, MOST_CYCLES, RECORDING_BLOCK_BYTES) != STATUS_OK) {
    free(w);
    message_set(error, "%s: no memory", path);
    return STATUS_NO_MEMORY;
  }
  const enum status status = block_writer_create(&w->file, path, level, head_of(header), error);
  if (status != STATUS_OK) {
    cycle_block_free(&w->block);
    free(w);
    return status;
  }
  *writer = w;
  return STATUS_OK;
}

enum status recording_begin_next(struct recording_writer *w, const char *path,
                                 const struct recording_header *header, struct message *error) {
  w->number = 0;
  w->written = (struct recording_written){0};
  return block_writer_begin(&w->file, path, head_of(header), error);
}

/* A block's number counts whether it is written or not. */
static enum status add_block(struct recording_writer *w, struct block_head head,
                             const void *payload, size_t size) {
  head.number = w->number++;
  head.lost = w->written.lost;
  const enum status status = block_writer_add(&w->file, head, payload, size);
  w->written.bytes = w->file.size;
  w->written.lost_blocks += status != STATUS_OK;
  return status;
}

enum status recording_flush(struct recording_writer *w) {
  const size_t cycles = cycle_block_cycles(&w->block);
  if (cycles == 0) {
    return STATUS_OK;
  }
  const struct block_head head = {.kind = BLOCK_CYCLES,
                                  .items = (uint32_t)cycles,
                                  .first_ns = w->block.first_ns,
                                  .last_ns = w->block.last_ns};
  const size_t raw = cycle_block_bytes(&w->block);
  size_t size;
  const unsigned char *payload = cycle_block_pack(&w->block, &size);
  const enum status status = add_block(w, head, payload, size);
  if (status == STATUS_OK) {
    w->written.cycles += cycles;
    w->written.raw_bytes += raw;
  } else {
    w->written.lost += cycles;
  }
  cycle_block_clear(&w->block);
  return status;
}

enum status recording_add_cycle(struct recording_writer *w, const struct recorded_cycle *cycle) {
  enum status status = STATUS_OK;
  const bool waits = cycle_block_cycles(&w->block) > 0;
  /* what was lost is told by the head of the block that begins behind it */
  if (waits && (cycle->frame.t_ns - w->block.first_ns >= RECORDING_BLOCK_NS || cycle->lost > 0 ||
                !cycle_block_fits(&w->block, cycle))) {
    status = recording_flush(w);
  }
  w->written.lost += cycle->lost;
  cycle_block_add(&w->block, cycle);
  return status;
}

enum status recording_add_text(struct recording_writer *w, uint32_t generation, const char *name,
                               const void *bytes, size_t size) {
  struct recorded_text text = {.generation = generation};
  const size_t length = strlen(name);
  if (length >= sizeof(text.name) || size > BLOCK_LARGEST - sizeof(text)) {
    return STATUS_OUT_OF_RANGE;
  }
  memcpy(text.name, name, length);
  unsigned char *payload = malloc(sizeof(text) + size);
  if (payload == NULL) {
    return STATUS_NO_MEMORY;
  }
  memcpy(payload, &text, sizeof(text));
  memcpy(payload + sizeof(text), bytes, size);
  const struct block_head head = {.kind = BLOCK_TEXT, .items = generation};
  const enum status status = add_block(w, head, payload, sizeof(text) + size);
  free(payload);
  return status;
}

enum status recording_add_event(struct recording_writer *w, const struct event *event) {
  unsigned char payload[sizeof(struct recorded_event) + MESSAGE_SIZE + BLOCK_ALIGN] = {0};
  struct recorded_event head = {.t_ns = event->t_ns, .severity = (uint32_t)event->severity};
  _Static_assert(sizeof(head.kind) >= sizeof(event->kind), "an event's kind fits");
  head.length = (uint32_t)strnlen(event->text, sizeof(event->text));
  memcpy(head.kind, event->kind, sizeof(event->kind));
  memcpy(payload, &head, sizeof(head));
  memcpy(payload + sizeof(head), event->text, head.length);
  const size_t size = (sizeof(head) + head.length + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
  const enum status flushed = recording_flush(w);
  const struct block_head block = {
      .kind = BLOCK_EVENT, .items = 1, .first_ns = event->t_ns, .last_ns = event->t_ns};
  const enum status status = add_block(w, block, payload, size);
  w->written.events += status == STATUS_OK;
  return flushed != STATUS_OK ? flushed : status;
}

enum status recording_sync(struct recording_writer *w) {
  return block_writer_sync(&w->file) ? STATUS_OK : STATUS_REFUSED;
}

struct recording_written recording_written(const struct recording_writer *w) {
  return w->written;
}

enum status recording_end(struct recording_writer *w) {
  const enum status flushed = recording_flush(w);
  const enum status ended = add_block(w, (struct block_head){.kind = BLOCK_END}, "", 0);
  const bool whole = flushed == STATUS_OK && ended == STATUS_OK && w->written.lost_blocks == 0;
  block_writer_end(&w->file);
  return whole ? STATUS_OK : STATUS_REFUSED;
}

void recording_free(struct recording_writer *w) {
  if (w != NULL) {
    block_writer_close(&w->file);
    cycle_block_free(&w->block);
    free(w);
  }
}

enum status recording_finish(struct recording_writer *w) {
  const enum status status = w != NULL ? recording_end(w) : STATUS_OK;
  recording_free(w);
  return status;
}
