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

static bool somebody_answers(const struct sockaddr_un *address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool answered = connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
                        errno == EAGAIN; /* its queue is full: alive */
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

enum status ipc_claim(const char *path, struct pid_lock *claim, struct message *error) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path[0] != '/' || strlen(path) >= sizeof(address.sun_path)) {
    message_set(error, "publish.ipc: %s: must be an absolute path of at most %zu bytes", path,
                sizeof(address.sun_path) - 1);
    return STATUS_REFUSED;
  }
  memcpy(address.sun_path, path, strlen(path));
  struct message why;
  if (pid_lock_take_for(claim, path, "publishes there", &why) != STATUS_OK) {
    message_set(error, "publish.ipc: %.400s", why.text);
    return STATUS_REFUSED;
  }
  if (clear_stale(&address, error) != STATUS_OK) {
    pid_lock_release(claim); /* what lies at the path stays */
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

void ipc_release(const char *path, struct pid_lock *claim) {
  if (claim->held) {
    unlink(path);
    pid_lock_release(claim);
  }
}
