#include "settings/setting_value.h"

#include "common/number.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#define MAX_ELEMENTS   256  /* of any list option */
#define LIST_TEXT_SIZE 4096 /* bytes of a list written as one text */
#define RANGE_SIZE     96   /* bytes of a range with its unit */

static void *value_of(const struct setting *row, struct settings *settings) {
  return (char *)settings + settings_offset(row) + row->offset;
}

static const void *const_value_of(const struct setting *row, const struct settings *settings) {
  return (const char *)settings + settings_offset(row) + row->offset;
}

static size_t count_of(const struct setting *row, const struct settings *settings) {
  return *(const size_t *)((const char *)settings + settings_offset(row) + row->count_offset);
}

/* "", or a blank and the unit */
static const char *blank(const struct setting *row) {
  return row->unit[0] != '\0' ? " " : "";
}

/* What a number of this row may be. */
static const char *within(const struct setting *row, char text[RANGE_SIZE]) {
  snprintf(text, RANGE_SIZE, "%.9g .. %.9g%s%s", row->min, row->max, blank(row), row->unit);
  return text;
}

/* Says what is wrong with a text that is not one number alone; `begins` when it begins with one,
 * and `rest` follows. */
static enum status not_a_number(const struct setting *row, const char *text, bool begins,
                                const char *rest, struct message *why) {
  if (begins && rest[0] == ' ') {
    message_set(why, "'%s': write the number alone; it is taken in %s", text,
                row->unit[0] != '\0' ? row->unit : "no unit");
  } else if (strchr(text, ',') != NULL) {
    message_set(why, "'%s' is not a number: the decimal mark is a point", text);
  } else {
    message_set(why, "'%s' is not a number", text);
  }
  return STATUS_BAD_ARGUMENT;
}

static enum status read_real(const struct setting *row, const char *text, double *value,
                             struct message *why) {
  double number = 0.0;
  const char *rest = text;
  char range[RANGE_SIZE];
  const enum status status = number_read(text, &number, &rest);
  if (status == STATUS_NOT_FINITE || strcasestr(text, ".nan") || strcasestr(text, ".inf")) {
    message_set(why, "'%s' is not a finite number; %s", text, within(row, range));
    return STATUS_NOT_FINITE;
  }
  if (status != STATUS_OK || *rest != '\0') {
    return not_a_number(row, text, status == STATUS_OK, rest, why);
  }
  if (number < row->min) {
    message_set(why, "%s is below the minimum %.9g%s%s", text, row->min, blank(row), row->unit);
    return STATUS_OUT_OF_RANGE;
  }
  if (number > row->max) {
    message_set(why, "%s is above the maximum %.9g%s%s", text, row->max, blank(row), row->unit);
    return STATUS_OUT_OF_RANGE;
  }
  *value = number;
  return STATUS_OK;
}

static enum status read_int(const struct setting *row, const char *text, int *value,
                            struct message *why) {
  double number;
  char range[RANGE_SIZE];
  const enum status status = read_real(row, text, &number, why);
  if (status != STATUS_OK) {
    return status;
  }
  if (number != floor(number)) {
    message_set(why, "%s is not a whole number; %s", text, within(row, range));
    return STATUS_BAD_ARGUMENT;
  }
  *value = (int)number;
  return STATUS_OK;
}

static enum status read_bool(const char *text, bool *value, struct message *why) {
  const bool yes = strcmp(text, "true") == 0;
  if (!yes && strcmp(text, "false") != 0) {
    message_set(why, "'%s' is neither true nor false", text);
    return STATUS_BAD_ARGUMENT;
  }
  *value = yes;
  return STATUS_OK;
}

static enum status read_choice(const struct setting *row, const char *text, int *value,
                               struct message *why) {
  char all[MESSAGE_SIZE / 2] = "";
  for (int i = 0; row->choices[i] != NULL; i++) {
    if (strcmp(text, row->choices[i]) == 0) {
      *value = i;
      return STATUS_OK;
    }
    const size_t used = strlen(all);
    snprintf(all + used, sizeof(all) - used, "%s%s", i > 0 ? ", " : "", row->choices[i]);
  }
  message_set(why, "'%s' is not one of %s", text, all);
  return STATUS_BAD_ARGUMENT;
}

static enum status read_text(const struct setting *row, const char *text, char *value,
                             struct message *why) {
  const size_t length = strlen(text);
  if (length >= row->size) {
    message_set(why, "%zu bytes long, the maximum is %zu", length, row->size - 1);
    return STATUS_OUT_OF_RANGE;
  }
  for (size_t i = 0; i < length; i++) {
    if (iscntrl((unsigned char)text[i])) {
      message_set(why, "has a control character at byte %zu", i + 1);
      return STATUS_BAD_ARGUMENT;
    }
  }
  memset(value, 0, row->size);
  memcpy(value, text, length);
  return STATUS_OK;
}

static enum status read_reals(const struct setting *row, const char *const text[], size_t n,
                              struct settings *settings, struct message *why) {
  double value[MAX_ELEMENTS] = {0.0};
  for (size_t i = 0; i < n; i++) {
    struct message element;
    const enum status status = read_real(row, text[i], &value[i], &element);
    if (status != STATUS_OK) {
      message_set(why, "element %zu: %.*s", i + 1, MESSAGE_SIZE - 40, element.text);
      return status;
    }
  }
  memcpy(value_of(row, settings), value, n * sizeof(double));
  return STATUS_OK;
}

static enum status read_texts(const struct setting *row, const char *const text[], size_t n,
                              struct settings *settings, struct message *why) {
  char scratch[SETTINGS_PATH_SIZE];
  assert(row->size <= sizeof(scratch));
  for (size_t i = 0; i < n; i++) {
    struct message element;
    const enum status status = read_text(row, text[i], scratch, &element);
    if (status != STATUS_OK) {
      message_set(why, "element %zu: %.*s", i + 1, MESSAGE_SIZE - 40, element.text);
      return status;
    }
  }
  for (size_t i = 0; i < n; i++) {
    read_text(row, text[i], (char *)value_of(row, settings) + i * row->size, NULL);
  }
  return STATUS_OK;
}

static enum status read_list(const struct setting *row, const char *const text[], size_t n,
                             struct settings *settings, struct message *why) {
  assert(row->capacity <= MAX_ELEMENTS);
  if (n > row->capacity) {
    message_set(why, "%zu elements, the maximum is %zu", n, row->capacity);
    return STATUS_OUT_OF_RANGE;
  }
  const enum status status = row->type == SETTING_REALS ? read_reals(row, text, n, settings, why)
                                                        : read_texts(row, text, n, settings, why);
  if (status == STATUS_OK) {
    *(size_t *)((char *)settings + settings_offset(row) + row->count_offset) = n;
  }
  return status;
}

enum status setting_read(const struct setting *row, const char *const text[], size_t n,
                         struct settings *settings, struct message *why) {
  void *value = value_of(row, settings);
  switch (row->type) {
  case SETTING_BOOL:
    return read_bool(text[0], value, why);
  case SETTING_INT:
    return read_int(row, text[0], value, why);
  case SETTING_REAL:
    return read_real(row, text[0], value, why);
  case SETTING_TEXT:
  case SETTING_PATH:
    return read_text(row, text[0], value, why);
  case SETTING_CHOICE:
    return read_choice(row, text[0], value, why);
  case SETTING_TEXTS:
  case SETTING_REALS:
    return read_list(row, text, n, settings, why);
  }
  return STATUS_BAD_ARGUMENT;
}

/* Cuts "[a, b, c]" into its elements; what is beyond `capacity` is one too many for the row. */
static size_t split(char *list, const char *element[], size_t capacity) {
  size_t n = 0;
  char *rest = NULL;
  for (char *word = strtok_r(list, "[], ", &rest); word != NULL && n < capacity;
       word = strtok_r(NULL, "[], ", &rest)) {
    element[n++] = word;
  }
  return n;
}

enum status setting_read_text(const struct setting *row, const char *text,
                              struct settings *settings, struct message *why) {
  if (!setting_is_list(row)) {
    return setting_read(row, &text, 1, settings, why);
  }
  char copy[LIST_TEXT_SIZE];
  const char *element[MAX_ELEMENTS];
  if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy)) {
    message_set(why, "a list longer than %d letters", LIST_TEXT_SIZE - 1);
    return STATUS_OUT_OF_RANGE;
  }
  return setting_read(row, element, split(copy, element, MAX_ELEMENTS), settings, why);
}

static void print_real(FILE *out, double value) {
  char text[NUMBER_SIZE];
  number_write(value, text);
  fputs(text, out);
}

void setting_print_text(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') {
      fputc('\\', out);
    }
    fputc(*text, out);
  }
  fputc('"', out);
}

static void print_list(FILE *out, const struct setting *row, const struct settings *settings) {
  const void *value = const_value_of(row, settings);
  fputc('[', out);
  for (size_t i = 0; i < count_of(row, settings); i++) {
    fputs(i > 0 ? ", " : "", out);
    if (row->type == SETTING_REALS) {
      print_real(out, ((const double *)value)[i]);
    } else {
      setting_print_text(out, (const char *)value + i * row->size);
    }
  }
  fputc(']', out);
}

void setting_print(FILE *out, const struct setting *row, const struct settings *settings) {
  const void *value = const_value_of(row, settings);
  switch (row->type) {
  case SETTING_BOOL:
    fputs(*(const bool *)value ? "true" : "false", out);
    break;
  case SETTING_INT:
    fprintf(out, "%d", *(const int *)value);
    break;
  case SETTING_REAL:
    print_real(out, *(const double *)value);
    break;
  case SETTING_TEXT:
  case SETTING_PATH:
    setting_print_text(out, value);
    break;
  case SETTING_CHOICE:
    fputs(row->choices[*(const int *)value], out);
    break;
  case SETTING_TEXTS:
  case SETTING_REALS:
    print_list(out, row, settings);
    break;
  }
}

void setting_print_limits(FILE *out, const struct setting *row) {
  switch (row->type) {
  case SETTING_BOOL:
    fputs("true or false", out);
    break;
  case SETTING_INT:
  case SETTING_REAL:
    fprintf(out, "%.9g .. %.9g%s%s", row->min, row->max, blank(row), row->unit);
    break;
  case SETTING_TEXT:
    fprintf(out, "text, at most %zu bytes", row->size - 1);
    break;
  case SETTING_PATH:
    fputs("a path, relative to the folder of the file", out);
    break;
  case SETTING_CHOICE:
    for (size_t i = 0; row->choices[i] != NULL; i++) {
      fprintf(out, "%s%s", i > 0 ? ", " : "", row->choices[i]);
    }
    break;
  case SETTING_TEXTS:
    fprintf(out, "list of at most %zu texts", row->capacity);
    break;
  case SETTING_REALS:
    fprintf(out, "list of at most %zu, each %.9g .. %.9g%s%s", row->capacity, row->min, row->max,
            blank(row), row->unit);
    break;
  }
}

static size_t bytes_of(const struct setting *row, const struct settings *settings) {
  switch (row->type) {
  case SETTING_BOOL:
    return sizeof(bool);
  case SETTING_INT:
  case SETTING_CHOICE:
    return sizeof(int);
  case SETTING_REAL:
    return sizeof(double);
  case SETTING_TEXT:
  case SETTING_PATH:
    return row->size;
  case SETTING_TEXTS:
    return count_of(row, settings) * row->size;
  case SETTING_REALS:
    return count_of(row, settings) * sizeof(double);
  }
  return 0;
}

bool settings_equal(const struct setting *row, const struct settings *a, const struct settings *b) {
  if (setting_is_list(row) && count_of(row, a) != count_of(row, b)) {
    return false;
  }
  return memcmp(const_value_of(row, a), const_value_of(row, b), bytes_of(row, a)) == 0;
}

void setting_copy(const struct setting *row, const struct settings *from, struct settings *to) {
  memcpy(value_of(row, to), const_value_of(row, from), bytes_of(row, from));
  if (setting_is_list(row)) {
    *(size_t *)((char *)to + settings_offset(row) + row->count_offset) = count_of(row, from);
  }
}
