#include "recording/block_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { FILE_MODE = 0640, SEARCH_BYTES = 1 << 16 };

static uint64_t head_sum(const struct recording_head *head) {
  return XXH3_64bits(head, offsetof(struct recording_head, checksum));
}

static uint64_t block_sum(const struct block_head *head) {
  return XXH3_64bits(head, offsetof(struct block_head, checksum));
}

static uint64_t padded(uint64_t size) {
  return (size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
}

/* Makes room for `size` bytes at `*bytes`. */
static bool make_room(unsigned char **bytes, size_t *capacity, size_t size) {
  if (size <= *capacity) {
    return true;
  }
  unsigned char *more = realloc(*bytes, size);
  if (more == NULL) {
    return false;
  }
  *bytes = more;
  *capacity = size;
  return true;
}

/* -- writing ---------------------------------------------------------------------------------- */

/* All of it at the end of what is whole, or nothing. */
static bool append(struct block_writer *writer, const unsigned char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = pwrite(writer->fd, bytes + done, size - done, (off_t)(writer->size + done));
    if (n > 0) {
      done += (size_t)n;
    } else if (n == 0 || errno != EINTR) {
      const int why = n == 0 ? ENOSPC : errno;
      const int cut = ftruncate(writer->fd, (off_t)writer->size);
      (void)cut; /* what stays is no whole block: readers pass over it */
      errno = why;
      return false;
    }
  }
  writer->size += size;
  return true;
}

enum status block_writer_begin(struct block_writer *writer, const char *path,
                               struct recording_head head, struct message *error) {
  writer->size = 0;
  writer->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
  if (writer->fd < 0) {
    message_set(error, "%s: %s", path, strerror(errno));
    return STATUS_REFUSED;
  }
  memcpy(head.magic, RECORDING_MAGIC, sizeof(head.magic));
  head.version = RECORDING_VERSION;
  head.checksum = head_sum(&head);
  if (!append(writer, (const unsigned char *)&head, sizeof(head))) {
    message_set(error, "%s: %s", path, strerror(errno));
    block_writer_end(writer);
    unlink(path);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

enum status block_writer_create(struct block_writer *writer, const char *path, int level,
                                struct recording_head head, struct message *error) {
  *writer = (struct block_writer){.fd = -1, .level = level};
  writer->zstd = level > 0 ? ZSTD_createCCtx() : NULL;
  if (level > 0 && writer->zstd == NULL) {
    message_set(error, "%s: no memory", path);
    return STATUS_NO_MEMORY;
  }
  const enum status status = block_writer_begin(writer, path, head, error);
  if (status != STATUS_OK) {
    block_writer_close(writer);
  }
  return status;
}

/* Head, payload, zeros. */
static size_t lay_out(struct block_writer *writer, struct block_head *head, const void *payload,
                      size_t size) {
  unsigned char *place = writer->stored + sizeof(*head);
  const size_t room = writer->stored_capacity - sizeof(*head) - BLOCK_ALIGN;
  size_t stored = size;
  head->coding = BLOCK_PLAIN;
  if (writer->level > 0) {
    stored = ZSTD_compressCCtx(writer->zstd, place, room, payload, size, writer->level);
    head->coding = BLOCK_ZSTD;
  }
  if (head->coding == BLOCK_PLAIN || ZSTD_isError(stored) || stored >= size) {
    memcpy(place, payload, size);
    stored = size;
    head->coding = BLOCK_PLAIN;
  }
  memset(place + stored, 0, padded(stored) - stored);
  head->mark = BLOCK_MARK;
  head->size = (uint32_t)size;
  head->stored_size = (uint32_t)stored;
  head->payload = XXH3_64bits(place, stored);
  head->checksum = block_sum(head);
  memcpy(writer->stored, head, sizeof(*head));
  return sizeof(*head) + padded(stored);
}

enum status block_writer_add(struct block_writer *writer, struct block_head head,
                             const void *payload, size_t size) {
  if (size > BLOCK_LARGEST) {
    return STATUS_OUT_OF_RANGE;
  }
  const size_t most = sizeof(head) + ZSTD_compressBound(size) + BLOCK_ALIGN;
  if (!make_room(&writer->stored, &writer->stored_capacity, most)) {
    return STATUS_NO_MEMORY;
  }
  const size_t whole = lay_out(writer, &head, payload, size);
  return append(writer, writer->stored, whole) ? STATUS_OK : STATUS_REFUSED;
}

bool block_writer_sync(struct block_writer *writer) {
  return fdatasync(writer->fd) == 0;
}

void block_writer_end(struct block_writer *writer) {
  if (writer->fd >= 0) {
    close(writer->fd);
  }
  writer->fd = -1;
}

void block_writer_close(struct block_writer *writer) {
  block_writer_end(writer);
  ZSTD_freeCCtx(writer->zstd);
  free(writer->stored);
  *writer = (struct block_writer){.fd = -1};
}

/* -- reading ---------------------------------------------------------------------------------- */

static bool read_at(int fd, void *bytes, size_t size, uint64_t offset) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));
    if (n == 0 || (n < 0 && errno != EINTR)) {
      return false;
    }
    done += n > 0 ? (size_t)n : 0;
  }
  return true;
}

static bool is_block(const struct block_head *head) {
  return head->mark == BLOCK_MARK && head->checksum == block_sum(head) &&
         head->stored_size <= BLOCK_LARGEST && head->size <= BLOCK_LARGEST &&
         head->coding <= BLOCK_ZSTD &&
         (head->coding != BLOCK_PLAIN || head->stored_size == head->size);
}

/* The next place from `offset` on where a block head stands, or the end of the file. */
static uint64_t find_mark(const struct block_reader *reader, uint64_t offset) {
  static const uint32_t mark = BLOCK_MARK;
  unsigned char bytes[SEARCH_BYTES];
  for (; offset + sizeof(struct block_head) <= reader->size; offset += SEARCH_BYTES) {
    const uint64_t left = reader->size - offset;
    const size_t size = left < SEARCH_BYTES ? (size_t)left : SEARCH_BYTES;
    if (!read_at(reader->fd, bytes, size, offset)) {
      return reader->size;
    }
    for (size_t i = 0; i + sizeof(mark) <= size; i += BLOCK_ALIGN) {
      struct block_head head;
      if (memcmp(bytes + i, &mark, sizeof(mark)) == 0 &&
          offset + i + sizeof(head) <= reader->size &&
          read_at(reader->fd, &head, sizeof(head), offset + i) && is_block(&head)) {
        return offset + i;
      }
    }
  }
  return reader->size;
}

static bool note_block(struct block_reader *reader, uint64_t offset,
                       const struct block_head *head) {
  if ((reader->n_blocks & (reader->n_blocks - 1)) == 0) { /* full: at a power of two */
    const size_t most = reader->n_blocks == 0 ? 1 : 2 * reader->n_blocks;
    struct block_place *more = realloc(reader->block, most * sizeof(*more));
    if (more == NULL) {
      return false;
    }
    reader->block = more;
  }
  reader->block[reader->n_blocks++] = (struct block_place){offset, *head};
  return true;
}

/* From head to head; over what is damaged to the next mark. */
static bool find_blocks(struct block_reader *reader) {
  for (uint64_t offset = sizeof(struct recording_head); offset < reader->size;) {
    struct block_head head;
    const uint64_t left = reader->size - offset;
    const bool whole =
        left >= sizeof(head) && read_at(reader->fd, &head, sizeof(head), offset) && is_block(&head);
    if (whole && sizeof(head) + padded(head.stored_size) <= left) {
      if (!note_block(reader, offset, &head)) {
        return false;
      }
      offset += sizeof(head) + padded(head.stored_size);
      continue;
    }
    const uint64_t next = find_mark(reader, offset + BLOCK_ALIGN);
    if (next >= reader->size) {
      reader->cut = left;
      return true;
    }
    reader->n_damaged++;
    reader->damaged += next - offset;
    offset = next;
  }
  return true;
}

static enum status refuse(struct block_reader *reader, const char *path, const char *why,
                          struct message *error) {
  message_set(error, "%s: %s", path, why);
  block_reader_close(reader);
  return STATUS_REFUSED;
}

/* What is wrong with the beginning of the file; NULL: nothing. */
static const char *fault_of(const struct block_reader *reader) {
  const struct recording_head *head = &reader->head;
  if (memcmp(head->magic, RECORDING_MAGIC, sizeof(head->magic) - 1) != 0) {
    return "not a recording of propriod";
  }
  const int magic = memcmp(head->magic, RECORDING_MAGIC, sizeof(head->magic));
  if (magic < 0 || (magic == 0 && head->version < RECORDING_OLDEST)) {
    return "a recording of an older version, which this program does not read";
  }
  if (magic > 0 || head->version > RECORDING_VERSION) {
    return "a recording of a newer version, which this program does not read";
  }
  if (head->checksum != head_sum(head)) {
    return "a recording whose head is damaged";
  }
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (head->count[kind] > propriod_shm_max_count(kind)) {
      return "more joints, cells or sensors than a robot can have";
    }
  }
  return NULL;
}

enum status block_reader_open(struct block_reader *reader, const char *path,
                              struct message *error) {
  *reader = (struct block_reader){.fd = open(path, O_RDONLY | O_CLOEXEC)};
  struct stat file;
  if (reader->fd < 0 || fstat(reader->fd, &file) != 0) {
    return refuse(reader, path, strerror(errno), error);
  }
  if (!S_ISREG(file.st_mode)) {
    return refuse(reader, path, "not a regular file", error);
  }
  reader->size = (uint64_t)file.st_size;
  if (!read_at(reader->fd, &reader->head, sizeof(reader->head), 0)) {
    return refuse(reader, path,
                  reader->size < sizeof(reader->head) ? "too short to be a recording"
                                                      : strerror(errno),
                  error);
  }
  const char *fault = fault_of(reader);
  if (fault != NULL) {
    return refuse(reader, path, fault, error);
  }
  if (!find_blocks(reader)) {
    refuse(reader, path, "no memory", error);
    return STATUS_NO_MEMORY;
  }
  return STATUS_OK;
}

enum status block_reader_read(struct block_reader *reader, size_t index, unsigned char **payload,
                              size_t *capacity) {
  const struct block_place *block = &reader->block[index];
  const struct block_head *head = &block->head;
  if (!make_room(&reader->stored, &reader->stored_capacity, head->stored_size + 1u) ||
      !make_room(payload, capacity, head->size + 1u)) {
    return STATUS_NO_MEMORY;
  }
  if (!read_at(reader->fd, reader->stored, head->stored_size, block->offset + sizeof(*head)) ||
      XXH3_64bits(reader->stored, head->stored_size) != head->payload) {
    return STATUS_REFUSED;
  }
  if (head->coding == BLOCK_PLAIN) {
    memcpy(*payload, reader->stored, head->size);
    return STATUS_OK;
  }
  const size_t size = ZSTD_decompress(*payload, head->size, reader->stored, head->stored_size);
  return !ZSTD_isError(size) && size == head->size ? STATUS_OK : STATUS_REFUSED;
}

enum status block_copy(struct block_reader *reader, size_t index, struct block_writer *writer) {
  const struct block_place *block = &reader->block[index];
  const struct block_head *head = &block->head;
  const size_t size = sizeof(*head) + padded(head->stored_size);
  if (!make_room(&reader->stored, &reader->stored_capacity, size)) {
    return STATUS_NO_MEMORY;
  }
  errno = 0;
  if (!read_at(reader->fd, reader->stored, size, block->offset) ||
      XXH3_64bits(reader->stored + sizeof(*head), head->stored_size) != head->payload) {
    return STATUS_REFUSED;
  }
  return append(writer, reader->stored, size) ? STATUS_OK : STATUS_REFUSED;
}

void block_reader_close(struct block_reader *reader) {
  if (reader->fd >= 0) {
    close(reader->fd);
  }
  free(reader->block);
  free(reader->stored);
  *reader = (struct block_reader){.fd = -1};
}
