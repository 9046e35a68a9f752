#include "exchange/json_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_SIZE = 32 };

static void add_number(struct byte_buffer *to, double value) {
  char text[NUMBER_SIZE];
  const int length =
      isfinite(value) ? snprintf(text, sizeof(text), "%.17g", value) : snprintf(text, 5, "null");
  bytes_add(to, text, (size_t)length);
}

static void add_array(struct byte_buffer *to, const struct series_array *array,
                      const double *values) {
  const size_t count = array->count * array->per;
  const bool alone = array->of == SERIES_OF_ONE && count == 1;
  bytes_add(to, "[", alone ? 0 : 1);
  for (size_t i = 0; i < count; i++) {
    bytes_add(to, ",", i > 0 ? 1 : 0);
    add_number(to, values[i]);
  }
  bytes_add(to, "]", alone ? 0 : 1);
}

void json_row(struct byte_buffer *to, const struct series *series, int64_t t_ns,
              const double *row) {
  const int64_t second = INT64_C(1000000000);
  char text[2 * SERIES_NAME_SIZE];
  int length =
      snprintf(text, sizeof(text), "{\"timestamp\":{\"sec\":%" PRId64 ",\"nsec\":%" PRId64 "}",
               t_ns / second, t_ns % second);
  bytes_clear(to);
  bytes_add(to, text, (size_t)length);
  for (size_t a = 0; a < series->n_arrays; a++) {
    length = snprintf(text, sizeof(text), ",\"%s\":", series->array[a].name);
    bytes_add(to, text, (size_t)length);
    add_array(to, &series->array[a], row + series->array[a].at);
  }
  bytes_add(to, "}", 1);
}

char *json_schema(const struct series *series) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) {
    return NULL;
  }
  fprintf(out,
          "{\"type\":\"object\",\"title\":\"propriod.%s\",\"properties\":{\"timestamp\":{"
          "\"type\":\"object\",\"properties\":{\"sec\":{\"type\":\"integer\"},"
          "\"nsec\":{\"type\":\"integer\"}}}",
          series->name);
  for (size_t a = 0; a < series->n_arrays; a++) {
    const struct series_array *array = &series->array[a];
    const bool alone = array->of == SERIES_OF_ONE && array->count * array->per == 1;
    fprintf(out, ",\"%s\":{", array->name);
    fputs(alone ? "\"type\":\"number\"" : "\"type\":\"array\",\"items\":{\"type\":\"number\"}",
          out);
    fprintf(out, ",\"description\":\"%s\"}", array->unit);
  }
  fputs("}}", out);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}
