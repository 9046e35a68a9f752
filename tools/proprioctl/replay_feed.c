/* proprioctl replay in place of others: --into-segment of the drivers, for a running daemon, and
 * --publish of the daemon, for its subscribers. */
#include "commands.h"
#include "common/clock.h"
#include "recording/recording.h"
#include "replay.h"
#include "replay/feed.h"
#include "replay/recorded_generation.h"
#include "replay/replay_publisher.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/* The recording's time on this machine's clock. */
struct pace {
  int64_t recorded_ns, here_ns; /* the same instant on both */
  double factor;
};

static int64_t here(const struct pace *pace, int64_t t_ns) {
  return pace->here_ns + llround((double)(t_ns - pace->recorded_ns) / pace->factor);
}

/* All that is fresh in a cycle, when the daemon took it, its stamps as old as they were then. */
static void play(struct feed *feed, const struct recorded_cycle *cycle, const struct pace *pace) {
  struct sensor_frame frame = cycle->frame;
  const int64_t taken_ns = cycle->woken_ns != 0 ? cycle->woken_ns : frame.t_ns;
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    struct stream_stamp *stamp = recorded_stamp(&frame, kind);
    stamp->t_ns = here(pace, stamp->t_ns);
  }
  sleep_until(here(pace, taken_ns));
  feed_write(feed, &frame, clock_now_ns());
}

static uint64_t play_all(struct recording *recording, struct feed *feed, double factor) {
  struct recording_item item;
  struct pace pace = {.factor = factor};
  uint64_t cycles = 0;
  while (!interrupted && recording_next(recording, &item) == STATUS_OK) {
    if (item.kind != RECORDING_CYCLE) {
      continue;
    }
    if (cycles++ == 0) {
      const struct recorded_cycle *first = item.cycle;
      pace.recorded_ns = first->woken_ns != 0 ? first->woken_ns : first->frame.t_ns;
      pace.here_ns = clock_now_ns();
    }
    play(feed, item.cycle, &pace);
  }
  return cycles;
}

/* What the segment did not take, and how much it took. True: something. */
static bool report(const struct feed *feed, uint64_t cycles) {
  bool any = false;
  printf("%" PRIu64 " cycles played:", cycles);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (feed->stream[kind].wanted) {
      printf(" %" PRIu64 " of %s", feed->stream[kind].written, propriod_shm_name(kind));
      any = any || feed->stream[kind].written > 0;
    }
  }
  printf("\n");
  const char *complaint = feed_complaint(feed);
  if (complaint != NULL) {
    fprintf(stderr, "proprioctl replay: %s\n", complaint);
  }
  return any && complaint == NULL;
}

/* Joints as their driver had them, where the recording has the configuration that says so. */
static void begin_feed(struct feed *feed, const struct recording *recording, const char *segment,
                       struct generation **generation) {
  struct message note, error;
  uint32_t count[PROPRIOD_SHM_STREAMS];
  memcpy(count, recording_header(recording)->count, sizeof(count));
  if (recorded_generation(recording, 1, generation, &note, &error) != STATUS_OK) {
    *generation = NULL;
    feed_init(feed, segment, count);
    return;
  }
  const struct robot *robot = (*generation)->robot;
  count[PROPRIOD_SHM_JOINTS] = (uint32_t)robot->joints.count;
  feed_init(feed, segment, count);
  feed->joints = &robot->joints;
  feed->n_joints = robot->model.n_joints;
}

int replay_into_segment(const struct replay_order *order) {
  struct recording *recording = NULL;
  struct message error;
  if (recording_open(&recording, order->plan.paths[0], &error) != STATUS_OK) {
    fprintf(stderr, "proprioctl replay: %s\n", error.text);
    return CTL_FAILED;
  }
  static struct feed feed;
  struct generation *generation = NULL;
  begin_feed(&feed, recording, order->segment, &generation);
  signal(SIGINT, on_interrupt);
  signal(SIGTERM, on_interrupt);
  const uint64_t cycles = play_all(recording, &feed, order->pace);
  const bool taken = report(&feed, cycles);
  feed_close(&feed);
  generation_free(generation);
  recording_close(recording);
  return taken ? CTL_OK : CTL_FAILED;
}

int replay_to_subscribers(const struct replay_order *order) {
  struct message error;
  const struct replay_publishing publishing = {
      .plan = order->plan, .ipc = order->publish, .pace = order->pace, .interrupted = &interrupted};
  signal(SIGINT, on_interrupt);
  signal(SIGTERM, on_interrupt);
  if (replay_publish(&publishing, &error) != STATUS_OK) {
    fprintf(stderr, "proprioctl replay: %s\n", error.text);
    return CTL_FAILED;
  }
  return CTL_OK;
}
