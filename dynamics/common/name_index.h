/* Finding things by name among thousands: pointers to names, sorted once. */
#ifndef NAME_INDEX_H
#define NAME_INDEX_H

#include "common/status.h"

#include <stddef.h>

struct name_entry {
  const char *name; /* not owned */
  size_t index;     /* of the thing in its own table */
};

struct name_index {
  struct name_entry *entry; /* [count] by name, equal names by index */
  size_t count;
};

/* Sorts `count` names. The i-th name stands at `first + i stride` bytes and must outlive the index.
 * [start] STATUS_NO_MEMORY leaves an empty index. */
enum status name_index_init(struct name_index *index, const void *first, size_t count,
                            size_t stride);
void name_index_free(struct name_index *index);

/* Position of `name` in its own table, the first one if it stands there twice, or -1. */
long name_index_find(const struct name_index *index, const char *name);

/* The first thing whose name an earlier thing has (`*earlier`), or -1 when every name is unique. */
long name_index_repeated(const struct name_index *index, size_t *earlier);

#endif
