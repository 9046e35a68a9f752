/* The start of the joint filter: its defaults, and the building of all its parts. */
#include "joints/joint_base_start.h"
#include "joints/joint_filter_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewest and most instants of the window, and how many more than it needs. */
enum { INSTANTS_MIN = 4, INSTANTS_SPARE = 3, INSTANTS_MAX = 40 };
/* Rows of a measurement beside encoders and feet: IMU, orientation, a base that stays. */
enum { OTHER_ROWS = 12 };

struct joint_filter_settings joint_filter_defaults(void) {
  return (struct joint_filter_settings){
      .period_s = 1e-3,
      .window_s = 10e-3,
      .timeout_s = 0.25,
      .encoder_noise = 1e-3,
      .gyro_noise = 5e-3,
      .accelerometer_noise = 0.05,
      .cell_noise = 0.34,
      .joint_density = 1e2,
      .joint_density_min = 3e1,
      .joint_density_max = 5e10,
      .base_ang_density = 1e4,
      .base_lin_density = 1e4,
      .adapt_density = true,
      .link_bias = true,
      .cell_bias = 0.4,
      .cell_common = 0.3,
      .link_bias_time = 20.0,
      .cell_range = 75.0,
      .joints_together = 40,
      .fixed_base_force = {0.0, 0.0, STANDARD_GRAVITY},
      .base = {.gyro_bias = 0.03,
               .accelerometer_bias = 0.3,
               .gyro_walk = 2e-4,
               .accelerometer_walk = 1e-3,
               .velocity_walk = 5e-3,
               .foot_noise = 2e-3,
               .foot_walk = 1e-3,
               .sole_noise = 1e-2,
               .sole_walk = 2e-3,
               .sole_twist = 5e-3,
               .foot_slope = 0.02,
               .foot_height = 5e-3,
               .stay_velocity = 0.3,
               .orientation = 0.01},
  };
}

/* -- start ------------------------------------------------------------------------------------ */

static bool are_positive(const double *values, size_t count) {
  bool all = true;
  for (size_t i = 0; i < count; i++) {
    all = all && values[i] > 0.0 && isfinite(values[i]);
  }
  return all;
}

static enum status check(const struct joint_filter_settings *s) {
  const double positive[] = {s->period_s,           s->window_s,
                             s->timeout_s,          s->encoder_noise,
                             s->gyro_noise,         s->accelerometer_noise,
                             s->cell_noise,         s->joint_density,
                             s->joint_density_min,  s->joint_density_max,
                             s->base_ang_density,   s->base_lin_density,
                             s->cell_bias,          s->cell_common,
                             s->link_bias_time,     s->cell_range,
                             s->base.gyro_bias,     s->base.accelerometer_bias,
                             s->base.gyro_walk,     s->base.accelerometer_walk,
                             s->base.velocity_walk, s->base.foot_noise,
                             s->base.foot_walk,     s->base.sole_noise,
                             s->base.sole_walk,     s->base.sole_twist,
                             s->base.foot_slope,    s->base.foot_height,
                             s->base.stay_velocity, s->base.orientation};
  const bool fine = are_positive(positive, sizeof(positive) / sizeof(positive[0])) &&
                    s->joint_density_min <= s->joint_density_max &&
                    vec3_is_finite(s->fixed_base_force);
  return fine ? STATUS_OK : STATUS_OUT_OF_RANGE;
}

static size_t instants_needed(const struct joint_filter_settings *s) {
  const double wanted = ceil(s->window_s / s->period_s) + INSTANTS_SPARE;
  return (size_t)fmin(fmax(wanted, INSTANTS_MIN), INSTANTS_MAX) + INSTANTS_KEEP_EVERY - 1;
}

/* Most rows of a measurement of few rows: encoders, feet, limbs, and the others. */
static size_t row_count(const struct joint_layout *l) {
  return 2 * l->n + 9 * l->n_feet + 6 * l->n_limbs + OTHER_ROWS;
}

/* Everything with an init of its own; each counts or carves. */
static enum status init_parts(struct joint_filter *f, struct arena *arena) {
  const struct joint_filter_settings *s = &f->settings;
  const struct robot *robot = f->robot;
  const struct model *model = &robot->model;
  const size_t n_blocks = model->n_links + 1 + CARRIED_MAX;
  struct cell_health_settings health = cell_health_defaults();
  health.range = s->cell_range;
  health.noise =
      fmax(health.noise, s->cell_noise); /* its own allows for cells out of calibration */
  const struct motion_bank_settings bank = {.density_min = s->joint_density_min,
                                            .density_max = s->joint_density_max,
                                            .memory_s = 0.5,
                                            .bias_ratio = s->cell_bias / s->cell_noise,
                                            .bias_time_s = s->link_bias_time,
                                            .jump_gate = 16.0};
  const int64_t merge_ns = (int64_t)(0.5e9 * s->period_s);
  const enum status status[] = {
      skin_fusion_init(&f->fusion, f->skinned, s->cell_noise, NULL, s->cell_range, arena),
      cell_health_init(&f->health, f->skinned, &health, arena),
      instants_init(&f->instants, &f->layout, instants_needed(s), n_blocks, merge_ns, arena),
      joint_update_init(&f->update, &f->layout, model, NULL, f->fixed_force, ROWS_MAX * n_blocks,
                        arena),
      row_update_init(&f->rows, &f->layout, row_count(&f->layout), arena),
      joint_jump_init(&f->jump, &f->layout, arena),
      joint_preparation_init(&f->preparation, &f->layout, n_blocks, arena),
      encoder_guard_init(&f->guard, f->layout.n, arena),
      joint_lean_init(&f->lean, f->layout.n, arena),
      blows_init(&f->blows, f->layout.n, arena),
      aftershock_init(&f->aftershock, &f->layout, arena),
      motion_bank_init(&f->bank, f->layout.n, &bank, arena),
      joint_skin_init(&f->skin, robot, robot->fixed_base, s->cell_bias / s->cell_noise,
                      s->cell_common / STANDARD_GRAVITY, arena),
      kinematics_init(&f->kin, model, arena),
      base_liveliness_init(&f->liveliness[IMU_GYRO], s->base_ang_density),
      base_liveliness_init(&f->liveliness[IMU_ACCELEROMETER], s->base_lin_density),
  };
  for (size_t i = 0; i < sizeof(status) / sizeof(status[0]); i++) {
    if (status[i] != STATUS_OK) {
      return status[i];
    }
  }
  return STATUS_OK;
}

static void carve_arrays(struct joint_filter *f, struct arena *arena) {
  const struct joint_layout *l = &f->layout;
  const size_t n_links = f->robot->model.n_links;
  f->density = ARENA_ARRAY(arena, double, l->n);
  f->begins_density = ARENA_ARRAY(arena, double, l->n);
  f->encoder_told = ARENA_ARRAY(arena, double, l->n);
  f->encoder_sd = ARENA_ARRAY(arena, double, l->n);
  f->scatter = ARENA_ARRAY(arena, struct sensor_scatter, l->n);
  f->bias_prior = ARENA_ARRAY(arena, double, l->n);
  f->block = ARENA_ARRAY(arena, struct link_rows, n_links + 1 + CARRIED_MAX);
  f->omega = ARENA_ARRAY(arena, vec3, f->skinned->model.n_links);
  f->expected = ARENA_ARRAY(arena, struct motion, f->skinned->model.n_links);
  f->q_enough = ARENA_ARRAY(arena, double, f->layout.n);
  f->links.excess = ARENA_ARRAY(arena, double, n_links);
  f->links.far = ARENA_ARRAY(arena, uint8_t, n_links);
  f->jacobian = ARENA_ARRAY(arena, double, 6 * (6 + l->n));
  f->x = ARENA_ARRAY(arena, double, l->numbers);
  f->variance = ARENA_ARRAY(arena, double, l->size);
}

struct joint_layout joint_filter_layout(const struct robot *robot, bool link_bias) {
  const struct joint_layout layout =
      joint_layout_of(robot->model.n_joints, robot->fixed_base, link_bias, robot->n_feet);
  return joint_layout_with_limbs(layout, joint_limbs_count(robot));
}

/* rad or m: by the joint's name, or by its kind; one that follows another is read by the encoder of
 * that one, times its ratio. */
static double encoder_noise(const struct joint_filter_settings *s, const struct robot *robot,
                            size_t j) {
  static const double least = 1e-9; /* as motion.encoder_noise has it */
  const struct joint_source *source = &robot->joints.of[j];
  size_t read = j;
  for (size_t k = 0; source->follows && k < robot->model.n_joints; k++) {
    const struct joint_source *other = &robot->joints.of[k];
    read = !other->follows && other->place == source->place ? k : read;
  }
  const struct joint *joint = &robot->model.joint[read];
  const bool slides = joint->type == JOINT_PRISMATIC && s->prismatic_noise > 0.0;
  const double sd = joint_numbers_of(&s->encoder_noise_of, joint->name,
                                     slides ? s->prismatic_noise : s->encoder_noise);
  return source->follows ? fmax(sd * fabs(source->sign), least) : sd;
}

/* A filter of one part of the robot. On a counting arena *filter stays NULL. */
static enum status init_over(struct joint_filter **filter, const struct robot_part *part,
                             const struct robot *whole, bool sensors,
                             const struct joint_filter_settings *settings, struct arena *arena) {
  const struct robot *robot = part->robot;
  struct joint_filter *place = ARENA_ARRAY(arena, struct joint_filter, 1), counting = {0};
  struct joint_filter *f = arena_is_counting(arena) || arena->failed ? &counting : place;
  *f = (struct joint_filter){.settings = *settings,
                             .part = *part,
                             .robot = robot,
                             .skinned = sensors ? whole : robot,
                             .layout = joint_filter_layout(robot, settings->link_bias),
                             .waits = true,
                             .base_imu = !robot->fixed_base,
                             .fixed_force = settings->fixed_base_force};
  joint_limbs_init(&f->limbs, robot, settings->gyro_noise, settings->accelerometer_noise,
                   settings->joint_density_min);
  const enum status status = init_parts(f, arena);
  carve_arrays(f, arena);
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t j = 0; j < f->layout.n; j++) {
    f->encoder_told[j] = encoder_noise(settings, whole, part->joint[j]);
  }
  f->fixed_attitude = attitude_of(f->fixed_force);
  joint_filter_reset(f);
  *filter = f;
  return STATUS_OK;
}

/* The same, part and all. What only counts needs the part for as long as that takes. */
static enum status init_part(struct joint_filter **filter, const struct robot *whole,
                             const bool *keep, bool sensors,
                             const struct joint_filter_settings *settings, struct arena *arena) {
  struct robot_part part;
  const size_t before = arena->used;
  enum status status = robot_part_init(&part, whole, keep, sensors, arena);
  if (status != STATUS_OK || !arena_is_counting(arena)) {
    return status == STATUS_OK ? init_over(filter, &part, whole, sensors, settings, arena) : status;
  }
  const size_t bytes = arena->used - before;
  void *block = aligned_alloc(ARENA_ALIGN, bytes + ARENA_ALIGN);
  struct arena meanwhile = arena_over(block, bytes);
  status =
      block != NULL ? robot_part_init(&part, whole, keep, sensors, &meanwhile) : STATUS_NO_MEMORY;
  status = status == STATUS_OK ? init_over(filter, &part, whole, sensors, settings, arena) : status;
  free(block);
  return status;
}

/* Filters of limbs that are carried. */
static enum status init_limbs(struct joint_filter *f, const struct robot *robot,
                              const struct joint_parts *parts, struct arena *arena) {
  enum status status = STATUS_OK;
  for (size_t k = 0; k < parts->n_limbs && status == STATUS_OK; k++) {
    const size_t n = joint_parts_count(robot, parts->limb[k]);
    const struct model counted = {.n_joints = n, .n_links = n + 1};
    struct joint_filter *limb = NULL;
    status = init_part(&limb, robot, parts->limb[k], false, &f->settings, arena);
    if (status == STATUS_OK) {
      const size_t carrier = limb != NULL ? f->part.link[parts->carrier[k]] : 0;
      status =
          carried_limb_init(&f->carried[k], limb, limb != NULL ? &limb->robot->model : &counted,
                            carrier, instants_needed(&f->settings), arena);
    }
    if (limb != NULL) {
      limb->limb = &f->carried[k];
      limb->is_apart = true;
      f->apart[f->n_apart++] = limb;
      f->n_carried++;
    }
  }
  return status;
}

/* Filters of the joints that are not `seen`, some in each. */
static enum status init_apart(struct joint_filter *f, const struct robot *robot, const bool *seen,
                              struct arena *arena) {
  struct joint_filter_settings settings = f->settings;
  enum status status = STATUS_OK;
  size_t next = 0;
  settings.link_bias = false;
  while (next < robot->model.n_joints && status == STATUS_OK) {
    bool keep[MODEL_MAX_JOINTS] = {false};
    size_t kept = 0;
    for (; next < robot->model.n_joints && kept < APART_JOINTS; next++) {
      keep[next] = !seen[next];
      kept += keep[next];
    }
    struct joint_filter *apart = NULL;
    status = kept > 0 ? init_part(&apart, robot, keep, false, &settings, arena) : STATUS_OK;
    if (apart != NULL) {
      apart->waits = false;
      apart->is_apart = true;
      f->apart[f->n_apart++] = apart;
    }
  }
  return status;
}

enum status joint_filter_init(struct joint_filter **filter, const struct robot *robot,
                              const struct joint_filter_settings *settings, struct arena *arena) {
  struct joint_parts parts;
  struct joint_filter counting = {.settings = *settings}, *body = NULL;
  if (check(settings) != STATUS_OK) {
    return STATUS_OUT_OF_RANGE;
  }
  joint_parts_of(robot, settings->joints_together, settings->form, &parts);
  enum status status = init_part(&body, robot, parts.together, true, settings, arena);
  struct joint_filter *f = body != NULL ? body : &counting;
  status = status == STATUS_OK ? init_limbs(f, robot, &parts, arena) : status;
  status = status == STATUS_OK ? init_apart(f, robot, parts.seen, arena) : status;
  if (status == STATUS_OK && body != NULL) {
    carried_limbs_survey(body);
    *filter = body;
  }
  return status;
}
