#include "exchange/part_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum status part_file_error(const struct part_file *file, struct message *error) {
  message_set(error, "%s: %s", file->path, strerror(errno));
  return STATUS_REFUSED;
}

enum status part_file_open(struct part_file *file, const char *path, struct message *error) {
  file->file = NULL;
  snprintf(file->path, sizeof(file->path), "%s", path);
  snprintf(file->part, sizeof(file->part), "%s.part", file->path);
  if (strlen(path) >= sizeof(file->path)) {
    errno = ENAMETOOLONG;
    return part_file_error(file, error);
  }
  file->file = fopen(file->part, "wb");
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
