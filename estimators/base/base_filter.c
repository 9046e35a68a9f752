#include "base/base_filter.h"

#include <math.h>
#include <string.h>

enum { N = BASE_ERRORS };

static const double MAX_STEP_S = 0.1;
static const double REST_TOLERANCE = 0.2; /* of gravity: more than any accelerometer bias */
static const double START_TILT =
    0.05; /* rad: what an accelerometer bias of half a m/s^2 does to the first tilt */
static const double START_YAW = 1e-3;      /* rad: yaw is ours to choose */
static const double START_VELOCITY = 0.05; /* m/s: nearly at rest */
static const double START_POSITION = 1e-3; /* m: position is ours to choose */
static const double LEAST_SHARE = 0.05; /* of the weight: below, a foot's row is as weak as this */
static const double SMOOTHING = 0.01;   /* of the published NIS, per foot row */
static const double SMALLEST_VARIANCE = 1e-18;
static const double FOOT_PERIOD_S = 1e-3; /* s: sampling to which settings.foot_velocity refers */
static const double UNSEEN = 0.29; /* of a change between two readings: deviation of their mean when
                                    * the change may have come at any instant between them */

struct base_filter_settings base_filter_defaults(void) {
  return (struct base_filter_settings){.gyro_noise = 2e-4,
                                       .accelerometer_noise = 2e-3,
                                       .gyro_walk = 1e-6,
                                       .accelerometer_walk = 1e-4,
                                       .gyro_bias = 3e-3,
                                       .accelerometer_bias = 0.05,
                                       .foot_velocity = 0.1,
                                       .foot_height = 0.005,
                                       .stay_velocity = 0.3,
                                       .orientation = 0.01,
                                       .huber = 2.0};
}

enum status base_filter_init(struct base_filter *filter,
                             const struct base_filter_settings *settings) {
  const double positive[] = {settings->gyro_noise,    settings->accelerometer_noise,
                             settings->gyro_walk,     settings->accelerometer_walk,
                             settings->gyro_bias,     settings->accelerometer_bias,
                             settings->foot_velocity, settings->foot_height,
                             settings->stay_velocity, settings->orientation,
                             settings->huber};
  for (size_t i = 0; i < sizeof(positive) / sizeof(positive[0]); i++) {
    if (!(positive[i] > 0.0 && isfinite(positive[i]))) {
      return STATUS_OUT_OF_RANGE;
    }
  }
  *filter = (struct base_filter){.settings = *settings, .q_WB = QUAT_IDENTITY};
  return STATUS_OK;
}

static double square(double x) {
  return x * x;
}

/* Covariance of a base that has just been found at rest. */
static void start_covariance(struct base_filter *filter) {
  const struct base_filter_settings *s = &filter->settings;
  const mat3 R = base_filter_rotation(filter);
  memset(filter->P, 0, sizeof(filter->P));
  for (int i = 0; i < 3; i++) {
    filter->P[BASE_V + i][BASE_V + i] = square(START_VELOCITY);
    filter->P[BASE_P + i][BASE_P + i] = square(START_POSITION);
    filter->P[BASE_BG + i][BASE_BG + i] = square(s->gyro_bias);
    filter->P[BASE_BA + i][BASE_BA + i] = square(s->accelerometer_bias);
    for (int j = 0; j < 3; j++) { /* yaw, about the world's z in base axes, is known; tilt is not */
      const double up = R.m[2][i] * R.m[2][j];
      filter->P[BASE_THETA + i][BASE_THETA + j] =
          square(START_TILT) * ((i == j) - up) + square(START_YAW) * up;
    }
  }
}

enum status base_filter_start(struct base_filter *filter, vec3 f_B, vec3 omega_B, double yaw,
                              vec3 p_W) {
  const double length = vec3_norm(f_B);
  if (!vec3_is_finite(f_B) || !vec3_is_finite(omega_B) || !isfinite(yaw) || !vec3_is_finite(p_W)) {
    return STATUS_NOT_FINITE;
  }
  if (fabs(length - STANDARD_GRAVITY) > REST_TOLERANCE * STANDARD_GRAVITY) {
    return STATUS_OUT_OF_RANGE;
  }
  /* at rest f_B = R^T (0, 0, g): roll and pitch of the direction that is up */
  const vec3 rpy = {atan2(f_B.y, f_B.z), atan2(-f_B.x, hypot(f_B.y, f_B.z)), yaw};
  const mat3 R = mat3_from_rpy(rpy);
  filter->q_WB = quat_from_mat3(&R);
  filter->v_W = VEC3_ZERO;
  filter->p_W = p_W;
  filter->b_g = omega_B;
  filter->b_a = VEC3_ZERO;
  start_covariance(filter);
  filter->nis = 1.0;
  filter->started = true;
  return STATUS_OK;
}

static void set_block(double A[N][N], int row, int column, const mat3 *B, double scale) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      A[row + i][column + j] = scale * B->m[i][j];
    }
  }
}

/* First order in dt of the errors' motion; rotation errors stand to the right, R_true = R
 * Exp(theta). */
void base_filter_transition(const struct base_filter *filter, vec3 omega_B, vec3 f_B, double dt,
                            double F[N][N]) {
  const mat3 R = base_filter_rotation(filter);
  const vec3 f = vec3_sub(f_B, filter->b_a);
  const quat back = quat_from_rotation_vector(vec3_scale(-dt, vec3_sub(omega_B, filter->b_g)));
  const mat3 turned_back = mat3_from_quat(back), one = MAT3_IDENTITY, Sf = mat3_skew(f),
             RSf = mat3_mul(&R, &Sf);
  memset(F, 0, sizeof(double[N][N]));
  for (int i = 0; i < N; i++) {
    F[i][i] = 1.0;
  }
  set_block(F, BASE_THETA, BASE_THETA, &turned_back, 1.0);
  set_block(F, BASE_THETA, BASE_BG, &one, -dt);
  set_block(F, BASE_V, BASE_THETA, &RSf, -dt);
  set_block(F, BASE_V, BASE_BA, &R, -dt);
  set_block(F, BASE_P, BASE_THETA, &RSf, -0.5 * dt * dt);
  set_block(F, BASE_P, BASE_V, &one, dt);
  set_block(F, BASE_P, BASE_BA, &R, -0.5 * dt * dt);
}

/* P = F P F^T + Q dt */
static void predict_covariance(struct base_filter *filter, const double F[N][N], double dt) {
  const struct base_filter_settings *s = &filter->settings;
  double FP[N][N] = {{0.0}};
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) {
      if (F[i][k] != 0.0) {
        for (int j = 0; j < N; j++) {
          FP[i][j] += F[i][k] * filter->P[k][j];
        }
      }
    }
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0.0;
      for (int k = 0; k < N; k++) {
        sum += FP[i][k] * F[j][k];
      }
      filter->P[i][j] = filter->P[j][i] = sum;
    }
  }
  for (int i = 0; i < 3; i++) {
    filter->P[BASE_THETA + i][BASE_THETA + i] += square(s->gyro_noise) * dt;
    filter->P[BASE_V + i][BASE_V + i] += square(s->accelerometer_noise) * dt;
    filter->P[BASE_BG + i][BASE_BG + i] += square(s->gyro_walk) * dt;
    filter->P[BASE_BA + i][BASE_BA + i] += square(s->accelerometer_walk) * dt;
  }
}

enum status base_filter_predict(struct base_filter *filter, vec3 omega_B, vec3 f_B, double dt) {
  if (!vec3_is_finite(omega_B) || !vec3_is_finite(f_B)) {
    return STATUS_NOT_FINITE;
  }
  if (!(dt > 0.0 && dt <= MAX_STEP_S)) {
    return STATUS_OUT_OF_RANGE;
  }
  double F[N][N];
  filter->step_s = dt;
  base_filter_transition(filter, omega_B, f_B, dt, F);
  predict_covariance(filter, F, dt);
  const vec3 turn = vec3_scale(dt, vec3_sub(omega_B, filter->b_g));
  /* the force acts in the attitude of the interval's middle */
  const quat half = quat_mul(filter->q_WB, quat_from_rotation_vector(vec3_scale(0.5, turn)));
  const mat3 R = mat3_from_quat(half);
  vec3 a = mat3_mul_vec3(&R, vec3_sub(f_B, filter->b_a));
  a.z -= STANDARD_GRAVITY;
  filter->p_W = vec3_axpy(vec3_axpy(filter->p_W, dt, filter->v_W), 0.5 * dt * dt, a);
  filter->v_W = vec3_axpy(filter->v_W, dt, a);
  filter->q_WB = quat_normalized(quat_mul(filter->q_WB, quat_from_rotation_vector(turn)));
  return STATUS_OK;
}

void base_filter_blur(struct base_filter *filter, vec3 omega_change, vec3 f_change, double dt) {
  const double turn = UNSEEN * UNSEEN * dt * dt * vec3_dot(omega_change, omega_change),
               push = UNSEEN * UNSEEN * dt * dt * vec3_dot(f_change, f_change);
  for (int i = 0; i < 3; i++) {
    filter->P[BASE_THETA + i][BASE_THETA + i] += turn;
    filter->P[BASE_V + i][BASE_V + i] += push;
  }
}

void base_filter_nudge(struct base_filter *filter, vec3 turn_B, vec3 push_B) {
  const mat3 R = base_filter_rotation(filter);
  filter->v_W = vec3_add(filter->v_W, mat3_mul_vec3(&R, push_B));
  filter->q_WB = quat_normalized(quat_mul(filter->q_WB, quat_from_rotation_vector(turn_B)));
}

/* Puts an error into the state. */
static void correct(struct base_filter *filter, const double x[N]) {
  filter->q_WB =
      quat_normalized(quat_mul(filter->q_WB, quat_from_rotation_vector(vec3_from(x + BASE_THETA))));
  filter->v_W = vec3_add(filter->v_W, vec3_from(x + BASE_V));
  filter->p_W = vec3_add(filter->p_W, vec3_from(x + BASE_P));
  filter->b_g = vec3_add(filter->b_g, vec3_from(x + BASE_BG));
  filter->b_a = vec3_add(filter->b_a, vec3_from(x + BASE_BA));
}

/* A covariance that rounding has spoilt begins again, wide. */
static void guard(struct base_filter *filter) {
  for (int i = 0; i < N; i++) {
    if (!(filter->P[i][i] > 0.0 && isfinite(filter->P[i][i]))) {
      start_covariance(filter);
      filter->repairs++;
      return;
    }
  }
}

/* One scalar row after the other, with independent noise: innovation `e`, variance `r`. The error
 * is collected in `x`, which later rows of one measurement must see. Returns e^2 / s before any
 * weighting. */
static double row_update(struct base_filter *filter, const double h[N], double e, double r,
                         double weight, double x[N]) {
  double Ph[N], hPh = 0.0;
  for (int i = 0; i < N; i++) {
    Ph[i] = 0.0;
    for (int j = 0; j < N; j++) {
      Ph[i] += filter->P[i][j] * h[j];
    }
  }
  for (int i = 0; i < N; i++) {
    hPh += h[i] * Ph[i];
    e -= h[i] * x[i];
  }
  const double nis = e * e / (hPh + r);
  const double s = hPh + r / weight;
  for (int i = 0; i < N; i++) {
    const double k = Ph[i] / s;
    x[i] += k * e;
    for (int j = 0; j < N; j++) {
      filter->P[i][j] -= k * Ph[j];
    }
  }
  for (int i = 0; i < N; i++) {
    filter->P[i][i] = fmax(filter->P[i][i], SMALLEST_VARIANCE);
  }
  return nis;
}

/* Huber's weight of a measurement of `rows` rows: its noise is inflated until the innovation is as
 * likely as its bound. */
static double huber_weight(struct base_filter *filter, const double H[][N], const vec3 e,
                           double r) {
  const double innovation[3] = {e.x, e.y, e.z};
  double d2 = 0.0;
  for (int row = 0; row < 3; row++) {
    double s = r;
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        s += H[row][i] * filter->P[i][j] * H[row][j];
      }
    }
    d2 += square(innovation[row]) / s;
  }
  const double bound = filter->settings.huber * sqrt(3.0), d = sqrt(d2);
  if (d <= bound) {
    return 1.0;
  }
  filter->downweighted++;
  return bound / d;
}

/* Zero world velocity of the sole, in base axes: R^T v + (omega - b_g) x x + dx = 0. */
void base_filter_foot_rows(const struct base_filter *filter, vec3 omega_B, vec3 x_B, vec3 dx_B,
                           vec3 *predicted, double H[3][N]) {
  const mat3 R = base_filter_rotation(filter);
  const vec3 v_B = mat3_tmul_vec3(&R, filter->v_W);
  const mat3 Sv = mat3_skew(v_B), Sx = mat3_skew(x_B);
  *predicted = vec3_add(vec3_add(v_B, vec3_cross(vec3_sub(omega_B, filter->b_g), x_B)), dx_B);
  memset(H, 0, sizeof(double[3][N]));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      H[i][BASE_THETA + j] = Sv.m[i][j];
      H[i][BASE_V + j] = R.m[j][i];
      H[i][BASE_BG + j] = Sx.m[i][j];
    }
  }
}

static double update3(struct base_filter *filter, const double H[3][N], vec3 e, double r) {
  double x[N] = {0.0};
  const double weight = huber_weight(filter, H, e, r);
  double nis = row_update(filter, H[0], e.x, r, weight, x);
  nis += row_update(filter, H[1], e.y, r, weight, x);
  nis += row_update(filter, H[2], e.z, r, weight, x);
  correct(filter, x);
  guard(filter);
  return nis;
}

double base_filter_foot(struct base_filter *filter, vec3 omega_B, vec3 x_B, vec3 dx_B,
                        double share) {
  double H[3][N];
  vec3 predicted;
  base_filter_foot_rows(filter, omega_B, x_B, dx_B, &predicted, H);
  /* how a foot rolls does not change from sample to sample: fewer of them say as much */
  const double r = square(filter->settings.foot_velocity) * FOOT_PERIOD_S /
                   (fmax(filter->step_s, FOOT_PERIOD_S) * fmax(share, LEAST_SHARE));
  const double nis = update3(filter, H, vec3_neg(predicted), r);
  filter->nis += SMOOTHING * (nis / 3.0 - filter->nis);
  return nis;
}

void base_filter_height(struct base_filter *filter, vec3 x_B, double z) {
  const mat3 R = base_filter_rotation(filter);
  const vec3 up_B = vec3_from(R.m[2]);
  /* z of p + R x; a rotation error theta moves it by up . (theta x x) = theta . (x x up) */
  const vec3 by_theta = vec3_cross(x_B, up_B);
  double h[N] = {0.0}, x[N] = {0.0};
  vec3_to(by_theta, h + BASE_THETA);
  h[BASE_P + 2] = 1.0;
  const double predicted = filter->p_W.z + vec3_dot(up_B, x_B);
  row_update(filter, h, z - predicted, square(filter->settings.foot_height), 1.0, x);
  correct(filter, x);
  guard(filter);
}

void base_filter_stay(struct base_filter *filter) {
  double H[3][N] = {{0.0}};
  for (int i = 0; i < 3; i++) {
    H[i][BASE_V + i] = 1.0;
  }
  update3(filter, H, vec3_neg(filter->v_W), square(filter->settings.stay_velocity));
}

void base_filter_orientation(struct base_filter *filter, quat q_WB) {
  const quat back = {-filter->q_WB.x, -filter->q_WB.y, -filter->q_WB.z, filter->q_WB.w};
  double H[3][N] = {{0.0}};
  for (int i = 0; i < 3; i++) {
    H[i][BASE_THETA + i] = 1.0;
  }
  update3(filter, H, quat_to_rotation_vector(quat_mul(back, q_WB)),
          square(filter->settings.orientation));
}

double base_filter_tilt_sd(const struct base_filter *filter) {
  /* rotation errors about the world's x and y: rows of R against the block of P */
  const mat3 R = base_filter_rotation(filter);
  double largest = 0.0;
  for (int axis = 0; axis < 2; axis++) {
    double variance = 0.0;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        variance += R.m[axis][i] * filter->P[BASE_THETA + i][BASE_THETA + j] * R.m[axis][j];
      }
    }
    largest = fmax(largest, variance);
  }
  return sqrt(largest);
}
