#include "identify/fit/triangle.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

enum { WORK = 64 /* numbers of LAPACK's work per column */ };

static size_t height(const struct triangle *t) {
  return t->n + 1 + TRIANGLE_BLOCK;
}

enum status triangle_init(struct triangle *triangle, size_t n) {
  *triangle = (struct triangle){.n = n};
  triangle->block = calloc(height(triangle) * (n + 1), sizeof(double));
  triangle->tau = calloc(n + 1, sizeof(double));
  triangle->work = calloc(WORK * (n + 1), sizeof(double));
  if (triangle->block == NULL || triangle->tau == NULL || triangle->work == NULL) {
    triangle_free(triangle);
    return STATUS_NO_MEMORY;
  }
  return STATUS_OK;
}

void triangle_free(struct triangle *triangle) {
  free(triangle->block);
  free(triangle->tau);
  free(triangle->work);
  *triangle = (struct triangle){0};
}

void triangle_clear(struct triangle *triangle) {
  memset(triangle->block, 0, height(triangle) * (triangle->n + 1) * sizeof(double));
  triangle->rows = triangle->waiting = 0;
}

/* Folds the waiting rows into R: QR of both, one above the other. */
static void fold(struct triangle *t) {
  const size_t columns = t->n + 1, tall = height(t);
  if (t->waiting == 0) {
    return;
  }
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)(columns + t->waiting), (lapack_int)columns,
                      t->block, (lapack_int)tall, t->tau, t->work, (lapack_int)(WORK * columns));
  for (size_t c = 0; c < columns; c++) {
    memset(t->block + c * tall + c + 1, 0, (tall - c - 1) * sizeof(double));
  }
  t->waiting = 0;
}

void triangle_row(struct triangle *triangle, const double *Y, double z, double weight) {
  const size_t tall = height(triangle), at = triangle->n + 1 + triangle->waiting;
  for (size_t c = 0; c < triangle->n; c++) {
    triangle->block[c * tall + at] = weight * Y[c];
  }
  triangle->block[triangle->n * tall + at] = weight * z;
  triangle->rows++;
  if (++triangle->waiting == TRIANGLE_BLOCK) {
    fold(triangle);
  }
}

void triangle_add_to(struct triangle *triangle, double share, const size_t *column, size_t n_all,
                     double *A, double *b, double *constant) {
  fold(triangle);
  const size_t n = triangle->n, tall = height(triangle);
  const double *R = triangle->block;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k <= i; k++) { /* rows below k of column k are zero */
      const double sum = share * cblas_ddot((int)(k + 1), R + i * tall, 1, R + k * tall, 1);
      A[column[i] * n_all + column[k]] += sum;
      if (k < i) {
        A[column[k] * n_all + column[i]] += sum;
      }
    }
    b[column[i]] += share * cblas_ddot((int)(i + 1), R + i * tall, 1, R + n * tall, 1);
  }
  *constant += share * cblas_ddot((int)(n + 1), R + n * tall, 1, R + n * tall, 1);
}
