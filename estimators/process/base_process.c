#include "process/base_process.h"

#include "process/joint_chains.h"

#include <math.h>
#include <string.h>

static const vec3 GRAVITY = {0.0, 0.0, -STANDARD_GRAVITY};

static quat rotation_at(const double *r) {
  return (quat){.x = r[0], .y = r[1], .z = r[2], .w = r[3]};
}

static void set_rotation_at(quat q, double *r) {
  const double numbers[4] = {q.x, q.y, q.z, q.w};
  memcpy(r, numbers, sizeof(numbers));
}

/* The step's motion without what only skin is off by. */
struct base_step {
  quat rotation, middle; /* R_WB before, and half way */
  vec3 turn;             /* rad */
  vec3 f, fdot;          /* m/s^2, m/s^3: base coordinates */
};

static const double SIXTH = 1.0 / 6.0;

static struct base_step step_of(const struct joint_layout *l, double dt, const double *x) {
  const bool biased = l->biases > 0;
  const vec3 omega = vec3_from(x + l->omega), fdot = vec3_from(x + l->forcedot);
  vec3 omegadot = vec3_from(x + l->omegadot), f = vec3_from(x + l->force);
  if (biased) {
    omegadot = vec3_sub(omegadot, vec3_from(x + l->bias_ang));
    f = vec3_sub(f, vec3_from(x + l->bias_lin));
  }
  struct base_step step = {.rotation = rotation_at(x + l->rotation), .f = f, .fdot = fdot};
  step.turn = vec3_axpy(vec3_scale(dt, omega), 0.5 * dt * dt, omegadot);
  step.turn = vec3_axpy(step.turn, SIXTH * dt * dt * dt, vec3_from(x + l->omegaddot));
  step.middle = quat_mul(step.rotation, quat_from_rotation_vector(vec3_scale(0.5, step.turn)));
  return step;
}

quat base_process_rotation(const struct joint_layout *layout, const double *x) {
  return rotation_at(x + layout->rotation);
}

void base_process_set_rotation(const struct joint_layout *layout, quat q_WB, double *x) {
  set_rotation_at(q_WB, x + layout->rotation);
}

quat base_process_sole(const struct joint_layout *layout, size_t i, const double *x) {
  return rotation_at(x + layout->rotation + 4 * (1 + i));
}

void base_process_set_sole(const struct joint_layout *layout, size_t i, quat q_WF, double *x) {
  set_rotation_at(q_WF, x + layout->rotation + 4 * (1 + i));
}

/* One rotation takes its error in. */
static void fold(double *error, double *rotation) {
  const quat by = quat_from_rotation_vector(vec3_from(error));
  set_rotation_at(quat_normalized(quat_mul(rotation_at(rotation), by)), rotation);
  vec3_to(VEC3_ZERO, error);
}

void base_process_fold(const struct joint_layout *layout, double *x) {
  double *rotation = x + layout->rotation;
  fold(x + layout->attitude, rotation);
  for (size_t i = 0; i < layout->n_soles; i++) {
    fold(x + layout->sole + 3 * i, rotation + 4 * (1 + i));
  }
}

void base_process_mean(const struct joint_layout *layout, double dt, double *x) {
  const struct base_step step = step_of(layout, dt, x);
  const mat3 R = mat3_from_quat(step.middle);
  const vec3 f_W = mat3_mul_vec3(&R, step.f), fdot_W = mat3_mul_vec3(&R, step.fdot);
  const vec3 a = vec3_add(f_W, GRAVITY), v = vec3_from(x + layout->velocity);
  vec3 p = vec3_axpy(vec3_from(x + layout->position), dt, v);
  p = vec3_axpy(p, 0.5 * dt * dt, a);
  vec3_to(vec3_axpy(p, SIXTH * dt * dt * dt, fdot_W), x + layout->position);
  vec3_to(vec3_axpy(vec3_axpy(v, dt, a), 0.5 * dt * dt, fdot_W), x + layout->velocity);
  const quat turned = quat_mul(step.rotation, quat_from_rotation_vector(step.turn));
  base_process_set_rotation(layout, quat_normalized(turned), x);
}

/* -- covariance ------------------------------------------------------------------------------- */

/* One 3 x 3 block of N: how a moving part changes with another part. */
struct base_block {
  size_t to;   /* row of N, a multiple of 3 */
  size_t from; /* state */
  mat3 by;
};
enum { BLOCKS_MAX = BASE_TERMS_MAX / 9 };

static mat3 scaled(const mat3 *m, double by) {
  mat3 out = *m;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.m[i][j] *= by;
    }
  }
  return out;
}

/* N, block by block; returns how many. */
static size_t blocks_of(const struct joint_layout *l, double dt, const double *x,
                        struct base_block block[BLOCKS_MAX]) {
  enum { THETA = 0, V = 3, P = 6 };
  const struct base_step step = step_of(l, dt, x);
  const mat3 one = MAT3_IDENTITY, R = mat3_from_quat(step.middle), S = mat3_skew(step.f);
  const mat3 RS = mat3_mul(&R, &S);
  const mat3 back = mat3_from_quat(quat_from_rotation_vector(vec3_neg(step.turn)));
  const double half = 0.5 * dt * dt, sixth = SIXTH * dt * dt * dt;
  size_t n = 0;
  block[n++] = (struct base_block){THETA, l->attitude, back};
  block[n++] = (struct base_block){THETA, l->omega, scaled(&one, dt)};
  block[n++] = (struct base_block){THETA, l->omegadot, scaled(&one, half)};
  block[n++] = (struct base_block){THETA, l->omegaddot, scaled(&one, sixth)};
  block[n++] = (struct base_block){V, l->velocity, one};
  block[n++] = (struct base_block){V, l->attitude, scaled(&RS, -dt)};
  block[n++] = (struct base_block){V, l->force, scaled(&R, dt)};
  block[n++] = (struct base_block){V, l->forcedot, scaled(&R, half)};
  block[n++] = (struct base_block){P, l->position, one};
  block[n++] = (struct base_block){P, l->velocity, scaled(&one, dt)};
  block[n++] = (struct base_block){P, l->attitude, scaled(&RS, -half)};
  block[n++] = (struct base_block){P, l->force, scaled(&R, half)};
  block[n++] = (struct base_block){P, l->forcedot, scaled(&R, sixth)};
  if (l->biases > 0) { /* the states are sums with what skin is off by */
    block[n++] = (struct base_block){THETA, l->bias_ang, scaled(&one, -half)};
    block[n++] = (struct base_block){V, l->bias_lin, scaled(&R, -dt)};
    block[n++] = (struct base_block){P, l->bias_lin, scaled(&R, -half)};
  }
  return n;
}

size_t base_process_terms(const struct joint_layout *layout, double dt, const double *x,
                          struct base_term term[BASE_TERMS_MAX]) {
  struct base_block block[BLOCKS_MAX];
  const size_t blocks = blocks_of(layout, dt, x, block);
  size_t n = 0;
  for (size_t b = 0; b < blocks; b++) {
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 3; j++) {
        if (block[b].by.m[i][j] != 0.0) {
          term[n++] = (struct base_term){layout->attitude + block[b].to + i, block[b].from + j,
                                         block[b].by.m[i][j]};
        }
      }
    }
  }
  return n;
}

void base_process_transition(const struct joint_layout *layout, double dt, const double *x,
                             double *F) {
  struct base_term term[BASE_TERMS_MAX];
  const size_t n = base_process_terms(layout, dt, x, term);
  memset(F, 0, BASE_MOVING * layout->size * sizeof(double));
  for (size_t t = 0; t < n; t++) {
    F[(term[t].to - layout->attitude) * layout->size + term[t].from] = term[t].by;
  }
}

/* What is known of omega and f at both ends of a step says less of what they did in between than
 * smooth noise would: a step at an unknown time leaves this part of its variance times dt^2. */
static const double BETWEEN = 1.0 / 12.0;

/* Upper triangle: attitude with omega and its derivatives, axis by axis. */
static void add_turning_noise(const struct joint_layout *l, double dt, double density, double *P) {
  const size_t chain[] = {l->omegaddot, l->omegadot, l->omega};
  const double between = BETWEEN * dt * dt * chain_noise(2, 2, dt);
  for (size_t i = 0; i < 3; i++) {
    for (unsigned k = 0; k < 3; k++) {
      P[(chain[k] + i) * l->stride + l->attitude + i] += density * chain_noise(k, 3, dt);
    }
    P[(l->attitude + i) * (l->stride + 1)] += density * (chain_noise(3, 3, dt) + between);
  }
}

/* The same for velocity and position, which have the world's axes, with force and its derivative.
 */
static void add_moving_noise(const struct joint_layout *l, double dt, double density, const mat3 *R,
                             double *P) {
  const size_t chain[] = {l->forcedot, l->force};
  const double between = BETWEEN * dt * dt * chain_noise(1, 1, dt);
  for (size_t i = 0; i < 3; i++) {
    for (unsigned k = 0; k < 2; k++) {
      double *row = P + (chain[k] + i) * l->stride;
      for (size_t w = 0; w < 3; w++) {
        row[l->velocity + w] += R->m[w][i] * density * chain_noise(k, 2, dt);
        row[l->position + w] += R->m[w][i] * density * chain_noise(k, 3, dt);
      }
    }
    double *row = P + (l->velocity + i) * l->stride;
    row[l->velocity + i] += density * (chain_noise(2, 2, dt) + between);
    row[l->position + i] += density * chain_noise(2, 3, dt);
    P[(l->position + i) * (l->stride + 1)] += density * chain_noise(3, 3, dt);
  }
}

void base_process_noise(const struct joint_layout *layout, double dt,
                        const struct joint_densities *densities, const double *x, double *P) {
  const struct base_step step = step_of(layout, dt, x);
  const mat3 R = mat3_from_quat(step.middle);
  add_turning_noise(layout, dt, densities->ang, P);
  add_moving_noise(layout, dt, densities->lin, &R, P);
}
