#include "scenario_choices.h"

#define PUSH_SPEED    0.12 /* m/s given to the whole robot: it stays upright */
#define FALL_SPEED    1.2  /* m/s: it does not */
#define PUSH_SECONDS  0.2
#define PAYLOAD_SHARE 0.12 /* of the robot's mass: 8 kg for 67 kg */
#define CURL_SHARE    0.08 /* 12 lb for 67 kg */

void choose_push(struct sim_options *options, double leg_length) {
  struct sim_push *p = &options->push;
  const double speed = options->scenario == SIM_FALL ? FALL_SPEED : PUSH_SPEED;
  if (p->duration_s <= 0.0) {
    p->duration_s = PUSH_SECONDS;
  }
  if (vec3_norm(p->force_W) <= 0.0) { /* a half-sine has 2/pi of its peak times its length */
    const double peak = speed * model_mass(&options->robot->model) * M_PI / (2.0 * p->duration_s);
    p->force_W = (vec3){peak, options->scenario == SIM_FALL ? 0.0 : 0.5 * peak, 0.0};
  }
  if (p->start_s <= 0.0) {
    p->start_s = options->rest_s + 1.0;
  }
  if (vec3_norm(p->point_B) <= 0.0) {
    p->point_B = (vec3){0.0, 0.0, 0.1 * leg_length};
  }
}

void choose_payload(struct sim_options *options, const struct limbs *limbs, double leg_length) {
  const struct model *model = &options->robot->model;
  struct sim_payload *p = &options->payload;
  const bool curls = options->scenario == SIM_CURL;
  if (p->link != NULL || (options->scenario != SIM_PAYLOAD && !curls)) {
    return;
  }
  const int elbow = limbs->arm[0].elbow;
  const size_t link = curls && elbow != MODEL_NO_JOINT ? (size_t)elbow + 1 : limbs->trunk;
  p->link = model->link_name[link];
  if (p->mass <= 0.0) {
    p->mass = (curls ? CURL_SHARE : PAYLOAD_SHARE) * model_mass(model);
    p->com = curls ? (vec3){0.0, 0.0, -0.25 * leg_length}
                   : (vec3){0.2 * leg_length, 0.0, 0.25 * leg_length};
    p->size = (vec3){0.1 * leg_length, 0.2 * leg_length, 0.1 * leg_length};
  }
  if (p->attach_s <= 0.0) {
    p->attach_s = options->rest_s + 3.0;
    p->release_s = p->attach_s + 10.0;
  }
}
