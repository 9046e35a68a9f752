#include "common/name_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  const struct name_entry *left = a, *right = b;
  const int order = strcmp(left->name, right->name);
  return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

enum status name_index_init(struct name_index *index, const void *first, size_t count,
                            size_t stride) {
  *index = (struct name_index){0};
  if (count == 0) {
    return STATUS_OK;
  }
  struct name_entry *entry = calloc(count, sizeof(*entry));
  if (entry == NULL) {
    return STATUS_NO_MEMORY;
  }
  for (size_t i = 0; i < count; i++) {
    entry[i] = (struct name_entry){(const char *)first + i * stride, i};
  }
  qsort(entry, count, sizeof(*entry), compare);
  *index = (struct name_index){entry, count};
  return STATUS_OK;
}

void name_index_free(struct name_index *index) {
  free(index->entry);
  *index = (struct name_index){0};
}

long name_index_find(const struct name_index *index, const char *name) {
  size_t low = 0, high = index->count;
  while (low < high) { /* the first entry that is not below `name` */
    const size_t middle = low + (high - low) / 2;
    if (strcmp(index->entry[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found = low < index->count && strcmp(index->entry[low].name, name) == 0;
  return found ? (long)index->entry[low].index : -1;
}

long name_index_repeated(const struct name_index *index, size_t *earlier) {
  long first = -1;
  for (size_t i = 1; i < index->count; i++) {
    const struct name_entry *a = &index->entry[i - 1], *b = &index->entry[i];
    if (strcmp(a->name, b->name) == 0 && (first < 0 || b->index < (size_t)first)) {
      first = (long)b->index;
      *earlier = a->index;
    }
  }
  return first;
}
