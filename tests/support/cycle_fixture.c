#include "support/cycle_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the process with a word where what a test or a bench stands on is not there. */
static void demand(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "fixture: %s\n", what);
    abort();
  }
}

struct arena fixture_arena(struct cycle_fixture *f, size_t bytes) {
  void *block = aligned_alloc(ARENA_ALIGN, bytes);
  demand(block != NULL && f->n_blocks < 64, "memory");
  f->block[f->n_blocks++] = block;
  memset(block, 0, bytes);
  return arena_over(block, bytes);
}

struct pipeline *fixture_pipeline(struct cycle_fixture *f, double period_s) {
  struct pipeline_settings settings = pipeline_defaults();
  settings.period_s = period_s;
  struct pipeline *pipeline = NULL;
  struct arena count = {0};
  pipeline_init(&pipeline, f->robot, &settings, &count);
  struct arena arena = fixture_arena(f, count.used);
  demand(pipeline_init(&pipeline, f->robot, &settings, &arena) == STATUS_OK, "pipeline");
  return pipeline;
}

static struct robot *fixture_robot(void) {
  const struct robot_settings files = {.urdf = "humanoid30.urdf", .cells = "humanoid30_cells.csv"};
  struct robot *robot = NULL;
  struct message error = {""};
  demand(robot_load(&files, "config/robots", &robot, &error) == STATUS_OK, error.text);
  return robot;
}

void name_segment(struct cycle_fixture *f, pid_t pid) {
  snprintf(f->segment, sizeof(f->segment), "propriod-test-%d", (int)pid);
}

struct cycle_fixture *cycle_fixture_make(double period_s) {
  struct cycle_fixture *f = calloc(1, sizeof(*f));
  struct message error = {""};
  const struct sensor_input_settings input = {.limit_s = {0.02, 0.02, 0.1, 0.02}};
  f->robot = fixture_robot();
  f->pipeline = fixture_pipeline(f, period_s);
  f->count[PROPRIOD_SHM_JOINTS] = (uint32_t)f->robot->model.n_joints;
  f->count[PROPRIOD_SHM_IMU] = 1;
  f->count[PROPRIOD_SHM_SKIN] = (uint32_t)f->robot->n_cells;
  f->count[PROPRIOD_SHM_WRENCH] = (uint32_t)f->robot->n_wrench;
  name_segment(f, getpid());
  demand(segment_keeper_init(&f->keeper, f->segment, f->count, &f->diagnostics, &error) ==
             STATUS_OK,
         error.text);
  struct arena count = {0};
  sensor_input_init(&f->input, &input, f->count, &f->diagnostics, &count);
  handover_init(&f->handover, 4096, &count);
  struct arena arena = fixture_arena(f, count.used);
  sensor_input_init(&f->input, &input, f->count, &f->diagnostics, &arena);
  demand(handover_init(&f->handover, 4096, &arena) == STATUS_OK, "hand-over ring");
  return f;
}

void cycle_fixture_prepare(struct cycle_fixture *f, enum cycle_trigger trigger, double period_s,
                           struct cycle_hook hook) {
  const struct cycle_settings settings = {{REALTIME_PREFERRED, 80, -1}, trigger};
  const struct cycle_parts parts = {&f->keeper,      &f->input, f->pipeline, f->handover,
                                    &f->diagnostics, hook,      NULL};
  struct arena count = {0};
  cycle_init(&f->cycle, &settings, period_s, &parts, &count);
  struct arena arena = fixture_arena(f, count.used);
  demand(cycle_init(&f->cycle, &settings, period_s, &parts, &arena) == STATUS_OK, "cycle");
}

void cycle_fixture_start(struct cycle_fixture *f, enum cycle_trigger trigger, double period_s,
                         struct cycle_hook hook) {
  struct message note;
  cycle_fixture_prepare(f, trigger, period_s, hook);
  demand(cycle_start(f->cycle, &note) == STATUS_OK, note.text);
}

void cycle_fixture_end(struct cycle_fixture *f) {
  if (f->cycle != NULL) {
    cycle_stop(f->cycle);
  }
  segment_keeper_close(&f->keeper, true);
  for (int i = 0; i < f->n_blocks; i++) {
    free(f->block[i]);
  }
  robot_destroy(f->robot);
  free(f);
}

void sleep_to(int64_t instant_ns) {
  const struct timespec t = {.tv_sec = instant_ns / NS_PER_S, .tv_nsec = instant_ns % NS_PER_S};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {
  }
}

bool open_patiently(struct propriod_shm *shm, const struct cycle_fixture *f,
                    enum propriod_shm_kind kind) {
  char why[PROPRIOD_SHM_REASON];
  for (int i = 0; i < 20000; i++) {
    if (propriod_shm_open(shm, f->segment, kind, f->count[kind], 0, why) == 0) {
      return true;
    }
    usleep(1000);
  }
  fprintf(stderr, "driver: %s\n", why);
  return false;
}

int drive_joints(struct propriod_shm *joints, int64_t t_ns) {
  const struct propriod_shm_joints frame = propriod_shm_begin_joints(joints);
  for (uint32_t j = 0; j < joints->count; j++) {
    frame.q[j] = 0.1 * sin((double)t_ns * 1e-9 + j);
  }
  return propriod_shm_commit(joints, t_ns);
}

static int drive_skin(struct propriod_shm *skin, int64_t t_ns) {
  const struct propriod_shm_skin frame = propriod_shm_begin_skin(skin);
  for (size_t i = 0; i < 3 * (size_t)skin->count; i++) {
    frame.acceleration[i] = (float)i;
  }
  memset(frame.flags, PROPRIOD_SHM_CELL_VALID, skin->count);
  return propriod_shm_commit(skin, t_ns);
}

_Noreturn void drive(const struct cycle_fixture *f, int64_t period_ns) {
  const struct sched_param param = {.sched_priority = 50};
  sched_setscheduler(0, SCHED_FIFO, &param); /* where allowed */
  struct propriod_shm joints, skin;
  bool open = open_patiently(&joints, f, PROPRIOD_SHM_JOINTS) &&
              open_patiently(&skin, f, PROPRIOD_SHM_SKIN);
  for (int64_t t_ns = clock_now_ns() + period_ns; open && getppid() != 1; t_ns += period_ns) {
    sleep_to(t_ns);
    if (drive_skin(&skin, t_ns) != 0 || drive_joints(&joints, t_ns) != 0) {
      propriod_shm_close(&joints);
      propriod_shm_close(&skin);
      open = open_patiently(&joints, f, PROPRIOD_SHM_JOINTS) &&
             open_patiently(&skin, f, PROPRIOD_SHM_SKIN);
    }
  }
  _exit(open ? 0 : 1);
}

pid_t start_driver(const struct cycle_fixture *f, int64_t period_ns) {
  const pid_t child = fork();
  if (child == 0) {
    drive(f, period_ns);
  }
  return child;
}

void end_driver(pid_t driver) {
  kill(driver, SIGKILL);
  waitpid(driver, NULL, 0);
}

void wait_for(const struct counter *counter, uint64_t n) {
  const int64_t deadline_ns = clock_now_ns() + 60 * NS_PER_S;
  while (counter_read(counter) < n) {
    demand(clock_now_ns() < deadline_ns, "not reached after a minute");
    usleep(1000);
  }
}
