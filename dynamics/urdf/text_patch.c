#include "urdf/text_patch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static enum status make_room(struct text_patch *patch) {
  if (patch->count < patch->room) {
    return STATUS_OK;
  }
  const size_t wanted = patch->room == 0 ? 32 : 2 * patch->room;
  struct text_edit *larger = realloc(patch->edit, wanted * sizeof(*larger));
  if (larger == NULL) {
    return STATUS_NO_MEMORY;
  }
  patch->edit = larger;
  patch->room = wanted;
  return STATUS_OK;
}

enum status text_patch_add(struct text_patch *patch, size_t offset, size_t removed,
                           const char *text) {
  if (make_room(patch) != STATUS_OK) {
    return STATUS_NO_MEMORY;
  }
  struct text_edit *edit = &patch->edit[patch->count];
  *edit = (struct text_edit){offset, removed, strdup(text), patch->count};
  if (edit->inserted == NULL) {
    return STATUS_NO_MEMORY;
  }
  patch->count++;
  patch->inserted += strlen(text);
  return STATUS_OK;
}

static int by_place(const void *a, const void *b) {
  const struct text_edit *left = a, *right = b;
  const int order = (left->offset > right->offset) - (left->offset < right->offset);
  return order != 0 ? order
                    : (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

/* Sorted edits follow each other within the text. */
static bool are_disjoint(const struct text_patch *patch, size_t length) {
  size_t free_from = 0;
  for (size_t i = 0; i < patch->count; i++) {
    const struct text_edit *edit = &patch->edit[i];
    if (edit->offset < free_from || edit->offset > length ||
        edit->removed > length - edit->offset) {
      return false;
    }
    free_from = edit->offset + edit->removed;
  }
  return true;
}

enum status text_patch_apply(struct text_patch *patch, const char *text, size_t length, char **out,
                             size_t *out_length) {
  if (patch->count > 0) {
    qsort(patch->edit, patch->count, sizeof(*patch->edit), by_place);
  }
  if (!are_disjoint(patch, length)) {
    return STATUS_BAD_ARGUMENT;
  }
  char *block = malloc(length + patch->inserted + 1);
  if (block == NULL) {
    return STATUS_NO_MEMORY;
  }
  size_t read = 0, written = 0;
  for (size_t i = 0; i < patch->count; i++) {
    const struct text_edit *edit = &patch->edit[i];
    const size_t kept = edit->offset - read, added = strlen(edit->inserted);
    memcpy(block + written, text + read, kept);
    memcpy(block + written + kept, edit->inserted, added);
    read = edit->offset + edit->removed;
    written += kept + added;
  }
  memcpy(block + written, text + read, length - read);
  written += length - read;
  block[written] = '\0';
  *out = block;
  *out_length = written;
  return STATUS_OK;
}

void text_patch_free(struct text_patch *patch) {
  for (size_t i = 0; i < patch->count; i++) {
    free(patch->edit[i].inserted);
  }
  free(patch->edit);
  *patch = (struct text_patch){0};
}
