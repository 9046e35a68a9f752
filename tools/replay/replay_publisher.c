#include "replay/replay_publisher.h"

#include "common/clock.h"
#include "cycle/handover.h"
#include "publish/publisher.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOW_MS = 200 /* behind the clock, and it is set anew */ };

struct player {
  const struct replay_publishing *order;
  struct publisher *publisher;
  struct diagnostics diagnostics;
  int64_t recorded_ns, here_ns; /* the same instant on both clocks; 0: none yet */
};

static int64_t here(const struct player *p, int64_t t_ns) {
  return p->here_ns + llround((double)(t_ns - p->recorded_ns) / p->order->pace);
}

/* Waits until a cycle's instant has come; sets the clock anew where it is long past. */
static void wait_for(struct player *p, int64_t t_ns) {
  const int64_t now_ns = clock_now_ns();
  if (p->here_ns == 0 || now_ns - here(p, t_ns) > SLOW_MS * NS_PER_MS) {
    p->recorded_ns = t_ns;
    p->here_ns = now_ns;
  }
  sleep_until(here(p, t_ns));
}

/* What the daemon counts of its input, as far as a recording tells. */
static void count(struct player *p, const struct recorded_cycle *cycle, int64_t took_ns) {
  struct sensor_frame frame = cycle->frame;
  struct diagnostics *d = &p->diagnostics;
  counter_increment(&d->cycles);
  counter_add(&d->predicted, frame.joints.stamp.fresh ? 0 : 1);
  counter_add(&d->overloaded, (cycle->flags & CYCLE_OVERLOADED) != 0);
  histogram_add(&d->busy, took_ns);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    const struct stream_stamp *stamp = recorded_stamp(&frame, kind);
    struct stream_diagnostics *stream = &d->stream[kind];
    counter_add(&stream->frames, stamp->fresh ? 1 : 0);
    atomic_store(&stream->present, stamp->present);
    if (stamp->fresh) {
      atomic_store(&stream->t_ns, here(p, stamp->t_ns));
    }
  }
}

/* One result goes the way that the daemon's go. */
static void hand_over(struct player *p, const struct replayed *replayed) {
  struct handover *handover = publisher_handover(p->publisher);
  struct cycle_result *result = handover_begin(handover);
  result->estimates = *replayed->estimates;
  struct estimates *e = &result->estimates;
  e->state.t_ns = here(p, e->state.t_ns);
  e->centroidal.t_ns = here(p, e->centroidal.t_ns);
  e->inertia.t_ns = here(p, e->inertia.t_ns);
  estimator_reports_write(publisher_reports(p->publisher), replayed->pipeline, e);
  if (!handover_commit(handover, clock_now_ns())) {
    counter_increment(&p->diagnostics.dropped);
  }
}

static enum status play(struct player *p, struct replayer *replayer, struct message *error) {
  struct recording_item item;
  struct replayed replayed;
  while (!*p->order->interrupted) {
    const int64_t start_ns = clock_now_ns();
    const enum status status = replayer_next(replayer, &item, &replayed, error);
    if (status != STATUS_OK) {
      return status == STATUS_OUT_OF_RANGE ? STATUS_OK : status;
    }
    if (item.kind == RECORDING_EVENT) {
      publisher_event(p->publisher, item.event.severity, item.event.kind, "%s", item.event.text);
    } else if (item.kind == RECORDING_CYCLE) {
      const int64_t took_ns = clock_now_ns() - start_ns;
      wait_for(p, item.cycle->frame.t_ns);
      count(p, item.cycle, took_ns);
      hand_over(p, &replayed);
    }
  }
  return STATUS_OK;
}

/* Only the socket is this program's; all else as the recorded daemon had it. */
static struct publisher *start(struct player *p, const struct generation *generation,
                               struct message *error) {
  struct publish_settings settings = generation->settings.publish;
  settings.tcp[0] = settings.curve_secret_key[0] = settings.curve_clients[0] = '\0';
  settings.shared_memory = false;
  if (snprintf(settings.ipc, sizeof(settings.ipc), "%s", p->order->ipc) >=
      (int)sizeof(settings.ipc)) {
    message_set(error, "%s: longer than a socket's path may be", p->order->ipc);
    return NULL;
  }
  const struct publish_content content = {.robot = generation->robot,
                                          .diagnostics = &p->diagnostics,
                                          .period_s = generation->settings.pipeline.period_s};
  return publisher_start(&settings, &content, error);
}

enum status replay_publish(const struct replay_publishing *publishing, struct message *error) {
  struct player *p = calloc(1, sizeof(*p));
  enum status status = p != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  bool more = true;
  message_set(error, "out of memory");
  while (status == STATUS_OK && more && !*publishing->interrupted) {
    struct replayer *replayer = NULL;
    p->order = publishing;
    p->here_ns = 0;
    status = replayer_open(&replayer, &publishing->plan, error);
    if (status == STATUS_OK && p->publisher == NULL) {
      p->publisher = start(p, replayer_generation(replayer), error);
      status = p->publisher != NULL ? STATUS_OK : STATUS_REFUSED;
    }
    if (status == STATUS_OK) {
      status = play(p, replayer, error);
    }
    replayer_close(replayer);
    more = publishing->again;
  }
  if (p != NULL) {
    publisher_stop(p->publisher);
  }
  free(p);
  return status;
}
