#include "sim_sensors.h"

#include "model/motion.h"

/* Sequences of random numbers, one per purpose. The skin has its own from 100 on. */
enum {
  DRAW_JOINTS = 10,
  DRAW_VELOCITY,
  DRAW_EFFORT,
  DRAW_IMU,
  DRAW_WRENCH,
  DRAW_CONSTANTS,
  DRAW_SLOW,
  DRAW_IMU_GAINS,
  DRAW_IMU_WALK,
  DRAW_WRENCH_GAINS
};

#define WALK_SECONDS 600.0 /* after which a bias has wandered by the deviation asked for */

static vec3 normal3(struct sim_random *random, double sigma) {
  const double x = sim_normal(random), y = sim_normal(random), z = sim_normal(random);
  return (vec3){sigma * x, sigma * y, sigma * z};
}

/* The real place in its link of an IMU that is believed to be at `placement`. */
static struct pose placed_imu(const struct sim_options *options, const struct pose *placement) {
  const struct pose off = {mat3_from_quat(quat_from_rotation_vector(options->imu.turn)),
                           options->imu.place};
  return pose_mul(placement, &off);
}

/* How much of the torques' slow error stays from one sample to the next. */
static double slow_share(const struct sim_options *options) {
  const double rate_hz = options->stream[PROPRIOD_SHM_JOINTS].rate_hz;
  return rate_hz > 0.0 ? exp(-2.0 * M_PI * options->joints.effort_corner_hz / rate_hz) : 0.0;
}

/* 1 with these deviations on and off its diagonal. */
static mat3 nearly_one(struct sim_random *random, double on, double off) {
  mat3 A;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      A.m[i][k] = (i == k ? 1.0 : 0.0) + (i == k ? on : off) * sim_normal(random);
    }
  }
  return A;
}

/* Nothing but numbers of this deviation. */
static mat3 scattered(struct sim_random *random, double sd) {
  mat3 A;
  for (int i = 0; i < 9; i++) {
    A.m[i / 3][i % 3] = sd * sim_normal(random);
  }
  return A;
}

/* `biases` draws the biases of all IMUs in turn, `gains` the rest. */
static struct sim_imu make_imu(const struct sim_options *options, size_t link,
                               const struct pose *placement, struct sim_random *biases,
                               struct sim_random *gains) {
  const struct sim_imu_noise *noise = &options->imu;
  struct sim_imu imu = {.link = link, .placement = placed_imu(options, placement)};
  imu.force_bias = vec3_add(noise->force_offset, normal3(biases, noise->force_bias));
  imu.rate_bias = vec3_add(noise->rate_offset, normal3(biases, noise->rate_bias));
  imu.force_gain = nearly_one(gains, noise->force_gain, noise->cross);
  imu.rate_gain = nearly_one(gains, noise->rate_gain, noise->cross);
  imu.rate_per_force = scattered(gains, noise->rate_per_g / STANDARD_GRAVITY);
  return imu;
}

static void make_imus(struct sim_sensors *sensors, const struct sim_options *options,
                      struct sim_random *biases) {
  const struct robot *robot = options->robot;
  struct sim_random gains = sim_random_from(options->seed, DRAW_IMU_GAINS);
  sensors->n_imus = 1 + robot->n_limbs;
  sensors->imu[0] = make_imu(options, robot->imu_link, &robot->imu_placement, biases, &gains);
  for (size_t k = 0; k < robot->n_limbs; k++) {
    sensors->imu[1 + k] =
        make_imu(options, robot->limb[k].link, &robot->limb[k].placement, biases, &gains);
  }
}

static void make_wrench_sensors(struct sim_sensors *sensors, const struct sim_options *options,
                                struct sim_random *biases) {
  const struct sim_wrench_noise *noise = &options->wrench;
  struct sim_random gains = sim_random_from(options->seed, DRAW_WRENCH_GAINS);
  for (size_t k = 0; k < ROBOT_MAX_WRENCH; k++) {
    sensors->wrench_bias[k].ang = normal3(biases, noise->moment_bias);
    sensors->wrench_bias[k].lin = normal3(biases, noise->force_bias);
    sensors->force_gain[k] = nearly_one(&gains, noise->gain, noise->crosstalk);
    sensors->moment_gain[k] = nearly_one(&gains, noise->gain, noise->crosstalk);
    sensors->moment_by_force[k] = scattered(&gains, SIM_CROSSTALK_ARM * noise->crosstalk);
  }
}

void sim_sensors_init(struct sim_sensors *sensors, const struct sim_options *options) {
  struct sim_random random = sim_random_from(options->seed, DRAW_CONSTANTS);
  const double period_s = sim_sensor_period(options), filter_s = options->imu.filter_s;
  *sensors = (struct sim_sensors){
      .robot = options->robot,
      .joint_noise = options->joints,
      .imu_noise = options->imu,
      .wrench_noise = options->wrench,
      .joint_random = sim_random_from(options->seed, DRAW_JOINTS),
      .velocity_random = sim_random_from(options->seed, DRAW_VELOCITY),
      .effort_random = sim_random_from(options->seed, DRAW_EFFORT),
      .imu_random = sim_random_from(options->seed, DRAW_IMU),
      .wrench_random = sim_random_from(options->seed, DRAW_WRENCH),
      .slow_random = sim_random_from(options->seed, DRAW_SLOW),
      .walk_random = sim_random_from(options->seed, DRAW_IMU_WALK),
      .effort_keep = slow_share(options),
      .period_s = period_s,
      /* a stage that keeps k of a period delays slow signals by k / (1 - k) periods */
      .filter_keep = 0.5 * filter_s / (0.5 * filter_s + period_s),
  };
  sim_drives_init(&sensors->drives, options);
  make_imus(sensors, options, &random);
  make_wrench_sensors(sensors, options, &random);
  for (size_t j = 0; j < MODEL_MAX_JOINTS; j++) {
    sensors->effort_gain[j] = 1.0 + options->joints.effort_gain * sim_normal(&random);
    sensors->effort_slow[j] = options->joints.effort_coloured * sim_normal(&sensors->slow_random);
  }
}

bool sim_sensors_live(const struct sim_sensors *sensors) {
  const struct sim_imu_noise *imu = &sensors->imu_noise;
  return sensors->drives.exists || sensors->filter_keep > 0.0 || imu->force_walk > 0.0 ||
         imu->rate_walk > 0.0;
}

/* What an IMU feels on a link that moves so, without its errors. */
static struct imu_triads felt(const struct sim_imu *imu, const struct motion *velocity,
                              const struct motion *acceleration) {
  const struct pose *X_LS = &imu->placement;
  const struct motion *v = &velocity[imu->link], *a = &acceleration[imu->link];
  const vec3 f_L = point_acceleration(a, v->ang, X_LS->p);
  return (struct imu_triads){.specific_force = mat3_tmul_vec3(&X_LS->R, f_L),
                             .angular_rate = mat3_tmul_vec3(&X_LS->R, v->ang)};
}

static void pass(struct imu_triads *stage, const struct imu_triads *in, double keep) {
  stage->specific_force =
      vec3_axpy(vec3_scale(keep, stage->specific_force), 1.0 - keep, in->specific_force);
  stage->angular_rate =
      vec3_axpy(vec3_scale(keep, stage->angular_rate), 1.0 - keep, in->angular_rate);
}

static void step_imu(struct sim_sensors *sensors, struct sim_imu *imu,
                     const struct imu_triads *in) {
  const struct sim_imu_noise *noise = &sensors->imu_noise;
  const double share = sqrt(sensors->period_s / WALK_SECONDS);
  imu->force_bias =
      vec3_add(imu->force_bias, normal3(&sensors->walk_random, share * noise->force_walk));
  imu->rate_bias =
      vec3_add(imu->rate_bias, normal3(&sensors->walk_random, share * noise->rate_walk));
  const double keep = sensors->has_passed ? sensors->filter_keep : 0.0;
  pass(&imu->passed[0], in, keep);
  pass(&imu->passed[1], &imu->passed[0], keep);
}

void sim_sensors_step(struct sim_sensors *sensors, const struct sim_truth *truth,
                      const struct motion *velocity, const struct motion *acceleration) {
  if (!sim_sensors_live(sensors)) {
    return;
  }
  sim_drives_step(&sensors->drives, truth);
  for (size_t k = 0; k < sensors->n_imus; k++) {
    const struct imu_triads in = felt(&sensors->imu[k], velocity, acceleration);
    step_imu(sensors, &sensors->imu[k], &in);
  }
  sensors->has_passed = true;
}

vec3 sim_gyro_at_rest(const struct sim_sensors *sensors, const struct pose *X_WL) {
  const struct sim_imu *imu = &sensors->imu[0];
  const vec3 up_L = vec3_from(X_WL->R.m[2]), up_S = mat3_tmul_vec3(&imu->placement.R, up_L);
  return vec3_axpy(imu->rate_bias, STANDARD_GRAVITY, mat3_mul_vec3(&imu->rate_per_force, up_S));
}

/* The next sample of a torque's slow error: white noise through a first-order low-pass that keeps
 * its deviation. */
static double next_slow(struct sim_sensors *sensors, size_t j) {
  const double sd = sensors->joint_noise.effort_coloured, keep = sensors->effort_keep;
  double *x = &sensors->effort_slow[j];
  *x = keep * *x + sqrt(1.0 - keep * keep) * sd * sim_normal(&sensors->slow_random);
  return *x;
}

/* What a converter of this step gives; 0: there is none. */
static double converted(double value, double quantum) {
  return quantum > 0.0 ? quantum * round(value / quantum) : value;
}

static vec3 converted3(vec3 v, double quantum) {
  return (vec3){converted(v.x, quantum), converted(v.y, quantum), converted(v.z, quantum)};
}

void sim_read_joints(struct sim_sensors *sensors, const struct sim_truth *truth,
                     struct joint_sample *out) {
  const struct sim_joint_noise *noise = &sensors->joint_noise;
  for (size_t j = 0; j < truth->n_joints; j++) {
    const double q =
        truth->q[j] + sensors->drives.off[j] + noise->white * sim_normal(&sensors->joint_random);
    out->q[j] = converted(q, noise->quantum);
    out->dq[j] = truth->dq[j] + sensors->drives.dq[j] +
                 noise->velocity_white * sim_normal(&sensors->velocity_random);
    const double tau = sensors->effort_gain[j] * truth->tau[j] +
                       noise->effort_white * sim_normal(&sensors->effort_random) +
                       next_slow(sensors, j);
    out->tau[j] = converted(tau, noise->effort_quantum);
  }
}

static struct imu_triads read_imu(struct sim_sensors *sensors, const struct sim_imu *imu,
                                  const struct motion *velocity,
                                  const struct motion *acceleration) {
  const struct sim_imu_noise *noise = &sensors->imu_noise;
  const struct imu_triads in =
      sensors->filter_keep > 0.0 ? imu->passed[1] : felt(imu, velocity, acceleration);
  const vec3 by_force = mat3_mul_vec3(&imu->rate_per_force, in.specific_force);
  struct imu_triads out = {.specific_force = vec3_add(
                               mat3_mul_vec3(&imu->force_gain, in.specific_force), imu->force_bias),
                           .angular_rate = vec3_add(mat3_mul_vec3(&imu->rate_gain, in.angular_rate),
                                                    vec3_add(imu->rate_bias, by_force))};
  out.specific_force =
      vec3_add(out.specific_force, normal3(&sensors->imu_random, noise->force_white));
  out.angular_rate = vec3_add(out.angular_rate, normal3(&sensors->imu_random, noise->rate_white));
  out.specific_force = converted3(out.specific_force, noise->force_quantum);
  out.angular_rate = converted3(out.angular_rate, noise->rate_quantum);
  return out;
}

void sim_read_imu(struct sim_sensors *sensors, const struct motion *velocity,
                  const struct motion *acceleration, const struct pose *X_WL,
                  struct imu_sample *out) {
  const struct sim_imu_noise *noise = &sensors->imu_noise;
  const mat3 R_WS = mat3_mul(&X_WL->R, &sensors->imu[0].placement.R);
  const struct imu_triads read = read_imu(sensors, &sensors->imu[0], velocity, acceleration);
  out->specific_force = read.specific_force;
  out->angular_rate = read.angular_rate;
  const vec3 tilt = normal3(&sensors->imu_random, noise->orientation_white);
  out->orientation = quat_mul(quat_from_mat3(&R_WS), quat_from_rotation_vector(tilt));
  for (size_t k = 1; k < sensors->n_imus; k++) {
    out->limb[k - 1] = read_imu(sensors, &sensors->imu[k], velocity, acceleration);
  }
}

struct force sim_read_wrench(struct sim_sensors *sensors, size_t k, double t,
                             const struct force *wrench_W, const struct pose *X_WL) {
  const struct sim_wrench_noise *noise = &sensors->wrench_noise;
  const struct pose X_WS = pose_mul(X_WL, &sensors->robot->wrench[k].placement);
  const vec3 moment_W = vec3_sub(wrench_W->ang, vec3_cross(X_WS.p, wrench_W->lin));
  const vec3 moment = mat3_tmul_vec3(&X_WS.R, moment_W),
             force = mat3_tmul_vec3(&X_WS.R, wrench_W->lin);
  struct force read = {.ang = mat3_mul_vec3(&sensors->moment_gain[k], moment),
                       .lin = mat3_mul_vec3(&sensors->force_gain[k], force)};
  read.ang = vec3_add(read.ang, mat3_mul_vec3(&sensors->moment_by_force[k], force));
  read.ang = vec3_add(vec3_add(read.ang, sensors->wrench_bias[k].ang),
                      normal3(&sensors->wrench_random, noise->moment_white));
  read.lin = vec3_add(vec3_add(read.lin, sensors->wrench_bias[k].lin),
                      normal3(&sensors->wrench_random, noise->force_white));
  read.lin.z += noise->force_drift * t;
  return (struct force){converted3(read.ang, noise->moment_quantum),
                        converted3(read.lin, noise->force_quantum)};
}
