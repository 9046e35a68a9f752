/* A condition that no input may break: says which one it was and dies, for the fuzzer to see. */
#ifndef REQUIRE_H
#define REQUIRE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                    \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* What a fuzzer calls with every input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
