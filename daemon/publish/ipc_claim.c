#include "publish/ipc_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { LOCK_NAME_SIZE = sizeof(((struct sockaddr_un *)0)->sun_path) + sizeof(".lock") };

/* The process number written in a lock file, or 0. */
static long holder_of(int lock) {
  char text[24] = "";
  return pread(lock, text, sizeof(text) - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

static enum status take_lock(const char *path, int *lock, struct message *error) {
  char name[LOCK_NAME_SIZE];
  snprintf(name, sizeof(name), "%s.lock", path);
  *lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (*lock < 0) {
    message_set(error, "publish.ipc: %s: %s", name, strerror(errno));
    return STATUS_REFUSED;
  }
  if (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
    message_set(error, "publish.ipc: %s is served by process %ld; is another propriod running?",
                path, holder_of(*lock));
    close(*lock);
    return STATUS_REFUSED;
  }
  char text[24];
  const int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
  if (ftruncate(*lock, 0) != 0 || pwrite(*lock, text, (size_t)length, 0) != length) {
    message_set(error, "publish.ipc: writing %s: %s", name, strerror(errno));
    close(*lock);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

static bool somebody_answers(const struct sockaddr_un *address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool answered = connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
                        errno == EAGAIN; // its queue is full: alive
  close(fd);
  return answered;
}

/* Only while holding the lock. */
static enum status clear_stale(const struct sockaddr_un *address, struct message *error) {
  struct stat found;
  if (lstat(address->sun_path, &found) != 0) {
    return STATUS_OK;
  }
  if (!S_ISSOCK(found.st_mode)) {
    message_set(error, "publish.ipc: %s exists and is not a socket", address->sun_path);
    return STATUS_REFUSED;
  }
  if (somebody_answers(address)) {
    message_set(error, "publish.ipc: %s is served by another program", address->sun_path);
    return STATUS_REFUSED;
  }
  if (unlink(address->sun_path) != 0) {
    message_set(error, "publish.ipc: removing the stale socket %s: %s", address->sun_path,
                strerror(errno));
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

enum status ipc_claim(const char *path, int *claim, struct message *error) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path[0] != '/' || strlen(path) >= sizeof(address.sun_path)) {
    message_set(error, "publish.ipc: %s: must be an absolute path of at most %zu bytes", path,
                sizeof(address.sun_path) - 1);
    return STATUS_REFUSED;
  }
  memcpy(address.sun_path, path, strlen(path));
  int lock;
  if (take_lock(path, &lock, error) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  if (clear_stale(&address, error) != STATUS_OK) {
    close(lock); // what lies at the path stays
    return STATUS_REFUSED;
  }
  *claim = lock;
  return STATUS_OK;
}

void ipc_release(const char *path, int claim) {
  if (claim != IPC_CLAIM_NONE) {
    unlink(path);
    close(claim);
  }
}
