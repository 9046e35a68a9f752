#include "common/service_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static long holder_of(int fd) {
  char text[32] = "";
  const ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
  return got > 0 ? strtol(text, NULL, 10) : 0;
}

enum status service_lock(const char *folder, int *fd, struct message *error) {
  char path[PATH_MAX];
  snprintf(path, sizeof(path), "%s/lock", folder);
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (file < 0) {
    message_set(error, "%s: %s%s", path, strerror(errno),
                errno == ENOENT ? " (service.runtime_directory must exist)" : "");
    return STATUS_REFUSED;
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      message_set(error, "%s: another propriod, process %ld, runs on this folder", path,
                  holder_of(file));
    } else {
      message_set(error, "%s: cannot be locked: %s", path, strerror(errno));
    }
    close(file);
    return STATUS_REFUSED;
  }
  char text[32];
  const int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
  if (ftruncate(file, 0) != 0 || pwrite(file, text, (size_t)length, 0) != length) {
    message_set(error, "%s: cannot be written: %s", path, strerror(errno));
    close(file);
    return STATUS_REFUSED;
  }
  *fd = file;
  return STATUS_OK;
}
