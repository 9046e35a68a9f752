#include "verdict.h"

#include <string.h>

enum { DRAW_STALLS = 620 };

/* What is followed from instant to instant. */
struct watch {
  struct verdict verdict;
  struct score score;
  size_t q_wrong, last_bad;                /* instants */
  size_t right_since, ok_since, ok_missed; /* instants in a row */
};

static struct watch watch_begin(size_t last_bad) {
  struct watch watch = {.last_bad = last_bad};
  watch.verdict = (struct verdict){.right_s = HUGE_VAL, .ok_s = HUGE_VAL, .finite = true};
  score_reset(&watch.score);
  return watch;
}

static bool is_finite(const struct estimates *out, size_t n_joints) {
  bool finite = true;
  for (size_t j = 0; j < n_joints && (out->state.estimated & PROPRIOD_STATE_Q) != 0; j++) {
    finite = finite && isfinite(out->state.q[j]) && isfinite(out->state.dq[j]) &&
             isfinite(out->state.ddq[j]);
  }
  return finite;
}

static void note_worst(struct watch *watch, const struct trust_run *run) {
  const struct quantity_truth truth = trust_run_truth(run);
  struct quantity_error e;
  quantity_compare(QUANTITY_Q, &run->out, &truth, &e);
  for (size_t j = 0; j < e.n; j++) {
    watch->verdict.worst_q = fmax(watch->verdict.worst_q, fabs(e.error[j]));
  }
  quantity_compare(QUANTITY_TILT, &run->out, &truth, &e);
  if (e.n > 0) {
    watch->verdict.worst_tilt = fmax(watch->verdict.worst_tilt, hypot(e.error[0], e.error[1]));
  }
}

/* Takes the instant that has just been stepped. `spoilt`: joints whose encoders are wrong now. */
static void watch_instant(struct watch *watch, const struct trust_run *run, const bool *spoilt,
                          bool encoders_speak) {
  struct verdict *v = &watch->verdict;
  const double period = run->tape->period_s;
  const size_t k = run->next - 1;
  const struct quantity_truth truth = trust_run_truth(run);
  score_add(&watch->score, &run->out, &truth);
  note_worst(watch, run);
  v->finite = v->finite && is_finite(&run->out, run->tape->robot->model.n_joints);
  const bool joints = trust_run_joints_right(run, spoilt);
  watch->q_wrong = joints || !encoders_speak ? 0 : watch->q_wrong + 1;
  v->q_wrong_s = fmax(v->q_wrong_s, period * (double)watch->q_wrong);
  if (k <= watch->last_bad) {
    return;
  }
  /* right again once it has held for a while; ok may blink meanwhile: one instant in twenty */
  const bool right = joints && trust_run_base_right(run);
  const bool ok = whole_status(&run->out) == PROPRIOD_STATUS_OK;
  const size_t hold = (size_t)llround(VERDICT_HOLD_S / period);
  const double since_s = period * ((double)(k - watch->last_bad) - (double)hold);
  watch->right_since = right ? watch->right_since + 1 : 0;
  watch->ok_missed += !ok;
  if (!right || watch->ok_missed > hold / 20) {
    watch->ok_missed = 0;
    watch->ok_since = 0;
  } else {
    watch->ok_since++;
  }
  if (watch->right_since == hold) {
    v->right_s = since_s; /* the last time that it became right */
  }
  if (watch->right_since == 0) {
    v->right_s = v->ok_s = HUGE_VAL;
  }
  if (watch->ok_since == hold && isinf(v->ok_s)) {
    v->ok_s = since_s;
  }
}

static struct verdict watch_end(struct watch *watch, double period_s, struct score *score) {
  watch->verdict.resets = watch->score.resets;
  watch->verdict.lie_s = score_longest_lie(&watch->score, period_s, &watch->verdict.liar);
  if (score != NULL) {
    *score = watch->score;
  }
  return watch->verdict;
}

struct verdict verdict_of_burst(struct trust_run *run, struct burst *burst, struct score *score) {
  struct watch watch = watch_begin(burst->last);
  const size_t end = burst->last + 1 + (size_t)llround(VERDICT_WATCH_S / run->tape->period_s);
  while (run->next < end && trust_run_step(run, burst)) {
    const size_t k = run->next - 1;
    if (k >= burst->first) {
      watch_instant(&watch, run, k <= burst->last ? burst->joint : NULL, true);
    }
  }
  return watch_end(&watch, run->tape->period_s, score);
}

/* Stalls end so much before they must, s: the last may be as long. */
#define AFTER_STALLS_S 0.5

struct verdict verdict_of_stalls(struct trust_run *run, const struct stalls *stalls,
                                 struct score *score) {
  const double period = run->tape->period_s;
  const double until_s = period * (double)run->tape->count - VERDICT_WATCH_S - AFTER_STALLS_S;
  struct sim_random random = sim_random_from(stalls->seed, DRAW_STALLS);
  struct watch watch = watch_begin(SIZE_MAX);
  size_t silent = 0, flowing = (size_t)(sim_uniform(&random, 0.05, 1.5) / period);
  bool over = false;
  size_t end = run->tape->count;
  while (run->next < end) {
    const bool stalled = silent > 0;
    if (!(stalled ? trust_run_step_silent(run) : trust_run_step(run, NULL))) {
      break;
    }
    watch_instant(&watch, run, NULL, !stalled);
    if (stalled) {
      silent--;
      if (silent == 0 && period * (double)run->next >= until_s) {
        over = true;
        watch.last_bad = run->next - 1;
        end = run->next + (size_t)llround(VERDICT_WATCH_S / period);
      }
      flowing = (size_t)(sim_uniform(&random, 0.05, 1.5) / period);
    } else if (!over && flowing-- == 0) {
      silent = (size_t)(sim_uniform(&random, stalls->shortest_s, stalls->longest_s) / period);
    }
  }
  return watch_end(&watch, period, score);
}

bool verdict_passes(const struct verdict *v) {
  return v->finite && v->ok_s <= VERDICT_RECOVER_S && v->right_s <= VERDICT_RECOVER_S &&
         v->q_wrong_s <= VERDICT_Q_WRONG_S && v->lie_s <= VERDICT_LIE_S && v->resets <= 1;
}
