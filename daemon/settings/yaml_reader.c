#include "settings/yaml_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* One open map or list. */
struct level {
  bool is_list;
  size_t item;       /* its entry in the list of items */
  size_t key_length; /* bytes of the dotted key that leads here */
};

struct reader {
  yaml_parser_t parser;
  const char *text; /* what is read, `length` bytes */
  size_t length;
  const char *name;
  struct message *error;
  struct yaml_items items;
  size_t n_keys;
  struct level level[YAML_MAX_DEPTH];
  int depth;               /* open levels */
  char key[YAML_KEY_SIZE]; /* dotted key that the next value belongs to */
  yaml_mark_t key_mark;
  bool key_is_known; /* in a map: the key has been read, its value comes next */
  int documents;
};

__attribute__((format(printf, 4, 5))) static enum status
refuse(const struct reader *r, enum status status, yaml_mark_t mark, const char *format, ...) {
  char what[MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  const char *separator = r->key[0] != '\0' ? ": " : "";
  message_set(r->error, "%s:%zu:%zu: %s%s%s", r->name, mark.line + 1, mark.column + 1, r->key,
              separator, what);
  return status;
}

/* Line and column of a byte, for errors that libyaml's decoder gives by offset only. */
static yaml_mark_t mark_of_byte(const struct reader *r, size_t offset) {
  yaml_mark_t mark = {.index = offset};
  for (size_t i = 0; i < offset && i < r->length; i++) {
    mark.column++;
    if (r->text[i] == '\n') {
      mark.line++;
      mark.column = 0;
    }
  }
  return mark;
}

static enum status malformed(struct reader *r) {
  const yaml_parser_t *p = &r->parser;
  const char *problem = p->problem != NULL ? p->problem : "not YAML";
  if (p->error == YAML_MEMORY_ERROR) {
    return refuse(r, STATUS_NO_MEMORY, p->mark, "no memory");
  }
  if (p->error == YAML_READER_ERROR) {
    r->key[0] = '\0';
    return refuse(r, STATUS_BAD_ARGUMENT, mark_of_byte(r, p->problem_offset), "not a text file: %s",
                  problem);
  }
  if (p->problem_mark.index < r->length && r->text[p->problem_mark.index] == '\t') {
    return refuse(r, STATUS_BAD_ARGUMENT, p->problem_mark, "a tab; YAML is indented with blanks");
  }
  return refuse(r, STATUS_BAD_ARGUMENT, p->problem_mark,
                "not well-formed YAML: %s%s%s; is a bracket, quote or colon missing before it?",
                problem, p->context != NULL ? " " : "", p->context != NULL ? p->context : "");
}

/* Appends an item under the current key. */
static enum status append(struct reader *r, enum yaml_kind kind, yaml_mark_t mark,
                          struct yaml_item **added) {
  struct yaml_items *items = &r->items;
  if (items->count == YAML_MAX_ITEMS) {
    return refuse(r, STATUS_OUT_OF_RANGE, mark, "more than %d values", YAML_MAX_ITEMS);
  }
  if (items->count == items->capacity) {
    const size_t capacity = items->capacity == 0 ? 64 : 2 * items->capacity;
    struct yaml_item *item = realloc(items->item, capacity * sizeof(*item));
    if (item == NULL) {
      return refuse(r, STATUS_NO_MEMORY, mark, "no memory");
    }
    items->item = item;
    items->capacity = capacity;
  }
  struct yaml_item *item = &items->item[items->count++];
  *item = (struct yaml_item){.kind = kind,
                             .line = (int)mark.line + 1,
                             .column = (int)mark.column + 1,
                             .key_line = (int)r->key_mark.line + 1,
                             .key_column = (int)r->key_mark.column + 1};
  memcpy(item->key, r->key, sizeof(item->key));
  *added = item;
  return STATUS_OK;
}

/* Cuts the key back to the innermost open map's own. */
static void leave_key(struct reader *r) {
  r->key[r->depth > 0 ? r->level[r->depth - 1].key_length : 0] = '\0';
  r->key_is_known = false;
}

static bool in_list(const struct reader *r) {
  return r->depth > 0 && r->level[r->depth - 1].is_list;
}

static bool is_key_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

static const struct yaml_item *find_key(const struct reader *r, const char *key) {
  for (size_t i = 0; i < r->items.count; i++) {
    const struct yaml_item *item = &r->items.item[i];
    if (item->kind != YAML_ELEMENT && strcmp(item->key, key) == 0) {
      return item;
    }
  }
  return NULL;
}

static enum status read_key(struct reader *r, const yaml_event_t *event) {
  const char *text = (const char *)event->data.scalar.value;
  const size_t length = event->data.scalar.length;
  const size_t start = strlen(r->key);
  for (size_t i = 0; i < length; i++) {
    if (!is_key_letter(text[i])) {
      return refuse(r, STATUS_REFUSED, event->start_mark,
                    "a key has letters, digits, _ and - only; groups are nested, not dotted");
    }
  }
  if (length == 0 || start + 1 + length >= sizeof(r->key)) {
    return refuse(r, STATUS_OUT_OF_RANGE, event->start_mark,
                  "a key has 1 to %d letters, its groups included", YAML_KEY_SIZE - 1);
  }
  if (++r->n_keys > YAML_MAX_KEYS) {
    return refuse(r, STATUS_OUT_OF_RANGE, event->start_mark, "more than %d keys", YAML_MAX_KEYS);
  }
  snprintf(r->key + start, sizeof(r->key) - start, "%s%s", start > 0 ? "." : "", text);
  r->key_mark = event->start_mark;
  r->key_is_known = true;
  const struct yaml_item *first = find_key(r, r->key);
  if (first != NULL) {
    return refuse(r, STATUS_REFUSED, event->start_mark, "given twice, first in line %d; keep one",
                  first->key_line);
  }
  return STATUS_OK;
}

static enum status read_scalar(struct reader *r, const yaml_event_t *event) {
  if (event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL) {
    return refuse(r, STATUS_REFUSED, event->start_mark, "%s are not used here; write the value",
                  event->data.scalar.anchor != NULL ? "anchors" : "tags");
  }
  if (r->depth == 0) {
    return refuse(r, STATUS_REFUSED, event->start_mark, "%s",
                  event->data.scalar.value[0] == '<'
                      ? "XML, not settings: proprioctl init ROBOT.urdf makes them of a URDF"
                      : "not a map of settings: lines of KEY: VALUE, in groups");
  }
  if (!in_list(r) && !r->key_is_known) {
    return read_key(r, event);
  }
  const size_t length = event->data.scalar.length;
  if (length > YAML_MAX_VALUE || memchr(event->data.scalar.value, '\0', length) != NULL) {
    return refuse(r, STATUS_OUT_OF_RANGE, event->start_mark,
                  "a value has at most %d bytes and no zero byte", YAML_MAX_VALUE);
  }
  struct yaml_item *item;
  const enum status status =
      append(r, in_list(r) ? YAML_ELEMENT : YAML_VALUE, event->start_mark, &item);
  if (status != STATUS_OK) {
    return status;
  }
  item->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  item->text = strdup((const char *)event->data.scalar.value);
  if (item->text == NULL) {
    return refuse(r, STATUS_NO_MEMORY, event->start_mark, "no memory");
  }
  if (in_list(r)) {
    r->items.item[r->level[r->depth - 1].item].n_elements++;
  } else {
    leave_key(r);
  }
  return STATUS_OK;
}

static enum status open_level(struct reader *r, const yaml_event_t *event, bool is_list) {
  const bool anchored = is_list ? event->data.sequence_start.anchor != NULL
                                : event->data.mapping_start.anchor != NULL;
  const bool tagged =
      is_list ? event->data.sequence_start.tag != NULL : event->data.mapping_start.tag != NULL;
  if (anchored || tagged) {
    return refuse(r, STATUS_REFUSED, event->start_mark, "%s are not used here; write the value",
                  anchored ? "anchors" : "tags");
  }
  if (r->depth == YAML_MAX_DEPTH) {
    return refuse(r, STATUS_OUT_OF_RANGE, event->start_mark, "nested deeper than %d levels",
                  YAML_MAX_DEPTH);
  }
  if (r->depth == 0 && is_list) {
    return refuse(r, STATUS_REFUSED, event->start_mark, "a list, not a map of settings");
  }
  if (in_list(r)) {
    return refuse(r, STATUS_REFUSED, event->start_mark, "a list holds single values only");
  }
  if (r->depth > 0 && !r->key_is_known) {
    return refuse(r, STATUS_REFUSED, event->start_mark, "a key must be a word");
  }
  struct level level = {.is_list = is_list, .key_length = strlen(r->key)};
  if (r->depth > 0) {
    struct yaml_item *item;
    const enum status status = append(r, is_list ? YAML_LIST : YAML_MAP, event->start_mark, &item);
    if (status != STATUS_OK) {
      return status;
    }
    level.item = r->items.count - 1;
  }
  r->level[r->depth++] = level;
  r->key_is_known = false;
  return STATUS_OK;
}

static enum status open_document(struct reader *r, const yaml_event_t *event) {
  if (r->documents++ > 0) {
    return refuse(r, STATUS_REFUSED, event->start_mark,
                  "a second document begins; without its --- it is one");
  }
  if (event->data.document_start.version_directive != NULL ||
      event->data.document_start.tag_directives.start !=
          event->data.document_start.tag_directives.end) {
    return refuse(r, STATUS_REFUSED, event->start_mark, "directives are not used here");
  }
  return STATUS_OK;
}

static enum status take(struct reader *r, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    return open_document(r, event);
  case YAML_ALIAS_EVENT:
    return refuse(r, STATUS_REFUSED, event->start_mark,
                  "aliases are not used here; write the value");
  case YAML_SCALAR_EVENT:
    return read_scalar(r, event);
  case YAML_SEQUENCE_START_EVENT:
    return open_level(r, event, true);
  case YAML_MAPPING_START_EVENT:
    return open_level(r, event, false);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    r->depth--;
    leave_key(r);
    return STATUS_OK;
  default:
    return STATUS_OK;
  }
}

/* Every event consumes input or closes a level, so this ends after at most `length` rounds. */
static enum status read_events(struct reader *r) {
  enum status status = STATUS_OK;
  for (bool ended = false; !ended && status == STATUS_OK;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&r->parser, &event)) {
      return malformed(r);
    }
    ended = event.type == YAML_STREAM_END_EVENT;
    status = take(r, &event);
    yaml_event_delete(&event);
  }
  if (status == STATUS_OK && r->documents == 0) {
    return refuse(
        r, STATUS_BAD_ARGUMENT, (yaml_mark_t){0},
        "empty: no settings in it; proprioctl init ROBOT.urdf writes a first configuration");
  }
  return status;
}

enum status yaml_items_read(const char *text, size_t length, const char *name,
                            struct yaml_items *items, struct message *error) {
  struct reader r = {.text = text, .length = length, .name = name, .error = error};
  if (length > YAML_MAX_BYTES) {
    return refuse(&r, STATUS_OUT_OF_RANGE, (yaml_mark_t){0}, "larger than %zu bytes",
                  YAML_MAX_BYTES);
  }
  const char *zero = memchr(text, '\0', length);
  if (zero != NULL) {
    return refuse(&r, STATUS_BAD_ARGUMENT, mark_of_byte(&r, (size_t)(zero - text)),
                  "not a text file: a zero byte");
  }
  if (!yaml_parser_initialize(&r.parser)) {
    return refuse(&r, STATUS_NO_MEMORY, (yaml_mark_t){0}, "no memory");
  }
  yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
  const enum status status = read_events(&r);
  yaml_parser_delete(&r.parser);
  if (status == STATUS_OK) {
    *items = r.items;
  } else {
    yaml_items_free(&r.items);
  }
  return status;
}

void yaml_items_free(struct yaml_items *items) {
  for (size_t i = 0; i < items->count; i++) {
    free(items->item[i].text);
  }
  free(items->item);
  *items = (struct yaml_items){0};
}
