/* What the cycle's work does not do on its rare paths either: allocate, fault, or call the kernel.
 * A walking robot is spoiled in one way after the other, and each way must be seen to have been
 * gone: a path that nothing took proves nothing. */
#include "support/real_time_observer.h"

#include "common/clock.h"
#include "cycle/cell_chooser.h"
#include "cycle/estimator_report.h"
#include "cycle/handover.h"
#include "cycle/realtime.h"
#include "learned/learned_store.h"
#include "publish/state_export.h"
#include "support/fault_run.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

enum { RATE_HZ = 200, RING = 8, EVERY = 20 /* cycles between two reports */ };

/* All that one cycle of the daemon works with but segment and clock. */
static struct {
  struct fault_run *run;
  struct pipeline *pipeline; /* in use */
  struct pipeline *offered;  /* from the next cycle on */
  struct handover *handover;
  struct estimator_reports *reports;
  struct learned_store learned;
  struct state_export state;
  struct cell_chooser chooser;
  struct segment_keeper keeper;
  struct worker *worker;
  const struct estimates *out;
  uint64_t steps, dropped;
  bool reader_is_gone;
} rig;

/* Hands one cycle at a time to the thread that is observed. */
static struct {
  pthread_t thread;
  sem_t begin, done;
  bool end, filtered;
  long faults;
} observer;

/* -- the observed thread ---------------------------------------------------------------------- */

static void cycle(void) {
  if (rig.offered != NULL) {
    pipeline_adopt(rig.offered, rig.pipeline);
    rig.pipeline = rig.offered;
    rig.offered = NULL;
  }
  struct cycle_result *result = handover_begin(rig.handover);
  pipeline_step(rig.pipeline, &rig.run->frame, &result->estimates);
  rig.dropped += !handover_commit(rig.handover, rig.run->frame.t_ns);
  state_export_write(&rig.state, &result->estimates);
  estimator_reports_write(rig.reports, rig.pipeline, &result->estimates);
  cell_chooser_cycle(&rig.chooser, rig.pipeline);
  learned_store_cycle(&rig.learned, rig.pipeline);
  rig.out = &result->estimates;
}

static void *observe(void *argument) {
  (void)argument;
  realtime_warm_up();
  observer.filtered = forbid_all_but_waiting();
  for (sem_wait(&observer.begin); !observer.end; sem_wait(&observer.begin)) {
    getrusage(RUSAGE_THREAD, &seen.before);
    observed = true;
    cycle();
    observed = false;
    getrusage(RUSAGE_THREAD, &seen.after);
    observer.faults +=
        seen.after.ru_minflt - seen.before.ru_minflt + seen.after.ru_majflt - seen.before.ru_majflt;
    sem_post(&observer.done);
  }
  return NULL;
}

/* -- around it -------------------------------------------------------------------------------- */

static struct arena take(size_t bytes) {
  void *memory = aligned_alloc(ARENA_ALIGN, bytes);
  ck_assert_ptr_nonnull(memory);
  memset(memory, 0, bytes);
  return arena_over(memory, bytes);
}

static struct pipeline *build(bool link_bias) {
  struct pipeline_settings settings = rig.run->settings;
  struct pipeline *pipeline = NULL;
  struct arena arena = {0};
  settings.joints.link_bias = link_bias;
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : take(arena.used);
    ck_assert_int_eq(pipeline_init(&pipeline, rig.run->stock.robot, &settings, &arena), STATUS_OK);
  }
  return pipeline;
}

static void make_parts(void) {
  const struct robot *robot = rig.run->stock.robot;
  const double cell_noise = rig.run->settings.joints.cell_noise;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : take(arena.used);
    ck_assert_int_eq(handover_init(&rig.handover, RING, &arena), STATUS_OK);
    ck_assert_int_eq(estimator_reports_init(&rig.reports, robot->n_cells, EVERY, &arena),
                     STATUS_OK);
    ck_assert_int_eq(learned_store_init(&rig.learned, "/nowhere", 1.0 / EVERY, NULL, &arena),
                     STATUS_OK);
    ck_assert_int_eq(
        cell_chooser_init(&rig.chooser, robot, cell_noise, rig.worker, &rig.keeper, &arena),
        STATUS_OK);
  }
}

static void make_rig(void) {
  struct message error = {""};
  char name[32];
  struct fault_run *run = rig.run = fault_run_new("humanoid30", "walk", RATE_HZ, 100.0);
  run->options.stream[PROPRIOD_SHM_SKIN].latency_s =
      0.01; /* late: instants are gone through again */
  run->options.stream[PROPRIOD_SHM_WRENCH].rate_hz = RATE_HZ;
  run->options.joints.has_effort = true;
  run->options.skin.has_proximity = run->options.skin.has_force = true;
  run->options.walk.strike_speed = 0.1;
  run->options.payload = (struct sim_payload){
      .link = "torso_pitch_link", .mass = 8.0, .size = {0.3, 0.3, 0.3}, .attach_s = 4.0};
  run->settings.cells_per_link = 12;
  run->settings.inertial.n_links = 1;
  run->settings.inertial.filter.blank_s = 0.04;
  strcpy(run->settings.inertial.link[0], "torso_pitch_link");
  fault_run_start(run);
  rig.pipeline = build(true);
  rig.worker = worker_start(&error);
  ck_assert_msg(rig.worker != NULL, "%s", error.text);
  rig.keeper.count[PROPRIOD_SHM_SKIN] = (uint32_t)run->stock.robot->n_cells;
  make_parts();
  snprintf(name, sizeof(name), "propriod-test-%d", (int)getpid());
  ck_assert_msg(state_export_open(&rig.state, name, NS_PER_S / RATE_HZ, &error) == STATUS_OK, "%s",
                error.text);
}

static void start_observer(void) {
  sem_init(&observer.begin, 0, 0);
  sem_init(&observer.done, 0, 0);
  ck_assert_int_eq(pthread_create(&observer.thread, NULL, observe, NULL), 0);
}

static void end_observer(void) {
  observer.end = true;
  sem_post(&observer.begin);
  pthread_join(observer.thread, NULL);
  worker_stop(rig.worker);
  state_export_close(&rig.state);
}

/* The next frame, as `spoil` leaves it, through one observed cycle. */
static void step(void (*spoil)(struct fault_run *run, long k), long k) {
  fault_run_take(rig.run);
  if (spoil != NULL) {
    spoil(rig.run, k);
  }
  sem_post(&observer.begin);
  sem_wait(&observer.done);
  rig.steps++;
  must(fault_run_is_finite(rig.out));
  estimator_reports_take(rig.reports);
  triple_buffer_take(&rig.learned.buffer);
  while (!rig.reader_is_gone && handover_oldest(rig.handover) != NULL) {
    handover_release(rig.handover);
  }
}

/* -- what is spoiled, and how it shows -------------------------------------------------------- */

static const struct joint_filter_counters *joints(void) {
  return pipeline_counters(rig.pipeline);
}

static const struct inertial_counters *forces(void) {
  return &rig.out->inertia.result.counters;
}

static uint64_t steps(void) {
  return rig.steps;
}
static uint64_t replays(void) {
  return joints()->replays;
}
static uint64_t silences(void) {
  return joints()->silences;
}
static uint64_t resets(void) {
  return joints()->resets;
}
static uint64_t slips(void) {
  return joints()->slips;
}
static uint64_t encoders_rejected(void) {
  return joints()->encoder_rejected;
}
static uint64_t cells_rejected(void) {
  return joints()->cell_rejected;
}
static uint64_t stamps_refused(void) {
  return joints()->time_refused;
}
static uint64_t duplicates(void) {
  return joints()->duplicates;
}
static uint64_t weighings(void) {
  return forces()->updates;
}
static uint64_t strikes(void) {
  return forces()->blanked;
}
static uint64_t loads_found(void) {
  return forces()->changes;
}
static uint64_t imu_is_suspected(void) {
  return rig.out->state.imu_suspect != 0;
}
static uint64_t choices(void) {
  return worker_finished(rig.worker);
}
static uint64_t results_dropped(void) {
  return rig.dropped;
}

static void bad_numbers(struct fault_run *run, long k) {
  static const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, 5e-324};
  const double value = bad[k / 2 % 5];
  run->q[k % run->stock.robot->model.n_joints] = value;
  run->frame.imu.specific_force.x = k % 3 == 0 ? value : run->frame.imu.specific_force.x;
  run->frame.imu.angular_rate.y = k % 3 == 1 ? value : run->frame.imu.angular_rate.y;
  run->acceleration[k * 7 % (long)(3 * run->stock.robot->n_cells)] = (float)value;
  if (run->frame.wrench.n_sensors > 0 && k % 3 == 2) {
    run->frame.wrench.wrench[0].lin.z = value;
  }
}
static void spikes(struct fault_run *run, long k) {
  run->q[2] += k % 10 == 9 ? 1.0 : 0.0;
}
static void slip(struct fault_run *run, long k) {
  (void)k;
  run->q[5] += 0.05;
}
static void bad_cells(struct fault_run *run, long k) {
  for (size_t cell = 0; cell < run->stock.robot->n_cells; cell += 5) {
    float *a = run->acceleration + 3 * cell;
    a[0] = a[1] = a[2] = k % 2 == 0 ? -1.0f : 1e4f;
    run->flags[cell + 1] = 0;
  }
}
static void no_imu(struct fault_run *run, long k) {
  (void)k;
  run->frame.imu.stamp.present = run->frame.imu.stamp.fresh = false;
}
static void frozen_imu(struct fault_run *run, long k) {
  static struct imu_reading last;
  last = k == 0 ? run->frame.imu : last;
  run->frame.imu.specific_force = last.specific_force;
  run->frame.imu.angular_rate = last.angular_rate;
}
static void no_skin(struct fault_run *run, long k) {
  (void)k;
  run->frame.skin.stamp.present = run->frame.skin.stamp.fresh = false;
}
static void no_wrenches(struct fault_run *run, long k) {
  (void)k;
  run->frame.wrench.stamp.present = run->frame.wrench.stamp.fresh = false;
}
static void no_torques(struct fault_run *run, long k) {
  (void)k;
  run->frame.joints.tau = NULL;
}
static void nothing(struct fault_run *run, long k) {
  run->frame.joints.stamp.present = run->frame.joints.stamp.fresh = false;
  no_imu(run, k);
  no_skin(run, k);
  no_wrenches(run, k);
}
static void bad_stamps(struct fault_run *run, long k) {
  if (k % 3 == 0) {
    run->frame.joints.stamp.t_ns = 0;
  } else if (k % 3 == 1) {
    run->frame.joints.stamp.t_ns += NS_PER_S;
  }
}
static void stamps_of_before(struct fault_run *run, long k) {
  run->frame.joints.stamp.t_ns -= k % 2 == 0 ? NS_PER_S / RATE_HZ : 0;
}
static void half_a_second_is_missing(struct fault_run *run, long k) {
  if (k == 0) {
    sim_shift_clock(run->sim, NS_PER_S / 2);
  }
}
static void six_seconds_are_missing(struct fault_run *run, long k) {
  if (k == 0) {
    sim_shift_clock(run->sim, 6 * NS_PER_S);
  }
}
static void reload(struct fault_run *run, long k) {
  (void)run;
  if (k % 10 == 0) {
    rig.offered = build(true);
  }
}
static void reload_another_form(struct fault_run *run, long k) {
  (void)run;
  if (k == 0) {
    rig.offered = build(false); /* a state of another size */
  }
}
static void no_reader(struct fault_run *run, long k) {
  (void)run;
  (void)k;
  rig.reader_is_gone = true;
}

static const struct phase {
  const char *name;
  double seconds;
  void (*spoil)(struct fault_run *run, long k);
  uint64_t (*rises)(void); /* what shows that the path was taken */
} phases[] = {
    {"a start, and skin that comes late", 2.0, NULL, replays},
    {"forces are weighed", 1.0, NULL, weighings},
    {"a load is taken up", 1.5, NULL, loads_found},
    {"feet strike", 0.5, NULL, strikes},
    {"without torques, base rows alone", 0.5, no_torques, weighings},
    {"numbers that are none", 0.5, bad_numbers, encoders_rejected},
    {"spikes", 0.3, spikes, encoders_rejected},
    {"an encoder slips", 1.5, slip, slips},
    {"cells that are dead, saturated or silent", 0.5, bad_cells, cells_rejected},
    {"the worker chooses cells anew", 0.5, NULL, choices},
    {"no IMU", 0.4, no_imu, steps},
    {"an IMU that is frozen", 1.0, frozen_imu, imu_is_suspected},
    {"no skin", 0.4, no_skin, steps},
    {"no wrenches", 0.4, no_wrenches, steps},
    {"bad stamps", 0.2, bad_stamps, stamps_refused},
    {"stamps of before", 0.2, stamps_of_before, duplicates},
    {"no sensor at all", 0.5, nothing, steps},
    {"half a second is missing", 0.5, half_a_second_is_missing, silences},
    {"six seconds are missing", 0.5, six_seconds_are_missing, resets},
    {"reloads", 0.3, reload, replays},
    {"a reload to a state of another size", 0.5, reload_another_form, steps},
    {"nobody takes the results", 0.1, no_reader, results_dropped},
};

/* Goes through one phase, and on where what shows it waits for the worker. */
static void go_through(const struct phase *phase) {
  const long cycles = lround(phase->seconds * RATE_HZ), patience = cycles + 10 * RATE_HZ;
  const uint64_t before = rig.out != NULL ? phase->rises() : 0;
  for (long k = 0; k < cycles || (phase->rises() <= before && k < patience); k++) {
    step(phase->spoil, k);
  }
  ck_assert_msg(phase->rises() > before, "%s: not seen", phase->name);
  ck_assert_msg(atomic_load(&seen.allocations) == 0, "%s: %u allocations", phase->name,
                atomic_load(&seen.allocations));
  ck_assert_msg(atomic_load(&seen.forbidden_calls) == 0, "%s: system call %d", phase->name,
                atomic_load(&seen.forbidden_number));
  printf("%s: %lu times\n", phase->name, (unsigned long)(phase->rises() - before));
}

START_TEST(on_no_rare_path_is_memory_asked_for_a_page_missing_or_the_kernel_called) {
  if (SANITIZED) {
    skip("a sanitizer allocates and calls the kernel by itself");
  }
  const struct realtime_settings settings = {REALTIME_PREFERRED, 60, -1};
  struct message note;
  ck_assert_int_eq(realtime_prepare(&settings, &note), STATUS_OK);
  make_rig();
  start_observer();
  for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
    go_through(&phases[i]);
    ck_assert_msg(observer.faults == 0 || note.text[0] != '\0', "%s: %ld page faults",
                  phases[i].name, observer.faults); /* there are some where memory is not locked */
  }
  end_observer();
  if (!observer.filtered) {
    skip("no seccomp filter here: system calls were not observed");
  }
}
END_TEST

SUITE(on_no_rare_path_is_memory_asked_for_a_page_missing_or_the_kernel_called)
