/* One robot as robots are, through the product's own path: ordinary biases of all sensors, a model
 * that is 3 % and 5 mm wrong, a load that is there from the start or taken up, handed over, put
 * down; and how far what is told of the links is from what they carry. */
#ifndef WEIGHING_RUN_H
#define WEIGHING_RUN_H

#include "pipeline.h"
#include "sim.h"
#include "stock_robot.h"

enum { WEIGHING_LINKS = 2 };

struct weighing_order {
  const char *robot, *scenario;
  const char *link[WEIGHING_LINKS]; /* estimated; the second may be NULL */
  struct sim_payload load;
  bool skin, torques;
  double encoder_noise; /* rad, as told; 0: 1e-4 */
  double late_s;        /* wrenches' stamps, beyond the truth */
  double model_wrong;   /* times 3 % and 5 mm */
  double amplitude;     /* times the scenario's motion; 0: 1 */
  double seconds;
  uint64_t seed;
};

/* Of one estimated link, over the instants that tell something (status not init). */
struct weighing_score {
  size_t told, beyond;   /* beyond: three deviations, in mass or centre */
  size_t ok, wrong;      /* status ok; of them beyond five deviations */
  double longest_lie_s;  /* of instants in a row that are ok and beyond five */
  double worst_sigmas;   /* of mass and centre */
  double wrong_since_s;  /* running: since when it is ok and wrong; NaN: it is not */
  double last_off_s;     /* last instant at which the mass was 2 % of the load and 50 g off */
  double mass_sum, most; /* kg: of |error|; the largest */
  double largest_kg;     /* of what was told */
};

struct weighing {
  struct weighing_order order;
  struct stock_robot stock;
  struct sim *sim;
  struct pipeline *pipeline;
  void *memory;
  struct estimates estimates;
  size_t n_links, link[WEIGHING_LINKS];
  struct weighing_score score[WEIGHING_LINKS];
  int64_t t0_ns;
  double t;         /* s from the start */
  double doubted_s; /* when it was first said that something does not fit; HUGE_VAL: never */
  bool fallen;
};

/* Sensors and body of an order. [start] Change what the run is about before weighing_begin. */
struct sim_options weighing_options(struct weighing *weighing, const struct weighing_order *order);

/* Ends the program where the simulation or the estimators refuse it. [start] */
void weighing_begin(struct weighing *weighing, const struct sim_options *options);
void weighing_end(struct weighing *weighing);

/* One frame; false at the end, or when it has fallen. */
bool weighing_step(struct weighing *weighing);

/* Of what is told of the k-th link now. */
const struct inertial_link_estimate *weighing_link(const struct weighing *weighing, size_t k);
double weighing_mass_error(const struct weighing *weighing, size_t k); /* kg */
vec3 weighing_com_error(const struct weighing *weighing, size_t k);    /* m */
double weighing_sigmas(const struct weighing *weighing, size_t k); /* largest of mass and centre */

/* The heaviest link's name. */
const char *weighing_trunk(const struct robot *robot);

#endif
