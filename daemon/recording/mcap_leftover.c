#include "recording/mcap_leftover.h"

#include "exchange/part_file.h"
#include "recording/block_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define RECORDING_ENDING ".rec"
#define LEFTOVER_ENDING  ".mcap" PART_FILE_ENDING

/* Its writer holds a lock for as long as it lives. */
static bool is_being_written(const char *path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0;
  if (fd >= 0) {
    close(fd);
  }
  return locked;
}

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), size = strlen(ending);
  return length > size && strcmp(text + length - size, ending) == 0;
}

/* The same name with another ending. */
static void rename_ending(const char *path, const char *from, const char *to, char *out,
                          size_t size) {
  snprintf(out, size, "%.*s%s", (int)(strlen(path) - strlen(from)), path, to);
}

/* A recording that is begun anew has at least one block of cycles. */
static bool has_cycles(const char *path) {
  struct block_reader reader;
  struct message unheard;
  bool found = false;
  if (block_reader_open(&reader, path, &unheard) != STATUS_OK) {
    return false;
  }
  for (size_t i = 0; !found && i < reader.n_blocks; i++) {
    found = reader.block[i].head.kind == BLOCK_CYCLES;
  }
  block_reader_close(&reader);
  return found;
}

/* How many, and which was the first. */
struct names {
  size_t n;
  char first[NAME_MAX + 1];
};

static void add(struct names *names, const char *name) {
  if (names->n++ == 0) {
    snprintf(names->first, sizeof(names->first), "%s", name);
  }
}

static void tell(const char *folder, const struct names *removed, const struct names *kept,
                 struct log *log) {
  if (removed->n > 0) {
    log_line(log, LOG_LEVEL_NOTICE, "MCAP leftover",
             "%s/%s%s: unfinished by a daemon that was killed, removed; the recording beside it "
             "has all of it (proprioctl export --mcap)",
             folder, removed->first, removed->n > 1 ? " and others" : "");
  }
  if (kept->n > 0) {
    log_line(log, LOG_LEVEL_WARNING, "MCAP leftover kept",
             "%s/%s%s: unfinished by a daemon that was killed, and there is no recording beside "
             "it: remove it, or try to recover it with tools for MCAP",
             folder, kept->first, kept->n > 1 ? " and others" : "");
  }
}

void mcap_leftovers_clear(const char *folder, struct log *log) {
  DIR *entries = opendir(folder);
  char path[PATH_MAX], recording[PATH_MAX];
  struct names removed = {0}, kept = {0};
  for (const struct dirent *e; entries != NULL && (e = readdir(entries)) != NULL;) {
    if (!ends_with(e->d_name, LEFTOVER_ENDING) ||
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) >= (int)sizeof(path) ||
        is_being_written(path)) {
      continue;
    }
    rename_ending(path, LEFTOVER_ENDING, RECORDING_ENDING, recording, sizeof(recording));
    add(has_cycles(recording) && unlink(path) == 0 ? &removed : &kept, e->d_name);
  }
  if (entries != NULL) {
    closedir(entries);
  }
  tell(folder, &removed, &kept, log);
}

bool mcap_leftover_beside(const char *recording, char *part, size_t size) {
  if (!ends_with(recording, RECORDING_ENDING)) {
    return false;
  }
  rename_ending(recording, RECORDING_ENDING, LEFTOVER_ENDING, part, size);
  return access(part, F_OK) == 0 && !is_being_written(part);
}
