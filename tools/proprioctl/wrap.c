#include "wrap.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_COLUMNS = 40 /* narrower, wrapping helps nobody */ };

int wrap_columns(void) {
  struct winsize size;
  const bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return terminal && size.ws_col >= LEAST_COLUMNS ? size.ws_col : INT_MAX;
}

/* Bytes of `line` up to the last gap within `columns` places, or all of it when it fits or has no
 * gap behind `indent`; escape sequences take no place. */
static size_t until_gap(const char *line, size_t length, int columns, int indent) {
  size_t gap = length;
  int column = 0;
  for (size_t i = 0; i < length; i++) {
    if (line[i] == '\033') {
      i += strcspn(line + i, "m");
      continue;
    }
    if (line[i] == ' ' && column > indent && column <= columns) {
      gap = i;
    }
    if (++column > columns) {
      return gap;
    }
  }
  return length;
}

void wrap(FILE *out, const char *text, int columns, int indent) {
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    const char *line = text;
    text += length + (text[length] == '\n');
    for (int skipped = indent, room = columns; length > 0; skipped = 0, room = columns - indent) {
      const size_t part = until_gap(line, length, room, skipped);
      fprintf(out, "%*s%.*s\n", skipped > 0 ? 0 : indent, "", (int)part, line);
      line += part + (part < length);
      length -= part + (part < length);
    }
  }
}
