/* How late the cycle is woken, next to cyclictest, turn by turn in the same run: what else happens
 * on the machine then happens to both. Also from a driver's commit to running on its frame. */
#include "support/cycle_fixture.h"

#define PERIOD_S  0.001
#define PERIOD_US "1000"
#define PRIORITY  "80"
#define LOOPS     "2500"

enum { ROUNDS = 5, CYCLES = 2500 };

struct lateness {
  double p50_us, p99_us, max_us;
};

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *values, size_t stride) {
  double sorted[ROUNDS];
  for (size_t i = 0; i < ROUNDS; i++) {
    sorted[i] = values[i * stride];
  }
  qsort(sorted, ROUNDS, sizeof(double), by_value);
  return sorted[ROUNDS / 2];
}

static struct lateness lateness_of(const struct histogram *histogram) {
  return (struct lateness){(double)histogram_quantile(histogram, 0.5) * 1e-3,
                           (double)histogram_quantile(histogram, 0.99) * 1e-3,
                           (double)histogram_quantile(histogram, 1.0) * 1e-3};
}

/* Runs the whole cycle for CYCLES turns. */
static struct lateness run_ours(struct cycle_fixture *f, enum cycle_trigger trigger) {
  memset(&f->diagnostics, 0, sizeof(f->diagnostics));
  cycle_fixture_start(f, trigger, PERIOD_S, (struct cycle_hook){NULL, NULL});
  while (counter_read(&f->diagnostics.cycles) < CYCLES) {
    usleep(20000);
    while (handover_oldest(f->handover) != NULL) {
      handover_release(f->handover);
    }
  }
  cycle_stop(f->cycle);
  return lateness_of(&f->diagnostics.wakeup);
}

/* Reads cyclictest's histogram: lines "LATENCY_US COUNT". */
static bool run_cyclictest(struct lateness *lateness) {
  static struct histogram histogram;
  memset(&histogram, 0, sizeof(histogram));
  FILE *output = popen("cyclictest -q -m -t 1 -p " PRIORITY " -i " PERIOD_US " -l " LOOPS
                       " -h 20000 2>/dev/null",
                       "r");
  char line[256];
  while (output != NULL && fgets(line, sizeof(line), output) != NULL) {
    long long us, times;
    if (line[0] != '#' && sscanf(line, "%lld %lld", &us, &times) == 2) {
      for (long long i = 0; i < times; i++) {
        histogram_add(&histogram, us * NS_PER_US);
      }
    }
  }
  const bool ran = output != NULL && pclose(output) == 0;
  *lateness = lateness_of(&histogram);
  return ran && counter_read(&histogram.count) > 0;
}

static void print(const char *name, const struct lateness *rounds) {
  printf("{\"name\": \"%s_p99\", \"value\": %.1f, \"unit\": \"us\", \"p50\": %.1f, \"max\": %.1f, "
         "\"rounds\": %d}\n",
         name, median(&rounds[0].p99_us, 3), median(&rounds[0].p50_us, 3),
         median(&rounds[0].max_us, 3), ROUNDS);
}

int main(void) {
  struct lateness ours[ROUNDS], theirs[ROUNDS], frames[ROUNDS];
  struct message note = {""};
  const struct realtime_settings wished = {REALTIME_PREFERRED, 80, -1};
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  const pid_t driver = start_driver(f, (int64_t)(PERIOD_S * 1e9));
  realtime_prepare(&wished, &note);
  bool compared = true;
  for (int round = 0; round < ROUNDS; round++) {
    ours[round] = run_ours(f, CYCLE_ON_TIMER);
    compared = run_cyclictest(&theirs[round]) && compared;
    frames[round] = run_ours(f, CYCLE_ON_FRAME);
  }
  end_driver(driver);
  segment_keeper_close(&f->keeper, true);
  print("wakeup_timer", ours);
  print("wakeup_frame", frames);
  if (!compared) {
    fprintf(stderr, "wakeup_bench: cyclictest (package rt-tests) did not run here\n");
    return EXIT_SUCCESS;
  }
  print("cyclictest", theirs);
  printf(
      "{\"name\": \"wakeup_to_cyclictest_p99\", \"value\": %.2f, \"unit\": \"ratio\", \"limit\": "
      "1.5}\n",
      median(&ours[0].p99_us, 3) / median(&theirs[0].p99_us, 3));
  return EXIT_SUCCESS;
}
