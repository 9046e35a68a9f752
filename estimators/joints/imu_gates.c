#include "joints/imu_gates.h"

#include "joints/joint_base.h"
#include "joints/joint_doubt.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_knock.h"
#include "joints/stance_witness.h"
#include "model/motion.h"
#include "numerics/dense_matrix.h"
#include "numerics/matrix_cholesky.h"
#include "process/base_process.h"

#include <math.h>
#include <string.h>

/* Readings of an IMU tell noise from motion when they are no further apart, s. */
static const double FOLLOWS_S = 3e-3;

/* One reading counts no more than that, times usual, for how noisy an axis is: what noise does
 * until it is noticed the base is thought to do. */
static const double READING_COUNTS = 9.0;
/* Noise is noticed after so many readings. */
static const double NOTICED = 8.0;
/* What rests reads a bias that is so many deviations from what was known: that was wrong. */
static const double WRONG = 3.0;

/* A gyro that has told nothing for so long comes back, and for how long it has, ns. */
static const int64_t UNTOLD_NS = 5000000, BACK_NS = 10000000;

static double or_zero(double value) {
  return isfinite(value) ? value : 0.0;
}

/* Reading less expectation in base axes; an axis that is not given is as expected. */
static vec3 innovation_of(const struct pose *imu, vec3 reading, vec3 expected_B) {
  const vec3 off = vec3_sub(reading, mat3_tmul_vec3(&imu->R, expected_B));
  return mat3_mul_vec3(&imu->R, (vec3){or_zero(off.x), or_zero(off.y), or_zero(off.z)});
}

/* Variance of the sum of states at a, b and less that at c (none: a), upper triangle of P. */
static double sum_variance(const struct joint_layout *l, const double *P, size_t a, size_t b,
                           size_t c) {
  const double *row_a = P + a * l->stride, *row_b = P + b * l->stride, *row_c = P + c * l->stride;
  const double both = row_a[a] + row_b[b] + 2.0 * row_a[b];
  return c == a ? both : both + row_c[c] - 2.0 * row_a[c] - 2.0 * row_c[b];
}

/* One triad's reading against what was expected, base axes. */
struct imu_surprise {
  vec3 expected, innovation; /* rad/s or m/s^2 */
  double nis;                /* normalised innovation squared per axis */
  double lively;             /* the same, as if how the base's turning changes were known */
  vec3 open;                 /* what it opens (joint_jump.h's rule for one number) */
};

/* Takes one axis: `expected` is the variance of its innovation. Returns what it opens. */
static double weigh(struct imu_surprise *s, double innovation, double expected) {
  const double square = innovation * innovation;
  s->nis += square / expected / 3.0;
  return square > JUMP_GATE * expected ? square - expected : 0.0;
}

/* `variance`: along the base's axes, without the reading's noise. */
static struct imu_surprise surprise_of(vec3 innovation, vec3 expected, const double variance[3],
                                       double sd) {
  struct imu_surprise s = {.expected = expected, .innovation = innovation};
  double v[3], open[3];
  vec3_to(innovation, v);
  for (int i = 0; i < 3; i++) {
    open[i] = weigh(&s, v[i], variance[i] + sd * sd);
  }
  s.open = vec3_from(open);
  s.lively = s.nis;
  return s;
}

static struct imu_surprise ask_gyro(const struct joint_filter *f, const struct instant *now) {
  const struct joint_layout *l = &f->layout;
  double variance[3];
  for (size_t i = 0; i < 3; i++) {
    variance[i] = sum_variance(l, now->P, l->omega + i, l->gyro_bias + i, l->omega + i);
  }
  const vec3 expected = vec3_add(vec3_from(now->x + l->omega), vec3_from(now->x + l->gyro_bias));
  return surprise_of(innovation_of(&f->imu, now->rate, expected), expected, variance,
                     f->imu_sd[IMU_GYRO]);
}

static struct imu_surprise ask_accelerometer(const struct joint_filter *f,
                                             const struct instant *now) {
  const struct joint_layout *l = &f->layout;
  const double at_arm = f->judge.triad[IMU_GYRO].convicted ? joint_base_untold_arm(f, now->P) : 0.0;
  struct motion a = {vec3_from(now->x + l->omegadot), vec3_from(now->x + l->force)};
  double variance[3];
  for (size_t i = 0; i < 3; i++) {
    const size_t bias = l->biases > 0 ? l->bias_lin + i : l->force + i;
    variance[i] = sum_variance(l, now->P, l->force + i, l->accelerometer_bias + i, bias) + at_arm;
  }
  if (l->biases > 0) {
    a.lin = vec3_sub(a.lin, vec3_from(now->x + l->bias_lin));
  }
  const vec3 expected = vec3_add(point_acceleration(&a, vec3_from(now->x + l->omega), f->imu.p),
                                 vec3_from(now->x + l->accelerometer_bias));
  return surprise_of(innovation_of(&f->imu, now->force, expected), expected, variance,
                     f->imu_sd[IMU_ACCELEROMETER]);
}

/* Variance of a row by how the base's turning changes. */
static double by_turning(const struct joint_filter *f, size_t row, const double *P) {
  const struct joint_layout *l = &f->layout;
  const size_t first = row * f->rows.terms_max;
  double by[3] = {0.0}, sum = 0.0;
  for (size_t t = first; t < first + f->rows.terms[row]; t++) {
    const size_t state = f->rows.state[t];
    if (state >= l->omegadot && state < l->omegadot + l->base) {
      by[state - l->omegadot] += f->rows.h[t];
    }
  }
  for (size_t i = 0; i < l->base; i++) {
    for (size_t k = 0; k < l->base; k++) {
      sum += by[i] * by[k] * joint_process_upper(l, P, l->omegadot + i, l->omegadot + k);
    }
  }
  return sum;
}

/* Variances along the IMU's axes, along the base's. */
static vec3 along_base(const struct joint_filter *f, const double variance[3]) {
  double along[3] = {0.0};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      along[i] += f->imu.R.m[i][k] * f->imu.R.m[i][k] * variance[k];
    }
  }
  return vec3_from(along);
}

/* The same of an IMU on another link, by its rows from `row` on, one for each axis that is given.
 * Returns where they end. */
static size_t ask_rows(const struct joint_filter *f, size_t row, vec3 reading, double sd,
                       const double *P, struct imu_surprise *s) {
  const struct row_update *rows = &f->rows;
  double read[3], off[3], gained[3];
  *s = (struct imu_surprise){.nis = 0.0};
  vec3_to(reading, read);
  for (int i = 0; i < 3; i++) {
    const bool given = isfinite(read[i]) && row < rows->rows;
    off[i] = given ? sd * rows->nu[row] : 0.0;
    gained[i] = 0.0;
    if (given) {
      const double nu = rows->nu[row], whole = rows->Pyy[row * (matrix_stride(rows->rows_max) + 1)];
      gained[i] = weigh(s, off[i], sd * sd * whole);
      s->lively += nu * nu / fmax(whole - by_turning(f, row, P), 1.0) / 3.0; /* 1: its noise */
    }
    read[i] = given ? read[i] - off[i] : 0.0;
    row += given;
  }
  s->expected = mat3_mul_vec3(&f->imu.R, vec3_from(read));
  s->innovation = mat3_mul_vec3(&f->imu.R, vec3_from(off));
  s->open = along_base(f, gained);
  return row;
}

/* The IMU's rows by themselves, and how far they may be off. */
static void expect_imu(struct joint_filter *f, const struct instant *now) {
  row_update_begin(&f->rows);
  joint_base_add_imu(f, now, now->x, now->P);
  row_update_expect(&f->rows, now->P);
}

static void ask(struct joint_filter *f, const struct instant *now,
                struct imu_surprise felt[IMU_TRIADS]) {
  if (f->robot->imu_link == 0) {
    felt[IMU_GYRO] = ask_gyro(f, now);
    felt[IMU_ACCELEROMETER] = ask_accelerometer(f, now);
    return;
  }
  expect_imu(f, now);
  const size_t row = ask_rows(f, 0, now->rate, f->imu_sd[IMU_GYRO], now->P, &felt[IMU_GYRO]);
  const double force_sd = joint_base_force_sd(f, now, now->P);
  (void)ask_rows(f, row, now->force, force_sd, now->P, &felt[IMU_ACCELEROMETER]);
}

static double sum_of(vec3 v) {
  return v.x + v.y + v.z;
}

/* What is all but impossible is a blow; a triad that is not believed feels none, one that is
 * noisier than it is said to be none that noise hides. */
static void feel_blow(struct joint_filter *f, struct instant *now,
                      const struct imu_surprise felt[IMU_TRIADS]) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_judged_ns);
  const struct triad_judge *triad = f->judge.triad;
  double turn = 0.0, push = 0.0;
  if (!triad[IMU_GYRO].convicted && dt > 0.0) {
    turn = sum_of(felt[IMU_GYRO].open) / (dt * dt);
  }
  if (!triad[IMU_ACCELEROMETER].convicted) {
    push = sum_of(felt[IMU_ACCELEROMETER].open);
  }
  aftershock_feel(&f->aftershock, push, turn);
  const double told = f->settings.accelerometer_noise, sd = f->imu_sd[IMU_ACCELEROMETER];
  if (f->imu_judged_ns > 0 && sd > told && dt > 0.0 && dt < f->settings.timeout_s) {
    joint_knock_unfelt(f, JUMP_GATE * (sd * sd - told * told), dt);
  }
  if (f->imu_judged_ns > 0 && f->settings.adapt_density) {
    joint_knock(f, now, (struct blow){.square = push, .lasts = dt});
  }
}

/* One triad: taken or left out. Returns what the next has still to tell a blow from a broken word
 * of. */
static vec3 judge_triad(struct joint_filter *f, struct instant *now, enum imu_triad triad,
                        const struct imu_surprise *felt, vec3 *reading) {
  now->imu_nis = fmax(now->imu_nis, felt->nis);
  const enum imu_verdict verdict =
      imu_judge_reading(&f->judge, triad, now->t_ns, felt->nis, felt->expected, felt->innovation);
  if (verdict == IMU_ANEW) {
    joint_doubt_bias(f, now, triad);
  } else if (verdict == IMU_LEAVE) {
    *reading = (vec3){(double)NAN, (double)NAN, (double)NAN};
    f->counters.imu_rejected++;
    f->imu_refused = true;
  }
  const bool waits = verdict == IMU_LEAVE && !f->judge.triad[triad].convicted;
  return waits ? felt->innovation : VEC3_ZERO;
}

/* How lively the base is shows in what its IMU adds to the prediction, while it is believed. At a
 * long arm whatever pushes could be a turn that changes, and the livelier that seemed the less was
 * left of the push: only what no turn accounts for tells of that. Nor is a push calm that passes
 * for the turning that a noisy gyro seems to tell. */
static void learn_liveliness(struct joint_filter *f, const struct instant *now,
                             const struct imu_surprise felt[IMU_TRIADS]) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_judged_ns);
  const bool learns = f->settings.adapt_density && f->imu_judged_ns > 0;
  const bool noisy = f->imu_sd[IMU_GYRO] > f->settings.gyro_noise;
  for (size_t i = 0; i < IMU_TRIADS; i++) {
    if (learns && dt < f->settings.timeout_s && !f->judge.triad[i].convicted) {
      const bool hides = noisy && i == IMU_ACCELEROMETER;
      base_liveliness_step(&f->liveliness[i], hides ? fmax(felt[i].lively, 1.0) : felt[i].lively,
                           dt);
    }
  }
  f->imu_judged_ns = now->t_ns;
}

/* Whether the base rests, by readings as they came: before any of them is left out. */
static void watch_rest(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  const mat3 axes = joint_filter_bias_axes(f);
  const vec3 bias = mat3_mul_vec3(&axes, vec3_from(now->x + l->gyro_bias));
  const struct base_known known = {
      .gyro_bias = mat3_tmul_vec3(&f->imu.R, bias),
      .gyro_bias_sd = joint_process_worst_sd(l, now->P, l->gyro_bias),
      .gyro_bias_start_sd = f->settings.base.gyro_bias,
      .speed = vec3_norm(vec3_from(now->x + l->velocity)),
      .speed_sd = joint_process_worst_sd(l, now->P, l->velocity),
  };
  base_rest_step(&f->rest, now->rate, now->force, f->settings.gyro_noise,
                 f->settings.accelerometer_noise, 1e-9 * (double)(now->t_ns - f->imu_judged_ns));
  f->rest.shaken = f->rest.shaken && !joint_feet_stand(f, now);
  const bool rested = f->rest.rests;
  const double off = vec3_norm(vec3_sub(f->rest.rate, known.gyro_bias));
  now->rests = base_rest_is(&f->rest, &known);
  if (now->rests && !rested && off > WRONG * known.gyro_bias_sd) {
    joint_doubt_resting(f, now, off);
  }
}

/* Whether it reads that something pulls the base down, or carries it. */
static void watch_pull(struct joint_filter *f, const struct instant *now) {
  const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
  const vec3 read_B = mat3_mul_vec3(&f->imu.R, now->force);
  if (f->base_started) {
    imu_pull_read(&f->pull, vec3_dot(vec3_from(R_WB.m[2]), read_B), now->t_ns);
  }
}

/* How noisy a triad is: as its noisiest axis. */
static double noise_of(struct sensor_scatter *scatter, vec3 reading, double dt, double told) {
  double v[3], sd = told;
  vec3_to(reading, v);
  for (int i = 0; i < 3; i++) {
    sd = fmax(sd, sensor_scatter_next(&scatter[i], v[i], dt, told, READING_COUNTS));
  }
  return sd;
}

/* What a triad told until its noise was noticed has passed for motion. */
static void notice_noise(struct joint_filter *f, struct instant *now, enum imu_triad triad,
                         double told, double sd, double dt) {
  double *most = &f->most_sd[triad];
  if (sd > *most && f->skin_ready) {
    joint_doubt_noisy(f, now, triad, sd / *most, NOTICED * dt);
  }
  *most = sd > told ? fmax(sd, *most) : told;
  f->imu_sd[triad] = sd;
}

/* The IMU's noise as it is, by readings as they came; those of a slow one follow the motion no more
 * closely than noise. */
static void watch_noise(struct joint_filter *f, struct instant *now) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_read_ns);
  const double told[IMU_TRIADS] = {f->settings.gyro_noise, f->settings.accelerometer_noise};
  const vec3 reading[IMU_TRIADS] = {now->rate, now->force};
  f->imu_read_ns = now->t_ns;
  f->imu_follows = dt < FOLLOWS_S;
  if (!f->imu_follows) {
    memset(f->imu_scatter, 0, sizeof(f->imu_scatter));
  }
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    const double sd = noise_of(f->imu_scatter[t], reading[t], dt, told[t]);
    notice_noise(f, now, (enum imu_triad)t, told[t], sd, dt);
  }
}

void imu_gates_step(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  struct imu_surprise felt[IMU_TRIADS];
  f->imu_refused = false;
  aftershock_miss(&f->aftershock, VEC3_ZERO, VEC3_ZERO);
  if (f->base_imu) {
    watch_noise(f, now);
  }
  if (!f->base_imu || !f->skin_ready) {
    return;
  }
  if (!imu_judge_tries(&f->judge, now->t_ns)) {
    f->judge.gyro_bias = vec3_from(now->x + l->gyro_bias);
    f->judge.accelerometer_bias = vec3_from(now->x + l->accelerometer_bias);
    stance_note(&f->stance, l, now->x);
  }
  ask(f, now, felt);
  const struct imu_surprise *rate = &felt[IMU_GYRO], *force = &felt[IMU_ACCELEROMETER];
  const double nis[IMU_TRIADS] = {[IMU_GYRO] = rate->nis, [IMU_ACCELEROMETER] = force->nis};
  if (unfelt_turn_next(&f->unfelt_turn, now->t_ns, nis, rate->innovation) &&
      joint_feet_soles_stand(f, now) && !f->judge.triad[IMU_GYRO].convicted) {
    imu_judge_refuse_jump(&f->judge, IMU_GYRO, f->unfelt_turn.jump, now->t_ns);
    joint_doubt_turn(f, now, vec3_norm(f->unfelt_turn.jump));
  }
  watch_rest(f, now);
  watch_pull(f, now);
  feel_blow(f, now, felt);
  learn_liveliness(f, now, felt);
  const vec3 missed_rate = judge_triad(f, now, IMU_GYRO, rate, &now->rate),
             missed_force = judge_triad(f, now, IMU_ACCELEROMETER, force, &now->force);
  aftershock_miss(&f->aftershock, missed_rate, missed_force);
  if (vec3_largest(force->innovation) > STRIKE && !f->imu_refused) {
    f->struck_ns = now->t_ns;
  }
}

static vec3 squares(vec3 v) {
  return (vec3){v.x * v.x, v.y * v.y, v.z * v.z};
}

/* A rate that goes on changing unseen for two readings is not what the accelerometer says of its
 * derivative: what that feels of it at its arm was taken for force, or force for that. */
static vec3 mistaken_force(vec3 before, vec3 now, vec3 arm, double dt) {
  const vec3 a = squares(arm);
  const vec3 rate = {before.x > 0.0 ? now.x : 0.0, before.y > 0.0 ? now.y : 0.0,
                     before.z > 0.0 ? now.z : 0.0};
  const vec3 felt = {rate.y * a.z + rate.z * a.y, rate.z * a.x + rate.x * a.z,
                     rate.x * a.y + rate.y * a.x};
  return vec3_scale(dt > 0.0 ? 1.0 / (dt * dt) : 0.0, felt);
}

static vec3 larger(vec3 a, vec3 b) {
  return (vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

static size_t axes_told(vec3 reading) {
  return (size_t)isfinite(reading.x) + (size_t)isfinite(reading.y) + (size_t)isfinite(reading.z);
}

/* What opens of the force once the gyro's readings are known: with Pyy = C C^T and e = C^-1 nu, the
 * gyro's rows first, what the others are beyond those is their own part of C e. After a silence how
 * the base turns, and what is felt of that at the arm, may be anything; the second reading tells
 * both, and neither alone would be surprised. */
static vec3 force_beyond_turn(struct joint_filter *f, const struct instant *now) {
  struct row_update *rows = &f->rows;
  const size_t stride = matrix_stride(rows->rows_max), turn = axes_told(now->rate),
               all = turn + axes_told(now->force);
  double force[3], e[2 * 3], gained[3] = {0.0};
  if (f->robot->imu_link == 0) {
    expect_imu(f, now); /* of one elsewhere they are there */
  }
  if (rows->rows < all || !matrix_cholesky(rows->Pyy, stride, all, 0.0)) {
    return VEC3_ZERO;
  }
  memcpy(e, rows->nu, all * sizeof(*e));
  matrix_solve_transposed(rows->Pyy, stride, all, e);
  vec3_to(now->force, force);
  const double noise = joint_base_force_sd(f, now, now->P);
  for (size_t i = 0, row = turn; i < 3; i++) {
    double off = 0.0, variance = 0.0;
    for (size_t k = turn; k <= row && isfinite(force[i]); k++) {
      const double c = rows->Pyy[k * stride + row];
      off += c * e[k];
      variance += c * c;
    }
    gained[i] = off * off > JUMP_GATE * variance ? noise * noise * (off * off - variance) : 0.0;
    row += isfinite(force[i]);
  }
  return along_base(f, gained);
}

/* Whether the gyro has just come back, while the IMU went on: nobody has known how the base turns.
 * Notes when it did. */
static bool comes_back(struct joint_filter *f, const struct instant *now) {
  if (axes_told(now->rate) == 0 || !f->imu_follows) {
    return false;
  }
  f->back_ns = now->t_ns - f->rate_ns > UNTOLD_NS ? now->t_ns : f->back_ns;
  const int64_t since_ns = now->t_ns - f->back_ns;
  return since_ns >= 0 && since_ns < BACK_NS;
}

void imu_gates_open(struct joint_filter *f, const struct instant *before, struct instant *now,
                    double dt) {
  struct imu_surprise felt[IMU_TRIADS];
  if (!f->base_imu || !f->skin_ready || !f->settings.adapt_density) {
    return;
  }
  ask(f, now, felt);
  now->open_rate = felt[IMU_GYRO].open;
  vec3 force = felt[IMU_ACCELEROMETER].open;
  if (comes_back(f, now)) { /* all that is new may be so only now: of what was it says nothing */
    now->open_rate = squares(felt[IMU_GYRO].innovation);
    force = squares(felt[IMU_ACCELEROMETER].innovation);
  }
  if (f->imu_follows) {
    force = larger(force, force_beyond_turn(f, now));
  }
  now->open_force =
      vec3_add(force, mistaken_force(before->open_rate, now->open_rate, f->imu.p, dt));
}
