#include "update/joint_points.h"

#include "math/dispatch.h"
#include "numerics/matrix_products.h"

#include <math.h>

/* -- start ----------------------------------------------------------------------------------- */

/* `samples` of `set`, reading their part of x. A fixed base has no omega and feels a constant f. */
static void carve_set(struct point_set *set, const struct joint_layout *l, size_t n_links,
                      size_t count, struct arena *arena) {
  const size_t stride = batch_stride(count);
  set->x = ARENA_ARRAY(arena, double, l->observed *stride);
  set->y = ARENA_ARRAY(arena, double, n_links *BATCH_ROWS *stride);
  if (arena_is_counting(arena) || arena->failed) {
    return;
  }
  set->samples = (struct batch_samples){.count = count,
                                        .stride = stride,
                                        .q = set->x + l->q * stride,
                                        .dq = set->x + l->dq * stride,
                                        .ddq = set->x + l->ddq * stride};
  if (l->base > 0) {
    set->samples.omega0 = set->x + l->omega * stride;
    set->samples.omegadot0 = set->x + l->omegadot * stride;
    set->samples.vdot0 = set->x + l->force * stride;
  }
}

static void carve_sets(struct joint_points *points, size_t n_links, struct arena *arena) {
  const struct joint_layout *l = points->layout;
  points->turned = (struct point_set){.first = l->q, .columns = l->n};
  points->steady = (struct point_set){.first = l->dq, .columns = l->nonlinear - l->n};
  points->linear = (struct point_set){.first = l->nonlinear, .columns = l->observed - l->nonlinear};
  carve_set(&points->turned, l, n_links, 2 * points->turned.columns, arena);
  carve_set(&points->steady, l, n_links, 2 * points->steady.columns + 1, arena);
  carve_set(&points->linear, l, n_links, points->linear.columns, arena);
}

/* The same motion of the base in all samples. */
static void fill_base(struct batch_samples *samples, double *rows, vec3 omega, struct motion a) {
  const size_t stride = samples->stride;
  const double motion[9] = {omega.x, omega.y, omega.z, a.ang.x, a.ang.y,
                            a.ang.z, a.lin.x, a.lin.y, a.lin.z};
  for (size_t i = 0; i < 9; i++) {
    for (size_t s = 0; s < stride; s++) {
      rows[i * stride + s] = motion[i];
    }
  }
  samples->omega0 = rows;
  samples->omegadot0 = rows + 3 * stride;
  samples->vdot0 = rows + 6 * stride;
}

void joint_points_carry(struct joint_points *points, vec3 omega, struct motion a) {
  fill_base(&points->turned.samples, points->turned_base, omega, a);
  fill_base(&points->steady.samples, points->steady_base, omega, a);
}

enum status joint_points_init(struct joint_points *points, const struct joint_layout *layout,
                              const struct model *model, const bool *used, vec3 fixed_force,
                              size_t rows_max, struct arena *arena) {
  *points = (struct joint_points){.layout = layout,
                                  .gamma = UKF_ALPHA * sqrt((double)layout->size + UKF_KAPPA),
                                  .curved = matrix_stride(layout->nonlinear),
                                  .rows_max = rows_max};
  points->first = points->curved;
  points->columns = points->curved + 1 + layout->observed;
  points->stride = matrix_stride(points->columns);
  points->asked = ARENA_ARRAY(arena, bool, layout->nonlinear);
  points->A = ARENA_ARRAY(arena, double, rows_max * points->stride);
  points->expected = ARENA_ARRAY(arena, double, rows_max);
  points->nu = ARENA_ARRAY(arena, double, rows_max);
  points->part = ARENA_ARRAY(arena, double, PART_SIZE * points->stride);
  carve_sets(points, model->n_links, arena);
  const size_t widest = batch_stride(2 * layout->nonlinear + 1);
  points->turned_base = ARENA_ARRAY(arena, double, 9 * widest);
  points->steady_base = ARENA_ARRAY(arena, double, 9 * widest);
  if (!arena_is_counting(arena) && !arena->failed && layout->base == 0) {
    joint_points_carry(points, VEC3_ZERO, (struct motion){VEC3_ZERO, fixed_force});
    points->turned.samples.omega0 = points->steady.samples.omega0 = NULL; /* it stands still */
    points->turned.samples.omegadot0 = points->steady.samples.omegadot0 = NULL;
  }
  return kinematics_batch_init(&points->kin, model, used, widest, arena);
}

/* -- samples --------------------------------------------------------------------------------- */

/* Pairs x +- gamma L_j of the set's columns. Row j of R is column j of L. */
FOR_EACH_ISA
static void fill_pairs(const struct joint_points *points, const double *x, const double *R,
                       struct point_set *set) {
  const struct joint_layout *l = points->layout;
  const double *last = R + (set->first + set->columns - 1) * l->stride;
  for (size_t i = 0; i < l->observed; i++) {
    double *row = set->x + i * set->samples.stride;
    const double gamma = i < l->nonlinear && !points->asked[i] ? 0.0 : points->gamma;
    for (size_t s = 0; s < set->columns; s++) {
      const double step = gamma * (last - s * l->stride)[i];
      row[s] = x[i] + step;
      row[set->columns + s] = x[i] - step;
    }
  }
}

static void fill_mean(const struct joint_points *points, const double *x, struct point_set *set) {
  for (size_t i = 0; i < points->layout->observed; i++) {
    set->x[i * set->samples.stride + set->samples.count - 1] = x[i];
  }
}

static void fill_linear(const struct joint_points *points, const double *R, struct point_set *set) {
  const struct joint_layout *l = points->layout;
  const double *last = R + (l->observed - 1) * l->stride;
  for (size_t i = set->first; i < l->observed; i++) {
    for (size_t s = 0; s < set->columns; s++) {
      set->x[i * set->samples.stride + s] = (last - s * l->stride)[i];
    }
  }
}

static enum status evaluate(struct joint_points *points, const double *x, const double *R) {
  struct kinematics_batch *kin = &points->kin;
  fill_pairs(points, x, R, &points->turned);
  fill_pairs(points, x, R, &points->steady);
  fill_mean(points, x, &points->steady);
  fill_linear(points, R, &points->linear);
  const double *q = x + points->layout->q;
  bool asked = false;
  for (size_t i = 0; i < points->layout->n; i++) {
    asked = asked || points->asked[i];
  }
  struct point_set *turned = &points->turned;
  enum status status = asked ? kinematics_batch_step(kin, &turned->samples, turned->y)
                             : kinematics_batch_step_at(kin, q, &turned->samples, turned->y);
  if (status == STATUS_OK) {
    status = kinematics_batch_step_at(kin, q, &points->steady.samples, points->steady.y);
  }
  if (status == STATUS_OK) {
    status = kinematics_batch_linear(kin, q, &points->linear.samples, points->linear.y);
  }
  return status;
}

/* -- from images to rows --------------------------------------------------------------------- */

/* Half difference and half sum of the pairs of one row of images. E: [count], backwards. */
static inline __attribute__((always_inline)) void
pair_row(const double *restrict plus, const double *restrict minus, double centre, double gamma,
         size_t count, double *restrict E, double *restrict D) {
  const double half = 0.5 / gamma;
  for (size_t s = 0; s < count; s++) {
    D[s] = half * (plus[s] - minus[s]);
    E[count - 1 - s] = half * ((plus[s] - centre) + (minus[s] - centre));
  }
}

/* The same for the product of two rows a and b. */
static inline __attribute__((always_inline)) void
pair_product(const double *restrict a, const double *restrict b, size_t minus, double centre,
             double gamma, size_t count, double *restrict E, double *restrict D) {
  const double half = 0.5 / gamma;
  for (size_t s = 0; s < count; s++) {
    const double high = a[s] * b[s], low = a[minus + s] * b[minus + s];
    D[s] = half * (high - low);
    E[count - 1 - s] = half * ((high - centre) + (low - centre));
  }
}

/* E and D of one link's motion for the pairs of one kind. `y`: the link's images [BATCH_ROWS]. */
static inline __attribute__((always_inline)) void link_pairs(const double *y, size_t stride,
                                                             size_t count, double gamma,
                                                             const double *mean, double *E,
                                                             double *D, size_t part_stride) {
  static const size_t row_of[PART_SIZE] = {
      [PART_OMEGADOT] = BATCH_OMEGADOT, BATCH_OMEGADOT + 1, BATCH_OMEGADOT + 2,
      [PART_VDOT] = BATCH_VDOT,         BATCH_VDOT + 1,     BATCH_VDOT + 2,
      [PART_OMEGA] = BATCH_OMEGA,       BATCH_OMEGA + 1,    BATCH_OMEGA + 2};
  for (size_t part = 0; part < PART_SIZE; part++) {
    double *to_E = E + part * part_stride, *to_D = D + part * part_stride;
    if (part >= PART_PRODUCTS && part < PART_OMEGA) {
      const size_t *factor = PRODUCT_FACTOR[part - PART_PRODUCTS];
      pair_product(y + (BATCH_OMEGA + factor[0]) * stride, y + (BATCH_OMEGA + factor[1]) * stride,
                   count, mean[part], gamma, count, to_E, to_D);
    } else {
      const double *row = y + row_of[part] * stride;
      pair_row(row, row + count, mean[part], gamma, count, to_E, to_D);
    }
  }
}

/* The link's motion at the mean, by `enum link_part`. */
static void link_mean(const double *y, size_t stride, size_t at, double mean[PART_SIZE]) {
  for (size_t i = 0; i < 3; i++) {
    mean[PART_OMEGADOT + i] = y[(BATCH_OMEGADOT + i) * stride + at];
    mean[PART_VDOT + i] = y[(BATCH_VDOT + i) * stride + at];
    mean[PART_OMEGA + i] = y[(BATCH_OMEGA + i) * stride + at];
  }
  for (size_t k = 0; k < 6; k++) {
    mean[PART_PRODUCTS + k] =
        mean[PART_OMEGA + PRODUCT_FACTOR[k][0]] * mean[PART_OMEGA + PRODUCT_FACTOR[k][1]];
  }
}

/* E's columns fall into those of q, of dq, and of omega, the most curved last. A fourth kind has
 * none: four are summed at a time. */
enum { KINDS = 3, KINDS_ROOM };

/* The first column of each kind, and where the last one ends. */
struct kinds {
  size_t first[KINDS + 1];
};

/* `apart`: else all are of the first kind. */
static struct kinds kinds_of(const struct joint_points *points, bool apart) {
  const size_t n = points->layout->n, end = points->curved;
  return apart ? (struct kinds){{0, n, 2 * n, end}} : (struct kinds){{0, end, end, end}};
}

/* What is known of one link besides `part`, by `enum link_part`. */
struct link_image {
  double mean[PART_SIZE];             /* Y0 + d */
  double size[PART_SIZE][KINDS_ROOM]; /* |E|, norm of its row's columns of each kind */
};

/* Sum of the first `count` of row, in lanes. */
static inline __attribute__((always_inline)) double sum_of(const double *row, size_t count) {
  double part[MATRIX_LANES] = {0}, rest = 0.0;
  size_t j = 0;
  for (; j + MATRIX_LANES <= count; j += MATRIX_LANES) {
    for (size_t lane = 0; lane < MATRIX_LANES; lane++) {
      part[lane] += row[j + lane];
    }
  }
  for (; j < count; j++) {
    rest += row[j];
  }
  return rest + ((part[0] + part[1]) + (part[2] + part[3])) +
         ((part[4] + part[5]) + (part[6] + part[7]));
}

/* [E d D] of one link's motion, all parts, in A's order of columns. */
FOR_EACH_ISA
static void link_parts(const struct joint_points *points, const struct kinds *kinds, size_t link,
                       struct link_image *image) {
  const size_t stride = points->stride, d = points->curved, n_E = points->layout->nonlinear;
  const struct point_set *turned = &points->turned, *steady = &points->steady,
                         *linear = &points->linear;
  double *E = points->part, *linear_D = E + d + 1, *D = linear_D + linear->columns;
  const double *y = steady->y + link * BATCH_ROWS * steady->samples.stride;
  link_mean(y, steady->samples.stride, steady->samples.count - 1, image->mean);
  link_pairs(y, steady->samples.stride, steady->columns, points->gamma, image->mean,
             E + turned->columns, D, stride);
  y = turned->y + link * BATCH_ROWS * turned->samples.stride;
  link_pairs(y, turned->samples.stride, turned->columns, points->gamma, image->mean, E,
             D + steady->columns, stride);
  y = linear->y + link * BATCH_ROWS * linear->samples.stride;
  for (size_t i = 0; i < PART_PRODUCTS; i++) { /* products and omega of these columns stay zero */
    const double *row = y + (BATCH_OMEGADOT + i) * linear->samples.stride;
    memcpy(linear_D + i * stride, row, linear->columns * sizeof(double));
  }
  const double weight = sqrt(UKF_BETA - UKF_ALPHA * UKF_ALPHA);
  for (size_t i = 0; i < PART_SIZE; i++) {
    double *row = E + i * stride;
    const double mean = sum_of(row, n_E) / points->gamma;
    image->mean[i] += mean;
    for (size_t kind = 0; kind < KINDS; kind++) {
      const size_t first = kinds->first[kind], count = kinds->first[kind + 1] - first;
      image->size[i][kind] = count > 0 ? sqrt(matrix_dot(row + first, row + first, count)) : 0.0;
    }
    row[d] = weight * mean;
  }
}

/* Rows of a block: A = W [E d D], columns `from` to `to`. */
static void block_columns(const struct joint_points *points, const struct link_rows *block,
                          double *A, size_t from, size_t to) {
  const struct matrix_factor W = {&block->W[0][0], 1, PART_SIZE};
  matrix_multiply(A + from, points->stride, block->rank, to - from, W, points->part + from,
                  points->stride, PART_SIZE);
}

/* W (Y0 + d). Adds to each kind of curvature |W E|_F^2 of its columns, or a little more:
 * |W_i E| <= sum |W_ik| |E_k|. */
FOR_EACH_ISA
static void block_expected(const struct link_rows *block, const struct link_image *image,
                           double *expected, double *restrict curvature) {
  for (unsigned i = 0; i < block->rank; i++) {
    double size[KINDS_ROOM] = {0.0};
    expected[i] = 0.0;
    for (size_t k = 0; k < PART_SIZE; k++) {
      expected[i] += block->W[i][k] * image->mean[k];
      for (size_t kind = 0; kind < KINDS_ROOM; kind++) {
        size[kind] += fabs(block->W[i][k]) * image->size[k][kind];
      }
    }
    for (size_t kind = 0; kind < KINDS_ROOM; kind++) {
      curvature[kind] += size[kind] * size[kind];
    }
  }
}

/* The first column of E that is not left out. */
static size_t first_curved(const struct kinds *kinds, const double *curvature) {
  double left_out = 0.0;
  size_t kind = 0;
  while (kind < KINDS && left_out + curvature[kind] <= CURVATURE_FLOOR) {
    left_out += curvature[kind++];
  }
  return kinds->first[kind];
}

/* Columns `from` to `to` of all rows, and what they expect. Returns the first column of E that is
 * not left out. */
static size_t fill_columns(struct joint_points *points, const struct kinds *kinds,
                           const struct link_rows *block, size_t n_blocks, size_t from, size_t to) {
  struct link_image image = {0};
  double curvature[KINDS_ROOM] = {0.0};
  size_t row = 0, last = (size_t)-1;
  for (size_t b = 0; b < n_blocks; b++) {
    if (block[b].link != last) {
      last = block[b].link;
      link_parts(points, kinds, last, &image);
    }
    block_columns(points, &block[b], points->A + row * points->stride, from, to);
    block_expected(&block[b], &image, points->expected + row, curvature);
    row += block[b].rank;
  }
  return first_curved(kinds, curvature);
}

static size_t whole_lanes(size_t column) {
  return column / MATRIX_LANES * MATRIX_LANES;
}

/* What stands before column `first`, beside it in the same vector, is left out as well. */
static void use_from(struct joint_points *points, size_t first, size_t rows) {
  points->first = whole_lanes(first);
  for (size_t row = 0; row < rows; row++) {
    for (size_t j = points->first; j < first; j++) {
      points->A[row * points->stride + j] = 0.0;
    }
  }
}

enum status joint_points_step(struct joint_points *points, const double *x, const double *R,
                              const struct link_rows *block, size_t n_blocks) {
  size_t rows = 0;
  for (size_t b = 0; b < n_blocks; b++) {
    rows += block[b].rank;
    if (rows > points->rows_max || !points->kin.needed[block[b].link]) {
      return STATUS_BAD_ARGUMENT;
    }
  }
  const enum status status = evaluate(points, x, R);
  if (status != STATUS_OK) {
    return status;
  }
  /* of E at once what was wanted last time: it is likely to be again */
  const size_t from = points->first;
  struct kinds kinds = kinds_of(points, from < points->curved);
  size_t first = fill_columns(points, &kinds, block, n_blocks, from, points->columns);
  if (whole_lanes(first) < from) {
    kinds = kinds_of(points, true);
    first = fill_columns(points, &kinds, block, n_blocks, whole_lanes(first), from);
  }
  use_from(points, first, rows);
  return STATUS_OK;
}

void joint_points_read(struct joint_points *points, const struct link_rows *block,
                       size_t n_blocks) {
  size_t row = 0;
  for (size_t b = 0; b < n_blocks; b++) {
    for (unsigned i = 0; i < block[b].rank; i++, row++) {
      points->nu[row] = block[b].z[i] - points->expected[row];
    }
  }
}
