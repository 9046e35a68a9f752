#include "skin/skin_fusion.h"

#include "skin/skin_gather.h"

#include <math.h>
#include <string.h>

enum { SIX = SKIN_FUSION_SIZE };

/* A pivot below this part of the largest one is rounding, not geometry: with float readings the
 * direction holds no information. */
static const double RANK_TOLERANCE = 1e-6;

/* Links whose cells all sit at one point still need a length to scale by, m. */
static const double SMALLEST_LENGTH = 1e-3;

/* -- start ------------------------------------------------------------------------------------ */

static size_t count_on_link(const struct robot *robot, size_t link) {
  size_t count = 0;
  for (size_t k = 0; k < robot->n_cells; k++) {
    count += robot->cell[k].link == link;
  }
  return count;
}

static void carve_link(struct link_skin *link, struct arena *arena) {
  link->padded = skin_gather_padded(3 * link->n_cells);
  link->cell = ARENA_ARRAY(arena, size_t, link->n_cells);
  link->place = ARENA_ARRAY(arena, vec3, link->n_cells);
  link->weight = ARENA_ARRAY(arena, double, link->n_cells);
  link->used = ARENA_ARRAY(arena, bool, link->n_cells);
  link->gather = ARENA_ARRAY(arena, float, SIX * link->padded);
  link->reading = ARENA_ARRAY(arena, float, link->padded);
}

/* Centre and radius of the link's cells. */
static void place_cells(struct link_skin *link, const struct robot *robot) {
  size_t n = 0;
  vec3 sum = VEC3_ZERO;
  for (size_t k = 0; k < robot->n_cells; k++) {
    if (robot->cell[k].link == link->link) {
      link->cell[n++] = k;
      sum = vec3_add(sum, robot->cell[k].placement.p);
    }
  }
  link->centre = vec3_scale(1.0 / (double)n, sum);
  double squares = 0.0;
  for (size_t k = 0; k < n; k++) {
    link->place[k] = vec3_sub(robot->cell[link->cell[k]].placement.p, link->centre);
    squares += vec3_dot(link->place[k], link->place[k]);
  }
  link->length = fmax(sqrt(squares / (double)n), SMALLEST_LENGTH);
}

/* Columns of H^T W R for each cell: what its three numbers add to the right side, angular rows
 * divided by `length` so that all rows have one unit and one size. */
static void fill_gather(struct link_skin *link, const struct robot *robot) {
  for (size_t k = 0; k < link->n_cells; k++) {
    const mat3 *R = &robot->cell[link->cell[k]].placement.R;
    const mat3 S = mat3_skew(vec3_scale(1.0 / link->length, link->place[k]));
    const mat3 SR = mat3_mul(&S, R);
    for (size_t axis = 0; axis < 3; axis++) {
      for (size_t row = 0; row < 3; row++) {
        float *column = link->gather + 3 * k + axis;
        column[row * link->padded] = (float)(link->weight[k] * SR.m[row][axis]);
        column[(row + 3) * link->padded] = (float)(link->weight[k] * R->m[row][axis]);
      }
    }
  }
}

enum status skin_fusion_init(struct skin_fusion *fusion, const struct robot *robot,
                             double cell_noise, const double *noise_of_cell, double range,
                             struct arena *arena) {
  if (!(cell_noise > 0.0) || !(range > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *fusion = (struct skin_fusion){.robot = robot, .range = range};
  const size_t n_links = robot->model.n_links;
  for (size_t i = 0; i < n_links; i++) {
    fusion->n_links += count_on_link(robot, i) > 0;
  }
  fusion->of_link = ARENA_ARRAY(arena, int, n_links);
  fusion->masked = ARENA_ARRAY(arena, bool, robot->n_cells);
  fusion->idle = ARENA_ARRAY(arena, bool, robot->n_cells);
  fusion->link = ARENA_ARRAY(arena, struct link_skin, fusion->n_links);
  size_t next = 0;
  for (size_t i = 0; i < n_links; i++) {
    struct link_skin skin = {.link = i, .n_cells = count_on_link(robot, i)};
    if (skin.n_cells > 0) {
      carve_link(&skin, arena);
    }
    if (arena_is_counting(arena) || arena->failed) {
      continue;
    }
    fusion->of_link[i] = skin.n_cells > 0 ? (int)next : -1;
    if (skin.n_cells > 0) {
      fusion->link[next++] = skin;
    }
  }
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t i = 0; i < fusion->n_links; i++) {
    struct link_skin *link = &fusion->link[i];
    /* places about the centre of the link's cells, and each cell's weight */
    place_cells(link, robot);
    for (size_t k = 0; k < link->n_cells; k++) {
      const double own = noise_of_cell != NULL ? noise_of_cell[link->cell[k]] : 0.0;
      const double noise = own > 0.0 ? own : cell_noise;
      link->weight[k] = 1.0 / (noise * noise);
    }
    fill_gather(link, robot);
  }
  return STATUS_OK;
}

void skin_fusion_mask(struct skin_fusion *fusion, size_t cell, bool masked) {
  fusion->masked[cell] = masked;
}

void skin_fusion_choose(struct skin_fusion *fusion, const bool *chosen) {
  for (size_t k = 0; k < fusion->robot->n_cells; k++) {
    fusion->idle[k] = !chosen[k];
  }
}

/* -- a change of the set ---------------------------------------------------------------------- */

/* H^T W H about the centre, angular rows and columns divided by `length`, and its companion for the
 * six products. */
static void normal_matrices(const struct link_skin *link, double normal[SIX][SIX],
                            double products[SIX][SIX]) {
  memset(normal, 0, sizeof(double[SIX][SIX]));
  memset(products, 0, sizeof(double[SIX][SIX]));
  for (size_t k = 0; k < link->n_cells; k++) {
    if (!link->used[k]) {
      continue;
    }
    /* H = [-S(r), 1], with r in units of the patch's size */
    const double w = link->weight[k];
    const mat3 S = mat3_skew(vec3_scale(1.0 / link->length, link->place[k]));
    double map[3][SIX];
    centripetal_map(link->place[k], map);
    for (int i = 0; i < 3; i++) {
      normal[i + 3][i + 3] += w;
      for (int j = 0; j < 3; j++) {
        normal[i + 3][j] -= w * S.m[i][j];
        normal[i][j + 3] += w * S.m[i][j];
        for (int m = 0; m < 3; m++) {
          normal[i][j] -= w * S.m[i][m] * S.m[m][j];
        }
      }
      for (int j = 0; j < SIX; j++) {
        /* what the cell reads of omega's six products, through the same H^T W */
        products[i][j] +=
            w * (S.m[i][0] * map[0][j] + S.m[i][1] * map[1][j] + S.m[i][2] * map[2][j]);
        products[i + 3][j] += w * map[i][j];
      }
    }
  }
}

/* Cholesky with the largest remaining pivot first: P A P^T = L L^T, L of `rank` columns in the rows
 * 0..5 of `factor` (rows in pivot order). Returns the rank. */
static unsigned pivoted_cholesky(const double A[SIX][SIX], double factor[SIX][SIX],
                                 uint8_t pivot[SIX]) {
  double left[SIX][SIX];
  memcpy(left, A, sizeof(left));
  memset(factor, 0, sizeof(double[SIX][SIX]));
  /* the tolerance is relative to the largest diagonal entry */
  double largest = 0.0;
  for (uint8_t i = 0; i < SIX; i++) {
    pivot[i] = i;
    largest = fmax(largest, A[i][i]);
  }
  for (unsigned column = 0; column < SIX; column++) {
    /* the largest of what is left */
    unsigned best = column;
    for (unsigned i = column + 1; i < SIX; i++) {
      if (left[pivot[i]][pivot[i]] > left[pivot[best]][pivot[best]]) {
        best = i;
      }
    }
    const double d = left[pivot[best]][pivot[best]];
    /* the rest is noise: these directions no cell tells */
    if (!(d > RANK_TOLERANCE * largest)) {
      return column;
    }
    /* to the front */
    const uint8_t chosen = pivot[best];
    pivot[best] = pivot[column];
    pivot[column] = chosen;
    for (unsigned j = 0; j < column; j++) { /* rows travel with their pivots */
      const double moved = factor[best][j];
      factor[best][j] = factor[column][j];
      factor[column][j] = moved;
    }
    /* the new column, and what it leaves of the matrix */
    for (unsigned i = column; i < SIX; i++) {
      factor[i][column] = left[pivot[i]][chosen] / sqrt(d);
    }
    for (unsigned i = 0; i < SIX; i++) {
      for (unsigned j = 0; j < SIX; j++) {
        const double ci = i >= column ? factor[i][column] : 0.0;
        const double cj = j >= column ? factor[j][column] : 0.0;
        left[pivot[i]][pivot[j]] -= ci * cj;
      }
    }
  }
  return SIX;
}

/* y = L^-1 (P b), the observable part of the normal equations' right side. */
static void whiten(const struct link_skin *link, const double b[SIX], double y[SIX]) {
  for (unsigned i = 0; i < link->rank; i++) {
    /* forward substitution in pivot order */
    double sum = b[link->pivot[i]];
    for (unsigned j = 0; j < i; j++) {
      sum -= link->factor[i][j] * y[j];
    }
    y[i] = sum / link->factor[i][i];
  }
}

/* U about the link's origin: x at the centre is [omegadot; vdot + omegadot x c]. */
static void fill_whitener(struct link_skin *link) {
  const mat3 S = mat3_skew(link->centre);
  for (unsigned i = 0; i < link->rank; i++) {
    /* a row of L^T P, in the order of x */
    double row[SIX] = {0};
    for (unsigned j = 0; j < SIX; j++) {
      row[link->pivot[j]] = j >= i ? link->factor[j][i] : 0.0;
    }
    for (int j = 0; j < 3; j++) {
      link->U[i][j + 3] = row[j + 3];
      /* angular columns were scaled as rows were: back to rad/s^2 */
      link->U[i][j] =
          row[j] * link->length - (row[3] * S.m[0][j] + row[4] * S.m[1][j] + row[5] * S.m[2][j]);
    }
  }
}

/* K: the cells' own centripetal terms about the centre, and that of the centre about the origin. */
static void fill_centripetal(struct link_skin *link, double products[SIX][SIX]) {
  double map[3][SIX];
  centripetal_map(link->centre, map);
  for (int j = 0; j < SIX; j++) {
    /* one product at a time, whitened as readings are */
    double column[SIX], y[SIX];
    for (int i = 0; i < SIX; i++) {
      column[i] = products[i][j];
    }
    whiten(link, column, y);
    for (unsigned i = 0; i < link->rank; i++) {
      link->K[i][j] = y[i];
      for (int m = 0; m < 3; m++) {
        link->K[i][j] += link->U[i][m + 3] * map[m][j];
      }
    }
  }
}

static void refactor(struct link_skin *link) {
  double normal[SIX][SIX], products[SIX][SIX];
  normal_matrices(link, normal, products);
  memset(link->U, 0, sizeof(link->U));
  memset(link->K, 0, sizeof(link->K));
  link->rank = pivoted_cholesky(normal, link->factor, link->pivot);
  fill_whitener(link);
  fill_centripetal(link, products);
}

void skin_fusion_assume_all(struct skin_fusion *fusion) {
  for (size_t i = 0; i < fusion->n_links; i++) {
    struct link_skin *link = &fusion->link[i];
    for (size_t k = 0; k < link->n_cells; k++) {
      link->used[k] = true;
    }
    link->n_used = link->n_cells;
    refactor(link);
  }
}

/* -- each sample ------------------------------------------------------------------------------ */

static bool usable(const struct skin_fusion *fusion, const struct skin_reading *reading,
                   size_t cell) {
  const float *a = reading->acceleration + 3 * cell;
  const float range = (float)fusion->range;
  /* NaN fails every comparison */
  return (reading->flags[cell] & CELL_VALID) != 0 && !fusion->masked[cell] && !fusion->idle[cell] &&
         fabsf(a[0]) < range && fabsf(a[1]) < range && fabsf(a[2]) < range &&
         !(a[0] == a[1] && a[1] == a[2]); /* what a dead bus reads: zeros, ones, -1 -1 -1 */
}

/* Copies the link's readings together, zeros for what is left out. True when the set changed. */
static bool collect(struct skin_fusion *fusion, struct link_skin *link,
                    const struct skin_reading *reading) {
  bool changed = false;
  size_t n_used = 0;
  for (size_t k = 0; k < link->n_cells; k++) {
    const size_t cell = link->cell[k];
    const float *a = reading->acceleration + 3 * cell;
    /* a cell that is left out reads zero and weighs nothing */
    const bool use = usable(fusion, reading, cell);
    link->reading[3 * k] = use ? a[0] : 0.0f;
    link->reading[3 * k + 1] = use ? a[1] : 0.0f;
    link->reading[3 * k + 2] = use ? a[2] : 0.0f;
    /* the factor holds until the set changes */
    changed |= use != link->used[k];
    link->used[k] = use;
    n_used += use;
    fusion->rejected += !use && !fusion->masked[cell] && !fusion->idle[cell];
  }
  link->n_used = n_used;
  return changed;
}

static void fuse(struct link_skin *link) {
  double b[SIX];
  skin_gather(link->gather, link->reading, link->padded, b);
  whiten(link, b, link->z);
}

enum status skin_fusion_step(struct skin_fusion *fusion, const struct skin_reading *reading) {
  if (reading->n_cells != fusion->robot->n_cells) {
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t i = 0; i < fusion->n_links; i++) {
    struct link_skin *link = &fusion->link[i];
    /* factored anew only when the set of cells has changed */
    if (collect(fusion, link, reading)) {
      refactor(link);
      fusion->refactored++;
    }
    fuse(link);
  }
  return STATUS_OK;
}

void skin_fusion_leave_out(struct link_skin *link, size_t k) {
  link->n_used -= link->used[k];
  link->used[k] = false;
  memset(link->reading + 3 * k, 0, 3 * sizeof(float));
}

void skin_fusion_mend(struct skin_fusion *fusion, struct link_skin *link) {
  refactor(link);
  fuse(link);
  fusion->refactored++;
}

void skin_fusion_drop(struct skin_fusion *fusion, struct link_skin *link, size_t k) {
  if (link->used[k]) {
    skin_fusion_leave_out(link, k);
    skin_fusion_mend(fusion, link);
  }
}

/* -- what leaves ------------------------------------------------------------------------------ */

struct link_rows skin_fusion_rows(const struct link_skin *link) {
  struct link_rows rows = {.link = link->link, .torn = link->torn, .rank = link->rank};
  for (unsigned i = 0; i < link->rank; i++) {
    memcpy(rows.W[i] + PART_OMEGADOT, link->U[i], sizeof(link->U[i]));
    memcpy(rows.W[i] + PART_PRODUCTS, link->K[i], sizeof(link->K[i]));
    rows.z[i] = link->z[i];
  }
  return rows;
}

enum status skin_fusion_solve(const struct link_skin *link, vec3 omega, struct motion *acceleration,
                              double covariance[SIX][SIX]) {
  const struct link_rows rows = skin_fusion_rows(link);
  return link_rows_solve(&rows, omega, acceleration, covariance);
}

/* @eq Leboutet22 134: vdot + (S(omegadot) + S(omega)^2) r. */
struct force_field force_field_of(vec3 omega, const struct motion *acceleration) {
  const mat3 turn = mat3_skew(omega), euler = mat3_skew(acceleration->ang);
  struct force_field field = {acceleration->lin, mat3_mul(&turn, &turn)};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      field.gradient.m[i][j] += euler.m[i][j];
    }
  }
  return field;
}
