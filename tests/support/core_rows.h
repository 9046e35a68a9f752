/* One body on a force/torque sensor that is moved about, for tests of the inertial core: six rows,
 * ten parameters. */
#ifndef CORE_ROWS_H
#define CORE_ROWS_H

#include "support/core_update.h"
#include "support/random_body.h"
#include "support/random_model.h"

enum { ROWS = 6, TEN = INERTIA_PARAMETERS };

extern const struct inertial_core_settings CORE_SETTINGS;
extern const double CORE_NOISE[ROWS]; /* N m, N */
extern const mat3 CORE_SHAPE;         /* kg m^2 */

/* The body that is thought to be there: 8 kg. */
struct inertia core_nominal(void);

/* A body drawn from the prior of CORE_SETTINGS about `mean`, in Rucker's coordinates. */
struct inertia core_drawn_from_prior(struct random *random, const struct inertia *mean);

struct inertial_core *core_new(const struct inertial_core_settings *settings,
                               const struct inertia *prior);

/* Rows of a random vigorous motion, measured with `noise` times CORE_NOISE. */
struct core_sample {
  double Y[ROWS][TEN], z[ROWS], R[ROWS];
};
vec3 core_random_vector(struct random *random, double scale);
struct inertial_rows core_measure(struct random *random, const struct inertia *truth, double noise,
                                  struct core_sample *sample);

/* The same rows with their biases beside the parameters, in Y. */
struct inertial_rows core_with_biases(const struct core_sample *sample, double Y[ROWS][TEN + ROWS]);

#endif
