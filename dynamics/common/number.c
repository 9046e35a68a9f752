#include "common/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char blanks[] = " \t\r\n";

/* strtod in the "C" locale, which exists without memory or files: newlocale cannot fail here. */
static double decimal(const char *text, char **end) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const double value = strtod_l(text, end, plain);
  freelocale(plain);
  return value;
}

/* True for what strtod would take and a table of measurements must not. */
static bool names_no_number(const char *text) {
  text += strspn(text, "+-");
  return strncasecmp(text, "nan", 3) == 0 || strncasecmp(text, "inf", 3) == 0;
}

enum status number_read(const char *text, double *value, const char **end) {
  text += strspn(text, blanks);
  if (names_no_number(text)) {
    return STATUS_NOT_FINITE;
  }
  const size_t length = strspn(text, "+-.0123456789eE");
  char *stop = NULL;
  const double number = decimal(text, &stop);
  /* stop differs from length for `0x10`, `1-2`, `1.2.3` and for no number at all */
  if (length == 0 || stop != text + length) {
    return STATUS_BAD_ARGUMENT;
  }
  if (!isfinite(number)) {
    return STATUS_NOT_FINITE;
  }
  *value = number;
  if (end != NULL) {
    *end = stop;
  }
  return STATUS_OK;
}

/* Behind a number comes a blank or the end. */
static bool is_separated(const char *text) {
  return *text == '\0' || strchr(blanks, *text) != NULL;
}

enum status number_read_list(const char *text, size_t count, double *values) {
  const char *rest = text;
  for (int pass = 0; pass < 2;
       pass++) { /* first without writing, so that failure leaves no trace */
    rest = text;
    for (size_t i = 0; i < count; i++) {
      double value;
      const enum status status = number_read(rest, &value, &rest);
      if (status != STATUS_OK) {
        return status;
      }
      if (!is_separated(rest)) {
        return STATUS_BAD_ARGUMENT;
      }
      if (pass == 1) {
        values[i] = value;
      }
    }
    if (rest[strspn(rest, blanks)] != '\0') {
      return STATUS_BAD_ARGUMENT;
    }
  }
  return STATUS_OK;
}

void number_write(double value, char out[NUMBER_SIZE]) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t before = uselocale(plain);
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(out, NULL) == value) {
      break;
    }
  }
  uselocale(before);
  freelocale(plain);
}

double number_to_thousandth(double value) {
  return 1e-3 * round(1e3 * value) + 0.0; /* -0 + 0 is 0 */
}
