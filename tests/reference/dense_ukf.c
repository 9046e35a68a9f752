#include "reference/dense_ukf.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* @eq Leboutet22 C.3: weights */
enum status dense_ukf_init(struct dense_ukf *ukf, size_t n, size_t m_max, double alpha, double beta,
                           double kappa, struct arena *arena) {
  const double size = (double)n;
  const double lambda = alpha * alpha * (size + kappa) - size;
  const size_t n_points = 2 * n + 1, wider = n > m_max ? n : m_max;
  *ukf = (struct dense_ukf){.n = n,
                            .m_max = m_max,
                            .n_points = n_points,
                            .gamma = sqrt(size + lambda),
                            .wc0 = lambda / (size + lambda) + 1.0 - alpha * alpha + beta,
                            .wi = 0.5 / (size + lambda)};
  ukf->x = ARENA_ARRAY(arena, double, n);
  ukf->P = ARENA_ARRAY(arena, double, n *n);
  ukf->points = ARENA_ARRAY(arena, double, n_points *n);
  ukf->images = ARENA_ARRAY(arena, double, n_points *wider);
  ukf->factor = ARENA_ARRAY(arena, double, n *n);
  ukf->Pyy = ARENA_ARRAY(arena, double, m_max *m_max);
  ukf->Pxy = ARENA_ARRAY(arena, double, m_max *n);
  ukf->innovation = ARENA_ARRAY(arena, double, m_max);
  ukf->scaled = ARENA_ARRAY(arena, double, n_points *wider);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* @eq Leboutet22 C.2: [x, x + gamma L, x - gamma L] */
static enum status draw_points(struct dense_ukf *ukf) {
  const size_t n = ukf->n;
  memcpy(ukf->factor, ukf->P, n * n * sizeof(double));
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, ukf->factor, (lapack_int)n) != 0) {
    return STATUS_SINGULAR;
  }
  memcpy(ukf->points, ukf->x, n * sizeof(double));
  for (size_t j = 0; j < n; j++) {
    double *plus = ukf->points + (1 + j) * n, *minus = ukf->points + (1 + n + j) * n;
    for (size_t i = 0; i < n; i++) {
      const double step = i < j ? 0.0 : ukf->gamma * ukf->factor[j * n + i];
      plus[i] = ukf->x[i] + step;
      minus[i] = ukf->x[i] - step;
    }
  }
  return STATUS_OK;
}

/* Weighted mean of `images`, each [m], and the images made differences from it. */
static void centre_images(struct dense_ukf *ukf, size_t m, double *mean) {
  const double *centre = ukf->images;
  memset(mean, 0, m * sizeof(double));
  for (size_t p = 1; p < ukf->n_points; p++) {
    for (size_t i = 0; i < m; i++) {
      /* as differences from the centre: the weights sum to one and nearly cancel */
      mean[i] += ukf->wi * (ukf->images[p * m + i] - centre[i]);
    }
  }
  for (size_t i = 0; i < m; i++) {
    mean[i] += centre[i];
  }
  for (size_t p = 0; p < ukf->n_points; p++) {
    for (size_t i = 0; i < m; i++) {
      ukf->images[p * m + i] -= mean[i];
    }
  }
}

/* out [m][k] = sum over points of wc images_p others_p^T; column-major m x k with leading m. */
static void weigh(struct dense_ukf *ukf, const double *others, size_t k, size_t m, double *out) {
  for (size_t p = 0; p < ukf->n_points; p++) {
    const double w = p == 0 ? ukf->wc0 : ukf->wi;
    for (size_t i = 0; i < k; i++) {
      ukf->scaled[p * k + i] = w * others[p * k + i];
    }
  }
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)m, (int)k, (int)ukf->n_points, 1.0,
              ukf->images, (int)m, ukf->scaled, (int)k, 0.0, out, (int)m);
}

/* @eq Leboutet22 C.4: time update */
enum status dense_ukf_predict(struct dense_ukf *ukf, dense_ukf_map *process, void *context,
                              const double *Q) {
  const size_t n = ukf->n;
  const enum status status = draw_points(ukf);
  if (status != STATUS_OK) {
    return status;
  }
  for (size_t p = 0; p < ukf->n_points; p++) {
    process(ukf->points + p * n, ukf->images + p * n, context);
  }
  centre_images(ukf, n, ukf->x);
  weigh(ukf, ukf->images, n, n, ukf->P);
  for (size_t i = 0; i < n * n; i++) {
    ukf->P[i] += Q[i];
  }
  return STATUS_OK;
}

/* @eq Leboutet22 C.4: measurement update with points drawn anew */
enum status dense_ukf_update(struct dense_ukf *ukf, dense_ukf_map *measure, void *context,
                             const double *z, size_t m) {
  const size_t n = ukf->n;
  const enum status status = draw_points(ukf);
  if (status != STATUS_OK) {
    return status;
  }
  for (size_t p = 0; p < ukf->n_points; p++) {
    measure(ukf->points + p * n, ukf->images + p * m, context);
  }
  double *mean = ukf->innovation;
  centre_images(ukf, m, mean);
  for (size_t p = 0; p < ukf->n_points; p++) {
    for (size_t i = 0; i < n; i++) {
      ukf->points[p * n + i] -= ukf->x[i];
    }
  }
  weigh(ukf, ukf->images, m, m, ukf->Pyy);
  weigh(ukf, ukf->points, n, m, ukf->Pxy);
  for (size_t i = 0; i < m; i++) {
    ukf->Pyy[i * m + i] += 1.0;
    ukf->innovation[i] = z[i] - mean[i];
  }
  const lapack_int rows = (lapack_int)m;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rows, ukf->Pyy, rows) != 0) {
    return STATUS_SINGULAR;
  }
  /* G = C^-1 Pxy^T, so that K nu = G^T C^-1 nu and K Pyy K^T = G^T G */
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)m, (int)n, 1.0,
              ukf->Pyy, (int)m, ukf->Pxy, (int)m);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)m, ukf->Pyy, (int)m,
              ukf->innovation, 1);
  ukf->nis = cblas_ddot((int)m, ukf->innovation, 1, ukf->innovation, 1);
  cblas_dgemv(CblasColMajor, CblasTrans, (int)m, (int)n, 1.0, ukf->Pxy, (int)m, ukf->innovation, 1,
              1.0, ukf->x, 1);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)n, (int)m, -1.0, ukf->Pxy, (int)m, 1.0,
              ukf->P, (int)n);
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j + 1; i < n; i++) {
      ukf->P[i * n + j] = ukf->P[j * n + i];
    }
  }
  return STATUS_OK;
}
