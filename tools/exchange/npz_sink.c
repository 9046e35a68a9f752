/* NPZ, the archive of numpy.load: SERIES/ARRAY for each array, SERIES/t_ns, and about.json. */
#include "exchange/about.h"
#include "exchange/column_store.h"
#include "exchange/formats.h"
#include "exchange/part_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

enum { LEVEL = 1, HEAD_BEFORE_TEXT = 10, SHAPE_SIZE = 80 };

struct npz {
  struct sink_about about;
  struct column_store store;
  char path[PART_FILE_PATH];
  char *text;
};

static void npz_close(void *state) {
  struct npz *npz = state;
  if (npz != NULL) {
    column_store_close(&npz->store);
    free(npz->text);
    free(npz);
  }
}

static enum status npz_open(void **state, const char *path, const struct sink_about *about,
                            struct message *error) {
  struct npz *npz = calloc(1, sizeof(*npz));
  if (npz == NULL) {
    return STATUS_NO_MEMORY;
  }
  npz->about = *about;
  snprintf(npz->path, sizeof(npz->path), "%s", path);
  const enum status status = column_store_open(&npz->store, about->set, error);
  if (status != STATUS_OK) {
    free(npz);
    return status;
  }
  *state = npz;
  return STATUS_OK;
}

static enum status npz_row(void *state, const struct series *series, int64_t t_ns,
                           const double *row, struct message *error) {
  struct npz *npz = state;
  return column_store_add(&npz->store, series, t_ns, row, error);
}

/* "(1000, 30, 3)" without the ones: what numpy calls a shape. */
static void print_shape(char shape[SHAPE_SIZE], size_t rows, size_t count, size_t per) {
  if (count == 1 && per == 1) {
    snprintf(shape, SHAPE_SIZE, "(%zu,)", rows);
  } else if (count == 1 || per == 1) {
    snprintf(shape, SHAPE_SIZE, "(%zu, %zu)", rows, count * per);
  } else {
    snprintf(shape, SHAPE_SIZE, "(%zu, %zu, %zu)", rows, count, per);
  }
}

/* Version 1.0 of the format .npy: magic, version, length of the text, a Python dict, a newline. */
static bool write_npy_head(FILE *file, const char *type, size_t rows, size_t count, size_t per) {
  char head[COLUMN_HEAD], shape[SHAPE_SIZE];
  print_shape(shape, rows, count, per);
  memset(head, ' ', sizeof(head));
  memcpy(head, "\x93NUMPY\x01\x00", 8);
  head[8] = (char)(COLUMN_HEAD - HEAD_BEFORE_TEXT);
  head[9] = 0;
  const int length =
      snprintf(head + HEAD_BEFORE_TEXT, sizeof(head) - HEAD_BEFORE_TEXT,
               "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  head[HEAD_BEFORE_TEXT + length] = ' '; /* in place of the final zero */
  head[COLUMN_HEAD - 1] = '\n';
  return fseek(file, 0, SEEK_SET) == 0 && fwrite(head, sizeof(head), 1, file) == 1 &&
         fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0;
}

static bool add_source(zip_t *zip, const char *name, zip_source_t *source) {
  const zip_int64_t index = source != NULL ? zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8) : -1;
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  return zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, LEVEL) == 0;
}

/* The archive reads the file when it is closed, and closes a file of its own. */
static bool add_file(zip_t *zip, const char *series, const char *array, FILE *file) {
  char name[2 * SERIES_NAME_SIZE + 8];
  snprintf(name, sizeof(name), "%s/%s.npy", series, array);
  const int copy = dup(fileno(file));
  FILE *own = copy >= 0 ? fdopen(copy, "rb") : NULL;
  return own != NULL && add_source(zip, name, zip_source_filep(zip, own, 0, -1));
}

static bool add_series(zip_t *zip, struct npz *npz, const struct series *series) {
  static const char *const type[] = {"<f8", "<f4", "|u1"};
  struct column_store *store = &npz->store;
  const size_t rows = store->rows[series->kind];
  FILE *instants = store->instants[series->kind];
  bool added =
      write_npy_head(instants, "<i8", rows, 1, 1) && add_file(zip, series->name, "t_ns", instants);
  for (size_t a = 0; added && a < series->n_arrays; a++) {
    const struct series_array *array = &series->array[a];
    FILE *file = store->values[series->kind][a];
    added = write_npy_head(file, type[array->type], rows, array->count, array->per) &&
            add_file(zip, series->name, array->name, file);
  }
  return added;
}

static bool add_about(zip_t *zip, struct npz *npz) {
  size_t length = 0;
  npz->text = about_text(&npz->about, &length);
  return npz->text != NULL &&
         add_source(zip, "about.json", zip_source_buffer(zip, npz->text, length, 0));
}

/* libzip writes beside the final name, and renames. */
static enum status npz_finish(void *state, struct message *error) {
  struct npz *npz = state;
  int cause = 0;
  zip_t *zip = zip_open(npz->path, ZIP_CREATE | ZIP_TRUNCATE, &cause);
  if (zip == NULL) {
    message_set(error, "%s: %s", npz->path, cause == ZIP_ER_OPEN ? strerror(errno) : "not written");
    return STATUS_REFUSED;
  }
  bool added = add_about(zip, npz);
  for (int kind = 0; added && kind < SERIES_KINDS; kind++) {
    const struct series *series = &npz->about.set->series[kind];
    added = series->n_arrays == 0 || add_series(zip, npz, series);
  }
  if (!added || zip_close(zip) != 0) {
    message_set(error, "%s: %s", npz->path, zip_strerror(zip));
    zip_discard(zip);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

const struct sink_format npz_format = {
    .open = npz_open, .row = npz_row, .finish = npz_finish, .close = npz_close};
