/* Everything that can be configured, from one table.
 *
 * Each module defines the struct of its own settings, and its rows (describe/setting.h), in its own
 * room; this file nests the structs, settings_table.c collects the rows. Nothing is looked up by
 * name while running. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "common/message.h"
#include "common/status.h"
#include "cycle/cycle.h"
#include "describe/setting.h"
#include "pipeline.h"
#include "publish/publisher.h"
#include "recording/recorder.h"
#include "settings/robot_files.h"
#include "shm/sensor_input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SETTINGS_PATH_SIZE     256 /* bytes of a file or folder name with its final zero */
#define SETTINGS_MAX_ROWS      256
#define SETTINGS_MAX_ERRORS    40 /* kept for printing; all are counted */
#define SETTINGS_MAX_OVERRIDES 32

/* What concerns the process itself. */
struct service_settings {
  char runtime_directory[SETTINGS_PATH_SIZE]; /* sockets and the lock */
  char state_directory[SETTINGS_PATH_SIZE];   /* what survives a restart */
};

struct settings {
  struct robot_settings robot;
  struct sensor_input_settings input;
  struct cycle_settings cycle;
  struct pipeline_settings pipeline;
  struct publish_settings publish;
  struct record_settings record;
  struct service_settings service;
};

/* The rows of all rooms, numbered as they are printed. [any] */
size_t settings_count(void);
const struct setting *settings_row(size_t index);
size_t settings_index(const struct setting *row);

/* Where the struct that a row is of lies in struct settings. [any] */
size_t settings_offset(const struct setting *row);

/* What was wrong with a file, and where each value stood in it. */
struct settings_report {
  char file[SETTINGS_PATH_SIZE];
  const char *retired; /* a key that did something once and is passed over; NULL: none */
  bool no_robot;       /* the one thing wrong: robot.urdf names no file */
  size_t n_errors;     /* all; the first SETTINGS_MAX_ERRORS are kept */
  struct message error[SETTINGS_MAX_ERRORS];
  struct {
    int line, column; /* of the row's value; line 0: not in the file, the default holds */
  } place[SETTINGS_MAX_ROWS];
};

/* Every option at its default. [start, main] */
void settings_defaults(struct settings *settings);

/* Reads a configuration of `length` bytes; `file` is its path, for messages and relative paths.
 * [start, main] Options that the text does not name get their default. On STATUS_OK writes all of
 * `settings`; otherwise leaves it alone, and `report` says everything that was wrong, one line
 * `file:line:column: key: what` each. */
enum status settings_read(const char *text, size_t length, const char *file,
                          struct settings *settings, struct settings_report *report);

/* Options given on the command line, "key=value" each; they win over the file. */
struct settings_overrides {
  size_t count;
  const char *text[SETTINGS_MAX_OVERRIDES];
};

/* The same from a file, and then from `overrides` (NULL: none). [start, main] Files beyond
 * YAML_MAX_BYTES are refused unread. */
enum status settings_load(const char *file, const struct settings_overrides *overrides,
                          struct settings *settings, struct settings_report *report);

/* The same, to find what else is wrong: with STATUS_REFUSED `settings` has every option that is
 * good, and the default of the others. [start, main] Untouched with any other status. */
enum status settings_load_as_far(const char *file, const struct settings_overrides *overrides,
                                 struct settings *settings, struct settings_report *report);

/* Adds an error about the option `key` where its value stands in the file, for rules that more than
 * one option or the robot is part of. `key` may be "" for the file as a whole. [start, main] */
__attribute__((format(printf, 3, 4))) void settings_error(struct settings_report *report,
                                                          const char *key, const char *format, ...);

/* Adds an error that has its place in it already. [start, main] */
void settings_add_error(struct settings_report *report, const struct message *error);

/* The rules that join several options. Adds what is broken to `report`. [start, main] */
void settings_check(const struct settings *settings, struct settings_report *report);

/* Writes the report's errors, one a line, and how many more there were. [start, main] */
void settings_print_errors(FILE *out, const struct settings_report *report);

/* Writes a configuration that reads back to the same settings, each option with its sentence.
 * [start, main] */
void settings_print(FILE *out, const struct settings *settings);

/* Writes the reference page, a Markdown table a group. [start, main] */
void settings_print_reference(FILE *out);

/* Options that only take effect at the next start keep the value they run with: copies it from
 * `running` to `wanted` where they differ. [main] Returns how many did; `keys` (NULL allowed) names
 * them, separated by blanks. */
size_t settings_keep_running(const struct settings *running, struct settings *wanted,
                             struct message *keys);

/* The path of a socket in the runtime folder, or `name` itself when it begins with / or is empty.
 * [start, main] False: longer than `size` bytes, and `path` is cut. */
bool settings_runtime_path(const struct settings *settings, const char *name, char *path,
                           size_t size);

/* True where both have the same value for the row. [any] */
bool settings_equal(const struct setting *row, const struct settings *a, const struct settings *b);

/* The row of a key, or NULL. Linear search. [start, main] */
const struct setting *settings_find(const char *key);

#endif
