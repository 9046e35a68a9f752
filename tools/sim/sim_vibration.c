#include "sim_vibration.h"

enum { DRAW_SHAPES = 400, DRAW_HUM };

#define HUM_LOW      40.0 /* Hz: motors and gears */
#define HUM_HIGH     300.0
#define HUM_DAMPING  0.02 /* ratio: the band's width is twice that share of its frequency */
#define RING_LOW     20.0 /* Hz: limbs on their gears, covers, the trunk */
#define RING_HIGH    80.0
#define RING_DAMPING 0.06

static vec3 draw_axis(struct sim_random *random) {
  const vec3 v = {sim_normal(random), sim_normal(random), sim_normal(random)};
  return vec3_scale(1.0 / vec3_norm(v), v);
}

void sim_vibration_init(struct sim_vibration_state *vibration, const struct sim_options *options) {
  const double period_s = sim_sensor_period(options);
  const struct sim_vibration *size = &options->vibration;
  *vibration =
      (struct sim_vibration_state){.size = *size,
                                   .exists = size->force > 0.0 || size->rate > 0.0 ||
                                             size->strike_force > 0.0 || size->strike_rate > 0.0,
                                   .n_links = options->robot->model.n_links,
                                   .weight = STANDARD_GRAVITY * model_mass(&options->robot->model),
                                   .random = sim_random_from(options->seed, DRAW_HUM)};
  struct sim_random random = sim_random_from(options->seed, DRAW_SHAPES);
  for (size_t i = 0; i < vibration->n_links; i++) {
    struct link_shaking *link = &vibration->link[i];
    for (int k = 0; k < 6; k++) {
      link->hum[k] = resonance_at(sim_uniform(&random, HUM_LOW, HUM_HIGH), HUM_DAMPING, period_s);
    }
    for (int k = 0; k < 2; k++) {
      link->ring[k] =
          resonance_at(sim_uniform(&random, RING_LOW, RING_HIGH), RING_DAMPING, period_s);
    }
    link->turn_axis = draw_axis(&random);
    link->shift_axis = draw_axis(&random);
  }
}

static void hum(struct sim_vibration_state *vibration, struct link_shaking *link,
                struct motion *velocity, struct motion *acceleration) {
  double rate[3], slope[3], force[3];
  for (int k = 0; k < 6; k++) {
    struct resonance *z = &link->hum[k];
    const double feed = resonance_feed(z);
    const double re = sim_normal(&vibration->random), im = sim_normal(&vibration->random);
    resonance_step(z, feed * re, feed * im);
  }
  for (int k = 0; k < 3; k++) {
    rate[k] = link->hum[k].im;
    slope[k] = resonance_slope(&link->hum[k]);
    force[k] = link->hum[3 + k].im;
  }
  velocity->ang = vec3_axpy(velocity->ang, vibration->size.rate, vec3_from(rate));
  acceleration->ang = vec3_axpy(acceleration->ang, vibration->size.rate, vec3_from(slope));
  acceleration->lin = vec3_axpy(acceleration->lin, vibration->size.force, vec3_from(force));
}

/* `blow` is the change of the ground's force, in weights. */
static void ring(const struct sim_vibration *size, struct link_shaking *link, double blow,
                 struct motion *velocity, struct motion *acceleration) {
  struct resonance *turn = &link->ring[0], *shift = &link->ring[1];
  resonance_step(turn, blow, 0.0);
  resonance_step(shift, blow, 0.0);
  velocity->ang = vec3_axpy(velocity->ang, size->strike_rate * turn->im, link->turn_axis);
  acceleration->ang =
      vec3_axpy(acceleration->ang, size->strike_rate * resonance_slope(turn), link->turn_axis);
  acceleration->lin =
      vec3_axpy(acceleration->lin, size->strike_force * shift->im, link->shift_axis);
}

void sim_vibration_step(struct sim_vibration_state *vibration, double ground_N,
                        const struct motion *velocity, const struct motion *acceleration) {
  const double blow =
      vibration->has_force ? (ground_N - vibration->force) / vibration->weight : 0.0;
  vibration->has_force = true;
  vibration->force = ground_N;
  for (size_t i = 0; i < vibration->n_links; i++) {
    vibration->velocity[i] = velocity[i];
    vibration->acceleration[i] = acceleration[i];
    hum(vibration, &vibration->link[i], &vibration->velocity[i], &vibration->acceleration[i]);
    ring(&vibration->size, &vibration->link[i], blow, &vibration->velocity[i],
         &vibration->acceleration[i]);
  }
}
