#include "origin.h"

#include "common/clock.h"

#include <math.h>
#include <string.h>

static const char asked[] = "origin";
static const double farthest = 1e6; /* m, rad: beyond, doubles of millimetres get coarse */
static const int64_t patience_ns = NS_PER_S;

bool origin_is_asked(const char *words) {
  const size_t length = sizeof(asked) - 1;
  return strncmp(words, asked, length) == 0 && (words[length] == '\0' || words[length] == ' ');
}

/* The words behind `origin`. False when they make no sense. */
static bool read_order(const char *words, struct world_order *order) {
  char rest;
  if (strcmp(words, " own") == 0) {
    *order = (struct world_order){.own = true};
    return true;
  }
  *order = (struct world_order){.own = false};
  return sscanf(words, " %lf %lf %lf%c", &order->x, &order->y, &order->yaw, &rest) == 3 &&
         fabs(order->x) <= farthest && fabs(order->y) <= farthest && fabs(order->yaw) <= farthest;
}

static void show(const struct world_origin *placed, FILE *out) {
  if (world_origin_is_set(placed)) {
    fprintf(out,
            "the estimators' own origin lies at x %.6g m, y %.6g m, yaw %.6g rad of the published "
            "world\n",
            placed->x, placed->y, placed->yaw);
  } else {
    fputs("the published world is the estimators' own: its origin lies below the base as it stood "
          "when its estimate began\n",
          out);
  }
}

static void tell(struct origin *o, const struct world_order *order) {
  char text[128];
  if (order->own) {
    snprintf(text, sizeof(text), "the published world is the estimators' own again");
  } else {
    snprintf(text, sizeof(text),
             "the published world is set: the base stands at %.6g %.6g m, %.6g rad", order->x,
             order->y, order->yaw);
  }
  log_line(o->log, LOG_LEVEL_NOTICE, "origin", "%s", text);
  publisher_event(o->publisher, EVENT_INFO, "origin", "%s", text);
}

static enum control_verdict place(struct origin *o, const char *words, FILE *out) {
  struct world_order order;
  if (!read_order(words, &order)) {
    fputs("origin takes nothing, `own`, or x, y in m and yaw in rad\n", out);
    return CONTROL_FAILED;
  }
  switch (world_keeper_order(o->keeper, &order, patience_ns, &o->placed)) {
  case STATUS_OK:
    tell(o, &order);
    show(&o->placed, out);
    return CONTROL_OK;
  case STATUS_REFUSED:
    fputs("the base's attitude is not estimated yet; nothing is changed\n", out);
    return CONTROL_FAILED;
  default:
    fputs("no cycle came that could do it; nothing is changed\n", out);
    return CONTROL_FAILED;
  }
}

enum control_verdict origin_answer(struct origin *o, const struct control_request *request,
                                   FILE *out) {
  const char *words = request->words + sizeof(asked) - 1;
  origin_look(o);
  if (words[0] == '\0') {
    show(&o->placed, out);
    return CONTROL_OK;
  }
  if (!request->trusted) {
    fputs("only root and the user of the service may move the world: all controllers see it\n",
          out);
    return CONTROL_FAILED;
  }
  return place(o, words, out);
}

void origin_look(struct origin *o) {
  static const char text[] =
      "the base began anew: the published world is the estimators' own again";
  const uint64_t lost = world_keeper_lost(o->keeper);
  if (lost != o->lost) {
    o->lost = lost;
    o->placed = (struct world_origin){0.0, 0.0, 0.0};
    log_line(o->log, LOG_LEVEL_WARNING, "origin lost", "%s", text);
    publisher_event(o->publisher, EVENT_WARNING, "origin_lost", "%s", text);
  }
}
