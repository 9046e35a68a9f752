/* The members of a struct as its header declares them, read from the header's text: what tables of
 * rows are compared with, which the compiler cannot do. */
#ifndef DECLARED_H
#define DECLARED_H

#include <stdbool.h>
#include <stddef.h>

enum { DECLARED_MOST = 96, DECLARED_NAME = 64, DECLARED_COMMENT = 256 };

struct declared_member {
  char type[DECLARED_NAME]; /* "double", "struct counter" */
  char name[DECLARED_NAME];
  char array[DECLARED_NAME];      /* "PROPRIOD_MAX_FEET", or "" */
  char comment[DECLARED_COMMENT]; /* behind its declaration, on one line, or "" */
};

struct declared {
  size_t count;
  struct declared_member member[DECLARED_MOST];
};

/* Reads `struct NAME {` in `file`, a path from the project's folder. Fails the test when it is not
 * there. Members are numbers, arrays of them, and structs by name. */
struct declared declared_in(const char *file, const char *name);

/* The member's place in the list, or -1. */
int declared_find(const struct declared *declared, const char *name);

/* True when the comment begins with unit and frame ("m/s, world: ..."), or, when both are empty,
 * with neither of those in `words`, which ends with NULL. */
bool declared_says(const struct declared_member *member, const char *unit, const char *frame,
                   const char *const *words);

#endif
