#include "centroidal/motion_deviations.h"

#include "numerics/matrix_products.h"

#include <math.h>
#include <string.h>

enum { ROWS = 6, ONE = 3 }; /* two vectors, or one alone */

enum status motion_deviations_init(struct motion_deviations *d, const struct robot *robot,
                                   const struct model_doubt_settings *model, struct arena *arena) {
  const size_t n = robot->model.n_joints, size = robot->fixed_base ? n : 9 + n;
  *d = (struct motion_deviations){.model = *model,
                                  .n_joints = n,
                                  .size = size,
                                  .stride = matrix_stride(size),
                                  .floating = !robot->fixed_base};
  if (model_doubt_check(model) != STATUS_OK) {
    return STATUS_OUT_OF_RANGE;
  }
  d->A = ARENA_ARRAY(arena, double, ROWS *(6 + n));
  d->C = ARENA_ARRAY(arena, double, size * d->stride);
  d->B = ARENA_ARRAY(arena, double, ROWS * d->stride);
  d->BC = ARENA_ARRAY(arena, double, ROWS * d->stride);
  return composite_init(&d->composite, &robot->model, arena);
}

/* --- rows of B --- */

static vec3 column_of(const double *A, size_t stride, size_t column) {
  return (vec3){A[column], A[stride + column], A[2 * stride + column]};
}

static void put_column(const struct motion_deviations *d, size_t row, size_t column, vec3 v) {
  d->B[row * d->stride + column] = v.x;
  d->B[(row + 1) * d->stride + column] = v.y;
  d->B[(row + 2) * d->stride + column] = v.z;
}

/* Three rows of B, world axes, from three of A times `scale`. `turned`: y, base axes.
 * `world_linear`: the base's linear error stands in world axes. */
static void fill_rows(const struct motion_deviations *d, size_t row, const double *A, double scale,
                      const mat3 *R_WB, vec3 turned, bool world_linear) {
  const size_t stride = 6 + d->n_joints;
  const mat3 back = mat3_transpose(R_WB);
  const size_t base = d->floating ? 9 : 0;
  if (d->floating) {
    const mat3 S = mat3_skew(turned);
    mat3 linear;
    for (size_t k = 0; k < 3; k++) {
      const vec3 axis = {k == 0, k == 1, k == 2};
      put_column(d, row, k, mat3_mul_vec3(R_WB, vec3_neg(mat3_mul_vec3(&S, axis))));
      const vec3 angular = vec3_scale(scale, column_of(A, stride, k));
      put_column(d, row, 3 + k, mat3_mul_vec3(R_WB, angular));
      const vec3 v = vec3_scale(scale, column_of(A, stride, 3 + k));
      linear.m[0][k] = v.x;
      linear.m[1][k] = v.y;
      linear.m[2][k] = v.z;
    }
    linear = mat3_mul(R_WB, &linear);
    linear = world_linear ? mat3_mul(&linear, &back) : linear;
    for (size_t k = 0; k < 3; k++) {
      put_column(d, row, 6 + k, (vec3){linear.m[0][k], linear.m[1][k], linear.m[2][k]});
    }
  }
  for (size_t j = 0; j < d->n_joints; j++) {
    const vec3 v = vec3_scale(scale, column_of(A, stride, 6 + j));
    put_column(d, row, base + j, mat3_mul_vec3(R_WB, v));
  }
}

/* Three rows that look from the base: joints alone, base axes. */
static void fill_rows_in_base(const struct motion_deviations *d, size_t row, const double *A,
                              double scale) {
  const size_t stride = 6 + d->n_joints, base = d->floating ? 9 : 0;
  memset(d->B + row * d->stride, 0, 3 * d->stride * sizeof(double));
  for (size_t j = 0; j < d->n_joints; j++) {
    put_column(d, row, base + j, vec3_scale(scale, column_of(A, stride, 6 + j)));
  }
}

/* cov = B C B^T + more, of the first `rows` */
static void sandwich(const struct motion_deviations *d, size_t rows, double more[ROWS][ROWS],
                     double cov[ROWS][ROWS]) {
  const struct matrix_factor B = {d->B, 1, (ptrdiff_t)d->stride};
  matrix_multiply(d->BC, d->stride, rows, d->size, B, d->C, d->stride, d->size);
  for (size_t i = 0; i < rows; i++) {
    for (size_t k = i; k < rows; k++) {
      cov[i][k] = more[i][k] + matrix_dot(d->BC + i * d->stride, d->B + k * d->stride, d->size);
      cov[k][i] = cov[i][k];
    }
  }
}

static vec3 roots(double cov[ROWS][ROWS], size_t from) {
  return (vec3){sqrt(fmax(cov[from][from], 0.0)), sqrt(fmax(cov[from + 1][from + 1], 0.0)),
                sqrt(fmax(cov[from + 2][from + 2], 0.0))};
}

/* What the vectors at hand take of each order. */
static enum status look(const struct motion_deviations *d, enum whole whole,
                        const struct joint_filter *filter, double dcm_s) {
  const double weight[WHOLES][MOTION_ORDERS] = {[WHOLE_POSITION] = {1.0, 0.0, 0.0},
                                                [WHOLE_MOMENTUM] = {0.0, 1.0, 0.0},
                                                [WHOLE_RATE] = {0.0, 0.0, 1.0},
                                                [WHOLE_ACCELERATION] = {0.0, 0.0, 1.0},
                                                [WHOLE_DCM] = {1.0, dcm_s, 0.0}};
  return motion_covariance(filter, weight[whole], d->C, d->stride);
}

/* One after the other; but the acceleration at once when it has jumped, though not all the time. */
static enum whole next_whole(struct motion_deviations *d, const struct joint_filter *filter) {
  d->hurries = !d->hurries && filter != NULL && joint_filter_struck(filter);
  return d->hurries ? WHOLE_ACCELERATION : (enum whole)(d->turn % WHOLES);
}

enum status motion_deviations_step(struct motion_deviations *d, const struct joint_filter *filter,
                                   const struct kinematics *kin, const struct inertia *inertia,
                                   const struct centroidal *c, const mat3 *R_WB, double load,
                                   double height) {
  const enum whole whole = next_whole(d, filter);
  const double over_mass = 1.0 / c->mass, dcm_s = sqrt(fmax(height, 0.0) / STANDARD_GRAVITY);
  const double *angular = d->A, *linear = d->A + 3 * (6 + d->n_joints);
  const vec3 velocity = vec3_scale(over_mass, c->momentum.lin);
  double cov[ROWS][ROWS];
  enum status status = filter != NULL ? STATUS_OK : STATUS_TOO_FEW;
  status = status == STATUS_OK ? composite_step(&d->composite, kin, inertia) : status;
  status = status == STATUS_OK ? centroidal_matrix(&d->composite, d->A) : status;
  status = status == STATUS_OK ? look(d, whole, filter, dcm_s) : status;
  if (status != STATUS_OK) {
    return status;
  }
  double by_model[ROWS][ROWS] = {{0.0}};
  const double strange = whole == WHOLE_RATE ? 0.0 : load;
  model_doubt_add(&d->model, whole, kin, inertia, c, R_WB, strange, dcm_s, by_model);
  switch (whole) {
  case WHOLE_POSITION:
    fill_rows(d, 0, linear, over_mass, R_WB, VEC3_ZERO, true);
    fill_rows_in_base(d, 3, linear, over_mass);
    sandwich(d, ROWS, by_model, cov);
    d->com = roots(cov, 0);
    d->com_in_base = roots(cov, 3);
    d->com_by_model = roots(by_model, 0);
    break;
  case WHOLE_MOMENTUM:
    fill_rows(d, 0, angular, 1.0, R_WB, c->momentum.ang, true);
    fill_rows(d, 3, linear, over_mass, R_WB, velocity, true);
    sandwich(d, ROWS, by_model, cov);
    d->momentum = roots(cov, 0);
    d->velocity = roots(cov, 3);
    break;
  case WHOLE_RATE:
    fill_rows(d, 0, angular, 1.0, R_WB, c->rate.ang, false);
    fill_rows(d, 3, linear, 1.0, R_WB, c->rate.lin, false);
    sandwich(d, ROWS, by_model, d->wrench);
    d->momentum_rate = roots(d->wrench, 0);
    break;
  case WHOLE_ACCELERATION:
    fill_rows(d, 0, linear, over_mass, R_WB, vec3_scale(over_mass, c->rate.lin), false);
    sandwich(d, ONE, by_model, cov);
    d->acceleration = roots(cov, 0);
    break;
  default:
    fill_rows(d, 0, linear, over_mass, R_WB, vec3_scale(dcm_s, velocity), true);
    sandwich(d, ONE, by_model, cov);
    d->dcm = roots(cov, 0);
    break;
  }
  d->turn += !d->hurries;
  return STATUS_OK;
}

void motion_deviations_publish(const struct motion_deviations *d, struct propriod_centroidal *out) {
  if (d->turn < WHOLES) {
    return;
  }
  out->com_in_base_sd = d->com_in_base;
  out->com_position_sd = d->com;
  out->com_velocity_sd = d->velocity;
  out->com_acceleration_sd = d->acceleration;
  out->angular_momentum_sd = d->momentum;
  out->angular_momentum_rate_sd = d->momentum_rate;
  out->dcm_sd = d->dcm;
  out->estimated |= PROPRIOD_CENTROIDAL_SD;
}
