#include "exchange/exporter.h"

#include "common/clock.h"
#include "exchange/cycle_sinks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 2000 }; /* cycles in which an optional array must show for the first time */

struct run {
  struct exporter *exporter;
  struct cycle_sinks sinks;
  struct sink_about about;
  bool recorded; /* results are taken from the recording */
  struct exporter_count *count;
  int64_t begin_ns, told_ns;
};

/* What of the optional arrays the recording has, from its first seconds. */
static struct series_optional look(struct recording *recording) {
  struct series_optional has = {0};
  const struct sensor_frame *frame;
  recording_seek(recording, 0);
  for (int i = 0; i < LOOKED_AT && recording_read(recording, &frame) == STATUS_OK; i++) {
    has.dq = has.dq || frame->joints.dq != NULL;
    has.tau = has.tau || frame->joints.tau != NULL;
    has.orientation = has.orientation || frame->imu.has_orientation;
    has.proximity = has.proximity || frame->skin.proximity != NULL;
    has.force = has.force || frame->skin.force != NULL;
  }
  recording_seek(recording, 0);
  return has;
}

/* True when the recording begins with a result. */
static bool has_results(struct recording *recording) {
  struct recording_item item = {.kind = RECORDING_LOSS};
  while (item.kind != RECORDING_CYCLE && recording_next(recording, &item) == STATUS_OK) {
  }
  const bool has = item.kind == RECORDING_CYCLE && (item.cycle->flags & CYCLE_HAS_RESULT) != 0;
  recording_seek(recording, 0);
  return has;
}

static void choose_series(struct run *run) {
  const struct exporter *e = run->exporter;
  const struct series_optional has = look(e->recording);
  series_init(&run->sinks.set, replayer_generation(e->replayer)->robot, &has, e->results);
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    const bool recorded =
        kind >= (int)PROPRIOD_SHM_STREAMS || recording_header(e->recording)->count[kind] > 0;
    if (!recorded || (e->only != 0 && (e->only & 1u << kind) == 0)) {
      run->sinks.set.series[kind].n_arrays = 0;
    }
  }
}

/* Of the rows that will come, as far as the heads of the recording's blocks tell. */
static void tell_times(struct run *run) {
  const struct exporter *e = run->exporter;
  const struct recording_summary summary = recording_summary(e->recording);
  const int64_t to_ns = summary.first_ns + (int64_t)(1e9 * e->to_s);
  run->about.first_ns = summary.first_ns + (int64_t)(1e9 * e->from_s);
  run->about.last_ns = e->to_s > 0.0 && to_ns < summary.last_ns ? to_ns : summary.last_ns;
}

static enum status open_sinks(struct run *run, struct message *error) {
  const struct exporter *e = run->exporter;
  run->about = (struct sink_about){.set = &run->sinks.set,
                                   .wall_ns = recording_header(e->recording)->wall_ns,
                                   .durable = true,
                                   .source = e->path,
                                   .quantities = e->quantities,
                                   .n_quantities = e->n_quantities};
  tell_times(run);
  run->about.urdf = recording_text(e->recording, 1, "robot.urdf", &run->about.urdf_length);
  return cycle_sinks_open(&run->sinks, &run->about, e->format, e->to, e->n_sinks, error);
}

static void tell_progress(struct run *run) {
  const int64_t now_ns = clock_now_ns(), second = INT64_C(1000000000);
  if (run->exporter->progress && now_ns - run->told_ns > second) {
    fprintf(stderr, "\r%3.0f %%", 100.0 * recording_progress(run->exporter->recording));
    run->told_ns = now_ns;
  }
}

/* What is estimated is wanted, and not in the recording. */
static bool is_replayed(const struct run *run) {
  return run->exporter->results && !run->recorded;
}

/* The next item, and of a cycle what is estimated: replayed, or as it was recorded. */
static enum status next(struct run *run, struct recording_item *item,
                        const struct estimates **estimates, struct message *error) {
  static const struct estimates none;
  struct replayed replayed = {.estimates = &none};
  enum status status;
  if (is_replayed(run)) {
    status = replayer_next(run->exporter->replayer, item, &replayed, error);
  } else {
    status = recording_next(run->exporter->recording, item);
    if (status == STATUS_OK && item->kind == RECORDING_CYCLE && item->cycle->result != NULL) {
      replayed.estimates = item->cycle->result;
    }
  }
  *estimates = replayed.estimates;
  return status;
}

static enum status go_over(struct run *run, struct message *error) {
  struct recording_item item;
  const struct estimates *estimates;
  const double to_s = run->exporter->to_s;
  const int64_t from_ns = run->begin_ns + (int64_t)(1e9 * run->exporter->from_s);
  enum status status = STATUS_OK;
  while (status == STATUS_OK) {
    status = next(run, &item, &estimates, error);
    if (status != STATUS_OK) {
      return status == STATUS_OUT_OF_RANGE ? STATUS_OK : status;
    }
    if (item.kind == RECORDING_CYCLE) {
      const int64_t t_ns = item.cycle->frame.t_ns;
      if (to_s > 0.0 && (double)(t_ns - run->begin_ns) > 1e9 * to_s) {
        break;
      }
      if (t_ns >= from_ns) {
        status = cycle_sinks_cycle(&run->sinks, &item.cycle->frame, estimates, error);
      }
      tell_progress(run);
    } else if (item.kind == RECORDING_EVENT) {
      status = cycle_sinks_event(&run->sinks, &item.event, error);
    } else {
      run->count->lost++;
    }
  }
  return status;
}

enum status exporter_open(struct exporter *exporter, struct message *error) {
  const struct replay_plan plan = {
      .paths = &exporter->path, .n_paths = 1, .config = exporter->config};
  const enum status status = replayer_open(&exporter->replayer, &plan, error);
  return status == STATUS_OK ? recording_open(&exporter->recording, exporter->path, error) : status;
}

void exporter_close(struct exporter *exporter) {
  replayer_close(exporter->replayer);
  recording_close(exporter->recording);
}

enum status exporter_run(struct exporter *exporter, struct exporter_count *count,
                         struct message *error) {
  struct run *run = calloc(1, sizeof(*run));
  if (run == NULL) {
    return STATUS_NO_MEMORY;
  }
  *count = (struct exporter_count){0};
  run->exporter = exporter;
  run->count = count;
  run->told_ns = clock_now_ns();
  run->begin_ns = recording_summary(exporter->recording).first_ns;
  choose_series(run);
  run->recorded = exporter->as_recorded && has_results(exporter->recording);
  if (exporter->progress && exporter->as_recorded && !run->recorded) {
    fputs("estimating again, since the recording has no results (record.results keeps them)\n",
          stderr);
  }
  if (!is_replayed(run)) { /* no series is of the inertia */
    const bool has_skin = run->sinks.set.series[SERIES_SKIN].n_arrays > 0;
    recording_leave_out(exporter->recording, RECORDED_INERTIA | (has_skin ? 0 : RECORDED_SKIN));
  }
  enum status status = open_sinks(run, error);
  if (status == STATUS_OK) {
    status = go_over(run, error);
  }
  if (status == STATUS_OK) {
    status = cycle_sinks_finish(&run->sinks, error);
  }
  memcpy(count->rows, run->sinks.rows, sizeof(count->rows));
  if (run->told_ns != 0 && exporter->progress) {
    fputs("\r     \r", stderr);
  }
  cycle_sinks_close(&run->sinks);
  free(run);
  return status;
}
