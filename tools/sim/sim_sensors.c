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
  DRAW_SLOW
};

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

void sim_sensors_init(struct sim_sensors *sensors, const struct sim_options *options) {
  struct sim_random random = sim_random_from(options->seed, DRAW_CONSTANTS);
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
      .effort_keep = slow_share(options),
      .imu_placement = placed_imu(options, &options->robot->imu_placement),
  };
  const struct sim_imu_noise *imu = &options->imu;
  sensors->force_bias = vec3_add(imu->force_offset, normal3(&random, imu->force_bias));
  sensors->rate_bias = vec3_add(imu->rate_offset, normal3(&random, imu->rate_bias));
  for (size_t k = 0; k < options->robot->n_limbs; k++) {
    sensors->limb_placement[k] = placed_imu(options, &options->robot->limb[k].placement);
    sensors->limb_bias[k].specific_force =
        vec3_add(imu->force_offset, normal3(&random, imu->force_bias));
    sensors->limb_bias[k].angular_rate =
        vec3_add(imu->rate_offset, normal3(&random, imu->rate_bias));
  }
  for (size_t k = 0; k < ROBOT_MAX_WRENCH; k++) {
    sensors->wrench_bias[k].ang = normal3(&random, options->wrench.moment_bias);
    sensors->wrench_bias[k].lin = normal3(&random, options->wrench.force_bias);
  }
  for (size_t j = 0; j < MODEL_MAX_JOINTS; j++) {
    sensors->effort_gain[j] = 1.0 + options->joints.effort_gain * sim_normal(&random);
    sensors->effort_slow[j] = options->joints.effort_coloured * sim_normal(&sensors->slow_random);
  }
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
    const double q = truth->q[j] + noise->white * sim_normal(&sensors->joint_random);
    out->q[j] = converted(q, noise->quantum);
    out->dq[j] = truth->dq[j] + noise->velocity_white * sim_normal(&sensors->velocity_random);
    const double tau = sensors->effort_gain[j] * truth->tau[j] +
                       noise->effort_white * sim_normal(&sensors->effort_random) +
                       next_slow(sensors, j);
    out->tau[j] = converted(tau, noise->effort_quantum);
  }
}

/* What an IMU at `X_LS` of a link feels that moves so, without its errors. */
static struct imu_triads felt(const struct pose *X_LS, const struct motion *velocity,
                              const struct motion *acceleration) {
  const vec3 f_L = point_acceleration(acceleration, velocity->ang, X_LS->p);
  return (struct imu_triads){.specific_force = mat3_tmul_vec3(&X_LS->R, f_L),
                             .angular_rate = mat3_tmul_vec3(&X_LS->R, velocity->ang)};
}

static struct imu_triads with_errors(struct sim_sensors *sensors, struct imu_triads imu,
                                     vec3 force_bias, vec3 rate_bias) {
  const struct sim_imu_noise *noise = &sensors->imu_noise;
  imu.specific_force = vec3_add(vec3_add(imu.specific_force, force_bias),
                                normal3(&sensors->imu_random, noise->force_white));
  imu.angular_rate = vec3_add(vec3_add(imu.angular_rate, rate_bias),
                              normal3(&sensors->imu_random, noise->rate_white));
  imu.specific_force = converted3(imu.specific_force, noise->force_quantum);
  imu.angular_rate = converted3(imu.angular_rate, noise->rate_quantum);
  return imu;
}

void sim_read_imu(struct sim_sensors *sensors, const struct motion *velocity,
                  const struct motion *acceleration, const struct pose *X_WL,
                  struct imu_sample *out) {
  const struct sim_imu_noise *noise = &sensors->imu_noise;
  const struct pose *X_LS = &sensors->imu_placement;
  const size_t link = sensors->robot->imu_link;
  const mat3 R_WS = mat3_mul(&X_WL->R, &X_LS->R);
  const struct imu_triads first = felt(X_LS, &velocity[link], &acceleration[link]);
  const struct imu_triads read =
      with_errors(sensors, first, sensors->force_bias, sensors->rate_bias);
  out->specific_force = read.specific_force;
  out->angular_rate = read.angular_rate;
  const vec3 tilt = normal3(&sensors->imu_random, noise->orientation_white);
  out->orientation = quat_mul(quat_from_mat3(&R_WS), quat_from_rotation_vector(tilt));
  for (size_t k = 0; k < sensors->robot->n_limbs; k++) {
    const size_t on = sensors->robot->limb[k].link;
    const struct imu_triads limb =
        felt(&sensors->limb_placement[k], &velocity[on], &acceleration[on]);
    out->limb[k] = with_errors(sensors, limb, sensors->limb_bias[k].specific_force,
                               sensors->limb_bias[k].angular_rate);
  }
}

struct force sim_read_wrench(struct sim_sensors *sensors, size_t k, double t,
                             const struct force *wrench_W, const struct pose *X_WL) {
  const struct sim_wrench_noise *noise = &sensors->wrench_noise;
  const struct pose X_WS = pose_mul(X_WL, &sensors->robot->wrench[k].placement);
  const vec3 moment_W = vec3_sub(wrench_W->ang, vec3_cross(X_WS.p, wrench_W->lin));
  struct force read = {mat3_tmul_vec3(&X_WS.R, moment_W), mat3_tmul_vec3(&X_WS.R, wrench_W->lin)};
  read.ang = vec3_add(vec3_add(read.ang, sensors->wrench_bias[k].ang),
                      normal3(&sensors->wrench_random, noise->moment_white));
  read.lin = vec3_add(vec3_add(read.lin, sensors->wrench_bias[k].lin),
                      normal3(&sensors->wrench_random, noise->force_white));
  read.lin.z += noise->force_drift * t;
  return (struct force){converted3(read.ang, noise->moment_quantum),
                        converted3(read.lin, noise->force_quantum)};
}
