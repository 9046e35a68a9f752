#include "joints/joint_process.h"

#include "joints/base_process.h"
#include "math/dispatch.h"
#include "model/model.h"
#include "numerics/dense_matrix.h"

#include <math.h>
#include <string.h>

/* A robot with more feet stands on points: they turn freely. */
enum { SOLES_MAX = 2 };

enum { LONGEST_CHAIN = 5, N_CHAINS = 3, LARGEST_STATE = 5 * (MODEL_MAX_JOINTS + 16) };

/* One kind of chain: `count` parallel integrators of `length` derivatives, and perhaps a bias of
 * the one that skin sees. */
struct chain {
  size_t count;
  size_t length;              /* derivatives, from the lowest */
  size_t parts;               /* length, and one more with a bias */
  size_t part[LONGEST_CHAIN]; /* where each begins; the bias last */
  size_t seen;                /* which derivative carries the bias */
};

struct joint_layout joint_layout_of(size_t n_joints, bool fixed_base, bool with_biases,
                                    size_t n_feet) {
  struct joint_layout l = {.n = n_joints, .base = fixed_base ? 0 : 3};
  l.q = 0;
  l.dq = n_joints;
  l.omega = 2 * n_joints;
  l.omegadot = l.nonlinear = l.omega + l.base;
  l.ddq = l.omegadot + l.base;
  l.force = l.ddq + n_joints;
  l.jerk = l.observed = l.force + l.base;
  l.omegaddot = l.jerk + n_joints;
  l.forcedot = l.omegaddot + l.base;
  l.biases = with_biases ? n_joints : 0;
  l.bias = l.forcedot + l.base;
  l.bias_ang = l.bias + l.biases;
  l.bias_lin = l.bias_ang + (with_biases ? l.base : 0);
  l.attitude = l.bias_lin + (with_biases ? l.base : 0);
  l.velocity = l.attitude + l.base;
  l.position = l.velocity + l.base;
  l.gyro_bias = l.position + l.base;
  l.accelerometer_bias = l.gyro_bias + l.base;
  l.foot = l.accelerometer_bias + l.base;
  l.n_feet = fixed_base ? 0 : n_feet;
  l.n_soles = l.n_feet <= SOLES_MAX ? l.n_feet : 0;
  l.sole = l.foot + 3 * l.n_feet;
  l.size = l.rotation = l.sole + 3 * l.n_soles;
  l.numbers = l.size + (fixed_base ? 0 : 4 * (1 + l.n_soles));
  l.stride = matrix_stride(l.size);
  return l;
}

static void chains_of(const struct joint_layout *l, struct chain chain[N_CHAINS]) {
  const size_t more = l->biases > 0;
  chain[0] = (struct chain){l->n, 4, 4 + more, {l->q, l->dq, l->ddq, l->jerk, l->bias}, 2};
  chain[1] =
      (struct chain){l->base, 3, 3 + more, {l->omega, l->omegadot, l->omegaddot, l->bias_ang}, 1};
  chain[2] = (struct chain){l->base, 2, 2 + more, {l->force, l->forcedot, l->bias_lin}, 0};
}

/* What becomes of a chain within dt: x = F x, upper triangular. */
struct passage {
  double F[LONGEST_CHAIN][LONGEST_CHAIN];
  double decay; /* of the bias */
};

/* With s = d + b seen in the place of the derivative d: lower derivatives integrate s - b, and s
 * itself follows d and the fading b.
 * @eq Leboutet22 139: every derivative is the integral of the next.
 * @differs Leboutet22 139: jerk is integrated white noise (snap), not white noise itself; smooth
 * motion is followed with less noise (accuracy.md 1.3). */
static struct passage passage_of(const struct chain *chain, double dt, double bias_time) {
  struct passage step = {.decay = 1.0};
  for (size_t a = 0; a < chain->length; a++) {
    double c = 1.0; /* dt^k / k! */
    for (size_t b = a; b < chain->length; b++) {
      step.F[a][b] = c;
      c *= dt / (double)(b - a + 1);
    }
  }
  if (chain->parts > chain->length) {
    const size_t bias = chain->length;
    step.decay = exp(-dt / bias_time);
    for (size_t a = 0; a < chain->seen; a++) {
      step.F[a][bias] = -step.F[a][chain->seen];
    }
    step.F[chain->seen][bias] = step.decay - 1.0;
    step.F[bias][bias] = step.decay;
  }
  return step;
}

void joint_process_mean(const struct joint_layout *layout, double dt,
                        const struct joint_densities *densities, double *x) {
  struct chain chains[N_CHAINS];
  chains_of(layout, chains);
  if (layout->base > 0) {
    base_process_mean(layout, dt, x); /* from the motion before the step */
  }
  for (int which = 0; which < N_CHAINS; which++) {
    const struct chain *chain = &chains[which];
    const struct passage step = passage_of(chain, dt, densities->bias_time);
    for (size_t a = 0; a < chain->parts; a++) {
      for (size_t i = 0; i < chain->count; i++) {
        double sum = 0.0;
        for (size_t b = a; b < chain->parts; b++) {
          sum += step.F[a][b] * x[chain->part[b] + i];
        }
        x[chain->part[a] + i] = sum;
      }
    }
  }
}

/* int_0^dt (s^i / i!) (s^j / j!) ds */
double chain_noise(unsigned i, unsigned j, double dt) {
  double value = dt / (double)(i + j + 1);
  for (unsigned k = 1; k <= i; k++) {
    value *= dt / (double)k;
  }
  for (unsigned k = 1; k <= j; k++) {
    value *= dt / (double)k;
  }
  return value;
}

/* to = sum of factor[k] row[k] over `count` rows; `count` is a constant wherever this is inlined.
 */
static inline __attribute__((always_inline)) void combine(double *restrict to, size_t count,
                                                          const double *const *row,
                                                          const double *factor, size_t stride) {
  for (size_t j = 0; j < stride; j++) {
    double sum = factor[0] * row[0][j];
    for (size_t k = 1; k < count; k++) {
      sum += factor[k] * row[k][j];
    }
    to[j] = sum;
  }
}

/* to = row `a` of F times the rows that begin at P, the i-th of each part; columns `from` to `end`.
 * `terms`, those from the diagonal on, is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void
integrate(const struct chain *chain, const struct passage *step, size_t terms, size_t i,
          const double *P, size_t stride, double *to, size_t from, size_t end) {
  const size_t a = chain->parts - terms;
  const double *row[LONGEST_CHAIN];
  for (size_t k = 0; k < terms; k++) {
    row[k] = P + (chain->part[a + k] + i) * stride + from;
  }
  combine(to + from, terms, row, &step->F[a][a], end - from);
}

/* Row of F P. */
static inline __attribute__((always_inline)) void
integrate_row(const struct chain *chain, const struct passage *step, size_t a, size_t i,
              const double *P, size_t stride, double *to, size_t from) {
  switch (chain->parts - a) {
  case 1:
    integrate(chain, step, 1, i, P, stride, to, from, stride);
    break;
  case 2:
    integrate(chain, step, 2, i, P, stride, to, from, stride);
    break;
  case 3:
    integrate(chain, step, 3, i, P, stride, to, from, stride);
    break;
  case 4:
    integrate(chain, step, 4, i, P, stride, to, from, stride);
    break;
  default:
    integrate(chain, step, LONGEST_CHAIN, i, P, stride, to, from, stride);
    break;
  }
}

/* A part of a row of F P F^T, `terms` from the last: columns mix as rows did. */
static inline __attribute__((always_inline)) void
integrate_part(const struct chain *chain, const struct passage *step, size_t terms,
               const double *row, double *to, size_t from, size_t count) {
  const size_t part = chain->part[chain->parts - terms];
  if (part >= from) {
    integrate(chain, step, terms, 0, row, 1, to + part, 0, count);
  }
}

/* A row of F P into one of F P F^T, the parts that begin at `from` or later. `count`: the chain's
 * own, a constant where it is one. */
static inline __attribute__((always_inline)) void integrate_columns(const struct chain *chain,
                                                                    const struct passage *step,
                                                                    const double *row, double *to,
                                                                    size_t from, size_t count) {
  if (chain->parts >= 5) {
    integrate_part(chain, step, 5, row, to, from, count);
  }
  if (chain->parts >= 4) {
    integrate_part(chain, step, 4, row, to, from, count);
  }
  if (chain->parts >= 3) {
    integrate_part(chain, step, 3, row, to, from, count);
  }
  integrate_part(chain, step, 2, row, to, from, count);
  integrate_part(chain, step, 1, row, to, from, count);
}

/* What drives a chain: the density on its last derivative and the variance of its bias. */
struct drive {
  const double *density, *bias; /* [count], or NULL: the numbers below for all */
  double common_density, common_bias;
};

static void drives_of(const struct joint_densities *d, struct drive drive[N_CHAINS]) {
  drive[0] = (struct drive){.density = d->joint, .bias = d->bias};
  drive[1] = (struct drive){.common_density = d->ang, .common_bias = d->bias_ang};
  drive[2] = (struct drive){.common_density = d->lin, .common_bias = d->bias_lin};
}

static double density_of(const struct drive *drive, size_t i) {
  return drive->density != NULL ? drive->density[i] : drive->common_density;
}

/* Variance that the bias gains in one step. */
static double bias_noise(const struct drive *drive, size_t i, double decay) {
  const double variance = drive->bias != NULL ? drive->bias[i] : drive->common_bias;
  return (1.0 - decay * decay) * variance;
}

static void add_noise(const struct chain *chain, const struct passage *step,
                      const struct drive *drive, double dt, double *P, size_t stride) {
  for (size_t a = 0; a < chain->length; a++) {
    for (size_t b = a; b < chain->length; b++) {
      const double unit =
          chain_noise((unsigned)(chain->length - 1 - a), (unsigned)(chain->length - 1 - b), dt);
      for (size_t i = 0; i < chain->count; i++) {
        P[(chain->part[a] + i) * stride + chain->part[b] + i] += density_of(drive, i) * unit;
      }
    }
  }
  for (size_t i = 0; chain->parts > chain->length && i < chain->count; i++) {
    const double noise = bias_noise(drive, i, step->decay); /* of b, and of the sum that holds it */
    const size_t s = chain->part[chain->seen] + i, b = chain->part[chain->length] + i;
    P[s * stride + s] += noise;
    P[s * stride + b] += noise;
    P[b * stride + b] += noise;
  }
}

FOR_EACH_ISA
void joint_process_covariance(const struct joint_layout *layout, double dt,
                              const struct joint_densities *densities, const double *x,
                              const double *P, double *next) {
  struct chain chains[N_CHAINS];
  struct passage step[N_CHAINS];
  struct drive drive[N_CHAINS];
  double row[LARGEST_STATE];
  chains_of(layout, chains);
  drives_of(densities, drive);
  for (int which = 0; which < N_CHAINS; which++) {
    step[which] = passage_of(&chains[which], dt, densities->bias_time);
  }
  for (int which = 0; which < N_CHAINS; which++) {
    const struct chain *chain = &chains[which];
    for (size_t a = 0; a < chain->parts; a++) {
      const size_t from = chain->part[a]; /* what F takes from stands further right */
      for (size_t i = 0; i < chain->count; i++) {
        double *to = next + (from + i) * layout->stride;
        integrate_row(chain, &step[which], a, i, P, layout->stride, row,
                      from / MATRIX_LANES * MATRIX_LANES);
        integrate_columns(&chains[0], &step[0], row, to, from, layout->n);
        if (layout->base > 0) {
          integrate_columns(&chains[1], &step[1], row, to, from, 3);
          integrate_columns(&chains[2], &step[2], row, to, from, 3);
          memcpy(to + layout->gyro_bias, row + layout->gyro_bias, /* what does not move */
                 (layout->size - layout->gyro_bias) * sizeof(double));
        }
      }
    }
  }
  for (int which = 0; which < N_CHAINS; which++) {
    add_noise(&chains[which], &step[which], &drive[which], dt, next, layout->stride);
  }
  if (layout->base > 0) {
    double chained[BASE_MOVING][LARGEST_STATE]; /* (F P)^T of what moves with the base */
    base_process_rows(layout, dt, x, P, &chained[0][0], LARGEST_STATE);
    for (size_t r = 0; r < BASE_MOVING; r++) {
      memcpy(row, chained[r], layout->size * sizeof(double));
      integrate_columns(&chains[0], &step[0], row, chained[r], 0, layout->n);
      integrate_columns(&chains[1], &step[1], row, chained[r], 0, 3);
      integrate_columns(&chains[2], &step[2], row, chained[r], 0, 3);
    }
    base_process_join(layout, dt, densities, P, &chained[0][0], LARGEST_STATE, next);
  }
}

void joint_process_variance(const struct joint_layout *layout, double dt,
                            const struct joint_densities *densities, const double *P,
                            double *variance) {
  struct chain chains[N_CHAINS];
  struct drive drive[N_CHAINS];
  chains_of(layout, chains);
  drives_of(densities, drive);
  for (int which = 0; which < N_CHAINS; which++) {
    const struct chain *chain = &chains[which];
    const struct passage step = passage_of(chain, dt, densities->bias_time);
    /* the derivative that skin sees is wanted without its bias: s - b */
    double row[LONGEST_CHAIN];
    for (size_t a = 0; a < chain->parts; a++) {
      memcpy(row, step.F[a], sizeof(row));
      const bool biased = chain->parts > chain->length && a == chain->seen;
      if (biased) {
        row[chain->length] -= step.F[chain->length][chain->length];
      }
      for (size_t i = 0; i < chain->count; i++) {
        double sum = 0.0;
        for (size_t b = a; b < chain->parts; b++) {
          for (size_t d = a; d < chain->parts; d++) {
            sum += row[b] * row[d] * P[(chain->part[b] + i) * layout->stride + chain->part[d] + i];
          }
        }
        const unsigned order = (unsigned)(chain->length - 1 - a);
        sum += a < chain->length ? density_of(&drive[which], i) * chain_noise(order, order, dt)
                                 : bias_noise(&drive[which], i, step.decay);
        variance[chain->part[a] + i] = sum;
      }
    }
  }
  for (size_t i = layout->attitude; i < layout->size; i++) {
    variance[i] = P[i * (layout->stride + 1)];
  }
}

void joint_process_unbias(const struct joint_layout *layout, double *x) {
  for (size_t i = 0; i < layout->biases; i++) {
    x[layout->ddq + i] -= x[layout->bias + i];
  }
  for (size_t i = 0; layout->biases > 0 && i < layout->base; i++) {
    x[layout->omegadot + i] -= x[layout->bias_ang + i];
    x[layout->force + i] -= x[layout->bias_lin + i];
  }
}
