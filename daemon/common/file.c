#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- reading ---------------------------------------------------------------------------------- */

/* Reads on until the end or until the file turns out to be longer than `room`. */
static ssize_t read_all(int fd, char *text, size_t room) {
  size_t used = 0;
  while (used < room) {
    const ssize_t got = read(fd, text + used, room - used);
    if (got < 0 && errno != EINTR) {
      return -1;
    }
    if (got == 0) {
      break;
    }
    used += got > 0 ? (size_t)got : 0;
  }
  return (ssize_t)used;
}

static enum status check_file(int fd, const char *path, size_t max_bytes, size_t *size,
                              struct message *error) {
  struct stat stat;
  if (fstat(fd, &stat) != 0) {
    message_set(error, "%.300s: cannot be read: %s", path, strerror(errno));
    return STATUS_REFUSED;
  }
  if (!S_ISREG(stat.st_mode)) {
    message_set(error, "%.300s: is not a file", path);
    return STATUS_REFUSED;
  }
  *size = (size_t)stat.st_size;
  if (*size > max_bytes) {
    message_set(error, "%.300s: %zu bytes, at most %zu are allowed", path, *size, max_bytes);
    return STATUS_OUT_OF_RANGE;
  }
  return STATUS_OK;
}

static enum status read_open_file(int fd, const char *path, size_t max_bytes, char **text,
                                  size_t *length, struct message *error) {
  size_t size = 0;
  const enum status status = check_file(fd, path, max_bytes, &size, error);
  if (status != STATUS_OK) {
    return status;
  }
  char *block = malloc(size + 1);
  if (block == NULL) {
    message_set(error, "%.300s: no memory for %zu bytes", path, size);
    return STATUS_NO_MEMORY;
  }
  const ssize_t got = read_all(fd, block, size);
  if (got < 0) {
    message_set(error, "%.300s: cannot be read: %s", path, strerror(errno));
    free(block);
    return STATUS_REFUSED;
  }
  block[got] = '\0';
  *text = block;
  *length = (size_t)got;
  return STATUS_OK;
}

enum status file_read(const char *path, size_t max_bytes, char **text, size_t *length,
                      struct message *error) {
  /* O_NONBLOCK: a pipe without a writer must not hold us up */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    message_set(error, "%.300s: cannot be opened: %s", path, strerror(errno));
    return STATUS_REFUSED;
  }
  const enum status status = read_open_file(fd, path, max_bytes, text, length, error);
  close(fd);
  return status;
}

/* -- writing ---------------------------------------------------------------------------------- */

static enum status refuse(struct message *error, const char *path, const char *what) {
  message_set(error, "%.200s: %s: %.100s", path, what, strerror(errno));
  return STATUS_REFUSED;
}

static bool write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    if (n > 0) {
      bytes += n;
      size -= (size_t)n;
    }
  }
  return true;
}

void file_sync_folder(const char *path) {
  char copy[PATH_MAX];
  snprintf(copy, sizeof(copy), "%s", path);
  const int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

/* Everything to the disk, and closes. */
static bool write_and_close(int fd, const void *bytes, size_t size, mode_t mode) {
  const bool written = write_all(fd, bytes, size) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
  const int why = errno;
  close(fd);
  errno = why;
  return written;
}

enum status file_write_in_place(const char *path, const void *bytes, size_t size, mode_t mode,
                                struct message *error) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
  if (fd < 0) {
    return refuse(error, path, "opening");
  }
  if (!write_and_close(fd, bytes, size, mode)) {
    const enum status status = refuse(error, path, "writing");
    unlink(path);
    return status;
  }
  return STATUS_OK;
}

enum status file_write(const char *path, const void *bytes, size_t size, mode_t mode,
                       struct message *error) {
  char beside[PATH_MAX];
  const int length = snprintf(beside, sizeof(beside), "%s.XXXXXX", path);
  if (length < 0 || (size_t)length >= sizeof(beside)) {
    errno = ENAMETOOLONG;
    return refuse(error, path, "writing");
  }
  const int fd = mkostemp(beside, O_CLOEXEC);
  if (fd < 0) {
    return refuse(error, path, "no new file beside it");
  }
  if (!write_and_close(fd, bytes, size, mode) || rename(beside, path) != 0) {
    const enum status status = refuse(error, path, "writing");
    unlink(beside);
    return status;
  }
  file_sync_folder(path);
  return STATUS_OK;
}
