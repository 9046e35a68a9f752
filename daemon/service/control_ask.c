/* The client's end of the control socket. */
#include "service/control.h"

#include "common/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static enum status connect_to(const char *path, int *fd, struct message *error) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof(address.sun_path)) {
    message_set(error, "%s: too long for a socket's path", path);
    return STATUS_STALE;
  }
  memcpy(address.sun_path, path, strlen(path));
  *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*fd >= 0 && connect(*fd, (const struct sockaddr *)&address, sizeof(address)) == 0) {
    return STATUS_OK;
  }
  const int reason = errno;
  if (*fd >= 0) {
    close(*fd);
  }
  if (reason == EACCES || reason == EPERM) {
    message_set(error, "%s: Permission denied; is this user in group propriod?", path);
    return STATUS_REFUSED;
  }
  message_set(error, "%s: %s; is propriod running?", path, strerror(reason));
  return STATUS_STALE;
}

/* Reads until the end of the stream or the deadline. */
static enum status read_answer(int fd, int64_t deadline_ns, char answer[CONTROL_ANSWER_SIZE]) {
  size_t length = 0;
  while (length < CONTROL_ANSWER_SIZE - 1) {
    const int64_t left_ms = (deadline_ns - clock_now_ns()) / NS_PER_MS;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (left_ms <= 0 || poll(&wait, 1, (int)left_ms) <= 0) {
      return STATUS_STALE;
    }
    const ssize_t got = read(fd, answer + length, CONTROL_ANSWER_SIZE - 1 - length);
    if (got <= 0) {
      break;
    }
    length += (size_t)got;
  }
  answer[length] = '\0';
  return length > 0 ? STATUS_OK : STATUS_STALE;
}

enum status control_ask(const char *path, const char *request, int timeout_ms,
                        char answer[CONTROL_ANSWER_SIZE], struct message *error) {
  const int64_t deadline_ns = clock_now_ns() + timeout_ms * NS_PER_MS;
  int fd;
  enum status status = connect_to(path, &fd, error);
  if (status != STATUS_OK) {
    return status;
  }
  char line[CONTROL_REQUEST_SIZE + 1];
  const int length = snprintf(line, sizeof(line), "%s\n", request);
  /* a daemon with too many clients answers and hangs up before it has been asked */
  const bool asked = send(fd, line, (size_t)length, MSG_NOSIGNAL) == length || errno == EPIPE;
  status = asked ? read_answer(fd, deadline_ns, answer) : STATUS_STALE;
  close(fd);
  if (status != STATUS_OK) {
    message_set(error, "%s: no answer within %d ms", path, timeout_ms);
  }
  return status;
}
