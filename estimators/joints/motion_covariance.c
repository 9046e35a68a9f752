#include "joints/motion_covariance.h"

#include "joints/joint_filter_core.h"
#include "math/dispatch.h"

#include <string.h>

/* Parts of an error: attitude; the base's angular and linear part; joints. */
enum { PART_JOINTS = 3, PARTS = 4, TERMS_MAX = 2 + MOTION_ORDERS };

/* One summand of the errors: which parts it has, and where each begins in the filter's state. */
struct term {
  double weight;
  size_t first, last; /* parts */
  size_t from[PARTS]; /* states */
};

static size_t gather_terms(const struct joint_layout *l, const double weight[MOTION_ORDERS],
                           struct term term[TERMS_MAX]) {
  const struct term of_order[MOTION_ORDERS] = {
      {weight[0], 1, 3, {0, l->attitude, l->position, l->q}},
      {weight[1], 1, 3, {0, l->omega, l->velocity, l->dq}},
      {weight[2], 1, 3, {0, l->omegadot, l->force, l->ddq}}};
  size_t n = 0;
  term[n++] = (struct term){1.0, 0, 0, {l->attitude}};
  for (int k = 0; k < MOTION_ORDERS; k++) {
    if (weight[k] != 0.0) {
      term[n++] = of_order[k];
    }
  }
  if (weight[2] != 0.0 && l->biases > 0) { /* the state holds ddq + bias (joint_process.h) */
    term[n++] = (struct term){-weight[2], 1, 3, {0, l->bias_ang, l->bias_lin, l->bias}};
  }
  return n;
}

/* C += scale P[row ...][column ...], of whose P the upper triangle holds; of a block on C's
 * diagonal that triangle alone. Parts of the state do not overlap: a block of two different ones
 * lies on one side of P's diagonal. */
ISA_INLINE void add_block(const double *P, size_t stride, double scale, size_t row, size_t rows,
                          size_t column, size_t columns, bool diagonal, double *C,
                          size_t c_stride) {
  for (size_t i = 0; i < rows; i++) {
    const size_t a = row + i, left = column >= a ? 0 : column == row ? i : columns;
    double *to = C + i * c_stride;
    size_t k = diagonal ? i : 0;
    for (; k < left; k++) { /* left of the diagonal: its mirror image */
      to[k] += scale * P[(column + k) * stride + a];
    }
    for (; k < columns; k++) {
      to[k] += scale * P[a * stride + column + k];
    }
  }
}

/* What two summands have in common, blocks on and above the diagonal of C. */
ISA_INLINE void add_terms(const struct joint_layout *l, const double *P, const struct term *s,
                          const struct term *t, double *C, size_t stride) {
  const size_t length[PARTS] = {l->base, l->base, l->base, l->n},
               place[PARTS] = {0, l->base, 2 * l->base, 3 * l->base};
  for (size_t a = s->first; a <= s->last; a++) {
    for (size_t b = a > t->first ? a : t->first; b <= t->last; b++) {
      add_block(P, l->stride, s->weight * t->weight, s->from[a], length[a], t->from[b], length[b],
                a == b, C + place[a] * stride + place[b], stride);
    }
  }
}

/* What the covariance does not know of rates and accelerations after a blow: of number i of the
 * joints or of the base's axes. */
static double shock_of(const struct aftershock *shock,
                       double (*of)(const struct aftershock *, unsigned, size_t),
                       const double weight[MOTION_ORDERS], size_t i) {
  double sum = 0.0;
  for (unsigned order = 1; order < MOTION_ORDERS; order++) {
    const double scale = weight[order] * weight[order];
    sum += scale > 0.0 ? scale * of(shock, order, i) : 0.0;
  }
  return sum;
}

/* What an acceleration's error, of this variance at place `at`, does to the force beside it. */
static void add_force(const struct joint_layout *l, size_t at, vec3 by, double variance, double *C,
                      size_t stride) {
  const size_t force = 2 * l->base;
  double felt[3];
  vec3_to(by, felt);
  for (size_t k = 0; k < l->base; k++) {
    const size_t row = at < force ? at : force + k, column = at < force ? force + k : at;
    C[row * stride + column] += felt[k] * variance;
    for (size_t m = k; m < l->base; m++) {
      C[(force + k) * stride + force + m] += felt[k] * felt[m] * variance;
    }
  }
}

static void add_aftershock(const struct joint_filter *f, const double weight[MOTION_ORDERS],
                           double *C, size_t stride) {
  const struct joint_layout *l = &f->layout;
  const struct aftershock *shock = &f->aftershock;
  const double square = weight[2] * weight[2];
  for (size_t i = 0; i < l->base; i++) {
    C[(l->base + i) * (stride + 1)] += shock_of(shock, aftershock_of_base, weight, i);
    add_force(l, l->base + i, aftershock_force_by_base(f, i),
              square * aftershock_of_base(shock, 2, i), C, stride);
    C[(2 * l->base + i) * (stride + 1)] += square * aftershock_of_force(shock, i);
  }
  for (size_t i = f->robot->imu_link; i > 0 && f->base_imu; i = (size_t)f->robot->model.parent[i]) {
    add_force(l, 3 * l->base + i - 1, aftershock_force_by_joint(f, i - 1),
              square * aftershock_of_joint(shock, 2, i - 1), C, stride);
  }
  for (size_t j = 0; j < l->n; j++) {
    C[(3 * l->base + j) * (stride + 1)] += shock_of(shock, aftershock_of_joint, weight, j);
  }
}

size_t motion_covariance_size(const struct joint_layout *layout) {
  return 3 * layout->base + layout->n;
}

/* Where error i of the filter's own stands among all; never before i. */
static size_t place_of(const struct joint_filter *f, size_t i) {
  const size_t base = 3 * f->layout.base;
  return i < base ? i : base + f->part.joint[i - base];
}

/* C of the filter's own joints becomes that of all: row and column i go to their places, from the
 * last, with zeros in between. C: both triangles */
static void spread(const struct joint_filter *f, size_t size, size_t all, double *C,
                   size_t stride) {
  size_t below = all; /* the first row that is done */
  for (size_t i = size; i-- > 0; below = place_of(f, i)) {
    double *row = C + place_of(f, i) * stride;
    memset(row + stride, 0, (below - place_of(f, i) - 1) * stride * sizeof(double));
    size_t filled = stride;
    for (size_t k = size; k-- > 0; filled = place_of(f, k)) {
      const size_t to = place_of(f, k);
      row[to] = C[i * stride + k];
      memset(row + to + 1, 0, (filled - to - 1) * sizeof(double));
    }
  }
}

/* Covariance of the errors of two joints. */
static double both_joints(const struct joint_layout *l, const double *P, const struct term *term,
                          size_t n_terms, size_t j, size_t k) {
  double sum = 0.0;
  for (size_t s = 1; s < n_terms; s++) { /* the first term is the attitude's */
    for (size_t t = 1; t < n_terms; t++) {
      const size_t a = term[s].from[PART_JOINTS] + j, b = term[t].from[PART_JOINTS] + k;
      const double *of = a < b ? &P[a * l->stride + b] : &P[b * l->stride + a];
      sum += term[s].weight * term[t].weight * *of;
    }
  }
  return sum;
}

/* Those of joints that stand apart, which have nothing in common with others. */
static void add_apart(const struct joint_filter *apart, size_t base,
                      const double weight[MOTION_ORDERS], double *C, size_t stride) {
  const struct joint_layout *l = &apart->layout;
  const double *P = instants_newest(&apart->instants)->P;
  const size_t *place = apart->part.joint;
  struct term term[TERMS_MAX];
  const size_t n_terms = gather_terms(l, weight, term);
  for (size_t j = 0; j < l->n; j++) {
    for (size_t k = 0; k < l->n; k++) {
      C[(base + place[j]) * stride + base + place[k]] = both_joints(l, P, term, n_terms, j, k);
    }
    C[(base + place[j]) * (stride + 1)] +=
        shock_of(&apart->aftershock, aftershock_of_joint, weight, j);
  }
}

FOR_EACH_ISA
enum status motion_covariance(const struct joint_filter *f, const double weight[MOTION_ORDERS],
                              double *C, size_t stride) {
  const struct joint_layout *l = &f->layout;
  size_t all = motion_covariance_size(l);
  bool running = f->running && (l->base == 0 || f->base_started);
  for (size_t k = 0; k < f->n_apart; k++) {
    running = running && f->apart[k]->running;
    all += f->apart[k]->layout.n;
  }
  if (!running) {
    return STATUS_TOO_FEW;
  }
  const double *P = instants_newest(&f->instants)->P;
  const size_t size = motion_covariance_size(l);
  struct term term[TERMS_MAX];
  const size_t n_terms = gather_terms(l, weight, term);
  memset(C, 0, size * stride * sizeof(double));
  for (size_t s = 0; s < n_terms; s++) {
    for (size_t t = 0; t < n_terms; t++) {
      add_terms(l, P, &term[s], &term[t], C, stride);
    }
  }
  add_aftershock(f, weight, C, stride);
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < i; k++) {
      C[i * stride + k] = C[k * stride + i];
    }
  }
  if (all > size) {
    spread(f, size, all, C, stride);
  }
  for (size_t k = 0; k < f->n_apart; k++) {
    add_apart(f->apart[k], 3 * l->base, weight, C, stride);
  }
  return STATUS_OK;
}
