#include "support/weighing_run.h"

#include "inertia/pseudo_inertia.h"
#include "support/give_up.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Deviations beyond which an instant that is ok is a wrong one, and beyond which it is counted. */
static const double WRONG = 5.0, BEYOND = 3.0;
/* A mass is right within this share of the load, and this, kg. */
static const double RIGHT_SHARE = 0.02, RIGHT = 0.05;

const char *weighing_trunk(const struct robot *robot) {
  const struct model *model = &robot->model;
  size_t heaviest = 0;
  for (size_t k = 1; k < model->n_links; k++) {
    heaviest = model->inertia[k].m > model->inertia[heaviest].m ? k : heaviest;
  }
  return model->link_name[heaviest];
}

struct sim_options weighing_options(struct weighing *w, const struct weighing_order *order) {
  struct message error;
  *w = (struct weighing){.order = *order, .doubted_s = HUGE_VAL};
  if (stock_robot_load(order->robot, "config/robots", &w->stock, &error) != STATUS_OK) {
    give_up("robot", error.text);
  }
  struct sim_options o = sim_defaults(w->stock.robot, w->stock.urdf, order->scenario);
  o.seed = order->seed;
  o.duration_s = order->seconds;
  o.amplitude = order->amplitude > 0.0 ? order->amplitude : 1.0;
  o.stream[PROPRIOD_SHM_SKIN].rate_hz *= order->skin;
  o.stream[PROPRIOD_SHM_WRENCH].rate_hz = 1000.0;
  o.stream[PROPRIOD_SHM_WRENCH].stamp_error_s = order->late_s;
  o.joints.has_effort = order->torques;
  o.imu.force_bias = 0.3;
  o.imu.rate_bias = 0.015;
  o.skin.bias = 0.1;
  o.skin.scale = 0.02;
  o.skin.orientation = 0.035;
  o.wrench.force_bias = 1.0;
  o.wrench.moment_bias = 0.2;
  o.body.mass = 0.03 * order->model_wrong;
  o.body.com = 5e-3 * order->model_wrong;
  o.payload = order->load;
  return o;
}

void weighing_begin(struct weighing *w, const struct sim_options *options) {
  struct message error;
  struct pipeline_settings settings = pipeline_defaults();
  settings.period_s = 1.0 / options->frame_rate_hz;
  settings.joints.encoder_noise = w->order.encoder_noise > 0.0 ? w->order.encoder_noise : 1e-4;
  for (size_t k = 0; k < WEIGHING_LINKS && w->order.link[k] != NULL; k++) {
    strcpy(settings.inertial.link[k], w->order.link[k]);
    w->link[k] = (size_t)inertial_link(w->stock.robot, w->order.link[k]);
    w->score[k].wrong_since_s = (double)NAN;
    settings.inertial.n_links = w->n_links = k + 1;
  }
  w->t0_ns = options->t0_ns;
  struct arena arena = {0};
  enum status status = pipeline_init(&w->pipeline, w->stock.robot, &settings, &arena);
  w->memory = aligned_alloc(ARENA_ALIGN, arena.used);
  arena = arena_over(w->memory, arena.used);
  status =
      status == STATUS_OK ? pipeline_init(&w->pipeline, w->stock.robot, &settings, &arena) : status;
  if (status != STATUS_OK) {
    give_up(w->order.robot, "estimators refuse it");
  }
  if (sim_create(&w->sim, options, &error) != STATUS_OK) {
    give_up("simulation", error.text);
  }
}

void weighing_end(struct weighing *w) {
  sim_destroy(w->sim);
  robot_destroy(w->stock.robot);
  free(w->memory);
}

/* -- errors ----------------------------------------------------------------------------------- */

static const struct inertia *truth_of(const struct weighing *w, size_t k) {
  return &sim_truth(w->sim)->inertia[w->link[k]];
}

const struct inertial_link_estimate *weighing_link(const struct weighing *w, size_t k) {
  return &w->estimates.inertia.result.link[k];
}

double weighing_mass_error(const struct weighing *w, size_t k) {
  return weighing_link(w, k)->estimate.m - truth_of(w, k)->m;
}

vec3 weighing_com_error(const struct weighing *w, size_t k) {
  return vec3_sub(inertia_com(&weighing_link(w, k)->estimate), inertia_com(truth_of(w, k)));
}

double weighing_sigmas(const struct weighing *w, size_t k) {
  const struct inertial_link_estimate *link = weighing_link(w, k);
  const vec3 off = weighing_com_error(w, k), sd = link->com_sd;
  const double centre = fmax(fabs(off.x) / sd.x, fmax(fabs(off.y) / sd.y, fabs(off.z) / sd.z));
  return fmax(fabs(weighing_mass_error(w, k)) / link->mass_sd, centre);
}

/* -- stepping --------------------------------------------------------------------------------- */

static void score(struct weighing *w, size_t k) {
  struct weighing_score *s = &w->score[k];
  const double sigmas = weighing_sigmas(w, k), off = fabs(weighing_mass_error(w, k));
  const bool ok = w->estimates.inertia.status == PROPRIOD_STATUS_OK;
  const bool wrong = ok && !(sigmas <= WRONG);
  s->told++;
  s->beyond += !(sigmas <= BEYOND);
  s->ok += ok;
  s->wrong += wrong;
  s->worst_sigmas = fmax(s->worst_sigmas, sigmas);
  s->mass_sum += off;
  s->most = fmax(s->most, off);
  if (off > fmax(RIGHT, RIGHT_SHARE * w->order.load.mass)) {
    s->last_off_s = w->t;
  }
  s->wrong_since_s = !wrong ? (double)NAN : isnan(s->wrong_since_s) ? w->t : s->wrong_since_s;
  s->longest_lie_s = fmax(s->longest_lie_s, wrong ? w->t - s->wrong_since_s : 0.0);
}

bool weighing_step(struct weighing *w) {
  if (w->fallen || sim_step(w->sim) != STATUS_OK) {
    return false;
  }
  const struct sensor_frame *frame = sim_frame(w->sim);
  pipeline_step(w->pipeline, frame, &w->estimates);
  const struct inertia_estimate *now = &w->estimates.inertia;
  w->t = 1e-9 * (double)(sim_truth(w->sim)->t_ns - w->t0_ns);
  w->fallen = w->fallen || sim_truth(w->sim)->fallen;
  if (now->result.doubted) {
    w->doubted_s = fmin(w->doubted_s, w->t);
  }
  for (size_t k = 0; k < w->n_links && now->status != PROPRIOD_STATUS_INIT; k++) {
    score(w, k);
  }
  return true;
}
