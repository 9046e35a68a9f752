/* A fall, a slip, a step up, a robot lifted off the ground: flagged, bounded, recovered. The whole
 * pipeline on encoders and IMU. */
#include "pipeline.h"

#include "support/sim_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a run showed: errors while something was wrong, and over the last second. */
struct outcome {
  double tilt_worst, tilt_end;         /* degrees */
  double velocity_worst, velocity_end; /* m/s */
  double height_worst, height_end;     /* m: of the base over the ground that it stands on */
  double slips_s, flight_s, degraded_s, push_s; /* s: how long each was said */
  double truly_flying_s;                        /* s without contact of any foot */
  double cop_outside_s;                         /* s without a centre of pressure */
  bool finite;
};

struct watched {
  struct stock_robot stock;
  struct sim *sim;
  struct pipeline *pipeline;
  struct estimates out;
};

static void begin(struct watched *w, const struct sim_options *options) {
  const struct pipeline_settings settings = pipeline_defaults();
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    ck_assert_int_eq(pipeline_init(&w->pipeline, w->stock.robot, &settings, &arena), STATUS_OK);
  }
  w->sim = test_sim(options);
}

static bool all_finite(const struct estimates *out) {
  const struct propriod_centroidal *c = &out->centroidal;
  const vec3 all[] = {c->com_position,          c->com_velocity,         c->com_acceleration,
                      c->cop_position,          c->dcm_position,         c->push_force,
                      out->state.base_velocity, out->state.base_position};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    if (!vec3_is_finite(all[i])) {
      return false;
    }
  }
  return true;
}

static void score(const struct watched *w, double dt, bool end, struct outcome *o) {
  const struct sim_truth *truth = sim_truth(w->sim);
  const struct propriod_state *state = &w->out.state;
  const struct propriod_centroidal *c = &w->out.centroidal;
  if ((state->estimated & PROPRIOD_STATE_BASE_VELOCITY) == 0) {
    return;
  }
  const mat3 R = mat3_from_quat(state->quat_xyzw);
  const vec3 up = vec3_from(R.m[2]), true_up = vec3_from(truth->base.X_WB.R.m[2]);
  const double tilt = asin(fmin(vec3_norm(vec3_cross(up, true_up)), 1.0)) * 180.0 / M_PI;
  const vec3 v = mat3_tmul_vec3(&R, state->base_velocity);
  const double velocity = vec3_norm(vec3_sub(v, truth->base.v_B.lin));
  const double height = fabs(state->base_position.z - truth->base.X_WB.p.z);
  bool contact = false;
  for (size_t f = 0; f < truth->n_feet; f++) {
    contact = contact || truth->foot_contact[f];
  }
  o->tilt_worst = fmax(o->tilt_worst, tilt);
  o->velocity_worst = fmax(o->velocity_worst, velocity);
  o->height_worst = fmax(o->height_worst, height);
  if (end) {
    o->tilt_end = fmax(o->tilt_end, tilt);
    o->velocity_end = fmax(o->velocity_end, velocity);
    o->height_end = fmax(o->height_end, height);
  }
  o->slips_s += c->support_slips != 0 ? dt : 0.0;
  o->flight_s +=
      (c->estimated & PROPRIOD_CENTROIDAL_SUPPORT) != 0 && c->support_phase == SUPPORT_NONE ? dt
                                                                                            : 0.0;
  o->truly_flying_s += contact ? 0.0 : dt;
  o->degraded_s += c->status == PROPRIOD_STATUS_DEGRADED ? dt : 0.0;
  o->push_s += c->push_active != 0 ? dt : 0.0;
  o->cop_outside_s += (c->estimated & PROPRIOD_CENTROIDAL_COP) == 0 ? dt : 0.0;
  o->finite = o->finite && all_finite(&w->out);
}

static struct outcome run(const char *scenario, const char *name) {
  static struct watched w;
  struct outcome o = {.finite = true};
  w.stock = test_robot("humanoid30");
  struct sim_options options = sim_defaults(w.stock.robot, w.stock.urdf, scenario);
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0;
  options.joints.has_effort = false;
  begin(&w, &options);
  const double duration = sim_duration(w.sim);
  while (sim_step(w.sim) == STATUS_OK) {
    pipeline_step(w.pipeline, sim_frame(w.sim), &w.out);
    const double t = (double)(sim_truth(w.sim)->t_ns - options.t0_ns) * 1e-9;
    score(&w, 1e-3, t > duration - 1.0, &o);
  }
  printf("%s: tilt %.2f worst %.2f end deg, velocity %.3f %.3f m/s, height %.1f %.1f mm; said: "
         "slip %.2f s, flight %.2f of %.2f s, degraded %.2f s, push %.2f s, no cop %.2f s\n",
         name, o.tilt_worst, o.tilt_end, o.velocity_worst, o.velocity_end, 1e3 * o.height_worst,
         1e3 * o.height_end, o.slips_s, o.flight_s, o.truly_flying_s, o.degraded_s, o.push_s,
         o.cop_outside_s);
  sim_destroy(w.sim);
  return o;
}

START_TEST(a_fall_is_flagged_and_bounded) {
  const struct outcome o = run("fall", "fall");
  ck_assert(o.finite);
  ck_assert_double_gt(o.slips_s + o.flight_s, 0.2);
  ck_assert_double_lt(o.velocity_worst, 4.0); /* it hits the ground with about as much */
  ck_assert_double_lt(o.velocity_end, 0.05);
  asked(o.tilt_end < 1.0);
}
END_TEST

START_TEST(a_slip_is_flagged_bounded_and_recovered) {
  const struct outcome o = run("slip", "slip");
  ck_assert(o.finite);
  ck_assert_double_gt(o.slips_s, 0.05);
  ck_assert_double_lt(o.velocity_worst, 0.1);
  ck_assert_double_lt(o.tilt_worst, 1.0);
  ck_assert_double_lt(o.velocity_end, 0.01);
  ck_assert_double_lt(o.height_end, 0.005);
  ck_assert_double_lt(o.flight_s, 0.01);
}
END_TEST

START_TEST(a_step_of_5_cm_raises_the_ground_and_nothing_else) {
  const struct outcome o = run("step", "step");
  ck_assert(o.finite);
  ck_assert_double_lt(o.height_worst, 0.015);
  ck_assert_double_lt(o.tilt_worst, 1.0);
  ck_assert_double_lt(o.velocity_end, 0.01);
  ck_assert_double_lt(o.flight_s, 0.01);
}
END_TEST

START_TEST(a_robot_off_the_ground_knows_it_and_comes_back) {
  const struct outcome o = run("lift", "lift");
  ck_assert(o.finite);
  ck_assert_double_gt(o.flight_s, 1.0);
  ck_assert_double_lt(o.flight_s, 1.2 * o.truly_flying_s);
  ck_assert_double_lt(o.velocity_worst, 0.15);
  ck_assert_double_lt(o.velocity_end, 0.02);
  asked(o.tilt_worst < 3.0);
  asked(o.height_end < 0.015);
}
END_TEST

/* A number that no sensor gives, in one channel after the other of IMU, foot sensors and
 * torques. */
static void put_bad_number(struct sensor_frame *frame, double *tau, struct force *wrench, long k) {
  static const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e30, 1e7};
  double *const channel[] = {&frame->imu.angular_rate.x,
                             &frame->imu.angular_rate.y,
                             &frame->imu.angular_rate.z,
                             &frame->imu.specific_force.x,
                             &frame->imu.specific_force.y,
                             &frame->imu.specific_force.z,
                             &frame->imu.orientation.x,
                             &frame->imu.orientation.y,
                             &frame->imu.orientation.z,
                             &frame->imu.orientation.w,
                             &wrench[0].lin.x,
                             &wrench[0].lin.z,
                             &wrench[1].ang.y,
                             &wrench[1].lin.z,
                             &tau[3],
                             &tau[20]};
  const long channels = sizeof(channel) / sizeof(channel[0]), values = sizeof(bad) / sizeof(bad[0]);
  *channel[k % channels] = bad[k / channels % values];
}

/* faults.md S1, for base, feet and torques: every fifth sample has a number that is none. */
static void take_bad_numbers(const char *robot, const char *scenario, bool forces) {
  static struct watched w;
  struct outcome o = {.finite = true};
  double tau[MODEL_MAX_JOINTS];
  struct force wrench[ROBOT_MAX_WRENCH];
  w.stock = test_robot(robot);
  struct sim_options options = sim_defaults(w.stock.robot, w.stock.urdf, scenario);
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz *= forces;
  options.imu.has_orientation = true;
  options.duration_s = 4.0;
  begin(&w, &options);
  for (long k = 0; sim_step(w.sim) == STATUS_OK; k++) {
    struct sensor_frame frame = *sim_frame(w.sim);
    ck_assert_ptr_nonnull(frame.joints.tau);
    memcpy(tau, frame.joints.tau, w.stock.robot->model.n_joints * sizeof(double));
    if (forces) {
      memcpy(wrench, frame.wrench.wrench, frame.wrench.n_sensors * sizeof(struct force));
      frame.wrench.wrench = wrench;
    }
    frame.joints.tau = tau;
    if (k > 1000 && k % 5 == 0) {
      put_bad_number(&frame, tau, wrench, k / 5);
    }
    pipeline_step(w.pipeline, &frame, &w.out);
    score(&w, 1e-3, true, &o);
  }
  printf("%s, numbers that are none: tilt %.2f deg, velocity %.3f m/s, height %.1f mm\n", robot,
         o.tilt_worst, o.velocity_worst, 1e3 * o.height_worst);
  ck_assert(o.finite);
  ck_assert_double_gt(o.tilt_worst, 0.0); /* there was an estimate */
  ck_assert_double_lt(o.tilt_worst, 1.0);
  ck_assert_double_lt(o.velocity_worst, 0.1);
  ck_assert_double_lt(o.height_worst, 0.015);
  sim_destroy(w.sim);
}

START_TEST(no_number_from_imu_feet_or_torques_moves_the_base_or_stays_in_it) {
  take_bad_numbers("humanoid30", "walk", true);
  take_bad_numbers("quadruped12", "trot", false); /* its legs tell which feet carry */
}
END_TEST

/* A driver that goes on with its newest torques: legs that swing would stand, and the other way
 * round. */
START_TEST(torques_that_are_held_do_not_say_which_feet_stand) {
  static struct watched w;
  struct outcome o = {.finite = true};
  double held[MODEL_MAX_JOINTS];
  w.stock = test_robot("quadruped12");
  struct sim_options options = sim_defaults(w.stock.robot, w.stock.urdf, "trot");
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0;
  options.duration_s = 5.0;
  begin(&w, &options);
  for (long k = 0; sim_step(w.sim) == STATUS_OK; k++) {
    struct sensor_frame frame = *sim_frame(w.sim);
    if (k < 3000) {
      memcpy(held, frame.joints.tau, w.stock.robot->model.n_joints * sizeof(double));
    }
    frame.joints.tau = held;
    pipeline_step(w.pipeline, &frame, &w.out);
    score(&w, 1e-3, true, &o);
  }
  printf("torques that are held: tilt %.2f deg, velocity %.3f m/s, height %.1f mm\n", o.tilt_worst,
         o.velocity_worst, 1e3 * o.height_worst);
  ck_assert_double_lt(o.tilt_worst, 1.0);
  ck_assert_double_lt(o.velocity_worst, 0.1);
  ck_assert_double_lt(o.height_worst, 0.015);
  sim_destroy(w.sim);
}
END_TEST

SUITE(a_fall_is_flagged_and_bounded, a_slip_is_flagged_bounded_and_recovered,
      a_step_of_5_cm_raises_the_ground_and_nothing_else,
      a_robot_off_the_ground_knows_it_and_comes_back,
      no_number_from_imu_feet_or_torques_moves_the_base_or_stays_in_it,
      torques_that_are_held_do_not_say_which_feet_stand)
