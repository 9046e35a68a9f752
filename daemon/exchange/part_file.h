/* A file that gets its name when it is whole: until then it is FILE.part, and goes when it
 * fails. */
#ifndef PART_FILE_H
#define PART_FILE_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stdio.h>

enum { PART_FILE_PATH = 4096 };
#define PART_FILE_ENDING ".part"

struct part_file {
  FILE *file; /* NULL: not open, or finished */
  char path[PART_FILE_PATH], part[PART_FILE_PATH + 8];
};

/* [start] STATUS_REFUSED with path and reason; another that is writing the part has it locked. */
enum status part_file_open(struct part_file *file, const char *path, struct message *error);

/* Reports what went wrong with a write. [start] Returns STATUS_REFUSED. */
enum status part_file_error(const struct part_file *file, struct message *error);

/* Everything reaches the disk when it is to be durable, then the file gets its name. [start]
 * STATUS_REFUSED with path and reason; the part is gone. */
enum status part_file_finish(struct part_file *file, bool durable, struct message *error);

/* Closes and removes what is not finished. [start] */
void part_file_drop(struct part_file *file);

#endif
