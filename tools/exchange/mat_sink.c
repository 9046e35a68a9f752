/* MAT, version 5, of MATLAB, Octave and scipy: a struct for each series, with t_ns and an array for
 * each of its arrays, rows x numbers; and `about`, the text of about.h. */
#include "exchange/about.h"
#include "exchange/column_store.h"
#include "exchange/formats.h"
#include "exchange/part_file.h"

#include <matio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { HEAD_SIZE = 128 }; /* bytes of the file before its first element */

struct mat {
  struct sink_about about;
  struct column_store store;
  char path[PART_FILE_PATH], part[PART_FILE_PATH + 8];
};

/* A variable of version 5 has less than 2 GiB. */
static const size_t largest = (size_t)INT32_MAX - 4096;

static void mat_close(void *state) {
  struct mat *mat = state;
  if (mat != NULL) {
    column_store_close(&mat->store);
    free(mat);
  }
}

static enum status mat_open(void **state, const char *path, const struct sink_about *about,
                            struct message *error) {
  struct mat *mat = calloc(1, sizeof(*mat));
  if (mat == NULL) {
    return STATUS_NO_MEMORY;
  }
  mat->about = *about;
  snprintf(mat->path, sizeof(mat->path), "%s", path);
  snprintf(mat->part, sizeof(mat->part), "%s.part", mat->path);
  const enum status status = column_store_open(&mat->store, about->set, error);
  if (status != STATUS_OK) {
    free(mat);
    return status;
  }
  *state = mat;
  return STATUS_OK;
}

static enum status mat_row(void *state, const struct series *series, int64_t t_ns,
                           const double *row, struct message *error) {
  struct mat *mat = state;
  return column_store_add(&mat->store, series, t_ns, row, error);
}

/* Reads rows of `width` numbers of `bytes` each, and turns them into columns. */
static bool read_columns(FILE *file, char *to, size_t rows, size_t width, size_t bytes) {
  char *row = malloc(width * bytes);
  bool whole = row != NULL && fseek(file, COLUMN_HEAD, SEEK_SET) == 0;
  for (size_t r = 0; whole && r < rows; r++) {
    whole = fread(row, bytes, width, file) == width;
    for (size_t i = 0; i < width; i++) {
      memcpy(to + (i * rows + r) * bytes, row + i * bytes, bytes);
    }
  }
  free(row);
  return whole;
}

/* One array as a variable of libmatio, which owns it then. NULL: no memory, or larger than a
 * variable can be. */
static matvar_t *variable(const char *name, FILE *file, size_t rows, size_t width, size_t bytes,
                          enum matio_classes class, enum matio_types type) {
  if (rows * width > largest / bytes) {
    return NULL;
  }
  char *data = malloc(rows * width * bytes + 1);
  matvar_t *made = NULL;
  size_t dims[] = {rows, width};
  if (data != NULL && read_columns(file, data, rows, width, bytes)) {
    made = Mat_VarCreate(name, class, type, 2, dims, data, 0);
  }
  free(data);
  return made;
}

static matvar_t *array_of(struct mat *mat, const struct series *series, size_t a) {
  static const enum matio_classes class[] = {MAT_C_DOUBLE, MAT_C_SINGLE, MAT_C_UINT8};
  static const enum matio_types type[] = {MAT_T_DOUBLE, MAT_T_SINGLE, MAT_T_UINT8};
  const struct series_array *array = &series->array[a];
  return variable(array->name, mat->store.values[series->kind][a], mat->store.rows[series->kind],
                  array->count * array->per, column_bytes(array->type), class[array->type],
                  type[array->type]);
}

static enum status write_series(struct mat *mat, mat_t *file, const struct series *series,
                                struct message *error) {
  const char *names[SERIES_MOST_ARRAYS + 1] = {"t_ns"};
  for (size_t a = 0; a < series->n_arrays; a++) {
    names[a + 1] = series->array[a].name;
  }
  size_t one[] = {1, 1};
  matvar_t *whole =
      Mat_VarCreateStruct(series->name, 2, one, names, (unsigned)series->n_arrays + 1);
  matvar_t *part =
      variable("t_ns", mat->store.instants[series->kind], mat->store.rows[series->kind], 1,
               sizeof(int64_t), MAT_C_INT64, MAT_T_INT64);
  for (size_t a = 0; whole != NULL && part != NULL; a++) {
    Mat_VarSetStructFieldByIndex(whole, a, 0, part);
    if (a == series->n_arrays) {
      break;
    }
    part = array_of(mat, series, a);
  }
  const size_t size = whole != NULL && part != NULL ? Mat_VarGetSize(whole) : largest + 1;
  const bool fits = size <= largest;
  const bool written = fits && Mat_VarWrite(file, whole, MAT_COMPRESSION_ZLIB) == 0;
  Mat_VarFree(whole);
  if (!written) {
    message_set(error,
                fits ? "%s: %s is not written; is the disk full?"
                     : "%s: %s is larger than the 2 GiB of a variable; --npz has no limit, "
                       "--only, --from and --to take less",
                mat->path, series->name);
  }
  return written ? STATUS_OK : STATUS_REFUSED;
}

static bool write_about(const struct mat *mat, mat_t *file) {
  size_t length = 0;
  char *text = about_text(&mat->about, &length);
  size_t dims[] = {1, length};
  matvar_t *made =
      text != NULL ? Mat_VarCreate("about", MAT_C_CHAR, MAT_T_UTF8, 2, dims, text, 0) : NULL;
  const bool written = made != NULL && Mat_VarWrite(file, made, MAT_COMPRESSION_NONE) == 0;
  Mat_VarFree(made);
  free(text);
  return written;
}

/* True when `length` bytes of the file hold one whole stream of zlib, whose checksum is right. */
static bool inflates(FILE *file, size_t length) {
  static unsigned char in[1 << 16], out[1 << 16];
  z_stream stream = {0};
  int status = inflateInit(&stream);
  while (status == Z_OK) {
    if (stream.avail_in == 0) {
      const size_t most = length < sizeof(in) ? length : sizeof(in);
      stream.next_in = in;
      stream.avail_in = (uInt)fread(in, 1, most, file);
      length -= stream.avail_in;
    }
    stream.next_out = out;
    stream.avail_out = sizeof(out);
    status = inflate(&stream, Z_NO_FLUSH); /* Z_BUF_ERROR: it ends too soon */
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && length == 0 && stream.avail_in == 0;
}

/* True when the file has `wanted` elements, each a type and a length before its bytes, which end
 * where it ends, and what is compressed is whole. libmatio does not tell when a disk was full, and
 * then writes a length that fits what is there. */
static bool is_whole(const char *path, size_t wanted) {
  enum { COMPRESSED = 15 };
  FILE *file = fopen(path, "rb");
  uint32_t tag[2];
  long at = HEAD_SIZE;
  size_t elements = 0;
  bool whole = file != NULL;
  while (whole && fseek(file, at, SEEK_SET) == 0 && fread(tag, sizeof(tag), 1, file) == 1) {
    whole = tag[0] != COMPRESSED || inflates(file, tag[1]);
    at += (long)sizeof(tag) + (long)tag[1];
    elements++;
  }
  whole = whole && fseek(file, 0, SEEK_END) == 0 && ftell(file) == at && elements == wanted;
  if (file != NULL) {
    fclose(file);
  }
  return whole;
}

static enum status mat_finish(void *state, struct message *error) {
  struct mat *mat = state;
  mat_t *file = Mat_CreateVer(mat->part, NULL, MAT_FT_MAT5);
  if (file == NULL) {
    message_set(error, "%s: cannot be made", mat->path);
    return STATUS_REFUSED;
  }
  enum status status = STATUS_OK;
  size_t written = 1; /* what it is about */
  if (!write_about(mat, file)) {
    message_set(error, "%s: not written", mat->path);
    status = STATUS_REFUSED;
  }
  for (int kind = 0; status == STATUS_OK && kind < SERIES_KINDS; kind++) {
    const struct series *series = &mat->about.set->series[kind];
    if (series->n_arrays > 0) {
      status = write_series(mat, file, series, error);
      written++;
    }
  }
  if (Mat_Close(file) != 0 || (status == STATUS_OK && !is_whole(mat->part, written))) {
    message_set(error, "%s: not written; is the disk full?", mat->path);
    status = STATUS_REFUSED;
  }
  if (status == STATUS_OK && rename(mat->part, mat->path) != 0) {
    message_set(error, "%s: cannot be renamed", mat->path);
    status = STATUS_REFUSED;
  }
  if (status != STATUS_OK) {
    unlink(mat->part);
  }
  return status;
}

const struct sink_format mat_format = {
    .open = mat_open, .row = mat_row, .finish = mat_finish, .close = mat_close};
