#include "centroidal/five_mass_fit.h"

#include "inertia/inertia.h"

#include <math.h>
#include <string.h>

static const double SAME_PLACE = 0.2; /* of the reach: origins nearer to the root are the hip's or
                                    * shoulder's, and as near to the end the wrist's or ankle's */
static const size_t LEAST_ARM = 3;    /* joints: shorter branches are heads and tails */
static const double TRIANGLE_S = 0.5, TRIANGLE_L = 2.0 / 3.0; /* of uniform density */

struct five_mass_fit_settings five_mass_fit_defaults(void) {
  return (struct five_mass_fit_settings){.range = 0.6, .postures = 300, .seed = 1};
}

/* Position of a link's origin from the base's at q = 0. */
static struct pose pose_at_zero(const struct model *model, size_t link) {
  struct pose X = POSE_IDENTITY;
  for (int at = (int)link; at > 0; at = model->parent[at]) {
    X = pose_mul(&model->joint[at - 1].placement, &X);
  }
  return X;
}

/* Joints between `link` and `root`'s parent, both ends counted. */
static size_t joints_from(const struct model *model, size_t link, size_t root) {
  size_t count = 1;
  for (int at = (int)link; at != (int)root; at = model->parent[at]) {
    count++;
  }
  return count;
}

/* Where the limbs end, before their corners are known. */
struct tips {
  size_t n;
  size_t link[FIVE_MASS_LIMBS];
  enum limb_kind kind[FIVE_MASS_LIMBS];
};

static bool is_leg(const struct robot *robot, size_t link) {
  for (size_t f = 0; f < robot->n_feet; f++) {
    if (model_is_beyond(&robot->model, robot->foot[f].link, link)) {
      return true;
    }
  }
  return false;
}

/* The link beyond `root` with most joints in between. */
static size_t deepest(const struct model *model, size_t root) {
  size_t best = root;
  for (size_t link = root + 1; link < model->n_links; link++) {
    if (model_is_beyond(model, link, root) &&
        joints_from(model, link, root) > joints_from(model, best, root)) {
      best = link;
    }
  }
  return best;
}

/* Arms: the two deepest branches that leave the first link from which two of them do. */
static void find_arms(const struct robot *robot, struct tips *tips) {
  const struct model *model = &robot->model;
  for (size_t chest = 0; chest < model->n_links; chest++) {
    size_t tip[2] = {0, 0}, depth[2] = {0, 0};
    for (size_t root = chest + 1; root < model->n_links; root++) {
      if (model->parent[root] != (int)chest || is_leg(robot, root)) {
        continue;
      }
      const size_t end = deepest(model, root), joints = joints_from(model, end, root);
      const int at = joints > depth[0] ? 0 : joints > depth[1] ? 1 : -1;
      if (at == 0) {
        tip[1] = tip[0];
        depth[1] = depth[0];
      }
      if (at >= 0) {
        tip[at] = end;
        depth[at] = joints;
      }
    }
    if (depth[1] >= LEAST_ARM && tips->n + 2 <= FIVE_MASS_LIMBS) {
      for (int i = 0; i < 2; i++) {
        tips->link[tips->n] = tip[i];
        tips->kind[tips->n++] = LIMB_ARM;
      }
      return;
    }
  }
}

static enum status find_tips(const struct robot *robot,
                             const struct five_mass_fit_settings *settings, struct tips *tips) {
  *tips = (struct tips){0};
  if (robot->n_feet + settings->n_hands > FIVE_MASS_LIMBS) {
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t f = 0; f < robot->n_feet; f++) {
    tips->link[tips->n] = robot->foot[f].link;
    tips->kind[tips->n++] = LIMB_LEG;
  }
  for (size_t h = 0; h < settings->n_hands; h++) {
    const int frame = model_find_frame(&robot->model, settings->hand[h]);
    const int link = frame >= 0 ? (int)robot->model.frame[frame].link
                                : model_find_link(&robot->model, settings->hand[h]);
    if (link < 0) {
      return STATUS_BAD_ARGUMENT;
    }
    tips->link[tips->n] = (size_t)link;
    tips->kind[tips->n++] = LIMB_ARM;
  }
  if (settings->n_hands == 0) {
    find_arms(robot, tips);
  }
  return STATUS_OK;
}

/* The first link of a limb: the one nearest to the base that no other limb goes through. */
static size_t root_of(const struct model *model, const struct tips *tips, size_t i) {
  size_t root = tips->link[i];
  for (int at = (int)root; at > 0; at = model->parent[at]) {
    for (size_t other = 0; other < tips->n; other++) {
      if (other != i && model_is_beyond(model, tips->link[other], (size_t)at)) {
        return root;
      }
    }
    root = (size_t)at;
  }
  return root;
}

/* The links of a limb from root to tip. */
struct chain {
  size_t n;
  size_t link[MODEL_MAX_JOINTS];
  vec3 origin[MODEL_MAX_JOINTS + 1]; /* at q = 0, from the base; the last one is the tip's own
                                      * centre of mass */
};

static void make_chain(const struct model *model, size_t root, size_t tip, struct chain *chain) {
  chain->n = joints_from(model, tip, root);
  int at = (int)tip;
  for (size_t i = chain->n; i-- > 0; at = model->parent[at]) {
    chain->link[i] = (size_t)at;
    chain->origin[i] = pose_at_zero(model, (size_t)at).p;
  }
  const struct pose X = pose_at_zero(model, tip);
  const struct inertia *body = &model->inertia[tip];
  chain->origin[chain->n] = body->m > 0.0 ? pose_apply(&X, inertia_com(body)) : X.p;
}

static double apart(vec3 a, vec3 b) {
  return vec3_norm(vec3_sub(a, b));
}

/* The bend: the joint farthest from both ends. Answers how far, m. */
static double find_bend(const struct chain *chain, vec3 end, size_t *bend) {
  double best = 0.0;
  for (size_t i = 1; i < chain->n; i++) {
    const double nearer =
        fmin(apart(chain->origin[i], chain->origin[0]), apart(chain->origin[i], end));
    if (nearer > best) {
      best = nearer;
      *bend = i;
    }
  }
  return best;
}

/* Hip or shoulder, knee or elbow, ankle or wrist. The limb ends at its last joint; a short arm
 * whose last joint is the elbow ends at its last body's centre. */
static enum status set_corners(const struct model *model, const struct chain *chain,
                               struct five_mass_limb *limb, size_t *upper) {
  const size_t last = chain->n - 1;
  const double reach = apart(chain->origin[chain->n], chain->origin[0]);
  size_t bend = 0, hip = 0;
  limb->e = (struct link_point){chain->link[last], VEC3_ZERO};
  if (find_bend(chain, chain->origin[last], &bend) < SAME_PLACE * reach) {
    const struct inertia *body = &model->inertia[chain->link[last]];
    if (!(body->m > 0.0) || !(find_bend(chain, chain->origin[chain->n], &bend) > 0.0)) {
      return STATUS_TOO_FEW;
    }
    limb->e.at = inertia_com(body);
  }
  for (size_t i = 1; i < bend; i++) {
    hip = apart(chain->origin[i], chain->origin[0]) < SAME_PLACE * reach ? i : hip;
  }
  limb->o = (struct link_point){chain->link[hip], VEC3_ZERO};
  limb->k = (struct link_point){chain->link[bend], VEC3_ZERO};
  *upper = chain->link[bend - 1];
  return STATUS_OK;
}

enum status five_mass_find_limbs(const struct robot *robot,
                                 const struct five_mass_fit_settings *settings,
                                 struct five_mass_model *model) {
  struct tips tips;
  struct chain chain;
  enum status status = find_tips(robot, settings, &tips);
  size_t chest = 0;
  *model = (struct five_mass_model){.n_limbs = tips.n};
  for (size_t i = 0; i < tips.n && status == STATUS_OK; i++) {
    const size_t root = root_of(&robot->model, &tips, i);
    if (robot->model.parent[root] < 0) {
      return STATUS_TOO_FEW; /* the base is no limb */
    }
    make_chain(&robot->model, root, tips.link[i], &chain);
    struct five_mass_limb *limb = &model->limb[i];
    limb->kind = tips.kind[i];
    limb->side = chain.origin[chain.n].y < 0.0 ? -1 : 1;
    limb->p_s = TRIANGLE_S;
    limb->p_l = TRIANGLE_L;
    status = set_corners(&robot->model, &chain, limb, &model->own_link[i + 1]);
    chest = limb->kind == LIMB_ARM ? (size_t)robot->model.parent[root] : chest;
  }
  model->torso.link = model->own_link[0] = chest;
  return status;
}

size_t five_mass_group(const struct robot *robot, const struct five_mass_model *model,
                       size_t link) {
  struct tips tips = {.n = model->n_limbs};
  for (size_t i = 0; i < model->n_limbs; i++) {
    tips.link[i] = model->limb[i].e.link;
  }
  for (size_t i = 0; i < model->n_limbs; i++) {
    if (model_is_beyond(&robot->model, link, root_of(&robot->model, &tips, i))) {
      return i + 1;
    }
  }
  return 0;
}

/* Whether a link of the torso moves with the waist: it is the chest, or beyond it. */
static bool is_chest(const struct robot *robot, const struct five_mass_model *model, size_t link) {
  return model_is_beyond(&robot->model, link, model->torso.link);
}

/* Uniform in [0, 1): splitmix64. */
static double draw(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A posture within range and limits, and the kinematics of it at rest. */
static enum status take_posture(const struct robot *robot, double range, uint64_t *state,
                                struct kinematics *kin, double *q) {
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    const double low = fmax(-range, robot->model.joint[j].q_min),
                 high = fmin(range, robot->model.joint[j].q_max);
    q[j] = low <= high ? low + (high - low) * draw(state) /* limits beyond the range: nearest */
                       : (robot->model.joint[j].q_min > range ? robot->model.joint[j].q_min
                                                              : robot->model.joint[j].q_max);
  }
  const struct robot_motion motion = {.base = {.X_WB = POSE_IDENTITY}, .q = q};
  return kinematics_update(kin, &motion);
}

/* Each group as one body: about the base origin, base axes. */
static void sum_groups(const struct robot *robot, const size_t *group, const struct kinematics *kin,
                       struct inertia *sum) {
  memset(sum, 0, FIVE_MASS_MOST * sizeof(*sum));
  for (size_t link = 0; link < robot->model.n_links; link++) {
    const struct inertia body = inertia_transform(&kin->X_BL[link], &robot->model.inertia[link]);
    sum[group[link]] = inertia_add(&sum[group[link]], &body);
  }
}

/* Sums of one group's fit. */
struct group_sums {
  double A[2][2], b[2]; /* normal equations of c - o = p_l (k - o) + p_l p_s (e - k) */
  mat3 own;             /* axes of own_link */
};

static vec3 corner(const struct kinematics *kin, const struct link_point *at) {
  return pose_apply(&kin->X_BL[at->link], at->at);
}

static void add_limb(const struct five_mass_limb *limb, const struct kinematics *kin, vec3 c,
                     struct group_sums *sums) {
  const vec3 o = corner(kin, &limb->o), k = corner(kin, &limb->k), e = corner(kin, &limb->e);
  const vec3 x[2] = {vec3_sub(k, o), vec3_sub(e, k)}, y = vec3_sub(c, o);
  for (int i = 0; i < 2; i++) {
    sums->b[i] += vec3_dot(x[i], y);
    for (int j = 0; j < 2; j++) {
      sums->A[i][j] += vec3_dot(x[i], x[j]);
    }
  }
}

static void add_own(const mat3 *R_BL, const struct inertia *group, struct group_sums *sums) {
  const mat3 I = inertia_tensor_at_com(group), back = mat3_transpose(R_BL);
  const mat3 half = mat3_mul(&back, &I), I_L = mat3_mul(&half, R_BL);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      sums->own.m[i][j] += I_L.m[i][j];
    }
  }
}

/* The torso as chest and pelvis, each fixed to its link. */
static void add_torso(const struct robot *robot, const size_t *group, const struct kinematics *kin,
                      struct five_mass_model *model, vec3 *chest_L, vec3 *pelvis_B) {
  struct inertia part[2] = {0}; /* chest, pelvis */
  for (size_t link = 0; link < robot->model.n_links; link++) {
    if (group[link] == 0) {
      const struct inertia body = inertia_transform(&kin->X_BL[link], &robot->model.inertia[link]);
      const int pelvis = !is_chest(robot, model, link);
      part[pelvis] = inertia_add(&part[pelvis], &body);
    }
  }
  const struct pose *X = &kin->X_BL[model->torso.link];
  model->pelvis_share = part[1].m / (part[0].m + part[1].m);
  if (part[0].m > 0.0) {
    *chest_L = vec3_add(*chest_L, mat3_tmul_vec3(&X->R, vec3_sub(inertia_com(&part[0]), X->p)));
  }
  if (part[1].m > 0.0) {
    *pelvis_B = vec3_add(*pelvis_B, inertia_com(&part[1]));
  }
}

static enum status solve_limb(const struct group_sums *sums, struct five_mass_limb *limb) {
  const double det = sums->A[0][0] * sums->A[1][1] - sums->A[0][1] * sums->A[1][0];
  if (!(det > 1e-9 * sums->A[0][0] * sums->A[1][1])) {
    return STATUS_SINGULAR;
  }
  limb->p_l = (sums->A[1][1] * sums->b[0] - sums->A[0][1] * sums->b[1]) / det;
  const double lower = (sums->A[0][0] * sums->b[1] - sums->A[1][0] * sums->b[0]) / det;
  if (!(fabs(limb->p_l) > 1e-6)) {
    return STATUS_SINGULAR;
  }
  limb->p_s = lower / limb->p_l;
  return STATUS_OK;
}

static void find_groups(const struct robot *robot, const struct five_mass_model *model,
                        size_t *group) {
  for (size_t link = 0; link < robot->model.n_links; link++) {
    group[link] = five_mass_group(robot, model, link);
  }
}

enum status five_mass_fit(const struct robot *robot, const struct five_mass_fit_settings *settings,
                          struct kinematics *kin, double *q, struct five_mass_model *model) {
  struct five_mass_model fitted;
  size_t group[MODEL_MAX_JOINTS + 1];
  struct group_sums sums[FIVE_MASS_MOST] = {0};
  struct inertia body[FIVE_MASS_MOST];
  vec3 chest = VEC3_ZERO, pelvis = VEC3_ZERO;
  uint64_t state = settings->seed;
  enum status status = five_mass_find_limbs(robot, settings, &fitted);
  if (status != STATUS_OK) {
    return status;
  }
  find_groups(robot, &fitted, group);
  for (size_t posture = 0; posture < settings->postures; posture++) {
    status = take_posture(robot, settings->range, &state, kin, q);
    if (status != STATUS_OK) {
      return status;
    }
    sum_groups(robot, group, kin, body);
    for (size_t g = 0; g <= fitted.n_limbs; g++) {
      if (!(body[g].m > 0.0)) {
        return STATUS_SINGULAR;
      }
      const struct pose *X = &kin->X_BL[g == 0 ? fitted.torso.link : fitted.own_link[g]];
      fitted.w[g] = body[g].m;
      add_own(&X->R, &body[g], &sums[g]);
      if (g > 0) {
        add_limb(&fitted.limb[g - 1], kin, inertia_com(&body[g]), &sums[g]);
      }
    }
    add_torso(robot, group, kin, &fitted, &chest, &pelvis);
  }
  const double share = 1.0 / (double)settings->postures;
  fitted.torso.at = vec3_scale(share, chest);
  fitted.pelvis.at = vec3_scale(share, pelvis);
  for (size_t g = 0; g <= fitted.n_limbs && status == STATUS_OK; g++) {
    for (int i = 0; i < 9; i++) {
      fitted.own[g].m[i / 3][i % 3] = share * sums[g].own.m[i / 3][i % 3];
    }
    status = g > 0 ? solve_limb(&sums[g], &fitted.limb[g - 1]) : status;
  }
  if (status == STATUS_OK) {
    *model = fitted;
  }
  return status;
}

static double norm(const mat3 *A) {
  double sum = 0.0;
  for (int i = 0; i < 9; i++) {
    sum += A->m[i / 3][i % 3] * A->m[i / 3][i % 3];
  }
  return sqrt(sum);
}

static double relative(const mat3 *A, const mat3 *truth) {
  mat3 d;
  for (int i = 0; i < 9; i++) {
    d.m[i / 3][i % 3] = A->m[i / 3][i % 3] - truth->m[i / 3][i % 3];
  }
  return norm(&d) / norm(truth);
}

enum status five_mass_fit_error(const struct robot *robot,
                                const struct five_mass_fit_settings *settings,
                                const struct five_mass_model *model, struct kinematics *kin,
                                double *q, struct five_mass_error *error) {
  size_t group[MODEL_MAX_JOINTS + 1];
  struct inertia body[FIVE_MASS_MOST];
  struct five_mass_model bare = *model; /* the points alone */
  struct five_mass_error e = {0};
  uint64_t state = ~settings->seed;
  memset(bare.own, 0, sizeof(bare.own));
  find_groups(robot, model, group);
  for (size_t posture = 0; posture < settings->postures; posture++) {
    struct five_mass five, points;
    enum status status = take_posture(robot, settings->range, &state, kin, q);
    status = status == STATUS_OK ? five_mass_step(model, kin, &five) : status;
    status = status == STATUS_OK ? five_mass_step(&bare, kin, &points) : status;
    if (status != STATUS_OK) {
      return status;
    }
    struct inertia whole = {0};
    sum_groups(robot, group, kin, body);
    for (size_t g = 0; g < five.n; g++) {
      whole = inertia_add(&whole, &body[g]);
      e.limb_mean[g] += apart(five.m[g], inertia_com(&body[g])) / (double)settings->postures;
    }
    const mat3 I = inertia_tensor_at_com(&whole);
    const double com = apart(five.com, inertia_com(&whole)), inertia = relative(&five.inertia, &I);
    e.com_mean += com / (double)settings->postures;
    e.com_worst = fmax(e.com_worst, com);
    e.inertia_mean += inertia / (double)settings->postures;
    e.inertia_worst = fmax(e.inertia_worst, inertia);
    e.points_mean += relative(&points.inertia, &I) / (double)settings->postures;
  }
  *error = e;
  return STATUS_OK;
}
