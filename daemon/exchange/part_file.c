#include "exchange/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum status part_file_error(const struct part_file *file, struct message *error) {
  message_set(error, "%s: %s", file->path, strerror(errno));
  return STATUS_REFUSED;
}

/* Empty, and locked as long as it is open: what nobody has locked was left by one that was killed.
 * -1: errno says why not. */
static int open_locked(const char *part) {
  const int fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 || ftruncate(fd, 0) != 0)) {
    const int cause = errno == EWOULDBLOCK ? EBUSY : errno;
    close(fd);
    errno = cause;
    return -1;
  }
  return fd;
}

enum status part_file_open(struct part_file *file, const char *path, struct message *error) {
  file->file = NULL;
  snprintf(file->path, sizeof(file->path), "%s", path);
  snprintf(file->part, sizeof(file->part), "%s" PART_FILE_ENDING, file->path);
  if (strlen(path) >= sizeof(file->path)) {
    errno = ENAMETOOLONG;
    return part_file_error(file, error);
  }
  const int fd = open_locked(file->part);
  file->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  return file->file != NULL ? STATUS_OK : part_file_error(file, error);
}

enum status part_file_finish(struct part_file *file, bool durable, struct message *error) {
  const bool whole = fflush(file->file) == 0 && (!durable || fsync(fileno(file->file)) == 0);
  const int cause = errno;
  const bool closed = fclose(file->file) == 0;
  file->file = NULL;
  if (whole && closed && rename(file->part, file->path) == 0) {
    return STATUS_OK;
  }
  if (!whole) {
    errno = cause;
  }
  const enum status status = part_file_error(file, error);
  unlink(file->part);
  return status;
}

void part_file_drop(struct part_file *file) {
  if (file->file != NULL) {
    fclose(file->file);
    unlink(file->part);
    file->file = NULL;
  }
}
