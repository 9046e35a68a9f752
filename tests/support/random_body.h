/* Random bodies for tests. */
#ifndef RANDOM_BODY_H
#define RANDOM_BODY_H

#include "inertia/inertia.h"
#include "support/suite.h"

/* A physically consistent body: eight random points of mass, 0.2 to 20 kg in all, around a random
 * place within 0.3 m of the origin. */
struct inertia random_body(struct random *random);

/* A random proper pose within a metre. */
struct pose random_pose(struct random *random);

#endif
