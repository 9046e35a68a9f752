#include "joints/encoder_gates.h"

#include "joints/joint_doubt.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_knock.h"
#include "joints/joint_settle.h"
#include "update/encoder_rows.h"

#include <math.h>

/* One reading counts no more than that, times usual, for how noisy an encoder is: wrong words,
 * slips and knocks follow each other. */
static const double READING_COUNTS = 6.0;
/* So long after a strike joints may have been knocked to velocities so different, per s. */
static const double STRIKE_SPEED = 10.0;
static const int64_t STRIKE_TIME_NS = 30000000;
/* Deviations beyond which a believed reading tells of a knock. */
static const double KNOCK = 7.0;
/* So many encoders against the prediction at once, without a step: the inertial sensors are in
 * doubt, for so long, s. */
enum { DOUBT_ENCODERS = 2 };
static const int64_t DOUBT_TIME_NS = 300000000;
/* Jumps of several joints within so short a time are one, ns. */
static const int64_t TOGETHER_NS = 20000000;
/* No motor accelerates a joint more, per s^2: so far an acceleration is opened at most. */
static const double LARGEST_ACCELERATION = 500.0;
/* A slip beyond this is not the joint's where its links carry skin, rad or m. */
static const double SEEN_SLIP = 0.16;
/* A joint that starts anew after its encoder slipped is where that says: its variance, in the
 * encoder's. */
static const double SLIP_INFLATION = 4.0;

/* The joint may go at another pace than is believed, and be accelerated the other way. */
static void open_pace(const struct joint_filter *f, struct instant *now, size_t j) {
  const struct joint_layout *l = &f->layout;
  const double faster = f->guard.joint[j].steps.velocity - now->x[l->dq + j],
               ddq = now->x[l->ddq + j];
  now->kick[j] = fmax(now->kick[j], faster * faster);
  now->kick_ddq[j] = fmax(now->kick_ddq[j], 4.0 * ddq * ddq);
}

/* Starts joint j again at q: nothing about its position is remembered. */
static void restart_joint(struct joint_filter *f, struct instant *now, size_t j, double q) {
  const struct joint_layout *l = &f->layout;
  const size_t i = l->q + j;
  motion_bank_shift(&f->bank, j, q - now->x[i]);
  now->x[i] = q;
  for (size_t k = 0; k < l->size; k++) {
    now->P[i * l->stride + k] = now->P[k * l->stride + i] = 0.0;
  }
  now->pending.told[j] = 0.0;
  now->P[i * l->stride + i] = SLIP_INFLATION * f->encoder_sd[j] * f->encoder_sd[j];
  open_pace(f, now, j);
  joint_feet_lose(f, now, j);
  f->disturbed_ns = now->t_ns;
  joint_doubt_decide(f, now);
}

/* A believed reading far from what was predicted: the joint was knocked. What is believed of q and
 * dq must open by as much, or the surprise is pressed into everything they are correlated with. */
static void feel_kick(struct joint_filter *f, struct instant *now, size_t j, double sd, double dt) {
  const double innovation = now->q[j] - now->x[f->layout.q + j];
  if (fabs(innovation) > KNOCK * sd) {
    const double gained = fmin(fabs(innovation) / (dt * dt), LARGEST_ACCELERATION);
    now->kick_q[j] = fmax(now->kick_q[j], innovation * innovation);
    now->kick[j] = fmax(now->kick[j], innovation * innovation / (dt * dt));
    now->kick_ddq[j] = fmax(now->kick_ddq[j], gained * gained);
  } else if (encoder_guard_kicked(&f->guard, j, innovation, sd)) {
    const double gained = innovation / (KICK_READINGS * dt);
    now->kick[j] = fmax(now->kick[j], gained * gained);
  }
}

/* Joint j's encoder has repeated itself, and is not believed any more: what was taken of the
 * joint's pace until then may be too much. */
static void open_held(const struct joint_filter *f, struct instant *now, size_t j) {
  const double taken = f->guard.joint[j].repeats.pace - now->x[f->layout.dq + j];
  now->kick[j] += taken * taken;
}

/* Several encoders against the prediction, none by a step: it is the prediction that is wrong. */
static void watch_encoders(struct joint_filter *f, const struct instant *now, size_t against) {
  if (against >= DOUBT_ENCODERS) {
    f->doubt_ns = now->t_ns;
  }
}

/* What is handed to joints that stand apart. */
static void take_handed(struct joint_filter *f, struct instant *now) {
  if (f->is_apart) {
    joint_knock(f, now, f->handed);
    f->handed = (struct blow){.square = 0.0};
  }
}

/* What is expected of all encoders, dt s after their readings before. */
static struct encoder_expectation expected_of_all(const struct joint_filter *f,
                                                  const struct instant *now, double dt) {
  const bool struck = f->struck_ns > 0 && now->t_ns - f->struck_ns < STRIKE_TIME_NS;
  return (struct encoder_expectation){
      .doubt = f->doubt_ns > 0 && now->t_ns - f->doubt_ns < DOUBT_TIME_NS,
      .dt = dt,
      .speed = struck ? STRIKE_SPEED : 0.0,
  };
}

/* ... and of joint j's. */
static void expect(const struct joint_filter *f, const struct instant *now, size_t j,
                   struct encoder_expectation *expected) {
  const struct joint_layout *l = &f->layout;
  const double variance = encoder_rows_covariance(l, l->q + j, j, &now->pending, now->P);
  const double opened = variance + now->kick_q[j];
  expected->q = now->x[l->q + j];
  expected->dq = now->x[l->dq + j];
  expected->dq_sd = sqrt(now->P[(l->dq + j) * (l->stride + 1)] + now->kick[j]);
  expected->sd = sqrt(opened + f->encoder_sd[j] * f->encoder_sd[j]);
  expected->noise = f->encoder_sd[j];
  expected->noisy = sensor_scatter_noisy(&f->scatter[j], f->encoder_told[j]);
  expected->unseen_slip = f->skin.observed[j] ? SEEN_SLIP : HUGE_VAL;
}

/* What is learned from joint j's reading, which is used or left out. */
static void learn(struct joint_filter *f, struct instant *now, size_t j,
                  const struct encoder_expectation *expected, bool used) {
  const double innovation = now->q[j] - expected->q;
  if (used && f->settings.adapt_density) {
    feel_kick(f, now, j, expected->sd, expected->dt);
  }
  if (used) {
    aftershock_read(&f->aftershock, j, innovation, expected->sd * expected->sd);
  }
  /* where skin or limbs' IMUs see the joint, they may be what is wrong; and tell by jumps */
  const bool alone = f->layout.base > 0 && !f->skin.observed[j] && f->limbs.n == 0;
  joint_lean_add(&f->lean, j, used && alone ? innovation / expected->sd : 0.0);
}

/* True when joint j's reading is against the prediction, and not by a step. Notes whether it begins
 * anew, or its zero has moved. */
static bool judge(struct joint_filter *f, struct instant *now, size_t j,
                  const struct encoder_expectation *expected, bool *jumps) {
  const uint8_t before = f->guard.health[j];
  const double offset = f->guard.joint[j].offset;
  const enum encoder_verdict verdict = encoder_guard_judge(&f->guard, j, now->q[j], expected);
  const uint8_t health = f->guard.health[j];
  now->q[j] += offset - f->guard.joint[j].offset;
  if (health == ENCODER_STUCK && before != ENCODER_STUCK) {
    open_held(f, now, j);
  }
  if (verdict == ENCODER_SLIPPED) {
    restart_joint(f, now, j, now->q[j]);
  }
  *jumps = *jumps || verdict == ENCODER_SLIPPED ||
           (health == ENCODER_SHIFTED && before != ENCODER_SHIFTED);
  now->q_used[j] = verdict == ENCODER_USE || verdict == ENCODER_SLIPPED;
  learn(f, now, j, expected, verdict == ENCODER_USE);
  f->counters.encoder_rejected +=
      health == ENCODER_MISSING || health == ENCODER_GATED || health == ENCODER_STUCK;
  const bool steps = f->guard.joint[j].steps.away || verdict == ENCODER_SLIPPED;
  return fabs(now->q[j] - expected->q) > KNOCK * expected->sd && !steps;
}

/* Skin shows gravity as its mounting turns it: it is asked for the q of a joint whose encoder is
 * well only when that is known worse. */
static void need_skin(struct joint_filter *f, size_t j) {
  const enum encoder_health health = (enum encoder_health)f->guard.health[j];
  const bool well = health == ENCODER_OK || health == ENCODER_NOISY || health == ENCODER_BEYOND;
  const double mounting = f->settings.cell_bias / STANDARD_GRAVITY;
  f->q_enough[j] = well && f->layout.biases > 0 ? mounting : 0.0;
}

void encoder_gates_step(struct joint_filter *f, struct instant *now) {
  const double dt = encoder_guard_interval(&f->guard, now->t_ns, f->settings.period_s);
  struct encoder_expectation expected = expected_of_all(f, now, dt);
  size_t against = 0;
  double apart = 0.0; /* s: those that have measured, the longest */
  bool jumps = false;
  const int64_t disturbed_ns = f->disturbed_ns;
  encoder_guard_hold(&f->guard, dt);
  take_handed(f, now);
  for (size_t j = 0; j < f->layout.n; j++) {
    expected.dt = encoder_guard_apart(&f->guard, j, now->q[j], dt);
    now->q_used[j] = false;
    if (expected.dt == 0.0) {
      f->counters.encoder_repeated++;
      continue;
    }
    apart = fmax(apart, expected.dt);
    f->encoder_sd[j] = sensor_scatter_next(&f->scatter[j], now->q[j], expected.dt,
                                           f->encoder_told[j], READING_COUNTS);
    expect(f, now, j, &expected);
    against += judge(f, now, j, &expected, &jumps);
    need_skin(f, j);
  }
  f->counters.slips += jumps && now->t_ns - disturbed_ns > TOGETHER_NS;
  watch_encoders(f, now, against);
  if (apart > 0.0 && joint_lean_tells(&f->lean) && f->settings.adapt_density) {
    joint_settle_begin(f, now->t_ns, apart);
  }
}
