/* Settings as text, for tests. */
#ifndef SETTINGS_TEXT_H
#define SETTINGS_TEXT_H

#include "settings/settings.h"

#include <stdio.h>

/* What settings_print writes; the caller frees it. */
static inline char *settings_text(const struct settings *of) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  settings_print(out, of);
  fclose(out);
  return text;
}

#endif
