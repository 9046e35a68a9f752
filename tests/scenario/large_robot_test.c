/* A humanoid with two hands, 60 joints: what stands apart is estimated as if it did not. */
#include "joints/joint_filter_core.h"
#include "support/handed_robot.h"
#include "support/sim_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMS = 2, FROM = 1200, TO = 2700 };

/* The same frames for two forms of the filter; errors in deviations, q dq ddq. */
struct pair {
  struct stock_robot stock;
  struct sim *sim;
  struct joint_filter *filter[FORMS];
  struct propriod_state out[FORMS];
  bool finger[MODEL_MAX_JOINTS];
  size_t n[2];              /* joints of the body, of fingers */
  double apart[2][3];       /* the second form from the first, mean square */
  double nees[FORMS][2][3]; /* from the truth, likewise */
  double narrowest; /* mean deviation of the second over that of the first, the least of all */
};

static struct joint_filter *filter_of(const struct robot *robot,
                                      const struct joint_filter_settings *settings) {
  struct joint_filter *filter = NULL;
  struct arena count = {0};
  ck_assert_int_eq(joint_filter_init(&filter, robot, settings, &count), STATUS_OK);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  ck_assert_int_eq(joint_filter_init(&filter, robot, settings, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  return filter;
}

static struct pair *pair_of(enum hand_skin skin, const char *scenario, unsigned seed,
                            size_t together) {
  struct pair *p = calloc(1, sizeof(*p));
  struct joint_filter_settings settings = joint_filter_defaults();
  p->stock = handed_robot(skin);
  struct sim_options options = sim_defaults(p->stock.robot, p->stock.urdf, scenario);
  options.seed = seed;
  options.rest_s = 0.5;
  p->sim = test_sim(&options);
  p->filter[1] = filter_of(p->stock.robot, &settings);
  settings.form = JOINTS_EXACT;
  settings.joints_together = together;
  p->filter[0] = filter_of(p->stock.robot, &settings);
  for (size_t j = 0; j < p->stock.robot->model.n_joints; j++) {
    const char *name = p->stock.robot->model.joint[j].name;
    p->finger[j] = strstr(name, "_1_") || strstr(name, "_2_") || strstr(name, "_3_");
    p->n[p->finger[j]]++;
  }
  return p;
}

static void squares(const double *a, const double *b, const double *sd, double *sum, double by) {
  *sum += by * (*a - *b) * (*a - *b) / (*sd * *sd);
}

static void compare(struct pair *p, double by) {
  const struct sim_truth *truth = sim_truth(p->sim);
  const struct propriod_state *a = &p->out[0], *b = &p->out[1];
  for (size_t j = 0; j < truth->n_joints; j++) {
    const bool f = p->finger[j];
    const double share = by / (double)p->n[f];
    squares(&a->q[j], &b->q[j], &a->q_sd[j], &p->apart[f][0], share);
    squares(&a->dq[j], &b->dq[j], &a->dq_sd[j], &p->apart[f][1], share);
    squares(&a->ddq[j], &b->ddq[j], &a->ddq_sd[j], &p->apart[f][2], share);
    for (int form = 0; form < FORMS; form++) {
      const struct propriod_state *o = &p->out[form];
      squares(&o->q[j], &truth->q[j], &o->q_sd[j], &p->nees[form][f][0], share);
      squares(&o->dq[j], &truth->dq[j], &o->dq_sd[j], &p->nees[form][f][1], share);
      squares(&o->ddq[j], &truth->ddq[j], &o->ddq_sd[j], &p->nees[form][f][2], share);
    }
  }
}

static void run(struct pair *p) {
  double ratio[MODEL_MAX_JOINTS] = {0.0};
  const double by = 1.0 / (TO - FROM);
  for (int i = 0; i < TO; i++) {
    ck_assert_int_eq(sim_step(p->sim), STATUS_OK);
    for (int form = 0; form < FORMS; form++) {
      joint_filter_step(p->filter[form], sim_frame(p->sim), &p->out[form]);
    }
    if (i >= FROM) {
      compare(p, by);
      for (size_t j = 0; j < p->n[0] + p->n[1]; j++) {
        ratio[j] += by * p->out[1].ddq_sd[j] / p->out[0].ddq_sd[j];
      }
    }
  }
  p->narrowest = HUGE_VAL;
  for (size_t j = 0; j < p->n[0] + p->n[1]; j++) {
    p->narrowest = fmin(p->narrowest, ratio[j]);
  }
  for (int form = 0; form < FORMS; form++) {
    ck_assert_uint_eq(joint_filter_counters(p->filter[form])->resets, 0);
    ck_assert_uint_eq(p->out[form].n_joints, 60);
  }
  handed_robot_free(&p->stock);
}

START_TEST(hands_of_their_own_are_estimated_nearly_as_with_the_body) {
  struct pair *p = pair_of(HANDS_SKIN, "fast", 11, 60);
  ck_assert_uint_eq(p->filter[1]->n_carried, 2);
  ck_assert_uint_eq(p->filter[0]->layout.n, 60);
  run(p);
  const double asked[2][3] = {{0.06, 0.08, 0.12}, {0.08, 0.12, 0.12}};
  for (int f = 0; f < 2; f++) {
    for (int order = 0; order < 3; order++) {
      ck_assert_double_le(sqrt(p->apart[f][order]), asked[f][order]);
      ck_assert_double_le(p->nees[1][f][order], p->nees[0][f][order] + 0.1);
    }
  }
  ck_assert_double_ge(p->narrowest, 0.98);
  /* the body is ready for the skin's sample before it comes, limbs and all */
  ck_assert_uint_ge(joint_filter_counters(p->filter[1])->prepared,
                    joint_filter_counters(p->filter[0])->prepared - 2);
}
END_TEST

START_TEST(in_walking_hands_are_as_sure_as_they_are_right) {
  struct pair *p = pair_of(HANDS_SKIN, "walk", 12, 60);
  run(p);
  for (int order = 0; order < 3; order++) {
    ck_assert_double_le(p->nees[1][1][order], fmax(1.0, 1.1 * p->nees[0][1][order]));
  }
  ck_assert_double_ge(p->narrowest, 0.95);
}
END_TEST

START_TEST(hands_that_encoders_alone_see_are_estimated_as_with_the_body) {
  struct pair *p = pair_of(HANDS_BARE, "fast", 13, 60);
  ck_assert_uint_eq(p->filter[1]->n_apart, 4);
  ck_assert_uint_eq(p->filter[0]->n_apart, 0);
  run(p);
  for (int f = 0; f < 2; f++) {
    for (int order = 0; order < 3; order++) {
      ck_assert_double_le(sqrt(p->apart[f][order]), 0.05);
    }
  }
}
END_TEST

/* The second form alone; `skin`: what comes of it. */
static void advance(struct pair *p, int steps, bool skin, bool fingers) {
  static uint8_t flags[2048];
  for (int i = 0; i < steps; i++) {
    ck_assert_int_eq(sim_step(p->sim), STATUS_OK);
    struct sensor_frame frame = *sim_frame(p->sim);
    frame.skin.stamp.fresh = frame.skin.stamp.fresh && skin;
    if (!fingers && frame.skin.stamp.fresh) {
      memcpy(flags, frame.skin.flags, frame.skin.n_cells);
      for (size_t k = 0; k < frame.skin.n_cells; k++) {
        const size_t link = p->stock.robot->cell[k].link;
        flags[k] = link > 0 && p->finger[link - 1] ? 0 : flags[k];
      }
      frame.skin.flags = flags;
    }
    joint_filter_step(p->filter[1], &frame, &p->out[1]);
  }
}

/* Largest error of a finger's velocity and acceleration in deviations. */
static double worst_finger(const struct pair *p) {
  const struct sim_truth *truth = sim_truth(p->sim);
  const struct propriod_state *o = &p->out[1];
  double worst = 0.0;
  for (size_t j = 0; j < truth->n_joints; j++) {
    if (p->finger[j]) {
      worst = fmax(worst, fabs(o->dq[j] - truth->dq[j]) / o->dq_sd[j]);
      worst = fmax(worst, fabs(o->ddq[j] - truth->ddq[j]) / o->ddq_sd[j]);
    }
  }
  return worst;
}

START_TEST(hands_go_on_without_skin_and_take_it_again) {
  struct pair *p = pair_of(HANDS_SKIN, "medium", 14, 60);
  advance(p, 1500, true, true);
  ck_assert_int_eq(p->out[1].status, PROPRIOD_STATUS_OK);
  advance(p, 400, true, false); /* fingers' skin alone */
  ck_assert_double_le(worst_finger(p), 6.0);
  advance(p, 400, false, false);
  ck_assert_int_eq(p->out[1].status, PROPRIOD_STATUS_DEGRADED);
  ck_assert_double_le(worst_finger(p), 6.0);
  advance(p, 600, true, true);
  ck_assert_int_eq(p->out[1].status, PROPRIOD_STATUS_OK);
  ck_assert_double_le(worst_finger(p), 6.0);
  ck_assert_uint_eq(joint_filter_counters(p->filter[1])->resets, 0);
  handed_robot_free(&p->stock);
}
END_TEST

START_TEST(a_new_filter_takes_hands_over) {
  struct pair *p = pair_of(HANDS_SKIN, "medium", 15, 60);
  const struct joint_filter_settings settings = joint_filter_defaults();
  struct joint_filter *next = filter_of(p->stock.robot, &settings);
  advance(p, 1200, true, true);
  ck_assert_int_eq(joint_filter_adopt(next, p->filter[1]), STATUS_OK);
  p->filter[1] = next;
  advance(p, 1, true, true);
  ck_assert_int_eq(p->out[1].status, PROPRIOD_STATUS_OK);
  ck_assert_double_le(worst_finger(p), 6.0);
  advance(p, 300, true, true);
  ck_assert_int_eq(p->out[1].status, PROPRIOD_STATUS_OK);
  ck_assert_double_le(worst_finger(p), 6.0);
  ck_assert_uint_eq(joint_filter_counters(next)->resets, 0);
  handed_robot_free(&p->stock);
}
END_TEST

SUITE(hands_of_their_own_are_estimated_nearly_as_with_the_body,
      in_walking_hands_are_as_sure_as_they_are_right,
      hands_that_encoders_alone_see_are_estimated_as_with_the_body,
      hands_go_on_without_skin_and_take_it_again, a_new_filter_takes_hands_over)
