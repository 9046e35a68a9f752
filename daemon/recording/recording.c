#include "recording/recording.h"

#include "recording/block_file.h"
#include "recording/cycle_reader.h"

#include <stdlib.h>
#include <string.h>

struct text {
  uint32_t generation;
  char name[RECORDING_NAME_SIZE];
  char *bytes; /* and a zero behind them */
  size_t size;
};

struct recording {
  struct block_reader file;
  struct recording_header header;
  struct recording_summary summary;
  struct text *text; /* [n_texts] */
  size_t n_texts;
  struct cycle_block block; /* the one that is being read */
  struct cycle_reader reader;
  bool in_block;   /* it has cycles left, perhaps */
  size_t next;     /* block of the file */
  bool begun;      /* a block was read: losses are told */
  uint32_t number; /* that the next block should have */
  uint64_t lost;   /* that have been told */
  unsigned char *payload;
  size_t capacity;
};

/* -- opening ---------------------------------------------------------------------------------- */

static enum status keep_text(struct recording *r, size_t index) {
  struct recorded_text head;
  const size_t size = r->file.block[index].head.size;
  const enum status status = block_reader_read(&r->file, index, &r->payload, &r->capacity);
  if (status != STATUS_OK || size < sizeof(head)) {
    return status == STATUS_NO_MEMORY ? status : STATUS_OK; /* told as damage when it is read */
  }
  memcpy(&head, r->payload, sizeof(head));
  struct text *more = realloc(r->text, (r->n_texts + 1) * sizeof(*more));
  if (more == NULL) {
    return STATUS_NO_MEMORY;
  }
  r->text = more;
  struct text *text = &r->text[r->n_texts];
  *text = (struct text){.generation = head.generation, .size = size - sizeof(head)};
  memcpy(text->name, head.name, sizeof(head.name) - 1);
  text->bytes = malloc(text->size + 1);
  if (text->bytes == NULL) {
    return STATUS_NO_MEMORY;
  }
  memcpy(text->bytes, r->payload + sizeof(head), text->size);
  text->bytes[text->size] = '\0';
  r->n_texts++;
  return STATUS_OK;
}

/* Goes over the heads. */
static enum status sum_up(struct recording *r) {
  struct recording_summary *s = &r->summary;
  *s = (struct recording_summary){.bytes = r->file.size,
                                  .damaged = r->file.damaged,
                                  .places = r->file.n_damaged,
                                  .cut = r->file.cut};
  for (size_t i = 0; i < r->file.n_blocks; i++) {
    const struct block_head *head = &r->file.block[i].head;
    s->lost = head->lost;
    if (head->kind == BLOCK_CYCLES) {
      s->first_ns = s->cycles == 0 ? head->first_ns : s->first_ns;
      s->last_ns = head->last_ns;
      s->cycles += head->items;
    } else if (head->kind == BLOCK_EVENT) {
      s->events += head->items;
    } else if (head->kind == BLOCK_TEXT) {
      const enum status status = keep_text(r, i);
      if (status != STATUS_OK) {
        return status;
      }
    }
    s->ended = head->kind == BLOCK_END;
  }
  return STATUS_OK;
}

enum status recording_open(struct recording **recording, const char *path, struct message *error) {
  struct recording *r = calloc(1, sizeof(*r));
  if (r == NULL) {
    message_set(error, "%s: no memory", path);
    return STATUS_NO_MEMORY;
  }
  enum status status = block_reader_open(&r->file, path, error);
  if (status != STATUS_OK) {
    free(r);
    return status;
  }
  const struct recording_head *head = &r->file.head;
  r->header = (struct recording_header){.model_hash = head->model_hash,
                                        .session = head->session,
                                        .part = head->part,
                                        .wall_ns = head->wall_ns};
  memcpy(r->header.count, head->count, sizeof(head->count));
  memcpy(r->block.count, head->count, sizeof(head->count));
  status = cycle_reader_init(&r->reader, head->count);
  status = status == STATUS_OK ? sum_up(r) : status;
  if (status != STATUS_OK) {
    message_set(error, "%s: no memory", path);
    recording_close(r);
    return status;
  }
  r->begun = r->header.part == 0; /* a later part begins where another ended */
  *recording = r;
  return STATUS_OK;
}

void recording_close(struct recording *r) {
  if (r == NULL) {
    return;
  }
  for (size_t i = 0; i < r->n_texts; i++) {
    free(r->text[i].bytes);
  }
  free(r->text);
  free(r->payload);
  cycle_block_free(&r->block);
  cycle_reader_free(&r->reader);
  block_reader_close(&r->file);
  free(r);
}

/* -- what it is of ---------------------------------------------------------------------------- */

const struct recording_header *recording_header(const struct recording *r) {
  return &r->header;
}

struct recording_summary recording_summary(const struct recording *r) {
  return r->summary;
}

uint32_t recording_generations(const struct recording *r) {
  uint32_t last = 0;
  for (size_t i = 0; i < r->n_texts; i++) {
    last = r->text[i].generation > last ? r->text[i].generation : last;
  }
  return last;
}

const char *recording_text(const struct recording *r, uint32_t generation, const char *name,
                           size_t *size) {
  for (size_t i = 0; i < r->n_texts; i++) {
    if (r->text[i].generation == generation && strcmp(r->text[i].name, name) == 0) {
      *size = r->text[i].size;
      return r->text[i].bytes;
    }
  }
  return NULL;
}

double recording_progress(const struct recording *r) {
  return r->next < r->file.n_blocks && r->file.size > 0
             ? (double)r->file.block[r->next].offset / (double)r->file.size
             : 1.0;
}

void recording_leave_out(struct recording *r, unsigned parts) {
  r->block.left_out = parts;
}

/* -- one after another ------------------------------------------------------------------------ */

void recording_seek(struct recording *r, int64_t t_ns) {
  r->next = 0;
  r->in_block = r->begun = false;
  r->lost = 0;
  cycle_reader_reset(&r->reader, r->header.count);
  while (t_ns != 0 && r->next < r->file.n_blocks) {
    const struct block_head *head = &r->file.block[r->next].head;
    if (head->kind == BLOCK_CYCLES && head->last_ns >= t_ns) {
      return;
    }
    r->next++;
  }
}

/* What is missing before a block, by its number and what it says of losses. True: something is. */
static bool notice_loss(struct recording *r, const struct block_head *head,
                        struct recording_item *item) {
  r->lost = head->number < r->number ? 0 : r->lost; /* joined parts: another one begins */
  const bool damaged = r->begun && head->number > r->number && head->lost == r->lost;
  const uint64_t lost = r->begun && head->lost > r->lost ? head->lost - r->lost : 0;
  r->begun = true;
  r->number = head->number;
  r->lost = head->lost;
  *item = (struct recording_item){.kind = RECORDING_LOSS, .loss = {lost, damaged}};
  return damaged || lost > 0;
}

static enum status take_event(struct recording *r, size_t size, struct recording_item *item) {
  struct recorded_event head;
  if (size < sizeof(head)) {
    return STATUS_REFUSED;
  }
  memcpy(&head, r->payload, sizeof(head));
  if (head.length > size - sizeof(head) || head.severity > EVENT_ERROR) {
    return STATUS_REFUSED;
  }
  *item = (struct recording_item){.kind = RECORDING_EVENT};
  item->event.t_ns = head.t_ns;
  item->event.severity = (enum event_severity)head.severity;
  memcpy(item->event.kind, head.kind, sizeof(item->event.kind) - 1);
  const size_t most = sizeof(item->event.text) - 1;
  memcpy(item->event.text, r->payload + sizeof(head), head.length < most ? head.length : most);
  return STATUS_OK;
}

/* Reads block `next`. OK: `item` is there; STATUS_STALE: go on. */
static enum status take_block(struct recording *r, struct recording_item *item) {
  const struct block_head *head = &r->file.block[r->next].head;
  if (notice_loss(r, head, item)) {
    return STATUS_OK; /* and this block with the next call */
  }
  r->number++;
  const size_t index = r->next++;
  if (head->kind != BLOCK_CYCLES && head->kind != BLOCK_EVENT) {
    return STATUS_STALE;
  }
  enum status status = block_reader_read(&r->file, index, &r->payload, &r->capacity);
  if (status == STATUS_OK && head->kind == BLOCK_EVENT) {
    status = take_event(r, head->size, item);
  } else if (status == STATUS_OK) {
    status = cycle_block_unpack(&r->block, r->payload, head->size);
    cycle_reader_begin(&r->reader);
    r->in_block = status == STATUS_OK;
    status = status == STATUS_OK ? STATUS_STALE : status;
  }
  if (status == STATUS_REFUSED) {
    *item = (struct recording_item){
        .kind = RECORDING_LOSS,
        .loss = {head->kind == BLOCK_CYCLES ? head->items : 0, .damaged = true}};
    status = STATUS_OK;
  }
  return status;
}

enum status recording_next(struct recording *r, struct recording_item *item) {
  for (;;) {
    if (r->in_block) {
      const enum status status = cycle_reader_next(&r->reader, &r->block);
      if (status == STATUS_OK) {
        *item = (struct recording_item){.kind = RECORDING_CYCLE, .cycle = &r->reader.cycle};
        return STATUS_OK;
      }
      r->in_block = false;
      if (status == STATUS_REFUSED) {
        *item = (struct recording_item){.kind = RECORDING_LOSS, .loss = {0, .damaged = true}};
        return STATUS_OK;
      }
    }
    if (r->next >= r->file.n_blocks) {
      return STATUS_OUT_OF_RANGE;
    }
    const enum status status = take_block(r, item);
    if (status != STATUS_STALE) {
      return status;
    }
  }
}

enum status recording_read(struct recording *r, const struct sensor_frame **frame) {
  struct recording_item item;
  enum status status;
  while ((status = recording_next(r, &item)) == STATUS_OK) {
    if (item.kind == RECORDING_CYCLE) {
      *frame = &item.cycle->frame;
      return STATUS_OK;
    }
  }
  return status;
}
