#include "identify/convex/convex_cone.h"

#include "inertia/pseudo_inertia.h"
#include "math/jacobi.h"

#include <math.h>
#include <string.h>

static struct convex_cone empty_cone(size_t first, size_t columns, int size) {
  struct convex_cone cone = {.first = first, .columns = columns, .size = size};
  return cone;
}

/* J of the k-th unit vector of the ten parameters. */
static mat4 unit_pseudo_inertia(int k) {
  double unit[INERTIA_PARAMETERS] = {0.0};
  unit[k] = 1.0;
  const struct inertia e = inertia_from(unit);
  return pseudo_inertia(&e);
}

struct convex_cone cone_of_body(size_t first) {
  struct convex_cone cone = empty_cone(first, INERTIA_PARAMETERS, 4);
  for (int k = 0; k < INERTIA_PARAMETERS; k++) {
    const mat4 E = unit_pseudo_inertia(k);
    memcpy(cone.slope[k], E.m, sizeof(E.m));
  }
  return cone;
}

struct convex_cone cone_of_spatial_inertia(size_t first) {
  struct convex_cone cone = empty_cone(first, INERTIA_PARAMETERS, 6);
  for (int k = 0; k < INERTIA_PARAMETERS; k++) {
    double unit[INERTIA_PARAMETERS] = {0.0}, E[6][6];
    unit[k] = 1.0;
    const struct inertia e = inertia_from(unit);
    inertia_matrix(&e, E);
    memcpy(cone.slope[k], E, sizeof(E));
  }
  return cone;
}

struct convex_cone cone_of_bound(size_t first, const double *slope, size_t columns, double least) {
  struct convex_cone cone = empty_cone(first, columns, 1);
  cone.constant[0] = -least;
  for (size_t k = 0; k < columns; k++) {
    cone.slope[k][0] = slope[k];
  }
  return cone;
}

/* [ m  (h - m xs)^T ; (h - m xs)  m Q ] */
struct convex_cone cone_of_com(size_t first, const struct ellipsoid *ellipsoid) {
  struct convex_cone cone = empty_cone(first, INERTIA_PARAMETERS, 4);
  const double xs[3] = {ellipsoid->centre.x, ellipsoid->centre.y, ellipsoid->centre.z};
  cone.slope[0][0] = 1.0;
  for (int i = 0; i < 3; i++) {
    cone.slope[0][1 + i] = cone.slope[0][4 * (1 + i)] = -xs[i];
    cone.slope[1 + i][1 + i] = cone.slope[1 + i][4 * (1 + i)] = 1.0;
    for (int k = 0; k < 3; k++) {
      cone.slope[0][4 * (1 + i) + 1 + k] = ellipsoid->Q.m[i][k];
    }
  }
  return cone;
}

enum status cone_of_ellipsoid(size_t first, const struct ellipsoid *ellipsoid,
                              struct convex_cone *cone) {
  mat4 Qbar;
  const enum status status = ellipsoid_matrix(ellipsoid, &Qbar);
  if (status != STATUS_OK) {
    return status;
  }
  double slope[INERTIA_PARAMETERS];
  for (int k = 0; k < INERTIA_PARAMETERS; k++) {
    const mat4 E = unit_pseudo_inertia(k);
    slope[k] = mat4_dot(&E, &Qbar);
  }
  *cone = cone_of_bound(first, slope, INERTIA_PARAMETERS, 0.0);
  return STATUS_OK;
}

void cone_at(const struct convex_cone *cone, const double *x, double *F) {
  const int entries = cone->size * cone->size;
  memcpy(F, cone->constant, (size_t)entries * sizeof(*F));
  for (size_t k = 0; k < cone->columns; k++) {
    for (int i = 0; i < entries; i++) {
      F[i] += x[cone->first + k] * cone->slope[k][i];
    }
  }
}

bool cone_factor(const double *F, int size, double *L) {
  memset(L, 0, (size_t)(size * size) * sizeof(*L));
  for (int i = 0; i < size; i++) {
    for (int k = 0; k <= i; k++) {
      double rest = F[i * size + k];
      for (int l = 0; l < k; l++) {
        rest -= L[i * size + l] * L[k * size + l];
      }
      if (i > k) {
        L[i * size + k] = rest / L[k * size + k];
      } else if (rest > 0.0) {
        L[i * size + i] = sqrt(rest);
      } else {
        return false;
      }
    }
  }
  return true;
}

/* L^-1 B in place of B. */
static void solve_lower(const double *L, int size, double *B) {
  for (int column = 0; column < size; column++) {
    for (int i = 0; i < size; i++) {
      for (int k = 0; k < i; k++) {
        B[i * size + column] -= L[i * size + k] * B[k * size + column];
      }
      B[i * size + column] /= L[i * size + i];
    }
  }
}

static void transpose(double *B, int size) {
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < i; k++) {
      const double kept = B[i * size + k];
      B[i * size + k] = B[k * size + i];
      B[k * size + i] = kept;
    }
  }
}

void cone_whiten(const double *L, int size, double *E) {
  solve_lower(L, size, E);
  transpose(E, size);
  solve_lower(L, size, E);
}

void cone_eigenvalues(double *W, int size, double *lambda) {
  int order[CONE_SIZE];
  jacobi_eigen(W, NULL, size, size, order);
  for (int i = 0; i < size; i++) {
    lambda[i] = W[i * size + i];
  }
}
