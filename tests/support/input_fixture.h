/* A segment of the test's own, and an input that reads it. */
#ifndef INPUT_FIXTURE_H
#define INPUT_FIXTURE_H

#include "shm/segment_keeper.h"
#include "shm/sensor_input.h"
#include "support/suite.h"

#include "propriod/shm.h"

#include <stdlib.h>
#include <sys/wait.h>

#define N_JOINTS  30
#define N_CELLS   1260
#define N_WRENCH  2
#define PERIOD_NS 1000000

static const uint32_t COUNT[PROPRIOD_SHM_STREAMS] = {N_JOINTS, 1, N_CELLS, N_WRENCH};

struct fixture {
  char name[64];
  struct segment_keeper keeper;
  struct sensor_input input;
  struct diagnostics diagnostics;
  void *block;
};

static inline struct stream_diagnostics *fixture_stream(struct fixture *f, unsigned kind) {
  return &f->diagnostics.stream[kind];
}

static inline struct fixture *fixture_make(void) {
  struct fixture *f = calloc(1, sizeof(*f));
  struct message error = {""};
  const struct sensor_input_settings settings = {.limit_s = {0.02, 0.02, 0.1, 0.02}};
  snprintf(f->name, sizeof(f->name), "propriod-test-%d", (int)getpid());
  ck_assert_msg(segment_keeper_init(&f->keeper, f->name, COUNT, &f->diagnostics, &error) ==
                    STATUS_OK,
                "%s", error.text);
  struct arena count = {0};
  sensor_input_init(&f->input, &settings, COUNT, &f->diagnostics, &count);
  f->block = aligned_alloc(ARENA_ALIGN, count.used);
  memset(f->block, 0, count.used);
  struct arena arena = arena_over(f->block, count.used);
  ck_assert_int_eq(sensor_input_init(&f->input, &settings, COUNT, &f->diagnostics, &arena),
                   STATUS_OK);
  sensor_input_attach(&f->input, segment_keeper_current(&f->keeper));
  return f;
}

static inline void fixture_free(struct fixture *f) {
  segment_keeper_close(&f->keeper, true);
  free(f->block);
  free(f);
}

static inline struct propriod_shm fixture_open(const struct fixture *f, enum propriod_shm_kind kind,
                                               uint32_t fields) {
  struct propriod_shm writer;
  char why[PROPRIOD_SHM_REASON] = "";
  ck_assert_msg(propriod_shm_open(&writer, f->name, kind, COUNT[kind], fields, why) == 0, "%s",
                why);
  return writer;
}

/* Commits joints that all read `value`. */
static inline int commit_joints(struct propriod_shm *writer, double value, int64_t t_ns) {
  const struct propriod_shm_joints frame = propriod_shm_begin_joints(writer);
  for (size_t j = 0; j < N_JOINTS; j++) {
    frame.q[j] = value;
  }
  return propriod_shm_commit(writer, t_ns);
}

static inline int commit_skin(struct propriod_shm *writer, float value, int64_t t_ns) {
  const struct propriod_shm_skin frame = propriod_shm_begin_skin(writer);
  for (size_t i = 0; i < 3 * N_CELLS; i++) {
    frame.acceleration[i] = value;
  }
  memset(frame.flags, PROPRIOD_SHM_CELL_VALID, N_CELLS);
  return propriod_shm_commit(writer, t_ns);
}

/* Runs `work(arg)` in a process of its own; answers its exit status. */
static inline int in_child(int (*work)(void *), void *arg) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(work(arg));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif
