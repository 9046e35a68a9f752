/* Replacements in a text, collected in any order and applied at once; every other byte stays. */
#ifndef TEXT_PATCH_H
#define TEXT_PATCH_H

#include "common/status.h"

#include <stddef.h>

struct text_edit {
  size_t offset, removed; /* bytes of the original text */
  char *inserted;         /* ended by a zero byte, owned */
  size_t sequence;        /* edits at one offset keep the order in which they came */
};

/* Begin with `struct text_patch patch = {0}`. */
struct text_patch {
  struct text_edit *edit; /* [count] */
  size_t count, room;
  size_t inserted; /* bytes inserted in all */
};

/* Replaces `removed` bytes at `offset` by `text`, which is copied. Removed ranges must not overlap.
 * [start] [worker] STATUS_NO_MEMORY leaves the patch as it was. */
enum status text_patch_add(struct text_patch *patch, size_t offset, size_t removed,
                           const char *text);

/* Writes the patched text into a block from malloc, `*out`, ended by a zero byte that `*out_length`
 * does not count. STATUS_BAD_ARGUMENT: edits that overlap or pass the end; STATUS_NO_MEMORY;
 * outputs are then untouched. */
enum status text_patch_apply(struct text_patch *patch, const char *text, size_t length, char **out,
                             size_t *out_length);

void text_patch_free(struct text_patch *patch);

#endif
