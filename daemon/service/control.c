#include "service/control.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum stage {
  STAGE_READING,  /* its request comes in */
  STAGE_COMPLETE, /* `request` is a whole line, zero-terminated */
  STAGE_WAITING   /* for an answer that comes later */
};

struct client {
  int fd;           /* -1: free */
  uid_t user;       /* who it is */
  bool trusted;     /* root or this process's own user */
  int64_t since_ns; /* connected */
  size_t length;    /* bytes of the request so far */
  char request[CONTROL_REQUEST_SIZE];
  enum stage stage;
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

/* Learns who a client is. */
static bool identify(int fd, struct client *client) {
  struct ucred who;
  socklen_t size = sizeof(who);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
    return false;
  }
  client->user = who.uid;
  client->trusted = who.uid == 0 || who.uid == geteuid();
  return true;
}

/* A place for a new client, or NULL: none is left for its user. */
static struct client *place_for(struct control *control, const struct client *guest) {
  struct client *place = NULL;
  size_t free_places = 0, same_user = 0;
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    struct client *client = &control->client[i];
    if (client->fd < 0) {
      free_places++;
      place = client;
    } else if (client->user == guest->user) {
      same_user++;
    }
  }
  const bool allowed =
      guest->trusted || (same_user < CONTROL_MAX_A_USER && free_places > CONTROL_KEPT_FREE);
  return allowed ? place : NULL;
}

static void welcome(struct control *control, int64_t now_ns) {
  static const char busy[] = "failed\ntoo many clients at once\n";
  for (int i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    const int fd = accept4(control->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      return;
    }
    struct client guest = {.fd = fd, .since_ns = now_ns};
    struct client *place = identify(fd, &guest) ? place_for(control, &guest) : NULL;
    if (place == NULL || !watch(control, fd)) {
      send_answer(fd, busy, sizeof(busy) - 1);
      close(fd);
    } else {
      *place = guest;
    }
  }
}

/* Nothing more is wanted from a client than to hear that it hangs up. */
static void listen_no_more(const struct control *control, const struct client *client) {
  struct epoll_event event = {.events = 0};
  epoll_ctl(control->poll, EPOLL_CTL_MOD, client->fd, &event);
}

/* Reads what is there; a client that hangs up, sends too much or takes too long goes. */
static void read_request(const struct control *control, struct client *client, int64_t now_ns) {
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
    client->stage = STAGE_COMPLETE;
    listen_no_more(control, client);
  } else if (client->length == sizeof(client->request) ||
             now_ns - client->since_ns > CONTROL_PATIENCE_NS) {
    send_away(client);
  }
}

static void listen_to(const struct control *control, struct client *client, int64_t now_ns) {
  struct pollfd look = {.fd = client->fd};
  if (client->stage == STAGE_READING) {
    read_request(control, client, now_ns);
  } else if (poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)) != 0) {
    send_away(client);
  }
}

/* True when an answer to `request` is one to this client, too. */
static bool asks(const struct client *client, enum stage stage,
                 const struct control_request *request) {
  return client->fd >= 0 && client->stage == stage && client->trusted == request->trusted &&
         strcmp(client->request, request->words) == 0;
}

static void answer_client(struct client *client, bool ok, const char *body) {
  char text[CONTROL_ANSWER_SIZE];
  const int length = snprintf(text, sizeof(text), "%s\n%s", ok ? "ok" : "failed", body);
  const size_t most = sizeof(text) - 1;
  send_answer(client->fd, text, (size_t)length < most ? (size_t)length : most);
  send_away(client);
}

/* Asks once for `first` and everybody who has asked the same. */
static void answer_all(struct control *control, struct client *first, control_answer *answer,
                       void *context) {
  char words[CONTROL_REQUEST_SIZE], body[CONTROL_ANSWER_SIZE - 16] = "";
  memcpy(words, first->request, sizeof(words));
  const struct control_request request = {words, first->trusted};
  FILE *out = fmemopen(body, sizeof(body), "w");
  const enum control_verdict verdict =
      out != NULL ? answer(context, &request, out) : CONTROL_FAILED;
  if (out != NULL) {
    fclose(out);
  }
  body[sizeof(body) - 1] = '\0';
  for (size_t i = 0; verdict != CONTROL_AGAIN && i < CONTROL_MAX_CLIENTS; i++) {
    struct client *client = &control->client[i];
    if (!asks(client, STAGE_COMPLETE, &request)) {
      continue;
    }
    if (verdict == CONTROL_LATER) {
      client->stage = STAGE_WAITING;
    } else {
      answer_client(client, verdict == CONTROL_OK, body);
    }
  }
}

void control_tell(struct control *control, const char *words, bool ok, const char *text) {
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    struct client *client = &control->client[i];
    if (client->fd >= 0 && client->stage == STAGE_WAITING && strcmp(client->request, words) == 0) {
      answer_client(client, ok, text);
    }
  }
}

void control_step(struct control *control, int64_t now_ns, control_answer *answer, void *context) {
  welcome(control, now_ns);
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    if (control->client[i].fd >= 0) {
      listen_to(control, &control->client[i], now_ns);
    }
  }
  for (size_t i = 0; i < CONTROL_MAX_CLIENTS; i++) {
    if (control->client[i].fd >= 0 && control->client[i].stage == STAGE_COMPLETE) {
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
