#include "shm/sensor_input.h"

#include "support/input_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A joints writer and an input that looks at instants of the test's choosing. */
static struct fixture *f;
static struct propriod_shm writer;

static void begin(void) {
  f = fixture_make();
  writer = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
}

static void end(void) {
  propriod_shm_close(&writer);
  fixture_free(f);
}

static const struct sensor_frame *take_at(int64_t now_ns) {
  sensor_input_begin(&f->input);
  return sensor_input_take(&f->input, now_ns);
}

static struct stream_diagnostics *joints(void) {
  return fixture_stream(f, PROPRIOD_SHM_JOINTS);
}

START_TEST(every_stream_arrives_with_its_values_stamp_and_optional_arrays) {
  f = fixture_make();
  struct propriod_shm w[] = {
      fixture_open(f, PROPRIOD_SHM_JOINTS, PROPRIOD_SHM_EFFORT),
      fixture_open(f, PROPRIOD_SHM_IMU, PROPRIOD_SHM_ORIENTATION),
      fixture_open(f, PROPRIOD_SHM_SKIN, PROPRIOD_SHM_PROXIMITY),
      fixture_open(f, PROPRIOD_SHM_WRENCH, 0),
  };
  propriod_shm_begin_joints(&w[0]).tau[29] = 7.0;
  propriod_shm_begin_joints(&w[0]).q[29] = 0.5;
  const struct propriod_shm_imu imu = propriod_shm_begin_imu(&w[1]);
  for (int i = 0; i < 3; i++) {
    imu.specific_force[i] = 1.0 + i;
    imu.angular_rate[i] = 4.0 + i;
    imu.specific_force[6 + i] = 20.0 + i; /* the third IMU */
    imu.angular_rate[6 + i] = 30.0 + i;
  }
  memcpy(imu.orientation, (double[]){0.1, 0.2, 0.3, 0.9}, 32);
  const struct propriod_shm_skin skin = propriod_shm_begin_skin(&w[2]);
  skin.acceleration[3 * 1259 + 2] = 9.5f;
  skin.flags[1259] = PROPRIOD_SHM_CELL_VALID;
  skin.proximity[1259] = 0.25f;
  const struct propriod_shm_wrench wrench = propriod_shm_begin_wrench(&w[3]);
  memcpy(wrench.wrench + 6, (double[]){1, 2, 3, 4, 5, 600}, 48);
  for (int64_t i = 0; i < 4; i++) {
    propriod_shm_commit(&w[i], 1000 + i);
  }
  const struct sensor_frame *frame = take_at(2000);
  ck_assert_double_eq(frame->joints.q[29], 0.5);
  ck_assert_double_eq(frame->joints.tau[29], 7.0);
  ck_assert_ptr_null(frame->joints.dq);
  ck_assert_double_eq(frame->imu.specific_force.z, 3.0);
  ck_assert_double_eq(frame->imu.angular_rate.x, 4.0);
  ck_assert_uint_eq(frame->imu.n_limbs, N_IMUS - 1);
  ck_assert_double_eq(frame->imu.limb[1].specific_force.y, 21.0);
  ck_assert_double_eq(frame->imu.limb[1].angular_rate.z, 32.0);
  ck_assert(frame->imu.has_orientation);
  ck_assert_double_eq(frame->imu.orientation.w, 0.9);
  ck_assert_uint_eq(frame->skin.n_cells, N_CELLS);
  ck_assert(frame->skin.acceleration[3 * 1259 + 2] == 9.5f);
  ck_assert_uint_eq(frame->skin.flags[1259], PROPRIOD_SHM_CELL_VALID);
  ck_assert(frame->skin.proximity[1259] == 0.25f);
  ck_assert_ptr_null(frame->skin.force);
  ck_assert_uint_eq(frame->wrench.n_sensors, N_WRENCH);
  ck_assert_double_eq(frame->wrench.wrench[1].ang.x, 1.0);
  ck_assert_double_eq(frame->wrench.wrench[1].lin.z, 600.0);
  ck_assert_int_eq(frame->joints.stamp.t_ns, 1000);
  ck_assert_int_eq(frame->imu.stamp.t_ns, 1001);
  ck_assert_int_eq(frame->skin.stamp.t_ns, 1002);
  ck_assert_int_eq(frame->wrench.stamp.t_ns, 1003);
  ck_assert(frame->joints.stamp.fresh && frame->imu.stamp.fresh && frame->skin.stamp.fresh &&
            frame->wrench.stamp.fresh);
  ck_assert(!take_at(2001)->skin.stamp.fresh);
  for (int i = 0; i < 4; i++) {
    propriod_shm_close(&w[i]);
  }
  fixture_free(f);
}
END_TEST

START_TEST(before_the_first_frame_nothing_is_present_and_positions_are_not_numbers) {
  begin();
  const struct sensor_frame *frame = take_at(1000);
  ck_assert(!frame->joints.stamp.present && !frame->imu.stamp.present &&
            !frame->skin.stamp.present && !frame->wrench.stamp.present);
  for (int j = 0; j < N_JOINTS; j++) {
    ck_assert(isnan(frame->joints.q[j]));
  }
  for (int i = 0; i < N_CELLS; i++) {
    ck_assert_uint_eq(frame->skin.flags[i], 0);
  }
  ck_assert(isnan(frame->imu.specific_force.x) && isnan(frame->imu.limb[1].angular_rate.x));
  end();
}
END_TEST

/* faults.md S7 */
START_TEST(stamps_of_zero_the_past_and_the_future_are_refused_and_the_last_values_stay) {
  begin();
  const int64_t now = 1000000000000;
  commit_joints(&writer, 1.0, now);
  ck_assert(take_at(now)->joints.stamp.fresh);
  const struct {
    int64_t t_ns;
    struct counter *counter;
  } bad[] = {{0, &joints()->unstamped},
             {-5, &joints()->unstamped},
             {INT64_MIN, &joints()->unstamped},
             {INT64_MAX, &joints()->future},
             {now + 3 * STAMP_FUTURE_LIMIT_NS, &joints()->future},
             {now, &joints()->duplicate},
             {now - 1, &joints()->reordered},
             {1, &joints()->reordered}};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    const uint64_t before = counter_read(bad[i].counter);
    commit_joints(&writer, 99.0, bad[i].t_ns);
    const struct sensor_frame *frame = take_at(now + PERIOD_NS);
    ck_assert(!frame->joints.stamp.fresh);
    ck_assert_int_eq(frame->joints.stamp.t_ns, now);
    ck_assert_double_eq(frame->joints.q[0], 1.0);
    ck_assert_uint_eq(counter_read(bad[i].counter), before + 1);
  }
  commit_joints(&writer, 2.0, now + PERIOD_NS);
  ck_assert_double_eq(take_at(now + PERIOD_NS)->joints.q[0], 2.0);
  end();
}
END_TEST

/* faults.md S6 */
START_TEST(a_frame_that_was_under_way_longer_than_the_limit_is_refused_as_late) {
  begin();
  const int64_t now = 1000000000000;
  commit_joints(&writer, 1.0, now - 21 * PERIOD_NS);
  ck_assert(!take_at(now)->joints.stamp.present);
  ck_assert_uint_eq(counter_read(&joints()->late), 1);
  commit_joints(&writer, 1.0, now - 19 * PERIOD_NS);
  ck_assert(take_at(now)->joints.stamp.present);
  end();
}
END_TEST

/* faults.md S6 */
START_TEST(a_silent_stream_is_stale_after_its_limit_once_and_back_with_its_next_frame) {
  begin();
  const int64_t start = 1000000000000;
  commit_joints(&writer, 1.0, start);
  for (int64_t age = 0; age <= 20 * PERIOD_NS; age += PERIOD_NS) {
    ck_assert(take_at(start + age)->joints.stamp.present);
  }
  for (int64_t age = 21 * PERIOD_NS; age <= 60 * PERIOD_NS; age += PERIOD_NS) {
    ck_assert(!take_at(start + age)->joints.stamp.present);
    ck_assert_uint_eq(counter_read(&joints()->stale), 1);
  }
  commit_joints(&writer, 1.5, start + 61 * PERIOD_NS);
  ck_assert(take_at(start + 61 * PERIOD_NS)->joints.stamp.present);
  end();
}
END_TEST

/* faults.md S6: what reaches the estimators is the same with and without repeated frames, and every
 * frame that was lost is counted. */
START_TEST(duplicates_and_reordering_leave_the_same_frames_and_losses_are_counted) {
  begin();
  struct random rng = random_from(test_seed());
  int64_t last_fresh = 0;
  uint64_t fresh = 0, sent = 0, repeated = 0, swapped = 0;
  for (int64_t k = 1; k <= 20000; k++) {
    const int64_t t = k * PERIOD_NS;
    const bool lost = random_uniform(&rng, 0.0, 1.0) < 0.2;
    if (!lost) {
      commit_joints(&writer, (double)k, t);
      sent++;
      const struct sensor_frame *frame = take_at(t);
      ck_assert(frame->joints.stamp.fresh);
      ck_assert_int_gt(frame->joints.stamp.t_ns, last_fresh);
      ck_assert_double_eq(frame->joints.q[0], (double)k);
      last_fresh = t;
      fresh++;
    }
    if (!lost && random_uniform(&rng, 0.0, 1.0) < 0.05) {
      commit_joints(&writer, -1.0, t);
      ck_assert(!take_at(t)->joints.stamp.fresh);
      repeated++;
    }
    if (!lost && random_uniform(&rng, 0.0, 1.0) < 0.05) {
      commit_joints(&writer, -1.0, t - PERIOD_NS);
      ck_assert(!take_at(t)->joints.stamp.fresh);
      swapped++;
    }
  }
  ck_assert_uint_eq(fresh, sent);
  ck_assert_uint_eq(counter_read(&joints()->frames), sent);
  ck_assert_uint_eq(counter_read(&joints()->duplicate), repeated);
  ck_assert_uint_eq(counter_read(&joints()->reordered), swapped);
  ck_assert_uint_eq(counter_read(&joints()->lost), 0);
  for (int64_t k = 1; k <= 5; k++) {
    commit_joints(&writer, 0.0, (20000 + k) * PERIOD_NS);
  }
  take_at(20005 * (int64_t)PERIOD_NS);
  ck_assert_uint_eq(counter_read(&joints()->lost), 4);
  end();
}
END_TEST

START_TEST(waiting_ends_at_its_deadline_without_a_frame_and_with_one_as_soon_as_it_comes) {
  begin();
  const int64_t start = propriod_shm_now_ns();
  sensor_input_begin(&f->input);
  ck_assert(!sensor_input_wait(&f->input, 0, start + 5 * PERIOD_NS));
  ck_assert_int_ge(propriod_shm_now_ns(), start + 5 * PERIOD_NS);
  propriod_shm_close(&writer);
  const pid_t driver = fork();
  if (driver == 0) {
    struct propriod_shm late = fixture_open(f, PROPRIOD_SHM_JOINTS, 0);
    usleep(20000);
    commit_joints(&late, 1.0, propriod_shm_now_ns());
    pause();
  }
  const int64_t before = propriod_shm_now_ns();
  sensor_input_begin(&f->input);
  ck_assert(sensor_input_wait(&f->input, 0, before + 2000 * (int64_t)PERIOD_NS));
  ck_assert_int_ge(propriod_shm_now_ns() - before, 19 * PERIOD_NS);
  ck_assert_int_lt(propriod_shm_now_ns() - before, 1000 * (int64_t)PERIOD_NS);
  kill(driver, 9);
  waitpid(driver, NULL, 0);
  fixture_free(f);
}
END_TEST

START_TEST(duplicates_do_not_end_the_waiting) {
  begin();
  const int64_t now = propriod_shm_now_ns();
  commit_joints(&writer, 1.0, now);
  sensor_input_begin(&f->input);
  ck_assert(sensor_input_wait(&f->input, 0, now + PERIOD_NS));
  commit_joints(&writer, 1.0, now);
  sensor_input_begin(&f->input);
  ck_assert(!sensor_input_wait(&f->input, 0, now + 5 * PERIOD_NS));
  ck_assert_int_ge(propriod_shm_now_ns(), now + 5 * PERIOD_NS);
  end();
}
END_TEST

START_TEST(a_read_only_mapping_can_wait_too) {
  begin();
  char path[128];
  snprintf(path, sizeof(path), "/dev/shm/%s", f->name);
  const int fd = open(path, O_RDONLY);
  const unsigned char *base = mmap(NULL, writer.layout.size, PROT_READ, MAP_SHARED, fd, 0);
  const struct propriod_shm_control *control =
      (const void *)(base + writer.layout.stream[PROPRIOD_SHM_JOINTS].control);
  const struct timespec ms = {.tv_nsec = 1000000};
  ck_assert_int_eq(syscall(SYS_futex, &control->futex, FUTEX_WAIT, 0, &ms, NULL, 0), -1);
  ck_assert_int_eq(errno, ETIMEDOUT);
  commit_joints(&writer, 1.0, 1);
  ck_assert_int_eq(syscall(SYS_futex, &control->futex, FUTEX_WAIT, 0, &ms, NULL, 0), -1);
  ck_assert_int_eq(errno, EAGAIN);
  close(fd);
  end();
}
END_TEST

START_TEST(arrays_that_the_driver_does_not_give_are_not_there) {
  f = fixture_make();
  struct propriod_shm w[] = {fixture_open(f, PROPRIOD_SHM_JOINTS, PROPRIOD_SHM_VELOCITY),
                             fixture_open(f, PROPRIOD_SHM_IMU, 0),
                             fixture_open(f, PROPRIOD_SHM_SKIN, PROPRIOD_SHM_FORCE)};
  propriod_shm_begin_joints(&w[0]);
  propriod_shm_begin_imu(&w[1]);
  propriod_shm_begin_skin(&w[2]);
  for (int i = 0; i < 3; i++) {
    propriod_shm_commit(&w[i], 1000);
  }
  const struct sensor_frame *frame = take_at(2000);
  ck_assert_ptr_nonnull(frame->joints.dq);
  ck_assert_ptr_null(frame->joints.tau);
  ck_assert(!frame->imu.has_orientation);
  ck_assert_ptr_null(frame->skin.proximity);
  ck_assert_ptr_nonnull(frame->skin.force);
  for (int i = 0; i < 3; i++) {
    propriod_shm_close(&w[i]);
  }
  fixture_free(f);
}
END_TEST

/* A driver that never rests, and whose frames are all stamped alike. */
static atomic_bool enough;
static void *write_all_the_time(void *argument) {
  uint64_t *count = argument;
  for (; !enough; ++*count) {
    commit_joints(&writer, 1.0, 1);
  }
  return NULL;
}

START_TEST(a_writer_that_never_rests_wakes_the_cycle_no_more_than_its_pace_allows) {
  begin();
  uint64_t written = 0;
  pthread_t thread;
  commit_joints(&writer, 1.0, 1);
  f->input.pace_ns = PERIOD_NS / 8;
  ck_assert_int_eq(pthread_create(&thread, NULL, write_all_the_time, &written), 0);
  sensor_input_begin(&f->input);
  ck_assert(!sensor_input_wait(&f->input, 0, propriod_shm_now_ns() + 20 * PERIOD_NS));
  enough = true;
  pthread_join(thread, NULL);
  const struct stream_diagnostics *d = joints();
  const uint64_t looks = counter_read(&d->duplicate) + counter_read(&d->late) +
                         counter_read(&d->frames) + counter_read(&d->torn);
  printf("%llu frames written, %llu looked at\n", (unsigned long long)written,
         (unsigned long long)looks);
  ck_assert_uint_gt(written, 1000);
  ck_assert_uint_le(looks, 20 * 8 + 3);
  end();
}
END_TEST

START_TEST(a_number_that_cannot_be_is_refused_and_counts_no_losses) {
  begin();
  commit_joints(&writer, 1.0, 1 * PERIOD_NS);
  ck_assert(take_at(1 * PERIOD_NS)->joints.stamp.fresh);
  propriod_shm_control_of(&writer)->head = UINT64_C(1) << 40;
  commit_joints(&writer, 2.0, 2 * PERIOD_NS);
  ck_assert(!take_at(2 * PERIOD_NS)->joints.stamp.fresh);
  ck_assert_uint_eq(counter_read(&joints()->lost), 0);
  ck_assert_uint_eq(counter_read(&joints()->corrupt), 1);
  commit_joints(&writer, 3.0, 3 * PERIOD_NS); /* and goes on from there */
  ck_assert(take_at(3 * PERIOD_NS)->joints.stamp.fresh);
  end();
}
END_TEST

START_TEST(frames_overtaken_before_a_cycle_came_to_use_them_are_counted) {
  begin();
  sensor_input_begin(&f->input);
  for (int64_t k = 1; k <= 3; k++) { /* three that a wait takes one after the other */
    commit_joints(&writer, 1.0, k * PERIOD_NS);
    sensor_input_take(&f->input, k * PERIOD_NS);
  }
  ck_assert_uint_eq(counter_read(&joints()->frames), 3);
  ck_assert_uint_eq(counter_read(&joints()->overtaken), 2);
  sensor_input_begin(&f->input);
  commit_joints(&writer, 1.0, 4 * PERIOD_NS);
  sensor_input_take(&f->input, 4 * PERIOD_NS);
  ck_assert_uint_eq(counter_read(&joints()->overtaken), 2);
  end();
}
END_TEST

START_TEST(frames_from_before_the_first_look_are_not_lost) {
  begin();
  for (int k = 1; k <= 3; k++) {
    commit_joints(&writer, 1.0, 1000 * k);
  }
  ck_assert_int_eq(take_at(4000)->joints.stamp.t_ns, 3000);
  ck_assert_uint_eq(counter_read(&joints()->lost), 0);
  end();
}
END_TEST

/* Frames sampled every millisecond that arrive up to 0.4 ms late. */
static int64_t worst_of_arrivals(enum stamp_meaning meaning) {
  enum { FRAMES = 600, JUDGED_FROM = 200 };
  struct random rng = random_from(test_seed());
  int64_t worst = 0;
  begin();
  f->input.meaning[PROPRIOD_SHM_JOINTS] = meaning;
  for (int64_t k = 1; k <= FRAMES; k++) {
    const int64_t sampled = 1000000 * k, late = (int64_t)random_uniform(&rng, 0.0, 4e5);
    propriod_shm_begin_joints(&writer);
    propriod_shm_commit(&writer, sampled + late);
    const struct stream_stamp *stamp = &take_at(sampled + late)->joints.stamp;
    ck_assert(stamp->fresh);
    const int64_t off = llabs(stamp->t_ns - sampled);
    worst = k > JUDGED_FROM && off > worst ? off : worst;
  }
  const double jitter_ns = (double)atomic_load(&joints()->jitter_ns);
  ck_assert_double_gt(jitter_ns, 0.5e5); /* 0.1 ms is the mean distance of 0 to 0.4 */
  ck_assert_double_lt(jitter_ns, 1.5e5);
  end();
  return worst;
}

START_TEST(stamps_of_arrival_are_put_where_the_streams_clock_has_them_when_the_settings_say_so) {
  ck_assert_int_gt(worst_of_arrivals(STAMP_SAMPLED), 300000);
  ck_assert_int_lt(worst_of_arrivals(STAMP_ARRIVAL), 100000);
}
END_TEST

SUITE(stamps_of_arrival_are_put_where_the_streams_clock_has_them_when_the_settings_say_so,
      arrays_that_the_driver_does_not_give_are_not_there,
      frames_from_before_the_first_look_are_not_lost,
      a_writer_that_never_rests_wakes_the_cycle_no_more_than_its_pace_allows,
      a_number_that_cannot_be_is_refused_and_counts_no_losses,
      frames_overtaken_before_a_cycle_came_to_use_them_are_counted,
      every_stream_arrives_with_its_values_stamp_and_optional_arrays,
      before_the_first_frame_nothing_is_present_and_positions_are_not_numbers,
      stamps_of_zero_the_past_and_the_future_are_refused_and_the_last_values_stay,
      a_frame_that_was_under_way_longer_than_the_limit_is_refused_as_late,
      a_silent_stream_is_stale_after_its_limit_once_and_back_with_its_next_frame,
      duplicates_and_reordering_leave_the_same_frames_and_losses_are_counted,
      waiting_ends_at_its_deadline_without_a_frame_and_with_one_as_soon_as_it_comes,
      duplicates_do_not_end_the_waiting, a_read_only_mapping_can_wait_too)
