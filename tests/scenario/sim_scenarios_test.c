/* Each scenario does what its name says. */
#include "excitation.h"
#include "scenario.h"
#include "support/sim_fixture.h"

#include <string.h>

static struct sim_options quick(const struct stock_robot *stock, const char *scenario) {
  struct sim_options options = test_options(stock, scenario);
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.rest_s = 0.2;
  return options;
}

static struct sim *started(const char *name, const char *scenario, double duration_s) {
  const struct stock_robot stock = test_robot(name);
  struct sim_options options = quick(&stock, scenario);
  options.duration_s = duration_s;
  return test_sim(&options);
}

/* Who is bolted to the ground stands nowhere, trot and hop want four feet, and most else two. */
static bool can_do(const struct robot *robot, const char *scenario) {
  const bool four = strcmp(scenario, "trot") == 0 || strcmp(scenario, "hop") == 0;
  const size_t feet = four ? 4 : 2;
  return sim_scenario_holds_base(scenario) || (!robot->fixed_base && robot->n_feet == feet);
}

START_TEST(every_scenario_runs_on_every_robot_that_can_do_it) {
  for (size_t r = 0; stock_robot_name(r) != NULL; r++) {
    const struct stock_robot stock = test_robot(stock_robot_name(r));
    for (size_t i = 0; sim_scenario_at(i) != NULL; i++) {
      struct sim_options options = quick(&stock, sim_scenario_at(i));
      options.duration_s = 0.2;
      if (!can_do(stock.robot, options.scenario)) {
        continue;
      }
      struct sim *sim = test_sim(&options);
      int frames = 0;
      while (sim_step(sim) == STATUS_OK) {
        frames++;
      }
      ck_assert_int_eq(frames, 201);
      must(isfinite(sim_truth(sim)->com_acceleration_W.x));
      sim_destroy(sim);
    }
  }
}
END_TEST

START_TEST(stock_robots_have_the_joints_and_cells_that_their_files_promise) {
  static const struct {
    const char *name;
    size_t joints, cells, feet;
  } promised[] = {{"humanoid30", 30, 1260, 2},
                  {"humanoid18", 18, 300, 2},
                  {"quadruped12", 12, 0, 4},
                  {"tx40", 6, 16, 0},
                  {"chain9", 9, 312, 0}};
  for (size_t i = 0; i < sizeof(promised) / sizeof(promised[0]); i++) {
    const struct stock_robot stock = test_robot(promised[i].name);
    ck_assert_uint_eq(stock.robot->model.n_joints, promised[i].joints);
    ck_assert_uint_eq(stock.robot->n_cells, promised[i].cells);
    ck_assert_uint_eq(stock.robot->n_feet, promised[i].feet);
    ck_assert_int_eq(stock.robot->fixed_base, promised[i].feet == 0);
    robot_destroy(stock.robot);
  }
  struct stock_robot none;
  struct message error;
  ck_assert_int_eq(stock_robot_load("unicorn", "config/robots", &none, &error),
                   STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "unicorn"));
}
END_TEST

START_TEST(scenarios_are_found_by_their_names) {
  size_t n = 0;
  for (; sim_scenario_at(n) != NULL; n++) {
    ck_assert_ptr_eq(scenario_find(sim_scenario_at(n)), scenario_at(n));
    ck_assert_ptr_nonnull(sim_scenario_help(sim_scenario_at(n)));
  }
  ck_assert_ptr_null(scenario_at(n));
  ck_assert_ptr_null(scenario_find("dance"));
  ck_assert_ptr_null(sim_scenario_help("dance"));
}
END_TEST

START_TEST(every_scenario_begins_at_rest) {
  const struct stock_robot stock = test_robot("humanoid18");
  for (size_t i = 0; sim_scenario_at(i) != NULL; i++) {
    if (!can_do(stock.robot, sim_scenario_at(i))) {
      continue;
    }
    struct sim *sim = started("humanoid18", sim_scenario_at(i), 0.1);
    while (sim_step(sim) == STATUS_OK) { /* rest_s is 0.2 */
      const struct sim_truth *t = sim_truth(sim);
      for (size_t j = 0; j < t->n_joints; j++) {
        must_be_near(t->dq[j], 0.0, 2e-3);
        must_be_near(t->ddq[j], 0.0, 0.5);
      }
      must_be_near(vec3_norm(t->com_acceleration_W), 0.0, 0.05);
    }
    sim_destroy(sim);
  }
}
END_TEST

START_TEST(standing_and_squatting_stay_on_both_feet) {
  static const char *const scenarios[] = {"stand", "squat", "multisine"};
  for (size_t i = 0; i < 3; i++) {
    struct sim *sim = started("humanoid18", scenarios[i], 3.5);
    double lowest = HUGE_VAL, highest = 0.0;
    while (sim_step(sim) == STATUS_OK) {
      const struct sim_truth *t = sim_truth(sim);
      must(t->foot_contact[0] && t->foot_contact[1]);
      lowest = fmin(lowest, t->com_W.z);
      highest = fmax(highest, t->com_W.z);
    }
    ck_assert_int_eq(highest - lowest > 0.06, strcmp(scenarios[i], "squat") == 0);
    sim_destroy(sim);
  }
}
END_TEST

/* Root mean square of the centre of mass' acceleration over the last seconds, m/s^2. */
static double com_acceleration(const char *scenario, vec3 *base_acceleration) {
  struct sim *sim = started("humanoid30", scenario, 4.2);
  vec3 base = VEC3_ZERO;
  double com = 0.0;
  int n = 0;
  while (sim_step(sim) == STATUS_OK) {
    const struct sim_truth *t = sim_truth(sim);
    if (t->t_ns > 1000000000 + 2200000000) {
      com += t->com_acceleration_W.x * t->com_acceleration_W.x;
      base.x += t->base_acceleration_W.x * t->base_acceleration_W.x;
      n++;
    }
  }
  sim_destroy(sim);
  *base_acceleration = (vec3){sqrt(base.x / n), 0.0, 0.0};
  return sqrt(com / n);
}

START_TEST(swinging_arms_move_the_centre_of_mass_and_still_ones_move_the_base_instead) {
  vec3 base_swing, base_still;
  const double swing = com_acceleration("arm-swing", &base_swing);
  const double still = com_acceleration("arm-still", &base_still);
  ck_assert_double_gt(swing, 0.3); /* m/s^2, what accuracy of the centroidal state is judged at */
  ck_assert_double_lt(still, 0.2 * swing);
  ck_assert_double_gt(base_still.x, 3.0 * still);
}
END_TEST

START_TEST(a_push_gives_the_robot_its_impulse_and_leaves_it_standing) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = quick(&stock, "push");
  options.push = (struct sim_push){.force_W = {100.0, 0.0, 0.0}, .start_s = 1.0, .duration_s = 0.2};
  options.duration_s = 4.0;
  struct sim *sim = test_sim(&options);
  double impulse = 0.0;
  while (sim_step(sim) == STATUS_OK) {
    impulse += 1e-3 * sim_truth(sim)->push_force_W.x;
    must(!sim_truth(sim)->fallen);
  }
  assert_near(impulse, 100.0 * 0.2 * 2.0 / M_PI, 0.01);
  sim_destroy(sim);
}
END_TEST

START_TEST(a_hard_push_makes_it_fall_and_the_truth_says_so) {
  struct sim *sim = started("humanoid30", "fall", 3.5);
  bool fallen = false;
  while (sim_step(sim) == STATUS_OK) {
    fallen = sim_truth(sim)->fallen;
  }
  ck_assert(fallen); /* and stays down */
  sim_destroy(sim);
}
END_TEST

START_TEST(lifting_takes_both_feet_off_the_ground_and_puts_them_back) {
  struct sim *sim = started("humanoid18", "lift", 10.0);
  int in_air = 0;
  double highest = 0.0;
  while (sim_step(sim) == STATUS_OK) {
    const struct sim_truth *t = sim_truth(sim);
    in_air += !t->foot_contact[0] && !t->foot_contact[1];
    highest = fmax(highest, fmin(t->foot_W[0].p.z, t->foot_W[1].p.z));
    must(!t->fallen);
  }
  ck_assert_int_gt(in_air, 1500);
  ck_assert_double_gt(highest, 0.05);
  ck_assert(sim_truth(sim)->foot_contact[0] && sim_truth(sim)->foot_contact[1]);
  ck_assert_double_eq(vec3_norm(sim_truth(sim)->push_force_W), 0.0);
  sim_destroy(sim);
}
END_TEST

/* How far a foot moves along the ground while it carries more than a third of the weight, m. */
static double largest_slide(const char *name, const char *scenario) {
  struct sim *sim = started(name, scenario, 8.0);
  double slid = 0.0, largest = 0.0;
  vec3 before = VEC3_ZERO;
  bool carried = false;
  while (sim_step(sim) == STATUS_OK) {
    const struct sim_truth *t = sim_truth(sim);
    const bool carries = t->foot_wrench[0].lin.z > t->mass * STANDARD_GRAVITY / 3.0;
    const vec3 step = vec3_sub(t->foot_W[0].p, before);
    slid = carries && carried ? slid + hypot(step.x, step.y) : 0.0;
    largest = fmax(largest, slid);
    before = t->foot_W[0].p;
    carried = carries;
  }
  sim_destroy(sim);
  return largest;
}

START_TEST(a_foot_slides_on_the_slippery_patch_and_not_elsewhere) {
  const double walk = largest_slide("humanoid18", "walk");
  const double slip = largest_slide("humanoid18", "slip");
  ck_assert_double_lt(walk, 0.01);
  ck_assert_double_gt(slip, 0.02);
}
END_TEST

START_TEST(the_step_scenario_ends_five_centimetres_higher) {
  static const char *const names[] = {"humanoid30", "humanoid18"};
  for (int i = 0; i < 2; i++) {
    struct sim *sim = started(names[i], "step", 8.0);
    ck_assert_int_eq(sim_step(sim), STATUS_OK);
    const double before = sim_truth(sim)->com_W.z;
    while (sim_step(sim) == STATUS_OK) {
      must(!sim_truth(sim)->fallen);
    }
    assert_near(sim_truth(sim)->com_W.z - before, 0.05, 0.005);
    sim_destroy(sim);
  }
}
END_TEST

START_TEST(a_payload_weighs_on_the_feet_while_it_is_carried) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = quick(&stock, "payload");
  options.payload.attach_s = 1.5;
  options.payload.release_s = 4.5;
  options.duration_s = 6.0;
  struct sim *sim = test_sim(&options);
  double sum[2] = {0.0, 0.0};
  int n[2] = {0, 0};
  while (sim_step(sim) == STATUS_OK) {
    const struct sim_truth *t = sim_truth(sim);
    const int carried = t->payload_attached;
    must_be_near(t->payload.m, carried ? 0.12 * 66.99 : 0.0, 0.02);
    const double link = stock.robot->model.inertia[t->payload_link].m;
    must_be_near(t->inertia[t->payload_link].m, link + t->payload.m, 1e-12);
    sum[carried] += t->ground_W.lin.z;
    n[carried]++;
  }
  const double load = (sum[1] / n[1] - sum[0] / n[0]) / STANDARD_GRAVITY;
  assert_near(load, 0.12 * 66.99, 0.1);
  sim_destroy(sim);
}
END_TEST

START_TEST(a_square_wave_payload_takes_its_two_masses) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = quick(&stock, "stand");
  options.payload = (struct sim_payload){.link = "torso_pitch_link",
                                         .mass = 6.0,
                                         .amplitude = 2.0,
                                         .waveform = SIM_SQUARE,
                                         .rate_hz = 2.0,
                                         .size = {0.1, 0.1, 0.1},
                                         .attach_s = 0.5};
  options.duration_s = 2.4;
  struct sim *sim = test_sim(&options);
  int high = 0, low = 0, none = 0;
  while (sim_step(sim) == STATUS_OK) {
    const double m = sim_truth(sim)->payload.m;
    high += m == 8.0;
    low += m == 4.0;
    none += m == 0.0;
  }
  ck_assert_int_eq(none, 500);
  ck_assert_int_eq(high + low, 1901);
  assert_near(high, 1000.0, 2.0);
  sim_destroy(sim);
}
END_TEST

/* -- the exact motions of the held base ------------------------------------------------------- */

START_TEST(motions_are_what_their_derivatives_say) {
  static const enum excitation_kind kinds[] = {EXCITE_SLOW,       EXCITE_MEDIUM, EXCITE_FAST,
                                               EXCITE_SATURATION, EXCITE_STOPS,  EXCITE_POSES};
  const struct stock_robot stock = test_robot("chain9");
  const double h = 1e-6;
  for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
    struct excitation e;
    excitation_init(&e, &stock.robot->model, kinds[k], 1.0, 3, 0.5);
    int corners = 0, checked = 0;
    for (double t = 0.00037; t < 20.0; t += 0.00771) {
      for (size_t j = 0; j < e.n_joints; j++) {
        const struct jet a = excitation_at(&e, j, t - h), b = excitation_at(&e, j, t),
                         c = excitation_at(&e, j, t + h);
        must_be_near((c.x - a.x) / (2.0 * h), b.dx, 1e-4);
        /* where the acceleration jumps within the difference, the difference knows nothing */
        corners += fabs(c.ddx - a.ddx) > 1e-2;
        checked++;
        must(fabs(c.ddx - a.ddx) > 1e-2 || fabs((c.dx - a.dx) / (2.0 * h) - b.ddx) < 1e-4);
      }
    }
    ck_assert_int_lt(corners, checked / 1000);
  }
}
END_TEST

START_TEST(motions_keep_to_the_limits_of_position_and_speed) {
  static const enum excitation_kind kinds[] = {EXCITE_SLOW,       EXCITE_MEDIUM, EXCITE_FAST,
                                               EXCITE_SATURATION, EXCITE_STOPS,  EXCITE_POSES};
  for (size_t r = 0; stock_robot_name(r) != NULL; r++) {
    const struct stock_robot stock = test_robot(stock_robot_name(r));
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
      struct excitation e;
      excitation_init(&e, &stock.robot->model, kinds[k], 1.0, test_seed(), 0.0);
      for (double t = 0.0; t < 20.0; t += 0.01) {
        for (size_t j = 0; j < e.n_joints; j++) {
          const struct joint *joint = &stock.robot->model.joint[j];
          const struct jet motion = excitation_at(&e, j, t);
          must(motion.x >= joint->q_min && motion.x <= joint->q_max);
          must(fabs(motion.dx) <= joint->dq_max || kinds[k] == EXCITE_POSES);
        }
      }
    }
  }
}
END_TEST

START_TEST(stops_take_ten_milliseconds_and_saturated_velocity_is_flat) {
  const struct stock_robot stock = test_robot("chain9");
  struct excitation stops, saturation;
  excitation_init(&stops, &stock.robot->model, EXCITE_STOPS, 1.0, 1, 0.0);
  excitation_init(&saturation, &stock.robot->model, EXCITE_SATURATION, 1.0, 1, 0.0);
  int stopping = 0, flat = 0, moving = 0;
  for (double t = 3.0; t < 3.0 + 4.0 * 2.4; t += 1e-4) {
    const struct jet stop = excitation_at(&stops, 0, t), clipped = excitation_at(&saturation, 0, t);
    stopping += fabs(stop.ddx) > 20.0;
    flat += clipped.ddx == 0.0;
    moving++;
  }
  assert_near(stopping, 8.0 * 100.0, 8.0); /* eight stops, 100 samples each */
  ck_assert_int_gt(flat, moving / 2);      /* 2 acos(0.6) of pi: 59 % */
  ck_assert_int_lt(flat, moving * 2 / 3);
}
END_TEST

START_TEST(poses_are_held_still_between_their_ways) {
  struct sim *sim = started("humanoid30", "held-poses", 10.0);
  int still = 0, frames = 0;
  while (sim_step(sim) == STATUS_OK) {
    const struct sim_truth *t = sim_truth(sim);
    double speed = 0.0;
    for (size_t j = 0; j < t->n_joints; j++) {
      speed = fmax(speed, fabs(t->dq[j]));
    }
    still += speed == 0.0;
    frames++;
  }
  ck_assert_int_gt(still, frames / 2);
  ck_assert_int_lt(still, frames * 7 / 10);
  sim_destroy(sim);
}
END_TEST

SUITE(every_scenario_runs_on_every_robot_that_can_do_it, scenarios_are_found_by_their_names,
      stock_robots_have_the_joints_and_cells_that_their_files_promise,
      every_scenario_begins_at_rest, standing_and_squatting_stay_on_both_feet,
      swinging_arms_move_the_centre_of_mass_and_still_ones_move_the_base_instead,
      a_push_gives_the_robot_its_impulse_and_leaves_it_standing,
      a_hard_push_makes_it_fall_and_the_truth_says_so,
      lifting_takes_both_feet_off_the_ground_and_puts_them_back,
      a_foot_slides_on_the_slippery_patch_and_not_elsewhere,
      the_step_scenario_ends_five_centimetres_higher,
      a_payload_weighs_on_the_feet_while_it_is_carried, a_square_wave_payload_takes_its_two_masses,
      motions_are_what_their_derivatives_say, motions_keep_to_the_limits_of_position_and_speed,
      stops_take_ten_milliseconds_and_saturated_velocity_is_flat,
      poses_are_held_still_between_their_ways)
