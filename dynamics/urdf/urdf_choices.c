#include "urdf/urdf_choices.h"

#include <stdarg.h>
#include <stdio.h>

void urdf_note(struct urdf_notes *notes, const struct xml_place *place, const char *format, ...) {
  char text[MESSAGE_SIZE - 32];
  va_list args;
  if (notes == NULL || notes->n++ >= URDF_MAX_NOTES) {
    return;
  }
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  message_set(&notes->note[notes->n - 1], "%lu:%lu: %s", place->line, place->column, text);
}
