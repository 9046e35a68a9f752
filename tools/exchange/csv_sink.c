/* CSV: a folder with a file for each series. The first line names the columns, the second has their
 * units; time is seconds of CLOCK_MONOTONIC. */
#include "exchange/formats.h"
#include "exchange/part_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUFFER_SIZE = 1 << 18 };

struct csv {
  const struct series_set *set;
  struct part_file file[SERIES_KINDS];
};

static void write_head(FILE *file, const struct series_set *set, const struct series *series) {
  char word[SERIES_ELEMENT_SIZE];
  fputs("t", file);
  for (size_t a = 0; a < series->n_arrays; a++) {
    const struct series_array *array = &series->array[a];
    for (size_t i = 0; i < array->count * array->per; i++) {
      series_element_name(set, array, i, word);
      fprintf(file, ",%s", word);
    }
  }
  fputs("\ns", file);
  for (size_t a = 0; a < series->n_arrays; a++) {
    const struct series_array *array = &series->array[a];
    for (size_t i = 0; i < array->count * array->per; i++) {
      series_element_unit(set, array, i, word);
      fprintf(file, ",%s", word);
    }
  }
  fputs("\n", file);
}

static void csv_close(void *state) {
  struct csv *csv = state;
  for (int kind = 0; csv != NULL && kind < SERIES_KINDS; kind++) {
    part_file_drop(&csv->file[kind]);
  }
  free(csv);
}

static enum status csv_open(void **state, const char *path, const struct sink_about *about,
                            struct message *error) {
  struct csv *csv = calloc(1, sizeof(*csv));
  if (csv == NULL) {
    return STATUS_NO_MEMORY;
  }
  csv->set = about->set;
  if (mkdir(path, 0777) != 0 && errno != EEXIST) {
    message_set(error, "%s: %s", path, strerror(errno));
    free(csv);
    return STATUS_REFUSED;
  }
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    const struct series *series = &about->set->series[kind];
    char name[PART_FILE_PATH];
    snprintf(name, sizeof(name), "%s/%s.csv", path, series->name);
    if (series->n_arrays == 0) {
      continue;
    }
    if (part_file_open(&csv->file[kind], name, error) != STATUS_OK) {
      csv_close(csv);
      return STATUS_REFUSED;
    }
    setvbuf(csv->file[kind].file, NULL, _IOFBF, BUFFER_SIZE);
    write_head(csv->file[kind].file, about->set, series);
  }
  *state = csv;
  return STATUS_OK;
}

static enum status csv_row(void *state, const struct series *series, int64_t t_ns,
                           const double *row, struct message *error) {
  struct csv *csv = state;
  const struct part_file *to = &csv->file[series->kind];
  const int64_t second = INT64_C(1000000000);
  fprintf(to->file, "%" PRId64 ".%09" PRId64, t_ns / second, t_ns % second);
  for (size_t a = 0; a < series->n_arrays; a++) {
    const struct series_array *array = &series->array[a];
    const int digits = array->type == SERIES_DOUBLE ? 17 : 9; /* as many as the number has */
    for (size_t i = 0; i < array->count * array->per; i++) {
      const double value = row[array->at + i];
      if (isnan(value)) {
        putc(',', to->file); /* nothing there */
      } else {
        fprintf(to->file, ",%.*g", digits, value);
      }
    }
  }
  putc('\n', to->file);
  return ferror(to->file) ? part_file_error(to, error) : STATUS_OK;
}

static enum status csv_finish(void *state, struct message *error) {
  struct csv *csv = state;
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    if (csv->file[kind].file != NULL &&
        part_file_finish(&csv->file[kind], true, error) != STATUS_OK) {
      return STATUS_REFUSED;
    }
  }
  return STATUS_OK;
}

const struct sink_format csv_format = {
    .open = csv_open, .row = csv_row, .finish = csv_finish, .close = csv_close};
