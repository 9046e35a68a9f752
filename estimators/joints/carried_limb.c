#include "joints/carried_limb.h"

#include "joints/joint_filter_core.h"
#include "joints/joint_samples.h"
#include "joints/joint_settle.h"
#include "numerics/small_matrix.h"
#include "process/joint_chains.h"

#include <math.h>
#include <string.h>

/* -- start ------------------------------------------------------------------------------------ */

enum status carried_limb_init(struct carried_limb *limb, struct joint_filter *filter,
                              const struct model *model, size_t carrier, size_t capacity,
                              struct arena *arena) {
  const size_t n = 3 * model->n_joints;
  *limb = (struct carried_limb){.filter = filter, .carrier = carrier};
  limb->block = ARENA_ARRAY(arena, struct link_rows, model->n_links);
  limb->expected = ARENA_ARRAY(arena, struct link_rows, model->n_links);
  limb->noise = ARENA_ARRAY(arena, double, 6 * n);
  double *noise = ARENA_ARRAY(arena, double, 6 * n * capacity);
  for (size_t i = 0; i < capacity && filter != NULL; i++) {
    filter->instants.storage[i].carried_noise = noise + 6 * n * i;
  }
  return limb_information_init(&limb->information, model, arena);
}

/* The rows that the skin of a limb's links gives. */
static size_t gather_rows(const struct joint_filter *body, const struct joint_filter *f,
                          struct link_rows *block) {
  size_t count = 0;
  for (size_t i = 0; i < body->fusion.n_links; i++) {
    const struct link_skin *link = &body->fusion.link[i];
    const size_t own = f->part.link[link->link];
    if (link->rank > 0 && own != ROBOT_NO_LINK && own > 0) {
      block[count] = skin_fusion_rows(link);
      block[count].link = own;
      joint_samples_weaken(&block[count++], f->links.excess[own]);
    }
  }
  return count;
}

void carried_limbs_survey(struct joint_filter *body) {
  for (size_t k = 0; k < body->n_carried; k++) {
    struct joint_filter *f = body->carried[k].filter;
    joint_skin_survey(&f->skin, f->block, gather_rows(body, f, f->block));
    joint_settle_priors(f);
  }
}

/* -- where cells are expected to move --------------------------------------------------------- */

static struct robot_motion motion_on(const struct joint_filter *f, const double *x, vec3 rate,
                                     struct motion a) {
  const struct joint_layout *l = &f->layout;
  return (struct robot_motion){.base = {.X_WB = POSE_IDENTITY, .v_B.ang = rate, .a_B = a},
                               .q = x + l->q,
                               .dq = x + l->dq,
                               .ddq = x + l->ddq};
}

void carried_limbs_expect(struct joint_filter *body) {
  for (size_t k = 0; k < body->n_carried; k++) {
    const size_t carrier = body->carried[k].carrier;
    struct joint_filter *f = body->carried[k].filter;
    if (!f->running) {
      continue;
    }
    const struct robot_motion motion =
        motion_on(f, instants_newest(&f->instants)->x, kinematics_v_L(&body->kin, carrier).ang,
                  kinematics_a_L(&body->kin, carrier));
    if (kinematics_update(&f->kin, &motion) == STATUS_OK) {
      for (size_t j = 0; j < f->layout.n; j++) {
        const size_t link = f->part.joint[j] + 1;
        body->omega[link] = kinematics_v_L(&f->kin, j + 1).ang;
        body->expected[link] = kinematics_a_L(&f->kin, j + 1);
      }
    }
  }
}

/* -- to the body ------------------------------------------------------------------------------ */

/* The newest instant not after t_ns, or the oldest. */
static const struct instant *instant_until(const struct joint_filter *f, int64_t t_ns) {
  size_t i = f->instants.count - 1;
  while (i > 0 && (f->instants.at[i]->t_ns > t_ns || f->instants.at[i]->filtered == 0)) {
    i--;
  }
  return f->instants.at[i];
}

/* The carrier's numbers: omegadot, vdot, omega. */
static void carrier_numbers(const struct joint_filter *body, size_t link,
                            double m[CARRIER_NUMBERS]) {
  const struct motion a = kinematics_a_L(&body->kin, link);
  vec3_to(a.ang, m);
  vec3_to(a.lin, m + 3);
  vec3_to(kinematics_v_L(&body->kin, link).ang, m + 6);
}

static bool same_rows(const struct carried_limb *limb) {
  bool same = limb->n_expected == limb->n_blocks;
  for (size_t b = 0; same && b < limb->n_blocks; b++) {
    const struct link_rows *a = &limb->block[b], *e = &limb->expected[b];
    same = a->link == e->link && a->rank == e->rank &&
           memcmp(a->W, e->W, a->rank * sizeof(a->W[0])) == 0;
  }
  return same;
}

/* What one limb tells of its carrier. The differences of a sample that was prepared for hold. */
static bool tell(struct joint_filter *body, struct carried_limb *limb, int64_t t_ns,
                 struct link_rows *rows) {
  const struct joint_filter *f = limb->filter;
  struct limb_information *info = &limb->information;
  double m[CARRIER_NUMBERS], x[CHAIN_PARTS * CARRIED_JOINTS];
  if (!f->running || !f->skin_ready) {
    return false;
  }
  limb->n_blocks = gather_rows(body, f, limb->block);
  const struct instant *before = instant_until(f, t_ns);
  const struct joint_densities densities = joint_filter_densities(f);
  if (limb->n_blocks == 0 || before->P == NULL) {
    return false;
  }
  memcpy(x, before->x, f->layout.numbers * sizeof(double));
  joint_process_mean(&f->layout, 1e-9 * fmax((double)(t_ns - before->t_ns), 0.0), &densities, x);
  carrier_numbers(body, limb->carrier, m);
  const int64_t apart = t_ns - limb->expected_ns, merge_ns = body->instants.merge_ns;
  const bool holds = info->rows > 0 && apart < merge_ns && apart > -merge_ns && same_rows(limb);
  bool fine = limb_information_expect(info, m, x, limb->block, limb->n_blocks, !holds);
  if (fine && !holds) {
    fine = limb_information_update(info, before->P, f->layout.stride);
    memcpy(limb->expected, limb->block, limb->n_blocks * sizeof(*limb->block));
    limb->n_expected = limb->n_blocks;
    limb->expected_ns = t_ns;
  }
  info->rows = fine ? info->rows : 0;
  if (fine) {
    limb->told_ns = t_ns;
    limb_information_rows(info, m, limb->block, limb->n_blocks, rows);
    rows->link = limb->carrier;
  }
  return fine;
}

static bool update_kinematics(struct joint_filter *body, const double *x) {
  const struct joint_layout *l = &body->layout;
  struct robot_motion motion =
      motion_on(body, x, VEC3_ZERO, (struct motion){VEC3_ZERO, body->fixed_force});
  if (l->base > 0) {
    motion.base.v_B.ang = vec3_from(x + l->omega);
    motion.base.a_B = (struct motion){vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  }
  return kinematics_update(&body->kin, &motion) == STATUS_OK;
}

size_t carried_limbs_tell(struct joint_filter *body, int64_t t_ns, struct link_rows *block) {
  size_t count = 0;
  if (body->n_carried == 0 || !body->running ||
      !update_kinematics(body, instant_until(body, t_ns)->x)) {
    return 0;
  }
  for (size_t k = 0; k < body->n_carried; k++) {
    count += tell(body, &body->carried[k], t_ns, block + count);
  }
  return count;
}

/* -- to the limb ------------------------------------------------------------------------------ */

/* How the carrier's acceleration changes with one state: a column of its Jacobian. */
struct carrier_term {
  size_t state;
  double by[6]; /* omegadot, vdot, link coordinates */
};

static void add_column(const struct joint_filter *body, size_t link, size_t state, vec3 ang,
                       vec3 lin, struct carrier_term *term) {
  const struct pose *X = &body->kin.X_BL[link];
  term->state = state;
  vec3_to(mat3_tmul_vec3(&X->R, ang), term->by);
  vec3_to(mat3_tmul_vec3(&X->R, vec3_add(lin, vec3_cross(ang, X->p))), term->by + 3);
}

static size_t carrier_terms(const struct joint_filter *body, size_t link,
                            struct carrier_term *term) {
  const struct joint_layout *l = &body->layout;
  const vec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  size_t n = 0;
  for (size_t i = 0; i < l->base; i++) {
    add_column(body, link, l->omegadot + i, axis[i], VEC3_ZERO, &term[n++]);
    add_column(body, link, l->force + i, VEC3_ZERO, axis[i], &term[n++]);
  }
  for (size_t i = link; i > 0; i = (size_t)body->robot->model.parent[i]) {
    const struct motion S = kinematics_S_B(&body->kin, i - 1);
    add_column(body, link, l->ddq + i - 1, S.ang, S.lin, &term[n++]);
  }
  return n;
}

/* Covariance of the carrier's omegadot and vdot, as the body's P has it. */
static void carrier_covariance(const struct joint_filter *body, size_t link, const double *P,
                               double covariance[6][6]) {
  struct carrier_term term[6 + MODEL_MAX_JOINTS];
  const size_t n = carrier_terms(body, link, term), stride = body->layout.stride;
  memset(covariance, 0, 36 * sizeof(double));
  for (size_t a = 0; a < n; a++) {
    double by[6] = {0.0};
    for (size_t b = 0; b < n; b++) {
      const size_t i = term[a].state, k = term[b].state;
      small_add(6, P[i < k ? i * stride + k : k * stride + i], term[b].by, by);
    }
    for (size_t i = 0; i < 6; i++) {
      small_add(6, term[a].by[i], by, covariance[i]);
    }
  }
}

/* What the uncertainty of the carrier's motion does to the joints: H_f^T H_m K of a covariance
 * K K^T. */
static void carry_noise(struct carried_limb *limb, double covariance[6][6]) {
  const struct limb_information *info = &limb->information;
  memset(limb->noise, 0, 6 * info->n * sizeof(double));
  if (!small_cholesky_lower(6, covariance[0])) {
    return;
  }
  for (size_t row = 0; row < info->rows; row++) {
    double by[6] = {0.0};
    for (size_t c = 0; c < 6; c++) {
      for (size_t i = c; i < 6; i++) {
        by[c] += info->H_m[row * CARRIER_STRIDE + i] * covariance[i][c];
      }
    }
    small_rank_one(info->n, 6, 1.0, info->H_f + row * info->stride, by, limb->noise, 6);
  }
}

static void give(struct joint_filter *body, struct carried_limb *limb, const struct instant *at) {
  double covariance[6][6];
  carrier_covariance(body, limb->carrier, at->P, covariance);
  carry_noise(limb, covariance);
  limb->given = true;
  limb->given_ns = at->t_ns;
  limb->rate = kinematics_v_L(&body->kin, limb->carrier).ang;
  limb->motion = kinematics_a_L(&body->kin, limb->carrier);
}

void carried_limb_widen(const struct joint_layout *l, const double *noise, double *P) {
  double B[6][5 * CARRIED_JOINTS];
  memset(B, 0, sizeof(B));
  for (size_t i = 0; i < l->size; i++) {
    for (size_t k = 0; k < l->observed; k++) {
      const double both = i < k ? P[i * l->stride + k] : P[k * l->stride + i];
      for (size_t c = 0; c < 6; c++) {
        B[c][i] += both * noise[6 * k + c];
      }
    }
  }
  for (size_t c = 0; c < 6; c++) {
    for (size_t i = 0; i < l->size; i++) {
      small_add(l->size - i, B[c][i], B[c] + i, P + i * (l->stride + 1));
    }
  }
}

void carried_limbs_give(struct joint_filter *body, int64_t t_ns) {
  const bool any = body->n_carried > 0 && body->running;
  const struct instant *at = any ? instant_until(body, t_ns) : NULL;
  if (at == NULL || at->t_ns != t_ns || !(at->filtered & STREAM_SKIN) || at->P == NULL ||
      !body->skin_ready || !update_kinematics(body, at->x)) {
    return;
  }
  for (size_t k = 0; k < body->n_carried; k++) {
    if (body->carried[k].information.rows > 0 && body->carried[k].told_ns == t_ns) {
      give(body, &body->carried[k], at);
    }
  }
}
