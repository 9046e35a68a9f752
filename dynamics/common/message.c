#include "common/message.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void message_set(struct message *message, const char *format, ...) {
  if (message == NULL) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message->text, sizeof(message->text), format, arguments);
  va_end(arguments);
}
