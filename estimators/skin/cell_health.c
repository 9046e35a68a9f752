#include "skin/cell_health.h"

#include <math.h>
#include <string.h>

enum {
  MAX_OUTLIERS = 6, /* taken out of one link's sample; more than that and the link tells
                       nothing */
  BAD_WEIGHT = 4, /* a bad sample weighs as much as this many good ones, so that every second sample
                     bad is faulty too */
  MIN_TO_COMPARE = 5, /* with fewer cells a residual does not say who is wrong */
  TORN_PART = 4       /* one of so many that contradict, and the rest is no witness */
};

static const float RESIDUAL_SMOOTHING = 0.05f; /* per sample: about 20 samples */

const char *cell_state_text(enum cell_state state) {
  static const char *const text[CELL_STATES] = {"ok",      "suspect",    "faulty",
                                                "contact", "precontact", "stale"};
  return (unsigned)state < CELL_STATES ? text[state] : "unknown";
}

const char *cell_reason_text(enum cell_reason reason) {
  static const char *const text[CELL_REASONS] = {"none",      "invalid", "not_finite", "pattern",
                                                 "saturated", "stuck",   "residual",   "repeated"};
  return (unsigned)reason < CELL_REASONS ? text[reason] : "unknown";
}

struct cell_health_settings cell_health_defaults(void) {
  return (struct cell_health_settings){.noise = 0.34,
                                       .range = 39.0, /* +-4 g */
                                       .residual_gate = 6.0,
                                       .stuck_motion = 2.0,
                                       .suspect_limit = 10,
                                       .readmit_after = 200,
                                       .release_after = 25,
                                       .proximity_near = 0.5,
                                       .force_touch = 0.5,
                                       .stale_s = 0.1};
}

enum status cell_health_init(struct cell_health *health, const struct robot *robot,
                             const struct cell_health_settings *settings, struct arena *arena) {
  if (!(settings->noise > 0.0 && settings->range > 0.0 && settings->residual_gate > 0.0 &&
        settings->stuck_motion > 0.0 && settings->suspect_limit > 0 &&
        settings->suspect_limit < UINT16_MAX / BAD_WEIGHT && settings->readmit_after > 0 &&
        settings->readmit_after <= UINT16_MAX && settings->release_after >= 0 &&
        settings->stale_s > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *health = (struct cell_health){.settings = *settings, .robot = robot};
  health->cell = ARENA_ARRAY(arena, struct cell_record, robot->n_cells);
  health->residual = arena_take(arena, robot->n_cells, sizeof(*health->residual));
  health->verdict = ARENA_ARRAY(arena, uint8_t, robot->n_cells);
  health->count[CELL_OK] = robot->n_cells;
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* What can be said of a reading without knowing the motion. */
static enum cell_reason judge_reading(const struct cell_health_settings *settings,
                                      const struct skin_reading *reading, size_t cell) {
  const float *a = reading->acceleration + 3 * cell;
  const float range = (float)settings->range;
  if ((reading->flags[cell] & CELL_VALID) == 0) {
    return CELL_REASON_INVALID;
  }
  if (!isfinite(a[0]) || !isfinite(a[1]) || !isfinite(a[2])) {
    return CELL_REASON_NOT_FINITE;
  }
  if (a[0] == a[1] && a[1] == a[2]) {
    return CELL_REASON_PATTERN;
  }
  return fabsf(a[0]) < range && fabsf(a[1]) < range && fabsf(a[2]) < range ? CELL_REASON_NONE
                                                                           : CELL_REASON_SATURATED;
}

/* The same with what went before. */
static enum cell_reason judge_alone(struct cell_health *health, const struct skin_reading *reading,
                                    size_t cell) {
  const enum cell_reason reason = judge_reading(&health->settings, reading, cell);
  struct cell_record *record = &health->cell[cell];
  const float *a = reading->acceleration + 3 * cell, *last = record->last;
  if (reason != CELL_REASON_NONE) {
    return reason;
  }
  const bool equal = a[0] == last[0] && a[1] == last[1] && a[2] == last[2];
  if (!equal) {
    record->anchored = false;
    memcpy(record->last, a, sizeof(record->last));
  }
  return sensor_hold_next(&record->hold, equal, true) ? CELL_REASON_REPEATED : reason;
}

static vec3 reading_in_link(const struct cell_health *health, const struct skin_reading *reading,
                            size_t cell) {
  const float *a = reading->acceleration + 3 * cell;
  return mat3_mul_vec3(&health->robot->cell[cell].placement.R,
                       (vec3){(double)a[0], (double)a[1], (double)a[2]});
}

/* Residuals of a link's cells against its fused motion; answers the position on the link of the
 * largest one among the cells used, and its size as the largest component. */
static double worst_residual(struct cell_health *health, const struct link_skin *link,
                             const struct skin_reading *reading, vec3 omega,
                             const struct motion *motion, size_t *worst) {
  const struct force_field field = force_field_of(omega, motion);
  double largest = 0.0;
  for (size_t k = 0; k < link->n_cells; k++) {
    const size_t cell = link->cell[k];
    float *out = health->residual[cell];
    if (health->verdict[cell] != CELL_REASON_NONE) {
      memset(out, 0, sizeof(health->residual[cell]));
      continue;
    }
    const vec3 r =
        vec3_sub(reading_in_link(health, reading, cell), skin_fusion_predict(link, k, &field));
    const double size = vec3_largest(r);
    out[0] = (float)r.x;
    out[1] = (float)r.y;
    out[2] = (float)r.z;
    if (size > largest && link->used[k]) {
      largest = size;
      *worst = k;
    }
  }
  return largest;
}

/* What the cells of a link are to each other. */
enum company {
  ALONE,    /* too few, or too much in line, to tell who is wrong */
  AGREEING, /* but for those that have been taken out */
  AT_ODDS   /* more are than can be taken out */
};

/* Takes outliers out of the link's fusion, worst first. */
static enum company screen(struct cell_health *health, struct skin_fusion *fusion,
                           struct link_skin *link, const struct skin_reading *reading, vec3 omega,
                           struct motion *motion) {
  const double gate = health->settings.residual_gate * health->settings.noise;
  for (int removed = 0; removed <= MAX_OUTLIERS; removed++) {
    size_t worst = 0;
    if (link->n_used < MIN_TO_COMPARE ||
        skin_fusion_solve(link, omega, motion, NULL) != STATUS_OK) {
      return ALONE;
    }
    if (worst_residual(health, link, reading, omega, motion, &worst) <= gate) {
      return AGREEING;
    }
    if (removed < MAX_OUTLIERS) {
      skin_fusion_drop(fusion, link, worst);
      health->verdict[link->cell[worst]] = CELL_REASON_RESIDUAL;
      health->outliers++;
    }
  }
  return AT_ODDS;
}

/* An unchanged reading is stuck once the link's motion has moved away from where it was when the
 * reading last changed, and then until it changes. */
static bool is_stuck(struct cell_record *record, vec3 predicted, double stuck_motion) {
  if (!record->anchored) {
    record->anchored = true;
    record->anchor[0] = (float)predicted.x;
    record->anchor[1] = (float)predicted.y;
    record->anchor[2] = (float)predicted.z;
  }
  const vec3 anchor = {(double)record->anchor[0], (double)record->anchor[1],
                       (double)record->anchor[2]};
  const bool known = record->state == CELL_FAULTY && record->reason == CELL_REASON_STUCK;
  return record->hold.run > 0 && (known || vec3_norm(vec3_sub(predicted, anchor)) > stuck_motion);
}

/* Finds the cells of a link that do not change although it moves so, and takes them out of its
 * sample. Returns whether the fusion is to be mended. */
static bool find_stuck(struct cell_health *health, struct link_skin *link, vec3 omega,
                       const struct motion *motion) {
  const struct force_field field = force_field_of(omega, motion);
  bool used = false;
  for (size_t k = 0; k < link->n_cells; k++) {
    const size_t cell = link->cell[k];
    if (health->verdict[cell] == CELL_REASON_NONE &&
        is_stuck(&health->cell[cell], skin_fusion_predict(link, k, &field),
                 health->settings.stuck_motion)) {
      health->verdict[cell] = CELL_REASON_STUCK;
      used = used || link->used[k];
      skin_fusion_leave_out(link, k);
    }
  }
  return used;
}

/* Takes the readings that are none out of a link's sample. Returns as find_stuck. */
static bool leave_repeated(const struct cell_health *health, struct link_skin *link) {
  bool used = false;
  for (size_t k = 0; k < link->n_cells; k++) {
    if (health->verdict[link->cell[k]] == CELL_REASON_REPEATED) {
      used = used || link->used[k];
      skin_fusion_leave_out(link, k);
    }
  }
  return used;
}

/* How well a link's motion is known, for the first of its cells that asks. */
struct link_known {
  bool asked, told;
  double C[SKIN_FUSION_SIZE][SKIN_FUSION_SIZE]; /* covariance of [omegadot; vdot] */
};

/* Largest variance, (m/s^2)^2, of what is expected at r of the link, vdot + omegadot x r. */
static double expected_variance(const struct link_known *known, vec3 r) {
  const mat3 arm = mat3_skew(r);
  double largest = 0.0;
  for (size_t i = 0; i < 3; i++) {
    double row[SKIN_FUSION_SIZE] = {-arm.m[i][0], -arm.m[i][1], -arm.m[i][2], 0.0, 0.0, 0.0};
    double variance = 0.0;
    row[3 + i] = 1.0;
    for (size_t a = 0; a < SKIN_FUSION_SIZE; a++) {
      for (size_t b = 0; b < SKIN_FUSION_SIZE; b++) {
        variance += row[a] * known->C[a][b] * row[b];
      }
    }
    largest = fmax(largest, variance);
  }
  return largest;
}

/* Whether a faulty cell agrees with the rest as well as that can tell: few cells say little of a
 * place that lies apart from theirs. */
static bool may_agree(const struct cell_health *health, const struct link_skin *link, size_t k,
                      vec3 omega, double size, struct link_known *known) {
  const struct cell_health_settings *s = &health->settings;
  struct motion motion;
  if (health->cell[link->cell[k]].state != CELL_FAULTY) {
    return false;
  }
  if (!known->asked) {
    known->asked = true;
    known->told = skin_fusion_solve(link, omega, &motion, known->C) == STATUS_OK;
  }
  const vec3 r = vec3_add(link->place[k], link->centre);
  return known->told &&
         size < s->residual_gate * sqrt(s->noise * s->noise + expected_variance(known, r));
}

/* Judges the cells of a link by the rest of it. */
static void judge_together(struct cell_health *health, const struct link_skin *link, vec3 omega) {
  const double gate = health->settings.residual_gate * health->settings.noise;
  struct link_known known = {.asked = false};
  for (size_t k = 0; k < link->n_cells; k++) {
    const size_t cell = link->cell[k];
    struct cell_record *record = &health->cell[cell];
    const float *r = health->residual[cell];
    if (health->verdict[cell] != CELL_REASON_NONE) {
      continue;
    }
    record->residual +=
        RESIDUAL_SMOOTHING * (sqrtf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) - record->residual);
    const double size = (double)fmaxf(fmaxf(fabsf(r[0]), fabsf(r[1])), fabsf(r[2]));
    if (size > gate && !may_agree(health, link, k, omega, size, &known)) {
      health->verdict[cell] = CELL_REASON_RESIDUAL; /* not used in the fusion, and still wrong */
    }
  }
}

static bool contradicted(const struct cell_record *cell) {
  return cell->state == CELL_FAULTY && cell->reason == CELL_REASON_RESIDUAL;
}

/* Whether so many contradict that the others may agree by chance alone. Where these are too few to
 * tell, what contradicted them before still does. */
static bool is_torn(const struct cell_health *health, const struct link_skin *link,
                    enum company company) {
  size_t contradict = 0;
  for (size_t k = 0; k < link->n_cells; k++) {
    contradict += health->verdict[link->cell[k]] == CELL_REASON_RESIDUAL ||
                  (company == ALONE && contradicted(&health->cell[link->cell[k]]));
  }
  return company == AT_ODDS || contradict * TORN_PART > link->n_used + contradict;
}

/* The motion that the estimate expects tells what is stuck, even where that is most of a link; for
 * want of one, what the link's cells agree on does. */
static void judge_link(struct cell_health *health, struct skin_fusion *fusion,
                       struct link_skin *link, const struct skin_reading *reading, vec3 omega,
                       const struct motion *expected) {
  struct motion motion;
  const bool repeated = leave_repeated(health, link);
  const bool stuck = expected != NULL && find_stuck(health, link, omega, expected);
  if (repeated || stuck) {
    skin_fusion_mend(fusion, link);
  }
  const enum company company = screen(health, fusion, link, reading, omega, &motion);
  if (company == AGREEING) {
    if (expected == NULL && find_stuck(health, link, omega, &motion)) {
      skin_fusion_mend(fusion, link);
    }
    judge_together(health, link, omega);
  }
  link->torn = is_torn(health, link, company);
}

static void move_to(struct cell_health *health, struct skin_fusion *fusion, size_t cell,
                    enum cell_state state) {
  struct cell_record *record = &health->cell[cell];
  const bool was_usable = cell_health_usable(health, cell);
  health->count[record->state]--;
  health->count[state]++;
  record->state = (uint8_t)state;
  if (cell_health_usable(health, cell) != was_usable) {
    health->changes++;
    skin_fusion_mask(fusion, cell, was_usable);
  }
}

/* Contact and pre-contact from the cell's other senses; CELL_OK when it is free. */
static enum cell_state touch(const struct cell_health *health, const struct skin_reading *reading,
                             size_t cell) {
  const uint8_t flags = reading->flags[cell];
  if ((flags & CELL_FORCE) != 0 && reading->force != NULL &&
      (double)reading->force[cell] >= health->settings.force_touch) {
    return CELL_CONTACT;
  }
  if ((flags & CELL_PROXIMITY) != 0 && reading->proximity != NULL &&
      (double)reading->proximity[cell] >= health->settings.proximity_near) {
    return CELL_PRECONTACT;
  }
  return CELL_OK;
}

/* A reading that is there, and good or bad. */
static void weigh(struct cell_record *record, enum cell_reason verdict, int limit) {
  if (verdict == CELL_REASON_NONE) {
    record->good = (uint16_t)(record->good + (record->good < UINT16_MAX));
    record->badness = (uint16_t)(record->badness - (record->badness > 0));
  } else {
    record->reason = (uint8_t)verdict;
    record->good = 0;
    record->badness =
        (uint16_t)(record->badness + BAD_WEIGHT > limit ? limit : record->badness + BAD_WEIGHT);
  }
}

/* Counts this sample's verdict; answers the state that the counts alone ask for. */
static enum cell_state count_verdict(struct cell_health *health, struct cell_record *record,
                                     enum cell_reason verdict, int64_t t_ns) {
  const struct cell_health_settings *settings = &health->settings;
  const int limit = BAD_WEIGHT * settings->suspect_limit;
  health->rejected[verdict]++;
  if (verdict != CELL_REASON_INVALID) {
    record->valid_ns = t_ns;
  } else if ((double)(t_ns - record->valid_ns) * 1e-9 > settings->stale_s) {
    record->reason = CELL_REASON_INVALID;
    return CELL_STALE;
  }
  if (verdict != CELL_REASON_INVALID && verdict != CELL_REASON_REPEATED) {
    weigh(record, verdict, limit);
  }
  if (record->badness >= limit ||
      (record->state == CELL_FAULTY && record->good < settings->readmit_after)) {
    return CELL_FAULTY;
  }
  if (record->state == CELL_FAULTY) {
    record->badness = 0; /* taken back with a clean slate */
  }
  return record->badness > 0 ? CELL_SUSPECT : CELL_OK;
}

static void advance(struct cell_health *health, struct skin_fusion *fusion,
                    const struct skin_reading *reading, size_t cell) {
  struct cell_record *record = &health->cell[cell];
  const enum cell_reason verdict = (enum cell_reason)health->verdict[cell];
  enum cell_state state = count_verdict(health, record, verdict, reading->stamp.t_ns);
  const enum cell_state touched = touch(health, reading, cell);
  record->free = (uint16_t)(touched != CELL_OK ? 0 : record->free + (record->free < UINT16_MAX));
  if (state == CELL_OK || state == CELL_SUSPECT) {
    const bool was_touched = record->state == CELL_CONTACT || record->state == CELL_PRECONTACT;
    if (touched != CELL_OK) {
      state = touched;
    } else if (was_touched && record->free < health->settings.release_after) {
      state = (enum cell_state)record->state;
    }
  }
  if (state == CELL_OK) {
    record->reason = CELL_REASON_NONE;
  }
  if (state != record->state) {
    move_to(health, fusion, cell, state);
  }
}

void cell_health_step(struct cell_health *health, struct skin_fusion *fusion,
                      const struct skin_reading *reading, const vec3 *omega,
                      const struct motion *expected) {
  for (size_t cell = 0; cell < health->robot->n_cells; cell++) {
    health->verdict[cell] = (uint8_t)judge_alone(health, reading, cell);
  }
  for (size_t i = 0; i < fusion->n_links; i++) {
    const size_t link = fusion->link[i].link;
    judge_link(health, fusion, &fusion->link[i], reading, omega[link],
               expected != NULL ? &expected[link] : NULL);
  }
  for (size_t cell = 0; cell < health->robot->n_cells; cell++) {
    if (!fusion->idle[cell] || health->verdict[cell] != CELL_REASON_INVALID) {
      advance(health, fusion, reading, cell);
    } /* a cell that nobody wants and its driver leaves out keeps its state */
  }
}
