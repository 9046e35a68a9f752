#include "configured.h"

#include <stdio.h>

struct generation *configured(const char *file) {
  static struct settings_report errors;
  struct generation *generation = NULL;
  struct message kept;
  if (generation_build(file, NULL, NULL, &generation, &errors, &kept) != STATUS_OK) {
    settings_print_errors(stderr, &errors);
    return NULL;
  }
  return generation;
}
