#include "exchange/mcap_writer.h"

#include "exchange/byte_buffer.h"
#include "exchange/mcap_layout.h"
#include "exchange/part_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
  CHUNK_SIZE = 4 << 20, /* bytes, before compression */
  LEVEL = 3,            /* of zstd */
  FILE_BUFFER = 1 << 20
};

struct channel {
  const char *topic, *encoding;
  uint16_t schema; /* its number, from 1 */
  uint64_t messages;
  struct byte_buffer index; /* of the open chunk: time and offset of each message */
};

struct schema {
  const char *name, *encoding, *text;
};

/* A chunk as the summary lists it. */
struct chunk {
  int64_t first_ns, last_ns;
  uint64_t messages, offset, length, index_length, stored_size, size;
  size_t n_indexed;
  struct {
    uint16_t channel;
    uint64_t offset;
  } index[MCAP_MOST_CHANNELS];
};

struct mcap_writer {
  struct part_file file;
  uint64_t at;  /* bytes written */
  uint32_t crc; /* of them */
  size_t n_channels, n_schemas, n_chunks;
  struct channel channel[MCAP_MOST_CHANNELS];
  struct schema schema[MCAP_MOST_CHANNELS];
  struct chunk *chunks; /* [n_chunks] */
  struct chunk open;    /* the one that is being filled */
  struct byte_buffer records, record, packed;
  int64_t first_ns, last_ns;
  uint64_t messages;
};

/* -- records ---------------------------------------------------------------------------------- */

static bool put(struct mcap_writer *w, const void *data, size_t size) {
  w->crc = (uint32_t)crc32_z(w->crc, data, size);
  w->at += size;
  return fwrite(data, 1, size, w->file.file) == size;
}

/* Begins a record at the end of a buffer; end_record writes its length. */
static size_t begin_record(struct byte_buffer *to, enum mcap_opcode opcode) {
  bytes_add_u8(to, (uint8_t)opcode);
  bytes_add_u64(to, 0);
  return to->size;
}

static void end_record(struct byte_buffer *to, size_t begun) {
  bytes_set_u64(to, begun - sizeof(uint64_t), to->size - begun);
}

static void add_schema(struct byte_buffer *to, const struct schema *schema, size_t id) {
  const size_t begun = begin_record(to, MCAP_SCHEMA);
  bytes_add_u16(to, (uint16_t)id);
  bytes_add_string(to, schema->name);
  bytes_add_string(to, schema->encoding);
  bytes_add_string(to, schema->text);
  end_record(to, begun);
}

static void add_channel(struct byte_buffer *to, const struct channel *channel, size_t id) {
  const size_t begun = begin_record(to, MCAP_CHANNEL);
  bytes_add_u16(to, (uint16_t)id);
  bytes_add_u16(to, channel->schema);
  bytes_add_string(to, channel->topic);
  bytes_add_string(to, channel->encoding);
  bytes_add_u32(to, 0); /* no metadata */
  end_record(to, begun);
}

static enum status refuse(const struct mcap_writer *w, struct message *error) {
  return part_file_error(&w->file, error);
}

/* -- opening ---------------------------------------------------------------------------------- */

enum status mcap_create(struct mcap_writer **writer, const char *path, const char *profile,
                        struct message *error) {
  struct mcap_writer *w = calloc(1, sizeof(*w));
  if (w == NULL) {
    return STATUS_NO_MEMORY;
  }
  if (part_file_open(&w->file, path, error) != STATUS_OK) {
    free(w);
    return STATUS_REFUSED;
  }
  setvbuf(w->file.file, NULL, _IOFBF, FILE_BUFFER);
  const size_t begun = begin_record(&w->record, MCAP_HEADER);
  bytes_add_string(&w->record, profile);
  bytes_add_string(&w->record, "propriod");
  end_record(&w->record, begun);
  if (!put(w, MCAP_MAGIC, MCAP_MAGIC_SIZE) || !put(w, w->record.data, w->record.size)) {
    refuse(w, error);
    mcap_close(w);
    return STATUS_REFUSED;
  }
  *writer = w;
  return STATUS_OK;
}

enum status mcap_add_channel(struct mcap_writer *w, const char *topic, const char *message_encoding,
                             const char *schema, const char *schema_encoding,
                             const char *schema_text, size_t *channel) {
  size_t known = 0;
  while (known < w->n_schemas && strcmp(w->schema[known].name, schema) != 0) {
    known++;
  }
  if (w->n_channels == MCAP_MOST_CHANNELS) {
    return STATUS_NO_MEMORY;
  }
  /* in the chunk, before the first message that needs it; numbers count from 1 */
  if (known == w->n_schemas) {
    w->schema[w->n_schemas++] = (struct schema){schema, schema_encoding, schema_text};
    add_schema(&w->records, &w->schema[known], known + 1);
  }
  *channel = w->n_channels++;
  w->channel[*channel] = (struct channel){
      .topic = topic, .encoding = message_encoding, .schema = (uint16_t)(known + 1)};
  add_channel(&w->records, &w->channel[*channel], *channel + 1);
  return STATUS_OK;
}

/* -- chunks ----------------------------------------------------------------------------------- */

static bool pack(struct mcap_writer *w) {
  const size_t bound = ZSTD_compressBound(w->records.size);
  bytes_clear(&w->packed);
  if (w->packed.capacity < bound) {
    bytes_free(&w->packed);
    w->packed.data = malloc(bound);
    w->packed.capacity = w->packed.data != NULL ? bound : 0;
  }
  const size_t size =
      ZSTD_compress(w->packed.data, w->packed.capacity, w->records.data, w->records.size, LEVEL);
  w->packed.size = ZSTD_isError(size) ? 0 : size;
  return w->packed.size > 0;
}

static void add_chunk_record(struct mcap_writer *w) {
  struct byte_buffer *to = &w->record;
  bytes_clear(to);
  const size_t begun = begin_record(to, MCAP_CHUNK);
  bytes_add_u64(to, (uint64_t)w->open.first_ns);
  bytes_add_u64(to, (uint64_t)w->open.last_ns);
  bytes_add_u64(to, w->records.size);
  bytes_add_u32(to, (uint32_t)crc32_z(0, w->records.data, w->records.size));
  bytes_add_string(to, "zstd");
  bytes_add_u64(to, w->packed.size);
  bytes_add(to, w->packed.data, w->packed.size);
  end_record(to, begun);
}

/* Where the messages of each channel lie in the chunk that has just been written. */
static bool write_indexes(struct mcap_writer *w) {
  bool written = true;
  for (size_t i = 0; written && i < w->n_channels; i++) {
    struct byte_buffer *index = &w->channel[i].index;
    if (index->size == 0) {
      continue;
    }
    w->open.index[w->open.n_indexed].channel = (uint16_t)(i + 1);
    w->open.index[w->open.n_indexed++].offset = w->at;
    bytes_clear(&w->record);
    const size_t begun = begin_record(&w->record, MCAP_MESSAGE_INDEX);
    bytes_add_u16(&w->record, (uint16_t)(i + 1));
    bytes_add_u32(&w->record, (uint32_t)index->size);
    bytes_add(&w->record, index->data, index->size);
    end_record(&w->record, begun);
    written = !index->failed && put(w, w->record.data, w->record.size);
    bytes_clear(index);
  }
  return written;
}

static bool write_chunk(struct mcap_writer *w) {
  struct chunk *more = realloc(w->chunks, (w->n_chunks + 1) * sizeof(*more));
  if (more == NULL || w->records.failed || !pack(w)) {
    w->chunks = more != NULL ? more : w->chunks;
    errno = ENOMEM;
    return false;
  }
  w->chunks = more;
  add_chunk_record(w);
  w->open.offset = w->at;
  w->open.length = w->record.size;
  w->open.size = w->records.size;
  w->open.stored_size = w->packed.size;
  bool written = !w->record.failed && put(w, w->record.data, w->record.size);
  const uint64_t indexes = w->at;
  written = written && write_indexes(w);
  w->open.index_length = w->at - indexes;
  w->chunks[w->n_chunks++] = w->open;
  w->open = (struct chunk){0};
  bytes_clear(&w->records);
  return written;
}

enum status mcap_write(struct mcap_writer *w, size_t channel, int64_t t_ns, const void *data,
                       size_t size, struct message *error) {
  struct channel *c = &w->channel[channel];
  const bool first_in_chunk = w->open.messages++ == 0, first = w->messages++ == 0;
  bytes_add_u64(&c->index, (uint64_t)t_ns);
  bytes_add_u64(&c->index, w->records.size);
  const size_t begun = begin_record(&w->records, MCAP_MESSAGE);
  bytes_add_u16(&w->records, (uint16_t)(channel + 1));
  bytes_add_u32(&w->records, (uint32_t)c->messages++);
  bytes_add_u64(&w->records, (uint64_t)t_ns);
  bytes_add_u64(&w->records, (uint64_t)t_ns);
  bytes_add(&w->records, data, size);
  end_record(&w->records, begun);
  w->open.first_ns = first_in_chunk || t_ns < w->open.first_ns ? t_ns : w->open.first_ns;
  w->open.last_ns = first_in_chunk || t_ns > w->open.last_ns ? t_ns : w->open.last_ns;
  w->first_ns = first || t_ns < w->first_ns ? t_ns : w->first_ns;
  w->last_ns = first || t_ns > w->last_ns ? t_ns : w->last_ns;
  return w->records.size < CHUNK_SIZE || write_chunk(w) ? STATUS_OK : refuse(w, error);
}

/* -- the end ---------------------------------------------------------------------------------- */

static void add_chunk_index(struct byte_buffer *to, const struct chunk *chunk) {
  const size_t begun = begin_record(to, MCAP_CHUNK_INDEX);
  bytes_add_u64(to, (uint64_t)chunk->first_ns);
  bytes_add_u64(to, (uint64_t)chunk->last_ns);
  bytes_add_u64(to, chunk->offset);
  bytes_add_u64(to, chunk->length);
  bytes_add_u32(to, (uint32_t)(chunk->n_indexed * (sizeof(uint16_t) + sizeof(uint64_t))));
  for (size_t i = 0; i < chunk->n_indexed; i++) {
    bytes_add_u16(to, chunk->index[i].channel);
    bytes_add_u64(to, chunk->index[i].offset);
  }
  bytes_add_u64(to, chunk->index_length);
  bytes_add_string(to, "zstd");
  bytes_add_u64(to, chunk->stored_size);
  bytes_add_u64(to, chunk->size);
  end_record(to, begun);
}

static void add_statistics(struct byte_buffer *to, const struct mcap_writer *w) {
  const size_t begun = begin_record(to, MCAP_STATISTICS);
  bytes_add_u64(to, w->messages);
  bytes_add_u16(to, (uint16_t)w->n_schemas);
  bytes_add_u32(to, (uint32_t)w->n_channels);
  bytes_add_u32(to, 0); /* attachments */
  bytes_add_u32(to, 0); /* metadata */
  bytes_add_u32(to, (uint32_t)w->n_chunks);
  bytes_add_u64(to, (uint64_t)w->first_ns);
  bytes_add_u64(to, (uint64_t)w->last_ns);
  bytes_add_u32(to, (uint32_t)(w->n_channels * (sizeof(uint16_t) + sizeof(uint64_t))));
  for (size_t i = 0; i < w->n_channels; i++) {
    bytes_add_u16(to, (uint16_t)(i + 1));
    bytes_add_u64(to, w->channel[i].messages);
  }
  end_record(to, begun);
}

/* Where a group of the summary's records begins, and how long it is. */
struct group {
  enum mcap_opcode opcode;
  size_t begin, end;
};

static void add_offsets(struct byte_buffer *to, const struct group *group, size_t count,
                        uint64_t summary) {
  for (size_t i = 0; i < count; i++) {
    if (group[i].end > group[i].begin) {
      const size_t begun = begin_record(to, MCAP_SUMMARY_OFFSET);
      bytes_add_u8(to, (uint8_t)group[i].opcode);
      bytes_add_u64(to, summary + group[i].begin);
      bytes_add_u64(to, group[i].end - group[i].begin);
      end_record(to, begun);
    }
  }
}

/* The summary with its offsets, and the footer, whose checksum is of all before it. */
static void add_summary(struct byte_buffer *to, const struct mcap_writer *w) {
  struct group group[] = {
      {MCAP_SCHEMA, 0, 0}, {MCAP_CHANNEL, 0, 0}, {MCAP_STATISTICS, 0, 0}, {MCAP_CHUNK_INDEX, 0, 0}};
  for (size_t i = 0; i < w->n_schemas; i++) {
    add_schema(to, &w->schema[i], i + 1);
  }
  group[0].end = group[1].begin = to->size;
  for (size_t i = 0; i < w->n_channels; i++) {
    add_channel(to, &w->channel[i], i + 1);
  }
  group[1].end = group[2].begin = to->size;
  add_statistics(to, w);
  group[2].end = group[3].begin = to->size;
  for (size_t i = 0; i < w->n_chunks; i++) {
    add_chunk_index(to, &w->chunks[i]);
  }
  group[3].end = to->size;
  const uint64_t offsets = w->at + to->size;
  add_offsets(to, group, sizeof(group) / sizeof(group[0]), w->at);
  const size_t begun = begin_record(to, MCAP_FOOTER);
  bytes_add_u64(to, w->at);
  bytes_add_u64(to, offsets);
  bytes_set_u64(to, begun - sizeof(uint64_t), to->size + sizeof(uint32_t) - begun);
  bytes_add_u32(to, to->data != NULL ? (uint32_t)crc32_z(0, to->data, to->size) : 0);
}

static bool write_end(struct mcap_writer *w) {
  if (w->records.size > 0 && !write_chunk(w)) {
    return false;
  }
  bytes_clear(&w->record);
  const size_t begun = begin_record(&w->record, MCAP_DATA_END);
  bytes_add_u32(&w->record, w->crc);
  end_record(&w->record, begun);
  bool written = put(w, w->record.data, w->record.size);
  bytes_clear(&w->record);
  add_summary(&w->record, w);
  written = written && !w->record.failed && put(w, w->record.data, w->record.size);
  return written && put(w, MCAP_MAGIC, MCAP_MAGIC_SIZE);
}

enum status mcap_finish(struct mcap_writer *w, bool durable, struct message *error) {
  return write_end(w) ? part_file_finish(&w->file, durable, error) : refuse(w, error);
}

void mcap_close(struct mcap_writer *w) {
  if (w == NULL) {
    return;
  }
  part_file_drop(&w->file);
  for (size_t i = 0; i < w->n_channels; i++) {
    bytes_free(&w->channel[i].index);
  }
  bytes_free(&w->records);
  bytes_free(&w->record);
  bytes_free(&w->packed);
  free(w->chunks);
  free(w);
}
