#include "support/give_up.h"

#include <stdio.h>
#include <stdlib.h>

void give_up(const char *what, const char *why) {
  fprintf(stderr, "evaluate: %s: %s\n", what, why);
  exit(EXIT_FAILURE);
}
