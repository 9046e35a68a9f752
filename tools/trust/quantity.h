/* What is published, held against the truth: one quantity at a time, each with its error and the
 * deviation that was published for it.
 *
 * World vectors are compared in axes of the true yaw, points of the world relative to the base:
 * yaw and horizontal place are not observable. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include "pipeline.h"
#include "sim_truth.h"

enum quantity {
  QUANTITY_Q,
  QUANTITY_DQ,
  QUANTITY_DDQ,
  QUANTITY_TILT, /* rotation about the two horizontal axes, world */
  QUANTITY_RATE, /* of the base, base axes */
  QUANTITY_ANG_ACC,
  QUANTITY_FORCE,    /* specific force of the base origin, base axes */
  QUANTITY_VELOCITY, /* of the base origin, world */
  QUANTITY_HEIGHT,   /* of the base origin */
  QUANTITY_GYRO_BIAS,
  QUANTITY_COM, /* from the base origin, world */
  QUANTITY_COM_VELOCITY,
  QUANTITY_COM_ACC,
  QUANTITY_MOMENTUM,
  QUANTITY_MOMENTUM_RATE,
  QUANTITY_COP, /* horizontal, from the base origin, world */
  QUANTITY_CONTACT_FORCE,
  QUANTITIES
};

struct quantity_row {
  const char *name, *unit;
  double scale;      /* into the printed unit */
  double believable; /* error (SI) beyond which `ok` is a lie while no deviation is published */
  bool centroidal;   /* its status is that of the centroidal estimate */
};

/* [any] NULL beyond the last. */
const struct quantity_row *quantity_row(size_t quantity);

/* One comparison; `sd` NaN where no deviation is published. */
struct quantity_error {
  size_t n; /* components; 0: not estimated, or the truth has none */
  double error[MODEL_MAX_JOINTS], sd[MODEL_MAX_JOINTS];
};

/* What the comparison needs to know beside the estimates. */
struct quantity_truth {
  const struct robot *robot;
  const struct sim_truth *truth;
};

/* Compares one quantity now. [any] */
void quantity_compare(enum quantity quantity, const struct estimates *estimates,
                      const struct quantity_truth *truth, struct quantity_error *out);

#endif
