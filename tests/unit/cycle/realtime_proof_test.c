/* What the real-time thread does not do in 10 000 cycles: allocate, fault, block, or ask the kernel
 * for anything but to wait. */
#include "cycle/cell_chooser.h"
#include "cycle/cycle.h"
#include "cycle/estimator_report.h"
#include "cycle/worker.h"
#include "learned/learned_store.h"
#include "publish/state_export.h"
#include "recording/recorder.h"

#include "support/cycle_fixture.h"
#include "support/real_time_observer.h"
#include "support/suite.h"

#define PERIOD_S 0.0005
enum { CYCLES = 10000, FIRST = 200 };

static _Atomic bool filtered;

/* What the daemon does after each cycle, in the same thread. */
static struct {
  struct state_export state;
  struct estimator_reports *reports;
  struct worker *worker;
  struct cell_chooser chooser;
  struct learned_store learned;
  struct recorder *recorder;
  char flight[32]; /* folder of its flight record */
  struct cycle_fixture *fixture;
} after;

/* Its thread writes a flight record with all results meanwhile. */
static enum status init_recorder(struct cycle_fixture *f, struct arena *arena) {
  static const struct record_settings settings = {
      .flight_s = 2.0, .flight_mib = 64, .buffer_mib = 32, .level = 1, .results = true};
  const struct recorder_plan plan = {.settings = &settings,
                                     .folder = "/dev/null/nowhere",
                                     .flight_folder = after.flight,
                                     .count = {f->count[0], f->count[1], f->count[2], f->count[3]},
                                     .log = log_open(stdout, false)};
  return recorder_init(&after.recorder, &plan, arena);
}

static enum status init_after(struct cycle_fixture *f, struct arena *arena) {
  enum status status = estimator_reports_init(&after.reports, f->robot->n_cells, 100, arena);
  if (status == STATUS_OK) {
    status = cell_chooser_init(&after.chooser, f->robot, joint_filter_defaults().cell_noise,
                               after.worker, &f->keeper, arena);
  }
  if (status == STATUS_OK) {
    status = learned_store_init(&after.learned, "/nowhere", PERIOD_S, NULL, arena);
  }
  return status == STATUS_OK ? init_recorder(f, arena) : status;
}

static void begin_after(struct cycle_fixture *f) {
  struct message error = {""};
  struct arena count = {0};
  ck_assert_msg(state_export_open(&after.state, f->segment, (int64_t)(PERIOD_S * 1e9), &error) ==
                    STATUS_OK,
                "%s", error.text);
  after.worker = worker_start(&error);
  ck_assert_ptr_nonnull(after.worker);
  snprintf(after.flight, sizeof(after.flight), "/tmp/propriod-flight-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(after.flight));
  init_after(f, &count);
  struct arena arena = fixture_arena(f, count.used);
  ck_assert_int_eq(init_after(f, &arena), STATUS_OK);
  after.fixture = f;
  ck_assert_int_eq(recorder_start(after.recorder, &error), STATUS_OK);
}

/* As configured with a budget of cells and a link to be estimated. */
static struct pipeline *pipeline_with_all(struct cycle_fixture *f) {
  struct pipeline_settings settings = pipeline_defaults();
  struct pipeline *pipeline = NULL;
  struct arena count = {0};
  settings.period_s = PERIOD_S;
  settings.cells_per_link = 8;
  settings.inertial.n_links = 1;
  strcpy(settings.inertial.link[0], "torso_pitch_link");
  pipeline_init(&pipeline, f->robot, &settings, &count);
  struct arena arena = fixture_arena(f, count.used);
  ck_assert_int_eq(pipeline_init(&pipeline, f->robot, &settings, &arena), STATUS_OK);
  return pipeline;
}

/* Frames of joints that woke the thread and were too old, or followed at once by another. */
static uint64_t passed_over;

static uint64_t passed_over_so_far(void) {
  return counter_read(&after.fixture->diagnostics.stream[PROPRIOD_SHM_JOINTS].overtaken);
}

static void observe(void *context, struct pipeline *pipeline, const struct cycle_result *result) {
  (void)context;
  state_export_write(&after.state, &result->estimates);
  estimator_reports_write(after.reports, pipeline, &result->estimates);
  cell_chooser_cycle(&after.chooser, pipeline);
  const bool forgot = learned_store_cycle(&after.learned, pipeline);
  const struct recorder_beside beside = {&after.fixture->input, &after.chooser, forgot};
  recorder_take(after.recorder, cycle_latest(after.fixture->cycle), &beside, &result->estimates);
  if (result->estimates.state.seq == FIRST) {
    atomic_store(&filtered, forbid_all_but_waiting());
    passed_over = passed_over_so_far();
    getrusage(RUSAGE_THREAD, &seen.before);
    observed = true;
  } else if (result->estimates.state.seq == FIRST + CYCLES) {
    observed = false;
    getrusage(RUSAGE_THREAD, &seen.after);
    passed_over = passed_over_so_far() - passed_over;
    atomic_store(&seen.done, true);
  }
}

/* The driver is forked before memory is taken: a fork leaves every page of its parent to be copied
 * at the next write, which is a fault. */
static pid_t fork_driver_first(void) {
  const pid_t child = fork();
  if (child == 0) {
    struct cycle_fixture f = {.count = {30, 1, 1260, 0}};
    name_segment(&f, getppid());
    usleep(200000);
    drive(&f, (int64_t)(PERIOD_S * 1e9));
  }
  return child;
}

/* What the main thread does to a running cycle, once every so many milliseconds. */
static void nothing(struct cycle_fixture *f) {
  (void)f;
}

static void reload_and_lose_the_segment(struct cycle_fixture *f) {
  static struct pipeline *spare; /* each test has a process of its own */
  static int turn;
  struct message event;
  char path[128];
  spare = spare == NULL ? pipeline_with_all(f) : spare;
  ck_assert(cycle_swap(f->cycle, spare, 10 * NS_PER_S));
  struct pipeline *const before = f->pipeline;
  f->pipeline = spare;
  spare = before;
  if (++turn % 20 == 0) {
    snprintf(path, sizeof(path), "/dev/shm/%s", f->segment);
    ck_assert_int_eq(unlink(path), 0); /* cut short, it would end the driver with SIGBUS */
  }
  ck_assert_int_ne(segment_keeper_step(&f->keeper, &event), STATUS_REFUSED);
}

static void run_observed(enum cycle_trigger trigger, void (*disturb)(struct cycle_fixture *f)) {
  if (SANITIZED) {
    skip("a sanitizer allocates and calls the kernel by itself");
  }
  struct message note;
  const struct realtime_settings realtime = {REALTIME_PREFERRED, 60, -1};
  const pid_t driver = fork_driver_first();
  ck_assert_int_eq(realtime_prepare(&realtime, &note), STATUS_OK);
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  f->pipeline = pipeline_with_all(f);
  begin_after(f);
  cycle_fixture_start(f, trigger, PERIOD_S, (struct cycle_hook){observe, NULL});
  const int64_t deadline_ns = clock_now_ns() + 60 * NS_PER_S;
  while (!atomic_load(&seen.done)) {
    ck_assert_int_lt(clock_now_ns(), deadline_ns);
    while (handover_oldest(f->handover) != NULL) {
      handover_release(f->handover);
    }
    usleep(10000);
    disturb(f);
  }
  printf("%lu pipelines and %lu segments exchanged\n",
         (unsigned long)counter_read(&f->diagnostics.swapped),
         (unsigned long)counter_read(&f->diagnostics.reattached));
  ck_assert_uint_gt(counter_read(&f->diagnostics.stream[PROPRIOD_SHM_SKIN].frames), CYCLES / 2);
  end_driver(driver);
  cycle_stop(f->cycle);
  ck_assert_uint_gt(worker_finished(after.worker), 0); /* cells were chosen meanwhile */
  ck_assert_ptr_nonnull(estimator_reports_take(after.reports));
  ck_assert_uint_gt(after.state.current.base->latest, CYCLES);
  worker_stop(after.worker);
  const struct recorder_counters recorded = recorder_counters(after.recorder);
  printf("flight record of %.1f s, %lu cycles left out\n", recorded.flight_s,
         (unsigned long)recorded.left_out);
  ck_assert_double_gt(recorded.flight_s, 1.0);
  recorder_stop(after.recorder);
  ck_assert_int_eq(rmdir(after.flight), 0);
  state_export_close(&after.state);
  cycle_fixture_end(f);
}

static bool memory_is_locked(void) {
  long kib = 0;
  char line[128];
  FILE *file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    sscanf(line, "VmLck: %ld", &kib);
  }
  fclose(file);
  return kib > 0;
}

static void nothing_forbidden_was_seen(void) {
  ck_assert_uint_eq(atomic_load(&seen.allocations), 0);
  if (memory_is_locked()) { /* a user without the right to it may be made to wait for a page */
    ck_assert_int_eq(seen.after.ru_majflt - seen.before.ru_majflt, 0);
    ck_assert_int_eq(seen.after.ru_minflt - seen.before.ru_minflt, 0);
  }
  /* it gave the processor away of its own accord to wait: once a cycle, and once more for each
   * frame that woke it too early, and where a segment was lost and another came in its place */
  const long waits = seen.after.ru_nvcsw - seen.before.ru_nvcsw;
  const uint64_t lost = counter_read(&after.fixture->diagnostics.reattached);
  printf("%ld waits, %lu frames passed over\n", waits, (unsigned long)passed_over);
  ck_assert_int_le(waits, (long)(CYCLES + CYCLES / 1000 + passed_over + lost));
  ck_assert_msg(atomic_load(&seen.forbidden_calls) == 0, "%u system calls, the first number %d",
                atomic_load(&seen.forbidden_calls), atomic_load(&seen.forbidden_number));
  if (!atomic_load(&filtered)) {
    skip("no seccomp filter here: system calls were not observed");
  }
}

START_TEST(
    ten_thousand_cycles_on_frames_neither_allocate_nor_fault_nor_call_the_kernel_but_to_wait) {
  run_observed(CYCLE_ON_FRAME, nothing);
  nothing_forbidden_was_seen();
}
END_TEST

START_TEST(ten_thousand_cycles_on_the_timer_neither_allocate_nor_fault_nor_call_the_kernel) {
  run_observed(CYCLE_ON_TIMER, nothing);
  nothing_forbidden_was_seen();
}
END_TEST

START_TEST(ten_thousand_cycles_with_reloads_and_lost_segments_do_neither) {
  run_observed(CYCLE_ON_FRAME, reload_and_lose_the_segment);
  nothing_forbidden_was_seen();
}
END_TEST

static void *misbehave(void *argument) {
  (void)argument;
  void *volatile block = malloc(100); /* the thread's share of the heap, set up by system calls */
  free(block);
  atomic_store(&filtered, forbid_all_but_waiting());
  observed = true;
  block = malloc(100);
  free(block);
  syscall(SYS_getppid);
  observed = false;
  return NULL;
}

/* The observer sees what it claims to see. */
START_TEST(the_observer_notices_an_allocation_and_a_system_call) {
  pthread_t thread;
  if (SANITIZED) {
    skip("a sanitizer allocates and calls the kernel by itself");
  }
  pthread_create(&thread, NULL, misbehave, NULL);
  pthread_join(thread, NULL);
  if (!atomic_load(&filtered)) {
    skip("no seccomp filter here");
  }
  ck_assert_uint_eq(atomic_load(&seen.allocations), 2);
  ck_assert_uint_eq(atomic_load(&seen.forbidden_calls), 1);
  ck_assert_int_eq(atomic_load(&seen.forbidden_number), SYS_getppid);
}
END_TEST

SUITE(ten_thousand_cycles_on_frames_neither_allocate_nor_fault_nor_call_the_kernel_but_to_wait,
      ten_thousand_cycles_on_the_timer_neither_allocate_nor_fault_nor_call_the_kernel,
      ten_thousand_cycles_with_reloads_and_lost_segments_do_neither,
      the_observer_notices_an_allocation_and_a_system_call)
