/* Motion of the past beside the truth, beside what was published then, and beside a filter whose
 * skin comes without delay. */
#include "joints/joint_history.h"
#include "pipeline.h"
#include "support/random_model.h"
#include "support/sim_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLES = 3000, FROM = 1000 };

/* A robot, its filter, and what was published at every cycle. */
struct world {
  struct stock_robot stock;
  struct sim *sim;
  struct joint_filter *filter;
  struct joint_history history;
  struct propriod_state state;
  double (*published)[MODEL_MAX_JOINTS], (*truth)[MODEL_MAX_JOINTS]; /* [CYCLES] ddq */
  vec3 *force; /* [CYCLES] m/s^2: specific force of the base, as published */
  int64_t start_ns;
  size_t knee;
};

static void *room(size_t count, size_t size) {
  void *memory = calloc(count, size);
  ck_assert_ptr_nonnull(memory);
  return memory;
}

static void build(struct world *world, struct arena *arena) {
  struct joint_filter_settings settings = joint_filter_defaults();
  const struct robot *robot = world->stock.robot;
  const struct joint_layout layout =
      joint_layout_of(robot->model.n_joints, false, true, robot->n_feet);
  ck_assert_int_eq(joint_filter_init(&world->filter, robot, &settings, arena), STATUS_OK);
  ck_assert_int_eq(joint_history_init(&world->history, &layout, arena), STATUS_OK);
}

static struct world *new_world(double skin_latency_s, double imu_latency_s) {
  struct world *world = room(1, sizeof(*world));
  world->stock = test_robot("humanoid30");
  struct sim_options options = sim_defaults(world->stock.robot, world->stock.urdf, "walk");
  options.seed = 4711;
  options.rest_s = 0.2;
  options.stream[PROPRIOD_SHM_SKIN].latency_s = skin_latency_s;
  options.stream[PROPRIOD_SHM_IMU].latency_s = imu_latency_s;
  world->sim = test_sim(&options);
  world->knee = (size_t)model_find_joint(&world->stock.robot->model, "left_knee_joint");
  struct arena count = {0};
  build(world, &count);
  struct arena arena = test_arena(count.used);
  build(world, &arena);
  world->published = room(CYCLES, sizeof(*world->published));
  world->force = room(CYCLES, sizeof(*world->force));
  world->truth = room(CYCLES, sizeof(*world->truth));
  return world;
}

/* One cycle; `blind` takes the skin away, and the encoder of the left knee reads `off`
 * (rad) too much. */
static void step_with(struct world *world, int k, bool blind, double off) {
  ck_assert_int_eq(sim_step(world->sim), STATUS_OK);
  struct sensor_frame frame = *sim_frame(world->sim);
  double q[MODEL_MAX_JOINTS];
  memcpy(q, frame.joints.q, world->stock.robot->model.n_joints * sizeof(*q));
  q[world->knee] += off;
  frame.joints.q = q;
  const struct sim_truth *truth = sim_truth(world->sim);
  world->start_ns = k == 0 ? frame.t_ns : world->start_ns;
  frame.skin.stamp.fresh = frame.skin.stamp.fresh && !blind;
  world->state.estimated = 0;
  joint_filter_step(world->filter, &frame, &world->state);
  joint_history_collect(&world->history, world->filter);
  memcpy(world->published[k], world->state.ddq, sizeof(world->published[k]));
  world->force[k] = world->state.base_specific_force;
  memcpy(world->truth[k], truth->ddq, truth->n_joints * sizeof(double));
}

static void step(struct world *world, int k, bool blind) {
  step_with(world, k, blind, 0.0);
}

static const struct past_motion *newest(const struct world *world) {
  return &world->history.motion[(world->history.taken - 1) % JOINT_HISTORY_KEPT];
}

static size_t cycle_of(const struct world *world, int64_t t_ns) {
  return (size_t)((t_ns - world->start_ns + 500000) / 1000000);
}

/* Sum of squared differences over the joints, (rad/s^2)^2. */
static double apart(const struct world *world, const double *a, const double *b) {
  double sum = 0.0;
  for (size_t j = 0; j < world->stock.robot->model.n_joints; j++) {
    sum += (a[j] - b[j]) * (a[j] - b[j]);
  }
  return sum;
}

/* A walk whose sensors are in time, to its end, and one whose skin is late, to where the tests
 * begin. */
static struct world *prompt, *begun;

static void begin(void) {
  prompt = new_world(0.0, 0.0);
  for (int k = 0; k < CYCLES; k++) {
    step(prompt, k, false);
  }
  begun = new_world(0.002, 0.0);
  for (int k = 0; k < FROM; k++) {
    step(begun, k, false);
  }
}

/* Goes on with a walk of these latencies that has come to FROM, and compares with what was
 * published in time: the past, and what was published then; joint accelerations, and the base's
 * specific force. */
static void compare(struct world *late, double latency_s, double past[2], double then[2]) {
  uint64_t seen = late->history.taken;
  past[0] = past[1] = then[0] = then[1] = 0.0;
  for (int k = FROM; k < CYCLES; k++) {
    step(late, k, false);
    const bool fresh = late->history.taken > seen;
    seen = late->history.taken;
    if (!fresh) {
      continue;
    }
    const size_t at = cycle_of(late, newest(late)->t_ns);
    const int64_t waited = (int64_t)k - (int64_t)at;
    ck_assert_int_eq(waited, llround(1e3 * latency_s));
    past[0] += apart(late, newest(late)->ddq, prompt->published[at]);
    then[0] += apart(late, late->published[at], prompt->published[at]);
    const vec3 force = newest(late)->base.a_B.lin;
    past[1] += pow(vec3_norm(vec3_sub(force, prompt->force[at])), 2.0);
    then[1] += pow(vec3_norm(vec3_sub(late->force[at], prompt->force[at])), 2.0);
  }
}

START_TEST(with_late_skin_the_past_is_what_timely_skin_would_have_published) {
  double past[2], then[2];
  compare(begun, 0.002, past, then);
  asked(past[0] < 1e-4 * then[0]);
  asked(past[1] < 1e-4 * then[1]);
}
END_TEST

START_TEST(an_instant_waits_for_the_imu_when_that_comes_after_the_skin) {
  double past[2], then[2];
  struct world *late = new_world(0.002, 0.005);
  for (int k = 0; k < FROM; k++) {
    step(late, k, false);
  }
  compare(late, 0.005, past, then);
  asked(past[0] < 0.02 * then[0]); /* spikes are judged when readings come */
  asked(past[1] < 0.02 * then[1]);
}
END_TEST

START_TEST(the_past_is_nearer_to_the_truth_than_what_was_published_then) {
  struct world *world = begun;
  double past = 0.0, then = 0.0;
  const uint64_t from = world->history.taken;
  uint64_t seen = from;
  for (int k = FROM; k < CYCLES; k++) {
    step(world, k, false);
    if (world->history.taken > seen) {
      const size_t at = cycle_of(world, newest(world)->t_ns);
      past += apart(world, newest(world)->ddq, world->truth[at]);
      then += apart(world, world->published[at], world->truth[at]);
    }
    seen = world->history.taken;
  }
  assert_near((double)(seen - from), (CYCLES - FROM) / 4.0, 3.0); /* at every look of the skin */
  ck_assert_double_lt(past, 0.5 * then);
}
END_TEST

enum { AXES = 4 }; /* the base's three and the left knee */

/* sum += the errors of a motion's angular accelerations, rad/s^2 */
static void add_errors(const struct world *world, const struct past_motion *motion,
                       const double truth[][AXES], double sum[AXES]) {
  const vec3 base = motion->base.a_B.ang;
  const double is[AXES] = {base.x, base.y, base.z, motion->ddq[world->knee]};
  for (int i = 0; i < AXES; i++) {
    sum[i] += is[i] - truth[cycle_of(world, motion->t_ns)][i];
  }
}

/* Squares of sums, of the base's axes and of the knee, into `squares`; sums begin anew. */
static void square(double sum[AXES], double squares[2]) {
  for (int i = 0; i < AXES; i++) {
    squares[i == AXES - 1] += sum[i] * sum[i];
    sum[i] = 0.0;
  }
}

/* Forces are compared with means over 20 ms: what is late there, times the whole robot's inertia,
 * looked like a centre of mass 50 mm off. The newest instant, which waits, has the filter's own. */
START_TEST(without_skin_accelerations_are_no_later_than_the_rates) {
  enum { MEAN = 20, DARK = FROM + 500, END = 2500 };
  static double truth[END][AXES];
  struct world *world = begun;
  double past[AXES] = {0.0}, then[AXES] = {0.0}, off_past[2] = {0.0}, off_then[2] = {0.0};
  for (int k = FROM; k < END; k++) {
    step(world, k, true);
    const struct sim_truth *is = sim_truth(world->sim);
    const vec3 base = is->base.a_B.ang;
    memcpy(truth[k], (double[AXES]){base.x, base.y, base.z, is->ddq[world->knee]},
           sizeof(truth[k]));
    if (k < DARK) {
      continue;
    }
    const uint64_t known = world->history.known - 1;
    ck_assert_uint_lt(known, world->history.taken - 1);
    add_errors(world, &world->history.motion[known % JOINT_HISTORY_KEPT], truth, past);
    add_errors(world, newest(world), truth, then);
    if ((k - DARK) % MEAN == MEAN - 1) {
      square(past, off_past);
      square(then, off_then);
    }
  }
  ck_assert_double_lt(off_past[0], 0.3 * off_then[0]);
  ck_assert_double_lt(off_past[1], 0.75 * off_then[1]);
}
END_TEST

START_TEST(when_the_skin_falls_silent_every_instant_counts_again) {
  struct world *world = begun;
  uint64_t seen = 0;
  for (int k = FROM; k < 2000; k++) {
    step(world, k, true);
    seen = k == 1500 ? world->history.taken : seen;
  }
  assert_near((double)(world->history.taken - seen), 500.0, 3.0);
  ck_assert_int_ge((int)cycle_of(world, newest(world)->t_ns), 1997);
}
END_TEST

/* After a computer that could not keep up had missed frames, a joint was believed 0.16 rad from
 * where its encoder said, and a load of 8 kg half a kilogram heavier than it was. */
START_TEST(motion_is_not_kept_while_an_encoder_contradicts_it_nor_soon_after_a_slip) {
  enum { CONTRADICTS = FROM, AGREES = 1100, SLIPS = 1500, END = CYCLES };
  struct world *world = begun;
  const struct propriod_state *state = &world->state;
  int contradicted = 0, slipped_at = 0, kept_between = 0, kept_after = 0;
  for (int k = FROM; k < END; k++) {
    const double off = k >= SLIPS ? 0.02 : k >= CONTRADICTS && k < AGREES ? 0.3 : 0.0;
    const uint64_t taken = world->history.taken, resets = state->resets;
    step_with(world, k, false, off);
    const bool gated = state->joint_health[world->knee] != ENCODER_OK,
               kept = world->history.taken > taken;
    slipped_at = state->resets > resets ? k : slipped_at;
    contradicted += gated;
    ck_assert(!kept || !(gated || (slipped_at > 0 && k < slipped_at + 490)));
    kept_between += kept && k >= AGREES && k < SLIPS;
    kept_after += kept && slipped_at > 0;
  }
  ck_assert_int_gt(contradicted, 90);
  ck_assert_int_gt(kept_between, 90);
  ck_assert_int_gt(slipped_at, SLIPS);
  ck_assert_int_gt(kept_after, 0);
}
END_TEST

START_TEST(an_encoder_whose_zero_has_moved_contradicts_nothing_any_more) {
  enum { END = 2500 };
  struct world *world = begun;
  uint64_t before = 0;
  for (int k = FROM; k < END; k++) {
    step_with(world, k, false, 0.5);
    before = k == END - 400 ? world->history.taken : before;
  }
  ck_assert_uint_eq(world->state.joint_health[world->knee], ENCODER_SHIFTED);
  assert_near((double)(world->history.taken - before), 100.0, 3.0);
}
END_TEST

SUITE_AFTER(begin, with_late_skin_the_past_is_what_timely_skin_would_have_published,
            an_instant_waits_for_the_imu_when_that_comes_after_the_skin,
            the_past_is_nearer_to_the_truth_than_what_was_published_then,
            without_skin_accelerations_are_no_later_than_the_rates,
            when_the_skin_falls_silent_every_instant_counts_again,
            motion_is_not_kept_while_an_encoder_contradicts_it_nor_soon_after_a_slip,
            an_encoder_whose_zero_has_moved_contradicts_nothing_any_more)
