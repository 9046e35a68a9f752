/* A segment of the test's own, and an input that reads it. */
#ifndef INPUT_FIXTURE_H
#define INPUT_FIXTURE_H

#include "propriod/shm.h"
#include "shm/segment_keeper.h"
#include "shm/sensor_input.h"
#include "support/suite.h"

#include <stdlib.h>
#include <sys/wait.h>

#define N_JOINTS  30
#define N_IMUS    3
#define N_CELLS   1260
#define N_WRENCH  2
#define PERIOD_NS 1000000

static const uint32_t COUNT[PROPRIOD_SHM_STREAMS] = {N_JOINTS, N_IMUS, N_CELLS, N_WRENCH};

struct fixture {
  char name[64];
  struct segment_keeper keeper;
  struct sensor_input input;
  struct diagnostics diagnostics;
  void *block;
};

struct stream_diagnostics *fixture_stream(struct fixture *f, unsigned kind);

struct fixture *fixture_make(void);

void fixture_free(struct fixture *f);

struct propriod_shm fixture_open(const struct fixture *f, enum propriod_shm_kind kind,
                                 uint32_t fields);

/* Commits joints that all read `value`. */
int commit_joints(struct propriod_shm *writer, double value, int64_t t_ns);

int commit_skin(struct propriod_shm *writer, float value, int64_t t_ns);

/* Runs `work(arg)` in a process of its own; answers its exit status. */
int in_child(int (*work)(void *), void *arg);

#endif
