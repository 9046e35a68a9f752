#include "identify/command/session.h"

#include "common/file.h"
#include "identify/fit/stribeck_search.h"
#include "identify/log/recorded_log.h"
#include "identify/output/provenance.h"
#include "settings/yaml_reader.h"
#include "urdf/urdf_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session_options session_defaults(void) {
  return (struct session_options){.motion = {.border_s = -1.0},
                                  .rows = row_defaults(),
                                  .kinds = {true, true, true, true},
                                  .train_share = 0.7,
                                  .up = {0.0, 0.0, STANDARD_GRAVITY},
                                  .margin = 0.005};
}

const char *session_robot(const struct session_options *options) {
  return options->robot != NULL ? options->robot : options->log[0];
}

/* Puts the file's name before what its reader says. */
static void name_file(const char *file, struct message *error) {
  struct message said = *error;
  message_set(error, "%.200s:%.300s", file, said.text);
}

/* The URDF's text, and how far it is taken as it is: a recording holds both. */
static enum status read_urdf(const struct session_options *o, struct session *s, size_t *length,
                             struct urdf_choices *choices, struct message *error) {
  struct generation *recorded = NULL;
  enum status status = STATUS_OK;
  if (o->n_logs > 0 && is_recording(o->log[0])) {
    status = recorded_robot(o->log[0], &recorded, error);
    if (status == STATUS_OK) {
      *choices = recorded->settings.robot.choices;
    }
  }
  if (status == STATUS_OK && o->robot == NULL) {
    *length = recorded->texts.urdf_length;
    s->urdf = calloc(*length + 1, 1);
    status = s->urdf != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK) {
      memcpy(s->urdf, recorded->texts.urdf, *length);
    }
  } else if (status == STATUS_OK) {
    status = file_read(o->robot, URDF_MAX_BYTES, &s->urdf, length, error);
  }
  generation_free(recorded);
  return status;
}

static enum status read_model(const struct session_options *o, struct session *s,
                              struct message *error) {
  struct urdf_choices choices = {.n_locked = 0};
  size_t length;
  enum status status = read_urdf(o, s, &length, &choices, error);
  if (status != STATUS_OK) {
    return status;
  }
  if (o->repair) {
    choices.repair = URDF_REPAIR_NEAREST;
  }
  struct arena arena = {0};
  status = urdf_read_as(s->urdf, length, &choices, &arena, &s->model, NULL, error);
  if (status == STATUS_OK) {
    s->memory = aligned_alloc(ARENA_ALIGN, arena.used);
    arena = arena_over(s->memory, arena.used);
    status = s->memory != NULL
                 ? urdf_read_as(s->urdf, length, &choices, &arena, &s->model, NULL, error)
                 : STATUS_NO_MEMORY;
  }
  if (status != STATUS_OK) {
    name_file(session_robot(o), error);
  } else if (s->model.n_joints == 0) {
    message_set(error, "%s: a robot without joints has nothing to identify", session_robot(o));
    status = STATUS_TOO_FEW;
  }
  return status;
}

static enum status read_table(const char *file, struct log_table *table, struct message *error) {
  char *text;
  size_t length;
  enum status status = file_read(file, LOG_MAX_BYTES, &text, &length, error);
  if (status == STATUS_OK) {
    status = log_table_read(text, length, file, table, error);
    free(text);
  }
  return status;
}

/* All files of one log, side by side. */
static enum status read_tables(const char *const *file, size_t n, struct log_table *table,
                               struct message *error) {
  enum status status = read_table(file[0], table, error);
  for (size_t i = 1; i < n && status == STATUS_OK; i++) {
    struct log_table more;
    status = read_table(file[i], &more, error);
    if (status == STATUS_OK) {
      status = log_table_join(table, &more, i + 1, error);
      if (status != STATUS_OK) {
        log_table_free(&more);
        name_file(file[i], error);
      }
    }
    if (status != STATUS_OK) {
      log_table_free(table);
    }
  }
  return status;
}

static enum status read_map(const char *columns, const struct model *model,
                            const struct log_table *table, const char *log, struct log_map *map,
                            struct message *error) {
  char *text;
  size_t length;
  if (columns == NULL) {
    return log_map_guess(model, table, log, map, error);
  }
  enum status status = file_read(columns, YAML_MAX_BYTES, &text, &length, error);
  if (status == STATUS_OK) {
    status = log_map_read(text, length, columns, model, table, log, map, error);
    free(text);
  }
  return status;
}

/* A recording's numbers are the joints' own. */
static struct log_map map_of_recording(const struct model *model) {
  struct log_map map = {.rate_hz = 0.0};
  for (size_t j = 0; j < model->n_joints; j++) {
    map.joint[j] = (struct log_joint){.scale = 1.0, .gain = 1.0, .reduction = 1.0};
    snprintf(map.joint[j].position, LOG_NAME, "%s", model->joint[j].name);
    snprintf(map.joint[j].torque, LOG_NAME, "%s", model->joint[j].name);
  }
  return map;
}

/* From files to smooth motion. */
static enum status read_motion(const struct session_options *o, const char *const *log, size_t n,
                               const struct model *model, struct log_map *map,
                               struct log_motion *motion, struct message *error) {
  struct log_table table = {0};
  if (is_recording(log[0])) {
    *map = map_of_recording(model);
    return recorded_log_read(log, n, model, &o->motion, motion, error);
  }
  enum status status = read_tables(log, n, &table, error);
  if (status != STATUS_OK) {
    return status;
  }
  status = read_map(o->columns, model, &table, log[0], map, error);
  if (status == STATUS_OK) {
    status = log_motion_make(&table, map, model, &o->motion, log[0], motion, error);
  }
  log_table_free(&table);
  return status;
}

static enum status make_rows(const struct session_options *o, const struct unknowns *unknowns,
                             const struct log_motion *motion, const char *log, struct row_set *rows,
                             struct message *error) {
  const enum status status = row_set_make(unknowns, motion, o->up, &o->rows, rows);
  if (status != STATUS_OK) {
    message_set(error, "%s: no rows: %s", log, status_text(status));
  }
  return status;
}

/* At which speeds friction falls; rows are then those of the speeds found. */
static enum status find_stribeck(const struct session_options *o, struct session *s,
                                 struct message *error) {
  const enum status status =
      stribeck_search(&s->unknowns, &s->motion, o->up, &o->rows, o->train_share, &s->rows);
  if (status != STATUS_OK) {
    message_set(error, "%s: no speeds at which friction falls: %s", o->log[0], status_text(status));
  }
  return status;
}

enum status session_open(const struct session_options *options, struct session *session,
                         struct message *error) {
  struct session s = {0};
  enum status status = read_model(options, &s, error);
  if (status == STATUS_OK) {
    status =
        read_motion(options, options->log, options->n_logs, &s.model, &s.map, &s.motion, error);
  }
  *session = s; /* from here on the model has its place */
  if (status == STATUS_OK) {
    session->unknowns = session->motion.base != NULL
                            ? unknowns_floating(&session->model)
                            : unknowns_of(&session->model, &session->map, options->kinds);
    status = make_rows(options, &session->unknowns, &session->motion, options->log[0],
                       &session->rows, error);
    if (status == STATUS_OK && options->kinds[DRIVE_STRIBECK] && !session->unknowns.floating) {
      status = find_stribeck(options, session, error);
    }
  }
  if (status == STATUS_OK) {
    session->prior = calloc(session->unknowns.n, sizeof(double));
    status = session->prior != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  }
  if (status == STATUS_OK) {
    unknowns_prior(&session->unknowns, session->prior);
    session->from_comment = provenance_prior(session->urdf, &session->unknowns, session->prior);
  }
  if (status == STATUS_OK && options->shape != NULL) {
    const struct shape_source source = {options->shape, options->margin, session->urdf,
                                        session_robot(options)};
    status = shapes_make(&source, &session->unknowns, session->prior, &session->shapes, error);
  }
  if (status != STATUS_OK) {
    session_close(session);
  }
  return status;
}

enum status session_model(const struct session_options *options, struct session *session,
                          struct message *error) {
  struct session s = {0};
  const enum status status = read_model(options, &s, error);
  *session = s;
  if (status != STATUS_OK) {
    session_close(session);
  }
  return status;
}

void session_close(struct session *session) {
  row_set_free(&session->rows);
  body_shapes_free(&session->shapes);
  log_motion_free(&session->motion);
  free(session->prior);
  free(session->memory);
  free(session->urdf);
  *session = (struct session){0};
}

enum status session_rows(const struct session_options *options, const struct session *session,
                         const char *log, struct row_set *rows, struct message *error) {
  struct log_map map;
  struct log_motion motion;
  enum status status = read_motion(options, &log, 1, &session->model, &map, &motion, error);
  if (status == STATUS_OK && (motion.base != NULL) != session->unknowns.floating) {
    message_set(error, "%s: one log is of a floating base, the other of a fixed one", log);
    log_motion_free(&motion);
    return STATUS_BAD_ARGUMENT;
  }
  if (status == STATUS_OK) {
    status = make_rows(options, &session->unknowns, &motion, log, rows, error);
    log_motion_free(&motion);
  }
  return status;
}
