/* What the simulator writes can be read, and says the same. */
#include "recording/recording.h"
#include "support/sim_fixture.h"
#include "truth_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/propriod-sim-test-XXXXXX";

static void make_path(void) {
  const int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  close(fd);
  unlink(path);
}

static struct recording_header header_for(const struct robot *robot) {
  return (struct recording_header){.count = {(uint32_t)robot->model.n_joints, 1,
                                             (uint32_t)robot->n_cells, (uint32_t)robot->n_wrench},
                                   .model_hash = robot->model_hash,
                                   .session = 7};
}

/* All frames of a simulation. */
static void write_frames(struct sim *sim, const struct recording_header *header) {
  struct recording_writer *writer;
  struct message error = {""};
  make_path();
  ck_assert_int_eq(recording_create(&writer, path, header, 1, &error), STATUS_OK);
  while (sim_step(sim) == STATUS_OK) {
    const struct recorded_cycle cycle = {.frame = *sim_frame(sim)};
    ck_assert_int_eq(recording_add_cycle(writer, &cycle), STATUS_OK);
  }
  ck_assert_int_eq(recording_finish(writer), STATUS_OK);
  sim_destroy(sim);
}

static struct sim *short_walk(const struct stock_robot *stock) {
  struct sim_options options = sim_defaults(stock->robot, stock->urdf, "walk");
  options.duration_s = 0.5;
  options.stream[PROPRIOD_SHM_IMU].jitter_s = 0.002;
  options.stream[PROPRIOD_SHM_JOINTS].loss = 0.1;
  return test_sim(&options);
}

static void assert_same_stamp(const struct stream_stamp *a, const struct stream_stamp *b) {
  ck_assert_int_eq(a->present, b->present);
  ck_assert_int_eq(a->fresh, b->fresh);
  if (a->present) {
    ck_assert_uint_eq(a->seq, b->seq);
    ck_assert_int_eq(a->t_ns, b->t_ns);
  }
}

static void assert_same_frame(const struct sensor_frame *a, const struct sensor_frame *b,
                              const struct robot *robot) {
  ck_assert_int_eq(a->t_ns, b->t_ns);
  assert_same_stamp(&a->joints.stamp, &b->joints.stamp);
  assert_same_stamp(&a->imu.stamp, &b->imu.stamp);
  assert_same_stamp(&a->skin.stamp, &b->skin.stamp);
  assert_same_stamp(&a->wrench.stamp, &b->wrench.stamp);
  const size_t n = robot->model.n_joints, c = robot->n_cells;
  if (a->joints.stamp.present) {
    ck_assert_mem_eq(a->joints.q, b->joints.q, n * sizeof(double));
    ck_assert_mem_eq(a->joints.tau, b->joints.tau, n * sizeof(double));
    ck_assert_ptr_null(b->joints.dq);
  }
  if (a->imu.stamp.present) {
    ck_assert_mem_eq(&a->imu.specific_force, &b->imu.specific_force, sizeof(vec3));
    ck_assert_mem_eq(&a->imu.angular_rate, &b->imu.angular_rate, sizeof(vec3));
  }
  if (a->skin.stamp.present) {
    ck_assert_mem_eq(a->skin.acceleration, b->skin.acceleration, 3 * c * sizeof(float));
    ck_assert_mem_eq(a->skin.flags, b->skin.flags, c);
    ck_assert_mem_eq(a->skin.proximity, b->skin.proximity, c * sizeof(float));
    ck_assert_mem_eq(a->skin.force, b->skin.force, c * sizeof(float));
  }
  if (a->wrench.stamp.present) {
    ck_assert_mem_eq(a->wrench.wrench, b->wrench.wrench, robot->n_wrench * sizeof(struct force));
  }
}

START_TEST(a_recording_reads_back_frame_by_frame_bit_by_bit) {
  const struct stock_robot stock = test_robot("humanoid30");
  const struct recording_header header = header_for(stock.robot);
  struct message error = {""};
  struct recording *recording;
  write_frames(short_walk(&stock), &header);
  ck_assert_int_eq(recording_open(&recording, path, &error), STATUS_OK);
  ck_assert_mem_eq(recording_header(recording), &header, sizeof(header));
  ck_assert(recording_summary(recording).ended);
  const struct sensor_frame *frame;
  struct sim *sim = short_walk(&stock); /* deterministic: the same once more */
  while (sim_step(sim) == STATUS_OK) {
    ck_assert_int_eq(recording_read(recording, &frame), STATUS_OK);
    assert_same_frame(sim_frame(sim), frame, stock.robot);
  }
  ck_assert_int_eq(recording_read(recording, &frame), STATUS_OUT_OF_RANGE);
  sim_destroy(sim);
  recording_close(recording);
  unlink(path);
}
END_TEST

START_TEST(what_is_no_recording_is_refused_with_its_path) {
  struct recording *recording = NULL;
  struct message error = {""};
  make_path();
  FILE *file = fopen(path, "w");
  fputs("PPRDREC1 but then only text, and far too few joints for it to be true", file);
  fclose(file);
  ck_assert_int_eq(recording_open(&recording, path, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, path));
  unlink(path);
  ck_assert_int_eq(recording_open(&recording, path, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "No such file"));
  ck_assert_ptr_null(recording);
}
END_TEST

static size_t count_columns(const char *line) {
  size_t n = 1;
  for (; *line != '\0'; line++) {
    n += *line == ',';
  }
  return n;
}

START_TEST(every_line_of_the_truth_has_the_columns_that_the_first_names) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = test_options(&stock, "lift");
  options.duration_s = 5.0; /* in the air the centre of pressure is empty */
  options.frame_rate_hz = 100.0;
  struct sim *sim = test_sim(&options);
  struct truth_log *log;
  struct message error;
  make_path();
  ck_assert_int_eq(truth_log_create(&log, path, stock.robot, &error), STATUS_OK);
  while (sim_step(sim) == STATUS_OK) {
    ck_assert_int_eq(truth_log_write(log, sim_truth(sim)), STATUS_OK);
  }
  ck_assert_int_eq(truth_log_close(log), STATUS_OK);
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t size = 0, columns = 0, lines = 0;
  for (; getline(&line, &size, file) > 0; lines++) {
    columns = lines == 0 ? count_columns(line) : columns;
    ck_assert_uint_eq(count_columns(line), columns);
  }
  ck_assert_uint_eq(lines, 502);
  ck_assert_uint_eq(columns, 1 + 4 * 18 + 4 + 3 * 12 + 2 * 7 + 3 + 2);
  free(line);
  fclose(file);
  unlink(path);
  sim_destroy(sim);
}
END_TEST

SUITE(a_recording_reads_back_frame_by_frame_bit_by_bit,
      what_is_no_recording_is_refused_with_its_path,
      every_line_of_the_truth_has_the_columns_that_the_first_names)
