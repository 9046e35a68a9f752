#include "base/base_estimator.h"

#include "body/frames.h"
#include "robot/reading_check.h"

#include <math.h>
#include <string.h>

static const double HEIGHT_SHARE =
    0.3; /* of the weight: a foot that carries less does not set the height */
static const double MOVES_SHARE =
    0.5; /* of the weight: less loaded feet may roll and are no slip */
static const double SURE_HEIGHT = 3.0; /* standard deviations of the base's height: as well known */
static const double SURE_MOVE = 3.0;   /* of the base's velocity: a sole is as badly known */
static const double SLIP_BLUR = 0.3;   /* m/s: how wrong the velocity may be after a long slip */
static const double GAP_S = 0.1;       /* a longer silence of the IMU is not integrated over */
static const double SPIKE_SD = 10.0;   /* deviations between two readings that are doubted */

struct base_estimator_settings base_estimator_defaults(void) {
  return (struct base_estimator_settings){.filter = base_filter_defaults(),
                                          .support = support_defaults(),
                                          .rest_s = 0.5,
                                          .rest_rate = 0.05,
                                          .rest_force = 0.6,
                                          .patience_s = 3.0,
                                          .step_height = 0.015,
                                          .slip_speed = 0.08,
                                          .slip_s = 0.04,
                                          .slip_most_s = 3.0};
}

enum status base_estimator_init(struct base_estimator *base, const struct robot *robot,
                                const struct base_estimator_settings *settings) {
  const double positive[] = {settings->rest_s,     settings->rest_rate,   settings->rest_force,
                             settings->patience_s, settings->step_height, settings->slip_speed,
                             settings->slip_s,     settings->slip_most_s};
  for (size_t i = 0; i < sizeof(positive) / sizeof(positive[0]); i++) {
    if (!(positive[i] > 0.0 && isfinite(positive[i]))) {
      return STATUS_OUT_OF_RANGE;
    }
  }
  if (robot->imu_link != 0) {
    return STATUS_BAD_ARGUMENT;
  }
  *base = (struct base_estimator){.settings = *settings, .robot = robot};
  const enum status status = base_filter_init(&base->filter, &settings->filter);
  return status == STATUS_OK ? support_init(&base->support, &settings->support, robot->n_feet)
                             : status;
}

/* Readings in base axes. */
static vec3 to_base(const struct base_estimator *base, vec3 reading) {
  return mat3_mul_vec3(&base->robot->imu_placement.R, reading);
}

static void begin_window(struct rest_window *rest, vec3 omega, vec3 f) {
  *rest = (struct rest_window){.omega_first = omega, .f_first = f, .waited = rest->waited};
}

static bool within(vec3 a, vec3 b, double limit) {
  return fabs(a.x - b.x) < limit && fabs(a.y - b.y) < limit && fabs(a.z - b.z) < limit;
}

/* Collects rest; starts the filter when there was enough of it, or when patience is over. */
static void wait_for_rest(struct base_estimator *base, vec3 omega, vec3 f, double dt) {
  struct rest_window *rest = &base->rest;
  const struct base_estimator_settings *settings = &base->settings;
  if (rest->n == 0 || !within(omega, rest->omega_first, settings->rest_rate) ||
      !within(f, rest->f_first, settings->rest_force)) {
    if (rest->waited < settings->patience_s) {
      begin_window(rest, omega, f);
    }
  }
  rest->omega_sum = vec3_add(rest->omega_sum, omega);
  rest->f_sum = vec3_add(rest->f_sum, f);
  rest->seconds += dt;
  rest->waited += dt;
  rest->n++;
  const bool out_of_patience = rest->waited > settings->patience_s + settings->rest_s;
  if (rest->seconds < settings->rest_s) {
    return;
  }
  const double share = 1.0 / (double)rest->n;
  const vec3 bias = out_of_patience ? VEC3_ZERO : vec3_scale(share, rest->omega_sum);
  if (base_filter_start(&base->filter, vec3_scale(share, rest->f_sum), bias, 0.0, VEC3_ZERO) !=
      STATUS_OK) {
    begin_window(rest, omega, f);
  }
}

/* A reading that was not believed when it came has been confirmed by the next. */
static void pay(struct base_estimator *base, vec3 omega, vec3 f) {
  base->omega_B = vec3_add(base->omega_B, omega);
  base->force_B = vec3_add(base->force_B, f);
  base_filter_nudge(&base->filter, vec3_scale(0.5 * base->step_s, omega),
                    vec3_scale(0.5 * base->step_s, f));
}

/* Steps of noise from one reading to the next, of this density and so far apart. */
static double doubtful_step(double density, double dt) {
  return SPIKE_SD * density * sqrt(2.0 / dt);
}

/* Replaces a spike by the reading before it. */
static void leave_spikes_out(struct base_estimator *base, vec3 *omega, vec3 *f, double dt) {
  const struct base_filter_settings *noise = &base->settings.filter;
  vec3 rate_owed, force_owed;
  *omega = spike_gate_step(&base->rate_gate, *omega, doubtful_step(noise->gyro_noise, dt), dt,
                           &rate_owed);
  *f = spike_gate_step(&base->force_gate, *f, doubtful_step(noise->accelerometer_noise, dt), dt,
                       &force_owed);
  pay(base, rate_owed, force_owed);
}

void base_estimator_imu(struct base_estimator *base, const struct imu_reading *imu) {
  if (!imu->stamp.fresh || imu->stamp.t_ns <= base->imu_ns ||
      !is_plausible(imu->angular_rate, LARGEST_RATE) ||
      !is_plausible(imu->specific_force, LARGEST_FORCE)) {
    return;
  }
  const double dt = base->imu_ns == 0 ? 0.0 : (double)(imu->stamp.t_ns - base->imu_ns) * 1e-9;
  vec3 omega = to_base(base, imu->angular_rate), f = to_base(base, imu->specific_force);
  if (base->filter.started && dt > 0.0 && dt < GAP_S) {
    leave_spikes_out(base, &omega, &f, dt);
  }
  /* readings belong to their instants: between two of them holds their mean */
  const vec3 omega_mean = vec3_scale(0.5, vec3_add(base->omega_B, omega)),
             f_mean = vec3_scale(0.5, vec3_add(base->force_B, f)),
             omega_change = vec3_sub(omega, base->omega_B), f_change = vec3_sub(f, base->force_B);
  base->imu_ns = imu->stamp.t_ns;
  base->step_s = fmin(dt, GAP_S);
  base->omega_B = omega;
  base->force_B = f;
  if (!base->filter.started) {
    wait_for_rest(base, omega, f, fmin(dt, GAP_S));
    return;
  }
  if (dt > 0.0) {
    base_filter_predict(&base->filter, omega_mean, f_mean, fmin(dt, GAP_S));
    base_filter_blur(&base->filter, omega_change, f_change, fmin(dt, GAP_S));
  }
  if (imu->has_orientation && is_plausible_orientation(imu->orientation)) {
    /* orientation of the IMU's frame, turned into that of the base's */
    const mat3 back = mat3_transpose(&base->robot->imu_placement.R);
    base_filter_orientation(&base->filter, quat_mul(imu->orientation, quat_from_mat3(&back)));
  }
  if (base->robot->n_feet == 0) {
    base_filter_stay(&base->filter);
  }
}

void base_estimator_hold(struct base_estimator *base, vec3 specific_force_B) {
  if (!base->filter.started) {
    base_filter_start(&base->filter, specific_force_B, VEC3_ZERO, 0.0, VEC3_ZERO);
  }
}

/* Soles from the IMU's point, base axes, and how they move relative to the base. */
static bool find_soles(struct base_estimator *base, const struct kinematics *kin, vec3 *moving) {
  const vec3 imu = base->robot->imu_placement.p;
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    const struct model_frame *foot = &base->robot->foot[i];
    struct frame_motion motion;
    if (frame_motion(kin, foot->link, &foot->placement, &motion) != STATUS_OK) {
      return false;
    }
    base->sole_S[i] = vec3_sub(motion.X_BF.p, imu);
    moving[i] = vec3_sub(motion.v_B.lin, vec3_cross(kin->base.v_B.ang, motion.X_BF.p));
  }
  return true;
}

/* A foot that comes down stands on the ground that is known, or on a step. */
static void set_ground(struct base_estimator *base, size_t foot, double z) {
  double level = 0.0;
  bool known = false;
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    if (i != foot && base->support.stands[i] && !base->support.touched_down[i]) {
      level = base->ground[i];
      known = true;
    }
  }
  level = known ? level : base->ground[foot];
  base->touch_downs++;
  const double sd = sqrt(base->filter.P[BASE_P + 2][BASE_P + 2]);
  if (fabs(z - level) < fmax(base->settings.step_height, SURE_HEIGHT * sd)) {
    base->ground[foot] = level;
  } else {
    base->ground[foot] = z;
    base->step_count++;
  }
}

/* Velocity of a sole that ought to stand, averaged; tells whether it moves. */
static void watch_foot(struct base_estimator *base, size_t foot, vec3 moving, double dt) {
  const struct base_estimator_settings *s = &base->settings;
  double H[3][BASE_ERRORS];
  vec3 v;
  base_filter_foot_rows(&base->filter, base->omega_B, base->sole_S[foot], moving, &v, H);
  base->sole_v_B[foot] =
      vec3_axpy(base->sole_v_B[foot], dt / (s->slip_s + dt), vec3_sub(v, base->sole_v_B[foot]));
  double variance = 0.0;
  for (int i = 0; i < 3; i++) {
    variance = fmax(variance, base->filter.P[BASE_V + i][BASE_V + i]);
  }
  const double speed = fmax(vec3_norm(base->sole_v_B[foot]) - SURE_MOVE * sqrt(variance), 0.0);
  if (!base->foot_moves[foot]) {
    base->foot_moves[foot] = speed > s->slip_speed && base->support.share[foot] > MOVES_SHARE / 2;
    base->moving_s[foot] = 0.0;
    base->slip_count += base->foot_moves[foot];
    return;
  }
  base->moving_s[foot] += dt;
  if (base->moving_s[foot] > s->slip_most_s) { /* the IMU alone has drifted by now */
    for (int i = 0; i < 3; i++) {
      base->filter.P[BASE_V + i][BASE_V + i] += SLIP_BLUR * SLIP_BLUR;
    }
    base->foot_moves[foot] = false;
    base->sole_v_B[foot] = VEC3_ZERO;
  } else if (speed < 0.5 * s->slip_speed) {
    base->foot_moves[foot] = false;
  }
}

static void forget_foot(struct base_estimator *base, size_t foot) {
  base->foot_moves[foot] = false;
  base->sole_v_B[foot] = VEC3_ZERO;
}

/* Watches all feet that ought to stand. Lifted: those of two or more that carried it all move. */
static void watch_feet(struct base_estimator *base, const vec3 *moving, double dt) {
  size_t watched = 0, move = 0;
  base->slips = false;
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    if (!base->support.stands[i] && !base->lifted) {
      forget_foot(base, i);
      continue;
    }
    if (base->support.touched_down[i] && !base->lifted) {
      forget_foot(base, i);
    }
    watch_foot(base, i, moving[i], dt);
    watched++;
    move += base->foot_moves[i];
    base->slips = base->slips || base->foot_moves[i];
  }
  base->lifted = base->lifted ? move > 0 : watched >= 2 && move == watched;
}

static void find_support(struct base_estimator *base, const struct base_contacts *contacts,
                         double dt) {
  const mat3 R = base_filter_rotation(&base->filter);
  vec3 sole_W[ROBOT_MAX_FEET];
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    sole_W[i] = vec3_add(mat3_mul_vec3(&R, base->sole_S[i]), base->filter.p_W);
  }
  const struct support_input input = {.sole = sole_W,
                                      .cop_known = contacts->cop_known,
                                      .cop = contacts->cop_W,
                                      .f_z = base->lifted ? 0.0 : contacts->f_z,
                                      .weight = contacts->weight,
                                      .foot_f_z = contacts->foot_f_z};
  const bool first = !base->support.started;
  if (first) { /* the lowest sole stands on height zero */
    double lowest = HUGE_VAL;
    for (size_t i = 0; i < base->robot->n_feet; i++) {
      lowest = fmin(lowest, sole_W[i].z);
    }
    base->filter.p_W.z -= lowest;
  }
  support_step(&base->support, &input, dt);
  for (size_t i = 0; i < base->robot->n_feet && !first; i++) {
    if (base->support.touched_down[i]) {
      set_ground(base, i, sole_W[i].z);
    }
  }
}

void base_estimator_feet(struct base_estimator *base, const struct kinematics *kin,
                         const struct base_contacts *contacts, double dt) {
  vec3 moving[ROBOT_MAX_FEET];
  if (!base->filter.started || base->robot->n_feet == 0 || !find_soles(base, kin, moving)) {
    return;
  }
  find_support(base, contacts, dt);
  watch_feet(base, moving, dt);
  if (base->lifted) {
    base_filter_stay(&base->filter); /* hangs about where it is */
    return;
  }
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    if (!base->support.stands[i] || base->foot_moves[i]) {
      continue;
    }
    const double share = base->support.share[i];
    base_filter_foot(&base->filter, base->omega_B, base->sole_S[i], moving[i], share);
    if (share > HEIGHT_SHARE) {
      base_filter_height(&base->filter, base->sole_S[i], base->ground[i]);
    }
  }
}

struct pose base_estimator_pose(const struct base_estimator *base) {
  const mat3 R = base_filter_rotation(&base->filter);
  return (struct pose){R,
                       vec3_sub(base->filter.p_W, mat3_mul_vec3(&R, base->robot->imu_placement.p))};
}

vec3 base_estimator_velocity(const struct base_estimator *base, vec3 omega_B) {
  const mat3 R = base_filter_rotation(&base->filter);
  return vec3_sub(base->filter.v_W,
                  mat3_mul_vec3(&R, vec3_cross(omega_B, base->robot->imu_placement.p)));
}

double base_estimator_ground(const struct base_estimator *base) {
  return base->support.foot >= 0   ? base->ground[base->support.foot]
         : base->robot->n_feet > 0 ? base->ground[0]
                                   : 0.0;
}

void base_estimator_adopt(struct base_estimator *base, const struct base_estimator *previous) {
  const struct base_estimator fresh = *base;
  if (previous->support.n_feet == fresh.support.n_feet) {
    *base = *previous;
    base->robot = fresh.robot;
    base->settings = fresh.settings;
    base->support.settings = fresh.support.settings;
  } else { /* other feet: nothing is known of them */
    base->filter = previous->filter;
    base->imu_ns = previous->imu_ns;
    base->omega_B = previous->omega_B;
    base->force_B = previous->force_B;
    base->rest = previous->rest;
  }
  base->filter.settings = fresh.filter.settings;
}
