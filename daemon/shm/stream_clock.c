#include "shm/stream_clock.h"

#include <math.h>

/* Frames that the line rests upon at most: fewer follow a clock that drifts, more hold it still. */
static const double MEMORY_FRAMES = 500.0;
/* Frames before which arrivals are taken as they are: a line needs some. */
static const double FIRST_FRAMES = 10.0;
/* An arrival so many mean distances off the line counts as one that is no farther. */
static const double CLIP = 3.0;
/* Share of a new distance in their mean, and of the reserve for early ones that fades. */
static const double JITTER_SHARE = 0.02, EARLY_FADES = 0.002;
/* Least distance that is reckoned with, ns: clocks of one machine. */
static const double LEAST_JITTER_NS = 1e3;
/* So many arrivals far to the same side are another line. */
enum { OFF_FRAMES = 20 };
/* Frames left out beyond which the line is not carried on. */
static const uint64_t GAP_FRAMES = 100;

void stream_clock_reset(struct stream_clock *clock) {
  *clock = (struct stream_clock){.seq = 0};
}

static int64_t begin(struct stream_clock *clock, uint64_t seq, int64_t arrival_ns) {
  const int64_t given_ns = clock->given_ns;
  *clock = (struct stream_clock){
      .seq = seq, .line_ns = arrival_ns, .given_ns = arrival_ns, .frames = 1.0};
  clock->given_ns = arrival_ns > given_ns ? arrival_ns : given_ns + 1;
  return clock->given_ns;
}

/* The second frame tells a period. */
static void begin_line(struct stream_clock *clock, double steps, int64_t arrival_ns) {
  clock->period_ns = (double)(arrival_ns - clock->line_ns) / steps;
  clock->line_ns = arrival_ns;
  clock->frames = 2.0;
}

/* Least squares over all frames at first, over a fading memory later. */
static void move_line(struct stream_clock *clock, double steps, double off) {
  const double n = clock->frames;
  const double phase = 2.0 * (2.0 * n + 1.0) / ((n + 1.0) * (n + 2.0)),
               pace = 6.0 / ((n + 1.0) * (n + 2.0));
  clock->line_ns += (int64_t)llround(phase * off);
  clock->period_ns += pace * off / steps;
  clock->frames = fmin(n + 1.0, MEMORY_FRAMES);
}

/* How far arrivals lie about the line, and before it. */
static void note_distance(struct stream_clock *clock, double off) {
  const double share = fmax(JITTER_SHARE, 1.0 / clock->frames);
  clock->jitter_ns += share * (fabs(off) - clock->jitter_ns);
  clock->early_ns = fmax(-off, (1.0 - EARLY_FADES) * clock->early_ns);
}

static bool is_another_line(struct stream_clock *clock, double off, double limit) {
  clock->off = fabs(off) > limit ? clock->off + 1 : 0;
  return clock->off >= OFF_FRAMES;
}

/* How far on the line goes, ns, for frames that were never committed and that numbers do not tell:
 * what comes after them is late by the same whole number of periods, twice in a row, where the
 * line is known to less than half of one. A frame that was stuck is followed by one in time. */
static double left_out(struct stream_clock *clock, double off, double limit) {
  const double before = clock->late_periods;
  const double periods = 2.0 * limit < clock->period_ns ? round(off / clock->period_ns) : 0.0;
  const bool again = periods == before;
  clock->late_periods = again ? 0.0 : periods;
  return again ? periods * clock->period_ns : 0.0;
}

int64_t stream_clock_step(struct stream_clock *clock, uint64_t seq, int64_t arrival_ns) {
  if (clock->frames == 0.0 || seq <= clock->seq || seq - clock->seq > GAP_FRAMES) {
    return begin(clock, seq, arrival_ns);
  }
  const double steps = (double)(seq - clock->seq);
  clock->seq = seq;
  if (clock->frames < 2.0) {
    begin_line(clock, steps, arrival_ns);
  } else {
    clock->line_ns += (int64_t)llround(steps * clock->period_ns);
    const double limit = CLIP * fmax(clock->jitter_ns, LEAST_JITTER_NS);
    const bool young = clock->frames < FIRST_FRAMES;
    const double late = (double)(arrival_ns - clock->line_ns);
    const double out = young ? 0.0 : left_out(clock, late, limit), off = late - out;
    clock->line_ns += (int64_t)llround(out);
    if (!young && is_another_line(clock, off, limit)) {
      return begin(clock, seq, arrival_ns);
    }
    const double counted = young ? off : fmin(fmax(off, -limit), limit);
    move_line(clock, steps, counted);
    note_distance(clock, young ? off : fmin(fmax(off, -limit), 2.0 * limit));
  }
  int64_t sampled_ns = arrival_ns;
  if (clock->frames >= FIRST_FRAMES) {
    sampled_ns = clock->line_ns - (int64_t)llround(clock->early_ns);
    sampled_ns = sampled_ns < arrival_ns ? sampled_ns : arrival_ns;
  }
  clock->given_ns = sampled_ns > clock->given_ns ? sampled_ns : clock->given_ns + 1;
  return clock->given_ns;
}
