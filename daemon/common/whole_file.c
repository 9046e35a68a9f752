#include "common/whole_file.h"

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

/* The rename itself reaches the disk with its folder. */
static void sync_folder(const char *path) {
  char copy[PATH_MAX];
  snprintf(copy, sizeof(copy), "%s", path);
  const int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

enum status whole_file_write(const char *path, const void *bytes, size_t size, mode_t mode,
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
  const bool written = write_all(fd, bytes, size) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
  const int why = errno;
  close(fd);
  errno = why;
  if (!written || rename(beside, path) != 0) {
    const enum status status = refuse(error, path, "writing");
    unlink(beside);
    return status;
  }
  sync_folder(path);
  return STATUS_OK;
}
