#include "sim_skin.h"

#include "model/motion.h"
#include "robot/sensor_frame.h"
#include "sim_normals.h"
#include "sim_sensors.h"

#include <stdlib.h>
#include <string.h>

enum { DRAW_CONSTANTS = 100, DRAW_NOISE, DRAW_TOUCH, DRAW_LINKS };

#define TOUCH_SECONDS     0.3f /* a touch lasts this long */
#define APPROACH_SECONDS  0.1f /* proximity announces it this long before */
#define TOUCH_NEWTONS     5.0f /* force on each touched cell */
#define TOUCH_DISTURBANCE 3.0  /* m/s^2, one standard deviation: the touched cell is shaken */
#define GOLDEN_RATIO      0.6180339887498949 /* turns that never bunch */
#define DEAD_READING      -1.0f /* what the iCub's dead sensor says, raw (-1, -1, -1) */

enum cell_state { CELL_HEALTHY, CELL_DEAD, CELL_STUCK };

struct cell_errors {
  enum cell_state state;
  mat3 R_LS; /* the true mounting: the link's turn, nominal rotation and orientation error */
  vec3 bias; /* m/s^2 */
  vec3 gain; /* about 1, per axis */
};

static struct cell_errors draw_errors(const struct sim_skin_noise *noise,
                                      const struct skin_cell *cell, struct sim_random *random) {
  double draw[9];
  for (int i = 0; i < 9; i++) {
    draw[i] = sim_normal(random);
  }
  const double fate = sim_uniform(random, 0.0, 1.0);
  const vec3 tilt = vec3_scale(noise->orientation, vec3_from(draw));
  const mat3 R_tilt = mat3_from_quat(quat_from_rotation_vector(tilt));
  return (struct cell_errors){
      .state = fate < noise->dead                  ? CELL_DEAD
               : fate < noise->dead + noise->stuck ? CELL_STUCK
                                                   : CELL_HEALTHY,
      .R_LS = mat3_mul(&cell->placement.R, &R_tilt),
      .bias = vec3_scale(noise->bias, vec3_from(draw + 3)),
      .gain = vec3_axpy((vec3){1.0, 1.0, 1.0}, noise->scale, vec3_from(draw + 6)),
  };
}

static struct link_errors draw_link_errors(const struct sim_skin_noise *noise,
                                           struct sim_random *random) {
  double draw[4];
  for (int i = 0; i < 4; i++) {
    draw[i] = sim_normal(random);
  }
  const vec3 tilt = vec3_scale(noise->link_tilt, vec3_from(draw));
  return (struct link_errors){
      .gain = (1.0 + noise->gain) * (1.0 + noise->link_gain * draw[3]),
      .R = mat3_from_quat(quat_from_rotation_vector(tilt)),
      .delay_s = noise->link_delay * sim_uniform(random, 0.0, 1.0),
  };
}

static double draw_next_touch(struct sim_skin *skin, double t) {
  if (skin->noise.touch_rate_hz <= 0.0) {
    return HUGE_VAL;
  }
  return t - log(1.0 - sim_uniform(&skin->touch_random, 0.0, 1.0)) / skin->noise.touch_rate_hz;
}

/* Numbers of pairs that `count` normal numbers need, and as many as are made at once. */
static size_t padded_pairs(size_t count) {
  return (count / 2 / SIM_NORMALS_WIDTH + 1) * SIM_NORMALS_WIDTH;
}

static struct skin_draw allocate_draw(size_t n_cells) {
  const size_t pairs = padded_pairs(3 * n_cells + 1);
  struct skin_draw draw = {.u = calloc(4 * pairs + 1 + n_cells, sizeof(*draw.u))};
  if (draw.u != NULL) {
    draw.v = draw.u + pairs;
    draw.normal = draw.v + pairs;
    draw.drop = draw.normal + 2 * pairs + 1; /* 1: a spare number before those of pairs */
  }
  return draw;
}

enum status sim_skin_init(struct sim_skin *skin, const struct sim_options *options) {
  const size_t n = options->robot->n_cells, n_links = options->robot->model.n_links;
  const size_t past = options->skin.link_delay > 0.0 ? 2 * n_links * SIM_SKIN_PAST : 0;
  const bool filters = options->skin.filter_s > 0.0;
  struct sim_skin new = {.robot = options->robot,
                         .noise = options->skin,
                         .random = sim_random_from(options->seed, DRAW_NOISE),
                         .touch_random = sim_random_from(options->seed, DRAW_TOUCH),
                         .draw = allocate_draw(n),
                         .errors = calloc(n + 1, sizeof(*new.errors)),
                         .held = calloc(3 * n + 1, sizeof(*new.held)),
                         .touched_until = calloc(n + 1, sizeof(*new.touched_until)),
                         .link = calloc(n_links, sizeof(*new.link)),
                         .instant_s = sim_sensor_period(options),
                         .measured_hz = options->stream[PROPRIOD_SHM_SKIN].measured_hz,
                         .past = past > 0 ? calloc(past, sizeof(*new.past)) : NULL,
                         .passed = filters ? calloc(4 * n_links, sizeof(*new.passed)) : NULL};
  if (new.draw.u == NULL || new.errors == NULL || new.held == NULL || new.touched_until == NULL ||
      new.link == NULL || (past > 0 && new.past == NULL) || (filters && new.passed == NULL)) {
    sim_skin_free(&new);
    return STATUS_NO_MEMORY;
  }
  /* a stage that keeps k of an instant delays slow signals by k / (1 - k) instants */
  new.filter_keep = options->skin.filter_s / (options->skin.filter_s + 2.0 * new.instant_s);
  struct sim_random random = sim_random_from(options->seed, DRAW_CONSTANTS);
  for (size_t i = 0; i < n; i++) {
    new.errors[i] = draw_errors(&options->skin, &options->robot->cell[i], &random);
    new.touched_until[i] = -HUGE_VAL;
  }
  struct sim_random link_random = sim_random_from(options->seed, DRAW_LINKS);
  for (size_t i = 0; i < n_links; i++) {
    new.link[i] = draw_link_errors(&options->skin, &link_random);
  }
  for (size_t i = 0; i < n; i++) {
    mat3 *R_LS = &new.errors[i].R_LS;
    *R_LS = mat3_mul(&new.link[options->robot->cell[i].link].R, R_LS);
  }
  new.next_touch = draw_next_touch(&new, 0.0);
  *skin = new;
  return STATUS_OK;
}

void sim_skin_free(struct sim_skin *skin) {
  free(skin->draw.u);
  free(skin->errors);
  free(skin->held);
  free(skin->touched_until);
  free(skin->link);
  free(skin->past);
  free(skin->passed);
  *skin = (struct sim_skin){0};
}

size_t skin_sample_bytes(size_t n_cells) {
  const size_t words = (n_cells + sizeof(float) - 1) / sizeof(float); /* of flags */
  return (5 * n_cells + words + 1) * sizeof(float);
}

struct skin_sample skin_sample_in(void *block, size_t n_cells) {
  float *a = block;
  return (struct skin_sample){.acceleration = a,
                              .proximity = a + 3 * n_cells,
                              .force = a + 4 * n_cells,
                              .flags = (uint8_t *)(a + 5 * n_cells)};
}

/* Lets a hand come near a random cell and its neighbours: it touches after the approach. */
static void begin_touches(struct sim_skin *skin, double t) {
  const struct robot *robot = skin->robot;
  while (robot->n_cells > 0 && t >= skin->next_touch) {
    const size_t centre = sim_random_next(&skin->touch_random) % robot->n_cells;
    const double end = skin->next_touch + (double)(APPROACH_SECONDS + TOUCH_SECONDS);
    skin->touched_until[centre] = end;
    for (size_t k = 0; robot->neighbours != NULL && k < robot->neighbours[centre].count; k++) {
      skin->touched_until[robot->neighbours[centre].cell[k]] = end;
    }
    skin->next_touch = draw_next_touch(skin, skin->next_touch);
  }
}

/* Three normal numbers and a uniform one for each cell, in the order in which one cell after the
 * other would draw them. */
static void draw_sample(struct sim_skin *skin) {
  struct sim_random *random = &skin->random;
  const struct skin_draw *draw = &skin->draw;
  const size_t n_cells = skin->robot->n_cells, spare = random->has_spare ? 1 : 0;
  size_t pairs = 0;
  draw->normal[0] = random->spare;
  for (size_t i = 0; i < n_cells; i++) {
    for (; spare + 2 * pairs < 3 * (i + 1); pairs++) {
      draw->u[pairs] = sim_uniform(random, 0.0, 1.0);
      draw->v[pairs] = sim_uniform(random, 0.0, 1.0);
    }
    draw->drop[i] = sim_uniform(random, 0.0, 1.0);
  }
  sim_normals(draw->u, draw->v, padded_pairs(2 * pairs), draw->normal + spare);
  random->has_spare = spare + 2 * pairs > 3 * n_cells;
  random->spare = draw->normal[3 * n_cells];
}

/* How near the hand is: 0 free, rising to 1 over the approach, 1 while it touches. */
static float nearness(const struct sim_skin *skin, size_t i, double t) {
  const double left = skin->touched_until[i] - t;
  if (left <= 0.0) {
    return 0.0f;
  }
  const float since = APPROACH_SECONDS + TOUCH_SECONDS - (float)left;
  return since < APPROACH_SECONDS ? since / APPROACH_SECONDS : 1.0f;
}

/* A healthy cell's converter: gain, offset, noise, steps, end of range. */
static double convert(const struct sim_skin_noise *noise, double a, double gain, double bias,
                      double shake) {
  double y = gain * a + bias + shake;
  if (noise->quantum > 0.0) {
    y = noise->quantum * round(y / noise->quantum);
  }
  if (noise->saturation > 0.0) {
    y = fmin(fmax(y, -noise->saturation), noise->saturation);
  }
  return y;
}

/* The link's proper acceleration there, turned into the cell as it is really mounted, with its
 * errors. @eq Leboutet22 133
 * @differs Leboutet22 133: printed a + g; an accelerometer reads a - g, and a_L is that already */
static void read_cell(struct sim_skin *skin, size_t i, vec3 a_L, bool touched, bool anew,
                      float out[3]) {
  const struct sim_skin_noise *noise = &skin->noise;
  const struct cell_errors *e = &skin->errors[i];
  const struct link_errors *link = &skin->link[skin->robot->cell[i].link];
  const vec3 a = vec3_scale(link->gain, mat3_tmul_vec3(&e->R_LS, a_L));
  const double sigma = touched ? hypot(noise->white, TOUCH_DISTURBANCE) : noise->white;
  const double *normal = skin->draw.normal + 3 * i;
  out[0] = (float)convert(noise, a.x, e->gain.x, e->bias.x, sigma * normal[0]);
  out[1] = (float)convert(noise, a.y, e->gain.y, e->bias.y, sigma * normal[1]);
  out[2] = (float)convert(noise, a.z, e->gain.z, e->bias.z, sigma * normal[2]);
  float *held = &skin->held[3 * i];
  for (int k = 0; k < 3; k++) {
    held[k] = anew ? out[k] : held[k];
    out[k] = e->state == CELL_DEAD ? DEAD_READING : held[k];
  }
}

/* Whether cell i has measured anew since the sample before. Those that are polled take turns. */
static bool measures(const struct sim_skin *skin, size_t i, double t) {
  const double hz = skin->measured_hz, turn = GOLDEN_RATIO * (double)i;
  if (!skin->has_sample) {
    return true;
  }
  return skin->errors[i].state != CELL_STUCK &&
         (hz <= 0.0 || floor(hz * t + turn) > floor(hz * skin->sampled_s + turn));
}

bool sim_skin_live(const struct sim_skin *skin) {
  return skin->past != NULL || skin->passed != NULL;
}

static struct motion mixed(double keep, const struct motion *a, const struct motion *b) {
  return (struct motion){vec3_axpy(vec3_scale(keep, a->ang), 1.0 - keep, b->ang),
                         vec3_axpy(vec3_scale(keep, a->lin), 1.0 - keep, b->lin)};
}

/* What the cells of each link feel passes two stages. */
static void pass(struct sim_skin *skin, const struct motion *velocity,
                 const struct motion *acceleration) {
  const size_t n = skin->robot->model.n_links;
  const double keep = skin->has_passed ? skin->filter_keep : 0.0;
  for (size_t i = 0; i < 2 * n; i++) {
    struct motion *first = &skin->passed[i], *second = &skin->passed[2 * n + i];
    *first = mixed(keep, first, i < n ? &velocity[i] : &acceleration[i - n]);
    *second = mixed(keep, second, first);
  }
  skin->has_passed = true;
}

void sim_skin_remember(struct sim_skin *skin, const struct motion *velocity,
                       const struct motion *acceleration) {
  if (skin->passed != NULL) {
    pass(skin, velocity, acceleration);
    velocity = skin->passed + 2 * skin->robot->model.n_links;
    acceleration = velocity + skin->robot->model.n_links;
  }
  if (skin->past != NULL) {
    const size_t n = skin->robot->model.n_links;
    struct motion *at = skin->past + 2 * n * (skin->seen % SIM_SKIN_PAST);
    memcpy(at, velocity, n * sizeof(*at));
    memcpy(at + n, acceleration, n * sizeof(*at));
    skin->seen++;
  }
}

/* Number `k` (0 velocity, 1 proper acceleration) of a link `back` instants ago. */
static const struct motion *remembered(const struct sim_skin *skin, size_t link, int k,
                                       uint64_t back) {
  const size_t n = skin->robot->model.n_links;
  const uint64_t oldest = (skin->seen < SIM_SKIN_PAST ? skin->seen : SIM_SKIN_PAST) - 1;
  const uint64_t instant = skin->seen - 1 - (back < oldest ? back : oldest);
  return skin->past + 2 * n * (instant % SIM_SKIN_PAST) + (size_t)k * n + link;
}

/* The same at the link's own instant, between two remembered ones. */
static struct motion late(const struct sim_skin *skin, size_t link, int k,
                          const struct motion *now) {
  const double back = skin->link[link].delay_s / skin->instant_s;
  if (skin->past == NULL) {
    return now[link];
  }
  const uint64_t whole = (uint64_t)back;
  const double share = back - (double)whole;
  const struct motion *newer = remembered(skin, link, k, whole),
                      *older = remembered(skin, link, k, whole + 1);
  return (struct motion){vec3_axpy(vec3_scale(1.0 - share, newer->ang), share, older->ang),
                         vec3_axpy(vec3_scale(1.0 - share, newer->lin), share, older->lin)};
}

void sim_read_skin(struct sim_skin *skin, double t, const struct motion *velocity,
                   const struct motion *acceleration, const struct skin_sample *out) {
  const struct robot *robot = skin->robot;
  if (skin->passed != NULL) {
    velocity = skin->passed + 2 * robot->model.n_links;
    acceleration = velocity + robot->model.n_links;
  }
  begin_touches(skin, t);
  draw_sample(skin);
  for (size_t i = 0; i < robot->n_cells; i++) {
    const struct skin_cell *cell = &robot->cell[i];
    const float near = nearness(skin, i, t);
    const bool touched = near >= 1.0f;
    const struct motion v = late(skin, cell->link, 0, velocity),
                        a = late(skin, cell->link, 1, acceleration);
    const vec3 a_L = point_acceleration(&a, v.ang, cell->placement.p);
    read_cell(skin, i, a_L, touched, measures(skin, i, t), &out->acceleration[3 * i]);
    const bool dropped = skin->draw.drop[i] < skin->noise.drop;
    out->proximity[i] = near;
    out->force[i] = touched ? TOUCH_NEWTONS : 0.0f;
    out->flags[i] =
        (uint8_t)((dropped ? 0u : CELL_VALID) | (skin->noise.has_proximity ? CELL_PROXIMITY : 0u) |
                  (skin->noise.has_force ? CELL_FORCE : 0u));
  }
  skin->has_sample = true;
  skin->sampled_s = t;
}
