#include "strips.h"

#include "sim_random.h"

enum { DRAW_STRIPS = 540 };

#define LENGTH 0.06 /* m, of a strip along the way */
#define THICK  0.2  /* m */
#define WIDE   2.0  /* m, of a lane */
#define FAR    50.0 /* m, before the first strip and behind the last */
#define BELOW  5.0  /* m, the ground about them */

struct strips strips_of(const struct sim_ground *ground, double from, double middle,
                        uint64_t seed) {
  struct sim_random random = sim_random_from(seed, DRAW_STRIPS);
  struct strips strips = {.from = from, .middle = middle, .climb = ground->climb};
  const bool flat = ground->uneven <= 0.0 && ground->slope <= 0.0 && ground->climb == 0.0;
  strips.n = flat ? 0 : STRIPS_MAX;
  for (size_t i = 0; i < strips.n; i++) {
    for (size_t lane = 0; lane < 2; lane++) {
      strips.above[lane][i] = ground->uneven * sim_uniform(&random, -1.0, 1.0);
      strips.tilt[lane][i] = (vec3){ground->slope * sim_uniform(&random, -1.0, 1.0),
                                    ground->slope * sim_uniform(&random, -1.0, 1.0), 0.0};
    }
  }
  return strips;
}

double strips_height(const struct strips *strips, double x, double y) {
  const double along = x - strips->from;
  if (strips->n == 0 || along <= 0.0) {
    return 0.0;
  }
  const size_t i = (size_t)fmin(along / LENGTH, (double)(strips->n - 1));
  return strips->above[y > strips->middle ? 0 : 1][i] + strips->climb * along;
}

/* A slab whose upper side has its middle at x, z, so long along it. */
static struct block slab(const struct strips *strips, double friction, size_t lane, double x,
                         double z, double length, vec3 tilt) {
  const double y = strips->middle + (lane == 0 ? 0.5 : -0.5) * WIDE;
  const mat3 R = mat3_from_quat(quat_from_rotation_vector(tilt));
  const vec3 centre = mat3_mul_vec3(&R, (vec3){0.0, 0.0, -0.5 * THICK});
  return (struct block){.centre = vec3_add((vec3){x, y, z}, centre),
                        .size = {length, WIDE, THICK},
                        .friction = friction,
                        .tilt = tilt};
}

size_t strips_lay(const struct strips *strips, double friction, struct block *block,
                  double *ground_z) {
  size_t n = 0;
  for (size_t lane = 0; lane < 2 && strips->n > 0; lane++) {
    *ground_z = -BELOW;
    block[n++] =
        slab(strips, friction, lane, strips->from - 0.5 * FAR, 0.0, FAR, (vec3){0.0, 0.0, 0.0});
    for (size_t i = 0; i < strips->n; i++) {
      const bool last = i + 1 == strips->n;
      const double length = last ? FAR : LENGTH;
      const double along = (double)i * LENGTH + 0.5 * length;
      vec3 tilt = strips->tilt[lane][i];
      tilt.y -= strips->climb;
      block[n++] = slab(strips, friction, lane, strips->from + along,
                        strips->above[lane][i] + strips->climb * along, length, tilt);
    }
  }
  return n;
}
