#include "cycle/cell_chooser.h"

#include "skin/cell_health.h"

#include <string.h>

static struct cell_chooser *chooser_of(struct worker_job *job) {
  return (struct cell_chooser *)(void *)job; /* its first member */
}

/* [worker] */
static void run(struct worker_job *job) {
  struct cell_choice *choice = &chooser_of(job)->choice;
  cell_choice_begin(choice);
  for (size_t link = 0; link < choice->n_links; link++) {
    cell_choice_on(choice, link);
    worker_beat(job);
  }
}

/* [real-time] */
static void adopt(struct worker_job *job) {
  struct cell_chooser *chooser = chooser_of(job);
  const struct cell_choice *choice = &chooser->choice;
  chooser->under_way = false;
  /* the choice was for a pipeline that is gone */
  if (chooser->stale) {
    return;
  }
  /* a bit a cell, for the drivers */
  memset(chooser->wanted, 0, (choice->n_cells + 63) / 64 * sizeof(uint64_t));
  for (size_t k = 0; k < choice->n_cells; k++) {
    chooser->wanted[k / 64] |= (uint64_t)choice->chosen[k] << k % 64;
  }
  pipeline_choose_cells(chooser->pipeline, choice->chosen);
  chooser->adopted++;
  segment_keeper_want(chooser->keeper, chooser->wanted);
}

enum status cell_chooser_init(struct cell_chooser *chooser, const struct robot *robot,
                              double cell_noise, struct worker *worker,
                              struct segment_keeper *keeper, struct arena *arena) {
  *chooser = (struct cell_chooser){
      .job = {.run = run, .adopt = adopt}, .worker = worker, .keeper = keeper};
  chooser->wanted = ARENA_ARRAY(arena, uint64_t, (robot->n_cells + 63) / 64);
  return cell_choice_init(&chooser->choice, robot, cell_noise, arena);
}

/* A new pipeline may be of another geometry and budget, and has all its cells in use. */
static void describe(struct cell_chooser *chooser, struct pipeline *pipeline) {
  const struct pipeline_settings *settings = pipeline_settings_of(pipeline);
  /* all cells in use until the first choice */
  chooser->pipeline = pipeline;
  chooser->seen = UINT64_MAX;
  cell_choice_describe(&chooser->choice, pipeline_robot(pipeline), settings->joints.cell_noise,
                       (size_t)settings->cells_per_link);
  memset(chooser->wanted, 0xff, (chooser->choice.n_cells + 63) / 64 * sizeof(uint64_t));
  segment_keeper_want(chooser->keeper, chooser->wanted);
}

static void post(struct cell_chooser *chooser, const struct cell_health *cells) {
  /* what may be chosen from, as the cells are now */
  for (size_t k = 0; k < chooser->choice.n_cells; k++) {
    cell_choice_allow(&chooser->choice, k, cell_health_usable(cells, k));
  }
  chooser->seen = cells->changes;
  chooser->stale = false;
  chooser->under_way = worker_post(chooser->worker, &chooser->job);
}

/* Another pipeline's memory may be that of one before it: what the choice is for is forgotten at
 * once, and not compared again when the job has come back. */
void cell_chooser_cycle(struct cell_chooser *chooser, struct pipeline *pipeline) {
  if (pipeline != chooser->pipeline) {
    chooser->stale = true;
    chooser->pipeline = NULL;
  }
  /* takes over what the worker has finished */
  worker_adopt(chooser->worker);
  if (chooser->under_way) {
    return;
  }
  const struct cell_health *cells = pipeline_cells(pipeline);
  if (pipeline != chooser->pipeline) {
    describe(chooser, pipeline);
  }
  /* anew when a cell dropped out or came back */
  if (chooser->choice.per_link > 0 && chooser->seen != cells->changes) {
    post(chooser, cells);
  }
}
