#include "process/shock_chains.h"

#include "math/dispatch.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 4 };

/* Variances at first, of q dq ddq jerk, or of the last of them. */
static const double FIRST[LONGEST] = {1e-2, 1.0, 1e2, 1e6};

void shock_chains_init(struct shock_chains *c, size_t count, size_t length, struct arena *arena) {
  *c = (struct shock_chains){.count = count, .length = length};
  c->P = ARENA_ARRAY(arena, double, length *length *count);
  c->U = ARENA_ARRAY(arena, double, length *length *count);
  c->r = ARENA_ARRAY(arena, double, count);
  c->density = ARENA_ARRAY(arena, double, count);
  c->gain = ARENA_ARRAY(arena, double, length *count);
  c->known = ARENA_ARRAY(arena, double, length *count);
  c->unknown = ARENA_ARRAY(arena, double, length *count);
}

void shock_chains_reset(struct shock_chains *c) {
  memset(c->P, 0, c->length * c->length * c->count * sizeof(double));
  memset(c->U, 0, c->length * c->length * c->count * sizeof(double));
  for (size_t i = 0; i < c->length; i++) {
    for (size_t j = 0; j < c->count; j++) {
      shock_chains_at(c, c->P, i, i)[j] = FIRST[LONGEST - c->length + i];
    }
  }
}

/* M = F M F^T, Taylor's series of dt. */
FOR_EACH_ISA
static void carry(const struct shock_chains *c, double *M, double dt) {
  const double taylor[LONGEST] = {1.0, dt, dt * dt / 2.0, dt * dt * dt / 6.0};
  const size_t row = c->length * c->count;
  for (size_t a = 0; a < c->length; a++) {
    for (size_t b = a + 1; b < c->length; b++) {
      INDEPENDENT_TURNS
      for (size_t i = 0; i < row; i++) {
        M[a * row + i] += taylor[b - a] * M[b * row + i];
      }
    }
  }
  for (size_t k = 0; k < c->length; k++) {
    for (size_t a = 0; a < c->length; a++) {
      for (size_t b = a + 1; b < c->length; b++) {
        double *to = M + k * row + a * c->count, *from = M + k * row + b * c->count;
        INDEPENDENT_TURNS
        for (size_t j = 0; j < c->count; j++) {
          to[j] += taylor[b - a] * from[j];
        }
      }
    }
  }
}

/* A reading of number m with variance r: P and what it does not know of, U, after it. Both halves
 * are written from one, or rounding grows along the chain. */
FOR_EACH_ISA
void shock_chains_correct(struct shock_chains *c, size_t m) {
  const size_t n = c->count, row = c->length * n;
  for (size_t i = 0; i < c->length; i++) {
    for (size_t j = 0; j < n; j++) {
      c->known[i * n + j] = c->P[i * row + m * n + j];
      c->unknown[i * n + j] = c->U[i * row + m * n + j];
    }
  }
  const double *p_m = c->known + m * n, *u_m = c->unknown + m * n;
  for (size_t i = 0; i < c->length; i++) {
    INDEPENDENT_TURNS
    for (size_t j = 0; j < n; j++) {
      c->gain[i * n + j] = c->known[i * n + j] / (p_m[j] + c->r[j]);
    }
  }
  for (size_t i = 0; i < c->length; i++) {
    for (size_t k = 0; k <= i; k++) {
      const double *g_i = c->gain + i * n, *g_k = c->gain + k * n;
      const double *p_k = c->known + k * n, *u_i = c->unknown + i * n, *u_k = c->unknown + k * n;
      const size_t ik = i * row + k * n, ki = k * row + i * n;
      INDEPENDENT_TURNS
      for (size_t j = 0; j < n; j++) {
        const double P = c->P[ik + j] - g_i[j] * p_k[j];
        const double U =
            c->U[ik + j] + g_i[j] * g_k[j] * u_m[j] - g_i[j] * u_k[j] - u_i[j] * g_k[j];
        c->P[ik + j] = c->P[ki + j] = P;
        c->U[ik + j] = c->U[ki + j] = U;
      }
    }
  }
}

/* P += Q of unit densities, times those of the chains. */
FOR_EACH_ISA
static void add_noise(const struct shock_chains *c, const struct chain_drive *drive, double dt) {
  const unsigned last = (unsigned)c->length - 1;
  for (size_t j = 0; j < c->count; j++) {
    c->density[j] = chain_density(drive, j);
  }
  for (unsigned i = 0; i <= last; i++) {
    for (unsigned k = 0; k <= last; k++) {
      const double unit = chain_noise(last - i, last - k, dt);
      double *P = shock_chains_at(c, c->P, i, k);
      for (size_t j = 0; j < c->count; j++) {
        P[j] += c->density[j] * unit;
      }
    }
  }
}

void shock_chains_predict(struct shock_chains *c, const struct chain_drive *drive, double dt) {
  carry(c, c->P, dt);
  carry(c, c->U, dt);
  add_noise(c, drive, dt);
}

bool shock_chains_sound(const struct shock_chains *c) {
  bool sound = true;
  for (size_t i = 0; i < c->length; i++) {
    for (size_t j = 0; j < c->count; j++) {
      const double P = shock_chains_at(c, c->P, i, i)[j], U = shock_chains_at(c, c->U, i, i)[j];
      sound = sound && P > 0.0 && isfinite(P) && U >= 0.0 && isfinite(U);
    }
  }
  return sound;
}
