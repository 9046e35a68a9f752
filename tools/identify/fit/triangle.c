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
  triangle->gram = calloc((n + 1) * (n + 1), sizeof(double));
  triangle->tau = calloc(n + 1, sizeof(double));
  triangle->work = calloc(WORK * (n + 1), sizeof(double));
  if (triangle->block == NULL || triangle->gram == NULL || triangle->tau == NULL ||
      triangle->work == NULL) {
    triangle_free(triangle);
    return STATUS_NO_MEMORY;
  }
  return STATUS_OK;
}

void triangle_free(struct triangle *triangle) {
  free(triangle->block);
  free(triangle->gram);
  free(triangle->tau);
  free(triangle->work);
  *triangle = (struct triangle){0};
}

void triangle_clear(struct triangle *triangle) {
  const size_t columns = triangle->n + 1;
  for (size_t c = 0; c < columns; c++) { /* what waits below is written before it is read */
    memset(triangle->block + c * height(triangle), 0, columns * sizeof(double));
  }
  triangle->rows = triangle->waiting = 0;
  triangle->squared = false;
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
    memset(t->block + c * tall + c + 1, 0, (columns + t->waiting - c - 1) * sizeof(double));
  }
  t->waiting = 0;
  t->squared = false;
}

/* R^T R, from the triangle times itself. */
static void square(struct triangle *t) {
  const size_t columns = t->n + 1, tall = height(t);
  for (size_t c = 0; c < columns; c++) {
    memcpy(t->gram + c * columns, t->block + c * tall, columns * sizeof(double));
  }
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, (int)columns,
              (int)columns, 1.0, t->block, (int)tall, t->gram, (int)columns);
  t->squared = true;
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
  if (!triangle->squared) {
    square(triangle);
  }
  const size_t n = triangle->n;
  for (size_t i = 0; i < n; i++) {
    const double *row = triangle->gram + i * (n + 1);
    double *to = A + column[i] * n_all;
    for (size_t k = 0; k < n; k++) {
      to[column[k]] += share * row[k];
    }
    b[column[i]] += share * row[n];
  }
  *constant += share * triangle->gram[n * (n + 1) + n];
}
