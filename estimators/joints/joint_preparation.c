#include "joints/joint_preparation.h"

#include "joints/joint_filter_core.h"
#include "joints/joint_instant.h"
#include "joints/joint_samples.h"

#include <string.h>

/* Index of the skin among the filter's streams. */
enum { SKIN = 2 };

enum status joint_preparation_init(struct joint_preparation *preparation,
                                   const struct joint_layout *layout, size_t blocks_max,
                                   struct arena *arena) {
  *preparation = (struct joint_preparation){
      .block = ARENA_ARRAY(arena, struct link_rows, blocks_max),
      .x = ARENA_ARRAY(arena, double, layout->numbers),
      .P = ARENA_ARRAY(arena, double, layout->size * layout->stride),
  };
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Index of the instant at which the skin must have looked next, or 0: none that can be prepared. */
static size_t find_instant(const struct joint_filter *f) {
  const int64_t expected_ns = f->last_ns[SKIN] + f->preparation.interval_ns;
  for (size_t i = f->instants.count; i-- > 1;) {
    const struct instant *instant = f->instants.at[i];
    const int64_t apart = instant->t_ns - expected_ns;
    if (apart < f->instants.merge_ns && apart > -f->instants.merge_ns) {
      const bool can = !(instant->streams & STREAM_SKIN) && f->instants.at[i - 1]->P != NULL;
      return can ? i : 0;
    }
  }
  return 0;
}

/* How a limb is carried is known with its skin alone. */
static bool can_prepare(const struct joint_filter *f) {
  return f->limb == NULL && joint_filter_hears_skin(f) && f->preparation.interval_ns > 0;
}

void joint_preparation_keep(struct joint_filter *f, size_t index) {
  struct joint_preparation *p = &f->preparation;
  const double *P = f->instants.at[index]->P;
  const struct joint_layout *l = &f->layout;
  if (!can_prepare(f) || find_instant(f) != index) {
    return;
  }
  for (size_t i = 0; i < l->size; i++) {
    const size_t from = i * (l->stride + 1);
    memcpy(p->P + from, P + from, (i < l->observed ? 1 : l->size - i) * sizeof(double));
  }
  memcpy(p->x, f->instants.at[index]->x, l->numbers * sizeof(double));
  p->of = NULL; /* what was prepared stood there */
  p->kept = f->instants.at[index];
  p->kept_step = f->counters.steps;
  p->kept_before_revision = f->instants.at[index - 1]->revision;
}

/* x and the instant's own P hold what would now be predicted for instant `index`. */
static bool is_kept(const struct joint_filter *f, size_t index) {
  const struct joint_preparation *p = &f->preparation;
  return p->kept == f->instants.at[index] && p->kept_step == f->counters.steps &&
         p->kept_before_revision == f->instants.at[index - 1]->revision;
}

/* The measurement that is expected at instant `index`. */
static struct joint_measurement measurement_at(const struct joint_filter *f, size_t index) {
  struct joint_measurement z = joint_instant_measurement(f, index);
  z.n_blocks = f->preparation.n_blocks;
  z.block = f->preparation.block;
  return z;
}

static void prepare_rows(struct joint_filter *f, size_t index) {
  struct joint_preparation *p = &f->preparation;
  const struct instant *instant = f->instants.at[index];
  const bool kept = is_kept(f, index);
  const enum status predicted = kept ? STATUS_OK : joint_instant_predict(f, index, p->x, p->P);
  p->kept = NULL;
  if (predicted != STATUS_OK) {
    return;
  }
  p->n_blocks = joint_samples_skin_rows(f, instant->t_ns, p->block);
  const struct joint_measurement z = measurement_at(f, index);
  const double *prior = kept ? instant->P : p->P;
  if (joint_update_prepare_rows(&f->update, &z, p->x, prior) == STATUS_OK) {
    p->bias = considered_of(&f->layout, CONSIDERED_GYRO, p->x, prior);
    p->of = instant;
    p->t_ns = instant->t_ns;
    p->revision = instant->revision;
    p->before_revision = f->instants.at[index - 1]->revision;
  }
}

static void prepare_gain(struct joint_filter *f, size_t index) {
  const struct joint_measurement z = measurement_at(f, index);
  if (joint_update_prepare_gain(&f->update, &z, f->preparation.P) != STATUS_OK) {
    f->preparation.of = NULL;
  }
}

void joint_preparation_step(struct joint_filter *f) {
  struct joint_preparation *p = &f->preparation;
  const size_t index = can_prepare(f) ? find_instant(f) : 0;
  if (index == 0) {
    return;
  }
  const struct instant *instant = f->instants.at[index];
  const bool begun = p->of == instant && p->revision == instant->revision;
  if (begun && f->update.prepared == UPDATE_ROWS) {
    prepare_gain(f, index);
  } else if (!begun) {
    p->of = NULL;
    prepare_rows(f, index);
  } /* else ready, and still waiting */
}

static bool same_rows(const struct link_rows *a, const struct link_rows *b) {
  return a->link == b->link && a->rank == b->rank &&
         memcmp(a->W, b->W, a->rank * sizeof(a->W[0])) == 0;
}

static bool fits(const struct joint_filter *f, size_t index) {
  const struct joint_preparation *p = &f->preparation;
  const struct instant *instant = f->instants.at[index];
  bool same = f->update.prepared != UPDATE_NOTHING && p->of == instant &&
              p->t_ns == instant->t_ns && p->revision == instant->revision &&
              p->before_revision == f->instants.at[index - 1]->revision &&
              (instant->streams & ~instant->filtered) == STREAM_SKIN &&
              p->n_blocks == instant->n_blocks;
  for (size_t b = 0; same && b < instant->n_blocks; b++) {
    same = same_rows(&p->block[b], &instant->block[b]);
  }
  return same;
}

bool joint_preparation_ready(struct joint_filter *f, size_t index) {
  if (!fits(f, index)) {
    return false;
  }
  if (f->update.prepared == UPDATE_ROWS) { /* it came sooner than the second half */
    prepare_gain(f, index);
  }
  return f->preparation.of != NULL;
}
