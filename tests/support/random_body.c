#include "support/random_body.h"

#include <math.h>

static vec3 place_within(struct random *random, double reach) {
  return (vec3){random_uniform(random, -reach, reach), random_uniform(random, -reach, reach),
                random_uniform(random, -reach, reach)};
}

struct inertia random_body(struct random *random) {
  const double mass = 0.2 * pow(100.0, random_uniform(random, 0.0, 1.0));
  const vec3 place = place_within(random, 0.3);
  struct inertia sum = {0};
  for (int k = 0; k < 8; k++) {
    const vec3 p = vec3_add(place, place_within(random, 0.15));
    const struct inertia point = inertia_of_point(mass / 8.0, p);
    sum = inertia_add(&sum, &point);
  }
  return sum;
}

struct pose random_pose(struct random *random) {
  const quat q = {random_normal(random), random_normal(random), random_normal(random),
                  random_normal(random)};
  return (struct pose){mat3_from_quat(q), place_within(random, 1.0)};
}
