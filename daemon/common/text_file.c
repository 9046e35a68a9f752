#include "common/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static enum status read_file(int fd, const char *path, size_t max_bytes, char **text,
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

enum status text_file_read(const char *path, size_t max_bytes, char **text, size_t *length,
                           struct message *error) {
  /* O_NONBLOCK: a pipe without a writer must not hold us up */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    message_set(error, "%.300s: cannot be opened: %s", path, strerror(errno));
    return STATUS_REFUSED;
  }
  const enum status status = read_file(fd, path, max_bytes, text, length, error);
  close(fd);
  return status;
}
