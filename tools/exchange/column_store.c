#include "exchange/column_store.h"

#include <errno.h>
#include <string.h>

size_t column_bytes(enum series_type type) {
  return type == SERIES_DOUBLE ? sizeof(double) : type == SERIES_FLOAT ? sizeof(float) : 1;
}

static enum status refuse(struct message *error) {
  message_set(error, "a temporary file: %s", strerror(errno));
  return STATUS_REFUSED;
}

static FILE *open_one(void) {
  FILE *file = tmpfile();
  const char head[COLUMN_HEAD] = {0};
  if (file != NULL && fwrite(head, sizeof(head), 1, file) != 1) {
    fclose(file);
    file = NULL;
  }
  return file;
}

enum status column_store_open(struct column_store *store, const struct series_set *set,
                              struct message *error) {
  *store = (struct column_store){.set = set};
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    const struct series *series = &set->series[kind];
    bool opened = series->n_arrays == 0 || (store->instants[kind] = open_one()) != NULL;
    for (size_t a = 0; opened && a < series->n_arrays; a++) {
      opened = (store->values[kind][a] = open_one()) != NULL;
    }
    if (!opened) {
      const enum status status = refuse(error);
      column_store_close(store);
      return status;
    }
  }
  return STATUS_OK;
}

static bool write_as(FILE *file, enum series_type type, const double *values, size_t count) {
  if (type == SERIES_DOUBLE) {
    return fwrite(values, sizeof(*values), count, file) == count;
  }
  for (size_t i = 0; i < count; i++) {
    const float number = (float)values[i];
    const bool written = type == SERIES_FLOAT ? fwrite(&number, sizeof(number), 1, file) == 1
                                              : putc((unsigned char)values[i], file) != EOF;
    if (!written) {
      return false;
    }
  }
  return true;
}

enum status column_store_add(struct column_store *store, const struct series *series, int64_t t_ns,
                             const double *row, struct message *error) {
  bool written = fwrite(&t_ns, sizeof(t_ns), 1, store->instants[series->kind]) == 1;
  for (size_t a = 0; written && a < series->n_arrays; a++) {
    const struct series_array *array = &series->array[a];
    written = write_as(store->values[series->kind][a], array->type, row + array->at,
                       array->count * array->per);
  }
  store->rows[series->kind]++;
  return written ? STATUS_OK : refuse(error);
}

static void close_one(FILE *file) {
  if (file != NULL) {
    fclose(file);
  }
}

void column_store_close(struct column_store *store) {
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    close_one(store->instants[kind]);
    for (size_t a = 0; a < SERIES_MOST_ARRAYS; a++) {
      close_one(store->values[kind][a]);
    }
  }
  memset(store, 0, sizeof(*store));
}
