#include "identify/output/provenance.h"

#include "common/number.h"
#include "identify/rows/rotor_bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char opening[] = "<!-- propriod-identify: ", closing[] = "-->", root[] = "</robot>";

enum { TEN = INERTIA_PARAMETERS, LINE = MODEL_NAME_SIZE + 11 * NUMBER_SIZE };

/* -- reading ---------------------------------------------------------------------------------- */

static const char *find_comment(const char *urdf, const char **end) {
  const char *start = strstr(urdf, opening);
  *end = start != NULL ? strstr(start, closing) : NULL;
  return *end != NULL ? start : NULL;
}

/* "  prior NAME n n n ...": false when the line is another one's. */
static bool take_line(const char *line, const char *end, const char *kind, const char *name,
                      double *value, size_t n) {
  char begin[MODEL_NAME_SIZE + 32];
  snprintf(begin, sizeof(begin), "  %s %s ", kind, name);
  const char *stop = memchr(line, '\n', (size_t)(end - line));
  const size_t length = (size_t)((stop != NULL ? stop : end) - line), skip = strlen(begin);
  char numbers[LINE];
  if (length <= skip || length - skip >= sizeof(numbers) || strncmp(line, begin, skip) != 0) {
    return false;
  }
  memcpy(numbers, line + skip, length - skip);
  numbers[length - skip] = '\0';
  return number_read_list(numbers, n, value) == STATUS_OK;
}

/* Looks for the named line all over the comment. */
static bool find_line(const char *start, const char *end, const char *kind, const char *name,
                      double *value, size_t n) {
  for (const char *line = start; line != NULL && line < end;) {
    if (take_line(line, end, kind, name, value, n)) {
      return true;
    }
    line = memchr(line, '\n', (size_t)(end - line));
    line = line != NULL ? line + 1 : NULL;
  }
  return false;
}

bool provenance_how(const char *urdf, char *how, size_t size) {
  const char *end, *start = find_comment(urdf, &end);
  if (start == NULL) {
    return false;
  }
  start += strlen(opening);
  snprintf(how, size, "%.*s", (int)strcspn(start, "\n"), start);
  return true;
}

/* What x has of a description: links, and every joint's rotor inertia. */
struct described {
  struct inertia link[MODEL_MAX_JOINTS + 1];
  double rotor[MODEL_MAX_JOINTS];
};

static void describe(const struct unknowns *u, const double *x, struct described *d) {
  for (size_t j = 0; j < u->model->n_joints; j++) {
    const int at = u->at[j][DRIVE_ROTOR];
    d->rotor[j] = at != UNKNOWN_NONE ? x[at] : u->model->joint[j].rotor_inertia;
  }
  rotor_bodies_lump(u, x, d->link, d->rotor);
}

bool provenance_prior(const char *urdf, const struct unknowns *unknowns, double *x) {
  const char *end, *start = find_comment(urdf, &end);
  const struct model *model = unknowns->model;
  struct described d;
  if (start == NULL) {
    return false;
  }
  describe(unknowns, x, &d);
  for (size_t i = 0; i < unknowns->links; i++) {
    double ten[TEN];
    if (find_line(start, end, "link", model->link_name[i + unknowns->first_link], ten, TEN)) {
      d.link[i] = inertia_from(ten);
    }
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    double value[DRIVE_OFFSET];
    if (find_line(start, end, "joint", model->joint[j].name, value, DRIVE_OFFSET)) {
      d.rotor[j] = value[DRIVE_ROTOR];
      for (int kind = 0; kind < DRIVE_OFFSET; kind++) {
        if (unknowns->at[j][kind] != UNKNOWN_NONE) {
          x[unknowns->at[j][kind]] = value[kind];
        }
      }
    }
  }
  rotor_bodies_split(unknowns, d.link, d.rotor, x);
  return true;
}

/* -- writing ---------------------------------------------------------------------------------- */

static void print_numbers(FILE *file, const double *value, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char number[NUMBER_SIZE];
    number_write(value[i], number);
    fprintf(file, " %s", number);
  }
  fputc('\n', file);
}

/* XML has no "--" within a comment. */
static void print_how(FILE *file, const char *how) {
  for (const char *c = how; *c != '\0'; c++) {
    fputc(*c == '-' && c[1] == '-' ? '~' : *c, file);
  }
  fputc('\n', file);
}

static void print_comment(FILE *file, const char *how, const struct unknowns *unknowns,
                          const double *prior) {
  const struct model *model = unknowns->model;
  fputs(opening, file);
  print_how(file, how);
  struct described d;
  describe(unknowns, prior, &d);
  fprintf(file, "  What was known before, and another fit starts from:\n");
  for (size_t i = 0; i < unknowns->links; i++) {
    double ten[TEN];
    inertia_to(&d.link[i], ten);
    fprintf(file, "  link %s", model->link_name[i + unknowns->first_link]);
    print_numbers(file, ten, TEN);
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    const struct joint *joint = &model->joint[j];
    double value[DRIVE_OFFSET] = {d.rotor[j], joint->viscous, joint->coulomb};
    for (int kind = DRIVE_VISCOUS; kind < DRIVE_OFFSET; kind++) {
      const int at = unknowns->at[j][kind];
      value[kind] = at != UNKNOWN_NONE ? prior[at] : value[kind];
    }
    fprintf(file, "  joint %s", model->joint[j].name);
    print_numbers(file, value, DRIVE_OFFSET);
  }
  fputs(closing, file);
  fputc('\n', file);
}

char *provenance_write(const char *urdf, const char *how, const struct unknowns *unknowns,
                       const double *prior) {
  const char *end, *old = find_comment(urdf, &end);
  const char *last = NULL;
  for (const char *at = strstr(urdf, root); at != NULL; at = strstr(at + 1, root)) {
    last = at;
  }
  const char *begin = old != NULL ? old : last;
  const char *behind = old != NULL ? end + strlen(closing) : last;
  behind += old != NULL && *behind == '\n';
  char *out = NULL;
  size_t size = 0;
  FILE *file = begin != NULL ? open_memstream(&out, &size) : NULL;
  if (file == NULL) {
    return NULL;
  }
  fwrite(urdf, 1, (size_t)(begin - urdf), file);
  print_comment(file, how, unknowns, prior);
  fputs(behind, file);
  const bool failed = ferror(file) != 0;
  if (fclose(file) != 0 || failed) {
    free(out);
    return NULL;
  }
  return out;
}
