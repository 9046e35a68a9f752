/* What a cycle pays to take one consistent frame of the humanoid (30 joints, 1260 cells), and what
 * a driver pays to commit one. The caches are swept before each, as by the filters of a real
 * cycle. */
#include "common/clock.h"
#include "shm/segment_keeper.h"
#include "shm/sensor_input.h"

#include "propriod/shm.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 2000, SWEEP = 4 << 20 };

static const uint32_t count[PROPRIOD_SHM_STREAMS] = {30, 1, 1260, 2};

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, double *us) {
  qsort(us, RUNS, sizeof(double), by_value);
  printf("{\"name\": \"%s\", \"value\": %.2f, \"unit\": \"us\", \"p99\": %.2f, \"runs\": %d}\n",
         name, us[RUNS / 2], us[RUNS * 99 / 100], RUNS);
}

static double us_since(int64_t start_ns) {
  return (double)(clock_now_ns() - start_ns) * 1e-3;
}

/* Pushes what the caches hold out of them. */
static void sweep(void) {
  static volatile unsigned char memory[SWEEP];
  for (size_t i = 0; i < SWEEP; i += 64) {
    memory[i]++;
  }
}

static int open_all(struct propriod_shm writer[PROPRIOD_SHM_STREAMS], const char *name,
                    const uint32_t fields[PROPRIOD_SHM_STREAMS]) {
  char why[PROPRIOD_SHM_REASON];
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (propriod_shm_open(&writer[kind], name, (enum propriod_shm_kind)kind, count[kind],
                          fields[kind], why) != 0) {
      fprintf(stderr, "input_bench: %s\n", why);
      return -1;
    }
  }
  return 0;
}

/* Every byte in use changes from frame to frame. */
static void commit_all(struct propriod_shm writer[PROPRIOD_SHM_STREAMS], int run, double *skin_us) {
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    memset(propriod_shm_begin(&writer[kind]), run & 0x3f,
           propriod_shm_used(kind, count[kind], writer[kind].fields));
    const int64_t start_ns = clock_now_ns();
    propriod_shm_commit(&writer[kind], start_ns);
    if (kind == PROPRIOD_SHM_SKIN) {
      *skin_us = us_since(start_ns);
    }
  }
}

/* Times RUNS frames; false when one of them did not arrive whole. */
static bool measure(struct sensor_input *input, struct propriod_shm *writer, bool cold,
                    double *take_us, double *commit_us) {
  for (int run = 0; run < RUNS; run++) {
    commit_all(writer, run, &commit_us[run]);
    if (cold) {
      sweep();
    }
    const int64_t start_ns = clock_now_ns();
    sensor_input_begin(input);
    const struct sensor_frame *frame = sensor_input_take(input, start_ns);
    take_us[run] = us_since(start_ns);
    if (!frame->joints.stamp.fresh || !frame->imu.stamp.fresh || !frame->skin.stamp.fresh ||
        !frame->wrench.stamp.fresh) {
      return false;
    }
  }
  return true;
}

int main(void) {
  static struct diagnostics diagnostics;
  static struct segment_keeper keeper;
  static struct sensor_input input;
  static double take_us[RUNS], commit_us[RUNS];
  static const uint32_t least[] = {0, 0, 0, 0};
  static const uint32_t most[] = {PROPRIOD_SHM_VELOCITY | PROPRIOD_SHM_EFFORT,
                                  PROPRIOD_SHM_ORIENTATION,
                                  PROPRIOD_SHM_PROXIMITY | PROPRIOD_SHM_FORCE, 0};
  const struct {
    const char *name;
    const uint32_t *fields;
    bool cold;
  } cases[] = {{"input_humanoid30", least, true},
               {"input_humanoid30_all_arrays", most, true},
               {"input_humanoid30_hot", least, false}};
  const struct sensor_input_settings settings = {.limit_s = {1, 1, 1, 1}};
  struct propriod_shm writer[PROPRIOD_SHM_STREAMS];
  struct message error = {""};
  struct arena arena = {0};
  char name[64];
  snprintf(name, sizeof(name), "propriod-bench-%d", (int)getpid());
  sensor_input_init(&input, &settings, count, &diagnostics, &arena);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  if (arena.base == NULL ||
      sensor_input_init(&input, &settings, count, &diagnostics, &arena) != STATUS_OK ||
      segment_keeper_init(&keeper, name, count, &diagnostics, &error) != STATUS_OK) {
    fprintf(stderr, "input_bench: %s\n", error.text);
    return EXIT_FAILURE;
  }
  sensor_input_attach(&input, segment_keeper_current(&keeper));
  bool good = true;
  for (size_t i = 0; good && i < sizeof(cases) / sizeof(cases[0]); i++) {
    good = open_all(writer, name, cases[i].fields) == 0 &&
           measure(&input, writer, cases[i].cold, take_us, commit_us);
    if (good) {
      print(cases[i].name, take_us);
    }
    for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
      propriod_shm_close(&writer[kind]);
    }
  }
  if (good) {
    print("commit_skin_1260", commit_us);
  }
  segment_keeper_close(&keeper, true);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
