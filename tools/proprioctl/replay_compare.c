/* proprioctl replay --compare: which quantities another configuration changes, when and by how
 * much. */
#include "commands.h"
#include "replay.h"
#include "replay/result_columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far apart two runs are in one quantity. */
struct apart {
  uint64_t both, different; /* cycles in which both have it; in which they differ */
  uint64_t one;             /* cycles in which only one has it */
  int64_t first_ns, most_ns;
  double most, sum_squares;
};

struct comparison {
  struct replayer *run[2];
  struct result_columns columns;
  struct apart *apart; /* [columns.n] */
  uint64_t cycles;
  int64_t begin_ns;
};

static void compare_number(struct apart *apart, double a, double b, int64_t t_ns) {
  if (isnan(a) != isnan(b)) {
    apart->one++;
  } else if (!isnan(a)) {
    apart->both++;
  }
  if (memcmp(&a, &b, sizeof(a)) == 0) {
    return;
  }
  apart->first_ns = apart->different++ == 0 ? t_ns : apart->first_ns;
  const double difference = fabs(a - b);
  if (!isnan(difference)) {
    apart->sum_squares += difference * difference;
    if (difference > apart->most) {
      apart->most = difference;
      apart->most_ns = t_ns;
    }
  }
}

/* The next cycle of a run; other items are passed over. */
static enum status next_cycle(struct replayer *run, struct replayed *replayed,
                              struct message *error) {
  struct recording_item item = {.kind = RECORDING_EVENT};
  enum status status;
  do {
    status = replayer_next(run, &item, replayed, error);
  } while (status == STATUS_OK && item.kind != RECORDING_CYCLE);
  return status;
}

static enum status run_both(struct comparison *c, struct message *error) {
  for (;;) {
    struct replayed replayed[2];
    for (int i = 0; i < 2; i++) {
      const enum status status = next_cycle(c->run[i], &replayed[i], error);
      if (status != STATUS_OK) {
        return status;
      }
    }
    const int64_t t_ns = replayed[0].cycle->frame.t_ns;
    c->begin_ns = c->cycles++ == 0 ? t_ns : c->begin_ns;
    for (size_t i = 0; i < c->columns.n; i++) {
      compare_number(&c->apart[i], result_number(&c->columns, i, replayed[0].estimates),
                     result_number(&c->columns, i, replayed[1].estimates), t_ns);
    }
    replay_progress(c->run[0]);
  }
}

static void print_comparison(const struct comparison *c, const char *config) {
  size_t equal = 0;
  printf("%-40s %12s %9s %10s %10s %10s  %s\n", "quantity", "first, s", "cycles", "rms", "most",
         "at, s", "unit");
  for (size_t i = 0; i < c->columns.n; i++) {
    const struct apart *a = &c->apart[i];
    if (a->different == 0) {
      equal++;
      continue;
    }
    printf("%-40s %12.3f %9" PRIu64 " %10.3g %10.3g %10.3f  %s", c->columns.column[i].name,
           (double)(a->first_ns - c->begin_ns) * 1e-9, a->different,
           sqrt(a->sum_squares / (double)(a->both > 0 ? a->both : 1)), a->most,
           (double)(a->most_ns - c->begin_ns) * 1e-9, c->columns.column[i].unit);
    printf(a->one > 0 ? " (%" PRIu64 " cycles in one only)\n" : "\n", a->one);
  }
  printf("%" PRIu64 " cycles with the recorded configuration and with %s: %zu of %zu numbers have "
         "the same bits throughout\n",
         c->cycles, config, equal, c->columns.n);
}

int replay_compare(const struct replay_order *order) {
  struct comparison c = {.cycles = 0};
  struct message error = {""};
  struct replay_plan plan[2] = {order->plan, order->plan};
  plan[1].config = order->compare;
  bool ready = true;
  for (int i = 0; ready && i < 2; i++) {
    ready = replayer_open(&c.run[i], &plan[i], &error) == STATUS_OK;
  }
  if (ready) {
    const struct generation *generation = replayer_generation(c.run[0]);
    ready = result_columns_init(&c.columns, generation->robot,
                                &generation->settings.pipeline.inertial) == STATUS_OK;
    c.apart = calloc(c.columns.n + 1, sizeof(*c.apart));
    ready = ready && c.apart != NULL;
    message_set(&error, "no memory");
  }
  ready = ready && run_both(&c, &error) == STATUS_OUT_OF_RANGE;
  if (ready) {
    print_comparison(&c, order->compare);
  } else {
    fprintf(stderr, "proprioctl replay: %s\n", error.text);
  }
  replayer_close(c.run[0]);
  replayer_close(c.run[1]);
  result_columns_free(&c.columns);
  free(c.apart);
  return ready ? CTL_OK : CTL_FAILED;
}
