#include "support/input_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream_diagnostics *fixture_stream(struct fixture *f, unsigned kind) {
  return &f->diagnostics.stream[kind];
}

struct fixture *fixture_make(void) {
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

void fixture_free(struct fixture *f) {
  segment_keeper_close(&f->keeper, true);
  free(f->block);
  free(f);
}

struct propriod_shm fixture_open(const struct fixture *f, enum propriod_shm_kind kind,
                                 uint32_t fields) {
  struct propriod_shm writer;
  char why[PROPRIOD_SHM_REASON] = "";
  ck_assert_msg(propriod_shm_open(&writer, f->name, kind, COUNT[kind], fields, why) == 0, "%s",
                why);
  return writer;
}

int commit_joints(struct propriod_shm *writer, double value, int64_t t_ns) {
  const struct propriod_shm_joints frame = propriod_shm_begin_joints(writer);
  for (size_t j = 0; j < N_JOINTS; j++) {
    frame.q[j] = value;
  }
  return propriod_shm_commit(writer, t_ns);
}

int commit_skin(struct propriod_shm *writer, float value, int64_t t_ns) {
  const struct propriod_shm_skin frame = propriod_shm_begin_skin(writer);
  for (size_t i = 0; i < 3 * N_CELLS; i++) {
    frame.acceleration[i] = value;
  }
  memset(frame.flags, PROPRIOD_SHM_CELL_VALID, N_CELLS);
  return propriod_shm_commit(writer, t_ns);
}

int in_child(int (*work)(void *), void *arg) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(work(arg));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
