/* Skin and encoders that come some milliseconds after their instant. */
#include "joints/joint_filter_core.h"
#include "support/chain_run.h"

/* Accelerations that an instant believes in, biases taken out. */
static double ddq_of(const struct joint_layout *l, const struct instant *instant, size_t j) {
  return instant->x[l->ddq + j] - instant->x[l->bias + j];
}

/* An instant so old that nothing will change it any more. */
static const struct instant *settled(const struct joint_filter *filter) {
  const struct instants *instants = &filter->instants;
  return instants->at[instants->count - 11];
}

/* The late sample is put where it belongs: once all has arrived, both have seen the same. What
 * remains comes from biases of the links that were a few milliseconds older when used: each takes
 * about a fiftieth of a reading's noise per sample. Compared at instants that nothing will change
 * any more. */
START_TEST(late_skin_leads_to_the_estimate_that_timely_skin_would_have_given) {
  struct run *timely = new_run("fast", 1000.0, 250.0, 0.0);
  struct run *late = new_run("fast", 1000.0, 250.0, 5e-3);
  struct run *const runs[] = {timely, late};
  double ddq = 0.0, q = 0.0;
  for (int i = 0; i < 2; i++) {
    runs[i]->settings.adapt_density = false;
    runs[i]->settings.joint_density = 1e5;
    start(runs[i]);
    advance(runs[i], 1.5); /* how its base rests is known */
  }
  const struct joint_layout *l = &timely->filter->layout;
  for (int step = 0; step < 600; step++) {
    advance(timely, 1e-3);
    advance(late, 1e-3);
    const struct instant *a = settled(timely->filter), *b = settled(late->filter);
    ck_assert_int_eq(a->t_ns, b->t_ns);
    for (size_t j = 0; j < JOINTS; j++) {
      ddq += pow((ddq_of(l, a, j) - ddq_of(l, b, j)) / timely->out.ddq_sd[j], 2) / 600.0 / JOINTS;
      q += pow((a->x[l->q + j] - b->x[l->q + j]) / timely->out.q_sd[j], 2) / 600.0 / JOINTS;
    }
  }
  ck_assert_double_le(sqrt(ddq), 0.1);
  ck_assert_double_le(sqrt(q), 0.1);
  ck_assert_uint_ge(joint_filter_counters(late->filter)->replays, 4 * 200);
  /* one was taken before the first instant */
  ck_assert_uint_le(joint_filter_counters(late->filter)->late_dropped, 1);
}
END_TEST

/* Takes readings of a link's cells away: of another link at every sample of the skin. */
static void drop_cells(struct run *run) {
  const int64_t sample = run->frame.skin.stamp.t_ns / 4000000;
  for (size_t cell = 0; cell < run->stock.robot->n_cells && run->frame.skin.stamp.fresh; cell++) {
    if ((int64_t)run->stock.robot->cell[cell].link == sample % (JOINTS + 1)) {
      run->flags[cell] &= (uint8_t)~CELL_VALID;
    }
  }
}

/* Lets a filter with timely skin and one with late skin run side by side and compares them whenever
 * both have seen the same. Skin begins after .4 s, when both are ready for it: the gyro's bias
 * would remember a first sample that only one of them took. Without the slow stages they do the
 * same sums on the same samples, some of them twice and some in advance: nothing may remain but
 * rounding. */
static struct run *compare_late_with_timely(bool dropping) {
  struct run *timely = new_run("fast", 1000.0, 250.0, 0.0);
  struct run *late = new_run("fast", 1000.0, 250.0, 2e-3);
  struct run *const runs[] = {timely, late};
  int compared = 0;
  int64_t begin_ns = 0;
  for (int i = 0; i < 2; i++) {
    runs[i]->settings.adapt_density = runs[i]->settings.link_bias = false;
    runs[i]->settings.joint_density = 1e5;
    start(runs[i]);
  }
  for (int step = 0; step < 1400; step++) {
    for (int i = 0; i < 2; i++) {
      take_frame(runs[i]);
      begin_ns = begin_ns == 0 ? runs[i]->frame.t_ns : begin_ns;
      if (runs[i]->frame.skin.stamp.t_ns < begin_ns + 400000000) {
        runs[i]->frame.skin.stamp.fresh = false;
      }
      if (dropping) {
        drop_cells(runs[i]);
      }
      give(runs[i]);
    }
    const int64_t age_ns = late->frame.t_ns - late->frame.skin.stamp.t_ns;
    if (step < 1000 || late->frame.skin.stamp.t_ns != timely->frame.skin.stamp.t_ns ||
        age_ns > 3000000) {
      continue; /* the timely one has seen more */
    }
    for (size_t j = 0; j < JOINTS; j++) {
      assert_near(late->out.q[j], timely->out.q[j], 1e-6 * timely->out.q_sd[j]);
      assert_near(late->out.dq[j], timely->out.dq[j], 1e-6 * timely->out.dq_sd[j]);
      assert_near(late->out.ddq[j], timely->out.ddq[j], 1e-6 * timely->out.ddq_sd[j]);
      assert_near(late->out.ddq_sd[j], timely->out.ddq_sd[j], 1e-6 * timely->out.ddq_sd[j]);
    }
    compared++;
  }
  ck_assert_int_ge(compared, 90);
  return late;
}

START_TEST(without_slow_stages_late_skin_gives_the_estimate_of_timely_skin_to_a_millionth) {
  const struct run *late = compare_late_with_timely(false);
  /* and it was prepared for; a little less than one in four cycles brings skin */
  ck_assert_uint_ge(joint_filter_counters(late->filter)->prepared, 240);
}
END_TEST

START_TEST(a_preparation_for_other_cells_than_those_that_come_is_thrown_away) {
  const struct run *late = compare_late_with_timely(true);
  ck_assert_uint_eq(joint_filter_counters(late->filter)->prepared, 0);
}
END_TEST

START_TEST(late_skin_helps_and_never_hurts) {
  double sum[2] = {0};
  for (int with = 0; with < 2; with++) {
    struct run *run = new_run("fast", 1000.0, 250.0, 5e-3);
    start(run);
    advance(run, 1.0);
    for (int step = 0; step < 1500; step++) {
      take_frame(run);
      run->frame.skin.stamp.fresh = run->frame.skin.stamp.fresh && with == 1;
      give(run);
      sum[with] += error_now(run);
    }
  }
  ck_assert_double_le(sqrt(sum[1] / sum[0]), 0.4);
}
END_TEST

/* Index of the newest instant before t_ns. */
static size_t before(const struct instants *instants, int64_t t_ns) {
  size_t i = instants->count - 1;
  while (i > 0 && instants->at[i]->t_ns >= t_ns) {
    i--;
  }
  return i;
}

/* Samples are withheld for 8 ms and each time the filter believes that they come at once: most
 * covariances that they must start from have been let go. */
START_TEST(a_sample_later_than_any_before_it_is_taken_as_if_it_had_come_in_time) {
  enum { WITHHELD = 1000, END = 1060 };
  struct run *timely = new_run("fast", 1000.0, 100.0, 0.0),
             *late = new_run("fast", 1000.0, 100.0, 0.0);
  struct run *const runs[] = {timely, late};
  for (int i = 0; i < 2; i++) {
    runs[i]->settings.adapt_density = runs[i]->settings.link_bias = false;
    runs[i]->settings.joint_density = 1e5;
    start(runs[i]);
  }
  struct instants *instants = &late->filter->instants;
  const int64_t delay_ns = 8000000;
  int lacking = 0, compared = 0;
  for (int step = 0; step < END; step++) {
    take_frame(timely);
    give(timely);
    take_frame(late);
    const struct sensor_frame *frame = &late->frame;
    struct stream_stamp *skin = &late->frame.skin.stamp;
    if (step >= WITHHELD) {
      skin->fresh = frame->t_ns == skin->t_ns + delay_ns;
      lacking += skin->fresh && instants->at[before(instants, skin->t_ns)]->P == NULL;
      instants->reach = 3;
    }
    give(late);
    if (step >= WITHHELD && frame->t_ns >= skin->t_ns + delay_ns) { /* both have seen the same */
      for (size_t j = 0; j < JOINTS; j++) {
        assert_near(late->out.q[j], timely->out.q[j], 1e-6 * timely->out.q_sd[j]);
        assert_near(late->out.ddq[j], timely->out.ddq[j], 1e-6 * timely->out.ddq_sd[j]);
        assert_near(late->out.ddq_sd[j], timely->out.ddq_sd[j], 1e-6 * timely->out.ddq_sd[j]);
      }
      compared++;
    }
  }
  ck_assert_int_ge(lacking, 2);
  ck_assert_int_ge(compared, 8);
  ck_assert_uint_eq(joint_filter_counters(late->filter)->late_dropped,
                    joint_filter_counters(timely->filter)->late_dropped);
}
END_TEST

/* Encoders that come so late that their instant, which stands between two others, becomes the
 * oldest in the very cycle that brings it. */
START_TEST(an_instant_becomes_the_oldest_only_with_an_estimate) {
  struct run *usual = new_run("fast", 1000.0, 250.0, 0.0),
             *late = new_run("fast", 1000.0, 250.0, 0.0);
  struct run *const runs[] = {usual, late};
  for (int i = 0; i < 2; i++) {
    runs[i]->settings.window_s = 10e-3;
    start(runs[i]);
    runs[i]->filter->instants.reach =
        runs[i]->filter->instants.capacity; /* one is dropped a time */
    advance(runs[i], 1.0);
    double q[20][JOINTS];
    int64_t t_ns[20];
    for (int step = 0; step < 20; step++) { /* the encoders fall silent */
      take_frame(runs[i]);
      runs[i]->frame.joints.stamp.fresh = false;
      memcpy(q[step], runs[i]->q, sizeof(q[step]));
      t_ns[step] = runs[i]->frame.t_ns;
      give(runs[i]);
    }
    take_frame(runs[i]);
    const struct instants *instants = &runs[i]->filter->instants;
    ck_assert(instants_full(instants));
    runs[i]->frame.joints.stamp.fresh = i == 1;
    const int64_t then_ns = instants->at[1]->t_ns + instants->merge_ns;
    runs[i]->frame.joints.stamp.t_ns = then_ns;
    for (int k = 0; k + 1 < 20; k++) { /* as they read then */
      const double part = (double)(then_ns - t_ns[k]) / (double)(t_ns[k + 1] - t_ns[k]);
      for (size_t j = 0; part >= 0.0 && part < 1.0 && j < JOINTS; j++) {
        runs[i]->q[j] = q[k][j] + part * (q[k + 1][j] - q[k][j]);
      }
    }
    runs[i]->frame.skin.stamp.fresh = false;
    give(runs[i]);
  }
  ck_assert_uint_eq(joint_filter_counters(late->filter)->late_dropped,
                    joint_filter_counters(usual->filter)->late_dropped);
  for (size_t j = 0; j < JOINTS; j++) { /* half a millisecond of motion more is known, no less */
    assert_near(late->out.q[j], usual->out.q[j], 3.0 * usual->out.q_sd[j]);
    assert_near(late->out.dq[j], usual->out.dq[j], 3.0 * usual->out.dq_sd[j]);
    assert_near(late->out.ddq[j], usual->out.ddq[j], 3.0 * usual->out.ddq_sd[j]);
  }
}
END_TEST

SUITE(late_skin_leads_to_the_estimate_that_timely_skin_would_have_given,
      without_slow_stages_late_skin_gives_the_estimate_of_timely_skin_to_a_millionth,
      a_preparation_for_other_cells_than_those_that_come_is_thrown_away,
      late_skin_helps_and_never_hurts,
      a_sample_later_than_any_before_it_is_taken_as_if_it_had_come_in_time,
      an_instant_becomes_the_oldest_only_with_an_estimate)
