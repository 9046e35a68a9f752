#include "replay/replayer.h"

#include "cycle/cycle.h"
#include "cycle/realtime.h"
#include "recording/result_digest.h"
#include "replay/recorded_generation.h"

#include <stdlib.h>
#include <string.h>

struct replayer {
  struct replay_plan plan;
  size_t at; /* part that is being read */
  struct recording *recording;
  struct generation *generation;
  struct generation *first; /* whoever names what is replayed keeps its robot */
  struct digest_plan digest;
  struct estimates estimates;
  bool *chosen; /* [n_cells] */
  struct replay_verdict verdict;
  int64_t newest_ns; /* instant of the last cycle */
};

/* -- opening ---------------------------------------------------------------------------------- */

static enum status build_configured(const char *config, struct generation **generation,
                                    struct message *error) {
  static struct settings_report report;
  struct message kept;
  const enum status status = generation_build(config, NULL, NULL, generation, &report, &kept);
  if (status != STATUS_OK) {
    message_set(error, "%s", report.error[0].text);
  }
  return status == STATUS_OK ? STATUS_OK : STATUS_REFUSED;
}

/* The robot must be the recorded one, as far as its sensors go. */
static enum status fit(const struct replayer *r, struct message *error) {
  const struct recording_header *header = recording_header(r->recording);
  const struct robot *robot = r->generation->robot;
  const struct {
    const char *things, *key;
    size_t recorded, configured;
  } list[] = {{"joints", "robot.urdf", header->count[PROPRIOD_SHM_JOINTS], robot->model.n_joints},
              {"cells", "robot.cells", header->count[PROPRIOD_SHM_SKIN], robot->n_cells},
              {"wrench sensors", "robot.wrenches", header->count[PROPRIOD_SHM_WRENCH],
               robot->n_wrench + robot->n_switches}};
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    if (list[i].recorded != list[i].configured) {
      message_set(error, "%s: %zu %s; the configured robot has %zu (%s)", r->plan.paths[0],
                  list[i].recorded, list[i].things, list[i].configured, list[i].key);
      return STATUS_REFUSED;
    }
  }
  return STATUS_OK;
}

static enum status build(struct replayer *r, struct message *error) {
  struct message why;
  enum status status;
  size_t size;
  if (r->plan.config != NULL) {
    status = build_configured(r->plan.config, &r->generation, error);
    if (status == STATUS_OK) {
      recorded_learned(r->recording, r->generation->pipeline, &r->verdict.note);
    }
  } else {
    status = recorded_generation(r->recording, 1, &r->generation, &r->verdict.note, &why);
    if (status != STATUS_OK) {
      message_set(error, "%.200s: %.300s", r->plan.paths[0], why.text);
    }
  }
  const char *program = recording_text(r->recording, 1, "program", &size);
  snprintf(r->verdict.program, sizeof(r->verdict.program), "%s", program != NULL ? program : "");
  return status == STATUS_OK ? fit(r, error) : status;
}

enum status replayer_open(struct replayer **replayer, const struct replay_plan *plan,
                          struct message *error) {
  struct replayer *r = calloc(1, sizeof(*r));
  if (r == NULL) {
    message_set(error, "no memory");
    return STATUS_NO_MEMORY;
  }
  r->plan = *plan;
  digest_plan_init(&r->digest);
  enum status status = recording_open(&r->recording, plan->paths[0], error);
  status = status == STATUS_OK ? build(r, error) : status;
  r->first = r->generation;
  if (status == STATUS_OK) {
    r->chosen = calloc(r->generation->robot->n_cells + 1, sizeof(bool));
    status = r->chosen != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  }
  if (status != STATUS_OK) {
    replayer_close(r);
    return status;
  }
  *replayer = r;
  return STATUS_OK;
}

void replayer_close(struct replayer *r) {
  if (r != NULL) {
    recording_close(r->recording);
    if (r->generation != r->first) {
      generation_free(r->generation);
    }
    generation_free(r->first);
    free(r->chosen);
    free(r);
  }
}

/* -- cycles ----------------------------------------------------------------------------------- */

/* Another configuration takes over what the one before has learned. */
static enum status swap(struct replayer *r, uint32_t number, struct message *error) {
  struct generation *next = NULL;
  struct message why, note;
  if (r->plan.config != NULL) {
    return STATUS_OK; /* one for all of it */
  }
  if (recorded_generation(r->recording, number, &next, &note, &why) != STATUS_OK) {
    message_set(error, "%.200s: %.300s", r->plan.paths[r->at], why.text);
    return STATUS_REFUSED;
  }
  denormals_become_zero();
  pipeline_adopt(next->pipeline, r->generation->pipeline);
  if (r->generation != r->first) {
    generation_free(r->generation);
  }
  r->generation = next;
  return STATUS_OK;
}

static void choose(struct replayer *r, const uint64_t *chosen) {
  const size_t n = r->generation->robot->n_cells;
  for (size_t k = 0; k < n; k++) {
    r->chosen[k] = (chosen[k / 64] >> k % 64 & 1) != 0;
  }
  pipeline_choose_cells(r->generation->pipeline, r->chosen);
}

static void judge(struct replayer *r, const struct recorded_cycle *cycle, uint64_t digest) {
  struct replay_verdict *v = &r->verdict;
  if ((cycle->flags & CYCLE_HAS_DIGEST) == 0) {
    return;
  }
  v->compared++;
  if (digest != cycle->digest && v->different++ == 0) {
    v->first_ns = cycle->frame.t_ns;
    v->first_digests[0] = cycle->digest;
    v->first_digests[1] = digest;
  }
}

static enum status step(struct replayer *r, const struct recorded_cycle *cycle,
                        struct replayed *replayed, struct message *error) {
  if (r->verdict.cycles++ == 0) {
    r->verdict.from_start = (cycle->flags & CYCLE_FIRST) != 0;
  }
  if ((cycle->flags & CYCLE_SWAPPED) != 0) {
    const enum status status = swap(r, cycle->generation, error);
    if (status != STATUS_OK) {
      return status;
    }
  }
  denormals_become_zero();
  struct pipeline *pipeline = r->generation->pipeline;
  pipeline_step(pipeline, &cycle->frame, &r->estimates);
  if ((cycle->flags & CYCLE_OVERLOADED) != 0) {
    cycle_degrade(&r->estimates);
  }
  const uint64_t digest = result_digest(&r->digest, &r->estimates);
  judge(r, cycle, digest);
  if ((cycle->flags & CYCLE_CHOSE) != 0) {
    choose(r, cycle->chosen);
  }
  if ((cycle->flags & CYCLE_FORGOT) != 0) {
    inertial_estimator_reset(pipeline_inertial(pipeline));
  }
  r->newest_ns = cycle->frame.t_ns;
  *replayed = (struct replayed){cycle, &r->estimates, pipeline, digest};
  return STATUS_OK;
}

/* The next part of the same session. */
static enum status next_part(struct replayer *r, struct recording_item *item,
                             struct message *error) {
  struct recording *next = NULL;
  const char *path = r->plan.paths[++r->at];
  if (recording_open(&next, path, error) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  const struct recording_header *old = recording_header(r->recording),
                                *new = recording_header(next);
  if (new->session != old->session || new->part <= old->part) {
    message_set(error, "%s: part %u is not a later one of the session of %s", path, new->part + 1,
                r->plan.paths[r->at - 1]);
    recording_close(next);
    return STATUS_REFUSED;
  }
  const bool missing = new->part != old->part + 1;
  recording_close(r->recording);
  r->recording = next;
  *item = (struct recording_item){.kind = RECORDING_LOSS};
  return missing ? STATUS_OK : STATUS_STALE;
}

enum status replayer_next(struct replayer *r, struct recording_item *item,
                          struct replayed *replayed, struct message *error) {
  enum status status = recording_next(r->recording, item);
  while (status == STATUS_OUT_OF_RANGE && r->at + 1 < r->plan.n_paths) {
    status = next_part(r, item, error);
    status = status == STATUS_STALE ? recording_next(r->recording, item) : status;
  }
  if (status != STATUS_OK) {
    return status;
  }
  switch (item->kind) {
  case RECORDING_CYCLE:
    return step(r, item->cycle, replayed, error);
  case RECORDING_LOSS:
    r->verdict.loss_ns = r->verdict.losses++ == 0 ? r->newest_ns : r->verdict.loss_ns;
    break;
  case RECORDING_EVENT:
    r->verdict.events++;
    break;
  }
  return STATUS_OK;
}

const struct generation *replayer_generation(const struct replayer *r) {
  return r->generation;
}

const struct recording *replayer_recording(const struct replayer *r) {
  return r->recording;
}

const struct replay_verdict *replayer_verdict(const struct replayer *r) {
  return &r->verdict;
}
