#include "live/live_server.h"

#include "live/live_assets.h"

#include <libwebsockets.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CHUNK = 16384,   /* bytes of an answer at a time */
  NAME_SIZE = 256, /* of a host's name with its port */
  HEADERS_SIZE = 2048
};

struct live_server {
  const struct live_server_settings *settings;
  live_take *take;
  void *take_context;
  struct lws_context *context;
  struct lws_vhost *host;
  lws_sorted_usec_list_t timer;
  struct live_feed feed;
  unsigned char *message; /* [LWS_PRE + room] */
  size_t room;
};

/* One connection: an answer on its way, or a WebSocket and what it has already got. */
struct session {
  const char *rest;
  size_t left;
  uint64_t since;
  bool wants; /* has asked since it got the last */
};

static struct live_server *server_of(struct lws *wsi) {
  return lws_context_user(lws_get_context(wsi));
}

/* -- who may ask ------------------------------------------------------------------------------ */

static bool is_loopback(const char *address) {
  return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ||
         strcmp(address, "localhost") == 0;
}

/* Without this a page from anywhere could have its own name lead here. */
static bool host_is_meant(const struct live_server *server, const char *host) {
  static const char *const own[] = {"localhost", "127.0.0.1", "[::1]"};
  if (!is_loopback(server->settings->address)) {
    return true; /* by whatever name this machine has in the network */
  }
  for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
    const size_t length = strlen(own[i]);
    if (strncmp(host, own[i], length) == 0 && (host[length] == '\0' || host[length] == ':')) {
      return true;
    }
  }
  return false;
}

static bool may_ask(struct lws *wsi) {
  char host[NAME_SIZE], origin[NAME_SIZE];
  if (lws_hdr_copy(wsi, host, sizeof(host), WSI_TOKEN_HOST) <= 0 ||
      !host_is_meant(server_of(wsi), host)) {
    return false;
  }
  // programs send no origin, browsers that of the page that asks
  const int length = lws_hdr_copy(wsi, origin, sizeof(origin), WSI_TOKEN_ORIGIN);
  return length == 0 ||
         (length > 0 && strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0);
}

/* -- files ------------------------------------------------------------------------------------ */

static bool find(const struct live_server *server, const char *path, struct live_asset *asset) {
  const struct live_server_settings *s = server->settings;
  const struct live_asset *file = live_asset_find(path);
  if (file != NULL) {
    *asset = *file;
  } else if (strcmp(path, "/robot.json") == 0) {
    *asset = (struct live_asset){path, "application/json", s->robot, s->robot_size};
  } else if (strcmp(path, "/robot.urdf") == 0) {
    *asset = (struct live_asset){path, "application/xml", s->urdf, s->urdf_size};
  } else {
    return mesh_files_get(s->meshes, path, asset);
  }
  return true;
}

/* Begins an answer; what follows leaves when the socket takes it. Non-zero: hang up. */
static int answer(struct lws *wsi, struct session *session, const char *path) {
  unsigned char headers[LWS_PRE + HEADERS_SIZE], *start = headers + LWS_PRE, *at = start;
  unsigned char *const end = headers + sizeof(headers) - 1;
  struct live_asset asset;
  if (!may_ask(wsi)) {
    return lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, "not from there") != 0 ||
           lws_http_transaction_completed(wsi) != 0;
  }
  if (!find(server_of(wsi), path, &asset)) {
    return lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL) != 0 ||
           lws_http_transaction_completed(wsi) != 0;
  }
  if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, asset.type, asset.size, &at, end) != 0 ||
      lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CACHE_CONTROL,
                                   (const unsigned char *)"no-store", 8, &at, end) != 0 ||
      lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
    return 1;
  }
  session->rest = asset.bytes;
  session->left = asset.size;
  lws_callback_on_writable(wsi);
  return 0;
}

static int go_on(struct lws *wsi, struct session *session) {
  static unsigned char chunk[LWS_PRE + CHUNK];
  const size_t size = session->left < CHUNK ? session->left : CHUNK;
  const bool last = size == session->left;
  if (session->rest == NULL) {
    return 0;
  }
  memcpy(chunk + LWS_PRE, session->rest, size);
  if (lws_write(wsi, chunk + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) {
    return -1;
  }
  session->rest += size;
  session->left -= size;
  if (last) {
    session->rest = NULL;
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
  }
  lws_callback_on_writable(wsi);
  return 0;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t size) {
  switch (reason) {
  case LWS_CALLBACK_HTTP:
    return answer(wsi, user, in);
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return go_on(wsi, user);
  default:
    return lws_callback_http_dummy(wsi, reason, user, in, size);
  }
}

/* -- messages --------------------------------------------------------------------------------- */

static int send_new(struct lws *wsi, struct session *session) {
  struct live_server *server = server_of(wsi);
  const size_t size = live_feed_size(&server->feed, session->since);
  if (size == 0 || !session->wants) {
    return 0;
  }
  if (size > server->room) {
    unsigned char *more = realloc(server->message, LWS_PRE + size);
    if (more == NULL) {
      return 0;
    }
    server->message = more;
    server->room = size;
  }
  live_feed_write(&server->feed, session->since, server->message + LWS_PRE);
  session->since = server->feed.newest;
  session->wants = false;
  return lws_write(wsi, server->message + LWS_PRE, size, LWS_WRITE_BINARY) < 0 ? -1 : 0;
}

static int on_live(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t size) {
  struct session *session = user;
  (void)in;
  (void)size;
  switch (reason) {
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return may_ask(wsi) ? 0 : 1;
  case LWS_CALLBACK_ESTABLISHED:
    session->wants = true;
    return 0;
  case LWS_CALLBACK_RECEIVE: // whatever it says means: the next
    session->wants = true;
    return 0;
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return send_new(wsi, session);
  default:
    return 0;
  }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(struct session)},
    {.name = "propriod-live",
     .callback = on_live,
     .per_session_data_size = sizeof(struct session),
     .rx_buffer_size = 128},
    {.name = NULL}};

/* -- the server ------------------------------------------------------------------------------- */

static void tick(lws_sorted_usec_list_t *timer) {
  struct live_server *server = lws_container_of(timer, struct live_server, timer);
  const lws_usec_t period_us = (lws_usec_t)(1e6 / server->settings->rate_hz);
  server->take(server->take_context, &server->feed);
  lws_callback_on_writable_all_protocol(server->context, &protocols[1]);
  lws_sul_schedule(server->context, 0, &server->timer, tick, period_us);
}

enum status live_server_open(struct live_server **opened,
                             const struct live_server_settings *settings, live_take *take,
                             void *context, struct message *error) {
  struct live_server *server = calloc(1, sizeof(*server));
  if (server == NULL) {
    message_set(error, "out of memory");
    return STATUS_REFUSED;
  }
  *server = (struct live_server){.settings = settings, .take = take, .take_context = context};
  lws_set_log_level(0, NULL);
  const struct lws_context_creation_info info = {
      .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                 LWS_SERVER_OPTION_HTTP_HEADERS_SECURITY_BEST_PRACTICES_ENFORCE |
                 (strchr(settings->address, ':') == NULL ? LWS_SERVER_OPTION_DISABLE_IPV6 : 0),
      .user = server,
      .port = settings->port,
      .iface = settings->address,
      .protocols = protocols,
      .gid = (gid_t)-1,
      .uid = (uid_t)-1,
  };
  server->context = lws_create_context(&info);
  server->host = server->context != NULL ? lws_create_vhost(server->context, &info) : NULL;
  if (server->host == NULL || lws_get_vhost_listen_port(server->host) <= 0) {
    message_set(error, "%s port %d: cannot be listened on; is it taken? (--port)",
                settings->address, settings->port);
    live_server_close(server);
    return STATUS_REFUSED;
  }
  lws_sul_schedule(server->context, 0, &server->timer, tick, 1);
  *opened = server;
  return STATUS_OK;
}

int live_server_port(const struct live_server *server) {
  return lws_get_vhost_listen_port(server->host);
}

void live_server_step(struct live_server *server) {
  lws_service(server->context, 0);
}

void live_server_close(struct live_server *server) {
  if (server == NULL) {
    return;
  }
  if (server->context != NULL) {
    lws_context_destroy(server->context);
  }
  live_feed_free(&server->feed);
  free(server->message);
  free(server);
}
