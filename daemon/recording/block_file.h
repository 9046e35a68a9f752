/* A file of blocks (recording_layout.h): adding to it, and finding what is whole in it. */
#ifndef BLOCK_FILE_H
#define BLOCK_FILE_H

#include "common/message.h"
#include "common/status.h"
#include "recording/recording_layout.h"

#include <stdbool.h>
#include <stddef.h>

/* -- writing ---------------------------------------------------------------------------------- */

struct block_writer {
  int fd;                /* -1: no file is open */
  uint64_t size;         /* bytes of the file that are whole blocks */
  void *zstd;            /* compressor */
  int level;             /* of zstd; 0: nothing is compressed */
  unsigned char *stored; /* [stored_capacity], what is written */
  size_t stored_capacity;
};

/* Makes the file, which must not exist yet, and writes its head with the checksum filled in.
 * [start] [worker] `level`: 1 (fast) to 19, 0 for none. STATUS_REFUSED with path and reason;
 * STATUS_NO_MEMORY. */
enum status block_writer_create(struct block_writer *writer, const char *path, int level,
                                struct recording_head head, struct message *error);

/* Adds a block of `size` bytes at `payload`; `head` has kind, number, items, instants and lost.
 * [worker] STATUS_REFUSED with errno set: it did not fit on the disk, and the file is again what it
 * was before; STATUS_NO_MEMORY; STATUS_OUT_OF_RANGE: beyond BLOCK_LARGEST. */
enum status block_writer_add(struct block_writer *writer, struct block_head head,
                             const void *payload, size_t size);

/* Waits until the disk has what was added. [worker] False, with errno: it does not. */
bool block_writer_sync(struct block_writer *writer);

/* Closes the file; the next one goes through the same memory. [worker] Harmless when none is open.
 */
void block_writer_end(struct block_writer *writer);

/* The next file, made as the first. [worker] The writer has ended. Errors of block_writer_create;
 * then it has ended still. */
enum status block_writer_begin(struct block_writer *writer, const char *path,
                               struct recording_head head, struct message *error);

/* Closes the file and frees. [worker] Harmless when none is open. */
void block_writer_close(struct block_writer *writer);

/* -- reading ---------------------------------------------------------------------------------- */

/* A block that is whole as far as its head tells. */
struct block_place {
  uint64_t offset; /* of its head */
  struct block_head head;
};

struct block_reader {
  int fd; /* -1: none */
  struct recording_head head;
  uint64_t size;             /* of the file, bytes */
  struct block_place *block; /* [n_blocks] in the order of the file */
  size_t n_blocks;
  size_t n_damaged;      /* places where something else stands than a block */
  uint64_t damaged;      /* bytes there */
  uint64_t cut;          /* bytes at the end that are the beginning of a block */
  unsigned char *stored; /* of the block read last, [BLOCK_LARGEST at most] */
  size_t stored_capacity;
};

/* Opens a file and finds its blocks. [start] [worker] STATUS_REFUSED with path and reason for what
 * is no recording, or one of another version; STATUS_NO_MEMORY. */
enum status block_reader_open(struct block_reader *reader, const char *path, struct message *error);

/* Reads block `index` and decompresses it into `*payload`, which holds `*capacity` bytes and is
 * made larger (realloc) when that is too small. [any] STATUS_REFUSED: it is damaged;
 * STATUS_NO_MEMORY. */
enum status block_reader_read(struct block_reader *reader, size_t index, unsigned char **payload,
                              size_t *capacity);

/* Adds block `index` of a reader to a file, as it lies there. [worker] STATUS_REFUSED: it is
 * damaged, or did not fit on the disk (errno); STATUS_NO_MEMORY. */
enum status block_copy(struct block_reader *reader, size_t index, struct block_writer *writer);

/* [any] Harmless when none is open. */
void block_reader_close(struct block_reader *reader);

#endif
