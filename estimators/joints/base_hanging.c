#include "joints/base_hanging.h"

#include "joints/joint_base_start.h"
#include "joints/joint_doubt.h"
#include "joints/joint_filter_core.h"

/* Nothing that hangs moves for longer without coming to rest. */
static const int64_t SWING_NS = 1000000000;
/* So long after its start a robot may turn out to hang, ns. */
static const int64_t START_NS = 1000000000;

static bool has_stood(const struct joint_filter *f) {
  bool stood = false;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    stood = stood || f->foot[i].landed_ns > 0;
  }
  return stood;
}

void base_hanging_step(struct joint_filter *f, struct instant *now) {
  struct base_hanging *hanging = &f->hanging;
  const bool begins = hanging->hangs && hanging->since_ns == 0 && f->base_started;
  if (begins && has_stood(f) && now->t_ns - f->started_ns < START_NS) {
    joint_base_start_again(f);
    return;
  }
  if (begins && !has_stood(f)) {
    joint_doubt_height(f, now);
  }
  if (!hanging->hangs || hanging->since_ns == 0 || now->rests) {
    hanging->since_ns = hanging->hangs ? now->t_ns : 0;
  } else if (now->t_ns - hanging->since_ns > SWING_NS && f->base_started) {
    joint_doubt_velocity(f, now);
    hanging->since_ns = now->t_ns;
  }
}
