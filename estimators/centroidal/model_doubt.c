#include "centroidal/model_doubt.h"

#include "math/dispatch.h"
#include "numerics/matrix_products.h"

#include <math.h>

struct model_doubt_settings model_doubt_defaults(void) {
  return (struct model_doubt_settings){.mass = 0.03, .centre = 0.005};
}

enum status model_doubt_check(const struct model_doubt_settings *s) {
  return s->mass >= 0.0 && isfinite(s->mass) && s->centre >= 0.0 && isfinite(s->centre)
             ? STATUS_OK
             : STATUS_OUT_OF_RANGE;
}

/* A body as a point at its centre, base axes. */
struct point_body {
  double m;          /* kg */
  vec3 r, v, a;      /* m, m/s, m/s^2: against the whole's centre of mass */
  vec3 proper;       /* m/s^2: gravity included */
  vec3 omega;        /* rad/s */
  struct motion a_L; /* of its link */
};

ISA_INLINE struct point_body point_body_of(const struct kinematics *kin,
                                           const struct inertia *inertia,
                                           const struct centroidal *c, size_t link) {
  const vec3 h = mat3_mul_vec3(&kin->X_BL[link].R, inertia[link].h);
  const vec3 from_link = vec3_scale(1.0 / inertia[link].m, h);
  const struct motion v = kinematics_v_B(kin, link), a = kinematics_a_B(kin, link);
  struct point_body body = {.m = inertia[link].m, .omega = v.ang, .a_L = a};
  body.proper = point_acceleration(&a, v.ang, from_link);
  body.r = vec3_sub(vec3_add(kin->X_BL[link].p, from_link), c->com);
  body.v = vec3_sub(vec3_add(v.lin, vec3_cross(v.ang, from_link)), c->com_velocity);
  body.a = vec3_sub(body.proper, c->com_acceleration);
  return body;
}

/* What is moved by a share more mass, base axes. */
ISA_INLINE struct force by_mass(const struct point_body *b, enum whole whole, double mass,
                                double dcm_s) {
  switch (whole) {
  case WHOLE_POSITION: {
    const vec3 moved = vec3_scale(b->m / mass, b->r);
    return (struct force){moved, moved};
  }
  case WHOLE_MOMENTUM:
    return (struct force){vec3_scale(b->m, vec3_cross(b->r, b->v)), vec3_scale(b->m / mass, b->v)};
  case WHOLE_RATE:
    return (struct force){vec3_scale(b->m, vec3_cross(b->r, b->a)), vec3_scale(b->m, b->proper)};
  case WHOLE_ACCELERATION:
    return (struct force){vec3_scale(b->m / mass, b->a), VEC3_ZERO};
  default:
    return (struct force){vec3_scale(b->m / mass, vec3_axpy(b->r, dcm_s, b->v)), VEC3_ZERO};
  }
}

/* What is moved by a metre of the centre along e. */
ISA_INLINE struct force by_centre(const struct point_body *b, vec3 e, enum whole whole, double mass,
                                  double dcm_s) {
  const vec3 w = vec3_cross(b->omega, e),
             u = vec3_add(vec3_cross(b->a_L.ang, e), vec3_cross(b->omega, w));
  switch (whole) {
  case WHOLE_POSITION: {
    const vec3 moved = vec3_scale(b->m / mass, e);
    return (struct force){moved, moved};
  }
  case WHOLE_MOMENTUM:
    return (struct force){vec3_scale(b->m, vec3_add(vec3_cross(e, b->v), vec3_cross(b->r, w))),
                          vec3_scale(b->m / mass, w)};
  case WHOLE_RATE:
    return (struct force){vec3_scale(b->m, vec3_add(vec3_cross(e, b->a), vec3_cross(b->r, u))),
                          vec3_scale(b->m, u)};
  case WHOLE_ACCELERATION:
    return (struct force){vec3_scale(b->m / mass, u), VEC3_ZERO};
  default:
    return (struct force){vec3_scale(b->m / mass, vec3_axpy(e, dcm_s, w)), VEC3_ZERO};
  }
}

/* What each body adds, by its mass and by its centre along three axes: rows g of six, base axes. */
enum { PER_BODY = 4, ROWS_MAX = PER_BODY * (MODEL_MAX_JOINTS + 1) };
typedef double doubt_rows[ROWS_MAX][MATRIX_LANES] __attribute__((aligned(64)));

ISA_INLINE void put_row(struct force g_B, double sd, double row[MATRIX_LANES]) {
  vec3_to(vec3_scale(sd, g_B.ang), row);
  vec3_to(vec3_scale(sd, g_B.lin), row + 3);
  row[6] = row[7] = 0.0;
}

/* cov += T own T^T, T = diag(R_WB, R_WB), or diag(R_WB, 1) where the second vector is one in the
 * base. own: its upper triangle. */
static void add_turned(enum whole whole, const mat3 *R_WB, double own[6][MATRIX_LANES],
                       double cov[6][6]) {
  const mat3 one = MAT3_IDENTITY, *T[2] = {R_WB, whole == WHOLE_POSITION ? &one : R_WB};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      double sum = 0.0;
      for (int a = i / 3 * 3; a < i / 3 * 3 + 3; a++) {
        for (int b = k / 3 * 3; b < k / 3 * 3 + 3; b++) {
          const double at = a < b ? own[a][b] : own[b][a];
          sum += T[i / 3]->m[i % 3][a % 3] * at * T[k / 3]->m[k % 3][b % 3];
        }
      }
      cov[i][k] += sum;
    }
  }
}

FOR_EACH_ISA
static size_t fill_rows(const struct model_doubt_settings *settings, enum whole whole,
                        const struct kinematics *kin, const struct inertia *inertia,
                        const struct centroidal *c, double load, double dcm_s, doubt_rows rows) {
  const vec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const double likely = load / sqrt((double)kin->model->n_links);
  size_t n = 0;
  for (size_t link = 0; link < kin->model->n_links; link++) {
    if (!(inertia[link].m > 0.0)) {
      continue;
    }
    const struct point_body body = point_body_of(kin, inertia, c, link);
    put_row(by_mass(&body, whole, c->mass, dcm_s), hypot(settings->mass, likely / body.m),
            rows[n++]);
    for (int k = 0; k < 3; k++) {
      put_row(by_centre(&body, axis[k], whole, c->mass, dcm_s), settings->centre, rows[n++]);
    }
  }
  return n;
}

void model_doubt_add(const struct model_doubt_settings *settings, enum whole whole,
                     const struct kinematics *kin, const struct inertia *inertia,
                     const struct centroidal *c, const mat3 *R_WB, double load, double dcm_s,
                     double cov[6][6]) {
  doubt_rows rows;
  double own[6][MATRIX_LANES] __attribute__((aligned(64)));
  const size_t n = fill_rows(settings, whole, kin, inertia, c, load, dcm_s, rows);
  matrix_gram(own[0], MATRIX_LANES, 6, rows[0], MATRIX_LANES, n, false);
  add_turned(whole, R_WB, own, cov);
}
