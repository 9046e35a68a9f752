#include "process/base_liveliness.h"

#include <math.h>

/* Memory of the innovations, and how fast the density follows them, s. */
static const double MEMORY_S = 0.03;
/* The largest innovation that counts, per axis: a blow is no liveliness. */
static const double MOST = 6.0;
/* ... and the smallest mean, so that the density does not fall faster than it rises. */
static const double LEAST_MEAN = 1.0 / 16.0;
/* No base is so many times livelier than one at rest; beyond, numbers are lost. */
static const double MOST_LIVELY = 1e8;

enum status base_liveliness_init(struct base_liveliness *liveliness, double least) {
  if (!(least > 0.0 && isfinite(least))) {
    return STATUS_OUT_OF_RANGE;
  }
  *liveliness = (struct base_liveliness){.least = least};
  base_liveliness_reset(liveliness);
  return STATUS_OK;
}

void base_liveliness_reset(struct base_liveliness *liveliness) {
  liveliness->density = liveliness->least;
  liveliness->nis = 1.0;
}

void base_liveliness_step(struct base_liveliness *liveliness, double nis, double dt) {
  struct base_liveliness *l = liveliness;
  if (!(dt > 0.0) || !(nis >= 0.0)) {
    return;
  }
  const double share = dt / (MEMORY_S + dt);
  l->nis += share * (fmin(nis, MOST) - l->nis);
  /* an innovation mostly of liveliness goes with its inverse */
  l->density *= pow(fmax(l->nis, LEAST_MEAN), share);
  l->density = fmin(fmax(l->density, l->least), MOST_LIVELY * l->least);
}
