#include "settings/settings.h"

#include "common/file.h"
#include "settings/setting_value.h"
#include "settings/spelling.h"
#include "settings/yaml_reader.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void settings_defaults(struct settings *settings) {
  memset(settings, 0, sizeof(*settings));
  settings->pipeline = pipeline_defaults(); /* also what has no row */
  for (size_t i = 0; i < settings_count(); i++) {
    struct message why;
    if (settings_row(i)->fallback != NULL &&
        setting_read_text(settings_row(i), settings_row(i)->fallback, settings, &why) !=
            STATUS_OK) {
      fprintf(stderr, "%s: default: %s\n", settings_row(i)->key, why.text);
      assert(false);
    }
  }
}

/* The next free line of the report; what does not fit is counted and dropped. */
static struct message *next_error(struct settings_report *report) {
  const size_t n = report->n_errors++;
  return n < SETTINGS_MAX_ERRORS ? &report->error[n] : NULL;
}

void settings_error(struct settings_report *report, const char *key, const char *format, ...) {
  char what[MESSAGE_SIZE / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  struct message *error = next_error(report);
  const struct setting *row = settings_find(key);
  const int line = row != NULL ? report->place[settings_index(row)].line : 0;
  if (line > 0) {
    message_set(error, "%s:%d:%d: %s: %s", report->file, line,
                report->place[settings_index(row)].column, key, what);
  } else {
    message_set(error, "%s: %s%s%s", report->file, key, key[0] != '\0' ? ": " : "", what);
  }
}

void settings_add_error(struct settings_report *report, const struct message *error) {
  message_set(next_error(report), "%s", error->text);
}

/* True when `key` is a group: the beginning of some option's key. */
static bool is_group(const char *key) {
  const size_t length = strlen(key);
  for (size_t i = 0; i < settings_count(); i++) {
    if (strncmp(settings_row(i)->key, key, length) == 0 && settings_row(i)->key[length] == '.') {
      return true;
    }
  }
  return false;
}

/* Keys that did something once: a file that names them, or a recording of then, still counts. */
static const char *const retired_keys[] = {
    "centroidal.base_linear_noise", "centroidal.base_angular_noise", "centroidal.joint_noise"};

static bool is_retired(const char *key, struct settings_report *report) {
  for (size_t i = 0; i < sizeof(retired_keys) / sizeof(retired_keys[0]); i++) {
    if (strcmp(key, retired_keys[i]) == 0) {
      report->retired = retired_keys[i];
      return true;
    }
  }
  return false;
}

static void report_unknown(struct settings_report *report, const struct yaml_item *item) {
  char meant[YAML_KEY_SIZE];
  char hint[YAML_KEY_SIZE + 32] = "";
  if (spelling_nearest(item->key, item->kind == YAML_MAP, meant)) {
    snprintf(hint, sizeof(hint), ", did you mean %s?", meant);
  }
  message_set(next_error(report), "%s:%d:%d: %s: unknown key%s", report->file, item->key_line,
              item->key_column, item->key, hint);
}

static void report_value(struct settings_report *report, const struct yaml_item *item,
                         const char *what) {
  message_set(next_error(report), "%s:%d:%d: %s: %s", report->file, item->line, item->column,
              item->key, what);
}

static bool is_choice(const struct setting *row, const char *text) {
  for (size_t i = 0; row->choices != NULL && row->choices[i] != NULL; i++) {
    if (strcmp(row->choices[i], text) == 0) {
      return true;
    }
  }
  return false;
}

/* A path in a file is relative to that file's folder. Fails when the joined path is too long. */
static bool resolve(const char *file, const char *path, char joined[SETTINGS_PATH_SIZE]) {
  const char *slash = strrchr(file, '/');
  const int folder =
      path[0] == '/' || path[0] == '\0' || slash == NULL ? 0 : (int)(slash - file) + 1;
  return snprintf(joined, SETTINGS_PATH_SIZE, "%.*s%s", folder, file, path) < SETTINGS_PATH_SIZE;
}

/* Reads the value of one option; `item` is followed by its elements when it is a list. */
static void read_value(const struct setting *row, const struct yaml_item *item,
                       struct settings *settings, struct settings_report *report) {
  static const char *const shape[] = {"a group of settings", "a list", "a single value"};
  const enum yaml_kind wanted = setting_is_list(row) ? YAML_LIST : YAML_VALUE;
  if (item->kind != wanted) {
    struct message what;
    message_set(&what, "%s, where %s is needed", shape[item->kind], shape[wanted]);
    report_value(report, item, what.text);
    return;
  }
  if (item->kind == YAML_VALUE && item->text[0] == '\0' && !item->quoted) {
    report_value(report, item, "has no value; give one, or leave the key out for the default");
    return;
  }
  const char *text[YAML_MAX_ITEMS] = {item->text};
  for (size_t i = 0; i < item->n_elements; i++) {
    text[i] = item[1 + i].text;
  }
  char joined[SETTINGS_PATH_SIZE];
  if (row->type == SETTING_PATH && !is_choice(row, item->text)) {
    if (!resolve(report->file, item->text, joined)) {
      report_value(report, item, "the path is too long");
      return;
    }
    text[0] = joined;
  }
  struct message why;
  if (setting_read(row, text, item->kind == YAML_LIST ? item->n_elements : 1, settings, &why) !=
      STATUS_OK) {
    report_value(report, item, why.text);
  }
}

/* A group that is there but empty, `motion:` alone, changes nothing. */
static bool is_empty_group(const struct yaml_item *item) {
  return item->kind == YAML_VALUE && item->text[0] == '\0' && !item->quoted;
}

/* True for what stands inside a group that has been reported as a whole. */
static bool is_inside(const char *key, const char *reported) {
  const size_t length = strlen(reported);
  return length > 0 && strncmp(key, reported, length) == 0 && key[length] == '.';
}

static void read_items(const struct yaml_items *items, struct settings *settings,
                       struct settings_report *report) {
  const char *reported = "";
  for (size_t i = 0; i < items->count; i++) {
    const struct yaml_item *item = &items->item[i];
    if (item->kind == YAML_ELEMENT || is_inside(item->key, reported)) {
      continue;
    }
    const struct setting *row = settings_find(item->key);
    if (row != NULL) {
      const size_t index = settings_index(row);
      report->place[index].line = item->line;
      report->place[index].column = item->column;
      read_value(row, item, settings, report);
      reported = item->kind == YAML_MAP ? item->key : reported;
    } else if (is_retired(item->key, report)) {
      reported = item->key;
    } else if (!is_group(item->key)) {
      report_unknown(report, item);
      reported = item->key;
    } else if (item->kind != YAML_MAP && !is_empty_group(item)) {
      report_value(report, item,
                   strchr(item->text, ':') != NULL
                       ? "a value, where a group of settings is needed; a blank belongs behind a "
                         "key's colon"
                       : "a value, where a group of settings is needed");
    }
  }
}

/* One "key=value" of the command line. */
static void override(const char *text, struct settings *settings, struct settings_report *report) {
  char key[YAML_KEY_SIZE];
  const char *equals = strchr(text, '=');
  const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
  snprintf(key, sizeof(key), "%.*s", (int)length, text);
  const struct setting *row = settings_find(key);
  struct message why = {.text = "is not of the form key=value"};
  if (row == NULL) {
    char meant[YAML_KEY_SIZE] = "";
    const bool near = spelling_nearest(key, false, meant);
    message_set(&why, "unknown key%s%s%s", near ? ", did you mean " : "", meant, near ? "?" : "");
  }
  if (row == NULL || equals == NULL ||
      setting_read_text(row, equals + 1, settings, &why) != STATUS_OK) {
    message_set(next_error(report), "command line: %s: %s", key, why.text);
  }
}

/* `as_far`: what is good is written although something else is not. */
static enum status read_and_override(const char *text, size_t length,
                                     const struct settings_overrides *overrides, bool as_far,
                                     struct settings *settings, struct settings_report *report) {
  struct yaml_items items = {0};
  struct message syntax;
  const enum status status = yaml_items_read(text, length, report->file, &items, &syntax);
  if (status != STATUS_OK) {
    *next_error(report) = syntax;
    return status;
  }
  struct settings read;
  settings_defaults(&read);
  read_items(&items, &read, report);
  yaml_items_free(&items);
  for (size_t i = 0; overrides != NULL && i < overrides->count; i++) {
    override(overrides->text[i], &read, report);
  }
  if (report->n_errors == 0) {
    settings_check(&read, report);
  }
  if (report->n_errors == 0 || as_far) {
    *settings = read;
  }
  return report->n_errors == 0 ? STATUS_OK : STATUS_REFUSED;
}

static void begin_report(const char *file, struct settings_report *report) {
  *report = (struct settings_report){.n_errors = 0};
  snprintf(report->file, sizeof(report->file), "%s", file);
}

enum status settings_read(const char *text, size_t length, const char *file,
                          struct settings *settings, struct settings_report *report) {
  begin_report(file, report);
  return read_and_override(text, length, NULL, false, settings, report);
}

static enum status load(const char *file, const struct settings_overrides *overrides, bool as_far,
                        struct settings *settings, struct settings_report *report) {
  begin_report(file, report);
  char *text = NULL;
  size_t length = 0;
  struct message error;
  enum status status = file_read(file, YAML_MAX_BYTES, &text, &length, &error);
  if (status != STATUS_OK && access(file, F_OK) != 0) {
    message_set(next_error(report), "%.300s; proprioctl init ROBOT.urdf writes a first one",
                error.text);
  } else if (status != STATUS_OK) {
    settings_add_error(report, &error);
  } else {
    status = read_and_override(text, length, overrides, as_far, settings, report);
    free(text);
  }
  return status;
}

enum status settings_load(const char *file, const struct settings_overrides *overrides,
                          struct settings *settings, struct settings_report *report) {
  return load(file, overrides, false, settings, report);
}

enum status settings_load_as_far(const char *file, const struct settings_overrides *overrides,
                                 struct settings *settings, struct settings_report *report) {
  return load(file, overrides, true, settings, report);
}

size_t settings_keep_running(const struct settings *running, struct settings *wanted,
                             struct message *keys) {
  char list[MESSAGE_SIZE] = "";
  size_t n = 0;
  for (size_t i = 0; i < settings_count(); i++) {
    const struct setting *row = settings_row(i);
    if (row->change == SETTING_RESTART && !settings_equal(row, running, wanted)) {
      const size_t used = strlen(list);
      snprintf(list + used, sizeof(list) - used, "%s%s", n > 0 ? " " : "", row->key);
      setting_copy(row, running, wanted);
      n++;
    }
  }
  message_set(keys, "%s", list);
  return n;
}

bool settings_runtime_path(const struct settings *settings, const char *name, char *path,
                           size_t size) {
  const bool inside = name[0] != '/' && name[0] != '\0';
  const int length =
      snprintf(path, size, "%s%s%s", inside ? settings->service.runtime_directory : "",
               inside ? "/" : "", name);
  return length >= 0 && (size_t)length < size;
}
