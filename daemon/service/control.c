#include "service/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct client {
  int fd;           /* -1: free */
  int64_t since_ns; /* connected */
  size_t length;    /* bytes of the request so far */
  char request[CONTROL_REQUEST_SIZE];
  bool complete; /* `request` is a whole line, zero-terminated */
};

struct control {
  char path[CONTROL_PATH_SIZE];
  int listener;
  int poll; /* epoll over the listener and all clients */
  struct client client[CONTROL_MAX_CLIENTS];
};

static bool watch(const struct control *control, int fd) {
  struct epoll_event event = {.events = EPOLLIN};
  return epoll_ctl(control->poll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int listen_on(const char *path, struct message *error) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof(address.sun_path)) {
    message_set(error, "%s: longer than the %zu bytes of a socket's path", path,
                sizeof(address.sun_path) - 1);
    return -1;
  }
  memcpy(address.sun_path, path, strlen(path));
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  unlink(path);
  if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
      chmod(path, 0660) != 0 || listen(fd, CONTROL_MAX_CLIENTS) != 0) {
    message_set(error, "%s: %s", path, strerror(errno));
    if (fd >= 0) {
      close(fd);
    }
    return -1;
  }
  return fd;
}

struct control *control_open(const char *path, struct message *error) {
  struct control *control = calloc(1, sizeof(*control));
  if (control == NULL) {
    message_set(error, "%s: no memory", path);
    return NULL;
  }
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    control->client[i].fd = -1;
  }
  control->poll = -1;
  control->listener = listen_on(path, error);
  if (control->listener < 0) {
    free(control);
    return NULL;
  }
  snprintf(control->path, sizeof(control->path), "%s", path);
  control->poll = epoll_create1(EPOLL_CLOEXEC);
  if (control->poll < 0 || !watch(control, control->listener)) {
    message_set(error, "%s: %s", path, strerror(errno));
    control_close(control);
    return NULL;
  }
  return control;
}

int control_fd(const struct control *control) {
  return control->poll;
}

static void send_away(struct client *client) {
  close(client->fd);
  *client = (struct client){.fd = -1};
}

/* An answer fits into the socket's buffer; who has gone away meanwhile gets none. */
static void send_answer(int fd, const char *answer, size_t length) {
  const ssize_t sent = send(fd, answer, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  (void)sent;
}

static struct client *free_client(struct control *control) {
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    if (control->client[i].fd < 0) {
      return &control->client[i];
    }
  }
  return NULL;
}

static void welcome(struct control *control, int64_t now_ns) {
  static const char busy[] = "failed\ntoo many clients at once\n";
  for (int i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    const int fd = accept4(control->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      return;
    }
    struct client *client = free_client(control);
    if (client == NULL || !watch(control, fd)) {
      send_answer(fd, busy, sizeof(busy) - 1);
      close(fd);
    } else {
      *client = (struct client){.fd = fd, .since_ns = now_ns};
    }
  }
}

/* Reads what is there; a client that hangs up, sends too much or takes too long goes. */
static void listen_to(struct client *client, int64_t now_ns) {
  const ssize_t got = recv(client->fd, client->request + client->length,
                           sizeof(client->request) - client->length, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
    send_away(client);
    return;
  }
  client->length += got > 0 ? (size_t)got : 0;
  char *end = memchr(client->request, '\n', client->length);
  if (end != NULL) {
    *end = '\0';
    client->complete = true;
  } else if (client->length == sizeof(client->request) ||
             now_ns - client->since_ns > CONTROL_PATIENCE_NS) {
    send_away(client);
  }
}

/* Lets `answer` write behind a first line that is only known afterwards. */
static size_t compose(const char *request, control_answer *answer, void *context,
                      char text[CONTROL_ANSWER_SIZE]) {
  char body[CONTROL_ANSWER_SIZE - 16] = "";
  FILE *out = fmemopen(body, sizeof(body), "w");
  const bool ok = out != NULL && answer(context, request, out);
  if (out != NULL) {
    fclose(out);
  }
  body[sizeof(body) - 1] = '\0';
  return (size_t)snprintf(text, CONTROL_ANSWER_SIZE, "%s\n%s", ok ? "ok" : "failed", body);
}

/* Answers `first` and everybody who has asked the same. */
static void answer_all(struct control *control, struct client *first, control_answer *answer,
                       void *context) {
  char request[CONTROL_REQUEST_SIZE];
  char text[CONTROL_ANSWER_SIZE];
  memcpy(request, first->request, sizeof(request));
  const size_t length = compose(request, answer, context, text);
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    struct client *client = &control->client[i];
    if (client->complete && strcmp(client->request, request) == 0) {
      send_answer(client->fd, text, length);
      send_away(client);
    }
  }
}

void control_step(struct control *control, int64_t now_ns, control_answer *answer, void *context) {
  welcome(control, now_ns);
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    if (control->client[i].fd >= 0) {
      listen_to(&control->client[i], now_ns);
    }
  }
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    if (control->client[i].complete) {
      answer_all(control, &control->client[i], answer, context);
    }
  }
}

void control_close(struct control *control) {
  if (control == NULL) {
    return;
  }
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    if (control->client[i].fd >= 0) {
      send_away(&control->client[i]);
    }
  }
  close(control->listener);
  unlink(control->path);
  if (control->poll >= 0) {
    close(control->poll);
  }
  free(control);
}
