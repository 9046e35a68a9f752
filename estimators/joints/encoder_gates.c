#include "joints/encoder_gates.h"

#include "joints/encoder_rows.h"
#include "joints/joint_doubt.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_knock.h"
#include "joints/joint_settle.h"

#include <math.h>

/* So long after a strike joints may have been knocked to velocities so different, per s. */
static const double STRIKE_SPEED = 10.0;
static const int64_t STRIKE_TIME_NS = 30000000;
/* Deviations beyond which a believed reading tells of a knock. */
static const double KNOCK = 7.0;
/* So many encoders against the prediction at once, without a step: the inertial sensors are in
 * doubt, for so long, s. */
enum { DOUBT_ENCODERS = 2 };
static const int64_t DOUBT_TIME_NS = 300000000;
/* No motor accelerates a joint more, per s^2: so far an acceleration is opened at most. */
static const double LARGEST_ACCELERATION = 500.0;
/* A slip beyond this is not the joint's where its links carry skin, rad or m. */
static const double SEEN_SLIP = 0.16;
/* Variance of dq, ddq and jerk of a joint that starts anew after its encoder slipped. */
static const double SLIP_INFLATION = 4.0;

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
  f->counters.slips++;
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

void encoder_gates_step(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  const double dt = encoder_guard_interval(&f->guard, now->t_ns, f->settings.period_s);
  size_t against = 0;
  const bool doubt = f->doubt_ns > 0 && now->t_ns - f->doubt_ns < DOUBT_TIME_NS;
  const bool struck = f->struck_ns > 0 && now->t_ns - f->struck_ns < STRIKE_TIME_NS;
  encoder_guard_hold(&f->guard, dt);
  if (f->is_apart) {
    joint_knock(f, now, f->handed);
    f->handed = (struct blow){.square = 0.0};
  }
  for (size_t j = 0; j < l->n; j++) {
    const double variance = encoder_rows_covariance(l, l->q + j, j, &now->pending, now->P);
    f->encoder_sd[j] = sensor_scatter_next(&f->scatter[j], now->q[j], dt, f->encoder_told[j]);
    const double opened = variance + now->kick_q[j];
    const double sd = sqrt(opened + f->encoder_sd[j] * f->encoder_sd[j]);
    const struct encoder_expectation expected = {
        .q = now->x[l->q + j],
        .sd = sd,
        .noise = f->encoder_sd[j],
        .noisy = sensor_scatter_noisy(&f->scatter[j], f->encoder_told[j]),
        .doubt = doubt,
        .dt = dt,
        .speed = struck ? STRIKE_SPEED : 0.0,
        .unseen_slip = f->skin.observed[j] ? SEEN_SLIP : HUGE_VAL,
    };
    const uint8_t was = f->guard.health[j];
    const enum encoder_verdict verdict = encoder_guard_judge(&f->guard, j, now->q[j], &expected);
    if (f->guard.health[j] == ENCODER_STUCK && was != ENCODER_STUCK) {
      open_held(f, now, j);
    }
    if (verdict == ENCODER_SLIPPED) {
      restart_joint(f, now, j, now->q[j]);
    }
    if (verdict == ENCODER_REZEROED) {
      f->counters.slips++;
    }
    now->q_used[j] = verdict == ENCODER_USE || verdict == ENCODER_SLIPPED;
    against += fabs(now->q[j] - expected.q) > KNOCK * sd && !f->guard.joint[j].steps.away;
    if (verdict == ENCODER_USE && f->settings.adapt_density) {
      feel_kick(f, now, j, sd, dt);
    }
    /* where skin or limbs' IMUs see the joint, they may be what is wrong; and tell by jumps */
    const bool alone = l->base > 0 && !f->skin.observed[j] && f->limbs.n == 0;
    if (verdict == ENCODER_USE) {
      aftershock_read(&f->aftershock, j, now->q[j] - expected.q, sd * sd);
    }
    joint_lean_add(&f->lean, j,
                   verdict == ENCODER_USE && alone ? (now->q[j] - expected.q) / sd : 0.0);
    f->counters.encoder_rejected +=
        f->guard.health[j] != ENCODER_OK && f->guard.health[j] != ENCODER_SHIFTED;
  }
  watch_encoders(f, now, against);
  if (joint_lean_tells(&f->lean) && f->settings.adapt_density) {
    joint_settle_begin(f, now->t_ns, dt);
  }
}
