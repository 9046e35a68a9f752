#include "joints/aftershock.h"

#include "joints/encoder_rows.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_silence.h"

#include <math.h>
#include <string.h>

/* A force that jumps turns the base as if it stood off by so much, m. */
static const double ARM = 0.3;
/* So long a body rings after a blow, s: as much again as with the blow itself. */
static const double RINGS_S = 0.015;
/* Blows over which their usual strength is averaged. */
static const double USUAL_BLOWS = 50.0;
/* Before anything is learned a joint jumps by so many of its variances. */
static const double FIRST_JUMP = 50.0, LEAST_JUMP = 1e-3, MOST_JUMP = 1e4;
/* Information of that prior, and of what is learned at most: older blows are forgotten. */
static const double PRIOR = 1.0, MOST_LEARNED = 40.0;
/* What is learned from one reading at most: of its normalised square, and of the logarithm. A jump
 * that would be so little of the innovation is not looked for. */
static const double MOST_SQUARE = 9.0, MOST_STEP = 0.5, LEAST_SHARE = 0.002;
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
  double **const arrays[] = {&shock->jump, &shock->learned, &shock->innovation, &shock->expected,
                             &shock->mean, &shock->usual,   &shock->lean};
  for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
    *arrays[i] = ARENA_ARRAY(arena, double, n);
  }
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* What has been learned stays. */
static void begin_anew(struct aftershock *shock) {
  shock_chains_reset(&shock->joint);
  shock_chains_reset(&shock->base);
  for (size_t j = 0; j < shock->joint.count; j++) {
    shock->expected[j] = shock->mean[j] = shock->lean[j] = 0.0;
  }
  shock->felt = shock->base_rings = shock->joint_rings = 0.0;
  shock->begins = false;
}

void aftershock_reset(struct aftershock *shock) {
  begin_anew(shock);
  for (size_t j = 0; j < shock->joint.count; j++) {
    shock->jump[j] = FIRST_JUMP;
    shock->learned[j] = PRIOR;
    shock->usual[j] = 1.0;
  }
  shock->usual_log = shock->blows = 0.0;
  shock->t_ns = 0;
}

/* -- what is told ----------------------------------------------------------------------------- */

void aftershock_feel(struct aftershock *shock, double force, double turn) {
  shock->felt = fmax(shock->felt, force / (ARM * ARM) + turn);
}

void aftershock_begin(struct aftershock *shock) {
  shock->begins = true;
}

void aftershock_read(struct aftershock *shock, size_t j, double innovation, double variance) {
  const double deviations = innovation / sqrt(variance);
  const double bounded = fmin(fmax(deviations, -FARTHEST), FARTHEST);
  shock->innovation[j] = innovation;
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

/* What a chain integrates and what skin sees of it are told; then that jumps. */
static void tell_and_jump(const struct joint_filter *f, struct shock_chains *c,
                          const struct joint_chain *chain, double in_variances, double variance) {
  const size_t seen = chain->seen;
  const double *known = shock_chains_at(c, c->P, seen, seen);
  double *unknown = shock_chains_at(c, c->U, seen, seen);
  tell(f, c, chain, 0);
  tell(f, c, chain, seen);
  for (size_t j = 0; j < c->count; j++) {
    unknown[j] += in_variances * known[j] + variance;
  }
}

/* -- learning --------------------------------------------------------------------------------- */

/* How far joint j jumps, by the likelihood of its encoder's innovation. */
static void learn_jump(struct aftershock *s, size_t j) {
  const double expected = s->expected[j], U = s->jump[j] * s->joint.U[j];
  const double share = U / (expected + U);
  if (!(expected > 0.0) || !(share > LEAST_SHARE)) {
    return;
  }
  const double nu = s->innovation[j], square = fmin(nu * nu / (expected + U), MOST_SQUARE);
  s->learned[j] = fmin(s->learned[j] + share * share, MOST_LEARNED);
  const double step = share * (square - 1.0) / s->learned[j];
  const double jump = s->jump[j] * exp(fmin(fmax(step, -MOST_STEP), MOST_STEP));
  s->jump[j] = fmin(fmax(jump, LEAST_JUMP), MOST_JUMP);
}

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

/* A blow's strength against the usual: how strongly joints ring hardly depends on it. */
static double strength(struct aftershock *s) {
  if (s->begins) {
    return 1.0;
  }
  if (!(s->felt > 0.0)) {
    return 0.0;
  }
  s->blows = fmin(s->blows + 1.0, USUAL_BLOWS);
  s->usual_log += (log(s->felt) - s->usual_log) / s->blows;
  return s->felt / (s->felt + exp(s->usual_log));
}

/* What jumps now: the blow, and the ringing of those before. */
static double rings_on(double *rings, double blow, double dt) {
  const double jumps = blow + *rings * dt / RINGS_S;
  *rings = fmax(*rings * exp(-dt / RINGS_S), blow);
  return jumps;
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
    learn_jump(s, j);
    learn_lean(s, j, lasts);
    s->expected[j] = 0.0;
  }
  const double joints = rings_on(&s->joint_rings, strength(s), dt);
  const double base = rings_on(&s->base_rings, s->felt, dt);
  tell_and_jump(f, &s->joint, &chain[CHAIN_JOINTS], joints, 0.0);
  tell_and_jump(f, &s->base, &chain[CHAIN_ANGULAR], 0.0, base);
  s->felt = 0.0;
  s->begins = false;
  if (!shock_chains_sound(&s->joint) || !shock_chains_sound(&s->base)) {
    begin_anew(s); /* nothing of the filter depends on it */
  }
}

/* -- what is published ------------------------------------------------------------------------ */

double aftershock_of_joint(const struct aftershock *s, unsigned order, size_t j) {
  const struct shock_chains *c = &s->joint;
  return s->jump[j] * shock_chains_at(c, c->U, order, order)[j] +
         LEAN_OF[order] * s->lean[j] * shock_chains_at(c, c->P, order, order)[j];
}

double aftershock_of_base(const struct aftershock *s, unsigned order, size_t i) {
  return shock_chains_at(&s->base, s->base.U, order - 1, order - 1)[i];
}

void aftershock_add(const struct aftershock *s, const struct joint_layout *l, double *variance) {
  for (size_t j = 0; j < l->n; j++) {
    variance[l->q + j] += aftershock_of_joint(s, 0, j);
    variance[l->dq + j] += aftershock_of_joint(s, 1, j);
    variance[l->ddq + j] += aftershock_of_joint(s, 2, j);
  }
  for (size_t i = 0; i < l->base; i++) {
    variance[l->omega + i] += aftershock_of_base(s, 1, i);
    variance[l->omegadot + i] += aftershock_of_base(s, 2, i);
  }
}
