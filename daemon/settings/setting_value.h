/* One option's value: from text, to text, compared. */
#ifndef SETTING_VALUE_H
#define SETTING_VALUE_H

#include "settings/settings.h"

/* Reads a value written as `n` texts (one, or the elements of a list) into `settings`. [start,
 * main] On anything but STATUS_OK `settings` is untouched and `why` says what is wrong, without the
 * key. Numbers are plain decimal numbers with a point, whatever the locale. */
enum status setting_read(const struct setting *row, const char *const text[], size_t n,
                         struct settings *settings, struct message *why);

/* The same from one text, lists written "[a, b]": the form of defaults and of the command line.
 * [start, main] */
enum status setting_read_text(const struct setting *row, const char *text,
                              struct settings *settings, struct message *why);

/* Writes the value as YAML that reads back to the same bits. [start, main] */
void setting_print(FILE *out, const struct setting *row, const struct settings *settings);

/* Writes a text in quotes, as YAML. [start, main] */
void setting_print_text(FILE *out, const char *text);

/* Writes the limits of the row for a reader: "1e-09 .. 1 rad", "true or false". [start, main] */
void setting_print_limits(FILE *out, const struct setting *row);

/* Copies the row's value, a list with its count. [start, main] */
void setting_copy(const struct setting *row, const struct settings *from, struct settings *to);

/* True for the two list types. [any] */
static inline bool setting_is_list(const struct setting *row) {
  return row->type == SETTING_TEXTS || row->type == SETTING_REALS;
}

#endif
