#include "update/joint_jump.h"

#include "math/dispatch.h"
#include "numerics/matrix_cholesky.h"
#include "numerics/matrix_products.h"

#include <string.h>

enum status joint_jump_init(struct joint_jump *jump, const struct joint_layout *layout,
                            struct arena *arena) {
  const size_t count = layout->observed - layout->nonlinear, stride = matrix_stride(count);
  *jump = (struct joint_jump){.layout = layout, .count = count, .stride = stride};
  jump->allowed = ARENA_ARRAY(arena, bool, count);
  jump->statistic = ARENA_ARRAY(arena, double, count);
  jump->Y = ARENA_ARRAY(arena, double, layout->observed *stride);
  jump->N = ARENA_ARRAY(arena, double, count *stride);
  jump->v = ARENA_ARRAY(arena, double, count);
  jump->V = ARENA_ARRAY(arena, double, count *stride);
  jump->turned = ARENA_ARRAY(arena, double, count *stride);
  jump->u = ARENA_ARRAY(arena, double, count);
  jump->r = ARENA_ARRAY(arena, double, count * layout->stride);
  jump->t = ARENA_ARRAY(arena, double, layout->observed);
  jump->taken = ARENA_ARRAY(arena, bool, count);
  jump->order = ARENA_ARRAY(arena, size_t, count);
  jump->weight = ARENA_ARRAY(arena, double, count);
  jump->step = ARENA_ARRAY(arena, double, count);
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* The candidates' block of L^T in falling order, which is upper triangular: a factor to divide rows
 * by. */
static struct matrix_factor falling_block(const struct joint_update *update) {
  const struct joint_layout *l = update->layout;
  const size_t last = l->observed - 1;
  return (struct matrix_factor){update->R + last * l->stride + last, -(ptrdiff_t)l->stride, -1};
}

/* The rows' responses to the candidates' accelerations are D N^T, with N = L^-1. Over the
 * candidates D^T Pyy^-1 D = 1 - (C C^T)^-1, so with Y = C^-1 N^T
 *   V = N D^T Pyy^-1 D N^T = N N^T - Y^T Y,  u = N w.
 * Of V the diagonal alone: nearly always nothing has jumped. */
FOR_EACH_ISA
static void solve_responses(struct joint_jump *jump, const struct joint_update *update) {
  const struct joint_points *points = &update->points;
  const size_t count = jump->count, stride = jump->stride, observed = jump->layout->observed;
  const size_t first = joint_points_column(points, observed - 1); /* of D */
  const double *w = update->w + first;
  double *restrict N = jump->N, *restrict v = jump->v;
  memset(N, 0, count * stride * sizeof(double));
  memset(jump->Y, 0, observed * stride * sizeof(double));
  for (size_t i = 0; i < count; i++) {
    N[i * stride + i] = 1.0;
    jump->u[i] = 0.0;
  }
  matrix_solve_upper_rows(N, N, stride, count, count, falling_block(update));
  memset(v, 0, count * sizeof(double));
  for (size_t k = 0; k < count; k++) {
    memcpy(jump->Y + k * stride + k, N + k * stride + k, (count - k) * sizeof(double));
    for (size_t i = k; i < count; i++) {
      jump->u[i] += N[k * stride + i] * w[k];
      v[i] += N[k * stride + i] * N[k * stride + i];
    }
  }
  const struct matrix_factor C = {update->M + first * points->stride + first,
                                  (ptrdiff_t)points->stride, 1};
  matrix_solve_rows(jump->Y, stride, observed, count, C);
  for (size_t k = 0; k < observed; k++) {
    const double *row = jump->Y + k * stride;
    for (size_t i = 0; i < count; i++) {
      v[i] -= row[i] * row[i];
    }
  }
}

/* V: once something has jumped. */
static void couple_responses(struct joint_jump *jump) {
  const size_t count = jump->count, stride = jump->stride;
  matrix_gram(jump->V, stride, count, jump->N, stride, count, true);
  matrix_gram_add(jump->V, stride, count, -1.0, jump->Y, stride, jump->layout->observed, false);
  matrix_mirror(jump->V, stride, count);
}

/* r = e - K s of candidate c (falling order): D^T Pyy^-1 s = (N^T - C^-T Y) e. */
FOR_EACH_ISA
static void gain_residual(struct joint_jump *jump, const struct joint_update *update, size_t c,
                          double *r) {
  const struct joint_layout *l = jump->layout;
  const struct joint_points *points = &update->points;
  double *t = jump->t;
  for (size_t i = 0; i < l->observed; i++) {
    t[i] = -jump->Y[i * jump->stride + c];
  }
  const size_t first = joint_points_column(points, l->observed - 1); /* of D */
  matrix_solve_upper(update->M + first * (points->stride + 1), points->stride, l->observed, t);
  for (size_t i = 0; i <= c; i++) {
    t[i] += jump->N[i * jump->stride + c];
  }
  memset(r, 0, l->size * sizeof(double));
  r[l->observed - 1 - c] = 1.0;
  for (size_t j = 0; j < l->observed; j++) {
    const double factor = t[l->observed - 1 - j];
    for (size_t i = j; i < l->size; i++) {
      r[i] -= factor * update->R[j * l->stride + i];
    }
  }
}

/* The candidate with the largest statistic above the gate, or count. */
static size_t find_jump(const struct joint_jump *jump, double gate, double worst_sd) {
  size_t best = jump->count;
  double largest = gate;
  for (size_t i = 0; i < jump->count; i++) {
    const double v = jump->v[i];
    const bool seen = v * worst_sd * worst_sd >= 1.0;
    if (seen && jump->allowed[jump->count - 1 - i] && !jump->taken[i] &&
        jump->u[i] * jump->u[i] > largest * v) {
      best = i;
      largest = jump->u[i] * jump->u[i] / v;
    }
  }
  return best;
}

/* r of candidate c with the jumps followed before it in mind. */
static void current_residual(struct joint_jump *jump, const struct joint_update *update, size_t c,
                             size_t found, double *r) {
  const size_t size = jump->layout->size, stride = jump->layout->stride;
  gain_residual(jump, update, c, r);
  for (size_t earlier = 0; earlier < found; earlier++) {
    const double *row = jump->turned + jump->order[earlier] * jump->stride;
    const double share = jump->weight[earlier] * row[c];
    for (size_t i = 0; i < size; i++) {
      r[i] -= share * jump->r[earlier * stride + i];
    }
  }
}

/* x and P as if the prior had known of the jump; u and V of the others likewise. Keeps the jump's
 * row of V as it was for later residuals. */
FOR_EACH_ISA
static void follow(struct joint_jump *jump, size_t c, size_t found, double *x, double *P) {
  const struct joint_layout *l = jump->layout;
  const double *r = jump->r + found * l->stride;
  double *row = jump->turned + c * jump->stride;
  memcpy(row, jump->V + c * jump->stride, jump->count * sizeof(double));
  const double u = jump->u[c], v = row[c], p = (u * u / v - 1.0) / v, weight = p / (1.0 + p * v);
  for (size_t i = 0; i < l->size; i++) {
    x[i] += r[i] * weight * u;
    for (size_t j = i; j < l->size; j++) {
      P[i * l->stride + j] += weight * r[i] * r[j];
    }
  }
  for (size_t i = 0; i < jump->count; i++) {
    jump->u[i] -= weight * row[i] * u;
    for (size_t j = 0; j < jump->count; j++) {
      jump->V[i * jump->stride + j] -= weight * row[i] * row[j];
    }
    jump->v[i] = jump->V[i * jump->stride + i];
  }
  jump->explained += weight * u * u;
  jump->weight[found] = weight;
  jump->step[found] = weight * u;
  jump->order[found] = c;
  jump->taken[c] = true;
}

size_t joint_jump_step(struct joint_jump *jump, const struct joint_update *update, double gate,
                       double worst_sd, double *x, double *P) {
  solve_responses(jump, update);
  for (size_t i = 0; i < jump->count; i++) {
    const double v = jump->v[i];
    jump->statistic[jump->count - 1 - i] = v > 0.0 ? jump->u[i] * jump->u[i] / v : 0.0;
    jump->taken[i] = false;
  }
  jump->explained = 0.0;
  size_t found = 0;
  for (; found < jump->count; found++) {
    const size_t c = find_jump(jump, gate, worst_sd);
    if (c == jump->count) {
      break;
    }
    if (found == 0) {
      couple_responses(jump);
    }
    current_residual(jump, update, c, found, jump->r + found * jump->layout->stride);
    follow(jump, c, found, x, P);
  }
  return found;
}
