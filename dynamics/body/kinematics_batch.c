#include "body/kinematics_batch.h"

#include "body/kinematics.h"
#include "math/bounds.h"
#include "math/dispatch.h"
#include "math/sincos.h"

#include <string.h>

enum status kinematics_batch_init(struct kinematics_batch *batch, const struct model *model,
                                  const bool *wanted, size_t max_samples, struct arena *arena) {
  if (max_samples == 0) {
    return STATUS_BAD_ARGUMENT;
  }
  const size_t n = model->n_joints, stride = batch_stride(max_samples);
  *batch = (struct kinematics_batch){.model = model, .stride = stride};
  batch->map = ARENA_ARRAY(arena, struct joint_map, n);
  batch->needed = ARENA_ARRAY(arena, bool, model->n_links);
  batch->sin_q = ARENA_ARRAY(arena, double, n *stride);
  batch->cos_q = ARENA_ARRAY(arena, double, n *stride);
  batch->zeros = ARENA_ARRAY(arena, double, stride);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t j = 0; j < n; j++) {
    batch->map[j] = joint_map_of(&model->joint[j]);
  }
  for (size_t i = model->n_links; i-- > 0;) { /* children before parents */
    batch->needed[i] = batch->needed[i] || wanted == NULL || wanted[i];
    if (batch->needed[i] && i > 0) {
      batch->needed[model->parent[i]] = true;
    }
  }
  return STATUS_OK;
}

/* `rows` rows of `count` numbers, `stride` apart; NULL is fine. */
static enum status check_rows(const double *x, size_t rows, size_t count, size_t stride,
                              double limit) {
  enum status status = STATUS_OK;
  for (size_t r = 0; x != NULL && r < rows && status == STATUS_OK; r++) {
    status = check_within(x + r * stride, count, limit);
  }
  return status;
}

static enum status check_samples(const struct kinematics_batch *batch,
                                 const struct batch_samples *samples) {
  const size_t n = batch->model->n_joints, count = samples->count, stride = samples->stride;
  if (count > stride || stride > batch->stride || stride % BATCH_WIDTH != 0) {
    return STATUS_BAD_ARGUMENT;
  }
  const double *const rates[] = {samples->dq, samples->ddq, samples->omega0, samples->omegadot0,
                                 samples->vdot0};
  const size_t rows[] = {n, n, 3, 3, 3};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < 5 && status == STATUS_OK; i++) {
    status = check_rows(rates[i], rows[i], count, stride, MOTION_LIMIT_RATE);
  }
  return status;
}

/* One link's samples: where its rows are read and written. */
struct link_samples {
  size_t stride;
  const struct joint_map *map;
  vec3 axis;
  const double *s, *c;    /* [stride] sine and cosine of q; or one number for all samples */
  const double *q;        /* [stride] */
  const double *dq, *ddq; /* [stride] */
  const double *restrict of_parent; /* [BATCH_ROWS][stride] */
  double *restrict of_link;         /* [BATCH_ROWS][stride] */
};

ISA_INLINE vec3 load(const double *rows, size_t stride, size_t k) {
  return (vec3){rows[k], rows[stride + k], rows[2 * stride + k]};
}
ISA_INLINE void store(double *rows, size_t stride, size_t k, vec3 v) {
  rows[k] = v.x;
  rows[stride + k] = v.y;
  rows[2 * stride + k] = v.z;
}

/* The link's motion from its parent's, in link coordinates, for every sample.
 * own_q: every sample has its own q, else all have sample 0's. linear: only what is linear in
 * accelerations. The flags are constants where this is inlined.
 * @eq Leboutet22 141, 142 */
ISA_INLINE void move_link(struct link_samples l, bool own_q, bool slides, bool linear) {
  const size_t stride = l.stride;
  const mat3 R_shared = joint_map_rotation(l.map, l.c[0], l.s[0]);
  const vec3 r_shared = vec3_axpy(l.map->p0, l.q[0], l.map->d);
  INDEPENDENT_TURNS
  for (size_t k = 0; k < stride; k++) {
    const mat3 R = own_q ? joint_map_rotation(l.map, l.c[k], l.s[k]) : R_shared;
    const vec3 r = own_q && slides ? vec3_axpy(l.map->p0, l.q[k], l.map->d) : r_shared;
    const vec3 alpha_P = load(l.of_parent + BATCH_OMEGADOT * stride, stride, k);
    vec3 a = vec3_add(load(l.of_parent + BATCH_VDOT * stride, stride, k), vec3_cross(alpha_P, r));
    vec3 alpha = mat3_tmul_vec3(&R, alpha_P);
    vec3 by_joint = vec3_scale(l.ddq[k], l.axis);
    if (!linear) {
      const vec3 omega_P = load(l.of_parent + BATCH_OMEGA * stride, stride, k);
      const vec3 carried = mat3_tmul_vec3(&R, omega_P), z_dq = vec3_scale(l.dq[k], l.axis);
      a = vec3_add(a, vec3_cross(omega_P, vec3_cross(omega_P, r)));
      by_joint = vec3_axpy(by_joint, slides ? 2.0 : 1.0, vec3_cross(carried, z_dq));
      store(l.of_link + BATCH_OMEGA * stride, stride, k,
            slides ? carried : vec3_add(carried, z_dq));
    }
    a = mat3_tmul_vec3(&R, a);
    alpha = slides ? alpha : vec3_add(alpha, by_joint);
    a = slides ? vec3_add(a, by_joint) : a;
    store(l.of_link + BATCH_OMEGADOT * stride, stride, k, alpha);
    store(l.of_link + BATCH_VDOT * stride, stride, k, a);
  }
}

ISA_INLINE void move_links(const struct kinematics_batch *batch,
                           const struct batch_samples *samples, bool own_q, bool linear,
                           double *y) {
  const struct model *model = batch->model;
  const size_t stride = samples->stride, block = BATCH_ROWS * stride;
  for (size_t j = 0; j < model->n_joints; j++) {
    if (!batch->needed[j + 1]) {
      continue;
    }
    const size_t row = j * stride, own_row = own_q ? row : j;
    const struct link_samples l = {
        .stride = stride,
        .map = &batch->map[j],
        .axis = model->joint[j].axis,
        .s = batch->sin_q + own_row,
        .c = batch->cos_q + own_row,
        .q = samples->q + own_row,
        .dq = samples->dq != NULL ? samples->dq + row : batch->zeros,
        .ddq = samples->ddq != NULL ? samples->ddq + row : batch->zeros,
        .of_parent = y + (size_t)model->parent[j + 1] * block,
        .of_link = y + (j + 1) * block,
    };
    if (model->joint[j].type == JOINT_PRISMATIC) {
      move_link(l, own_q, true, linear);
    } else {
      move_link(l, own_q, false, linear);
    }
  }
}

FOR_EACH_ISA static void pass_own(const struct kinematics_batch *batch,
                                  const struct batch_samples *samples, double *y) {
  move_links(batch, samples, true, false, y);
}
FOR_EACH_ISA static void pass_shared(const struct kinematics_batch *batch,
                                     const struct batch_samples *samples, double *y) {
  move_links(batch, samples, false, false, y);
}
FOR_EACH_ISA static void pass_linear(const struct kinematics_batch *batch,
                                     const struct batch_samples *samples, double *y) {
  move_links(batch, samples, false, true, y);
}

/* The base link's rows are the input. */
static void copy_rows(double *to, const double *from, size_t count) {
  if (from != NULL) {
    memcpy(to, from, count * sizeof(*to));
  } else {
    memset(to, 0, count * sizeof(*to));
  }
}
static void place_base(const struct batch_samples *samples, double *y) {
  const size_t stride = samples->stride;
  copy_rows(y + BATCH_OMEGA * stride, samples->omega0, 3 * stride);
  copy_rows(y + BATCH_OMEGADOT * stride, samples->omegadot0, 3 * stride);
  copy_rows(y + BATCH_VDOT * stride, samples->vdot0, 3 * stride);
}

static enum status check_own_q(const struct kinematics_batch *batch, const double *q, size_t count,
                               size_t stride) {
  if (q == NULL && batch->model->n_joints > 0) {
    return STATUS_BAD_ARGUMENT;
  }
  return check_rows(q, batch->model->n_joints, count, stride, MOTION_LIMIT_Q);
}

enum status kinematics_batch_step(struct kinematics_batch *batch,
                                  const struct batch_samples *samples, double *y) {
  enum status status = check_samples(batch, samples);
  if (status == STATUS_OK) {
    status = check_own_q(batch, samples->q, samples->count, samples->stride);
  }
  if (status != STATUS_OK) {
    return status;
  }
  sincos_array(samples->q, batch->model->n_joints * samples->stride, batch->sin_q, batch->cos_q);
  place_base(samples, y);
  pass_own(batch, samples, y);
  return STATUS_OK;
}

static enum status prepare_shared(struct kinematics_batch *batch, const double *q,
                                  const struct batch_samples *samples, struct batch_samples *at_q) {
  enum status status = check_samples(batch, samples);
  if (status == STATUS_OK) {
    status = check_own_q(batch, q, 1, 1);
  }
  if (status == STATUS_OK) {
    sincos_array(q, batch->model->n_joints, batch->sin_q, batch->cos_q);
    *at_q = *samples;
    at_q->q = q;
  }
  return status;
}

enum status kinematics_batch_step_at(struct kinematics_batch *batch, const double *q,
                                     const struct batch_samples *samples, double *y) {
  struct batch_samples at_q;
  const enum status status = prepare_shared(batch, q, samples, &at_q);
  if (status == STATUS_OK) {
    place_base(&at_q, y);
    pass_shared(batch, &at_q, y);
  }
  return status;
}

enum status kinematics_batch_linear(struct kinematics_batch *batch, const double *q,
                                    const struct batch_samples *samples, double *y) {
  struct batch_samples at_q;
  const enum status status = prepare_shared(batch, q, samples, &at_q);
  if (status == STATUS_OK) {
    const size_t stride = samples->stride;
    copy_rows(y + BATCH_OMEGADOT * stride, samples->omegadot0, 3 * stride);
    copy_rows(y + BATCH_VDOT * stride, samples->vdot0, 3 * stride);
    pass_linear(batch, &at_q, y);
  }
  return status;
}
