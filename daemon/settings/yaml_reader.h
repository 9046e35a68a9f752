/* Reads a YAML file into a flat list of dotted keys, within limits of our own.
 *
 * Only what a configuration needs is accepted: one document, maps nested a few levels deep, lists
 * of scalars. Anchors, aliases, tags, directives, duplicate keys and further documents are refused,
 * each with its line and column. The parser is fed by events, never as a document tree, and is
 * stopped at the first limit: 100 000 levels or 40 000 anchors cost no more than the first few. */
#ifndef YAML_READER_H
#define YAML_READER_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

#define YAML_MAX_BYTES ((size_t)1 << 20) /* a configuration of every option has about 20 kB */
#define YAML_MAX_DEPTH 8                 /* maps and lists within each other */
#define YAML_MAX_ITEMS 8192              /* keys and list elements together */
#define YAML_MAX_KEYS  1024
#define YAML_KEY_SIZE  128  /* bytes of a dotted key with its final zero */
#define YAML_MAX_VALUE 4095 /* bytes of one scalar */

enum yaml_kind {
  YAML_MAP,    /* its members follow, with longer keys */
  YAML_LIST,   /* n_elements elements follow, with the same key */
  YAML_VALUE,  /* a scalar under its key */
  YAML_ELEMENT /* a scalar in a list */
};

struct yaml_item {
  enum yaml_kind kind;
  char key[YAML_KEY_SIZE];  /* "motion.encoder_noise" */
  char *text;               /* scalars: the value, zero-terminated; NULL for maps and lists */
  bool quoted;              /* scalars: written in quotes */
  size_t n_elements;        /* lists */
  int line, column;         /* of the value, counted from 1 */
  int key_line, key_column; /* of the key, counted from 1 */
};

struct yaml_items {
  size_t count;
  size_t capacity;
  struct yaml_item *item;
};

/* Reads `length` bytes of `text`, called `name` in messages. [start, main]
 * On STATUS_OK fills `items`, to be freed with yaml_items_free; otherwise `items` is untouched and
 * `error` is one line `name:line:column: key: what`.
 * Statuses: STATUS_OUT_OF_RANGE (a limit above), STATUS_BAD_ARGUMENT (malformed), STATUS_REFUSED
 * (well formed YAML that a configuration must not use), STATUS_NO_MEMORY. */
enum status yaml_items_read(const char *text, size_t length, const char *name,
                            struct yaml_items *items, struct message *error);

/* Frees what yaml_items_read filled; `items` is empty afterwards. [start, main] */
void yaml_items_free(struct yaml_items *items);

#endif
