#include "recording/part_joiner.h"

#include "common/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void name_meanwhile(const struct part_joiner *joiner, char name[PART_PATH_SIZE + 8]) {
  snprintf(name, PART_PATH_SIZE + 8, "%s.saving", joiner->path);
}

static void close_all(struct part_joiner *joiner) {
  for (size_t i = 0; i < joiner->n_parts; i++) {
    block_reader_close(&joiner->part[i]);
  }
  joiner->n_parts = 0;
  block_writer_close(&joiner->writer);
  joiner->busy = false;
}

void part_joiner_abandon(struct part_joiner *joiner) {
  if (joiner->busy) {
    char name[PART_PATH_SIZE + 8];
    name_meanwhile(joiner, name);
    unlink(name);
    close_all(joiner);
  }
}

enum status part_joiner_begin(struct part_joiner *joiner, const char *path,
                              const struct part *parts, size_t n, struct message *error) {
  char name[PART_PATH_SIZE + 8];
  struct message unheard;
  *joiner = (struct part_joiner){.writer = {.fd = -1}};
  snprintf(joiner->path, sizeof(joiner->path), "%s", path);
  for (size_t i = 0; i < n && i < PART_MOST; i++) {
    struct block_reader *reader = &joiner->part[joiner->n_parts];
    joiner->n_parts += block_reader_open(reader, parts[i].path, &unheard) == STATUS_OK;
  }
  if (joiner->n_parts == 0 || access(path, F_OK) == 0) {
    message_set(error, "%s: %s", path, joiner->n_parts == 0 ? "nothing to save" : strerror(EEXIST));
    close_all(joiner);
    return STATUS_REFUSED;
  }
  name_meanwhile(joiner, name);
  unlink(name);
  const enum status status =
      block_writer_create(&joiner->writer, name, 0, joiner->part[0].head, error);
  if (status != STATUS_OK) {
    close_all(joiner);
    return status;
  }
  joiner->busy = true;
  return STATUS_OK;
}

/* Texts once each, and the end only of the last part. */
static bool is_wanted(struct part_joiner *joiner, struct block_reader *reader) {
  const struct block_head *head = &reader->block[joiner->at_block].head;
  if (head->kind == BLOCK_TEXT) {
    joiner->newest = head->items > joiner->newest ? head->items : joiner->newest;
    return joiner->at_part == 0 || head->items > joiner->known;
  }
  return head->kind != BLOCK_END || joiner->at_part + 1 == joiner->n_parts;
}

static enum status finish(struct part_joiner *joiner, struct message *error) {
  char name[PART_PATH_SIZE + 8];
  name_meanwhile(joiner, name);
  if (!block_writer_sync(&joiner->writer) || rename(name, joiner->path) != 0) {
    message_set(error, "%s: %s", joiner->path, strerror(errno));
    part_joiner_abandon(joiner);
    return STATUS_REFUSED;
  }
  file_sync_folder(joiner->path);
  close_all(joiner);
  return STATUS_OK;
}

enum status part_joiner_step(struct part_joiner *joiner, uint64_t bytes, struct message *error) {
  const uint64_t until = joiner->writer.size + bytes;
  while (joiner->at_part < joiner->n_parts) {
    struct block_reader *reader = &joiner->part[joiner->at_part];
    if (joiner->at_block == reader->n_blocks) {
      joiner->at_part++;
      joiner->at_block = 0;
      joiner->known = joiner->newest;
      continue;
    }
    if (joiner->writer.size >= until) {
      return STATUS_STALE;
    }
    if (is_wanted(joiner, reader) &&
        block_copy(reader, joiner->at_block, &joiner->writer) != STATUS_OK && errno != 0) {
      message_set(error, "%s: %s", joiner->path, strerror(errno));
      part_joiner_abandon(joiner);
      return STATUS_REFUSED;
    }
    joiner->at_block++;
  }
  return finish(joiner, error);
}
