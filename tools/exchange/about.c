#include "exchange/about.h"

#include "report/escape.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_names(FILE *out, const char *key, size_t count, const char *first,
                        size_t stride) {
  fprintf(out, ",\n \"%s\": [", key);
  for (size_t i = 0; i < count; i++) {
    fputs(i > 0 ? ", " : "", out);
    print_json_string(out, first + i * stride);
  }
  fputs("]", out);
}

static void write_arrays(FILE *out, const struct series *series) {
  for (size_t a = 0; a < series->n_arrays; a++) {
    const struct series_array *array = &series->array[a];
    fprintf(out, "%s\n   \"%s\": {\"unit\": ", a > 0 ? "," : "", array->name);
    print_json_string(out, array->unit);
    fputs("}", out);
  }
}

char *about_text(const struct sink_about *about, size_t *length) {
  const struct robot *robot = about->set->robot;
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (out == NULL) {
    return NULL;
  }
  fputs("{\"robot\": ", out);
  print_json_string(out, robot->model.name);
  fprintf(out, ",\n \"wall_ns\": %" PRId64, about->wall_ns);
  write_names(out, "joints", robot->model.n_joints, robot->model.joint->name,
              sizeof(*robot->model.joint));
  write_names(out, "feet", robot->n_feet, robot->foot->name, sizeof(*robot->foot));
  write_names(out, "wrench_sensors", robot->n_wrench, robot->wrench->name, sizeof(*robot->wrench));
  if (robot->n_cells > 0) {
    write_names(out, "cells", robot->n_cells, robot->cell->name, sizeof(*robot->cell));
  }
  fputs(",\n \"series\": {", out);
  bool first = true;
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    const struct series *series = &about->set->series[kind];
    if (series->n_arrays > 0) {
      fprintf(out, "%s\n  \"%s\": {", first ? "" : ",", series->name);
      write_arrays(out, series);
      fputs("}", out);
      first = false;
    }
  }
  fputs("}}\n", out);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}
