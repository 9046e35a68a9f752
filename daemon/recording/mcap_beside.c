#include "recording/mcap_beside.h"

#include "exchange/part_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* As the recording's own. */
enum { FILE_MODE = 0640 };

/* JSON takes most of the time and of the file; at its own rate there are ROS 2 messages. */
static const int64_t json_period_ns = 10000000;

void mcap_beside_robot(struct mcap_beside *mcap, uint32_t generation, struct robot *robot) {
  if (mcap->robot == NULL) {
    mcap->robot = robot;
    mcap->generation = generation;
    return;
  }
  robot_destroy(mcap->next_robot);
  mcap->next_robot = robot;
  mcap->next_generation = generation;
}

bool mcap_beside_turns(const struct mcap_beside *mcap, const struct recorded_cycle *cycle) {
  return mcap->next_robot != NULL && cycle->generation >= mcap->next_generation;
}

/* The next generation's robot takes over. */
static void turn(struct mcap_beside *mcap) {
  robot_destroy(mcap->robot);
  mcap->robot = mcap->next_robot;
  mcap->generation = mcap->next_generation;
  mcap->next_robot = NULL;
}

/* All that sensors may give; the cells are in the recording only. */
static void choose_series(struct mcap_beside *mcap, const struct part_series *series) {
  const struct series_optional all = {.dq = true, .tau = true, .orientation = true};
  series_init(&mcap->sinks.set, mcap->robot, &all, true);
  for (int kind = 0; kind < (int)PROPRIOD_SHM_STREAMS; kind++) {
    if (series->header.count[kind] == 0 || kind == (int)SERIES_SKIN) {
      mcap->sinks.set.series[kind].n_arrays = 0;
    }
  }
}

static void tell_urdf(struct mcap_beside *mcap, const struct kept_texts *texts) {
  for (size_t i = 0; i < texts->n; i++) {
    const struct kept_text *text = &texts->text[i];
    if (text->generation == mcap->generation && strcmp(text->name, "robot.urdf") == 0) {
      mcap->about.urdf = text->bytes;
      mcap->about.urdf_length = text->size;
    }
  }
}

/* Whoever may read the recording may read this, and nobody else. */
static void restrict_reading(const char *path) {
  char part[PART_PATH_SIZE + 16];
  snprintf(part, sizeof(part), "%s" PART_FILE_ENDING, path);
  (void)chmod(part, FILE_MODE);
}

/* NAME-1.rec has NAME-1.mcap beside it. */
static enum status begin(struct mcap_beside *mcap, const struct part_series *series,
                         const struct recorded_cycle *cycle, struct message *error) {
  static const struct sink_format *const format[] = {&mcap_format};
  char path[PART_PATH_SIZE + 8];
  const char *beside = path;
  part_series_mcap_path(&series->part[series->n_parts - 1], path, sizeof(path));
  if (mcap_beside_turns(mcap, cycle)) {
    turn(mcap);
  }
  mcap->part = series->header.part;
  choose_series(mcap, series);
  mcap->about = (struct sink_about){
      .set = &mcap->sinks.set, .wall_ns = series->header.wall_ns, .json_period_ns = json_period_ns};
  tell_urdf(mcap, series->texts);
  const enum status status =
      cycle_sinks_open(&mcap->sinks, &mcap->about, format, &beside, 1, error);
  if (status != STATUS_OK) {
    cycle_sinks_close(&mcap->sinks);
  }
  mcap->open = status == STATUS_OK;
  restrict_reading(path);
  return status;
}

static enum status give_up(struct mcap_beside *mcap) {
  cycle_sinks_close(&mcap->sinks);
  mcap->open = false;
  return STATUS_REFUSED;
}

enum status mcap_beside_cycle(struct mcap_beside *mcap, const struct part_series *series,
                              const struct recorded_cycle *cycle, bool busy,
                              struct message *error) {
  enum status status = STATUS_OK;
  message_set(error, "out of memory");
  if (mcap->robot == NULL || !series->open || cycle->result == NULL) {
    return STATUS_OK;
  }
  if (mcap->part != series->header.part) {
    const enum status ended = mcap_beside_end(mcap, error);
    status = begin(mcap, series, cycle, error);
    status = ended != STATUS_OK ? ended : status;
  }
  if (!mcap->open || busy) {
    mcap->left_out++;
    return status;
  }
  return cycle_sinks_cycle(&mcap->sinks, &cycle->frame, cycle->result, error) == STATUS_OK
             ? status
             : give_up(mcap);
}

enum status mcap_beside_event(struct mcap_beside *mcap, const struct event *event,
                              struct message *error) {
  return !mcap->open || cycle_sinks_event(&mcap->sinks, event, error) == STATUS_OK ? STATUS_OK
                                                                                   : give_up(mcap);
}

enum status mcap_beside_end(struct mcap_beside *mcap, struct message *error) {
  if (!mcap->open) {
    return STATUS_OK;
  }
  const enum status status = cycle_sinks_finish(&mcap->sinks, error);
  cycle_sinks_close(&mcap->sinks);
  mcap->open = false;
  return status;
}

void mcap_beside_free(struct mcap_beside *mcap) {
  cycle_sinks_close(&mcap->sinks);
  robot_destroy(mcap->robot);
  robot_destroy(mcap->next_robot);
  *mcap = (struct mcap_beside){.robot = NULL};
}
