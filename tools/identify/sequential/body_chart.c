#include "identify/sequential/body_chart.h"

#include "inertia/log_cholesky.h"
#include "inertia/pseudo_inertia.h"

#include <math.h>
#include <stdbool.h>

enum { TEN = CONVEX_TEN };

/* Of what a body keeps of the prior: by so much one at the border is written as inside of it. */
static const double AT_BORDER = 1e-2;

/* Row of C, and column, of each entry of z. */
static const int ROW[TEN] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3},
                 COLUMN[TEN] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3};

/* What the cone's constant takes away. */
static void border_of(const struct convex_cone *body, double *pi) {
  mat4 J;
  for (int k = 0; k < 16; k++) {
    J.m[k / 4][k % 4] = -body->constant[k];
  }
  const struct inertia border = inertia_from_pseudo(&J);
  inertia_to(&border, pi);
}

struct body_chart body_chart_printed(enum chart_form form) {
  return (struct body_chart){form, {0, 1, 2, 3}};
}

/* What lies inside of the border, as a pseudo-inertia. */
static mat4 inner_of(const struct convex_cone *body, const double *pi, double share) {
  double border[TEN], inner[TEN];
  border_of(body, border);
  for (int k = 0; k < TEN; k++) {
    inner[k] = pi[k] - share * border[k];
  }
  const struct inertia rest = inertia_from(inner);
  return pseudo_inertia(&rest);
}

void body_chart_pivot(struct body_chart *chart, const struct convex_cone *body, const double *pi) {
  const mat4 first = inner_of(body, pi, 1.0);
  mat4 J = first;
  for (int i = 0; i < 4; i++) { /* by shares of the diagonal: kg beside kg m^2 */
    for (int k = 0; k < 4; k++) {
      J.m[i][k] /= sqrt(fabs(first.m[i][i] * first.m[k][k])) + 1e-300;
    }
  }
  for (int i = 0; i < 4; i++) {
    int best = i;
    for (int k = i + 1; k < 4; k++) {
      best = J.m[chart->order[k]][chart->order[k]] > J.m[chart->order[best]][chart->order[best]]
                 ? k
                 : best;
    }
    const int pivot = chart->order[best];
    chart->order[best] = chart->order[i];
    chart->order[i] = pivot;
    const double on = fmax(J.m[pivot][pivot], 1e-300);
    for (int k = i + 1; k < 4; k++) {
      const int a = chart->order[k];
      for (int l = i + 1; l <= k; l++) {
        const int b = chart->order[l];
        J.m[a][b] -= J.m[a][pivot] * J.m[b][pivot] / on;
        J.m[b][a] = J.m[a][b];
      }
    }
  }
}

/* Rows and columns in the chart's order, or back. */
static mat4 ordered(const struct body_chart *chart, const mat4 *J, bool back) {
  mat4 out;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      const int a = chart->order[i], b = chart->order[k];
      *(back ? &out.m[a][b] : &out.m[i][k]) = back ? J->m[i][k] : J->m[a][b];
    }
  }
  return out;
}

static mat4 lower_from(const double *z) {
  mat4 C = MAT4_ZERO;
  for (int k = 0; k < TEN; k++) {
    C.m[ROW[k]][COLUMN[k]] = z[k];
  }
  return C;
}

void body_chart_at(const struct body_chart *chart, const struct convex_cone *body, const double *z,
                   double *pi) {
  const mat4 C = lower_from(z), Ct = mat4_transpose(&C), CCt = mat4_mul(&C, &Ct),
             J = ordered(chart, &CCt, true);
  double border[TEN];
  const struct inertia inner = chart->form == CHART_SQRT
                                   ? inertia_from_pseudo(&J)
                                   : log_cholesky_inertia(LOG_CHOLESKY_RUCKER, z);
  inertia_to(&inner, pi);
  border_of(body, border);
  for (int k = 0; k < TEN; k++) {
    pi[k] += border[k];
  }
}

/* C of J in the chart's order. */
static enum status root_of(const struct body_chart *chart, const mat4 *J, double *z) {
  const mat4 in_order = ordered(chart, J, false);
  mat4 C;
  const enum status status = sym4_cholesky(&in_order, &C);
  for (int k = 0; k < TEN && status == STATUS_OK; k++) {
    z[k] = C.m[ROW[k]][COLUMN[k]];
  }
  return status == STATUS_SINGULAR ? STATUS_NOT_CONSISTENT : status;
}

enum status body_chart_from(const struct body_chart *chart, const struct convex_cone *body,
                            const double *pi, double *z) {
  enum status status = STATUS_NOT_CONSISTENT;
  for (int pass = 0; pass < 2 && status == STATUS_NOT_CONSISTENT; pass++) {
    const mat4 J = inner_of(body, pi, pass == 0 ? 1.0 : 1.0 - AT_BORDER);
    const struct inertia inner = inertia_from_pseudo(&J);
    status = chart->form == CHART_SQRT ? root_of(chart, &J, z)
                                       : log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, &inner, z);
  }
  return status;
}

/* dJ = E C^T + C E^T for each entry of C. */
static void root_jacobian(const struct body_chart *chart, const double *z, double G[TEN][TEN]) {
  const mat4 C = lower_from(z), Ct = mat4_transpose(&C);
  for (int k = 0; k < TEN; k++) {
    double unit[TEN] = {0.0}, column[TEN];
    unit[k] = 1.0;
    const mat4 E = lower_from(unit), half = mat4_mul(&E, &Ct), other = mat4_transpose(&half),
               both = mat4_axpy(&half, 1.0, &other), dJ = ordered(chart, &both, true);
    const struct inertia dpi = inertia_from_pseudo(&dJ);
    inertia_to(&dpi, column);
    for (int i = 0; i < TEN; i++) {
      G[i][k] = column[i];
    }
  }
}

void body_chart_jacobian(const struct body_chart *chart, const double *z, double G[TEN][TEN]) {
  if (chart->form == CHART_SQRT) {
    root_jacobian(chart, z, G);
  } else {
    log_cholesky_jacobian(LOG_CHOLESKY_RUCKER, z, G);
  }
}

void body_chart_sizes(const struct body_chart *chart, const double *z, double *size) {
  double row[4] = {0.0};
  if (chart->form == CHART_SQRT) {
    for (int k = 0; k < TEN; k++) {
      row[ROW[k]] = hypot(row[ROW[k]], z[k]);
    }
    for (int k = 0; k < TEN; k++) {
      size[k] = row[ROW[k]];
    }
    return;
  }
  /* alpha and d are logarithms; s and t of row i have the size of its e^d */
  static const int s_row[3] = {0, 0, 1};
  for (int i = 0; i < 3; i++) {
    row[i] = hypot(exp(z[LOG_CHOLESKY_D + i]), z[LOG_CHOLESKY_T + i]);
    size[LOG_CHOLESKY_D + i] = 1.0;
    size[LOG_CHOLESKY_T + i] = row[i];
  }
  for (int i = 0; i < 3; i++) {
    size[LOG_CHOLESKY_S + i] = hypot(row[s_row[i]], z[LOG_CHOLESKY_S + i]);
  }
  size[LOG_CHOLESKY_ALPHA] = 1.0;
}

/* The matrix Z with tr(Z dJ) = r . dpi for every dpi. */
static mat4 multiplier_of(const double *r) {
  mat4 Z = MAT4_ZERO;
  Z.m[3][3] = r[0];
  for (int i = 0; i < 3; i++) {
    Z.m[i][3] = Z.m[3][i] = 0.5 * r[1 + i];
  }
  Z.m[0][1] = Z.m[1][0] = -0.5 * r[5];
  Z.m[0][2] = Z.m[2][0] = -0.5 * r[6];
  Z.m[1][2] = Z.m[2][1] = -0.5 * r[8];
  Z.m[0][0] = r[7] + r[9];
  Z.m[1][1] = r[4] + r[9];
  Z.m[2][2] = r[4] + r[7];
  return Z;
}

/* tr(Z E E^T) is the sum over columns c of e_c^T Z e_c. */
void body_chart_curvature(const struct body_chart *chart, const double *r, double K[TEN][TEN]) {
  const mat4 Z = multiplier_of(r);
  double lambda[4];
  mat4 V, positive = MAT4_ZERO;
  if (chart->form != CHART_SQRT || sym4_eigen(&Z, lambda, &V) != STATUS_OK) {
    return;
  }
  for (int i = 0; i < 4; i++) {
    for (int a = 0; a < 4 && lambda[i] > 0.0; a++) {
      for (int b = 0; b < 4; b++) {
        positive.m[a][b] += lambda[i] * V.m[a][i] * V.m[b][i];
      }
    }
  }
  for (int k = 0; k < TEN; k++) {
    for (int l = 0; l < TEN; l++) {
      K[k][l] += COLUMN[k] == COLUMN[l]
                     ? 2.0 * positive.m[chart->order[ROW[k]]][chart->order[ROW[l]]]
                     : 0.0;
    }
  }
}

bool body_chart_way_out(const struct convex_cone *body, const double *r, double dpi[TEN]) {
  double border[TEN], lambda[4];
  border_of(body, border);
  const struct inertia kept = inertia_from(border);
  const mat4 B = pseudo_inertia(&kept), Z = multiplier_of(r);
  mat4 L, V;
  if (sym4_cholesky(&B, &L) != STATUS_OK) {
    return false;
  }
  const mat4 Lt = mat4_transpose(&L), ZL = mat4_mul(&Z, &L), seen = mat4_mul(&Lt, &ZL);
  if (sym4_eigen(&seen, lambda, &V) != STATUS_OK || !(lambda[0] < 0.0)) {
    return false;
  }
  double v[4] = {0.0};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k <= i; k++) {
      v[i] += L.m[i][k] * V.m[k][0];
    }
  }
  mat4 dJ;
  for (int i = 0; i < 16; i++) {
    dJ.m[i / 4][i % 4] = v[i / 4] * v[i % 4];
  }
  const struct inertia way = inertia_from_pseudo(&dJ);
  inertia_to(&way, dpi);
  return true;
}
