#include "joint_process.h"

#include "dense_matrix.h"
#include "dispatch.h"

#include <string.h>

enum { LONGEST_CHAIN = 4 };

/* One kind of chain: `count` parallel integrators, `length` parts of the state each. */
struct chain {
  size_t count, length;
  size_t part[LONGEST_CHAIN]; /* where each derivative begins, from the lowest */
};

struct joint_layout joint_layout_of(size_t n_joints, int fixed_base) {
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
  l.size = l.forcedot + l.base;
  l.stride = matrix_stride(l.size);
  return l;
}

enum { N_CHAINS = 3 };

static void chains_of(const struct joint_layout *l, struct chain chain[N_CHAINS]) {
  chain[0] = (struct chain){l->n, 4, {l->q, l->dq, l->ddq, l->jerk}};
  chain[1] = (struct chain){l->base, 3, {l->omega, l->omegadot, l->omegaddot}};
  chain[2] = (struct chain){l->base, 2, {l->force, l->forcedot}};
}

/* dt^k / k! */
static void taylor(double dt, double c[LONGEST_CHAIN]) {
  c[0] = 1.0;
  for (int k = 1; k < LONGEST_CHAIN; k++) {
    c[k] = c[k - 1] * dt / k;
  }
}

/* @eq Leboutet22 139: every derivative is the integral of the next.
 * @differs Leboutet22 139: jerk is integrated white noise (snap), not white noise itself; smooth
 * motion is followed with less noise (accuracy.md 1.3). */
void joint_process_mean(const struct joint_layout *layout, double dt, double *x) {
  struct chain chains[N_CHAINS];
  double c[LONGEST_CHAIN];
  chains_of(layout, chains);
  taylor(dt, c);
  for (int which = 0; which < N_CHAINS; which++) {
    const struct chain *chain = &chains[which];
    for (size_t a = 0; a < chain->length; a++) {
      for (size_t b = a + 1; b < chain->length; b++) {
        for (size_t i = 0; i < chain->count; i++) {
          x[chain->part[a] + i] += c[b - a] * x[chain->part[b] + i];
        }
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

/* to[.] = from[.] row by row, each row with the higher derivatives' rows added. */
static inline __attribute__((always_inline)) void integrate_rows(const struct chain *chain,
                                                                 const double *c, const double *P,
                                                                 double *next, size_t stride) {
  for (size_t a = 0; a < chain->length; a++) {
    for (size_t i = 0; i < chain->count; i++) {
      const double *from[LONGEST_CHAIN];
      for (size_t b = 0; b < LONGEST_CHAIN; b++) {
        from[b] = P + (chain->part[b < chain->length ? b : a] + i) * stride;
      }
      double *to = next + (chain->part[a] + i) * stride;
      for (size_t j = 0; j < stride; j++) {
        double sum = from[a][j];
        for (size_t b = a + 1; b < chain->length; b++) {
          sum += c[b - a] * from[b][j];
        }
        to[j] = sum;
      }
    }
  }
}

static inline __attribute__((always_inline)) void integrate_columns(const struct chain *chain,
                                                                    const double *c, double *row) {
  for (size_t a = 0; a < chain->length; a++) {
    for (size_t b = a + 1; b < chain->length; b++) {
      for (size_t i = 0; i < chain->count; i++) {
        row[chain->part[a] + i] += c[b - a] * row[chain->part[b] + i];
      }
    }
  }
}

static void add_noise(const struct chain *chain, double dt, const double *each, double common,
                      double *P, size_t stride) {
  for (size_t a = 0; a < chain->length; a++) {
    for (size_t b = 0; b < chain->length; b++) {
      const double unit =
          chain_noise((unsigned)(chain->length - 1 - a), (unsigned)(chain->length - 1 - b), dt);
      for (size_t i = 0; i < chain->count; i++) {
        const double density = each != NULL ? each[i] : common;
        P[(chain->part[a] + i) * stride + chain->part[b] + i] += density * unit;
      }
    }
  }
}

FOR_EACH_ISA
void joint_process_covariance(const struct joint_layout *layout, double dt,
                              const struct joint_densities *densities, const double *P,
                              double *next) {
  struct chain chains[N_CHAINS];
  double c[LONGEST_CHAIN];
  chains_of(layout, chains);
  taylor(dt, c);
  for (int which = 0; which < N_CHAINS; which++) {
    integrate_rows(&chains[which], c, P, next, layout->stride);
  }
  for (size_t row = 0; row < layout->size; row++) {
    for (int which = 0; which < N_CHAINS; which++) {
      integrate_columns(&chains[which], c, next + row * layout->stride);
    }
  }
  add_noise(&chains[0], dt, densities->joint, 0.0, next, layout->stride);
  add_noise(&chains[1], dt, NULL, densities->ang, next, layout->stride);
  add_noise(&chains[2], dt, NULL, densities->lin, next, layout->stride);
}

void joint_process_variance(const struct joint_layout *layout, double dt,
                            const struct joint_densities *densities, const double *P,
                            double *variance) {
  struct chain chains[N_CHAINS];
  double c[LONGEST_CHAIN];
  chains_of(layout, chains);
  taylor(dt, c);
  const double common[N_CHAINS] = {0.0, densities->ang, densities->lin};
  for (int which = 0; which < N_CHAINS; which++) {
    const struct chain *chain = &chains[which];
    for (size_t i = 0; i < chain->count; i++) {
      const double density = which == 0 ? densities->joint[i] : common[which];
      for (size_t a = 0; a < chain->length; a++) {
        const unsigned order = (unsigned)(chain->length - 1 - a);
        double sum = density * chain_noise(order, order, dt);
        for (size_t b = a; b < chain->length; b++) {
          for (size_t d = a; d < chain->length; d++) {
            sum +=
                c[b - a] * c[d - a] * P[(chain->part[b] + i) * layout->stride + chain->part[d] + i];
          }
        }
        variance[chain->part[a] + i] = sum;
      }
    }
  }
}
