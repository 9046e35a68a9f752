/* The printed listing and the reference page. */
#include "settings/setting_value.h"
#include "settings/yaml_reader.h"

#include <string.h>

/* Bytes of the group at the beginning of a key: "motion.encoder_noise" has 6. */
static size_t group_length(const char *key) {
  const char *dot = strrchr(key, '.');
  return dot != NULL ? (size_t)(dot - key) : 0;
}

static const char *name_of(const struct setting *row) {
  const size_t group = group_length(row->key);
  return row->key + (group > 0 ? group + 1 : 0);
}

static bool begins_group(size_t row) {
  const char *key = settings_row(row)->key;
  const size_t length = group_length(key);
  return row == 0 || group_length(settings_row(row - 1)->key) != length ||
         strncmp(settings_row(row - 1)->key, key, length) != 0;
}

void settings_print_errors(FILE *out, const struct settings_report *report) {
  for (size_t i = 0; i < report->n_errors && i < SETTINGS_MAX_ERRORS; i++) {
    fprintf(out, "%s\n", report->error[i].text);
  }
  if (report->n_errors > SETTINGS_MAX_ERRORS) {
    fprintf(out, "%s: %zu more errors\n", report->file, report->n_errors - SETTINGS_MAX_ERRORS);
  }
}

static void indent(FILE *out, size_t depth) {
  for (size_t i = 0; i < depth; i++) {
    fputs("  ", out);
  }
}

static size_t depth_of(const char *key) {
  size_t depth = 0;
  for (; *key != '\0'; key++) {
    depth += *key == '.';
  }
  return depth;
}

/* Opens the groups of `key` that `previous` has not opened already. */
static void open_groups(FILE *out, const char *previous, const char *key) {
  size_t depth = 0;
  bool open = true;
  for (const char *word = key, *dot; (dot = strchr(word, '.')) != NULL; word = dot + 1) {
    open = open && strncmp(previous, key, (size_t)(dot - key) + 1) == 0;
    if (!open) {
      indent(out, depth);
      fprintf(out, "%.*s:\n", (int)(dot - word), word);
    }
    depth++;
  }
}

void settings_print(FILE *out, const struct settings *settings) {
  for (size_t i = 0; i < settings_count(); i++) {
    const struct setting *row = settings_row(i);
    const size_t depth = depth_of(row->key);
    open_groups(out, i > 0 ? settings_row(i - 1)->key : "", row->key);
    indent(out, depth);
    fprintf(out, "# %s [", row->sentence);
    setting_print_limits(out, row);
    fputs(row->change == SETTING_RESTART ? "; needs a restart]\n" : "]\n", out);
    indent(out, depth);
    fprintf(out, "%s: ", name_of(row));
    setting_print(out, row, settings);
    fputc('\n', out);
  }
}

void settings_print_reference(FILE *out) {
  struct settings defaults;
  settings_defaults(&defaults);
  fputs(
      "# Settings of propriod\n\n"
      "One YAML file; options that it does not name have their default. Numbers are in SI units.\n"
      "*Reload*: takes effect with `proprioctl reload`; *restart*: at the next start.\n",
      out);
  for (size_t i = 0; i < settings_count(); i++) {
    const struct setting *row = settings_row(i);
    if (begins_group(i)) {
      fprintf(out,
              "\n## %.*s\n\n| option | default | allowed | change | |\n|---|---|---|---|---|\n",
              (int)group_length(row->key), row->key);
    }
    fprintf(out, "| `%s` | `", row->key);
    setting_print(out, row, &defaults);
    fputs("` | ", out);
    setting_print_limits(out, row);
    fprintf(out, " | %s | %s |\n", row->change == SETTING_RESTART ? "restart" : "reload",
            row->sentence);
  }
}
