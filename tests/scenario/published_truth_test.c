/* What is published of the whole body is the truth, on a robot whose IMU and skin have the biases
 * of ordinary sensors and that is a little unlike its description. A wrong sign, factor or member
 * in any of it makes an error as large as the quantity itself. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>
#include <stdlib.h>

/* Root mean square of the truth, and of the error, of one quantity. */
struct relation {
  double truth, error;
  size_t n;
};

/* What a quantity is when nothing is known: the error of saying nothing. */
static void add(struct relation *relation, enum quantity quantity, const struct trust_run *run) {
  const struct quantity_truth with = trust_run_truth(run);
  static struct estimates nothing;
  struct quantity_error e, size;
  quantity_compare(quantity, &run->out, &with, &e);
  nothing = run->out;
  nothing.state.base_velocity = VEC3_ZERO;
  nothing.state.base_angular_velocity = VEC3_ZERO;
  nothing.centroidal.com_velocity = nothing.centroidal.com_acceleration = VEC3_ZERO;
  nothing.centroidal.angular_momentum = nothing.centroidal.angular_momentum_rate = VEC3_ZERO;
  quantity_compare(quantity, &nothing, &with, &size);
  for (size_t i = 0; i < e.n; i++) {
    relation->error += e.error[i] * e.error[i];
    relation->truth += size.error[i] * size.error[i];
    relation->n++;
  }
}

static double relative(const struct relation *relation) {
  return sqrt(relation->error / relation->truth);
}

static struct sim_options ordinary(const struct stock_robot *stock, enum bench_motion motion,
                                   double length) {
  struct sim_options options = bench_options(stock, motion, 41);
  options.duration_s = 8.0;
  options.imu.force_offset = (vec3){0.1, -0.1, 0.1};
  options.imu.rate_offset = (vec3){0.01, -0.01, 0.01};
  options.body = (struct sim_body_error){.length = length, .mass = 0.01, .com = 2e-3};
  return options;
}

struct asked {
  double velocity, com_velocity, com_acceleration, momentum, momentum_rate; /* of their size */
  double tilt, com, cop, force; /* rad, m, m, N: mean norms */
};

static void judge(const char *robot, enum bench_motion motion, double length,
                  const struct asked *asked) {
  static struct scored_run scored;
  struct trust_run *const run = &scored.run;
  struct score *const score = &scored.score;
  static const enum quantity moving[] = {QUANTITY_VELOCITY, QUANTITY_COM_VELOCITY, QUANTITY_COM_ACC,
                                         QUANTITY_MOMENTUM, QUANTITY_MOMENTUM_RATE};
  enum { MOVING = sizeof(moving) / sizeof(moving[0]) };
  struct relation relation[MOVING] = {{0.0, 0.0, 0}};
  const struct stock_robot stock = test_robot(robot);
  const struct sim_options options = ordinary(&stock, motion, length);
  scored_run_begin(&scored, &options);
  while (trust_run_step(run, NULL)) {
    if (scored.tape.period_s * (double)run->next > 4.0) {
      const struct quantity_truth with = trust_run_truth(run);
      score_add(score, &run->out, &with);
      for (int i = 0; i < MOVING; i++) {
        add(&relation[i], moving[i], run);
      }
    }
  }
  const double limit[MOVING] = {asked->velocity, asked->com_velocity, asked->com_acceleration,
                                asked->momentum, asked->momentum_rate};
  printf("%s, %s:", robot, bench_motion_name(motion));
  for (int i = 0; i < MOVING; i++) {
    printf(" %s %.3f of its size,", quantity_row(moving[i])->name, relative(&relation[i]));
  }
  printf(" tilt %.3f degrees, com %.1f mm, cop %.1f mm, force %.1f N\n",
         score_norm(score, QUANTITY_TILT) * 180.0 / M_PI, 1e3 * score_norm(score, QUANTITY_COM),
         1e3 * score_norm(score, QUANTITY_COP), score_norm(score, QUANTITY_CONTACT_FORCE));
  for (int i = 0; i < MOVING; i++) {
    ck_assert_uint_gt(relation[i].n, 9000);
    ck_assert_double_lt(relative(&relation[i]), limit[i]);
  }
  ck_assert_double_lt(score_norm(score, QUANTITY_TILT), asked->tilt);
  ck_assert_double_lt(score_norm(score, QUANTITY_COM), asked->com);
  ck_assert_double_lt(score_norm(score, QUANTITY_COP), asked->cop);
  ck_assert_uint_eq(score->of[QUANTITY_COP].beyond, 0); /* where sensors contradict it, too */
  ck_assert_double_lt(score_norm(score, QUANTITY_CONTACT_FORCE), asked->force);
  ck_assert_uint_eq(run->out.centroidal.push_count, 0); /* nobody pushes */
  scored_run_end(&scored);
}

START_TEST(a_full_size_humanoid_that_walks_is_published_as_it_is) {
  const struct asked asked = {.velocity = 0.1,
                              .com_velocity = 0.25,
                              .com_acceleration = 0.45,
                              .momentum = 0.15,
                              .momentum_rate = 0.45,
                              .tilt = 0.25 * M_PI / 180.0,
                              .com = 6e-3,
                              .cop = 10e-3,
                              .force = 20.0};
  judge("humanoid30", MOTION_WALK, 0.5e-3, &asked);
}
END_TEST

START_TEST(a_light_humanoid_that_walks_is_published_as_it_is) {
  const struct asked asked = {.velocity = 0.1,
                              .com_velocity = 0.25,
                              .com_acceleration = 0.45,
                              .momentum = 0.15,
                              .momentum_rate = 0.45,
                              .tilt = 0.4 * M_PI / 180.0,
                              .com = 6e-3,
                              .cop = 10e-3,
                              .force = 8.0};
  judge("humanoid18", MOTION_WALK, 0.0, &asked);
}
END_TEST

/* Eight kilograms taken up by a robot whose sensors and description are as ordinary. */
START_TEST(a_load_is_published_as_it_is) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = ordinary(&stock, MOTION_STAND, 0.0);
  struct message error;
  struct tape tape;
  struct trust_run run;
  options.scenario = "payload";
  options.payload = (struct sim_payload){.link = "torso_pitch_link",
                                         .mass = 8.0,
                                         .com = {0.18, 0.05, 0.22},
                                         .size = {0.3, 0.3, 0.3},
                                         .attach_s = 2.0};
  ck_assert_msg(tape_record(&tape, &options, &error) == STATUS_OK, "%s", error.text);
  struct pipeline_settings settings = trust_settings(&tape);
  settings.inertial.n_links = 1;
  snprintf(settings.inertial.link[0], sizeof(settings.inertial.link[0]), "torso_pitch_link");
  ck_assert_int_eq(trust_run_init(&run, &tape, &settings), STATUS_OK);
  while (trust_run_step(&run, NULL)) {
  }
  const struct sim_truth *truth = &tape.truth[tape.count - 1];
  const struct inertia *link = &stock.robot->model.inertia[truth->payload_link],
                       *found = &run.out.inertia.result.link[0].published;
  const double mass = link->m + truth->payload.m;
  const vec3 com = vec3_scale(1.0 / mass, vec3_add(link->h, truth->payload.h)),
             off = vec3_sub(vec3_scale(1.0 / found->m, found->h), com);
  printf("a load of 8 kg: the link weighs %.2f kg, published %.2f +- %.2f; centre off by %.1f mm\n",
         mass, found->m, run.out.inertia.result.link[0].mass_sd, 1e3 * vec3_norm(off));
  ck_assert_double_gt(truth->payload.m, 7.9);
  ck_assert_double_lt(fabs(found->m - mass), 1.0);
  ck_assert_double_lt(vec3_norm(off), 0.03);
  trust_run_free(&run);
  tape_free(&tape);
}
END_TEST

SUITE(a_full_size_humanoid_that_walks_is_published_as_it_is,
      a_light_humanoid_that_walks_is_published_as_it_is, a_load_is_published_as_it_is)
