/* A cycle with everything it works with, for the humanoid of this project, and a driver process
 * that feeds it. */
#ifndef CYCLE_FIXTURE_H
#define CYCLE_FIXTURE_H

#include "common/clock.h"
#include "cycle/cycle.h"
#include "propriod/shm.h"
#include "settings/robot_files.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

struct cycle_fixture {
  char segment[64];
  uint32_t count[PROPRIOD_SHM_STREAMS];
  struct robot *robot;
  struct segment_keeper keeper;
  struct sensor_input input;
  struct pipeline *pipeline;
  struct handover *handover;
  struct diagnostics diagnostics;
  struct cycle *cycle;
  void *block[64]; /* memory to free */
  int n_blocks;
};

struct arena fixture_arena(struct cycle_fixture *f, size_t bytes);

struct pipeline *fixture_pipeline(struct cycle_fixture *f, double period_s);

void name_segment(struct cycle_fixture *f, pid_t pid);

/* All but the cycle itself. */
struct cycle_fixture *cycle_fixture_make(double period_s);

void cycle_fixture_prepare(struct cycle_fixture *f, enum cycle_trigger trigger, double period_s,
                           struct cycle_hook hook);

void cycle_fixture_start(struct cycle_fixture *f, enum cycle_trigger trigger, double period_s,
                         struct cycle_hook hook);

void cycle_fixture_end(struct cycle_fixture *f);

void sleep_to(int64_t instant_ns);

/* Opens a stream, again and again for twenty seconds. */
bool open_patiently(struct propriod_shm *shm, const struct cycle_fixture *f,
                    enum propriod_shm_kind kind);

int drive_joints(struct propriod_shm *joints, int64_t t_ns);

/* Commits joints and skin every period until its parent is gone. In a process of its own. */
_Noreturn void drive(const struct cycle_fixture *f, int64_t period_ns);

pid_t start_driver(const struct cycle_fixture *f, int64_t period_ns);

void end_driver(pid_t driver);

/* Waits until `counter` has reached `n`; fails after a minute. */
void wait_for(const struct counter *counter, uint64_t n);

#endif
