#include "process/joint_process.h"

#include "numerics/dense_matrix.h"
#include "process/base_process.h"
#include "process/joint_chains.h"
#include "robot/robot.h"

#include <math.h>
#include <string.h>

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
  l.n_soles = l.n_feet <= ROBOT_MAX_SOLES ? l.n_feet : 0;
  l.sole = l.foot + 3 * l.n_feet;
  l.limb = l.size = l.rotation = l.sole + 3 * l.n_soles;
  l.numbers = l.size + (fixed_base ? 0 : 4 * (1 + l.n_soles));
  l.stride = matrix_stride(l.size);
  return l;
}

struct joint_layout joint_layout_with_limbs(struct joint_layout layout, size_t n_limbs) {
  const size_t rotations = layout.numbers - layout.size;
  layout.n_limbs = n_limbs;
  layout.size = layout.rotation = layout.limb + 6 * n_limbs;
  layout.numbers = layout.size + rotations;
  layout.stride = matrix_stride(layout.size);
  return layout;
}

void joint_process_mean(const struct joint_layout *layout, double dt,
                        const struct joint_densities *densities, double *x) {
  struct joint_chain chains[N_CHAINS];
  joint_chains_of(layout, chains);
  if (layout->base > 0) {
    base_process_mean(layout, dt, x); /* from the motion before the step */
  }
  for (int which = 0; which < N_CHAINS; which++) {
    const struct joint_chain *chain = &chains[which];
    const struct chain_passage step = chain_passage_of(chain, dt, densities->bias_time);
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

void joint_process_variance(const struct joint_layout *layout, double dt,
                            const struct joint_densities *densities, const double *P,
                            double *variance) {
  struct joint_chain chains[N_CHAINS];
  struct chain_drive drive[N_CHAINS];
  joint_chains_of(layout, chains);
  chain_drives_of(densities, drive);
  for (int which = 0; which < N_CHAINS; which++) {
    const struct joint_chain *chain = &chains[which];
    const struct chain_passage step = chain_passage_of(chain, dt, densities->bias_time);
    /* the derivative that skin sees is wanted without its bias: s - b */
    double row[CHAIN_PARTS];
    for (size_t a = 0; a < chain->parts; a++) {
      memcpy(row, step.F[a], sizeof(row));
      const bool biased = chain->parts > chain->length && a == chain->seen;
      if (biased) {
        row[chain->length] -= step.F[chain->length][chain->length];
      }
      const unsigned order = (unsigned)(chain->length - 1 - a);
      const double unit = a < chain->length ? chain_noise(order, order, dt) : 0.0;
      for (size_t i = 0; i < chain->count; i++) {
        double sum = 0.0;
        for (size_t b = a; b < chain->parts; b++) {
          const double *P_b = P + (chain->part[b] + i) * layout->stride + i;
          double half = 0.5 * row[b] * P_b[chain->part[b]];
          for (size_t d = b + 1; d < chain->parts; d++) {
            half += row[d] * P_b[chain->part[d]];
          }
          sum += 2.0 * row[b] * half;
        }
        sum += a < chain->length ? chain_density(&drive[which], i) * unit
                                 : chain_bias_noise(&drive[which], i, step.decay);
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

void joint_process_forget(const struct joint_layout *l, size_t first, double sd, double *P) {
  for (size_t i = first; i < first + 3; i++) {
    for (size_t k = 0; k < l->size; k++) {
      P[i * l->stride + k] = P[k * l->stride + i] = 0.0;
    }
    P[i * (l->stride + 1)] = sd * sd;
  }
}

double joint_process_worst_sd(const struct joint_layout *layout, const double *P, size_t first) {
  double variance = 0.0;
  for (size_t i = first; i < first + 3; i++) {
    variance = fmax(variance, P[i * (layout->stride + 1)]);
  }
  return sqrt(variance);
}
