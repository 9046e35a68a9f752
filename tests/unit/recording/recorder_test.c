/* The recorder as the daemon drives it: cycles in, files out, and nothing that a disk does reaches
 * the cycle. */
#include "recording/recorder.h"

#include "common/clock.h"
#include "recording/cycle_ring.h"
#include "recording/recording.h"
#include "support/recorded_fixture.h"
#include "support/suite.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], flight_folder[80], saved_folder[80];
static struct recorder *recorder;
static void *memory;
static struct log *quiet;
static FILE *nowhere;
static struct made_cycle made;
static uint64_t made_k;

enum {
  PATIENCE = 6000
}; /* hundredths of a second, of which only a machine without time needs many */

static struct record_settings usual(void) {
  return (struct record_settings){.flight_s = 3600.0,
                                  .flight_mib = 256,
                                  .part_s = 3600.0,
                                  .part_mib = 1024,
                                  .buffer_mib = 4,
                                  .level = 1};
}

static void begin(const struct record_settings *settings) {
  struct message error = {""};
  if (folder[0] == '\0') {
    snprintf(folder, sizeof(folder), "/tmp/propriod-recorder-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(flight_folder, sizeof(flight_folder), "%s/flight", folder);
    snprintf(saved_folder, sizeof(saved_folder), "%s/saved", folder);
  }
  const struct recording_header header = made_header();
  nowhere = fopen("/dev/null", "w");
  quiet = log_open(nowhere, false);
  struct recorder_plan plan = {
      .settings = settings, .folder = saved_folder, .flight_folder = flight_folder, .log = quiet};
  memcpy(plan.count, header.count, sizeof(plan.count));
  struct arena arena = {0};
  ck_assert_int_eq(recorder_init(&recorder, &plan, &arena), STATUS_OK);
  memory = aligned_alloc(ARENA_ALIGN, arena.used);
  arena = arena_over(memory, arena.used);
  ck_assert_int_eq(recorder_init(&recorder, &plan, &arena), STATUS_OK);
  recorder_text(recorder, 1, "settings.yaml", "robot: {}", 9);
  ck_assert_int_eq(recorder_start(recorder, &error), STATUS_OK);
  made_begin(&made);
  made_k = 0;
}

static void end(void) {
  recorder_stop(recorder);
  free(memory);
  log_close(quiet);
  fclose(nowhere);
}

static void clean(void) {
  char command[128];
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
}

/* Until the thread has taken all that stands in the ring: a turn that began after now has ended. */
static void let_it_turn(void) {
  const uint64_t before = recorder_heartbeat(recorder);
  for (int i = 0; i < 10000 && recorder_heartbeat(recorder) < before + 2; i++) {
    usleep(1000);
  }
  ck_assert_uint_ge(recorder_heartbeat(recorder), before + 2);
}

/* `n` more cycles; results with `resets` jumps so far. */
static void take(uint64_t n, uint64_t resets) {
  static struct estimates estimates;
  static struct sensor_input input;
  static struct cell_chooser chooser;
  const struct recorder_beside beside = {&input, &chooser, false};
  for (uint64_t i = 0; i < n; i++) {
    made_step(&made, ++made_k);
    const struct cycle_latest latest = {&made.cycle.frame, made.cycle.woken_ns, false, false};
    estimates.state.seq = made_k;
    estimates.state.status = PROPRIOD_STATUS_OK;
    estimates.state.resets = resets;
    recorder_take(recorder, &latest, &beside, &estimates);
    if (i % 200 == 199) {
      let_it_turn();
    }
  }
}

static bool ask(const char *words, char *text, size_t size) {
  char asked[REQUEST_WORDS_SIZE];
  struct message answer = {""};
  bool ok = false;
  ck_assert(recorder_ask(recorder, words));
  ck_assert(!recorder_ask(recorder, "status")); /* one at a time */
  for (int i = 0; i < PATIENCE && !recorder_answer(recorder, asked, &ok, &answer); i++) {
    usleep(10000);
  }
  ck_assert_str_eq(asked, words);
  snprintf(text, size, "%s", answer.text);
  return ok;
}

/* The cycles of a file, in the order of their instants and none twice; its texts are there. */
static struct recording_summary read_file(const char *name, uint64_t *cycles) {
  char path[256];
  struct recording *recording = NULL;
  struct recording_item item;
  struct message error = {""};
  size_t size;
  snprintf(path, sizeof(path), "%s/%s", saved_folder, name);
  ck_assert_msg(recording_open(&recording, path, &error) == STATUS_OK, "%s", error.text);
  ck_assert_ptr_nonnull(recording_text(recording, 1, "settings.yaml", &size));
  int64_t last_ns = 0;
  for (*cycles = 0; recording_next(recording, &item) == STATUS_OK;) {
    if (item.kind == RECORDING_CYCLE) {
      ck_assert_int_gt(item.cycle->frame.t_ns, last_ns);
      last_ns = item.cycle->frame.t_ns;
      ++*cycles;
    }
  }
  const struct recording_summary summary = recording_summary(recording);
  recording_close(recording);
  return summary;
}

/* Files whose name has `with` in it and that are whole; the last one's name. */
static int count_files(const char *of, const char *with, char *name) {
  DIR *dir = opendir(of);
  int n = 0;
  for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
    const bool is_whole = strstr(e->d_name, ".saving") == NULL || strcmp(with, ".saving") == 0;
    if (strstr(e->d_name, with) != NULL && is_whole) {
      n++;
      snprintf(name, 64, "%.63s", e->d_name);
    }
  }
  if (dir != NULL) {
    closedir(dir);
  }
  return n;
}

/* Until a whole file of that kind is among those that were saved. */
static void wait_for_file(const char *with, char *name) {
  for (int i = 0; i < PATIENCE && count_files(saved_folder, with, name) == 0; i++) {
    usleep(10000);
  }
  ck_assert_int_eq(count_files(saved_folder, with, name), 1);
}

START_TEST(what_is_between_start_and_stop_is_in_the_file_and_nothing_else) {
  const struct record_settings settings = usual();
  char text[1024];
  uint64_t cycles;
  begin(&settings);
  take(300, 0);
  let_it_turn();
  ck_assert(ask("start one", text, sizeof(text)));
  take(1000, 0);
  ck_assert(ask("mark here it is", text, sizeof(text)));
  take(200, 0);
  let_it_turn();
  ck_assert_msg(ask("stop", text, sizeof(text)), "%s", text);
  take(100, 0);
  const struct recording_summary summary = read_file("one-1.rec", &cycles);
  ck_assert_uint_eq(cycles, 1200);
  ck_assert_uint_eq(summary.events, 1);
  ck_assert(summary.ended && summary.lost == 0);
  ck_assert(!ask("start one", text, sizeof(text)));
  ck_assert_ptr_nonnull(strstr(text, "File exists"));
  ck_assert(!ask("dance", text, sizeof(text)));
  end();
  clean();
}
END_TEST

START_TEST(parts_join_into_one_file_with_every_cycle_once_and_old_ones_go) {
  struct record_settings settings = usual();
  char text[1024], name[64];
  uint64_t cycles;
  settings.flight_s = 2.0; /* parts of 0.4 s */
  begin(&settings);
  take(5000, 0);
  let_it_turn();
  ck_assert_int_le(count_files(flight_folder, ".rec", name), 8);
  ck_assert(ask("save last", text, sizeof(text)));
  const struct recording_summary summary = read_file("last.rec", &cycles);
  ck_assert_uint_eq(cycles, summary.cycles);
  ck_assert_uint_eq(cycles, 1 + (uint64_t)(summary.last_ns - summary.first_ns) / 1000000);
  ck_assert_int_eq(summary.last_ns, made.cycle.frame.t_ns);
  ck_assert_uint_ge(cycles, 2000);
  ck_assert_uint_le(cycles, 2900);
  ck_assert_uint_eq(summary.lost, 0);
  ck_assert_int_eq(count_files(saved_folder, ".saving", name), 0);
  ck_assert(!ask("save last", text, sizeof(text)));
  end();
  ck_assert_int_eq(count_files(flight_folder, ".rec", name), 0);
  clean();
}
END_TEST

START_TEST(a_jump_of_the_estimate_is_saved_once_and_with_what_followed) {
  const struct record_settings settings = usual();
  char name[64];
  uint64_t cycles;
  begin(&settings);
  take(800, 0);
  const int64_t jumped_ns = clock_now_ns();
  take(1, 1); /* it jumps */
  take(400, 1);
  take(200, 2); /* again: too soon after the first */
  /* of what follows two seconds are saved: all of it, unless this machine has stood still */
  const uint64_t at_least = clock_now_ns() - jumped_ns < 2 * NS_PER_S ? 1401 : 801;
  wait_for_file("reset-", name);
  let_it_turn();
  ck_assert_int_eq(count_files(saved_folder, "reset-", name), 1);
  read_file(name, &cycles);
  ck_assert_uint_ge(cycles, at_least);
  ck_assert_uint_le(cycles, 1401);
  end();
  clean();
}
END_TEST

START_TEST(a_full_disk_costs_cycles_that_are_counted_and_nothing_else) {
  struct record_settings settings = usual();
  char text[1024];
  uint64_t cycles;
  settings.flight_s = 0.0;
  signal(SIGXFSZ, SIG_IGN);
  begin(&settings);
  ck_assert(ask("start full", text, sizeof(text)));
  take(600, 0);
  const struct rlimit full = {100000, RLIM_INFINITY}, free_again = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &full);
  take(2000, 0);
  let_it_turn();
  ck_assert_uint_gt(recorder_counters(recorder).lost_blocks, 0);
  setrlimit(RLIMIT_FSIZE, &free_again);
  take(600, 0);
  let_it_turn();
  ck_assert(!ask("stop", text, sizeof(text)));
  ck_assert_ptr_nonnull(strstr(text, " lost"));
  const struct recording_summary summary = read_file("full-1.rec", &cycles);
  ck_assert_uint_eq(cycles + summary.lost, 3200);
  ck_assert_uint_gt(cycles, 1000);
  ck_assert_int_eq(summary.last_ns, made.cycle.frame.t_ns);
  ck_assert_uint_eq(summary.places, 0);
  end();
  clean();
}
END_TEST

START_TEST(parts_of_a_daemon_that_was_killed_are_kept_by_the_next) {
  const struct record_settings settings = usual();
  char name[64];
  uint64_t cycles;
  begin(&settings);
  take(1000, 0);
  let_it_turn();
  const struct recorder *killed = recorder; /* its thread goes on, and nobody feeds it */
  ck_assert_ptr_nonnull(killed);
  ck_assert_int_eq(count_files(flight_folder, "flight-", name), 1);
  begin(&settings);
  wait_for_file("ended-", name);
  read_file(name, &cycles);
  ck_assert_uint_ge(cycles, 1000 - 250); /* the last quarter of a second was in its memory */
  end();
  clean();
}
END_TEST

START_TEST(a_ring_that_is_full_leaves_cycles_out_and_the_next_says_how_many) {
  static struct cycle_ring ring;
  const struct recording_header header = made_header();
  struct arena arena = {0};
  ck_assert_int_eq(cycle_ring_init(&ring, header.count, 1000, &arena), STATUS_BAD_ARGUMENT);
  arena = (struct arena){0};
  ck_assert_int_eq(cycle_ring_init(&ring, header.count, 1 << 17, &arena), STATUS_OK);
  void *block = aligned_alloc(ARENA_ALIGN, arena.used);
  arena = arena_over(block, arena.used);
  ck_assert_int_eq(cycle_ring_init(&ring, header.count, 1 << 17, &arena), STATUS_OK);
  struct made_cycle in, same;
  made_begin(&in);
  made_begin(&same);
  uint64_t k = 0, same_k = 0, taken = 0, left_out = 0, told = 0;
  struct random random = random_from(test_seed());
  for (int round = 0; round < 400; round++) {
    const int puts = (int)random_uniform(&random, 0.0, 200.0);
    for (int i = 0; i < puts; i++) {
      made_step(&in, ++k);
      in.cycle.flags &= ~CYCLE_HAS_RESULT;
      in.cycle.result = NULL;
      left_out += !cycle_ring_put(&ring, &in.cycle);
    }
    const struct recorded_cycle *out;
    const int takes = (int)random_uniform(&random, 0.0, 200.0);
    for (int i = 0; i < takes && (out = cycle_ring_oldest(&ring)) != NULL; i++) {
      told += out->lost;
      const uint64_t is = (uint64_t)(out->frame.t_ns - 5000000000) / 1000000;
      ck_assert_uint_eq(is, ++taken + told);
      while (same_k < is) {
        made_step(&same, ++same_k);
      }
      if (out->frame.joints.stamp.fresh) {
        ck_assert_mem_eq(out->frame.joints.q, same.q, sizeof(same.q));
      }
      if (out->frame.skin.stamp.fresh) {
        ck_assert_mem_eq(out->frame.skin.acceleration, same.acceleration,
                         sizeof(same.acceleration));
      }
      cycle_ring_release(&ring);
    }
  }
  ck_assert_uint_gt(left_out, 0);
  ck_assert_uint_eq(atomic_load(&ring.full), left_out);
  ck_assert_uint_gt(taken, 10000);
  free(block);
}
END_TEST

SUITE(what_is_between_start_and_stop_is_in_the_file_and_nothing_else,
      parts_join_into_one_file_with_every_cycle_once_and_old_ones_go,
      a_jump_of_the_estimate_is_saved_once_and_with_what_followed,
      a_full_disk_costs_cycles_that_are_counted_and_nothing_else,
      parts_of_a_daemon_that_was_killed_are_kept_by_the_next,
      a_ring_that_is_full_leaves_cycles_out_and_the_next_says_how_many)
