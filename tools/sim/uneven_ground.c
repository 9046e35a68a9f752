#include "uneven_ground.h"

#include "sim_random.h"

enum { DRAW_GROUND = 520, CLIMBS_FROM = 8 /* foothold */ };

#define THICK    0.2  /* m, of a slab */
#define WIDE     2.0  /* m, of a foot's lane outward */
#define FAR      50.0 /* m, of the last slab of each lane */
#define CLEARING 0.02 /* m, the ground about the slabs lies that much below the lowest */

/* From one foothold of this foot to half-way to its next; the last one goes on for long. */
static void set_reach(const struct walk_pattern *pattern, int k, bool last, double *from,
                      double *to) {
  const double here = walk_foothold(pattern, k).x;
  *from = k < 0 ? here - FAR : 0.5 * (walk_foothold(pattern, k - 2).x + here);
  *to = last ? here + FAR : 0.5 * (here + walk_foothold(pattern, k + 2).x);
}

/* The slab of foothold k. Those of the feet that stand at first are even: the walk begins there. */
static struct block slab(const struct sim_ground *ground, const struct walk_pattern *pattern,
                         double friction, int k, bool last, struct sim_random *random) {
  const double middle = pattern->middle.y;
  const double outward = copysign(WIDE, pattern->home[walk_swing_foot(k)].y - middle);
  double from, to;
  set_reach(pattern, k, last, &from, &to);
  const vec3 foothold = walk_foothold(pattern, k);
  const double climb = k < CLIMBS_FROM ? 0.0 : ground->climb;
  const double way = foothold.x - walk_foothold(pattern, CLIMBS_FROM - 1).x;
  const double rise = ground->uneven * sim_uniform(random, -1.0, 1.0);
  const double roll = ground->slope * sim_uniform(random, -1.0, 1.0),
               pitch = ground->slope * sim_uniform(random, -1.0, 1.0);
  const bool even = k < 0 || last;
  const vec3 tilt = {even ? 0.0 : roll, (even ? 0.0 : pitch) - climb, 0.0};
  const vec3 centre = {0.5 * (from + to), middle + 0.5 * outward, 0.0};
  /* tilted about the foothold */
  const mat3 R = mat3_from_quat(quat_from_rotation_vector(tilt));
  const vec3 from_foothold = {centre.x - foothold.x, centre.y - foothold.y, -0.5 * THICK};
  const vec3 place = vec3_add((vec3){foothold.x, foothold.y, (even ? 0.0 : rise) + climb * way},
                              mat3_mul_vec3(&R, from_foothold));
  return (struct block){
      .centre = place, .size = {to - from, WIDE, THICK}, .friction = friction, .tilt = tilt};
}

size_t uneven_ground_lay(const struct sim_ground *ground, const struct walk_pattern *pattern,
                         double friction, uint64_t seed, size_t room, struct block *block,
                         double *ground_z) {
  if (ground->uneven <= 0.0 && ground->slope <= 0.0 && ground->climb == 0.0) {
    return 0;
  }
  struct sim_random random = sim_random_from(seed, DRAW_GROUND);
  const double reach = WIDE + pattern->length; /* m, from a foothold to its slab's far corner */
  *ground_z = -ground->uneven - ground->slope * reach - CLEARING;
  size_t n = 0;
  for (int k = -2; n < room; k++) {
    const bool last = n + 2 >= room || k >= pattern->steps - 2;
    block[n++] = slab(ground, pattern, friction, k, last, &random);
    if (last && k >= pattern->steps - 1) {
      break;
    }
  }
  return n;
}
