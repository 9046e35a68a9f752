#include "joints/imu_surprise.h"

#include "joints/joint_base.h"
#include "joints/joint_filter_core.h"
#include "model/motion.h"
#include "numerics/dense_matrix.h"
#include "numerics/matrix_cholesky.h"

#include <math.h>
#include <string.h>

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
                     f->noise.sd[IMU_GYRO]);
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
                     f->noise.sd[IMU_ACCELEROMETER]);
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

void imu_surprise_ask(struct joint_filter *f, const struct instant *now,
                      struct imu_surprise felt[IMU_TRIADS]) {
  if (f->robot->imu_link == 0) {
    felt[IMU_GYRO] = ask_gyro(f, now);
    felt[IMU_ACCELEROMETER] = ask_accelerometer(f, now);
    return;
  }
  expect_imu(f, now);
  const size_t row = ask_rows(f, 0, now->rate, f->noise.sd[IMU_GYRO], now->P, &felt[IMU_GYRO]);
  const double force_sd = joint_base_force_sd(f, now, now->P);
  (void)ask_rows(f, row, now->force, force_sd, now->P, &felt[IMU_ACCELEROMETER]);
}

size_t imu_axes_told(vec3 reading) {
  return (size_t)isfinite(reading.x) + (size_t)isfinite(reading.y) + (size_t)isfinite(reading.z);
}

/* With Pyy = C C^T and e = C^-1 nu, the gyro's rows first, what the others are beyond those is
 * their own part of C e. */
vec3 imu_surprise_beyond_turn(struct joint_filter *f, const struct instant *now) {
  struct row_update *rows = &f->rows;
  const size_t stride = matrix_stride(rows->rows_max), turn = imu_axes_told(now->rate),
               all = turn + imu_axes_told(now->force);
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
