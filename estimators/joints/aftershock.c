#include "joints/aftershock.h"

#include "joints/joint_filter_core.h"
#include "process/joint_silence.h"
#include "update/encoder_rows.h"

#include <math.h>
#include <string.h>

/* A force that jumps turns the base as if it stood off by so much, m. */
static const double ARM = 0.3;
/* So long a body rings after a blow, s: as much again as with the blow itself. */
static const double RINGS_S = 0.015;
/* When a body begins to move a joint jumps by so many of its variances. */
static const double BEGINS = 50.0;
/* Readings that a mean is over; its variance is 1 / (2 READINGS - 1) of one reading's. */
static const double READINGS = 4.0, USUAL_READINGS = 500.0, FARTHEST = 5.0;
/* Square of the mean in its deviations from which on it leans, and how long it lasts, s. */
static const double LEANS = 8.0, LEANS_S = 0.02;
/* ... and at most; what it says of dq and ddq, in their deviations, is more than of q: squares. */
static const double MOST_LEAN = 30.0, LEAN_OF[3] = {1.0, 4.0, 16.0};

enum status aftershock_init(struct aftershock *shock, const struct joint_layout *layout,
                            struct arena *arena) {
  const size_t n = layout->n;
  *shock = (struct aftershock){.t_ns = 0};
  shock_chains_init(&shock->joint, n, 4, arena);
  shock_chains_init(&shock->base, layout->base, 3, arena);
  joint_changes_init(&shock->changes, n, arena);
  double **const arrays[] = {&shock->expected, &shock->mean, &shock->usual, &shock->lean};
  shock->knock = ARENA_ARRAY(arena, struct knock, n);
  for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
    *arrays[i] = ARENA_ARRAY(arena, double, n);
  }
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* What is usual stays. */
static void begin_anew(struct aftershock *shock) {
  shock_chains_reset(&shock->joint);
  shock_chains_reset(&shock->base);
  joint_changes_resume(&shock->changes);
  for (size_t j = 0; j < shock->joint.count; j++) {
    shock->expected[j] = shock->mean[j] = shock->lean[j] = 0.0;
    shock->knock[j] = (struct knock){.q = 0.0};
  }
  shock->felt = shock->base_rings = shock->begin_rings = 0.0;
  shock->begins = false;
}

void aftershock_reset(struct aftershock *shock) {
  begin_anew(shock);
  joint_changes_reset(&shock->changes);
  for (size_t j = 0; j < shock->joint.count; j++) {
    shock->usual[j] = 1.0;
  }
  aftershock_miss(shock, VEC3_ZERO, VEC3_ZERO);
  shock->t_ns = 0;
}

/* -- what is told ----------------------------------------------------------------------------- */

void aftershock_feel(struct aftershock *shock, double force, double turn) {
  shock->felt = fmax(shock->felt, force / (ARM * ARM) + turn);
}

void aftershock_miss(struct aftershock *shock, vec3 rate, vec3 force) {
  vec3_to(rate, shock->missed_rate);
  vec3_to(force, shock->missed_force);
}

void aftershock_knock(struct aftershock *shock, size_t j, const struct knock *knock) {
  struct knock *all = &shock->knock[j];
  *all = (struct knock){.q = all->q + knock->q,
                        .dq = all->dq + knock->dq,
                        .ddq = all->ddq + knock->ddq,
                        .pulse = fmax(all->pulse, knock->pulse)};
}

void aftershock_begin(struct aftershock *shock) {
  shock->begins = true;
}

void aftershock_read(struct aftershock *shock, size_t j, double innovation, double variance) {
  const double deviations = innovation / sqrt(variance);
  const double bounded = fmin(fmax(deviations, -FARTHEST), FARTHEST);
  shock->expected[j] = variance;
  shock->mean[j] += (bounded - shock->mean[j]) / READINGS;
}

/* -- the copies ------------------------------------------------------------------------------- */

/* The filter's variance of derivative m of a chain: biases taken out, pending readings taken in. */
static double told_variance(const struct joint_filter *f, const struct joint_chain *chain, size_t m,
                            size_t j) {
  const struct joint_layout *l = &f->layout;
  const struct instant *now = instants_newest(&f->instants);
  const double *P = now->P;
  const size_t stride = l->stride, i = chain->part[m] + j;
  if (chain->part[m] == l->q) {
    return encoder_rows_covariance(l, i, j, &now->pending, P);
  }
  if (chain->parts == chain->length || m != chain->seen) {
    return P[i * (stride + 1)];
  }
  const size_t b = chain->part[chain->length] + j;
  return P[i * (stride + 1)] + P[b * (stride + 1)] - 2.0 * P[i * stride + b];
}

/* Tells the copies as much of derivative m as the filter knows, whoever has told that. */
static void tell(const struct joint_filter *f, struct shock_chains *c,
                 const struct joint_chain *chain, size_t m) {
  const double *known = shock_chains_at(c, c->P, m, m);
  for (size_t j = 0; j < c->count; j++) {
    const double told = told_variance(f, chain, m, j);
    c->r[j] = told < known[j] ? known[j] * told / (known[j] - told) : HUGE_VAL;
  }
  shock_chains_correct(c, m);
}

/* What a chain integrates and what skin sees of it are told. */
static void tell_both(const struct joint_filter *f, struct shock_chains *c,
                      const struct joint_chain *chain) {
  tell(f, c, chain, 0);
  tell(f, c, chain, chain->seen);
}

/* -- what leans ------------------------------------------------------------------------------- */

/* `lasts`: what is left of a lean since the last step. */
static void learn_lean(struct aftershock *s, size_t j, double lasts) {
  s->lean[j] *= lasts;
  if (!(s->expected[j] > 0.0)) {
    return;
  }
  const double square = s->mean[j] * s->mean[j], over = (2.0 * READINGS - 1.0) * square;
  if (over > LEANS * fmax(s->usual[j], 1.0)) {
    s->lean[j] = fmin(fmax(s->lean[j], square * s->expected[j] / s->joint.P[j]), MOST_LEAN);
  }
  s->usual[j] += (over - s->usual[j]) / USUAL_READINGS;
}

/* -- what jumps ------------------------------------------------------------------------------- */

/* What jumps now: the blow, and the ringing of those before. */
static double rings_on(double *rings, double blow, double dt) {
  const double jumps = blow + *rings * dt / RINGS_S;
  *rings = fmax(*rings * exp(-dt / RINGS_S), blow);
  return jumps;
}

/* The filter has opened for a knock, and its copies with it. */
static void open_copies(struct aftershock *s) {
  for (size_t j = 0; j < s->joint.count; j++) {
    const double opened[] = {s->knock[j].q, s->knock[j].dq, s->knock[j].ddq};
    for (size_t k = 0; k < 3; k++) {
      shock_chains_at(&s->joint, s->joint.P, k, k)[j] += opened[k];
    }
  }
}

/* Accelerations jump by what nobody follows, `dt` s after they last did. */
static void jump(struct aftershock *s, double dt) {
  const double begins = BEGINS * rings_on(&s->begin_rings, s->begins ? 1.0 : 0.0, dt),
               turns = rings_on(&s->base_rings, s->felt, dt);
  const size_t ddq = 2, omegadot = 1;
  const double *known = shock_chains_at(&s->joint, s->joint.P, ddq, ddq);
  double *of_joint = shock_chains_at(&s->joint, s->joint.U, ddq, ddq),
         *of_base = shock_chains_at(&s->base, s->base.U, omegadot, omegadot);
  for (size_t j = 0; j < s->joint.count; j++) {
    const double unfelt = dt * joint_changes_rate(&s->changes, j);
    of_joint[j] += begins * known[j] + s->knock[j].pulse + unfelt;
    s->knock[j] = (struct knock){.q = 0.0};
  }
  for (size_t i = 0; i < s->base.count; i++) {
    of_base[i] += turns;
  }
  s->felt = 0.0;
  s->begins = false;
}

/* The time since the last step; 0 where the copies have to begin there. */
static double time_passed(const struct joint_filter *f, struct aftershock *s) {
  const int64_t t_ns = instants_newest(&f->instants)->t_ns;
  const double dt = 1e-9 * (double)(t_ns - s->t_ns);
  const bool first = s->t_ns == 0, silent = joint_silence_of(dt, f->interval_s) > 0.0;
  s->t_ns = first || dt > 0.0 ? t_ns : s->t_ns;
  if (!first && silent) {
    begin_anew(s);
  }
  return first || silent ? 0.0 : dt;
}

void aftershock_step(struct joint_filter *f) {
  struct aftershock *s = &f->aftershock;
  const double dt = time_passed(f, s);
  if (!(dt > 0.0)) {
    return;
  }
  struct joint_chain chain[N_CHAINS];
  struct chain_drive drive[N_CHAINS];
  const struct joint_densities densities = joint_filter_densities(f);
  joint_chains_of(&f->layout, chain);
  chain_drives_of(&densities, drive);
  shock_chains_predict(&s->joint, &drive[CHAIN_JOINTS], dt);
  shock_chains_predict(&s->base, &drive[CHAIN_ANGULAR], dt);
  const double lasts = exp(-dt / LEANS_S);
  for (size_t j = 0; j < s->joint.count; j++) {
    learn_lean(s, j, lasts);
    s->expected[j] = 0.0;
  }
  open_copies(s);
  tell_both(f, &s->joint, &chain[CHAIN_JOINTS]);
  tell_both(f, &s->base, &chain[CHAIN_ANGULAR]);
  joint_changes_step(&s->changes, &f->layout, instants_newest(&f->instants)->x, dt);
  jump(s, dt);
  if (!shock_chains_sound(&s->joint) || !shock_chains_sound(&s->base)) {
    begin_anew(s); /* nothing of the filter depends on it */
  }
}

/* -- what is published ------------------------------------------------------------------------ */

double aftershock_of_joint(const struct aftershock *s, unsigned order, size_t j) {
  const struct shock_chains *c = &s->joint;
  return shock_chains_at(c, c->U, order, order)[j] +
         LEAN_OF[order] * s->lean[j] * shock_chains_at(c, c->P, order, order)[j];
}

double aftershock_of_base(const struct aftershock *s, unsigned order, size_t i) {
  const double missed = order == 1 ? s->missed_rate[i] : 0.0;
  return shock_chains_at(&s->base, s->base.U, order - 1, order - 1)[i] + missed * missed;
}

double aftershock_of_force(const struct aftershock *s, size_t i) {
  return s->missed_force[i] * s->missed_force[i];
}

vec3 aftershock_force_by_base(const struct joint_filter *f, size_t i) {
  const double axis[3] = {i == 0, i == 1, i == 2};
  return f->base_imu ? vec3_cross(f->imu.p, vec3_from(axis)) : VEC3_ZERO;
}

vec3 aftershock_force_by_joint(const struct joint_filter *f, size_t j) {
  const struct motion S = kinematics_S_B(&f->kin, j);
  return vec3_neg(vec3_add(S.lin, vec3_cross(S.ang, f->imu.p)));
}

static void add_force(vec3 by, double variance, double *force) {
  force[0] += by.x * by.x * variance;
  force[1] += by.y * by.y * variance;
  force[2] += by.z * by.z * variance;
}

void aftershock_add(const struct joint_filter *f, double *variance) {
  const struct aftershock *s = &f->aftershock;
  const struct joint_layout *l = &f->layout;
  for (size_t j = 0; j < l->n; j++) {
    variance[l->q + j] += aftershock_of_joint(s, 0, j);
    variance[l->dq + j] += aftershock_of_joint(s, 1, j);
    variance[l->ddq + j] += aftershock_of_joint(s, 2, j);
  }
  for (size_t i = 0; i < l->base; i++) {
    const double turn = aftershock_of_base(s, 2, i);
    variance[l->omega + i] += aftershock_of_base(s, 1, i);
    variance[l->omegadot + i] += turn;
    variance[l->force + i] += aftershock_of_force(s, i);
    add_force(aftershock_force_by_base(f, i), turn, variance + l->force);
  }
  for (size_t i = f->robot->imu_link; i > 0 && f->base_imu; i = (size_t)f->robot->model.parent[i]) {
    add_force(aftershock_force_by_joint(f, i - 1), aftershock_of_joint(s, 2, i - 1),
              variance + l->force);
  }
}
