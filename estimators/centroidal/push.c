#include "centroidal/push.h"

#include <math.h>
#include <stddef.h>

static const double TINY = 1e-12;        /* N^2 */
static const double LATELY_S = 0.1;      /* what feet feel for so long may be a load */
static const double LEAST_LEARNED = 0.5; /* of memory_s: before, the ordinary is not known */

struct push_settings push_defaults(void) {
  return (struct push_settings){.least = 0.01,
                                .deviations = 6.0,
                                .memory_s = 1.0,
                                .confirm_s = 0.004,
                                .over_s = 0.05,
                                .longest_s = 2.0};
}

enum status push_init(struct push *push, const struct push_settings *settings) {
  if (!(settings->least > 0.0 && settings->deviations > 0.0 && settings->memory_s > 0.0 &&
        settings->confirm_s > 0.0 && settings->over_s > 0.0 && settings->longest_s > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *push = (struct push){.settings = *settings};
  return STATUS_OK;
}

/* Mean and variance per axis over the recent past. */
static void learn(struct push *push, vec3 signal, double dt) {
  push->learned_s += dt;
  const double k = dt / fmin(push->learned_s, push->settings.memory_s);
  const vec3 d = vec3_sub(signal, push->mean_W);
  push->mean_W = vec3_axpy(push->mean_W, k, d);
  push->variance.x += k * (d.x * d.x - push->variance.x);
  push->variance.y += k * (d.y * d.y - push->variance.y);
  push->variance.z += k * (d.z * d.z - push->variance.z);
}

/* The other signal has another ordinary. */
static void begin(struct push *push, bool observable) {
  push->started = true;
  push->observable = observable;
  push->active = false;
  push->mean_W = push->variance = VEC3_ZERO;
  push->learned_s = push->beyond_s = 0.0;
}

/* How far a force is beyond the ordinary, 1 at the limit: in its deviations, each axis by
 * what was seen of late and what is known of now, and against the least that counts. */
static double excess_of(const struct push *push, vec3 force, vec3 sd, double weight) {
  const vec3 v = push->variance;
  const double x = force.x * force.x / (v.x + sd.x * sd.x + TINY),
               y = force.y * force.y / (v.y + sd.y * sd.y + TINY),
               z = force.z * force.z / (v.z + sd.z * sd.z + TINY);
  return fmin(sqrt(x + y + z) / push->settings.deviations,
              vec3_norm(force) / (push->settings.least * weight));
}

/* Nothing pushes yet: learns the ordinary, and watches for what leaves it. */
static void watch(struct push *push, vec3 signal, vec3 sd, double weight, double dt) {
  const vec3 beyond = vec3_sub(signal, push->mean_W);
  const bool known = push->learned_s >= LEAST_LEARNED * push->settings.memory_s;
  if (!known || excess_of(push, beyond, sd, weight) <= 1.0) {
    learn(push, signal, dt);
    push->beyond_s = 0.0;
    push->pending_W = VEC3_ZERO;
    return;
  }
  /* one reading alone may be a strike, however long until the next */
  const bool again = push->beyond_s > 0.0;
  push->beyond_s += dt;
  push->pending_W = vec3_axpy(push->pending_W, dt, beyond);
  if (again && push->beyond_s >= push->settings.confirm_s) {
    push->active = true;
    push->active_s = push->below_s = 0.0;
    push->force_W = beyond;
    push->impulse_W = push->pending_W;
    push->count++;
  }
}

static void follow(struct push *push, vec3 signal, vec3 sd, double weight, double dt) {
  push->force_W = vec3_sub(signal, push->mean_W);
  push->impulse_W = vec3_axpy(push->impulse_W, dt, push->force_W);
  push->active_s += dt;
  const bool below = excess_of(push, push->force_W, sd, weight) < 0.5;
  push->below_s = below ? push->below_s + dt : 0.0;
  if (push->below_s >= push->settings.over_s) {
    push->active = false;
    push->beyond_s = 0.0;
  } else if (push->active_s > push->settings.longest_s) {
    begin(push, push->observable);
  }
  if (!push->active) {
    push->force_W = VEC3_ZERO;
  }
}

void push_step(struct push *push, vec3 net_W, const vec3 *feet_W, vec3 sd, double weight,
               double dt) {
  const bool observable = feet_W != NULL;
  /* without the feet's part the vertical says nothing: the ground carries what it must */
  const vec3 signal = observable ? vec3_sub(net_W, *feet_W) : (vec3){net_W.x, net_W.y, 0.0};
  if (!vec3_is_finite(signal)) {
    return;
  }
  if (!push->started || push->observable != observable) {
    begin(push, observable);
    push->lately_z = 0.0;
  }
  push->lately_z += fmin(dt / LATELY_S, 1.0) * (signal.z - push->lately_z);
  if (push->active) {
    follow(push, signal, sd, weight, dt);
  } else {
    watch(push, signal, sd, weight, dt);
  }
}

double push_strange_weight(const struct push *push) {
  return push->observable ? fmax(-fmin(push->mean_W.z, push->lately_z), 0.0) : 0.0;
}
