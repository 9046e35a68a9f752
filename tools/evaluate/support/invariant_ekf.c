#include "support/invariant_ekf.h"

#include "body/frames.h"
#include "body/jacobian.h"
#include "common/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = INVARIANT_STATES, XI_R = 0, XI_V = 3, XI_P = 6, XI_D = 9 };
enum { GYRO_BIAS = N - 6, ACCELEROMETER_BIAS = N - 3 };

static const vec3 gravity_W = {0.0, 0.0, -STANDARD_GRAVITY};

struct invariant_settings invariant_defaults(void) {
  return (struct invariant_settings){.gyro = 0.01,
                                     .accelerometer = 0.1,
                                     .gyro_bias = 1e-5,
                                     .accelerometer_bias = 1e-4,
                                     .contact = 0.01,
                                     .encoder = M_PI / 180.0,
                                     .start_tilt = 30.0 * M_PI / 180.0,
                                     .start_velocity = 1.0,
                                     .start_gyro_bias = 0.005,
                                     .start_accelerometer_bias = 0.05};
}

bool invariant_ekf_init(struct invariant_ekf *ekf, const struct robot *robot,
                        const struct invariant_settings *settings) {
  *ekf = (struct invariant_ekf){.robot = robot, .settings = *settings};
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      ekf->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(ekf->memory, arena.used);
    }
    if (pass == 1 && ekf->memory == NULL) {
      return false;
    }
    ekf->jacobian = ARENA_ARRAY(&arena, double, 6 * (6 + robot->model.n_joints));
    if (kinematics_init(&ekf->kin, &robot->model, &arena) != STATUS_OK) {
      return false;
    }
  }
  return true;
}

void invariant_ekf_free(struct invariant_ekf *ekf) {
  free(ekf->memory);
  ekf->memory = NULL;
}

/* -- small matrices --------------------------------------------------------------------------- */

static mat3 cross_of(vec3 a) {
  return (mat3){{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
}

static void set_block(double M[N][N], int row, int column, double s, const mat3 *B) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M[row + i][column + j] = s * B->m[i][j];
    }
  }
}

/* out = A B, or A B'. */
static void multiply(double A[N][N], double B[N][N], bool transposed, double out[N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double sum = 0.0;
      for (int k = 0; k < N; k++) {
        sum += A[i][k] * (transposed ? B[j][k] : B[k][j]);
      }
      out[i][j] = sum;
    }
  }
}

/* The left Jacobian of SO(3): what turns a translation of the algebra into one of the group. */
static mat3 left_jacobian(vec3 phi) {
  const double angle = vec3_norm(phi);
  const mat3 K = cross_of(phi), KK = mat3_mul(&K, &K);
  const double a = angle > 1e-6 ? (1.0 - cos(angle)) / (angle * angle) : 0.5,
               b = angle > 1e-6 ? (angle - sin(angle)) / (angle * angle * angle) : 1.0 / 6.0;
  mat3 J = MAT3_IDENTITY;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      J.m[i][j] += a * K.m[i][j] + b * KK.m[i][j];
    }
  }
  return J;
}

/* -- feet ------------------------------------------------------------------------------------- */

/* The foot as the encoders have it, in the IMU's frame. */
static vec3 foot_in_imu(const struct invariant_ekf *ekf, size_t foot) {
  const struct robot *robot = ekf->robot;
  const struct pose X_BI = frame_pose(&ekf->kin, robot->imu_link, &robot->imu_placement),
                    X_BF =
                        frame_pose(&ekf->kin, robot->foot[foot].link, &robot->foot[foot].placement),
                    X_IB = pose_inverse(&X_BI);
  return pose_apply(&X_IB, X_BF.p);
}

/* Covariance, world axes, of the foot's place that comes from the encoders' noise: R J J' R' s^2.
 */
static mat3 encoder_covariance(struct invariant_ekf *ekf, size_t foot) {
  const struct robot *robot = ekf->robot;
  const size_t columns = 6 + robot->model.n_joints;
  const mat3 R_IB = mat3_transpose(&robot->imu_placement.R), R_WB = mat3_mul(&ekf->R, &R_IB);
  mat3 C = {{{0.0}}};
  jacobian(&ekf->kin, robot->foot[foot].link, &robot->foot[foot].placement, JACOBIAN_IN_BASE,
           ekf->jacobian);
  for (size_t j = 6; j < columns; j++) {
    const vec3 J_B = {ekf->jacobian[3 * columns + j], ekf->jacobian[4 * columns + j],
                      ekf->jacobian[5 * columns + j]};
    double a[3];
    vec3_to(mat3_mul_vec3(&R_WB, vec3_scale(ekf->settings.encoder, J_B)), a);
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        C.m[r][c] += a[r] * a[c];
      }
    }
  }
  return C;
}

/* A foot comes down: its place is the IMU's and the leg between them, and so is its error. */
static void put_down(struct invariant_ekf *ekf, size_t foot) {
  const int at = XI_D + 3 * (int)foot;
  const mat3 C = encoder_covariance(ekf, foot);
  ekf->d[foot] = vec3_add(ekf->p, mat3_mul_vec3(&ekf->R, foot_in_imu(ekf, foot)));
  for (int i = 0; i < 3; i++) {
    memcpy(ekf->P[at + i], ekf->P[XI_P + i], sizeof(ekf->P[0]));
  }
  for (int r = 0; r < N; r++) {
    for (int i = 0; i < 3; i++) {
      ekf->P[r][at + i] = ekf->P[r][XI_P + i];
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      ekf->P[at + i][at + j] = ekf->P[XI_P + i][XI_P + j] + C.m[i][j];
    }
  }
}

static void take_up(struct invariant_ekf *ekf, size_t foot) {
  const int at = XI_D + 3 * (int)foot;
  for (int i = 0; i < 3; i++) {
    memset(ekf->P[at + i], 0, sizeof(ekf->P[0]));
    for (int r = 0; r < N; r++) {
      ekf->P[r][at + i] = 0.0;
    }
  }
}

/* -- prediction ------------------------------------------------------------------------------- */

/* Transition of the error over dt: I + A dt + (A dt)^2 / 2 + (A dt)^3 / 6, A of the paper's (27).
 */
static void transition(const struct invariant_ekf *ekf, double dt, double Phi[N][N]) {
  static double A[N][N], AA[N][N], AAA[N][N];
  const mat3 one = MAT3_IDENTITY, g = cross_of(gravity_W);
  memset(A, 0, sizeof(A));
  set_block(A, XI_V, XI_R, dt, &g);
  set_block(A, XI_P, XI_V, dt, &one);
  set_block(A, XI_R, GYRO_BIAS, -dt, &ekf->R);
  const mat3 v = cross_of(ekf->v), p = cross_of(ekf->p), vR = mat3_mul(&v, &ekf->R),
             pR = mat3_mul(&p, &ekf->R);
  set_block(A, XI_V, GYRO_BIAS, -dt, &vR);
  set_block(A, XI_V, ACCELEROMETER_BIAS, -dt, &ekf->R);
  set_block(A, XI_P, GYRO_BIAS, -dt, &pR);
  for (size_t f = 0; f < INVARIANT_FEET; f++) {
    if (ekf->stands[f]) {
      const mat3 d = cross_of(ekf->d[f]), dR = mat3_mul(&d, &ekf->R);
      set_block(A, XI_D + 3 * (int)f, GYRO_BIAS, -dt, &dR);
    }
  }
  multiply(A, A, false, AA);
  multiply(AA, A, false, AAA);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      Phi[i][j] = (i == j) + A[i][j] + AA[i][j] / 2.0 + AAA[i][j] / 6.0;
    }
  }
}

/* How the sensors' noises enter: the adjoint of the state. */
static void noise_into(const struct invariant_ekf *ekf, double dt, double G[N][N]) {
  const struct invariant_settings *s = &ekf->settings;
  const double root = sqrt(dt);
  const mat3 one = MAT3_IDENTITY, v = cross_of(ekf->v), p = cross_of(ekf->p),
             vR = mat3_mul(&v, &ekf->R), pR = mat3_mul(&p, &ekf->R);
  memset(G, 0, sizeof(double[N][N]));
  set_block(G, XI_R, XI_R, root * s->gyro, &ekf->R);
  set_block(G, XI_V, XI_R, root * s->gyro, &vR);
  set_block(G, XI_V, XI_V, root * s->accelerometer, &ekf->R);
  set_block(G, XI_P, XI_R, root * s->gyro, &pR);
  for (size_t f = 0; f < INVARIANT_FEET; f++) {
    const int at = XI_D + 3 * (int)f;
    if (ekf->stands[f]) {
      const mat3 d = cross_of(ekf->d[f]), dR = mat3_mul(&d, &ekf->R);
      set_block(G, at, XI_R, root * s->gyro, &dR);
      set_block(G, at, at, root * s->contact, &ekf->R);
    }
  }
  set_block(G, GYRO_BIAS, GYRO_BIAS, root * s->gyro_bias, &one);
  set_block(G, ACCELEROMETER_BIAS, ACCELEROMETER_BIAS, root * s->accelerometer_bias, &one);
}

static void predict(struct invariant_ekf *ekf, double dt, vec3 force, vec3 rate) {
  static double Phi[N][N], G[N][N], M[N][N], PhiP[N][N];
  transition(ekf, dt, Phi);
  noise_into(ekf, dt, G);
  multiply(Phi, ekf->P, false, PhiP);
  multiply(PhiP, Phi, true, ekf->P);
  multiply(Phi, G, false, M);
  multiply(M, M, true, PhiP);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      ekf->P[i][j] += PhiP[i][j];
    }
  }
  const vec3 omega = vec3_sub(rate, ekf->gyro_bias), f = vec3_sub(force, ekf->accelerometer_bias);
  const vec3 a = vec3_add(mat3_mul_vec3(&ekf->R, f), gravity_W);
  const mat3 turn = mat3_from_quat(quat_from_rotation_vector(vec3_scale(dt, omega)));
  ekf->p = vec3_add(ekf->p, vec3_axpy(vec3_scale(dt, ekf->v), 0.5 * dt * dt, a));
  ekf->v = vec3_axpy(ekf->v, dt, a);
  ekf->R = mat3_mul(&ekf->R, &turn);
}

/* -- correction ------------------------------------------------------------------------------- */

/* X becomes exp(xi) X, the biases theirs. */
static void correct(struct invariant_ekf *ekf, const double xi[N]) {
  const vec3 phi = vec3_from(xi + XI_R);
  const mat3 turn = mat3_from_quat(quat_from_rotation_vector(phi)), J = left_jacobian(phi);
  ekf->R = mat3_mul(&turn, &ekf->R);
  ekf->v = vec3_add(mat3_mul_vec3(&turn, ekf->v), mat3_mul_vec3(&J, vec3_from(xi + XI_V)));
  ekf->p = vec3_add(mat3_mul_vec3(&turn, ekf->p), mat3_mul_vec3(&J, vec3_from(xi + XI_P)));
  for (size_t f = 0; f < INVARIANT_FEET; f++) {
    ekf->d[f] =
        vec3_add(mat3_mul_vec3(&turn, ekf->d[f]), mat3_mul_vec3(&J, vec3_from(xi + XI_D + 3 * f)));
  }
  ekf->gyro_bias = vec3_add(ekf->gyro_bias, vec3_from(xi + GYRO_BIAS));
  ekf->accelerometer_bias = vec3_add(ekf->accelerometer_bias, vec3_from(xi + ACCELEROMETER_BIAS));
}

/* The leg says how the standing foot lies from the IMU: innovation R h + p - d, H = [0 0 -I I]. */
static void update_foot(struct invariant_ekf *ekf, size_t foot) {
  const int at = XI_D + 3 * (int)foot;
  const mat3 noise = encoder_covariance(ekf, foot);
  double HP[3][N], K[N][3], xi[N] = {0.0}, z[3];
  mat3 S, inverse;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < N; j++) {
      HP[i][j] = ekf->P[at + i][j] - ekf->P[XI_P + i][j];
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      S.m[i][j] = HP[i][at + j] - HP[i][XI_P + j] + noise.m[i][j];
    }
  }
  /* the inverse of a symmetric 3 x 3 by its columns' cross products */
  const vec3 a = vec3_from(S.m[0]), b = vec3_from(S.m[1]), c = vec3_from(S.m[2]);
  const double det = vec3_dot(a, vec3_cross(b, c));
  vec3_to(vec3_scale(1.0 / det, vec3_cross(b, c)), inverse.m[0]);
  vec3_to(vec3_scale(1.0 / det, vec3_cross(c, a)), inverse.m[1]);
  vec3_to(vec3_scale(1.0 / det, vec3_cross(a, b)), inverse.m[2]);
  vec3_to(vec3_sub(vec3_add(mat3_mul_vec3(&ekf->R, foot_in_imu(ekf, foot)), ekf->p), ekf->d[foot]),
          z);
  for (int r = 0; r < N; r++) {
    for (int i = 0; i < 3; i++) {
      K[r][i] = 0.0;
      for (int k = 0; k < 3; k++) {
        K[r][i] += HP[k][r] * inverse.m[k][i];
      }
      xi[r] += K[r][i] * z[i];
    }
  }
  for (int r = 0; r < N; r++) {
    for (int c2 = 0; c2 <= r; c2++) {
      for (int i = 0; i < 3; i++) {
        ekf->P[r][c2] -= K[r][i] * HP[i][c2];
      }
      ekf->P[c2][r] = ekf->P[r][c2];
    }
  }
  correct(ekf, xi);
}

/* -- a step ----------------------------------------------------------------------------------- */

static void start(struct invariant_ekf *ekf, vec3 force, vec3 rate) {
  const struct invariant_settings *s = &ekf->settings;
  const double sd[5] = {s->start_tilt, s->start_velocity, 0.0, s->start_gyro_bias,
                        s->start_accelerometer_bias};
  const int at[5] = {XI_R, XI_V, XI_P, GYRO_BIAS, ACCELEROMETER_BIAS};
  /* upright: the specific force points up */
  const vec3 up = vec3_scale(1.0 / vec3_norm(force), force), z = {0.0, 0.0, 1.0};
  const vec3 axis = vec3_cross(up, z);
  const double sine = vec3_norm(axis), angle = atan2(sine, vec3_dot(up, z));
  const vec3 turn = sine > 1e-9 ? vec3_scale(angle / sine, axis) : VEC3_ZERO;
  ekf->R = mat3_from_quat(quat_from_rotation_vector(turn));
  ekf->gyro_bias = rate; /* it stands */
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < 3; i++) {
      ekf->P[at[k] + i][at[k] + i] = sd[k] * sd[k];
    }
  }
  ekf->P[XI_R + 2][XI_R + 2] = 1e-12; /* yaw is free: it begins at nought */
  ekf->started = true;
}

void invariant_ekf_step(struct invariant_ekf *ekf, int64_t t_ns, vec3 specific_force,
                        vec3 angular_rate, const double *q, const bool stands[INVARIANT_FEET]) {
  if (kinematics_update_position(&ekf->kin, q) != STATUS_OK) {
    return;
  }
  if (!ekf->started) {
    start(ekf, specific_force, angular_rate);
  } else {
    predict(ekf, 1e-9 * (double)(t_ns - ekf->t_ns), specific_force, angular_rate);
  }
  ekf->t_ns = t_ns;
  for (size_t f = 0; f < INVARIANT_FEET && f < ekf->robot->n_feet; f++) {
    if (stands[f] && ekf->stands[f]) {
      update_foot(ekf, f);
    }
  }
  for (size_t f = 0; f < INVARIANT_FEET && f < ekf->robot->n_feet; f++) {
    if (stands[f] && !ekf->stands[f]) {
      put_down(ekf, f);
    } else if (!stands[f] && ekf->stands[f]) {
      take_up(ekf, f);
    }
    ekf->stands[f] = stands[f];
  }
}

void invariant_ekf_base(const struct invariant_ekf *ekf, vec3 angular_rate, struct pose *X_WB,
                        vec3 *velocity_W) {
  const struct pose X_WI = {ekf->R, ekf->p};
  const struct pose X_BI = frame_pose(&ekf->kin, ekf->robot->imu_link, &ekf->robot->imu_placement);
  const struct pose X_IB = pose_inverse(&X_BI);
  const vec3 omega = vec3_sub(angular_rate, ekf->gyro_bias);
  *X_WB = pose_mul(&X_WI, &X_IB);
  *velocity_W = vec3_add(ekf->v, mat3_mul_vec3(&ekf->R, vec3_cross(omega, X_IB.p)));
}
