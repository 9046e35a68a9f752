#include "escape.h"

#include <math.h>

void print_escaped_xml(FILE *file, const char *text) {
  for (; *text != '\0'; text++) {
    switch (*text) {
    case '&':
      fputs("&amp;", file);
      break;
    case '<':
      fputs("&lt;", file);
      break;
    case '>':
      fputs("&gt;", file);
      break;
    case '"':
      fputs("&quot;", file);
      break;
    default:
      fputc(*text, file);
    }
  }
}

void print_json_string(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') {
      fprintf(file, "\\%c", *text);
    } else if ((unsigned char)*text < 0x20) {
      fprintf(file, "\\u%04x", (unsigned)*text);
    } else {
      fputc(*text, file);
    }
  }
  fputc('"', file);
}

void print_json_number(FILE *file, double value) {
  if (isfinite(value)) {
    fprintf(file, "%.9g", value);
  } else {
    fputs("null", file);
  }
}
