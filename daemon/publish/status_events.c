#include "publish/status_events.h"

#include "common/clock.h"
#include "describe/field.h"

#include <math.h>
#include <stdio.h>

static bool too_soon(int64_t last_ns, int64_t now_ns) {
  return last_ns != 0 && now_ns - last_ns < NS_PER_S;
}

static enum event_severity severity_of(enum propriod_status status) {
  switch (status) {
  case PROPRIOD_STATUS_INIT:
  case PROPRIOD_STATUS_OK:
    return EVENT_INFO;
  case PROPRIOD_STATUS_DEGRADED:
  case PROPRIOD_STATUS_STALE:
    return EVENT_WARNING;
  case PROPRIOD_STATUS_DIVERGED:
    break;
  }
  return EVENT_ERROR;
}

static void look_at_status(struct announced *announced, const char *topic,
                           enum propriod_status status, int64_t now_ns,
                           struct event_queue *events) {
  /* nothing new, or said less than a second ago */
  if (status == announced->status || too_soon(announced->t_ns, now_ns)) {
    return;
  }
  struct event event = {.t_ns = now_ns, .severity = severity_of(status), .kind = "status"};
  snprintf(event.text, sizeof(event.text), "%s: %s -> %s", topic,
           propriod_status_words[announced->status], propriod_status_words[status]);
  event_put(events, &event);
  *announced = (struct announced){status, now_ns};
}

static void look_at_resets(struct status_events *shown, uint32_t resets, int64_t now_ns,
                           struct event_queue *events) {
  /* counted on until the next may be said */
  if (resets == shown->resets || too_soon(shown->resets_ns, now_ns)) {
    return;
  }
  struct event event = {.t_ns = now_ns, .severity = EVENT_WARNING, .kind = "reset"};
  snprintf(event.text, sizeof(event.text), "state: the estimate jumped %u times",
           resets - shown->resets);
  event_put(events, &event);
  shown->resets = resets;
  shown->resets_ns = now_ns;
}

static void look_at_delay(struct status_events *shown, const struct inertia_estimate *inertia,
                          int64_t now_ns, struct event_queue *events) {
  if (!inertia->misaligned || shown->misaligned) {
    return;
  }
  /* the worse of the two, in ms */
  const struct inertial_delay *wrench = &inertia->delay, *torque = &inertia->torque_delay;
  const bool of_torques = torque->known && (!wrench->known || fabs(torque->s) > fabs(wrench->s));
  const double delay_ms = 1e3 * (of_torques ? torque->s : wrench->s);
  struct event event = {.t_ns = now_ns, .severity = EVENT_WARNING, .kind = "misaligned"};
  snprintf(event.text, sizeof(event.text),
           "inertia: %s come %.1f ms %s the motion; their stamps are not the instants of sampling",
           of_torques ? "joint torques" : "wrenches", fabs(delay_ms),
           delay_ms > 0.0 ? "after" : "before");
  event_put(events, &event);
  shown->misaligned = true;
}

/* Alarms that come too often, and what they speak against. */
static void look_at_doubt(struct status_events *shown, const struct inertia_estimate *inertia,
                          int64_t now_ns, struct event_queue *events) {
  static const char *const against[] = {
      "", "these links: a load is on another link, or changes hands",
      "the sensors: they are much noisier than told", "the stamps of forces or motion"};
  const enum inertial_doubt doubt = inertia->result.doubt;
  if (doubt == shown->doubt || too_soon(shown->doubt_ns, now_ns)) {
    return;
  }
  struct event event = {.t_ns = now_ns,
                        .severity = doubt == INERTIAL_SURE ? EVENT_INFO : EVENT_WARNING,
                        .kind = "doubt"};
  snprintf(event.text, sizeof(event.text), "inertia: %s%s",
           doubt == INERTIAL_SURE ? "fits again" : "no load explains what is measured; look at ",
           against[doubt]);
  event_put(events, &event);
  shown->doubt = doubt;
  shown->doubt_ns = now_ns;
}

void status_events_look(struct status_events *shown, const struct estimates *estimates,
                        int64_t now_ns, struct event_queue *events) {
  look_at_status(&shown->state, "state", estimates->state.status, now_ns, events);
  look_at_status(&shown->centroidal, "centroidal", estimates->centroidal.status, now_ns, events);
  look_at_resets(shown, estimates->state.resets, now_ns, events);
  if (estimates->inertia.result.n_links > 0) {
    look_at_status(&shown->inertia, "inertia", estimates->inertia.status, now_ns, events);
    look_at_delay(shown, &estimates->inertia, now_ns, events);
    look_at_doubt(shown, &estimates->inertia, now_ns, events);
  }
}
